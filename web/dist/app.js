/*! uPlot

The MIT License (MIT)

Copyright (c) 2022 Leon Sorokin

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in
all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN
THE SOFTWARE.
*/
"use strict";(()=>{var mo="forebay-token";var pt=class extends Error{constructor(s,n){super(n);this.status=s}status;get wantsToken(){return this.status===401}},Ut={get(){return sessionStorage.
getItem(mo)},set(e){sessionStorage.setItem(mo,e.trim())},clear(){sessionStorage.removeItem(mo)}};async function go(e){let t="/v1/host",s={method:"\
GET",headers:{authorization:`Bearer ${e.trim()}`}};try{let{host:n}=await bo(t,s,8e3);if(!n.may_change)return!1}catch(n){if(n instanceof pt&&
n.wantsToken)return!1;throw n}return Ut.set(e),!0}async function nn(e,t){return(await bo(e,{method:"GET"},8e3))[t]}async function Gr(e,t){return Kr(
e,t,s=>s.status===404)}async function Yt(e,t){return Kr(e,t,s=>s.status!==0&&!s.wantsToken)}async function Kr(e,t,s){try{return await nn(e,t)}catch(n){
if(n instanceof pt&&s(n))return null;throw n}}async function Me(e,t,s){let n={method:e,headers:{"content-type":"application/json"},body:JSON.
stringify(s??null)};return bo(t,n,12e4)}function Ae(e){return`/v1/disks/${encodeURIComponent(e)}`}function jr(e){return`/v1/pool/devices/${e}`}
function Ur(e,t){return`/v1/history/${encodeURIComponent(e)}?span=${t}`}async function bo(e,t,s){let n=AbortSignal.timeout(s),i=new Headers(
t.headers),r=Ut.get();r&&!i.has("authorization")&&i.set("authorization",`Bearer ${r}`);let l;try{l=await fetch(e,{...t,headers:i,signal:n,cache:"\
no-store",credentials:"omit",redirect:"error"})}catch{throw new pt(0,"Forebay does not answer")}let u=await l.json().catch(()=>null);if(!l.ok){
let f=typeof u?.detail=="string"?u.detail:`Forebay answered with status ${l.status}`;throw new pt(l.status,f)}if(u===null)throw new pt(0,"Fo\
rebay's answer was cut short");return u}function c(e,t={},...s){let n=document.createElement(e);for(let[i,r]of Object.entries(t))typeof r=="function"?n.addEventListener(i.slice(2),
r):r!=null&&r!==!1&&n.setAttribute(i,r===!0?"":String(r));return n.append(...s.filter(i=>i!=null&&i!==!1)),n}function ri(e,t){let s=document.
createElementNS("http://www.w3.org/2000/svg",e);for(let[n,i]of Object.entries(t))s.setAttribute(n,String(i));return s}function q(e,t){e.textContent!==
t&&(e.textContent=t)}function Q(e,t){e.hidden===t&&(e.hidden=!t)}function ou(e){let t=new Set;return e.map(s=>{let n=s;for(let i=1;t.has(n);i+=
1)n=`${s} (${i})`;return t.add(n),n})}function Et(e,t,s,n,i){let r=new Map([...e.children].map(p=>[p.getAttribute("data-item")??"",p])),l=ou(
t.map(s)),u=new Set(l);for(let[p,b]of r)u.has(p)||b.remove();let f=e.firstElementChild;t.forEach((p,b)=>{let m=l[b]??"",y=r.get(m)??n(p);r.delete(
m),y.setAttribute("data-item",m),i(y,p),y===f?f=y.nextElementSibling:e.insertBefore(y,f)})}var Yr=0;function at(){return Yr+=1,`e${Yr}`}var ls=null;function Qr(){return ls=c("div",{class:"status",role:"status","aria-live":"polite"}),ls}var Jr=0,ru=8e3;function Ps(e){ls&&(q(ls,
e),ls.classList.add("status-shown"),window.clearTimeout(Jr),Jr=window.setTimeout(()=>ls?.classList.remove("status-shown"),ru))}function Zr(e){
e.addEventListener("close",()=>e.remove()),document.body.append(e),e.showModal()}function tt(e){let t=at(),s=c("button",{type:"button"},"Can\
cel"),n=c("button",{type:"submit",class:e.isDangerous?"danger":"primary"},e.confirm),i=c("p",{class:"dialog-said","aria-live":"assertive"}),
r=lu(),l=c("form",{},c("h2",{id:t},e.title),...e.sentences.map(p=>c("p",{},p)),e.fields??null,r.element,i,c("div",{class:"buttons"},s,n)),u=c(
"dialog",{"aria-labelledby":t},l),f=new AbortController;s.addEventListener("click",()=>u.close()),u.addEventListener("close",()=>f.abort()),
l.addEventListener("submit",p=>{p.preventDefault(),n.disabled=!0,i.className="dialog-said",q(i,"Working\u2026"),r.take().then(()=>e.run(b=>q(
i,b),f.signal)).then(b=>{Ps(b),u.close()}).catch(b=>{let m=b instanceof Error?b.message:String(b);if(!u.open)return Ps(m);n.disabled=!1,i.className=
"dialog-said dialog-failed",q(i,m),b instanceof pt&&b.wantsToken&&r.ask()})}),Zr(u)}function lu(){let e=at(),t=c("input",{id:e,type:"passwor\
d",autocomplete:"off",spellcheck:"false"}),s=c("div",{class:"field"},c("label",{for:e},"Token for changes"),t,el());return s.hidden=!0,{element:s,
ask(){Ut.clear(),s.hidden=!1,t.focus(),document.dispatchEvent(new Event("forebay-token"))},async take(){if(!(s.hidden||t.value.trim()==="")){
if(!await go(t.value))throw new pt(401,"This is not the token of this host");document.dispatchEvent(new Event("forebay-token"))}}}}var Rs=null;
function Xr(e){Rs=e}function el(){return c("p",{class:"hint"},"On the host, as root or the user that runs Forebay: ",c("code",{"data-figure":"\
token_path"},`cat ${Rs??"/var/lib/forebay/token"}`),Rs===null?" (or the folder that serve was given with --dir).":"."," It is kept until thi\
s tab is closed.")}function yo(){let e=at(),t=at(),s=c("input",{id:t,type:"password",autocomplete:"off",spellcheck:"false",required:!0}),n=c(
"button",{type:"button"},"Sign out"),i=c("button",{type:"button"},"Cancel"),r=c("button",{type:"submit",class:"primary"},"Sign in"),l=c("p",
{class:"dialog-said","aria-live":"assertive"});n.hidden=Ut.get()===null;let u=c("form",{},c("h2",{id:e},"Sign in for changes"),c("p",{},"On \
the host itself, everything can be read without it. Changes need the token of the host, and from other hosts reading does too."),c("div",{class:"\
field"},c("label",{for:t},"Token"),s,el()),l,c("div",{class:"buttons"},n,i,r)),f=c("dialog",{"aria-labelledby":e},u),p=m=>{document.dispatchEvent(
new Event("forebay-token")),Ps(m),f.close()},b=m=>{l.className="dialog-said dialog-failed",q(l,m),r.disabled=!1,s.select()};i.addEventListener(
"click",()=>f.close()),n.addEventListener("click",()=>{Ut.clear(),p("Signed out; on the host itself reading goes on")}),u.addEventListener("\
submit",m=>{m.preventDefault(),r.disabled=!0,go(s.value).then(y=>{y?p("Signed in until this tab is closed"):b(`This is not the token of this\
 host${Rs===null?"":`, which is in ${Rs}`}.`)}).catch(y=>b(y instanceof Error?y.message:String(y)))}),Zr(f)}var au=[["TiB",1099511627776],["GiB",1073741824],["MiB",1048576],["KiB",1024],["",1]];function sn(e){return typeof e=="number"&&Number.isFinite(
e)}function F(e){if(!sn(e))return"\u2013";let t=Math.round(e),[s,n]=au.find(([,i])=>t>=i)??["",1];return t%n===0?`${t/n}${s}`:`${(Math.floor(
(t*10+n/2)/n)/10).toFixed(1)}${s}`}var cu=[["PB",1e15],["TB",1e12],["GB",1e9],["MB",1e6],["kB",1e3],[" bytes",1]];function li(e){if(!sn(e))return"\
\u2013";let t=Math.round(e),[s,n]=cu.find(([,i])=>t>=i)??[" bytes",1];return t%n===0?`${t/n}${s}`:`${(t/n).toFixed(1)}${s}`}function Ct(e){return sn(
e)?`${F(e)}/s`:"\u2013"}function ye(e){return sn(e)?`${(e*100).toFixed(1)}%`:"\u2013"}function xe(e){return sn(e)?Math.round(e).toString().replace(
/\B(?=(\d{3})+$)/g,","):"\u2013"}function je(e){return sn(e)?e>=10||e===0?xe(e):e.toFixed(1):"\u2013"}function wo(e){if(!sn(e))return"";for(let[
t,s]of[["M",1e6],["k",1e3]])if(Math.abs(e)>=s)return`${Number((e/s).toFixed(1))}${t}`;return String(Number(e.toFixed(2)))}function Ye(e){if(!sn(
e))return"\u2013";for(let[t,s]of[["s",1e6],["ms",1e3]])if(e>=s)return`${tl(e/s)} ${t}`;return`${tl(e)} us`}function tl(e){return e>=100||Number.
isInteger(e)?e.toFixed(0):e>=10?e.toFixed(1):e.toFixed(2)}function Ft(e){if(!sn(e))return"\u2013";let t=Math.round(e),s=[[Math.floor(t/86400),
"d"],[Math.floor(t/3600)%24,"h"],[Math.floor(t/60)%60,"min"],[t%60,"s"]],n=s.findIndex(([r])=>r>0);return n<0?"0 s":s.slice(n,n+2).filter(([
r])=>r>0).map(([r,l])=>`${r} ${l}`).join(" ")}function yn(e){let t=new Date(e);return[t.getHours(),t.getMinutes(),t.getSeconds()].map(s=>String(
s).padStart(2,"0")).join(":")}function ai(e){let t=new Date(e);return[t.getMonth()+1,t.getDate()].map(s=>String(s).padStart(2,"0")).join("-")}
function as(e){let t=new Date(e);return Number.isNaN(t.getTime())?e:`${[t.getFullYear(),t.getMonth()+1,t.getDate()].map(n=>String(n).padStart(
2,"0")).join("-")} ${yn(t.getTime())}`}function vo(e,t){return e.length<=t?e:`\u2026${e.slice(1-t)}`}function on(...e){return e.filter(t=>t!==
null).join(", ")}var ci=["read_hit_ram","read_hit_flash","read_miss","write","flush","destage"],cs=["reads","writes","flushes","discards","read_bytes","write\
_bytes","read_hits_ram","read_hits_flash","read_partial_hits","read_misses","reads_bypassed","backing_reads","backing_writes","backing_read_\
bytes","backing_write_bytes","flash_read_bytes","flash_write_bytes","destage_bytes","evictions"];function sl(e){let t=[];for(let[s,n]of Object.
entries(nl(e))){let{unit:i,...r}=nl(n);if(typeof i!="string")continue;let l=Object.entries(r).filter(u=>Array.isArray(u[1]));l.length>0&&t.push(
[s,{unit:i,kinds:l}])}return t}function nl(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)?e:{}}var ui={"5m":300,"1d":86400,"7d":7*86400},ko={seconds:ui["5m"],end:null};function wn(e,t=Date.now()/1e3){if(e.of)return e.of;let s=e.end===null?
e.seconds:t-e.end+e.seconds;return Object.keys(ui).find(i=>ui[i]>=s)??"7d"}function xo(e,t,s){let n=Math.max(Math.min(e,t),s-ui["7d"]),i=Math.
min(Math.max(e,t),s);return i-n>=uu?{seconds:i-n,end:i}:null}var uu=10;function il(e,t){let s=t-e.now,n=[],i=null;return e.time.forEach((r,l)=>{
let u=r-(e.seconds[l]??0),f=du(e,l,r+s),p=i!==null&&u-i>e.step_seconds;p&&n.push(fu((i??0)+s)),(p||i===null)&&u<r&&n.push({...f,at:u+s}),n.push(
f),i=r}),{span:e.span,end:t,points:n}}function du(e,t,s){let n=e.seconds[t]??0,i=u=>u?.[t]??null,r=i(e.reads)??0,l=u=>r>0&&u!==null?u/r:null;
return{at:s,rates:n>0?Object.fromEntries(cs.map(u=>[u,(i(e[u])??0)/n])):null,hitRam:l(i(e.read_hits_ram)),hitFlash:l(i(e.read_hits_flash)),readMicros:i(
e.read_latency_us),writeMicros:i(e.write_latency_us),dirtyBytes:i(e.span==="5m"?e.dirty_bytes:e.dirty_bytes_max),dirtyLimitBytes:i(e.dirty_limit_bytes),
latency:null,readSpread:[i(e.read_p50_us),i(e.read_p95_us),i(e.read_p99_us)],writeSpread:[i(e.write_p50_us),i(e.write_p95_us),i(e.write_p99_us)]}}
function fu(e){return{at:e,rates:null,hitRam:null,hitFlash:null,readMicros:null,writeMicros:null,dirtyBytes:null,dirtyLimitBytes:null,latency:null,
readSpread:null,writeSpread:null}}var Ls=300,hu=10,pu=1,mu=1e3;function So(e,t){return cs.every(s=>{let[n,i]=[e[s],t[s]];return n!==void 0&&i!==void 0&&i>=n})}function ol(e,t){
let s=t.at-e.at;if(s<=0||!So(e.statistics,t.statistics))return null;let n=cs.map(i=>[i,gu(e,t,i)/s]);return Object.fromEntries(n)}function gu(e,t,s){
return(t.statistics[s]??0)-(e.statistics[s]??0)}var bu=["read_hit_ram","read_hit_flash","read_miss"];function rl(e,t,s){let n=({statistics:l},u)=>s.
reduce((f,p)=>f+(l.latency_us?u(l.latency_us[p]):0),0),i=l=>n(t,l)-n(e,l),r=i(l=>l.count);return r>0?Math.max(0,i(l=>l.count*l.mean))/r:null}
function fi(e){if(e===null)return null;let t=(e.reads??0)+(e.writes??0);return t>0?1-((e.backing_reads??0)+(e.backing_writes??0))/t:null}function Rn(e){
return e===null?null:e.reads+e.writes}function ll(e){let t=e.filter(s=>s!==null);return t.length===0?null:To(t)}function al(e){let{reads:t=0,
read_hits_ram:s=0,read_hits_flash:n=0}=e;return t>0?(s+n)/t:null}function To(e){return Object.fromEntries(cs.map(t=>[t,e.reduce((s,n)=>s+(n[t]??
0),0)]))}var di=class{#n=[];#t=[];get points(){return this.#t}get last(){return this.#t.at(-1)}add(t,s,n){let i={at:t,statistics:s};t<(this.#t.
at(-1)?.at??t)&&([this.#n,this.#t]=[[],[]]);let r=this.#n.at(-1);r&&t-r.at<pu&&So(r.statistics,s)||(r&&!So(r.statistics,s)&&(this.#n=[]),this.#t.
push(this.#l(i,n??s)),this.#n.push(i),this.#n=_o(this.#n,t),this.#t=_o(this.#t,t))}fill(t){let s=this.#t[0],n=t.filter(u=>s===void 0||u.at<s.
at),[i,r]=[t.at(-1),s??t.at(-1)];if(r===void 0||i===void 0)return;let l=s?.rates===null?[{...i,...yu(s)},...this.#t.slice(1)]:this.#t;this.#t=
_o([...n,...l],this.#t.at(-1)?.at??r.at)}#l(t,s){let{at:n,statistics:i}=t,r=this.#n.at(-1),l=this.#n.find(p=>n-p.at<=hu)??r,u=l?ol(l,t):null,
f=p=>u&&u.reads>0?p/u.reads:null;return{at:n,rates:r?ol(r,t):null,hitRam:u&&f(u.read_hits_ram),hitFlash:u&&f(u.read_hits_flash),readMicros:u&&
l?rl(l,t,bu):null,writeMicros:u&&l?rl(l,t,["write"]):null,dirtyBytes:i.dirty_bytes??null,dirtyLimitBytes:i.dirty_limit_bytes??null,latency:s.
latency_us??null,readSpread:null,writeSpread:null}}};function nt(e){return(e.dirty_bytes??0)+(e.dirty_zeroes_bytes??0)}function yu(e){return Object.
fromEntries(Object.entries(e).filter(([,t])=>t!==null))}function _o(e,t){return e.filter(s=>t-s.at<=Ls).slice(-mu)}var Eo=2e3,wu=3,vu=15,ku=15,xu=500,hi=class{known={disks:null,statistics:new Map,windows:new Map,pool:null,poolProblem:null,series:new Map,events:null,
disk:null,histograms:null,curve:null,advice:null,report:null,period:ko,past:null,host:null,ahead:0,answeredAt:null,away:null};#n=null;#t;#l=0;#i=0;#o=0;#a=0;#e=!1;#s=0;constructor(t){
this.#t=t}watch(t){t!==this.#n&&(this.#n=t,this.known.disk=null,this.known.histograms=null,this.known.curve=null,this.known.advice=null,this.
known.report=null,this.known.period=ko,this.known.past=null,this.#e=!1,this.#i=0,this.look())}show(t){let s=wn(t)!==wn(this.known.period);this.
known.period=t,s&&(this.known.past=null,this.#o=0,this.look()),this.#t()}lookAtHost(){this.#a=0,this.known.host&&(this.known.host={...this.known.
host,may_change:!0}),this.look()}async look(){window.clearTimeout(this.#l);let t=++this.#s;try{await this.#u(t)}catch(s){t===this.#s&&this.#h(
s)}t===this.#s&&(this.#t(),this.#l=window.setTimeout(()=>{this.look()},Eo))}async#u(t){let s=this.#n,n=this.known.events?.at(-1)?.id??0,[i,r,
l,u,f,p,b]=await Promise.all([nn("/v1/disks","disks"),nn("/v1/stats","disks"),nn("/v1/stats?window=5m","disks"),this.#r(),Yt(`/v1/events?aft\
er=${n}`,"events"),s===null?null:Gr(Ae(s),"disk"),this.#a++%ku===0?Yt("/v1/host","host"):this.known.host]),m=Date.now(),[y,T,_,R]=s!==null&&
p!==null&&this.#i%wu===0?await Promise.all([Yt(`${Ae(s)}/histograms`,"histograms"),Yt(`${Ae(s)}/curve`,"curve"),Yt(`${Ae(s)}/advice`,"advice"),
Yt(`${Ae(s)}/report`,"report")]):[void 0,void 0,void 0,void 0],O=s!==null&&p!==null?await this.#d(s):null;t===this.#s&&(this.#i+=1,this.#o+=
1,this.#e||=p!==null&&wn(this.known.period)==="5m",Object.assign(this.known,{disks:i,...u,host:b,answeredAt:m,away:null}),this.#c(m/1e3,r,l),
this.#f(f),s!==null&&(this.known.disk=p??"missing"),O!==null&&this.#p(O,m/1e3),T!==void 0&&(this.known.curve=T),_!==void 0&&(this.known.advice=
_?.[0]??null),R!==void 0&&(this.known.report=R),y!==void 0&&(this.known.histograms=y===null?null:sl(y)))}async#r(){try{return{pool:await nn(
"/v1/pool","pool"),poolProblem:null}}catch(t){if(!(t instanceof pt)||t.status===0)throw t;return{pool:null,poolProblem:t.message}}}#c(t,s,n){
let i=r=>new Map(r.map(l=>[l.name,l]));this.known.statistics=i(s),this.known.windows=i(n.filter(r=>r.window==="5m"));for(let r of this.known.
series.keys())this.known.statistics.has(r)||this.known.series.delete(r);for(let r of s){let l=this.known.series.get(r.name)??new di;this.known.
series.set(r.name,l),l.add(t,r,this.known.windows.get(r.name))}}#d(t){let s=wn(this.known.period);return(s==="5m"?!this.#e:this.known.past===
null||this.#o%vu===0)?Yt(Ur(t,s),"history"):null}#p(t,s){let n=il(t,s);this.known.ahead=s-t.now,n.span==="5m"?this.known.series.get(t.name)?.
fill(n.points):this.known.past=n}#f(t){t!==null&&(this.known.events=_u(this.known.events??[],t))}#h(t){let s=t instanceof Error?t.message:String(
t);this.#a=0;let n=t instanceof pt?t.status:0;this.known.away={since:this.known.away?.since??Date.now(),reason:s,status:n}}};function _u(e,t){
let[s,n]=[e.at(-1),t[0]];return[...s===void 0||n===void 0||n.id>s.id?e:[],...t].slice(-xu)}var cl="forebay-theme",pi=["auto","light","dark"],ul=window.matchMedia("(prefers-color-scheme: dark)"),$o=new Set;function mi(){let e=localStorage.
getItem(cl);return pi.find(t=>t===e)??"auto"}function dl(){let e=pi[(pi.indexOf(mi())+1)%pi.length]??"auto";localStorage.setItem(cl,e),Mo()}
function gi(e){return $o.add(e),()=>$o.delete(e)}function fl(){ul.addEventListener("change",Mo),Mo()}function Mo(){let e=mi(),t=ul.matches?"\
dark":"light";document.documentElement.dataset.theme=e==="auto"?t:e;for(let s of $o)s()}function st(e){return getComputedStyle(document.documentElement).
getPropertyValue(`--${e}`).trim()}var Ao=["overview","sizing","requests","connect","settings"];function Ln(e,t="overview"){let s=`#/disk/${encodeURIComponent(e)}`;return t===
"overview"?s:`${s}/${t}`}function hl(e){let[,t="",s="",n=""]=e.replace(/^#/,"").split("/"),i=Ao.find(r=>r===n)??"overview";return t==="disk"&&
s!==""?{view:"disk",disk:Su(s),tab:i}:{view:t==="events"?"events":"host",disk:null,tab:i}}function Su(e){try{return decodeURIComponent(e)}catch{
return e}}var Do={good:"\u2713",busy:"\u2026",warning:"!",bad:"\u2715"},yi={info:"good",warning:"warning",error:"bad"},Tu={serving:"good",attaching:"b\
usy",detaching:"busy",removing:"busy",waiting:"warning",stopped:"bad",failed:"bad",missing:"bad",used:"good",leaving:"busy"};function rn(e){
return Tu[e]??"warning"}var Eu={waiting:"It is served by itself as soon as it can be; put right what the reason names.",stopped:"It answers \
nothing but errors, so that no guest sees old data. See what it lost, and the log of the daemon.",failed:"It answers errors. Put right what \
the reason names, then restart Forebay."},bi=["good","busy","warning","bad"];function wi(e){return bi[Math.max(0,...e.map(t=>bi.indexOf(t)))]??
"good"}function Cs(e){let t=[],s=(u,f,p=null)=>t.push({tone:u,text:f,advice:p});if(rn(e.state)!=="good"){let u=e.reason?`: ${e.reason}`:"";s(
rn(e.state),`Disk ${e.name} is ${e.state}${u}`,Eu[e.state]??null)}let n=e.lost_bytes??0;n>0&&s("bad",`Flash lost ${F(n)} of ${e.name} before\
 its backing had it`,`forebay disk show ${e.name} --lost lists the ranges.`);let i=e.backing_state;i&&i.state!=="good"&&s("bad",Mu(e.name,i),
$u[i.state]??null),e.quiet?.state==="failed"&&s("warning",`${e.name} could not be made quiet: ${e.quiet.reason??"no reason is known"}`,null);
let r=e.segments_uncopied??0;e.mirrored===!0&&r>0&&s("warning",`${xe(r)} segments of ${e.name} lack a second copy`,"They are being copied; u\
ntil then one device has that data alone.");let l=e.dirty_bytes??0;return e.dirty_limit_bytes&&l>=e.dirty_limit_bytes*.9&&s("warning",`Desta\
ge of ${e.name} is behind: ${F(l)} of at most ${F(e.dirty_limit_bytes)} is dirty`,"Writes are slowed down to what the backing takes."),t.sort(
(u,f)=>bi.indexOf(f.tone)-bi.indexOf(u.tone))}var $u={failing:"Hits are answered; the rest waits for retry-time.",replaced:"Guests go on wit\
h the one that was opened. Put it back under its path, or copy it through the disk's NBD socket, before Forebay stops.",missing:"Guests go o\
n with the one that was opened. Put it back under its path, or copy it through the disk's NBD socket, before Forebay stops."};function Mu(e,t){
let s=t.for_seconds===null?"":` for ${Ft(t.for_seconds)}`,n=t.reason?`: ${t.reason}`:"";return t.state==="replaced"?`Another file or device \
is at the path of ${e}'s backing${n}`:t.state==="missing"?`Nothing is at the path of ${e}'s backing any more${n}`:`The backing of ${e} fails${s}${n}`}
var Au=["flush","persistence","direct-io"];function pl(e){let t=(e.backing_limitations??[]).map(r=>({tone:"warning",text:r,advice:null})),n=(e.
backing_capabilities??[]).filter(({name:r,able:l})=>!l&&!Au.includes(r)).map(({title:r,reason:l})=>({tone:"busy",text:`The backing is withou\
t ${r}: ${l??"no reason is known"}`,advice:null})),i=(e.remarks??[]).map(({key:r,text:l})=>({tone:"busy",text:`${r}: ${l}`,advice:null}));return[
...t,...n,...i]}function ml(e){let t=e.warnings.map(s=>({tone:"warning",text:s,advice:null}));return rn(e.state)!=="good"&&t.unshift({tone:"\
bad",text:`The pool is ${e.state}${e.reason?`: ${e.reason}`:""}`,advice:"Disks go on from their backings; what is dirty waits for the pool."}),
e.page_cache_reason&&t.push({tone:"warning",text:`The pool goes through the page cache, because ${e.page_cache_reason}`,advice:null}),t}function gl(e){
if(e===null)return"";let t=e.used_percent===null?null:`${ye(e.used_percent/100)} of its life used`,s=e.days_left===null?null:`${xe(e.days_left)}\
 days left`,n=e.rated_bytes===null?"":`, rated for ${li(e.rated_bytes)}`;return on(t,s,`${li(e.written_bytes)} written${n}`)}function bl(e){
if(e===null)return"";let t=`${li(e.bytes_per_day)} a day`,s=e.used_ratio===null?`at most ${t}`:`${ye(e.used_ratio)} of ${t} written`,n=e.promoted_batches_ratio,
i=n>=1?null:n>0?`${ye(n)} of batches of promotions let in`:"no promotions let in";return on(s,i)}var vi={read_hit_ram:"Read, RAM hit",read_hit_flash:"\
Read, flash hit",read_miss:"Read, miss",write:"Write",flush:"Flush",destage:"Destage"};function Fs(e){return e?`+ ${F(e)} of zeroes`:null}function yl(e){
switch(e.quiet?.state){case"coming":return`Being made quiet: ${F(nt(e))} left to bring home`;case"quiet":return`Quiet for another ${Ft(e.quiet.
seconds_left)}`;case"failed":return`Could not be made quiet: ${e.quiet.reason??"no reason is known"}`;default:return null}}function wl(e){let{
load:t}=e;if(!t)return"not known while the disk is not served";if(t.state==="loading")return"being loaded; reads come from the backing meanw\
hile";if(t.state==="cold")return`nothing: ${t.reason??"no reason is known"}`;let s=`${F(t.kept_bytes)} came back`;return t.dropped_bytes>0?`${s}\
, ${F(t.dropped_bytes)} may have changed and is not believed`:s}var Os=[{name:"mode",about:"What happens to reads and writes.",choices:["wri\
te-through","write-back","write-around","pass-through"]},{name:"block-size",about:"Unit of the index. A change drops what is cached of the d\
isk.",choices:[4,8,16,32,64,128,256,512,1024].map(e=>F(e*1024))},{name:"reserve",about:"Flash that the disk gets whatever the others do: aut\
o, a size or a share such as 20%."},{name:"limit",about:"Flash that the disk never exceeds: auto, a size or a share."},{name:"ram",about:"RA\
M in front of the flash, at least 1MiB."},{name:"admission",about:"What may enter flash: adaptive, adaptive:hits, always or repeated:N."},{name:"\
sequential-cutoff",about:"Misses of a sequential run longer than this go past the cache; 0 is off, auto leaves it to admission for reads."},
{name:"dirty-limit",about:"Write-back: the most that flash may hold and the backing does not have."},{name:"destage-rate-min",about:"Write-b\
ack: destage never goes slower than so many bytes a second; 0 is none."},{name:"destage-rate-max",about:"Write-back: destage never goes fast\
er than so many bytes a second; 0 is no limit."},{name:"redundancy",about:"Write-back: whether dirty data is kept on two devices of the pool\
.",choices:["mirror","none"]},{name:"unmarked",about:"Write-back where the backing cannot be marked: nothing then keeps another Forebay from\
 serving it.",choices:["no","yes"]},{name:"retry-time",about:"How long a request waits for a backing that fails or hangs, such as 25s, or wa\
it."},{name:"sector-size",about:"Sector that guests are shown when they connect next; auto follows the backing.",choices:["auto","512","4096"]},
{name:"map",about:"Whether the disk is made a block device of the host at each start of the service.",choices:["off","on"]},{name:"socket-ow\
ner",about:"User who owns the sockets that guests connect to; auto is the daemon's."},{name:"socket-group",about:"Group of the sockets that \
guests connect to; auto is forebay if the host has it."},{name:"socket-mode",about:"Who may connect, as octal digits."}],Du={"write-through":"\
Writes go to the backing first, then to the cache; the backing is always complete.","write-back":"Writes are acknowledged when flash has the\
m, and the backing gets them later. Until then the newest data is on flash alone.","write-around":"Writes go to the backing only; what they \
replace in the cache is dropped.","pass-through":"Every request goes to the backing. Guests have no cache until the mode is changed back."};
function ki(e,t){return[...Object.entries(t).map(([n,i])=>Pu(e,n,i)).flat(),"Guests stay connected and go on meanwhile."]}function Pu(e,t,s){
let n=F(e.statistics.cached_bytes);switch(t){case"mode":return[Du[s]??`The mode becomes ${s}.`,...Ru(e,s)];case"block-size":return[`What is \
cached of the disk on flash (${n}) is dropped; it is read from the backing again.`];case"limit":return[`Flash that the disk holds above the \
new limit is evicted; it holds ${F(e.statistics.flash_bytes)} now.`];case"unmarked":return s==="yes"?["Nothing keeps another Forebay from se\
rving this backing while flash has newer data. See to that yourself."]:[];case"redundancy":return[s==="none"?"Dirty data is kept on one devi\
ce only: if it fails, that data is lost.":"Dirty data is kept on two devices, if the pool has them."];case"sector-size":return["Guests see i\
t when they connect again. A guest that has partitions on the disk does not find them in sectors of another size."];case"socket-owner":case"\
socket-group":case"socket-mode":return["Who may connect to the disk changes at once."];default:return[]}}function Ru(e,t){return e.mode!=="w\
rite-back"||t==="write-back"||nt(e)===0?[]:[`${F(nt(e))} is dirty; it is written to the backing while guests go on.`]}function vl(e){let t=nt(
e);return[t>0?`${F(t)} is dirty and is written to the backing first.`:"Nothing is dirty: the backing has everything.","The guest goes on mea\
nwhile, and has its disk as it was before. What is cached of it is dropped."]}function kl(e){let t=nt(e),s=e.connections??0;return[t>0?`${F(
t)} is dirty; it is written to the backing first. If that cannot be, the disk stays.`:"Nothing is dirty: the backing has everything.",...s>0?
[`${xe(s)} ${s===1?"client is":"clients are"} connected, so it is refused unless the box below is ticked.`]:[],...e.guest?["It was taken fro\
m a running guest. `forebay vm detach` gives it back to that guest without errors."]:[],"What is cached of it is dropped. The content of the\
 backing stays."]}function us(e,t){let s=nt(t),n=s>0?`${F(s)} is dirty: flash has it and the backing does not.`:"Nothing is dirty: the backi\
ng has everything.";switch(e){case"destage":return[n,"Dirty data is written to the backing at full speed. Guests go on and may notice a busi\
er backing."];case"normal":return[n,"Destage goes on at the pace that suits guests."];case"quiesce":return[n,"It is brought home first. Afte\
r that, writes wait for the backing, so that a backup or snapshot of the backing is complete.","This ends by itself after the time below, or\
 when it is resumed."];case"resume":return["Writes may lie on flash alone again, as the mode says."];case"evict":return[`${F(t.statistics.cached_bytes)}\
 cached on flash and ${F(t.statistics.ram_bytes)} in RAM are dropped, and no restart brings them back.`,s>0?`${F(s)} is dirty and is brought\
 home first.`:"Nothing is dirty; nothing is lost.","Guests go on from the backing, slower, until the cache is warm again."]}}var Lu=60,Cu=600,Fu=300;function _l(e,t){let s=Ou.map(i=>{let r=()=>{let l=e();l&&tt(Hu(i.work(l),t))};return[i,c("button",{type:"button","d\
ata-action":i.name,onclick:r},i.label)]}),n=c("p",{class:"hint","data-figure":"quiet"});return{element:c("section",{class:"card","aria-label":"\
Actions"},c("h2",{},"Actions"),c("div",{class:"buttons buttons-start"},...s.map(([,i])=>i)),n),update(){let i=e();for(let[l,u]of s)u.disabled=
i===null||!l.isPossible(i);let r=i&&!Ns(i)?`Nothing can be done while the disk is ${i.state}.`:i?yl(i):null;q(n,r??""),Q(n,r!==null)}}}var Ns=e=>e.
state==="serving",Po=e=>e.quiet?.state==="coming"||e.quiet?.state==="quiet",Ou=[{name:"destage",label:"Destage now\u2026",isPossible:Ns,work:e=>({
title:`Destage ${e.name} at full speed?`,sentences:us("destage",e),confirm:"Destage now",run:async()=>(await Me("POST",`${Ae(e.name)}/destag\
e`),`What is dirty of ${e.name} is on its way to the backing`)})},{name:"normal",label:"Destage at normal pace\u2026",isPossible:Ns,work:e=>({
title:`Let ${e.name} destage at its own pace?`,sentences:us("normal",e),confirm:"Normal pace",run:async()=>(await Me("DELETE",`${Ae(e.name)}\
/destage`),`${e.name} is destaged as it suits guests`)})},{name:"quiesce",label:"Quiesce\u2026",isPossible:e=>Ns(e)&&!Po(e),work:Nu},{name:"\
resume",label:"Resume\u2026",isPossible:Po,work:e=>({title:`Let ${e.name} go on as before?`,sentences:us("resume",e),confirm:"Resume",run:async()=>(await Me(
"POST",`${Ae(e.name)}/resume`),`${e.name} goes on as before`)})},{name:"evict",label:"Evict\u2026",isPossible:Ns,work:e=>({title:`Drop what \
is cached of ${e.name}?`,sentences:us("evict",e),confirm:"Evict",run:(t,s)=>zu(e.name,t,s)})}];function Nu(e){let t=at(),s=c("input",{id:t,type:"\
number",min:1,max:86400,value:Cu,required:!0});return{title:`Hold ${e.name} without dirty data?`,sentences:us("quiesce",e),confirm:"Quiesce",
fields:c("div",{class:"field"},c("label",{for:t},"For so many seconds"),s),run:async()=>{let n=Number(s.value);return await Me("POST",`${Ae(
e.name)}/quiesce`,{seconds:n}),`${e.name} is being made quiet, then held so for ${Ft(n)}`}}}async function zu(e,t,s){let n=Ae(e),i=await nn(
n,"disk");if(Po(i))await xl(e,t,s),await Me("POST",`${n}/evict`);else if(nt(i)>0){let l=(await Me("POST",`${n}/quiesce`,{seconds:Lu})).disk.
quiet?.number;try{await xl(e,t,s),await Me("POST",`${n}/evict`)}finally{await Me("POST",`${n}/resume`,{number:l})}}else await Me("POST",`${n}\
/evict`);return`Nothing is cached of ${e} any more, and no restart brings it back`}async function xl(e,t,s){for(;;){if(s.aborted)throw new Error(
"Stopped; the disk is served as before");let n=await nn(Ae(e),"disk"),i=n.quiet?.state;if(i==="quiet")return;if(i!=="coming")throw new Error(
`Cannot bring home what is dirty: ${n.quiet?.reason??n.reason??"somebody resumed it"}. Nothing was dropped.`);t(`${F(nt(n))} left to bring h\
ome\u2026`),await new Promise(r=>window.setTimeout(r,Fu))}}function Hu(e,t){return{...e,run:(s,n)=>e.run(s,n).finally(t)}}function Iu(e){let t=["verdict","latency"];return[...e.sentences.filter(n=>t.includes(n.about)),...e.warnings].map(n=>n.text)}var xi=class{element;#n=c(
"div",{class:"advice-text",role:"status"});#t=c("code",{});#l=c("p",{class:"hint"},"The same on the host: ",this.#t);#i=c("button",{type:"bu\
tton",class:"primary",onclick:()=>this.#u()},"Apply\u2026");#o;#a=null;#e=null;#s="";constructor(t){this.#o=t;let s=c("div",{class:"buttons \
buttons-start"},this.#i);this.element=c("section",{class:"card advice","aria-label":"Advice"},c("h2",{},"Advice"),this.#n,s,this.#l,c("p",{class:"\
hint"},"On the host, forebay advise says why, with all figures.")),this.element.hidden=!0}set(t,s){if(Q(this.element,t!==null),this.#a=t,this.#e=
s,!t)return;let n=Iu(t);JSON.stringify(n)!==this.#s&&(this.#s=JSON.stringify(n),this.#n.replaceChildren(...n.map(i=>c("p",{},i)))),q(this.#t,
t.command??""),Q(this.#l,t.command!==null),Q(this.#i,Object.keys(t.keys??{}).length>0)}#u(){let{keys:t}=this.#a??{keys:{}},s=this.#e;if(!s||
Object.keys(t).length===0)return;let n=Object.entries(t).map(([i,r])=>c("li",{},c("code",{},i),`: ${s.settings[i]??""} \u2192 ${r}`));tt({title:`\
Apply the advice to ${s.name}?`,sentences:ki(s,t),confirm:"Apply",fields:c("ul",{class:"changes"},...n),run:async()=>(await Me("PATCH",Ae(s.
name),{settings:t,drop_cached:!0}),this.#o(),`${s.name} now has ${Object.entries(t).map(([i,r])=>`${i}=${r}`).join(" ")}`)})}};var Wu="uplot",Bu="u-hz",Vu="u-vt",qu="u-title",Gu="u-wrap",Ku="u-under",ju="u-over",Uu="u-axis",On="u-off",Yu="u-select",Ju="u-cursor-x",Qu="\
u-cursor-y",Zu="u-cursor-pt",Xu="u-legend",ed="u-live",td="u-inline",nd="u-series",sd="u-marker",Sl="u-label",id="u-value",Hs="width",Is="he\
ight";var Tl="bottom",ds="left",Ro="right",Yo="#000",El=Yo+"0",Lo="mousemove",$l="mousedown",Co="mouseup",Ml="mouseenter",Al="mouseleave",Dl="dblc\
lick",od="resize",rd="scroll",Pl="change",$i="dppxchange",Jo="--",ys=typeof window<"u",Ho=ys?document:null,hs=ys?window:null,ld=ys?navigator:
null,ce,_i;function Io(){let e=devicePixelRatio;ce!=e&&(ce=e,_i&&Bo(Pl,_i,Io),_i=matchMedia(`(min-resolution: ${ce-.001}dppx) and (max-resol\
ution: ${ce+.001}dppx)`),Nn(Pl,_i,Io),hs.dispatchEvent(new CustomEvent($i)))}function mt(e,t){if(t!=null){let s=e.classList;!s.contains(t)&&
s.add(t)}}function Wo(e,t){let s=e.classList;s.contains(t)&&s.remove(t)}function _e(e,t,s){e.style[t]=s+"px"}function Ot(e,t,s,n){let i=Ho.createElement(
e);return t!=null&&mt(i,t),s?.insertBefore(i,n),i}function $t(e,t){return Ot("div",e,t)}var Rl=new WeakMap;function Jt(e,t,s,n,i){let r="tra\
nslate("+t+"px,"+s+"px)",l=Rl.get(e);r!=l&&(e.style.transform=r,Rl.set(e,r),t<0||s<0||t>n||s>i?mt(e,On):Wo(e,On))}var Ll=new WeakMap;function Cl(e,t,s){
let n=t+s,i=Ll.get(e);n!=i&&(Ll.set(e,n),e.style.background=t,e.style.borderColor=s)}var Fl=new WeakMap;function Ol(e,t,s,n){let i=t+""+s,r=Fl.
get(e);i!=r&&(Fl.set(e,i),e.style.height=s+"px",e.style.width=t+"px",e.style.marginLeft=n?-t/2+"px":0,e.style.marginTop=n?-s/2+"px":0)}var Qo={
passive:!0},ad={...Qo,capture:!0};function Nn(e,t,s,n){t.addEventListener(e,s,n?ad:Qo)}function Bo(e,t,s,n){t.removeEventListener(e,s,Qo)}ys&&
Io();function Nt(e,t,s,n){let i;s=s||0,n=n||t.length-1;let r=n<=2147483647;for(;n-s>1;)i=r?s+n>>1:gt((s+n)/2),t[i]<e?s=i:n=i;return e-t[s]<=
t[n]-e?s:n}function ua(e){return(s,n,i)=>{let r=-1,l=-1;for(let u=n;u<=i;u++)if(e(s[u])){r=u;break}for(let u=i;u>=n;u--)if(e(s[u])){l=u;break}
return[r,l]}}var da=e=>e!=null,fa=e=>e!=null&&e>0,Di=ua(da),cd=ua(fa);function ud(e,t,s,n=0,i=!1){let r=i?cd:Di,l=i?fa:da;[t,s]=r(e,t,s);let u=e[t],
f=e[t];if(t>-1)if(n==1)u=e[t],f=e[s];else if(n==-1)u=e[s],f=e[t];else for(let p=t;p<=s;p++){let b=e[p];l(b)&&(b<u?u=b:b>f&&(f=b))}return[u??
me,f??-me]}function Pi(e,t,s,n){let i=Hl(e),r=Hl(t);e==t&&(i==-1?(e*=s,t/=s):(e/=s,t*=s));let l=s==10?ln:ha,u=i==1?gt:Mt,f=r==1?Mt:gt,p=u(l(
Ne(e))),b=f(l(Ne(t))),m=ps(s,p),y=ps(s,b);return s==10&&(p<0&&(m=ge(m,-p)),b<0&&(y=ge(y,-b))),n||s==2?(e=m*i,t=y*r):(e=ba(e,m),t=Ri(t,y)),[e,
t]}function Zo(e,t,s,n){let i=Pi(e,t,s,n);return e==0&&(i[0]=0),t==0&&(i[1]=0),i}var Xo=.1,Nl={mode:3,pad:Xo},Bs={pad:0,soft:null,mode:0},dd={
min:Bs,max:Bs};function Mi(e,t,s,n){return Li(s)?zl(e,t,s):(Bs.pad=s,Bs.soft=n?0:null,Bs.mode=n?3:0,zl(e,t,dd))}function le(e,t){return e??t}
function fd(e,t,s){for(t=le(t,0),s=le(s,e.length-1);t<=s;){if(e[t]!=null)return!0;t++}return!1}function zl(e,t,s){let n=s.min,i=s.max,r=le(n.
pad,0),l=le(i.pad,0),u=le(n.hard,-me),f=le(i.hard,me),p=le(n.soft,me),b=le(i.soft,-me),m=le(n.mode,0),y=le(i.mode,0),T=t-e,_=ln(T),R=it(Ne(e),
Ne(t)),O=ln(R),B=Ne(O-_);(T<1e-24||B>10)&&(T=0,(e==0||t==0)&&(T=1e-24,m==2&&p!=me&&(r=0),y==2&&b!=-me&&(l=0)));let x=T||R||1e3,N=ln(x),E=ps(
10,gt(N)),Y=x*(T==0?e==0?.1:1:r),A=ge(ba(e-Y,E/10),24),K=e>=p&&(m==1||m==3&&A<=p||m==2&&A>=p)?p:me,J=it(u,A<K&&e>=K?K:zt(K,A)),ee=x*(T==0?t==
0?.1:1:l),j=ge(Ri(t+ee,E/10),24),$=t<=b&&(y==1||y==3&&j>=b||y==2&&j<=b)?b:-me,Z=zt(f,j>$&&t<=$?$:it($,j));return J==Z&&J==0&&(Z=100),[J,Z]}var hd=new Intl.
NumberFormat(ys?ld.language:"en-US"),er=e=>hd.format(e),bt=Math,Ei=bt.PI,Ne=bt.abs,gt=bt.floor,Oe=bt.round,Mt=bt.ceil,zt=bt.min,it=bt.max,ps=bt.
pow,Hl=bt.sign,ln=bt.log10,ha=bt.log2,pd=(e,t=1)=>bt.sinh(e)*t,Fo=(e,t=1)=>bt.asinh(e/t),me=1/0;function Il(e){return(ln((e^e>>31)-(e>>31))|
0)+1}function Vo(e,t,s){return zt(it(e,t),s)}function pa(e){return typeof e=="function"}function ie(e){return pa(e)?e:()=>e}var md=()=>{},ma=e=>e,
ga=(e,t)=>t,gd=e=>null,Wl=e=>!0,Bl=(e,t)=>e==t,bd=/\.\d*?(?=9{6,}|0{6,})/gm,zn=e=>{if(wa(e)||kn.has(e))return e;let t=`${e}`,s=t.match(bd);if(s==
null)return e;let n=s[0].length-1;if(t.indexOf("e-")!=-1){let[i,r]=t.split("e");return+`${zn(i)}e${r}`}return ge(e,n)};function Cn(e,t){return zn(
ge(zn(e/t))*t)}function Ri(e,t){return zn(Mt(zn(e/t))*t)}function ba(e,t){return zn(gt(zn(e/t))*t)}function ge(e,t=0){if(wa(e))return e;let s=10**
t,n=e*s*(1+Number.EPSILON);return Oe(n)/s}var kn=new Map;function ya(e){return((""+e).split(".")[1]||"").length}function qs(e,t,s,n){let i=[],
r=n.map(ya);for(let l=t;l<s;l++){let u=Ne(l),f=ge(ps(e,l),u);for(let p=0;p<n.length;p++){let b=e==10?+`${n[p]}e${l}`:n[p]*f,m=(l>=0?0:u)+(l>=
r[p]?0:r[p]),y=e==10?b:ge(b,m);i.push(y),kn.set(y,m)}}return i}var Vs={},tr=[],ms=[null,null],vn=Array.isArray,wa=Number.isInteger,yd=e=>e===
void 0;function Vl(e){return typeof e=="string"}function Li(e){let t=!1;if(e!=null){let s=e.constructor;t=s==null||s==Object}return t}function wd(e){
return e!=null&&typeof e=="object"}var vd=Object.getPrototypeOf(Uint8Array),va="__proto__";function gs(e,t=Li){let s;if(vn(e)){let n=e.find(
i=>i!=null);if(vn(n)||t(n)){s=Array(e.length);for(let i=0;i<e.length;i++)s[i]=gs(e[i],t)}else s=e.slice()}else if(e instanceof vd)s=e.slice();else if(t(
e)){s={};for(let n in e)n!=va&&(s[n]=gs(e[n],t))}else s=e;return s}function Le(e){let t=arguments;for(let s=1;s<t.length;s++){let n=t[s];for(let i in n)
i!=va&&(Li(e[i])?Le(e[i],gs(n[i])):e[i]=gs(n[i]))}return e}var kd=0,xd=1,_d=2;function Sd(e,t,s){for(let n=0,i,r=-1;n<t.length;n++){let l=t[n];
if(l>r){for(i=l-1;i>=0&&e[i]==null;)e[i--]=null;for(i=l+1;i<s&&e[i]==null;)e[r=i++]=null}}}function Td(e,t){if(Md(e)){let l=e[0].slice();for(let u=1;u<
e.length;u++)l.push(...e[u].slice(1));return Ad(l[0])||(l=$d(l)),l}let s=new Set;for(let l=0;l<e.length;l++){let f=e[l][0],p=f.length;for(let b=0;b<
p;b++)s.add(f[b])}let n=[Array.from(s).sort((l,u)=>l-u)],i=n[0].length,r=new Map;for(let l=0;l<i;l++)r.set(n[0][l],l);for(let l=0;l<e.length;l++){
let u=e[l],f=u[0];for(let p=1;p<u.length;p++){let b=u[p],m=Array(i).fill(void 0),y=t?t[l][p]:xd,T=[];for(let _=0;_<b.length;_++){let R=b[_],
O=r.get(f[_]);R===null?y!=kd&&(m[O]=R,y==_d&&T.push(O)):m[O]=R}Sd(m,T,i),n.push(m)}}return n}var Ed=typeof queueMicrotask>"u"?e=>Promise.resolve().
then(e):queueMicrotask;function $d(e){let t=e[0],s=t.length,n=Array(s);for(let r=0;r<n.length;r++)n[r]=r;n.sort((r,l)=>t[r]-t[l]);let i=[];for(let r=0;r<
e.length;r++){let l=e[r],u=Array(s);for(let f=0;f<s;f++)u[f]=l[n[f]];i.push(u)}return i}function Md(e){let t=e[0][0],s=t.length;for(let n=1;n<
e.length;n++){let i=e[n][0];if(i.length!=s)return!1;if(i!=t){for(let r=0;r<s;r++)if(i[r]!=t[r])return!1}}return!0}function Ad(e,t=100){let s=e.
length;if(s<=1)return!0;let n=0,i=s-1;for(;n<=i&&e[n]==null;)n++;for(;i>=n&&e[i]==null;)i--;if(i<=n)return!0;let r=it(1,gt((i-n+1)/t));for(let l=e[n],
u=n+r;u<=i;u+=r){let f=e[u];if(f!=null){if(f<=l)return!1;l=f}}return!0}var ka=["January","February","March","April","May","June","July","Aug\
ust","September","October","November","December"],xa=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function _a(e){
return e.slice(0,3)}var Dd=xa.map(_a),Pd=ka.map(_a),Rd={MMMM:ka,MMM:Pd,WWWW:xa,WWW:Dd};function zs(e){return(e<10?"0":"")+e}function Ld(e){return(e<
10?"00":e<100?"0":"")+e}var Cd={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.
getMonth()],MM:e=>zs(e.getMonth()+1),M:e=>e.getMonth()+1,DD:e=>zs(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.
WWW[e.getDay()],HH:e=>zs(e.getHours()),H:e=>e.getHours(),h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"A\
M",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>zs(e.getMinutes()),m:e=>e.getMinutes(),ss:e=>zs(e.getSeconds()),s:e=>e.
getSeconds(),fff:e=>Ld(e.getMilliseconds())};function nr(e,t){t=t||Rd;let s=[],n=/\{([a-z]+)\}|[^{]+/gi,i;for(;i=n.exec(e);)s.push(i[0][0]==
"{"?Cd[i[1]]:i[0]);return r=>{let l="";for(let u=0;u<s.length;u++)l+=typeof s[u]=="string"?s[u]:s[u](r,t);return l}}var Fd=new Intl.DateTimeFormat().
resolvedOptions().timeZone;function Od(e,t){let s;return t=="UTC"||t=="Etc/UTC"?s=new Date(+e+e.getTimezoneOffset()*6e4):t==Fd?s=e:(s=new Date(
e.toLocaleString("en-US",{timeZone:t})),s.setMilliseconds(e.getMilliseconds())),s}var Sa=e=>e%1==0,Ai=[1,2,2.5,5],Nd=qs(10,-32,0,Ai),Ta=qs(10,
0,32,Ai),zd=Ta.filter(Sa),Fn=Nd.concat(Ta),sr=`
`,Ea="{YYYY}",ql=sr+Ea,$a="{M}/{D}",Ws=sr+$a,Si=Ws+"/{YY}",Ma="{aa}",Hd="{h}:{mm}",fs=Hd+Ma,Gl=sr+fs,Kl=":{ss}",de=null;function Aa(e){let t=e*
1e3,s=t*60,n=s*60,i=n*24,r=i*30,l=i*365,f=(e==1?qs(10,0,3,Ai).filter(Sa):qs(10,-3,0,Ai)).concat([t,t*5,t*10,t*15,t*30,s,s*5,s*10,s*15,s*30,n,
n*2,n*3,n*4,n*6,n*8,n*12,i,i*2,i*3,i*4,i*5,i*6,i*7,i*8,i*9,i*10,i*15,r,r*2,r*3,r*4,r*6,l,l*2,l*5,l*10,l*25,l*50,l*100]),p=[[l,Ea,de,de,de,de,
de,de,1],[i*28,"{MMM}",ql,de,de,de,de,de,1],[i,$a,ql,de,de,de,de,de,1],[n,"{h}"+Ma,Si,de,Ws,de,de,de,1],[s,fs,Si,de,Ws,de,de,de,1],[t,Kl,Si+
" "+fs,de,Ws+" "+fs,de,Gl,de,1],[e,Kl+".{fff}",Si+" "+fs,de,Ws+" "+fs,de,Gl,de,1]];function b(m){return(y,T,_,R,O,B)=>{let x=[],N=O>=l,E=O>=
r&&O<l,Y=m(_),A=ge(Y*e,3),K=Oo(Y.getFullYear(),N?0:Y.getMonth(),E||N?1:Y.getDate()),J=ge(K*e,3);if(E||N){let ee=E?O/r:0,j=N?O/l:0,$=A==J?A:ge(
Oo(K.getFullYear()+j,K.getMonth()+ee,1)*e,3),Z=new Date(Oe($/e)),M=Z.getFullYear(),H=Z.getMonth();for(let z=0;$<=R;z++){let ne=Oo(M+j*z,H+ee*
z,1),V=ne-m(ge(ne*e,3));$=ge((+ne+V)*e,3),$<=R&&x.push($)}}else{let ee=O>=i?i:O,j=gt(_)-gt(A),$=J+j+Ri(A-J,ee);x.push($);let Z=m($),M=Z.getHours()+
Z.getMinutes()/s+Z.getSeconds()/n,H=O/n,z=y.axes[T]._space,ne=B/z;for(;$=ge($+O,e==1?0:3),!($>R);)if(H>1){let V=gt(ge(M+H,6))%24,oe=m($).getHours()-
V;oe>1&&(oe=-1),$-=oe*n,M=(M+H)%24;let he=x[x.length-1];ge(($-he)/O,3)*ne>=.7&&x.push($)}else x.push($)}return x}}return[f,p,b]}var[Id,Wd,Bd]=Aa(
1),[Vd,qd,Gd]=Aa(.001);qs(2,-53,53,[1]);function jl(e,t){return e.map(s=>s.map((n,i)=>i==0||i==8||n==null?n:t(i==1||s[8]==0?n:s[1]+n)))}function Ul(e,t){
return(s,n,i,r,l)=>{let u=t.find(_=>l>=_[0])||t[t.length-1],f,p,b,m,y,T;return n.map(_=>{let R=e(_),O=R.getFullYear(),B=R.getMonth(),x=R.getDate(),
N=R.getHours(),E=R.getMinutes(),Y=R.getSeconds(),A=O!=f&&u[2]||B!=p&&u[3]||x!=b&&u[4]||N!=m&&u[5]||E!=y&&u[6]||Y!=T&&u[7]||u[1];return f=O,p=
B,b=x,m=N,y=E,T=Y,A(R)})}}function Kd(e,t){let s=nr(t);return(n,i,r,l,u)=>i.map(f=>s(e(f)))}function Oo(e,t,s){return new Date(e,t,s)}function Yl(e,t){
return t(e)}var jd="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function Jl(e,t){return(s,n,i,r)=>r==null?Jo:t(e(n))}function Ud(e,t){let s=e.series[t];return s.
width?s.stroke(e,t):s.points.width?s.points.stroke(e,t):null}function Yd(e,t){return e.series[t].fill(e,t)}var Jd={show:!0,live:!0,isolate:!1,
mount:md,markers:{show:!0,width:2,stroke:Ud,fill:Yd,dash:"solid"},idx:null,idxs:null,values:[]};function Qd(e,t){let s=e.cursor.points,n=$t(),
i=s.size(e,t);_e(n,Hs,i),_e(n,Is,i);let r=i/-2;_e(n,"marginLeft",r),_e(n,"marginTop",r);let l=s.width(e,t,i);return l&&_e(n,"borderWidth",l),
n}function Zd(e,t){let s=e.series[t].points;return s._fill||s._stroke}function Xd(e,t){let s=e.series[t].points;return s._stroke||s._fill}function ef(e,t){
return e.series[t].points.size}var No=[0,0];function tf(e,t,s){return No[0]=t,No[1]=s,No}function Ti(e,t,s,n=!0){return i=>{i.button==0&&(!n||
i.target==t)&&s(i)}}function zo(e,t,s,n=!0){return i=>{(!n||i.target==t)&&s(i)}}var nf={show:!0,x:!0,y:!0,lock:!1,move:tf,points:{one:!1,show:Qd,
size:ef,width:0,stroke:Xd,fill:Zd},bind:{mousedown:Ti,mouseup:Ti,click:Ti,dblclick:Ti,mousemove:zo,mouseleave:zo,mouseenter:zo},drag:{setScale:!0,
x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(e,t,s,n,i)=>n-i,prox:-1,
bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},Da={show:!0,stroke:"rgba(0,0,0,0\
.07)",width:2},ir=Le({},Da,{filter:ga}),Pa=Le({},ir,{size:10}),Ra=Le({},Da,{show:!1}),or='12px system-ui, -apple-system, "Segoe UI", Roboto,\
 "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',La="bold "+
or,Ca=1.5,Ql={show:!0,scale:"x",stroke:Yo,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:La,side:2,grid:ir,ticks:Pa,border:Ra,
font:or,lineGap:Ca,rotate:0},sf="Value",of="Time",Zl={show:!0,scale:"x",auto:!1,sorted:1,min:me,max:-me,idxs:[]};function rf(e,t,s,n,i){return t.
map(r=>r==null?"":er(r))}function lf(e,t,s,n,i,r,l){let u=[],f=kn.get(i)||0;s=l?s:ge(Ri(s,i),f);for(let p=s;p<=n;p=ge(p+i,f))u.push(Object.is(
p,-0)?0:p);return u}function qo(e,t,s,n,i,r,l){let u=[],f=e.scales[e.axes[t].scale].log,p=f==10?ln:ha,b=gt(p(s));i=ps(f,b),f==10&&(i=Fn[Nt(i,
Fn)]);let m=s,y=i*f;f==10&&(y=Fn[Nt(y,Fn)]);do u.push(m),m=m+i,f==10&&!kn.has(m)&&(m=ge(m,kn.get(i))),m>=y&&(i=m,y=i*f,f==10&&(y=Fn[Nt(y,Fn)]));while(m<=
n);return u}function af(e,t,s,n,i,r,l){let f=e.scales[e.axes[t].scale].asinh,p=n>f?qo(e,t,it(f,s),n,i):[f],b=n>=0&&s<=0?[0]:[];return(s<-f?qo(
e,t,it(f,-n),-s,i):[f]).reverse().map(y=>-y).concat(b,p)}var Fa=/./,cf=/[12357]/,uf=/[125]/,Xl=/1/,Go=(e,t,s,n)=>e.map((i,r)=>t==4&&i==0||r%
n==0&&s.test(i.toExponential()[i<0?1:0])?i:null);function df(e,t,s,n,i){let r=e.axes[s],l=r.scale,u=e.scales[l],f=e.valToPos,p=r._space,b=f(
10,l),m=f(9,l)-b>=p?Fa:f(7,l)-b>=p?cf:f(5,l)-b>=p?uf:Xl;if(m==Xl){let y=Ne(f(1,l)-b);if(y<p)return Go(t.slice().reverse(),u.distr,m,Mt(p/y)).
reverse()}return Go(t,u.distr,m,1)}function ff(e,t,s,n,i){let r=e.axes[s],l=r.scale,u=r._space,f=e.valToPos,p=Ne(f(1,l)-f(2,l));return p<u?Go(
t.slice().reverse(),3,Fa,Mt(u/p)).reverse():t}function hf(e,t,s,n){return n==null?Jo:t==null?"":er(t)}var ea={show:!0,scale:"y",stroke:Yo,space:30,
gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:La,side:3,grid:ir,ticks:Pa,border:Ra,font:or,lineGap:Ca,rotate:0};function pf(e,t){
let s=3+(e||1)*2;return ge(s*t,3)}function mf(e,t){let{scale:s,idxs:n}=e.series[0],i=e._data[0],r=e.valToPos(i[n[0]],s,!0),l=e.valToPos(i[n[1]],
s,!0),u=Ne(l-r),f=e.series[t],p=u/(f.points.space*ce);return n[1]-n[0]<=p}var ta={scale:null,auto:!0,sorted:0,min:me,max:-me},Oa=(e,t,s,n,i)=>i,
na={show:!0,auto:!0,sorted:0,gaps:Oa,alpha:1,facets:[Le({},ta,{scale:"x"}),Le({},ta,{scale:"y"})]},sa={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:Oa,alpha:1,points:{show:mf,filter:null},values:null,min:me,max:-me,idxs:[],path:null,clip:null};function gf(e,t,s,n,i){return s/10}var Na={
time:!0,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},bf=Le({},Na,{time:!1,ori:1}),ia={};function za(e,t){let s=ia[e];return s||
(s={key:e,plots:[],sub(n){s.plots.push(n)},unsub(n){s.plots=s.plots.filter(i=>i!=n)},pub(n,i,r,l,u,f,p){for(let b=0;b<s.plots.length;b++)s.plots[b]!=
i&&s.plots[b].pub(n,i,r,l,u,f,p)}},e!=null&&(ia[e]=s)),s}var bs=1,Ko=2;function Hn(e,t,s){let n=e.mode,i=e.series[t],r=n==2?e._data[t]:e._data,
l=e.scales,u=e.bbox,f=r[0],p=n==2?r[1]:r[t],b=n==2?l[i.facets[0].scale]:l[e.series[0].scale],m=n==2?l[i.facets[1].scale]:l[i.scale],y=u.left,
T=u.top,_=u.width,R=u.height,O=e.valToPosH,B=e.valToPosV;return b.ori==0?s(i,f,p,b,m,O,B,y,T,_,R,Fi,ws,Ni,Ia,Ba):s(i,f,p,b,m,B,O,T,y,R,_,Oi,
vs,ar,Wa,Va)}function rr(e,t){let s=0,n=0,i=le(e.bands,tr);for(let r=0;r<i.length;r++){let l=i[r];l.series[0]==t?s=l.dir:l.series[1]==t&&(l.
dir==1?n|=1:n|=2)}return[s,n==1?-1:n==2?1:n==3?2:0]}function yf(e,t,s,n,i){let r=e.mode,l=e.series[t],u=r==2?l.facets[1].scale:l.scale,f=e.scales[u];
return i==-1?f.min:i==1?f.max:f.distr==3?f.dir==1?f.min:f.max:0}function an(e,t,s,n,i,r){return Hn(e,t,(l,u,f,p,b,m,y,T,_,R,O)=>{let B=l.pxRound,
x=p.dir*(p.ori==0?1:-1),N=p.ori==0?ws:vs,E,Y;x==1?(E=s,Y=n):(E=n,Y=s);let A=B(m(u[E],p,R,T)),K=B(y(f[E],b,O,_)),J=B(m(u[Y],p,R,T)),ee=B(y(r==
1?b.max:b.min,b,O,_)),j=new Path2D(i);return N(j,J,ee),N(j,A,ee),N(j,A,K),j})}function Ci(e,t,s,n,i,r){let l=null;if(e.length>0){l=new Path2D;
let u=t==0?Ni:ar,f=s;for(let m=0;m<e.length;m++){let y=e[m];if(y[1]>y[0]){let T=y[0]-f;T>0&&u(l,f,n,T,n+r),f=y[1]}}let p=s+i-f,b=10;p>0&&u(l,
f,n-b/2,p,n+r+b)}return l}function wf(e,t,s){let n=e[e.length-1];n&&n[0]==t?n[1]=s:e.push([t,s])}function lr(e,t,s,n,i,r,l){let u=[],f=e.length;
for(let p=i==1?s:n;p>=s&&p<=n;p+=i)if(t[p]===null){let m=p,y=p;if(i==1)for(;++p<=n&&t[p]===null;)y=p;else for(;--p>=s&&t[p]===null;)y=p;let T=r(
e[m]),_=y==m?T:r(e[y]),R=m-i;T=l<=0&&R>=0&&R<f?r(e[R]):T;let B=y+i;_=l>=0&&B>=0&&B<f?r(e[B]):_,_>=T&&u.push([T,_])}return u}function oa(e){return e==
0?ma:e==1?Oe:t=>Cn(t,e)}function Ha(e){let t=e==0?Fi:Oi,s=e==0?(i,r,l,u,f,p)=>{i.arcTo(r,l,u,f,p)}:(i,r,l,u,f,p)=>{i.arcTo(l,r,f,u,p)},n=e==
0?(i,r,l,u,f)=>{i.rect(r,l,u,f)}:(i,r,l,u,f)=>{i.rect(l,r,f,u)};return(i,r,l,u,f,p=0,b=0)=>{p==0&&b==0?n(i,r,l,u,f):(p=zt(p,u/2,f/2),b=zt(b,
u/2,f/2),t(i,r+p,l),s(i,r+u,l,r+u,l+f,p),s(i,r+u,l+f,r,l+f,b),s(i,r,l+f,r,l,b),s(i,r,l,r+u,l,p),i.closePath())}}var Fi=(e,t,s)=>{e.moveTo(t,
s)},Oi=(e,t,s)=>{e.moveTo(s,t)},ws=(e,t,s)=>{e.lineTo(t,s)},vs=(e,t,s)=>{e.lineTo(s,t)},Ni=Ha(0),ar=Ha(1),Ia=(e,t,s,n,i,r)=>{e.arc(t,s,n,i,r)},
Wa=(e,t,s,n,i,r)=>{e.arc(s,t,n,i,r)},Ba=(e,t,s,n,i,r,l)=>{e.bezierCurveTo(t,s,n,i,r,l)},Va=(e,t,s,n,i,r,l)=>{e.bezierCurveTo(s,t,i,n,l,r)};function qa(e){
return(t,s,n,i,r)=>Hn(t,s,(l,u,f,p,b,m,y,T,_,R,O)=>{let{pxRound:B,points:x}=l,N,E;p.ori==0?(N=Fi,E=Ia):(N=Oi,E=Wa);let Y=ge(x.width*ce,3),A=(x.
size-x.width)/2*ce,K=ge(A*2,3),J=new Path2D,ee=new Path2D,{left:j,top:$,width:Z,height:M}=t.bbox;Ni(ee,j-K,$-K,Z+K*2,M+K*2);let H=z=>{if(f[z]!=
null){let ne=B(m(u[z],p,R,T)),V=B(y(f[z],b,O,_));N(J,ne+A,V),E(J,ne,V,A,0,Ei*2)}};if(r)r.forEach(H);else for(let z=n;z<=i;z++)H(z);return{stroke:Y>
0?J:null,fill:J,clip:ee,flags:bs|Ko}})}function Ga(e){return(t,s,n,i,r,l)=>{n!=i&&(r!=n&&l!=n&&e(t,s,n),r!=i&&l!=i&&e(t,s,i),e(t,s,l))}}var vf=Ga(
ws),kf=Ga(vs);function Ka(e){let t=le(e?.alignGaps,0);return(s,n,i,r)=>Hn(s,n,(l,u,f,p,b,m,y,T,_,R,O)=>{[i,r]=Di(f,i,r);let B=l.pxRound,x=M=>B(
m(M,p,R,T)),N=M=>B(y(M,b,O,_)),E,Y;p.ori==0?(E=ws,Y=vf):(E=vs,Y=kf);let A=p.dir*(p.ori==0?1:-1),K={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:bs},J=K.stroke,ee=!1;if(r-i>=R*4){let M=I=>s.posToVal(I,p.key,!0),H=null,z=null,ne,V,ot,Se=x(u[A==1?i:r]),oe=x(u[i]),he=x(u[r]),
te=M(A==1?oe+1:he-1);for(let I=A==1?i:r;I>=i&&I<=r;I+=A){let Ce=u[I],Te=(A==1?Ce<te:Ce>te)?Se:x(Ce),ue=f[I];Te==Se?ue!=null?(V=ue,H==null?(E(
J,Te,N(V)),ne=H=z=V):V<H?H=V:V>z&&(z=V)):ue===null&&(ee=!0):(H!=null&&Y(J,Se,N(H),N(z),N(ne),N(V)),ue!=null?(V=ue,E(J,Te,N(V)),H=z=ne=V):(H=
z=null,ue===null&&(ee=!0)),Se=Te,te=M(Se+A))}H!=null&&H!=z&&ot!=Se&&Y(J,Se,N(H),N(z),N(ne),N(V))}else for(let M=A==1?i:r;M>=i&&M<=r;M+=A){let H=f[M];
H===null?ee=!0:H!=null&&E(J,x(u[M]),N(H))}let[$,Z]=rr(s,n);if(l.fill!=null||$!=0){let M=K.fill=new Path2D(J),H=l.fillTo(s,n,l.min,l.max,$),z=N(
H),ne=x(u[i]),V=x(u[r]);A==-1&&([V,ne]=[ne,V]),E(M,V,z),E(M,ne,z)}if(!l.spanGaps){let M=[];ee&&M.push(...lr(u,f,i,r,A,x,t)),K.gaps=M=l.gaps(
s,n,i,r,M),K.clip=Ci(M,p.ori,T,_,R,O)}return Z!=0&&(K.band=Z==2?[an(s,n,i,r,J,-1),an(s,n,i,r,J,1)]:an(s,n,i,r,J,Z)),K})}function xf(e){let t=le(
e.align,1),s=le(e.ascDesc,!1),n=le(e.alignGaps,0),i=le(e.extend,!1);return(r,l,u,f)=>Hn(r,l,(p,b,m,y,T,_,R,O,B,x,N)=>{[u,f]=Di(m,u,f);let E=p.
pxRound,{left:Y,width:A}=r.bbox,K=oe=>E(_(oe,y,x,O)),J=oe=>E(R(oe,T,N,B)),ee=y.ori==0?ws:vs,j={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:bs},$=j.stroke,Z=y.dir*(y.ori==0?1:-1),M=J(m[Z==1?u:f]),H=K(b[Z==1?u:f]),z=H,ne=H;i&&t==-1&&(ne=Y,ee($,ne,M)),ee($,H,M);for(let oe=Z==
1?u:f;oe>=u&&oe<=f;oe+=Z){let he=m[oe];if(he==null)continue;let te=K(b[oe]),I=J(he);t==1?ee($,te,M):ee($,z,I),ee($,te,I),M=I,z=te}let V=z;i&&
t==1&&(V=Y+A,ee($,V,M));let[ot,Se]=rr(r,l);if(p.fill!=null||ot!=0){let oe=j.fill=new Path2D($),he=p.fillTo(r,l,p.min,p.max,ot),te=J(he);ee(oe,
V,te),ee(oe,ne,te)}if(!p.spanGaps){let oe=[];oe.push(...lr(b,m,u,f,Z,K,n));let he=p.width*ce/2,te=s||t==1?he:-he,I=s||t==-1?-he:he;oe.forEach(
Ce=>{Ce[0]+=te,Ce[1]+=I}),j.gaps=oe=p.gaps(r,l,u,f,oe),j.clip=Ci(oe,y.ori,O,B,x,N)}return Se!=0&&(j.band=Se==2?[an(r,l,u,f,$,-1),an(r,l,u,f,
$,1)]:an(r,l,u,f,$,Se)),j})}function ra(e,t,s,n,i,r,l=me){if(e.length>1){let u=null;for(let f=0,p=1/0;f<e.length;f++)if(t[f]!==void 0){if(u!=
null){let b=Ne(e[f]-e[u]);b<p&&(p=b,l=Ne(s(e[f],n,i,r)-s(e[u],n,i,r)))}u=f}}return l}function _f(e){e=e||Vs;let t=le(e.size,[.6,me,1]),s=e.align||
0,n=e.gap||0,i=e.radius;i=i==null?[0,0]:typeof i=="number"?[i,0]:i;let r=ie(i),l=1-t[0],u=le(t[1],me),f=le(t[2],1),p=le(e.disp,Vs),b=le(e.each,
T=>{}),{fill:m,stroke:y}=p;return(T,_,R,O)=>Hn(T,_,(B,x,N,E,Y,A,K,J,ee,j,$)=>{let Z=B.pxRound,M=s,H=n*ce,z=u*ce,ne=f*ce,V,ot;E.ori==0?[V,ot]=
r(T,_):[ot,V]=r(T,_);let Se=E.dir*(E.ori==0?1:-1),oe=E.ori==0?Ni:ar,he=E.ori==0?b:(L,be,Fe,Gn,Sn,Bt,Tn)=>{b(L,be,Fe,Sn,Gn,Tn,Bt)},te=le(T.bands,
tr).find(L=>L.series[0]==_),I=te!=null?te.dir:0,Ce=B.fillTo(T,_,B.min,B.max,I),Je=Z(K(Ce,Y,$,ee)),Te,ue,At,ct=j,$e=Z(B.width*ce),Wt=!1,Xt=null,
vt=null,fn=null,Bn=null;m!=null&&($e==0||y!=null)&&(Wt=!0,Xt=m.values(T,_,R,O),vt=new Map,new Set(Xt).forEach(L=>{L!=null&&vt.set(L,new Path2D)}),
$e>0&&(fn=y.values(T,_,R,O),Bn=new Map,new Set(fn).forEach(L=>{L!=null&&Bn.set(L,new Path2D)})));let{x0:Vn,size:_s}=p;if(Vn!=null&&_s!=null){
M=1,x=Vn.values(T,_,R,O),Vn.unit==2&&(x=x.map(Fe=>T.posToVal(J+Fe*j,E.key,!0)));let L=_s.values(T,_,R,O);_s.unit==2?ue=L[0]*j:ue=A(L[0],E,j,
J)-A(0,E,j,J),ct=ra(x,N,A,E,j,J,ct),At=ct-ue+H}else ct=ra(x,N,A,E,j,J,ct),At=ct*l+H,ue=ct-At;At<1&&(At=0),$e>=ue/2&&($e=0),At<5&&(Z=ma);let Js=At>
0,xn=ct-At-(Js?$e:0);ue=Z(Vo(xn,ne,z)),Te=(M==0?ue/2:M==Se?0:ue)-M*Se*((M==0?H/2:0)+(Js?$e/2:0));let Qe={stroke:null,fill:null,clip:null,band:null,
gaps:null,flags:0},qn=Wt?null:new Path2D,en=null;if(te!=null)en=T.data[te.series[1]];else{let{y0:L,y1:be}=p;L!=null&&be!=null&&(N=be.values(
T,_,R,O),en=L.values(T,_,R,O))}let _n=V*ue,X=ot*ue;for(let L=Se==1?R:O;L>=R&&L<=O;L+=Se){let be=N[L];if(be==null)continue;if(en!=null){let rt=en[L]??
0;if(be-rt==0)continue;Je=K(rt,Y,$,ee)}let Fe=E.distr!=2||p!=null?x[L]:L,Gn=A(Fe,E,j,J),Sn=K(le(be,Ce),Y,$,ee),Bt=Z(Gn-Te),Tn=Z(it(Sn,Je)),ut=Z(
zt(Sn,Je)),kt=Tn-ut;if(be!=null){let rt=be<0?X:_n,Dt=be<0?_n:X;Wt?($e>0&&fn[L]!=null&&oe(Bn.get(fn[L]),Bt,ut+gt($e/2),ue,it(0,kt-$e),rt,Dt),
Xt[L]!=null&&oe(vt.get(Xt[L]),Bt,ut+gt($e/2),ue,it(0,kt-$e),rt,Dt)):oe(qn,Bt,ut+gt($e/2),ue,it(0,kt-$e),rt,Dt),he(T,_,L,Bt-$e/2,ut,ue+$e,kt)}}
return $e>0?Qe.stroke=Wt?Bn:qn:Wt||(Qe._fill=B.width==0?B._fill:B._stroke??B._fill,Qe.width=0),Qe.fill=Wt?vt:qn,Qe})}function Sf(e,t){let s=le(
t?.alignGaps,0);return(n,i,r,l)=>Hn(n,i,(u,f,p,b,m,y,T,_,R,O,B)=>{[r,l]=Di(p,r,l);let x=u.pxRound,N=V=>x(y(V,b,O,_)),E=V=>x(T(V,m,B,R)),Y,A,
K;b.ori==0?(Y=Fi,K=ws,A=Ba):(Y=Oi,K=vs,A=Va);let J=b.dir*(b.ori==0?1:-1),ee=N(f[J==1?r:l]),j=ee,$=[],Z=[];for(let V=J==1?r:l;V>=r&&V<=l;V+=J)
if(p[V]!=null){let Se=f[V],oe=N(Se);$.push(j=oe),Z.push(E(p[V]))}let M={stroke:e($,Z,Y,K,A,x),fill:null,clip:null,band:null,gaps:null,flags:bs},
H=M.stroke,[z,ne]=rr(n,i);if(u.fill!=null||z!=0){let V=M.fill=new Path2D(H),ot=u.fillTo(n,i,u.min,u.max,z),Se=E(ot);K(V,j,Se),K(V,ee,Se)}if(!u.
spanGaps){let V=[];V.push(...lr(f,p,r,l,J,N,s)),M.gaps=V=u.gaps(n,i,r,l,V),M.clip=Ci(V,b.ori,_,R,O,B)}return ne!=0&&(M.band=ne==2?[an(n,i,r,
l,H,-1),an(n,i,r,l,H,1)]:an(n,i,r,l,H,ne)),M})}function Tf(e){return Sf(Ef,e)}function Ef(e,t,s,n,i,r){let l=e.length;if(l<2)return null;let u=new Path2D;
if(s(u,e[0],t[0]),l==2)n(u,e[1],t[1]);else{let f=Array(l),p=Array(l-1),b=Array(l-1),m=Array(l-1);for(let y=0;y<l-1;y++)b[y]=t[y+1]-t[y],m[y]=
e[y+1]-e[y],p[y]=b[y]/m[y];f[0]=p[0];for(let y=1;y<l-1;y++)p[y]===0||p[y-1]===0||p[y-1]>0!=p[y]>0?f[y]=0:(f[y]=3*(m[y-1]+m[y])/((2*m[y]+m[y-
1])/p[y-1]+(m[y]+2*m[y-1])/p[y]),isFinite(f[y])||(f[y]=0));f[l-1]=p[l-2];for(let y=0;y<l-1;y++)i(u,e[y]+m[y]/3,t[y]+f[y]*m[y]/3,e[y+1]-m[y]/
3,t[y+1]-f[y+1]*m[y]/3,e[y+1],t[y+1])}return u}var jo=new Set;function la(){for(let e of jo)e.syncRect(!0)}ys&&(Nn(od,hs,la),Nn(rd,hs,la,!0),
Nn($i,hs,()=>{ze.pxRatio=ce}));var $f=Ka(),Mf=qa();function aa(e,t,s,n){return(n?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map(
(r,l)=>Uo(r,l,t,s))}function Af(e,t){return e.map((s,n)=>n==0?{}:Le({},t,s))}function Uo(e,t,s,n){return Le({},t==0?s:n,e)}function ja(e,t,s){
return t==null?ms:[t,s]}var Df=ja;function Pf(e,t,s){return t==null?ms:Mi(t,s,Xo,!0)}function Ua(e,t,s,n){return t==null?ms:Pi(t,s,e.scales[n].
log,!1)}var Rf=Ua;function Ya(e,t,s,n){return t==null?ms:Zo(t,s,e.scales[n].log,!1)}var Lf=Ya;function Cf(e,t,s,n,i){let r=it(Il(e),Il(t)),l=t-
e,u=Nt(i/n*l,s);do{let f=s[u],p=n*f/l;if(p>=i&&r+(f<5?kn.get(f):0)<=17)return[f,p]}while(++u<s.length);return[0,0]}function ca(e){let t,s;return e=
e.replace(/(\d+)px/,(n,i)=>(t=Oe((s=+i)*ce))+"px"),[e,t,s]}function Ff(e){e.show&&[e.font,e.labelFont].forEach(t=>{let s=ge(t[2]*ce,1);t[0]=
t[0].replace(/[0-9.]+px/,s+"px"),t[1]=s})}function ze(e,t,s){let n={mode:le(e.mode,1)},i=n.mode;function r(o,a,d,h){let g=a.valToPct(o);return h+
d*(a.dir==-1?1-g:g)}function l(o,a,d,h){let g=a.valToPct(o);return h+d*(a.dir==-1?g:1-g)}function u(o,a,d,h){return a.ori==0?r(o,a,d,h):l(o,
a,d,h)}n.valToPosH=r,n.valToPosV=l;let f=!1;n.status=0;let p=n.root=$t(Wu);if(e.id!=null&&(p.id=e.id),mt(p,e.class),e.title){let o=$t(qu,p);
o.textContent=e.title}let b=Ot("canvas"),m=n.ctx=b.getContext("2d"),y=$t(Gu,p);Nn("click",y,o=>{o.target===_&&(we!=ns||Ee!=ss)&&Ke.click(n,o)},
!0);let T=n.under=$t(Ku,y);y.appendChild(b);let _=n.over=$t(ju,y);e=gs(e);let R=+le(e.pxAlign,1),O=oa(R);(e.plugins||[]).forEach(o=>{o.opts&&
(e=o.opts(n,e)||e)});let B=e.ms||.001,x=n.series=i==1?aa(e.series||[],Zl,sa,!1):Af(e.series||[null],na),N=n.axes=aa(e.axes||[],Ql,ea,!0),E=n.
scales={},Y=n.bands=e.bands||[];Y.forEach(o=>{o.fill=ie(o.fill||null),o.dir=le(o.dir,-1)});let A=i==2?x[1].facets[0].scale:x[0].scale,K={axes:qc,
series:Hc},J=(e.drawOrder||["axes","series"]).map(o=>K[o]);function ee(o){let a=o.distr==3?d=>ln(d>0?d:o.clamp(n,d,o.min,o.max,o.key)):o.distr==
4?d=>Fo(d,o.asinh):o.distr==100?d=>o.fwd(d):d=>d;return d=>{let h=a(d),{_min:g,_max:w}=o,v=w-g;return(h-g)/v}}function j(o){let a=E[o];if(a==
null){let d=(e.scales||Vs)[o]||Vs;if(d.from!=null){j(d.from);let h=Le({},E[d.from],d,{key:o});h.valToPct=ee(h),E[o]=h}else{a=E[o]=Le({},o==A?
Na:bf,d),a.key=o;let h=a.time,g=a.range,w=vn(g);if((o!=A||i==2&&!h)&&(w&&(g[0]==null||g[1]==null)&&(g={min:g[0]==null?Nl:{mode:1,hard:g[0],soft:g[0]},
max:g[1]==null?Nl:{mode:1,hard:g[1],soft:g[1]}},w=!1),!w&&Li(g))){let v=g;g=(k,S,D)=>S==null?ms:Mi(S,D,v)}a.range=ie(g||(h?Df:o==A?a.distr==
3?Rf:a.distr==4?Lf:ja:a.distr==3?Ua:a.distr==4?Ya:Pf)),a.auto=ie(w?!1:a.auto),a.clamp=ie(a.clamp||gf),a._min=a._max=null,a.valToPct=ee(a)}}}
j("x"),j("y"),i==1&&x.forEach(o=>{j(o.scale)}),N.forEach(o=>{j(o.scale)});for(let o in e.scales)j(o);let $=E[A],Z=$.distr,M,H;$.ori==0?(mt(p,
Bu),M=r,H=l):(mt(p,Vu),M=l,H=r);let z={};for(let o in E){let a=E[o];(a.min!=null||a.max!=null)&&(z[o]={min:a.min,max:a.max},a.min=a.max=null)}
let ne=e.tzDate||(o=>new Date(Oe(o/B))),V=e.fmtDate||nr,ot=B==1?Bd(ne):Gd(ne),Se=Ul(ne,jl(B==1?Wd:qd,V)),oe=Jl(ne,Yl(jd,V)),he=[],te=n.legend=
Le({},Jd,e.legend),I=n.cursor=Le({},nf,{drag:{y:i==2}},e.cursor),Ce=te.show,Je=I.show,Te=te.markers;te.idxs=he,Te.width=ie(Te.width),Te.dash=
ie(Te.dash),Te.stroke=ie(Te.stroke),Te.fill=ie(Te.fill);let ue,At,ct,$e=[],Wt=[],Xt,vt=!1,fn={};if(te.live){let o=x[1]?x[1].values:null;vt=o!=
null,Xt=vt?o(n,1,0):{_:0};for(let a in Xt)fn[a]=Jo}if(Ce)if(ue=Ot("table",Xu,p),ct=Ot("tbody",null,ue),te.mount(n,ue),vt){At=Ot("thead",null,
ue,ct);let o=Ot("tr",null,At);Ot("th",null,o);for(var Bn in Xt)Ot("th",Sl,o).textContent=Bn}else mt(ue,td),te.live&&mt(ue,ed);let Vn={show:!0},
_s={show:!1};function Js(o,a){if(a==0&&(vt||!te.live||i==2))return ms;let d=[],h=Ot("tr",nd,ct,ct.childNodes[a]);mt(h,o.class),o.show||mt(h,
On);let g=Ot("th",null,h);if(Te.show){let k=$t(sd,g);if(a>0){let S=Te.width(n,a);S&&(k.style.border=S+"px "+Te.dash(n,a)+" "+Te.stroke(n,a)),
k.style.background=Te.fill(n,a)}}let w=$t(Sl,g);o.label instanceof HTMLElement?w.appendChild(o.label):w.textContent=o.label,a>0&&(Te.show||(w.
style.color=o.width>0?Te.stroke(n,a):Te.fill(n,a)),Qe("click",g,k=>{if(I._lock)return;$n(k);let S=x.indexOf(o);if((k.ctrlKey||k.metaKey)!=te.
isolate){let D=x.some((P,C)=>C>0&&C!=S&&P.show);x.forEach((P,C)=>{C>0&&qt(C,D?C==S?Vn:_s:Vn,!0,Re.setSeries)})}else qt(S,{show:!o.show},!0,Re.
setSeries)},!1),jn&&Qe(Ml,g,k=>{I._lock||($n(k),qt(x.indexOf(o),os,!0,Re.setSeries))},!1));for(var v in Xt){let k=Ot("td",id,h);k.textContent=
"--",d.push(k)}return[h,d]}let xn=new Map;function Qe(o,a,d,h=!0){let g=xn.get(a)||{},w=I.bind[o](n,a,d,h);w&&(Nn(o,a,g[o]=w),xn.set(a,g))}function qn(o,a,d){
let h=xn.get(a)||{};for(let g in h)(o==null||g==o)&&(Bo(g,a,h[g]),delete h[g]);o==null&&xn.delete(a)}let en=0,_n=0,X=0,L=0,be=0,Fe=0,Gn=be,Sn=Fe,
Bt=X,Tn=L,ut=0,kt=0,rt=0,Dt=0;n.bbox={};let Gi=!1,Qs=!1,Kn=!1,En=!1,Zs=!1,xt=!1;function Ki(o,a,d){(d||o!=n.width||a!=n.height)&&mr(o,a),Zn(
!1),Kn=!0,Qs=!0,Xn()}function mr(o,a){n.width=en=X=o,n.height=_n=L=a,be=Fe=0,Rc(),Lc();let d=n.bbox;ut=d.left=Cn(be*ce,.5),kt=d.top=Cn(Fe*ce,
.5),rt=d.width=Cn(X*ce,.5),Dt=d.height=Cn(L*ce,.5)}let Ac=3;function Dc(){let o=!1,a=0;for(;!o;){a++;let d=Bc(a),h=Vc(a);o=a==Ac||d&&h,o||(mr(
n.width,n.height),Qs=!0)}}function Pc({width:o,height:a}){Ki(o,a)}n.setSize=Pc;function Rc(){let o=!1,a=!1,d=!1,h=!1;N.forEach((g,w)=>{if(g.
show&&g._show){let{side:v,_size:k}=g,S=v%2,D=g.label!=null?g.labelSize:0,P=k+D;P>0&&(S?(X-=P,v==3?(be+=P,h=!0):d=!0):(L-=P,v==0?(Fe+=P,o=!0):
a=!0))}}),Mn[0]=o,Mn[1]=d,Mn[2]=a,Mn[3]=h,X-=hn[1]+hn[3],be+=hn[3],L-=hn[2]+hn[0],Fe+=hn[0]}function Lc(){let o=be+X,a=Fe+L,d=be,h=Fe;function g(w,v){
switch(w){case 1:return o+=v,o-v;case 2:return a+=v,a-v;case 3:return d-=v,d+v;case 0:return h-=v,h+v}}N.forEach((w,v)=>{if(w.show&&w._show){
let k=w.side;w._pos=g(k,w._size),w.label!=null&&(w._lpos=g(k,w.labelSize))}})}if(I.dataIdx==null){let o=I.hover,a=o.skip=new Set(o.skip??[]);
a.add(void 0);let d=o.prox=ie(o.prox),h=o.bias??=0;I.dataIdx=(g,w,v,k)=>{if(w==0)return v;let S=v,D=d(g,w,v,k)??me,P=D>=0&&D<me,C=$.ori==0?X:
L,U=I.left,ae=t[0],re=t[w];if(a.has(re[v])){S=null;let se=null,G=null,W;if(h==0||h==-1)for(W=v;se==null&&W-- >0;)a.has(re[W])||(se=W);if(h==
0||h==1)for(W=v;G==null&&W++<re.length;)a.has(re[W])||(G=W);if(se!=null||G!=null)if(P){let ke=se==null?-1/0:M(ae[se],$,C,0),De=G==null?1/0:M(
ae[G],$,C,0),qe=U-ke,pe=De-U;qe<=pe?qe<=D&&(S=se):pe<=D&&(S=G)}else S=G==null?se:se==null?G:v-se<=G-v?se:G}else P&&Ne(U-M(ae[v],$,C,0))>D&&(S=
null);return S}}let $n=o=>{I.event=o};I.idxs=he,I._lock=!1;let Ue=I.points;Ue.show=ie(Ue.show),Ue.size=ie(Ue.size),Ue.stroke=ie(Ue.stroke),Ue.
width=ie(Ue.width),Ue.fill=ie(Ue.fill);let Vt=n.focus=Le({},e.focus||{alpha:.3},I.focus),jn=Vt.prox>=0,Un=jn&&Ue.one,_t=[],Yn=[],Jn=[];function gr(o,a){
let d=Ue.show(n,a);if(d instanceof HTMLElement)return mt(d,Zu),mt(d,o.class),Jt(d,-10,-10,X,L),_.insertBefore(d,_t[a]),d}function br(o,a){if(i==
1||a>0){let d=i==1&&E[o.scale].time,h=o.value;o.value=d?Vl(h)?Jl(ne,Yl(h,V)):h||oe:h||hf,o.label=o.label||(d?of:sf)}if(Un||a>0){o.width=o.width==
null?1:o.width,o.paths=o.paths||$f||gd,o.fillTo=ie(o.fillTo||yf),o.pxAlign=+le(o.pxAlign,R),o.pxRound=oa(o.pxAlign),o.stroke=ie(o.stroke||null),
o.fill=ie(o.fill||null),o._stroke=o._fill=o._paths=o._focus=null;let d=pf(it(1,o.width),1),h=o.points=Le({},{size:d,width:it(1,d*.2),stroke:o.
stroke,space:d*2,paths:Mf,_stroke:null,_fill:null},o.points);h.show=ie(h.show),h.filter=ie(h.filter),h.fill=ie(h.fill),h.stroke=ie(h.stroke),
h.paths=ie(h.paths),h.pxAlign=o.pxAlign}if(Ce){let d=Js(o,a);$e.splice(a,0,d[0]),Wt.splice(a,0,d[1]),te.values.push(null)}if(Je){he.splice(a,
0,null);let d=null;Un?a==0&&(d=gr(o,a)):a>0&&(d=gr(o,a)),_t.splice(a,0,d),Yn.splice(a,0,0),Jn.splice(a,0,0)}Ve("addSeries",a)}function Cc(o,a){
a=a??x.length,o=i==1?Uo(o,a,Zl,sa):Uo(o,a,{},na),x.splice(a,0,o),br(x[a],a)}n.addSeries=Cc;function Fc(o){if(x.splice(o,1),Ce){te.values.splice(
o,1),Wt.splice(o,1);let a=$e.splice(o,1)[0];qn(null,a.firstChild),a.remove()}Je&&(he.splice(o,1),_t.splice(o,1)[0].remove(),Yn.splice(o,1),Jn.
splice(o,1)),Ve("delSeries",o)}n.delSeries=Fc;let Mn=[!1,!1,!1,!1];function Oc(o,a){if(o._show=o.show,o.show){let d=o.side%2,h=E[o.scale];h==
null&&(o.scale=d?x[1].scale:A,h=E[o.scale]);let g=h.time;o.size=ie(o.size),o.space=ie(o.space),o.rotate=ie(o.rotate),vn(o.incrs)&&o.incrs.forEach(
v=>{!kn.has(v)&&kn.set(v,ya(v))}),o.incrs=ie(o.incrs||(h.distr==2?zd:g?B==1?Id:Vd:Fn)),o.splits=ie(o.splits||(g&&h.distr==1?ot:h.distr==3?qo:
h.distr==4?af:lf)),o.stroke=ie(o.stroke),o.grid.stroke=ie(o.grid.stroke),o.ticks.stroke=ie(o.ticks.stroke),o.border.stroke=ie(o.border.stroke);
let w=o.values;o.values=vn(w)&&!vn(w[0])?ie(w):g?vn(w)?Ul(ne,jl(w,V)):Vl(w)?Kd(ne,w):w||Se:w||rf,o.filter=ie(o.filter||(h.distr>=3&&h.log==10?
df:h.distr==3&&h.log==2?ff:ga)),o.font=ca(o.font),o.labelFont=ca(o.labelFont),o._size=o.size(n,null,a,0),o._space=o._rotate=o._incrs=o._found=
o._splits=o._values=null,o._size>0&&(Mn[a]=!0,o._el=$t(Uu,y))}}function Ss(o,a,d,h){let[g,w,v,k]=d,S=a%2,D=0;return S==0&&(k||w)&&(D=a==0&&!g||
a==2&&!v?Oe(Ql.size/3):0),S==1&&(g||v)&&(D=a==1&&!w||a==3&&!k?Oe(ea.size/2):0),D}let yr=n.padding=(e.padding||[Ss,Ss,Ss,Ss]).map(o=>ie(le(o,
Ss))),hn=n._padding=yr.map((o,a)=>o(n,a,Mn,0)),Ge,He=null,Ie=null,Xs=i==1?x[0].idxs:null,Pt=null,Ts=!1;function wr(o,a){if(t=o??[],n.data=n.
_data=t,i==2){Ge=0;for(let d=1;d<x.length;d++)Ge+=t[d][0].length}else{t.length==0&&(n.data=n._data=t=[[]]),Pt=t[0],Ge=Pt.length;let d=t;if(Z==
2){d=t.slice();let h=d[0]=Array(Ge);for(let g=0;g<Ge;g++)h[g]=g}n._data=t=d}if(Zn(!0),Ve("setData"),Z==2&&(Kn=!0),a!==!1){let d=$;d.auto(n,Ts)?
ji():mn(A,d.min,d.max),En=En||I.left>=0,xt=!0,Xn()}}n.setData=wr;function ji(){Ts=!0;let o,a;i==1&&(Ge>0?(He=Xs[0]=0,Ie=Xs[1]=Ge-1,o=t[0][He],
a=t[0][Ie],Z==2?(o=He,a=Ie):o==a&&(Z==3?[o,a]=Pi(o,o,$.log,!1):Z==4?[o,a]=Zo(o,o,$.log,!1):$.time?a=o+Oe(86400/B):[o,a]=Mi(o,a,Xo,!0))):(He=
Xs[0]=o=null,Ie=Xs[1]=a=null)),mn(A,o,a)}let ei,Qn,Ui,Yi,Ji,Qi,Zi,Xi,eo,lt;function vr(o,a,d,h,g,w){o??=El,d??=tr,h??="butt",g??=El,w??="rou\
nd",o!=ei&&(m.strokeStyle=ei=o),g!=Qn&&(m.fillStyle=Qn=g),a!=Ui&&(m.lineWidth=Ui=a),w!=Ji&&(m.lineJoin=Ji=w),h!=Qi&&(m.lineCap=Qi=h),d!=Yi&&
m.setLineDash(Yi=d)}function kr(o,a,d,h){a!=Qn&&(m.fillStyle=Qn=a),o!=Zi&&(m.font=Zi=o),d!=Xi&&(m.textAlign=Xi=d),h!=eo&&(m.textBaseline=eo=
h)}function to(o,a,d,h,g=0){if(h.length>0&&o.auto(n,Ts)&&(a==null||a.min==null)){let w=le(He,0),v=le(Ie,h.length-1),k=d.min==null?ud(h,w,v,g,
o.distr==3):[d.min,d.max];o.min=zt(o.min,d.min=k[0]),o.max=it(o.max,d.max=k[1])}}let xr={min:null,max:null};function Nc(){for(let h in E){let g=E[h];
z[h]==null&&(g.min==null||z[A]!=null&&g.auto(n,Ts))&&(z[h]=xr)}for(let h in E){let g=E[h];z[h]==null&&g.from!=null&&z[g.from]!=null&&(z[h]=xr)}
z[A]!=null&&Zn(!0);let o={};for(let h in z){let g=z[h];if(g!=null){let w=o[h]=gs(E[h],wd);if(g.min!=null)Le(w,g);else if(h!=A||i==2)if(Ge==0&&
w.from==null){let v=w.range(n,null,null,h);w.min=v[0],w.max=v[1]}else w.min=me,w.max=-me}}if(Ge>0){x.forEach((h,g)=>{if(i==1){let w=h.scale,
v=z[w];if(v==null)return;let k=o[w];if(g==0){let S=k.range(n,k.min,k.max,w);k.min=S[0],k.max=S[1],He=Nt(k.min,t[0]),Ie=Nt(k.max,t[0]),Ie-He>
1&&(t[0][He]<k.min&&He++,t[0][Ie]>k.max&&Ie--),h.min=Pt[He],h.max=Pt[Ie]}else h.show&&h.auto&&to(k,v,h,t[g],h.sorted);h.idxs[0]=He,h.idxs[1]=
Ie}else if(g>0&&h.show&&h.auto){let[w,v]=h.facets,k=w.scale,S=v.scale,[D,P]=t[g],C=o[k],U=o[S];C!=null&&to(C,z[k],w,D,w.sorted),U!=null&&to(
U,z[S],v,P,v.sorted),h.min=v.min,h.max=v.max}});for(let h in o){let g=o[h],w=z[h];if(g.from==null&&(w==null||w.min==null)){let v=g.range(n,g.
min==me?null:g.min,g.max==-me?null:g.max,h);g.min=v[0],g.max=v[1]}}}for(let h in o){let g=o[h];if(g.from!=null){let w=o[g.from];if(w.min==null)
g.min=g.max=null;else{let v=g.range(n,w.min,w.max,h);g.min=v[0],g.max=v[1]}}}let a={},d=!1;for(let h in o){let g=o[h],w=E[h];if(w.min!=g.min||
w.max!=g.max){w.min=g.min,w.max=g.max;let v=w.distr;w._min=v==3?ln(w.min):v==4?Fo(w.min,w.asinh):v==100?w.fwd(w.min):w.min,w._max=v==3?ln(w.
max):v==4?Fo(w.max,w.asinh):v==100?w.fwd(w.max):w.max,a[h]=d=!0}}if(d){x.forEach((h,g)=>{i==2?g>0&&a.y&&(h._paths=null):a[h.scale]&&(h._paths=
null)});for(let h in a)Kn=!0,Ve("setScale",h);Je&&I.left>=0&&(En=xt=!0)}for(let h in z)z[h]=null}function zc(o){let a=Vo(He-1,0,Ge-1),d=Vo(Ie+
1,0,Ge-1);for(;o[a]==null&&a>0;)a--;for(;o[d]==null&&d<Ge-1;)d++;return[a,d]}function Hc(){if(Ge>0){let o=x.some(a=>a._focus)&&lt!=Vt.alpha;
o&&(m.globalAlpha=lt=Vt.alpha),x.forEach((a,d)=>{if(d>0&&a.show&&(_r(d,!1),_r(d,!0),a._paths==null)){let h=lt;lt!=a.alpha&&(m.globalAlpha=lt=
a.alpha);let g=i==2?[0,t[d][0].length-1]:zc(t[d]);a._paths=a.paths(n,d,g[0],g[1]),lt!=h&&(m.globalAlpha=lt=h)}}),x.forEach((a,d)=>{if(d>0&&a.
show){let h=lt;lt!=a.alpha&&(m.globalAlpha=lt=a.alpha),a._paths!=null&&Sr(d,!1);{let g=a._paths!=null?a._paths.gaps:null,w=a.points.show(n,d,
He,Ie,g),v=a.points.filter(n,d,w,g);(w||v)&&(a.points._paths=a.points.paths(n,d,He,Ie,v),Sr(d,!0))}lt!=h&&(m.globalAlpha=lt=h),Ve("drawSerie\
s",d)}}),o&&(m.globalAlpha=lt=1)}}function _r(o,a){let d=a?x[o].points:x[o];d._stroke=d.stroke(n,o),d._fill=d.fill(n,o)}function Sr(o,a){let d=a?
x[o].points:x[o],{stroke:h,fill:g,clip:w,flags:v,_stroke:k=d._stroke,_fill:S=d._fill,_width:D=d.width}=d._paths;D=ge(D*ce,3);let P=null,C=D%
2/2;a&&S==null&&(S=D>0?"#fff":k);let U=d.pxAlign==1&&C>0;if(U&&m.translate(C,C),!a){let ae=ut-D/2,re=kt-D/2,se=rt+D,G=Dt+D;P=new Path2D,P.rect(
ae,re,se,G)}a?no(k,D,d.dash,d.cap,S,h,g,v,w):Ic(o,k,D,d.dash,d.cap,S,h,g,v,P,w),U&&m.translate(-C,-C)}function Ic(o,a,d,h,g,w,v,k,S,D,P){let C=!1;
S!=0&&Y.forEach((U,ae)=>{if(U.series[0]==o){let re=x[U.series[1]],se=t[U.series[1]],G=(re._paths||Vs).band;vn(G)&&(G=U.dir==1?G[0]:G[1]);let W,
ke=null;re.show&&G&&fd(se,He,Ie)?(ke=U.fill(n,ae)||w,W=re._paths.clip):G=null,no(a,d,h,g,ke,v,k,S,D,P,W,G),C=!0}}),C||no(a,d,h,g,w,v,k,S,D,P)}
let Tr=bs|Ko;function no(o,a,d,h,g,w,v,k,S,D,P,C){vr(o,a,d,h,g),(S||D||C)&&(m.save(),S&&m.clip(S),D&&m.clip(D)),C?(k&Tr)==Tr?(m.clip(C),P&&m.
clip(P),ni(g,v),ti(o,w,a)):k&Ko?(ni(g,v),m.clip(C),ti(o,w,a)):k&bs&&(m.save(),m.clip(C),P&&m.clip(P),ni(g,v),m.restore(),ti(o,w,a)):(ni(g,v),
ti(o,w,a)),(S||D||C)&&m.restore()}function ti(o,a,d){d>0&&(a instanceof Map?a.forEach((h,g)=>{m.strokeStyle=ei=g,m.stroke(h)}):a!=null&&o&&m.
stroke(a))}function ni(o,a){a instanceof Map?a.forEach((d,h)=>{m.fillStyle=Qn=h,m.fill(d)}):a!=null&&o&&m.fill(a)}function Wc(o,a,d,h){let g=N[o],
w;if(h<=0)w=[0,0];else{let v=g._space=g.space(n,o,a,d,h),k=g._incrs=g.incrs(n,o,a,d,h,v);w=Cf(a,d,k,h,v)}return g._found=w}function so(o,a,d,h,g,w,v,k,S,D){
let P=v%2/2;R==1&&m.translate(P,P),vr(k,v,S,D,k),m.beginPath();let C,U,ae,re,se=g+(h==0||h==3?-w:w);d==0?(U=g,re=se):(C=g,ae=se);for(let G=0;G<
o.length;G++)a[G]!=null&&(d==0?C=ae=o[G]:U=re=o[G],m.moveTo(C,U),m.lineTo(ae,re));m.stroke(),R==1&&m.translate(-P,-P)}function Bc(o){let a=!0;
return N.forEach((d,h)=>{if(!d.show)return;let g=E[d.scale];if(g.min==null){d._show&&(a=!1,d._show=!1,Zn(!1));return}else d._show||(a=!1,d._show=
!0,Zn(!1));let w=d.side,v=w%2,{min:k,max:S}=g,[D,P]=Wc(h,k,S,v==0?X:L);if(P==0)return;let C=g.distr==2,U=d._splits=d.splits(n,h,k,S,D,P,C),ae=g.
distr==2?U.map(W=>Pt[W]):U,re=g.distr==2?Pt[U[1]]-Pt[U[0]]:D,se=d._values=d.values(n,d.filter(n,ae,h,P,re),h,P,re);d._rotate=w==2?d.rotate(n,
se,h,P):0;let G=d._size;d._size=Mt(d.size(n,se,h,o)),G!=null&&d._size!=G&&(a=!1)}),a}function Vc(o){let a=!0;return yr.forEach((d,h)=>{let g=d(
n,h,Mn,o);g!=hn[h]&&(a=!1),hn[h]=g}),a}function qc(){for(let o=0;o<N.length;o++){let a=N[o];if(!a.show||!a._show)continue;let d=a.side,h=d%2,
g,w,v=a.stroke(n,o),k=d==0||d==3?-1:1,[S,D]=a._found;if(a.label!=null){let Xe=a.labelGap*k,ht=Oe((a._lpos+Xe)*ce);kr(a.labelFont[0],v,"cente\
r",d==2?"top":Tl),m.save(),h==1?(g=w=0,m.translate(ht,Oe(kt+Dt/2)),m.rotate((d==3?-Ei:Ei)/2)):(g=Oe(ut+rt/2),w=ht);let Pn=pa(a.label)?a.label(
n,o,S,D):a.label;m.fillText(Pn,g,w),m.restore()}if(D==0)continue;let P=E[a.scale],C=h==0?rt:Dt,U=h==0?ut:kt,ae=a._splits,re=P.distr==2?ae.map(
Xe=>Pt[Xe]):ae,se=P.distr==2?Pt[ae[1]]-Pt[ae[0]]:S,G=a.ticks,W=a.border,ke=G.show?G.size:0,De=Oe(ke*ce),qe=Oe((a.alignTo==2?a._size-ke-a.gap:
a.gap)*ce),pe=a._rotate*-Ei/180,Pe=O(a._pos*ce),dt=(De+qe)*k,Ze=Pe+dt;w=h==0?Ze:0,g=h==1?Ze:0;let St=a.font[0],Rt=a.align==1?ds:a.align==2?Ro:
pe>0?ds:pe<0?Ro:h==0?"center":d==3?Ro:ds,Kt=pe||h==1?"middle":d==2?"top":Tl;kr(St,v,Rt,Kt);let ft=a.font[1]*a.lineGap,Tt=ae.map(Xe=>O(u(Xe,P,
C,U))),Lt=a._values;for(let Xe=0;Xe<Lt.length;Xe++){let ht=Lt[Xe];if(ht!=null){h==0?g=Tt[Xe]:w=Tt[Xe],ht=""+ht;let Pn=ht.indexOf(`
`)==-1?[ht]:ht.split(/\n/gm);for(let et=0;et<Pn.length;et++){let qr=Pn[et];pe?(m.save(),m.translate(g,w+et*ft),m.rotate(pe),m.fillText(qr,0,
0),m.restore()):m.fillText(qr,g,w+et*ft)}}}G.show&&so(Tt,G.filter(n,re,o,D,se),h,d,Pe,De,ge(G.width*ce,3),G.stroke(n,o),G.dash,G.cap);let jt=a.
grid;jt.show&&so(Tt,jt.filter(n,re,o,D,se),h,h==0?2:1,h==0?kt:ut,h==0?Dt:rt,ge(jt.width*ce,3),jt.stroke(n,o),jt.dash,jt.cap),W.show&&so([Pe],
[1],h==0?1:0,h==0?1:2,h==1?kt:ut,h==1?Dt:rt,ge(W.width*ce,3),W.stroke(n,o),W.dash,W.cap)}Ve("drawAxes")}function Zn(o){x.forEach((a,d)=>{d>0&&
(a._paths=null,o&&(i==1?(a.min=null,a.max=null):a.facets.forEach(h=>{h.min=null,h.max=null})))})}let si=!1,io=!1,Es=[];function Gc(){io=!1;for(let o=0;o<
Es.length;o++)Ve(...Es[o]);Es.length=0}function Xn(){si||(Ed(Er),si=!0)}function Kc(o,a=!1){si=!0,io=a,o(n),Er(),a&&Es.length>0&&queueMicrotask(
Gc)}n.batch=Kc;function Er(){if(Gi&&(Nc(),Gi=!1),Kn&&(Dc(),Kn=!1),Qs){if(_e(T,ds,be),_e(T,"top",Fe),_e(T,Hs,X),_e(T,Is,L),_e(_,ds,be),_e(_,"\
top",Fe),_e(_,Hs,X),_e(_,Is,L),_e(y,Hs,en),_e(y,Is,_n),b.width=Oe(en*ce),b.height=Oe(_n*ce),N.forEach(({_el:o,_show:a,_size:d,_pos:h,side:g})=>{
if(o!=null)if(a){let w=g===3||g===0?d:0,v=g%2==1;_e(o,v?"left":"top",h-w),_e(o,v?"width":"height",d),_e(o,v?"top":"left",v?Fe:be),_e(o,v?"he\
ight":"width",v?L:X),Wo(o,On)}else mt(o,On)}),ei=Qn=Ui=Ji=Qi=Zi=Xi=eo=Yi=null,lt=1,As(!0),be!=Gn||Fe!=Sn||X!=Bt||L!=Tn){Zn(!1);let o=X/Bt,a=L/
Tn;if(Je&&!En&&I.left>=0){I.left*=o,I.top*=a,es&&Jt(es,Oe(I.left),0,X,L),ts&&Jt(ts,0,Oe(I.top),X,L);for(let d=0;d<_t.length;d++){let h=_t[d];
h!=null&&(Yn[d]*=o,Jn[d]*=a,Jt(h,Mt(Yn[d]),Mt(Jn[d]),X,L))}}if(ve.show&&!Zs&&ve.left>=0&&ve.width>0){ve.left*=o,ve.width*=o,ve.top*=a,ve.height*=
a;for(let d in uo)_e(is,d,ve[d])}Gn=be,Sn=Fe,Bt=X,Tn=L}Ve("setSize"),Qs=!1}en>0&&_n>0&&(m.clearRect(0,0,b.width,b.height),Ve("drawClear"),J.
forEach(o=>o()),Ve("draw")),ve.show&&Zs&&(ii(ve),Zs=!1),Je&&En&&(Dn(null,!0,!1),En=!1),te.show&&te.live&&xt&&(ao(),xt=!1),f||(f=!0,n.status=
1,Ve("ready")),Ts=!1,si=!1}n.redraw=(o,a)=>{Kn=a||!1,o!==!1?mn(A,$.min,$.max):Xn()};function oo(o,a){let d=E[o];if(d.from==null){if(Ge==0){let h=d.
range(n,a.min,a.max,o);a.min=h[0],a.max=h[1]}if(a.min>a.max){let h=a.min;a.min=a.max,a.max=h}if(Ge>1&&a.min!=null&&a.max!=null&&a.max-a.min<
1e-16)return;o==A&&d.distr==2&&Ge>0&&(a.min=Nt(a.min,t[0]),a.max=Nt(a.max,t[0]),a.min==a.max&&a.max++),z[o]=a,Gi=!0,Xn()}}n.setScale=oo;let ro,
lo,es,ts,$r,Mr,ns,ss,Ar,Dr,we,Ee,pn=!1,Ke=I.drag,We=Ke.x,Be=Ke.y;Je&&(I.x&&(ro=$t(Ju,_)),I.y&&(lo=$t(Qu,_)),$.ori==0?(es=ro,ts=lo):(es=lo,ts=
ro),we=I.left,Ee=I.top);let ve=n.select=Le({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),is=ve.show?$t(Yu,ve.over?_:T):null;function ii(o,a){
if(ve.show){for(let d in o)ve[d]=o[d],d in uo&&_e(is,d,o[d]);a!==!1&&Ve("setSelect")}}n.setSelect=ii;function jc(o){if(x[o].show)Ce&&Wo($e[o],
On);else if(Ce&&mt($e[o],On),Je){let d=Un?_t[0]:_t[o];d!=null&&Jt(d,-10,-10,X,L)}}function mn(o,a,d){oo(o,{min:a,max:d})}function qt(o,a,d,h){
a.focus!=null&&Zc(o),a.show!=null&&x.forEach((g,w)=>{w>0&&(o==w||o==null)&&(g.show=a.show,jc(w),i==2?(mn(g.facets[0].scale,null,null),mn(g.facets[1].
scale,null,null)):mn(g.scale,null,null),Xn())}),d!==!1&&Ve("setSeries",o,a),h&&Ds("setSeries",n,o,a)}n.setSeries=qt;function Uc(o,a){Le(Y[o],
a)}function Yc(o,a){o.fill=ie(o.fill||null),o.dir=le(o.dir,-1),a=a??Y.length,Y.splice(a,0,o)}function Jc(o){o==null?Y.length=0:Y.splice(o,1)}
n.addBand=Yc,n.setBand=Uc,n.delBand=Jc;function Qc(o,a){x[o].alpha=a,Je&&_t[o]!=null&&(_t[o].style.opacity=a),Ce&&$e[o]&&($e[o].style.opacity=
a)}let tn,gn,An,os={focus:!0};function Zc(o){if(o!=An){let a=o==null,d=Vt.alpha!=1;x.forEach((h,g)=>{if(i==1||g>0){let w=a||g==0||g==o;h._focus=
a?null:w,d&&Qc(g,w?1:Vt.alpha)}}),An=o,d&&Xn()}}Ce&&jn&&Qe(Al,ue,o=>{I._lock||($n(o),An!=null&&qt(null,os,!0,Re.setSeries))});function Gt(o,a,d){
let h=E[a];d&&(o=o/ce-(h.ori==1?Fe:be));let g=X;h.ori==1&&(g=L,o=g-o),h.dir==-1&&(o=g-o);let w=h._min,v=h._max,k=o/g,S=w+(v-w)*k,D=h.distr;return D==
3?ps(10,S):D==4?pd(S,h.asinh):D==100?h.bwd(S):S}function Xc(o,a){let d=Gt(o,A,a);return Nt(d,t[0],He,Ie)}n.valToIdx=o=>Nt(o,t[0]),n.posToIdx=
Xc,n.posToVal=Gt,n.valToPos=(o,a,d)=>E[a].ori==0?r(o,E[a],d?rt:X,d?ut:0):l(o,E[a],d?Dt:L,d?kt:0),n.setCursor=(o,a,d)=>{we=o.left,Ee=o.top,Dn(
null,a,d)};function Pr(o,a){_e(is,ds,ve.left=o),_e(is,Hs,ve.width=a)}function Rr(o,a){_e(is,"top",ve.top=o),_e(is,Is,ve.height=a)}let $s=$.ori==
0?Pr:Rr,Ms=$.ori==1?Pr:Rr;function eu(){if(Ce&&te.live)for(let o=i==2?1:0;o<x.length;o++){if(o==0&&vt)continue;let a=te.values[o],d=0;for(let h in a)
Wt[o][d++].firstChild.nodeValue=a[h]}}function ao(o,a){if(o!=null&&(o.idxs?o.idxs.forEach((d,h)=>{he[h]=d}):yd(o.idx)||he.fill(o.idx),te.idx=
he[0]),Ce&&te.live){for(let d=0;d<x.length;d++)(d>0||i==1&&!vt)&&tu(d,he[d]);eu()}xt=!1,a!==!1&&Ve("setLegend")}n.setLegend=ao;function tu(o,a){
let d=x[o],h=o==0&&Z==2?Pt:t[o],g;vt?g=d.values(n,o,a)??fn:(g=d.value(n,a==null?null:h[a],o,a),g=g==null?fn:{_:g}),te.values[o]=g}function Dn(o,a,d){
Ar=we,Dr=Ee,[we,Ee]=I.move(n,we,Ee),I.left=we,I.top=Ee,Je&&(es&&Jt(es,Oe(we),0,X,L),ts&&Jt(ts,0,Oe(Ee),X,L));let h,g=He>Ie;tn=me,gn=null;let w=$.
ori==0?X:L,v=$.ori==1?X:L;if(we<0||Ge==0||g){h=I.idx=null;for(let k=0;k<x.length;k++){let S=_t[k];S!=null&&Jt(S,-10,-10,X,L)}jn&&qt(null,os,
!0,o==null&&Re.setSeries),te.live&&(he.fill(h),xt=!0)}else{let k,S,D;i==1&&(k=$.ori==0?we:Ee,S=Gt(k,A),h=I.idx=Nt(S,t[0],He,Ie),D=M(t[0][h],
$,w,0));let P=-10,C=-10,U=0,ae=0,re=!0,se="",G="";for(let W=i==2?1:0;W<x.length;W++){let ke=x[W],De=he[W],qe=De==null?null:i==1?t[W][De]:t[W][1][De],
pe=I.dataIdx(n,W,h,S),Pe=pe==null?null:i==1?t[W][pe]:t[W][1][pe];if(xt=xt||Pe!=qe||pe!=De,he[W]=pe,W>0&&ke.show){let dt=pe==null?-10:pe==h?D:
M(i==1?t[0][pe]:t[W][0][pe],$,w,0),Ze=Pe==null?-10:H(Pe,i==1?E[ke.scale]:E[ke.facets[1].scale],v,0);if(jn&&Pe!=null){let St=$.ori==1?we:Ee,Rt=Ne(
Vt.dist(n,W,pe,Ze,St));if(Rt<tn){let Kt=Vt.bias;if(Kt!=0){let ft=Gt(St,ke.scale),Tt=Pe>=0?1:-1,Lt=ft>=0?1:-1;Lt==Tt&&(Lt==1?Kt==1?Pe>=ft:Pe<=
ft:Kt==1?Pe<=ft:Pe>=ft)&&(tn=Rt,gn=W)}else tn=Rt,gn=W}}if(xt||Un){let St,Rt;$.ori==0?(St=dt,Rt=Ze):(St=Ze,Rt=dt);let Kt,ft,Tt,Lt,jt,Xe,ht=!0,
Pn=Ue.bbox;if(Pn!=null){ht=!1;let et=Pn(n,W);Tt=et.left,Lt=et.top,Kt=et.width,ft=et.height}else Tt=St,Lt=Rt,Kt=ft=Ue.size(n,W);if(Xe=Ue.fill(
n,W),jt=Ue.stroke(n,W),Un)W==gn&&tn<=Vt.prox&&(P=Tt,C=Lt,U=Kt,ae=ft,re=ht,se=Xe,G=jt);else{let et=_t[W];et!=null&&(Yn[W]=Tt,Jn[W]=Lt,Ol(et,Kt,
ft,ht),Cl(et,Xe,jt),Jt(et,Mt(Tt),Mt(Lt),X,L))}}}}if(Un){let W=Vt.prox,ke=An==null?tn<=W:tn>W||gn!=An;if(xt||ke){let De=_t[0];De!=null&&(Yn[0]=
P,Jn[0]=C,Ol(De,U,ae,re),Cl(De,se,G),Jt(De,Mt(P),Mt(C),X,L))}}}if(ve.show&&pn)if(o!=null){let[k,S]=Re.scales,[D,P]=Re.match,[C,U]=o.cursor.sync.
scales,ae=o.cursor.drag;if(We=ae._x,Be=ae._y,We||Be){let{left:re,top:se,width:G,height:W}=o.select,ke=o.scales[C].ori,De=o.posToVal,qe,pe,Pe,
dt,Ze,St=k!=null&&D(k,C),Rt=S!=null&&P(S,U);St&&We?(ke==0?(qe=re,pe=G):(qe=se,pe=W),Pe=E[k],dt=M(De(qe,C),Pe,w,0),Ze=M(De(qe+pe,C),Pe,w,0),$s(
zt(dt,Ze),Ne(Ze-dt))):$s(0,w),Rt&&Be?(ke==1?(qe=re,pe=G):(qe=se,pe=W),Pe=E[S],dt=H(De(qe,U),Pe,v,0),Ze=H(De(qe+pe,U),Pe,v,0),Ms(zt(dt,Ze),Ne(
Ze-dt))):Ms(0,v)}else fo()}else{let k=Ne(Ar-$r),S=Ne(Dr-Mr);if($.ori==1){let U=k;k=S,S=U}We=Ke.x&&k>=Ke.dist,Be=Ke.y&&S>=Ke.dist;let D=Ke.uni;
D!=null?We&&Be&&(We=k>=D,Be=S>=D,!We&&!Be&&(S>k?Be=!0:We=!0)):Ke.x&&Ke.y&&(We||Be)&&(We=Be=!0);let P,C;We&&($.ori==0?(P=ns,C=we):(P=ss,C=Ee),
$s(zt(P,C),Ne(C-P)),Be||Ms(0,v)),Be&&($.ori==1?(P=ns,C=we):(P=ss,C=Ee),Ms(zt(P,C),Ne(C-P)),We||$s(0,w)),!We&&!Be&&($s(0,0),Ms(0,0))}if(Ke._x=
We,Ke._y=Be,o==null){if(d){if(Vr!=null){let[k,S]=Re.scales;Re.values[0]=k!=null?Gt($.ori==0?we:Ee,k):null,Re.values[1]=S!=null?Gt($.ori==1?we:
Ee,S):null}Ds(Lo,n,we,Ee,X,L,h)}if(jn){let k=d&&Re.setSeries,S=Vt.prox;An==null?tn<=S&&qt(gn,os,!0,k):tn>S?qt(null,os,!0,k):gn!=An&&qt(gn,os,
!0,k)}}xt&&(te.idx=h,ao()),a!==!1&&Ve("setCursor")}let bn=null;Object.defineProperty(n,"rect",{get(){return bn==null&&As(!1),bn}});function As(o=!1){
o?bn=null:(bn=_.getBoundingClientRect(),Ve("syncRect",bn))}function Lr(o,a,d,h,g,w,v){I._lock||pn&&o!=null&&o.movementX==0&&o.movementY==0||
(co(o,a,d,h,g,w,v,!1,o!=null),o!=null?Dn(null,!0,!0):Dn(a,!0,!1))}function co(o,a,d,h,g,w,v,k,S){if(bn==null&&As(!1),$n(o),o!=null)d=o.clientX-
bn.left,h=o.clientY-bn.top;else{if(d<0||h<0){we=-10,Ee=-10;return}let[D,P]=Re.scales,C=a.cursor.sync,[U,ae]=C.values,[re,se]=C.scales,[G,W]=Re.
match,ke=a.axes[0].side%2==1,De=$.ori==0?X:L,qe=$.ori==1?X:L,pe=ke?w:g,Pe=ke?g:w,dt=ke?h:d,Ze=ke?d:h;if(re!=null?d=G(D,re)?u(U,E[D],De,0):-10:
d=De*(dt/pe),se!=null?h=W(P,se)?u(ae,E[P],qe,0):-10:h=qe*(Ze/Pe),$.ori==1){let St=d;d=h,h=St}}S&&(a==null||a.cursor.event.type==Lo)&&((d<=1||
d>=X-1)&&(d=Cn(d,X)),(h<=1||h>=L-1)&&(h=Cn(h,L))),k?($r=d,Mr=h,[ns,ss]=I.move(n,d,h)):(we=d,Ee=h)}let uo={width:0,height:0,left:0,top:0};function fo(){
ii(uo,!1)}let Cr,Fr,Or,Nr;function zr(o,a,d,h,g,w,v){pn=!0,We=Be=Ke._x=Ke._y=!1,co(o,a,d,h,g,w,v,!0,!1),o!=null&&(Qe(Co,Ho,Hr,!1),Ds($l,n,ns,
ss,X,L,null));let{left:k,top:S,width:D,height:P}=ve;Cr=k,Fr=S,Or=D,Nr=P}function Hr(o,a,d,h,g,w,v){pn=Ke._x=Ke._y=!1,co(o,a,d,h,g,w,v,!1,!0);
let{left:k,top:S,width:D,height:P}=ve,C=D>0||P>0,U=Cr!=k||Fr!=S||Or!=D||Nr!=P;if(C&&U&&ii(ve),Ke.setScale&&C&&U){let ae=k,re=D,se=S,G=P;if($.
ori==1&&(ae=S,re=P,se=k,G=D),We&&mn(A,Gt(ae,A),Gt(ae+re,A)),Be)for(let W in E){let ke=E[W];W!=A&&ke.from==null&&ke.min!=me&&mn(W,Gt(se+G,W),
Gt(se,W))}fo()}else I.lock&&(I._lock=!I._lock,Dn(a,!0,o!=null));o!=null&&(qn(Co,Ho),Ds(Co,n,we,Ee,X,L,null))}function nu(o,a,d,h,g,w,v){if(I.
_lock)return;$n(o);let k=pn;if(pn){let S=!0,D=!0,P=10,C,U;$.ori==0?(C=We,U=Be):(C=Be,U=We),C&&U&&(S=we<=P||we>=X-P,D=Ee<=P||Ee>=L-P),C&&S&&(we=
we<ns?0:X),U&&D&&(Ee=Ee<ss?0:L),Dn(null,!0,!0),pn=!1}we=-10,Ee=-10,he.fill(null),Dn(null,!0,!0),k&&(pn=k)}function Ir(o,a,d,h,g,w,v){I._lock||
($n(o),ji(),fo(),o!=null&&Ds(Dl,n,we,Ee,X,L,null))}function Wr(){N.forEach(Ff),Ki(n.width,n.height,!0)}Nn($i,hs,Wr);let rs={};rs.mousedown=zr,
rs.mousemove=Lr,rs.mouseup=Hr,rs.dblclick=Ir,rs.setSeries=(o,a,d,h)=>{let g=Re.match[2];d=g(n,a,d),d!=-1&&qt(d,h,!0,!1)},Je&&(Qe($l,_,zr),Qe(
Lo,_,Lr),Qe(Ml,_,o=>{$n(o),As(!1)}),Qe(Al,_,nu),Qe(Dl,_,Ir),jo.add(n),n.syncRect=As);let oi=n.hooks=e.hooks||{};function Ve(o,a,d){io?Es.push(
[o,a,d]):o in oi&&oi[o].forEach(h=>{h.call(null,n,a,d)})}(e.plugins||[]).forEach(o=>{for(let a in o.hooks)oi[a]=(oi[a]||[]).concat(o.hooks[a])});
let Br=(o,a,d)=>d,Re=Le({key:null,setSeries:!1,filters:{pub:Wl,sub:Wl},scales:[A,x[1]?x[1].scale:null],match:[Bl,Bl,Br],values:[null,null]},
I.sync);Re.match.length==2&&Re.match.push(Br),I.sync=Re;let Vr=Re.key,ho=za(Vr);function Ds(o,a,d,h,g,w,v){Re.filters.pub(o,a,d,h,g,w,v)&&ho.
pub(o,a,d,h,g,w,v)}ho.sub(n);function su(o,a,d,h,g,w,v){Re.filters.sub(o,a,d,h,g,w,v)&&rs[o](null,a,d,h,g,w,v)}n.pub=su;function iu(){ho.unsub(
n),jo.delete(n),xn.clear(),Bo($i,hs,Wr),p.remove(),ue?.remove(),Ve("destroy")}n.destroy=iu;function po(){Ve("init",e,t),wr(t||e.data,!1),z[A]?
oo(A,z[A]):ji(),Zs=ve.show&&(ve.width>0||ve.height>0),En=xt=!0,Ki(e.width,e.height)}return x.forEach(br),N.forEach(Oc),s?s instanceof HTMLElement?
(s.appendChild(p),po()):s(n,po):po(),n}ze.assign=Le;ze.fmtNum=er;ze.rangeNum=Mi;ze.rangeLog=Pi;ze.rangeAsinh=Zo;ze.orient=Hn;ze.pxRatio=ce;ze.
join=Td;ze.fmtDate=nr,ze.tzDate=Od;ze.sync=za;{ze.addGap=wf,ze.clipGaps=Ci;let e=ze.paths={points:qa};e.linear=Ka,e.stepped=xf,e.bars=_f,e.spline=
Tf}var In=[7,4],cr=[2,3],Of=window.matchMedia("(max-width: 720px)"),Ja=()=>Of.matches?140:190,Nf=16,Qa=8,zf=60,Hf=180,If=86400,Wf=Array.from({length:50},
(e,t)=>2**t),Ht=class{element;#n;#t=c("div",{class:"chart-canvas"});#l=[];#i=c("span",{class:"chart-when"});#o;#a;#e=null;#s=[];#u=[];#r=null;#c=[];#d=0;#p;constructor(t,s,n=null){
this.#n=t,this.#p=s;let i=t.lines.map(r=>{let l=c("span",{class:"figure"});this.#l.push(l);let u=c("span",{class:`sample sample-${r.colour}${r.
dash?` sample-${r.dash[0]===cr[0]?"dot":"dash"}`:""}`,"aria-hidden":"true"});return c("li",{},u,c("span",{},r.label),l)});this.element=c("fi\
gure",{class:"chart card"},c("figcaption",{},c("div",{},c("h3",{},t.title),c("p",{},t.about)),n),this.#t,c("div",{class:"legend"},c("ul",{},
...i),this.#i)),this.#t.setAttribute("role","img"),this.#f(),this.#o=new ResizeObserver(()=>this.#h()),this.#o.observe(this.#t),this.#a=gi(()=>this.#m())}set(t,s,n=null,i=[]){
this.#c=i,this.#t.dataset.marks=String(i.length),this.#s=t,this.#u=s,this.#r=n,this.#f(),this.#t.dataset.points=String(t.length),this.#e?this.#e.
setData(this.#y()):this.#h(),this.#k(null)}#f(){let t=this.#r===null?"the last five minutes":`${Ft(this.#r.seconds)} up to ${ai(this.#r.end*
1e3)} ${yn(this.#r.end*1e3)}`;this.#t.setAttribute("aria-label",`${this.#n.title}: lines over ${t}; the newest figures follow`)}leave(){this.#o.
disconnect(),this.#a(),this.#e?.destroy(),this.#e=null}#h(){let t=Math.floor(this.#t.clientWidth);t!==0&&(this.#e?t!==this.#d&&this.#e.setSize(
{width:t,height:Ja()}):this.#w(t),this.#d=t)}#m(){this.#e&&(this.#e.destroy(),this.#e=null,this.#h())}#y(){let t=[];return this.#n.lines.forEach(
(s,n)=>{let i=this.#u[n]??[],r=s.fill==="stacked"?t[n-1]:void 0;t.push(r?i.map((l,u)=>l===null?null:l+(r[u]??0)):i)}),[this.#s,...t]}#w(t){let{
lines:s,tick:n,figure:i,least:r,most:l,isBinary:u}=this.#n,f={stroke:st("ink-soft"),font:`12px ${st("font")}`,ticks:{show:!1},grid:{stroke:st(
"rule"),width:1}},p={width:t,height:Ja(),legend:{show:!1},cursor:{sync:{key:"forebay"},drag:{x:!0,y:!1,setScale:!1,dist:Qa}},scales:{x:{time:!0,
range:()=>this.#b()},y:{range:(b,m,y)=>[0,l??Math.max((y??0)*1.1,r??1)]}},axes:[{...f,grid:{show:!1},size:26,space:110,values:(b,m)=>m.map(y=>this.#_(
y))},{...f,size:62,space:36,values:(b,m)=>m.map(y=>(n??i)(y)),...u?{incrs:Wf}:{}}],series:[{},...s.map(b=>this.#x(b))],bands:s.flatMap((b,m)=>b.
fill==="stacked"&&m>0?[{series:[m+1,m]}]:[]),hooks:{setCursor:[b=>this.#k(b.cursor.idx??null)],setSelect:[b=>this.#g(b)],draw:[b=>this.#v(b)]}};
this.#e=new ze(p,this.#y(),this.#t)}#g(t){let{left:s,width:n}=t.select;if(n<Qa)return;let[i,r]=[t.posToVal(s,"x"),t.posToVal(s+n,"x")];t.setSelect(
{left:0,top:0,width:0,height:0},!1),this.#p(i,r)}#v(t){let{ctx:s,bbox:n}=t,i=window.devicePixelRatio||1;s.save(),s.font=`600 ${11*i}px ${st(
"font")}`,s.lineWidth=i,s.setLineDash([2*i,3*i]),s.textAlign="center";let r=[];this.#c.forEach((l,u)=>{let f=t.valToPos(l.at,"x",!0);r.push(
l.label);let p=this.#c[u+1];p&&t.valToPos(p.at,"x",!0)-f<Nf*i||(s.strokeStyle=s.fillStyle=st(l.colour),s.beginPath(),s.moveTo(f,n.top+14*i),
s.lineTo(f,n.top+n.height),s.stroke(),s.fillText(r.length>2?`${r[0]}\u2013${l.label}`:r.join(","),f,n.top+11*i),r=[])}),s.restore()}#x(t){let s=st(
t.colour);return{label:t.label,stroke:s,width:2,points:{show:!1},...t.dash?{dash:t.dash}:{},...t.fill?{fill:`${s}40`}:{}}}#b(){if(this.#r)return[
this.#r.end-this.#r.seconds,this.#r.end];let t=this.#s.at(-1)??Date.now()/1e3,s=t-(this.#s[0]??t);return[t-Math.min(Ls,Math.max(zf,s)),t]}#_(t){
let[s,n]=this.#b(),i=yn(t*1e3);return n-s>If&&i==="00:00:00"?ai(t*1e3):n-s<Hf?i:i.slice(0,5)}#k(t){let s=t??this.#s.length-1,n=this.#s[s];this.#l.
forEach((r,l)=>q(r,this.#n.figure(this.#u[l]?.[s]??null)));let i=n===void 0?"":yn(n*1e3);q(this.#i,t===null||n===void 0?"now":this.#r?`${ai(
n*1e3)} ${i.slice(0,5)}`:i)}};var Bf={info:"busy",warning:"warning",error:"bad"};function Za(e,t,s,n,i){return e.filter(l=>l.disk===null||l.disk===t).map(l=>({event:l,at:new Date(
l.time).getTime()/1e3+s})).filter(({at:l})=>l>=n&&l<=i).slice(-12).map(({event:l,at:u},f)=>({event:l,mark:{at:u,label:String(f+1),colour:Bf[l.
level]??"warning"}}))}function Qt(){return c("span",{class:"badge"},c("span",{class:"sign","aria-hidden":"true"}),c("span",{}))}function Zt(e,t,s){e.className=`ba\
dge badge-${t}`;let[n,i]=e.children;n&&q(n,Do[t]),i&&q(i,s)}function yt(e,t){let s=c("div",{class:"tile-value","data-figure":t}),n=c("div",{
class:"tile-remark"});return{element:c("div",{class:"tile"},c("div",{class:"tile-name"},e),s,n),set(r,l=""){q(s,r),q(n,l)}}}function Gs(){let e=c(
"ul",{class:"findings","aria-live":"polite","aria-label":"Warnings"});return{element:e,set(t){e.hidden=t.length===0,Et(e,t,s=>`${s.tone} ${s.
text.replace(/\d[\d.]*/g,"#")}`,()=>c("li",{},c("span",{class:"sign","aria-hidden":"true"}),c("div",{},c("div",{class:"finding-text"}),c("di\
v",{class:"finding-advice"}))),(s,n)=>{s.className=`finding finding-${n.tone}`,fe(s,".sign",Do[n.tone]),fe(s,".finding-text",n.text),fe(s,".\
finding-advice",n.advice??"")})}}}function fe(e,t,s){let n=e.querySelector(t);n&&q(n,s)}var Wn={width:120,height:28};function Xa(e){let t=ri(
"svg",{class:"spark",viewBox:`0 0 ${Wn.width} ${Wn.height}`,role:"img",preserveAspectRatio:"none"}),s=ri("path",{fill:"none","vector-effect":"\
non-scaling-stroke"});return t.append(ri("path",{class:"spark-base",d:`M0 ${Wn.height-1}H${Wn.width}`,fill:"none"}),s),{element:t,set(n,i){s.
setAttribute("d",Vf(n,i));let r=n.filter(l=>l!==null).at(-1);t.setAttribute("aria-label",r===void 0?`${e}: no reads in the last five minutes`:
`${e} over the last five minutes, ${ye(r)} lately`)}}}function Vf(e,t){let s=Wn.width/Math.max(1,t-1),n=Wn.width-(e.length-1)*s,i="M",r="";return e.
forEach((l,u)=>{if(l===null){i="M";return}r+=`${i}${(n+u*s).toFixed(1)} ${((1-l)*(Wn.height-4)+2).toFixed(1)}`,i="L"}),r}function ks(e){let t=e.
map(([n,i])=>({key:n,name:i,cell:c("dd",{"data-figure":n})}));return{element:c("dl",{class:"facts"},...t.map(({name:n,cell:i})=>c("div",{},c(
"dt",{},n),i))),set(n){for(let{key:i,cell:r}of t)q(r,n[i]??""),r.parentElement&&(r.parentElement.hidden=n[i]===void 0)}}}var qf=[["5 minutes",300],["1 hour",3600],["6 hours",21600],["1 day",86400],["1 week",7*86400]],zi=class{element;#n=()=>{};#t=(t,s)=>{let n=xo(
t,s,Date.now()/1e3);n&&this.#n(this.#M()?{...n,of:"5m"}:n)};#l=new Ht({title:"Hit ratio",about:"Reads answered from the cache, of all reads.",
lines:[{label:"RAM",colour:"ram",fill:"area"},{label:"Flash",colour:"flash",fill:"stacked",dash:In}],figure:ye,tick:t=>`${Math.round(t*100)}\
%`,most:1},this.#t);#i=new Ht({title:"Requests a second",about:"What guests asked for.",lines:[{label:"Reads",colour:"read"},{label:"Writes",
colour:"write",dash:In}],figure:je,tick:wo,least:10},this.#t);#o;#a=new Ht({title:"Mean latency",about:"Of all reads, and of all writes.",lines:[
{label:"Reads",colour:"read"},{label:"Writes",colour:"write",dash:In}],figure:Ye,least:10},this.#t);#e;#s=new Ht({title:"Dirty data",about:"\
What flash has and the backing does not, without zeroes.",lines:[{label:"Dirty",colour:"dirty",fill:"area"},{label:"Limit",colour:"limit",dash:In}],
figure:F,least:64*1024,isBinary:!0},this.#t);#u=new Ht({title:"Backing requests saved",about:"What guests asked for, and what reached the ba\
cking.",lines:[{label:"Guests",colour:"read"},{label:"Backing",colour:"limit",dash:In,fill:"area"}],figure:je,tick:wo,least:10},this.#t);#r=new Ht(
{title:"Written to flash",about:"Bytes a second, headers and second copies included.",lines:[{label:"Flash",colour:"flash",fill:"area"}],figure:Ct,
tick:F,least:64*1024,isBinary:!0},this.#t);#c=c("select",{"aria-label":"Latency of",name:"latency-class"},...ci.map(t=>c("option",{value:t},
vi[t])));#d=c("select",{"aria-label":"Percentiles of",name:"latency-spread"},c("option",{value:"readSpread"},"Reads"),c("option",{value:"wri\
teSpread"},"Writes"));#p=c("span",{class:"hint"});#f;#h=c("p",{class:"hint",role:"status"});#m=[];#y=[];#w=null;#g=[];#v=null;#x=!1;#b=c("in\
put",{type:"datetime-local",name:"from",step:1,required:!0,"aria-label":"From"});#_=c("input",{type:"datetime-local",name:"to",step:1,required:!0,
"aria-label":"To"});#k=c("ol",{class:"happened","aria-label":"Events in this time"});constructor(t){this.#n=t;let s=c("div",{class:"chart-co\
ntrols"},this.#c,this.#p);this.#c.value="read_miss",this.#c.addEventListener("change",()=>{this.#x=!0,this.#T()});let n=(l,u)=>({title:l,about:u,
lines:[{label:"Half",colour:"read"},{label:"95 %",colour:"write",dash:In},{label:"99 %",colour:"limit",dash:cr}],figure:Ye,least:10});this.#o=
new Ht(n("Latency","So many in a hundred were faster."),this.#t,s),this.#d.addEventListener("change",()=>this.#E()),this.#e=new Ht(n("Latenc\
y percentiles","Of each step, so many in a hundred were faster."),this.#t,c("div",{class:"chart-controls"},this.#d));let i=([l,u])=>c("butto\
n",{type:"button","data-seconds":u,onclick:()=>t({seconds:u,end:null})},l);this.#f=c("div",{class:"segmented",role:"group","aria-label":"How\
 far back"},...qf.map(i));let r=c("form",{class:"period","aria-label":"Period"},this.#b,c("span",{},"to"),this.#_,c("button",{type:"submit"},
"Show"));r.addEventListener("submit",l=>{l.preventDefault();let u=[this.#b,this.#_].map(p=>new Date(p.value).getTime()/1e3),f=xo(u[0]??NaN,u[1]??
NaN,Date.now()/1e3);f?t(f):q(this.#h,"The two moments must be within the last week, and at least ten seconds apart.")}),this.element=c("sect\
ion",{class:"did","aria-label":"Charts"},c("div",{class:"section-head"},c("h2",{},"What it did"),this.#f),c("details",{class:"other-period"},
c("summary",{},"Another time"),r),this.#h,c("div",{class:"charts"},...this.#S().map(l=>l.element)),this.#k)}update(t,s,n){let{period:i}=t,r=wn(
i)==="5m",l=Date.now()/1e3,u=r?t.series.get(s)?.points??[]:t.past?.points??[],f=i.end??(r?u.at(-1)?.at??l:t.past?.end??l),p=Za(t.events??[],
s,t.ahead,f-i.seconds,f);if(this.#w=r&&i.end===null?null:{end:f,seconds:i.seconds},this.#g=p.map(({mark:m})=>m),this.#A(i,r,!r&&t.past===null),
this.#D(p),this.#P(u,n),r){this.#m=u,q(this.#p,t.windows.has(s)?"over 5 minutes each":"since attached"),this.#T();return}let b=m=>u.map(m);this.#a.
set(u.map(m=>m.at),[b(m=>m.readMicros),b(m=>m.writeMicros)],this.#w,this.#g),this.#y=u,this.#E()}leave(){for(let t of this.#S())t.leave()}#S(){
return[this.#l,this.#i,this.#o,this.#a,this.#e,this.#u,this.#s,this.#r]}#M(){return this.#v!==null&&wn(this.#v)==="5m"}#A(t,s,n){let i=t!==this.#v;
this.#v=t;for(let l of this.#f.children)l.setAttribute("aria-pressed",String(t.end===null&&l.getAttribute("data-seconds")===String(t.seconds)));
i&&t.end!==null&&(this.#b.value=ec(t.end-t.seconds),this.#_.value=ec(t.end));let r=s?"":"In steps of five minutes; of dirty data, the most i\
n each. ";i||n?q(this.#h,n?"Asking Forebay\u2026":`${r}Draw over a chart to see a part of it.`):this.#h.textContent==="Asking Forebay\u2026"&&
q(this.#h,`${r}Draw over a chart to see a part of it.`),Q(this.#o.element,s),Q(this.#a.element,!s),Q(this.#e.element,!s),this.#s.element.classList.
toggle("chart-wide",!s)}#D(t){Q(this.#k,t.length>0);let s=()=>c("li",{},c("span",{class:"happened-number"}),Qt(),c("time",{}),c("span",{class:"\
happened-text"}));Et(this.#k,t,({event:n})=>`${n.id} ${n.time}`,s,(n,{event:i,mark:r})=>{fe(n,".happened-number",r.label);let l=n.querySelector(
".badge");l&&Zt(l,yi[i.level]??"warning",i.level),fe(n,"time",as(i.time)),fe(n,".happened-text",i.message)})}#P(t,s){let n=u=>t.map(u),i=t.map(
u=>u.at),r=(u,...f)=>u.set(i,f,this.#w,this.#g);r(this.#l,n(u=>u.hitRam),n(u=>u.hitFlash)),r(this.#i,n(u=>u.rates?.reads??null),n(u=>u.rates?.
writes??null)),r(this.#u,n(u=>Rn(u.rates)),n(u=>u.rates?u.rates.backing_reads+u.rates.backing_writes:null)),r(this.#r,n(u=>u.rates?.flash_write_bytes??
null));let l=s==="write-back"?n(u=>u.dirtyLimitBytes):t.map(()=>null);r(this.#s,n(u=>u.dirtyBytes),l)}#T(){let t=this.#m.at(-1)?.latency;if(!this.#x&&
t&&t[this.#$()].count===0){let i=ci.find(r=>t[r].count>0);i&&(this.#c.value=i)}let s=this.#$(),n=i=>this.#m.map(r=>r.latency&&r.latency[s].count>
0?r.latency[s][i]:null);this.#o.set(this.#m.map(i=>i.at),[n("p50"),n("p95"),n("p99")],this.#w,this.#g)}#E(){let t=this.#d.value==="writeSpre\
ad"?"writeSpread":"readSpread",s=[0,1,2].map(n=>this.#y.map(i=>i[t]?.[n]??null));this.#e.set(this.#y.map(n=>n.at),s,this.#w,this.#g)}#$(){return ci.
find(t=>t===this.#c.value)??"read_miss"}};function ec(e){let t=new Date(e*1e3);return new Date(t.getTime()-t.getTimezoneOffset()*6e4).toISOString().
slice(0,19)}var tc=4;function ur(e){return Math.log2(e)}function dr(e){let t=r=>r?`${F(r.cache_bytes)}: ${ye(r.hit_ratio)}`:"\u2013",s=e.points.findIndex(
r=>r.cache_bytes===e.present.cache_bytes),n=r=>s<0?null:e.points[s+r],i=e.wanted.find(r=>r.hit_ratio===.9)?.cache_bytes;return{present:t(e.present),
half:t(n(-tc)),double:t(n(tc)),held:t(e.held),knee:t(e.knee),largest:t(e.largest),wanted:i==null?"no size has it":F(i),working_set:F(e.working_set_bytes)}}
var Gf=2**20;function sc(e,t,s,n){let i=Math.max(0,e.present.cache_bytes-s),l=t.cache_bytes===e.present.cache_bytes?s:Math.round((t.cache_bytes-
i)/2**20)*2**20;return l<Gf?null:{flashBytes:l,hitRatio:t.hit_ratio,readMicros:Kf(t.hit_ratio,n)}}function Kf(e,t){let s=t?.latency_us;if(!s||
e===null)return null;let n=nc([s.read_hit_ram,s.read_hit_flash]),i=nc([s.read_miss]);return n===null||i===null?null:e*n+(1-e)*i}function nc(e){
let t=e.reduce((s,n)=>s+n.count,0);return t>0?e.reduce((s,n)=>s+n.count*n.mean,0)/t:null}function fr(e){let t=e.readMicros===null?"":`, read\
s ${Ye(e.readMicros)} on average`;return`${F(e.flashBytes)} of flash: ${ye(e.hitRatio)} hits${t}`}var ic=230,jf=1e4,Uf=[["present","Present size"],["half","Half of it"],["double","Twice as much"],["held","Held now"],["knee","More gains le\
ss above"],["largest","More gains nothing above"],["wanted","For 90 % hits"],["working_set","Used in 48 active hours"]],Hi=class{element;#n=c(
"div",{class:"curve-canvas",role:"img"});#t=c("p",{class:"hint",role:"status"});#l=c("span",{class:"chart-when"});#i=ks(Uf);#o=new ResizeObserver(
()=>this.#b());#a;#e=null;#s=null;#u=0;#r="";#c;#d=c("output",{class:"chosen","data-figure":"chosen"});#p=c("button",{type:"button",class:"p\
rimary",onclick:()=>this.#v()},"Use this size\u2026");#f=[];#h=!1;#m=null;#y;constructor(t){this.#y=t;let s=at();this.#c=c("input",{id:s,type:"\
range",min:0,max:0,step:1,value:0,"aria-describedby":`${s}-chosen`}),this.#d.id=`${s}-chosen`,this.#c.addEventListener("input",()=>{this.#h=
!0,this.#g()}),this.element=c("section",{class:"card curve","aria-label":"Curve"},c("div",{class:"section-head"},c("h2",{},"With a cache of \
another size"),this.#l),c("p",{class:"hint"},"The share of reads that flash and RAM of this size would answer, predicted from samples of wha\
t guests lately did."),this.#n,c("div",{class:"slider"},c("label",{for:s},"Try a size"),this.#c,this.#d,this.#p),this.#t,this.#i.element),this.
element.hidden=!0,this.#o.observe(this.#n),this.#a=gi(()=>this.#x())}set(t,s,n){if(this.#m=s,this.#e=t!==null&&t.reads>0?t:null,Q(this.element,
this.#e!==null),!this.#e)return;this.#i.set(dr(this.#e)),q(this.#t,this.#e.reads<jf?`Read ${xe(this.#e.reads)} times only: this may be chanc\
e.`:""),this.#w(this.#e,s,n),this.#n.setAttribute("aria-label",`Hit ratio by the size of the cache; at the present size of ${dr(this.#e).present}`);
let i=JSON.stringify([this.#e.points,this.#e.present,this.#e.held]);i!==this.#r&&(this.#r=i,this.#n.dataset.points=String(this.#e.points.length),
this.#x(),this.#b())}leave(){this.#o.disconnect(),this.#a(),this.#s?.destroy(),this.#s=null}#w(t,s,n){let i=this.#f[Number(this.#c.value)]?.
flashBytes,r=s.limit_bytes??0,l=t.points.map(p=>sc(t,p,r,n)).filter(p=>p!==null);this.#f=l.filter((p,b)=>b===0||p.flashBytes!==l[b-1]?.flashBytes),
this.#c.max=String(Math.max(0,this.#f.length-1));let u=this.#h&&i!==void 0?i:r,f=this.#f.reduce((p,b,m)=>oc(b,u)<oc(this.#f[p],u)?m:p,0);this.#c.
value=String(f),this.#g()}#g(){let t=this.#f[Number(this.#c.value)],s=t?.flashBytes===this.#m?.limit_bytes;q(this.#d,t?`${fr(t)}${s?" (as it\
 is)":""}`:"No other size can be chosen"),this.#c.setAttribute("aria-valuetext",this.#d.textContent??""),this.#p.disabled=t===void 0||s}#v(){
let t=this.#f[Number(this.#c.value)],s=this.#m;if(!t||!s)return;let n=F(t.flashBytes),i=t.flashBytes<(s.limit_bytes??0);tt({title:`Let ${s.name}\
 have ${n} of flash at most?`,sentences:[`Predicted: ${fr(t)}.`,i?`What it holds above that is evicted; it holds ${F(s.statistics.flash_bytes)}\
 now.`:"It grows into it as guests read, if the pool has room that no other disk reserved.","Guests stay connected and go on meanwhile."],confirm:"\
Change",run:async()=>(await Me("PATCH",Ae(s.name),{settings:{limit:String(t.flashBytes)}}),this.#h=!1,this.#y(),`${s.name} may have ${n} of \
flash now`)})}#x(){this.#s?.destroy(),this.#s=null,this.#b()}#b(){let t=Math.floor(this.#n.clientWidth);t===0||!this.#e||(this.#s?t!==this.#u&&
this.#s.setSize({width:t,height:ic}):this.#_(t,this.#e),this.#u=t)}#_(t,{points:s}){let n={stroke:st("ink-soft"),font:`12px ${st("font")}`,ticks:{
show:!1},grid:{stroke:st("rule"),width:1}},i=st("flash"),r=s.map(u=>ur(u.cache_bytes)),l={width:t,height:ic,legend:{show:!1},cursor:{drag:{x:!1,
y:!1}},scales:{x:{time:!1,range:[r[0]??0,r.at(-1)??1]},y:{range:[0,1]}},axes:[{...n,grid:{show:!1},size:26,space:80,incrs:[1,2,4,8],values:(u,f)=>f.
map(p=>F(2**p))},{...n,size:62,space:36,values:(u,f)=>f.map(p=>`${Math.round(p*100)}%`)}],series:[{},{label:"Hit ratio",stroke:i,width:2,points:{
show:!1},fill:`${i}40`}],hooks:{draw:[u=>this.#k(u)],setCursor:[u=>this.#S(u.cursor.idx??null)]}};this.#s=new ze(l,[r,s.map(u=>u.hit_ratio)],
this.#n)}#k(t){if(!this.#e)return;let{ctx:s,bbox:n}=t,i=window.devicePixelRatio||1,r=[[this.#e.held,"held",st("limit"),[4,4]],[this.#e.present,
"present",st("ink"),[]]];s.save(),s.font=`${12*i}px ${st("font")}`;for(let[{cache_bytes:l},u,f,p]of r){let b=t.valToPos(ur(l),"x",!0);if(l<=
0||b<n.left||b>n.left+n.width)continue;s.strokeStyle=s.fillStyle=f,s.lineWidth=1.5*i,s.setLineDash(p.map(y=>y*i)),s.beginPath(),s.moveTo(b,n.
top),s.lineTo(b,n.top+n.height),s.stroke();let m=u==="held";s.textAlign=m?"right":"left",s.fillText(u,b+(m?-5:5)*i,n.top+12*i)}s.restore()}#S(t){
let s=t===null?void 0:this.#e?.points[t];q(this.#l,s?`${F(s.cache_bytes)}: ${ye(s.hit_ratio)}`:"")}};function oc(e,t){return e===void 0?1/0:
Math.abs(Math.log(e.flashBytes/t))}var Yf=[["connections","Guests connected"]],Jf={"vhost-user":"vhost-user",nbd:"NBD","nbd-tcp":"NBD over TCP"},Ii=class{element;#n=ks(Yf);#t=c(
"dl",{class:"facts doors"});#l=c("div",{class:"stack"});#i=c("select",{name:"client","aria-label":"Client"});#o=c("label",{class:"inline"},"\
For ",this.#i);#a;#e=[];#s=!1;constructor(t){this.#a=t,this.element=c("section",{class:"card connect","aria-label":"Connect"},c("h2",{},"How\
 guests connect"),this.#n.element,this.#t,this.#o,this.#l),this.#o.hidden=!0,this.#i.addEventListener("change",()=>this.#r())}update(t){this.#n.
set({connections:t.connections===null?"\u2013":String(t.connections)}),Et(this.#t,t.doors??[],s=>s.kind,Qf,(s,n)=>{fe(s,"dt",Zf(n)),fe(s,"dd",
n.address)}),this.#s||(this.#s=!0,this.#u())}async#u(){let t=await Yt(`${Ae(this.#a)}/connect`,"connect").catch(()=>(this.#s=!1,null));this.#e=
t?.forms??[];let s=[...new Set(this.#e.map(n=>n.client))];this.#i.replaceChildren(...s.map(n=>c("option",{value:n},n))),Q(this.#o,s.length>0),
this.#r()}#r(){let t=this.#e.filter(s=>s.client===this.#i.value);Et(this.#l,t,s=>`${s.client} ${s.door}`,Xf,(s,n)=>{fe(s,"h3",`${n.client}, \
over ${Jf[n.door]??n.door}`),fe(s,".hint",n.note),fe(s,"code",n.lines.trimEnd())})}};function Qf(e){return c("div",{},c("dt",{}),c("dd",{"da\
ta-figure":`door-${e.kind}`}))}function Zf(e){let t=e.address.startsWith("/")&&e.address.endsWith(".sock")?`${e.title} socket`:e.title;return(e.
connections??0)>0?`${t} (${e.connections} connected)`:t}function Xf(){let e=c("code",{}),s=c("button",{type:"button",class:"quiet",onclick:()=>{
navigator.clipboard?.writeText(e.textContent??"").then(()=>Ps("Copied"))}},"Copy");return s.hidden=navigator.clipboard===void 0,c("div",{},c(
"div",{class:"section-head"},c("h3",{}),s),c("p",{class:"hint"}),c("pre",{},e))}function It(e,t,s=""){let n=at();return t.id=n,c("div",{class:"field"},c("label",{for:n},e),t,s===""?null:c("p",{class:"hint"},s))}function Ks(e,t){
let s=c("input",{type:"checkbox",name:e});return{element:c("label",{class:"tick"},s,c("span",{},t)),input:s}}function cn(e,t={}){return c("i\
nput",{type:"text",name:e,spellcheck:"false",autocomplete:"off",autocapitalize:"off",...t})}function rc(...e){return c("details",{},c("summa\
ry",{},"More"),c("div",{class:"fields"},...e))}var eh=["mode","block-size","reserve","limit","ram","dirty-limit"];function lc(e){let t=cn("n\
ame",{required:!0,pattern:"[a-z0-9][a-z0-9._\\-]{0,62}",title:"Small letters, digits, dot, dash and underscore"}),s=cn("backing",{required:!0,
placeholder:"/srv/images/web1.raw"}),n=Os.filter(f=>eh.includes(f.name)).map(f=>{let p=f.choices?.map(m=>c("option",{value:m},m))??[],b=f.choices?
c("select",{name:f.name},c("option",{value:""},"default"),...p):cn(f.name,{placeholder:"default"});return{key:f,input:b}}),i=Ks("read_only",
"Read-only: nothing is ever written to the backing"),r=Ks("raw_anyway","Serve it as raw even if it looks like an image of another format"),[
l,...u]=n;tt({title:"Add a disk",sentences:["Forebay serves it from now on, also after a restart. Its content stays as it is, and it must no\
t be open elsewhere."],confirm:"Add",fields:c("div",{class:"stack"},It("Name",t),It("Backing",s,"A raw file or a block device, or nbd://HOST\
/EXPORT, or nbd+unix:///EXPORT?socket=PATH."),l?It(l.key.name,l.input,l.key.about):null,rc(...u.map(({key:f,input:p})=>It(f.name,p,f.about)),
i.element,r.element)),run:async()=>{let f=n.map(({key:m,input:y})=>[m.name,y.value.trim()]).filter(([,m])=>m!==""),p={name:t.value.trim(),backing:s.
value.trim(),read_only:i.input.checked,raw_anyway:r.input.checked,settings:Object.fromEntries(f)},{disk:b}=await Me("POST","/v1/disks",p);return e(
b.name),`${b.name} is ${b.state}; its page says how guests connect to it`}})}function ac(e,t){let s=Ks("lose_dirty",`Give up what the backin\
g does not have: ${F(nt(e))} is lost for good`),n=Ks("force","Remove it although a guest uses it: that guest gets errors");tt({title:`Remove\
 ${e.name}?`,sentences:kl(e),confirm:"Remove",isDangerous:!0,fields:c("div",{class:"stack"},nt(e)>0?s.element:null,(e.connections??0)>0?n.element:
null),run:async()=>(await Me("DELETE",Ae(e.name),{lose_dirty:s.input.checked,force:n.input.checked}),t(),`${e.name} is served no more; its b\
acking is complete as far as the dialog said`)})}function cc(e){let t=cn("qmp",{placeholder:"/run/web.qmp"}),s=cn("libvirt"),n=cn("device",{
placeholder:"the only one"}),i=cn("name",{placeholder:"from the guest"});tt({title:"Attach a running guest",sentences:["The disk of a runnin\
g QEMU guest is moved behind Forebay, without a reboot and without a copy. The guest goes on meanwhile."],confirm:"Attach",fields:c("div",{class:"\
stack"},It("QEMU's monitor socket",t,"Made with -qmp unix:SOCKET,server=on,wait=off. Or give the guest's name in libvirt."),It("Guest of lib\
virt",s),It("Device",n,"The id of the guest's -device, or of its -drive, if it has several disks."),It("Name of the disk",i)),run:async()=>{
let r=[t,s,n,i].map(u=>[u.name,u.value.trim()]).filter(([,u])=>u!==""),{moved:l}=await Me("POST","/v1/vms",Object.fromEntries(r));return e(l),
`The running guest has its disk from Forebay now, as ${l}`}})}function uc(e,t){tt({title:`Give ${e.name} back to its guest?`,sentences:vl(e),
confirm:"Give back",run:async()=>(await Me("DELETE",`/v1/vms/${encodeURIComponent(e.name)}`),t(),`The running guest has ${e.name} back as it\
 was; Forebay no longer serves it`)})}function dc(e){let t=cn("path",{required:!0,placeholder:"/dev/disk/by-id/..."}),s=c("input",{type:"num\
ber",name:"size",min:1,step:1,placeholder:"whole device"}),n=cn("erase"),i=Ks("same_drive","It may be on the drive of another device: both c\
opies are lost with that drive");tt({title:"Add a device to the pool",sentences:["What is on it is overwritten. A device that holds anything\
 is refused, and the refusal says what it holds."],confirm:"Add",isDangerous:!0,fields:c("div",{class:"stack"},It("Path",t,"A block device u\
nder a name that stays, or a file; a file that is not there is made."),It("Size in GiB",s,"For files. A device is taken whole."),rc(It("Eras\
e",n,"The id of the old pool that a refusal named, if that may be erased."),i.element)),run:async()=>{let r={path:t.value.trim(),size_bytes:s.
value===""?null:Number(s.value)*1073741824,erase:n.value.trim()===""?null:n.value.trim(),same_drive:i.input.checked};return await Me("POST",
"/v1/pool/devices",r),e(),`${r.path} is a device of the pool`}})}function fc(e,t){let s=e.path??`device ${e.number}`;tt({title:`Take ${s} ou\
t of the pool?`,sentences:["Dirty data is written to the backings first. Then what the disks cached, also on the other devices, is dropped.",
"Guests go on from the backings, slower, until the cache is warm again."],confirm:"Take out",isDangerous:!0,run:async()=>(await Me("DELETE",
jr(e.number)),t(),`${s} is no device of the pool any more`)})}var th={size:"Request size",latency:"Latency",seek:"Seek distance",outstanding:"Outstanding requests",interarrival:"Time between requests"},
hc={...vi,read:"Reads",write:"Writes",all:"All"};function nh(e,t){if(e.upto===null)return"more";switch(t){case"bytes":return e.upto%1024===0?
F(e.upto):xe(e.upto);case"microseconds":return Ye(e.upto);default:return e.upto<0?`\u2212${xe(-e.upto)}`:xe(e.upto)}}function sh(e){let t=e.
map(([,u])=>u.length),s=u=>e.some(([,f])=>(f[u]?.count??0)>0),n=[...Array(Math.max(0,...t)).keys()],i=n.filter(s),[r,l]=[i[0],i.at(-1)];return r===
void 0||l===void 0?[0,0]:[Math.max(0,r-1),Math.min(n.length,l+2)]}function ih(e){let t=e.map(([,s])=>s.map(n=>n.upto).join());return t.every(
s=>s===t[0])}var Wi=class{element=c("section",{class:"histograms","aria-label":"Histograms"});#n=c("div",{class:"segmented",role:"group","ar\
ia-label":"What is counted"});#t=c("div",{class:"card histogram-tables"});#l=[];#i="size";#o="";constructor(){this.element.append(c("div",{class:"\
section-head"},c("h2",{},"Histograms"),this.#n),this.#t),this.element.hidden=!0}set(t){if(this.element.hidden=t===null||t.length===0,t===null||
t.length===0)return;this.#l=t,t.some(([n])=>n===this.#i)||(this.#i=t[0]?.[0]??"");let s=t.map(([n])=>n);this.#n.children.length!==s.length&&
this.#n.replaceChildren(...s.map(n=>this.#a(n))),this.#e()}#a(t){return c("button",{type:"button","data-what":t,onclick:()=>{this.#i=t,this.#e()}},
th[t]??t)}#e(){for(let l of this.#n.children)l.setAttribute("aria-pressed",String(l.getAttribute("data-what")===this.#i));let t=this.#l.find(
([l])=>l===this.#i)?.[1];if(!t)return;let s=JSON.stringify([this.#i,t]);if(s===this.#o)return;this.#o=s;let{unit:n,kinds:i}=t,r=i.length<=2&&
ih(i)?[i]:i.map(l=>[l]);this.#t.replaceChildren(...r.map(l=>oh(n,l)))}};function oh(e,t){let[s,n]=sh(t),i=e==="bytes"||e==="microseconds"?"U\
p to":`Up to, ${e}`;if(s===n)return c("p",{class:"hint"},`${t.map(([f])=>hc[f]??f).join(", ")}: nothing was counted yet.`);let r=t.map(([,f])=>f.
reduce((p,b)=>p+b.count,0)),l=c("thead",{},c("tr",{},c("th",{scope:"col"},i),...t.map(([f],p)=>c("th",{scope:"col"},`${hc[f]??f}: ${xe(r[p])}`)))),
u=[...Array(n-s).keys()].map(f=>{let p=s+f,b=t[0]?.[1][p];return c("tr",{},c("th",{scope:"row"},b?nh(b,e):""),...t.map(([,m],y)=>rh(m[p]?.count??
0,r[y]??0,y)))});return c("table",{class:"histogram"},l,c("tbody",{},...u))}function rh(e,t,s){let n=t>0?e/t:0,i=c("span",{class:`bar bar-${s%
6}`});i.style.width=`${(n*100).toFixed(2)}%`;let r=c("span",{class:"bar-text"});return q(r,e===0?"":`${xe(e)} (${(n*100).toFixed(1)}%)`),c("\
td",{},c("div",{class:"bar-cell"},c("span",{class:"bar-track"},i),r))}var lh=[["mean","mean"],["median","p50"],["95 %","p95"],["99 %","p99"]];function ah(e,t){if(e===null||t===null||e<=0)return"";let s=(t-e)/e*
100;return Math.abs(s)<.05?"0.0%":`${s>0?"+":"\u2212"}${Math.abs(s).toFixed(1)}%`}function ch(e){let t=[],s=(n,i,r,l)=>{let[u,f]=[r(e.without),
r(e.with)];u===null&&f===null||t.push({key:n,name:i,without:l(u),with:l(f),change:ah(u,f)})};for(let n of["read","write"])for(let[i,r]of lh)
s(`${n}.${r}`,`${n==="read"?"Read":"Write"} latency, ${i}`,l=>l.latency_us[n]?.[r]??null,Ye);return s("iops","Requests a second, mean",n=>n.
iops,je),s("iops_busiest_minute","Requests a second, busiest minute",n=>n.iops_busiest_minute,je),s("backing_reads","Reads from the backing",
n=>n.backing_reads,xe),s("backing_read_bytes","Bytes from the backing",n=>n.backing_read_bytes,F),s("backing_writes","Writes to the backing",
n=>n.backing_writes,xe),s("backing_write_bytes","Bytes to the backing",n=>n.backing_write_bytes,F),t}function uh(e){let{times_faster:t,writes_times_faster:s}=e,
n=[];return t===null?n.push(e.with.reads===0?"Nothing was read with the cache yet, so there is nothing to compare with.":"No read went to th\
e backing yet, so there is nothing to compare with."):t>=1.05?n.push(`The mean read is ${t.toFixed(1)} times faster with the cache.`):n.push(
"The cache gains nothing for reads so far: most of what is read is read for the first time, or the backing is as fast."),s!==null&&s>=1.05&&
n.push(`The mean write is ${s.toFixed(1)} times faster.`),n}function dh(e){let{without:t}=e,s={measured:"measured while the disk was in pass\
-through",concluded:`concluded from the ${xe(e.measured_backing_reads)} that went to the backing`,unknown:"not known"}[t.reads_are],n=t.writes_are===
"measured"?"measured in pass-through":"not known";return`Without the cache: reads are ${s}, writes are ${n}.`}function fh({warm_up:e}){let t=n=>((n??
0)*100).toFixed(1),s=(e.variation_max*100).toFixed(0);switch(e.state){case"warm":return`Warm after ${Ft(e.seconds)}: the next three steps hi\
t ${ye(e.hit_ratio)}, less than ${s} points apart.`;case"warming":return(e.variation??0)<e.variation_max?"Not warm yet: next to nothing hits\
.":`Not warm yet: the last three steps are ${t(e.variation)} points apart, and ${s} are too many.`;default:return`Whether it is warm is not \
known: that takes three steps with ${xe(e.reads_min)} reads each.`}}function hh(e,t){let s=[e.without,e.with].map(p=>p.latency_us[t]?.classes??
null),n=s.find(p=>p!==null)??[],i=s.map(p=>{let b=p?.reduce((m,y)=>m+y.count,0)??0;return n.map((m,y)=>p===null||b===0?null:(p[y]?.count??0)/
b)}),r=n.map((p,b)=>({upto:p.upto===null?"more":Ye(p.upto),without:i[0]?.[b]??null,with:i[1]?.[b]??null})),l=r.flatMap((p,b)=>(p.without??0)>
0||(p.with??0)>0?[b]:[]),[u,f]=[l[0],l.at(-1)];return u===void 0||f===void 0?[]:r.slice(u,f+1)}var Bi=class{element;#n=c("p",{class:"report-\
verdict",role:"status"});#t=c("p",{class:"hint"});#l=c("p",{class:"report-warm"});#i=c("p",{class:"hint"});#o=c("tbody",{});#a=c("tbody",{});#e;#s=c(
"p",{class:"hint","data-figure":"report.share"});#u=c("div",{class:"report-known"});#r="read";#c=null;#d="";constructor(){let t=(n,i)=>c("bu\
tton",{type:"button","data-kind":n,onclick:()=>{this.#r=n,this.#p()}},i);this.#e=c("div",{class:"segmented",role:"group","aria-label":"Class\
es of"},t("read","Reads"),t("write","Writes"));let s=(...n)=>c("thead",{},c("tr",{},...n.map(i=>c("th",{scope:"col"},i))));this.#u.append(c(
"table",{class:"report-figures"},s("","Without","With the cache","Change"),this.#o),this.#s,this.#l,c("div",{class:"section-head"},c("h3",{},
"By latency"),this.#e),c("table",{class:"histogram report-classes"},s("Up to","Without","With the cache"),this.#a)),this.element=c("section",
{class:"card report","aria-label":"Before and after"},c("h2",{},"Before and after"),this.#n,this.#t,this.#u,this.#i),this.element.hidden=!0}set(t){
Q(this.element,t!==null),this.#c=t,this.#p()}#p(){let t=this.#c;if(!t)return;let s=JSON.stringify([this.#r,t]);if(s===this.#d)return;this.#d=
s;let n=[t.without,t.with].some(m=>m.reads+m.writes>0);Q(this.#u,n),Q(this.#t,n);let i=as(t.compared_since);q(this.#n,n?uh(t).join(" "):`Not\
hing was read since ${i}, nor written: there is nothing to report yet.`),q(this.#t,`Since ${i}: ${xe(t.with.reads)} reads and ${xe(t.with.writes)}\
 writes with the cache, ${xe(t.without.reads)} and ${xe(t.without.writes)} in pass-through. ${dh(t)}`),this.#o.replaceChildren(...ch(t).map(
ph));let{reads:r,read_hits_ram:l,read_hits_flash:u}=t.with,f=m=>ye(r>0?m/r:null);q(this.#s,`Of reads with the cache, ${f(l+u)} were answered\
 by it: ${f(l)} from RAM, ${f(u)} from flash. Written to flash: ${F(t.flash_write_bytes)}.`),q(this.#l,fh(t));for(let m of this.#e.children)
m.setAttribute("aria-pressed",String(m.getAttribute("data-kind")===this.#r));let p=hh(t,this.#r);this.#a.replaceChildren(...p.length>0?p.map(
mh):[c("tr",{},c("td",{colspan:3},"Nothing was counted yet."))]);let b=t.without.reads_are==="measured"&&t.without.writes_are==="measured";Q(
this.#i,n&&!b),q(this.#i,`To have "without" measured, let the disk run in pass-through for ${xe(t.requests_min)} reads and as many writes: s\
et mode below, and set it back.`)}};function ph(e){let t=s=>c("td",{"data-figure":`report.${e.key}.${s}`},e[s]);return c("tr",{},c("th",{scope:"\
row"},e.name),t("without"),t("with"),t("change"))}function mh(e){let t=(s,n)=>{let i=c("span",{class:`bar bar-${n}`});return i.style.width=`${((s??
0)*100).toFixed(2)}%`,c("td",{},c("div",{class:"bar-cell"},c("span",{class:"bar-track"},i),c("span",{class:"bar-text"},ye(s))))};return c("t\
r",{},c("th",{scope:"row"},e.upto),t(e.without,1),t(e.with,0))}var Vi=class{element;#n=new Map;#t=c("div",{class:"fields"});#l=c("button",{type:"submit",class:"primary"},"Review changes\u2026");#i=c("but\
ton",{type:"reset"},"Undo");#o=c("span",{class:"hint","aria-live":"polite"});#a;#e;constructor(t,s){this.#a=t,this.#e=s;let n=c("form",{"ari\
a-label":"Settings"},this.#t,c("div",{class:"buttons buttons-start"},this.#l,this.#i,this.#o));n.addEventListener("input",()=>this.#r()),n.addEventListener(
"reset",i=>{i.preventDefault();for(let r of this.#n.values())r.input.value=r.now;this.#r()}),n.addEventListener("submit",i=>{i.preventDefault(),
this.#c()}),this.element=c("section",{class:"card","aria-label":"Settings"},c("h2",{},"Settings"),c("p",{class:"hint"},"As forebay disk set \
takes them. They are changed while guests go on."),n)}update(t){let s=Os.filter(i=>i.name in t),n=Object.keys(t).filter(i=>!Os.some(r=>r.name===
i));for(let i of[...s,...n.map(r=>({name:r,about:""}))]){let r=t[i.name]??"",l=this.#n.get(i.name)??this.#s(i,r),u=l.input.value!==l.now;l.now=
r,u||pc(l.input,r)}this.#r()}#s(t,s){let n=at(),i=at(),r={id:n,name:t.name,"aria-describedby":i},l=t.choices?c("select",r,...t.choices.map(p=>c(
"option",{value:p},p))):c("input",{...r,type:"text",spellcheck:"false",autocomplete:"off",autocapitalize:"off"}),u=c("div",{class:"field"},c(
"label",{for:n},t.name),l,c("p",{class:"hint",id:i},t.about)),f={key:t.name,now:s,input:l,element:u};return pc(l,s),this.#t.append(u),this.#n.
set(t.name,f),f}#u(){let t=[...this.#n.values()].filter(s=>s.input.value.trim()!==s.now);return Object.fromEntries(t.map(s=>[s.key,s.input.value.
trim()]))}#r(){let t=this.#u();for(let n of this.#n.values())n.element.classList.toggle("changed",n.key in t);let s=Object.keys(t).length;this.#l.
disabled=s===0,Q(this.#i,s>0),q(this.#o,s===0?"":s===1?"1 change, not sent yet":`${s} changes, not sent yet`)}#c(){let t=this.#a(),s=this.#u();
if(!t||Object.keys(s).length===0)return;let n=Object.entries(s).map(([i,r])=>c("li",{},c("code",{},i),`: ${this.#n.get(i)?.now??""} \u2192 ${r}`));
tt({title:`Change ${t.name}?`,sentences:ki(t,s),confirm:"Change",fields:c("ul",{class:"changes"},...n),run:async()=>{await Me("PATCH",Ae(t.name),
{settings:s,drop_cached:!0});for(let[i,r]of Object.entries(s)){let l=this.#n.get(i);l&&(l.now=r)}return this.#e(),`${t.name} now has ${Object.
entries(s).map(([i,r])=>`${i}=${r}`).join(" ")}`}})}};function pc(e,t){e instanceof HTMLSelectElement&&![...e.options].some(s=>s.value===t)&&
e.append(c("option",{value:t},t)),e.value!==t&&(e.value=t)}var gh=[["backing","Backing"],["size_bytes","Size"],["block_bytes","Block"],["reserve_bytes","Reserved flash"],["limit_bytes","Flash at most"],
["cached_bytes","Cached on flash"],["ram_bytes","Cached in RAM"],["load","From last time"],["mirrored","Dirty data"],["guest","Taken from"],
["page_cache","Page cache"],["errors","Errors"]];function mc(e,t,s){let n=null,i=()=>n,r=Qt(),l=c("span",{class:"mode"}),u=Gs(),f={hits:yt("\
Hit ratio","hit_ratio"),operations:yt("Requests","operations"),bytes:yt("Throughput","bytes"),latency:yt("Read latency, mean","latency"),dirty:yt(
"Dirty","dirty_bytes"),saved:yt("Backing requests saved","saved")},p=new zi(s),b=new Wi,m=new Hi(t),y=new xi(t),T=new Bi,_=c("p",{class:"car\
d empty","data-figure":"no_curve"},"Sizes are predicted from what guests read. Nothing was read since the disk was attached."),R=ks(gh.map(([
M,H])=>[M,H])),O=new Vi(i,t),B=_l(i,t),x=Gs(),N=new Ii(e),E=c("button",{type:"button",class:"danger","data-action":"remove",onclick:()=>n&&ac(
n,t)},"Remove this disk\u2026"),Y=c("button",{type:"button","data-action":"detach",onclick:()=>n&&uc(n,t)},"Give it back to its guest\u2026"),
A={overview:js("overview",c("div",{class:"tiles"},...Object.values(f).map(M=>M.element)),p.element,B.element),sizing:js("sizing",y.element,m.
element,_),requests:js("requests",T.element,b.element),connect:js("connect",N.element),settings:js("settings",x.element,O.element,c("section",
{class:"card","aria-label":"Facts"},c("h2",{},"About this disk"),R.element),c("section",{class:"card","aria-label":"Removal"},c("h2",{},"Rem\
oval"),c("p",{class:"hint"},"The disk is served no more; the content of its backing stays."),c("div",{class:"buttons buttons-start"},E,Y)))},
K=Ao.map(M=>[M,c("a",{href:Ln(e,M)},bh[M])]),J=c("nav",{class:"tabs","aria-label":`Parts of ${e}`},...K.map(([,M])=>M)),ee=c("div",{class:"s\
tack"},u.element,J,...Object.values(A)),j=c("div",{class:"card empty"},c("h3",{},"No such disk"),c("p",{},"Forebay serves no disk of this na\
me. It may have been removed: forebay disk list shows all.")),$=c("p",{class:"loading"},"Asking Forebay\u2026");return{element:c("div",{class:"\
view"},c("p",{class:"crumb"},c("a",{href:"#/"},"\u2190 Host")),c("div",{class:"title"},c("h1",{},e),r,l),j,$,ee),title:e,open(M){for(let[H,z]of K)
z.setAttribute("aria-current",H===M?"page":"false"),Q(A[H],H===M)},leave:()=>{p.leave(),m.leave()},update(M){let H=M.disk;if(n=H==="missing"||
H===null?null:H,Q(j,H==="missing"),Q($,H===null),Q(ee,n!==null),Q(r,n!==null),!n)return;let z=Cs(n);Zt(r,wi([rn(n.state),...z.map(ne=>ne.tone)]),
n.state),q(l,n.read_only?`${n.mode}, read-only`:n.mode),u.set(z),yh(f,n,M),p.update(M,e,n.mode),b.set(M.histograms),m.set(M.curve,n,M.windows.
get(e)??n.statistics),y.set(M.advice,n),Q(_,m.element.hidden),N.update(n),Q(Y,n.guest!==null),T.set(M.report),R.set(vh(n)),O.update(n.settings),
x.set(pl(n)),B.update()}}}var bh={overview:"Overview",sizing:"Sizing",requests:"Requests",connect:"Connect",settings:"Settings"};function js(e,...t){
return c("div",{class:"stack","data-tab":e},...t)}function yh(e,t,s){let n=s.windows.get(t.name)??s.statistics.get(t.name),i=s.windows.has(t.
name)?"last 5 minutes":"since attached",r=s.series.get(t.name)?.last,l=r?.rates??null,u=Rn(l);e.hits.set(ye(n?.hit_ratio),`of reads, ${i}`),
e.operations.set(u===null?"\u2013":`${je(u)}/s`,l?`${je(l.reads)} reads, ${je(l.writes)} writes`:""),e.bytes.set(l?Ct(l.read_bytes+l.write_bytes):
"\u2013",l?`${Ct(l.read_bytes)} read, ${Ct(l.write_bytes)} written`:""),e.latency.set(Ye(r?.readMicros),r?.writeMicros==null?"no writes late\
ly":`writes ${Ye(r.writeMicros)}`),e.dirty.set(F(t.dirty_bytes),wh(t)),e.saved.set(ye(n?fi(n):null),i)}function wh(e){let t=e.mode==="write-\
back"?`of at most ${F(e.dirty_limit_bytes)}`:null;if(nt(e)===0)return t??"the backing is complete";let s=e.statistics.destage_bytes_per_second??
0;return on(t??`for ${Ft(e.dirty_for_seconds)}`,Fs(e.dirty_zeroes_bytes),s>0?`${Ct(s)} going home`:null)}function vh(e){let{statistics:t}=e,
s={backing:e.backing,size_bytes:F(e.size_bytes),block_bytes:F(e.block_bytes),reserve_bytes:F(e.reserve_bytes),limit_bytes:F(e.limit_bytes),cached_bytes:F(
t.cached_bytes),ram_bytes:F(t.ram_bytes),load:wl(e),mirrored:kh(e),errors:xh(e)};return e.guest&&(s.guest=`QEMU at ${e.guest.qmp}, device ${e.
guest.device}`),e.page_cache_reason&&(s.page_cache=`used, because ${e.page_cache_reason}`),s}function kh(e){return e.mirrored===null?"\u2013":
e.mirrored?on("on two devices",e.not_mirrored_reason??null):"on one device"}function xh(e){let{checksum_errors:t,flash_errors:s,backing_errors:n,
backing_retries:i}=e.statistics;if(t===void 0)return"\u2013";let l=[[t,"checksums"],[s,"flash"],[n,"backing"],[i,"backing, sent again"]].filter(
([u])=>(u??0)>0).map(([u,f])=>`${u} ${f}`);return l.length===0?"none":l.join(", ")}function gc(){let e=c("ol",{class:"events","aria-label":"Events, newest first"}),t=c("select",{name:"level"},c("option",{value:"info"},"All"),
c("option",{value:"warning"},"Warnings and errors"),c("option",{value:"error"},"Errors")),s=c("p",{class:"empty"},"Nothing happened that an \
operator must know."),n=c("p",{class:"empty"},"This Forebay keeps no list of events. Its log has them: journalctl --unit forebay"),i=()=>{};
t.addEventListener("change",()=>i());let r=c("label",{class:"inline"},"Show ",t),l=c("section",{class:"card"},r,e,s,n);return{element:c("div",
{class:"view"},c("h1",{},"Events"),l),title:"Events",leave(){},update(u){i=()=>{let f=["info","warning","error"],p=f.indexOf(t.value),b=(u.events??
[]).filter(m=>f.indexOf(m.level)>=p||!f.includes(m.level)).reverse();Q(n,u.events===null),Q(r,u.events!==null),Q(s,u.events!==null&&b.length===
0),Et(e,b,m=>`${m.id} ${m.time}`,_h,Sh)},i()}}}function _h(e){let t=e.disk?c("a",{href:Ln(e.disk),class:"event-disk"},e.disk):null;return c(
"li",{class:"event"},c("div",{class:"event-head"},Qt(),c("time",{datetime:e.time},as(e.time)),t,c("span",{class:"event-kind"})),c("div",{class:"\
event-message"}),c("div",{class:"finding-advice"}))}function Sh(e,t){let s=e.querySelector(".badge");s&&Zt(s,yi[t.level]??"warning",t.level),
fe(e,".event-kind",t.kind),fe(e,".event-message",t.message),fe(e,".finding-advice",t.advice??"")}var Th=Ls*1e3/Eo,Eh=30,bc=new WeakMap;function yc(e){let t=Gs(),s={hits:yt("Hit ratio","host.hit_ratio"),operations:yt("Requests","host.oper\
ations"),bytes:yt("Throughput","host.bytes"),dirty:yt("Dirty","host.dirty_bytes"),saved:yt("Backing requests saved","host.saved")},n=Ph(e),i=c(
"tbody",{}),l=c("table",{class:"disks"},c("thead",{},c("tr",{},...["Disk","State","Hit ratio","Requests/s","Read latency, mean","Dirty","Las\
t 5 min"].map(_=>c("th",{scope:"col"},_)))),i),u=Dh(),f=_=>{e(),window.location.hash=Ln(_,"connect")},p=c("button",{type:"button","data-acti\
on":"attach-guest",onclick:()=>cc(f)},"Attach a running guest\u2026"),b=c("button",{type:"button","data-action":"add-disk",onclick:()=>lc(f)},
"Add a disk\u2026"),m=c("section",{class:"card","aria-label":"Disks"},c("div",{class:"section-head"},c("h2",{},"Disks"),c("div",{class:"butt\
ons"},p,b)),l,u),y=c("div",{class:"tiles"},...Object.values(s).map(_=>_.element));return{element:c("div",{class:"view"},c("h1",{},"Host"),t.
element,y,m,n.element),title:"Host",leave(){},update(_){let R=_.disks??[],O=[..._.pool?ml(_.pool):[],...R.flatMap(Cs)];_.poolProblem&&O.unshift(
{tone:"bad",text:_.poolProblem,advice:null}),t.set(O),$h(s,_),Q(y,R.length>0),Q(l,R.length>0),Q(u,R.length===0),Et(i,R,B=>B.name,Mh,(B,x)=>Ah(
B,x,_)),n.update(_)}}}function $h(e,t){let s=[...t.statistics.values()],n=ll([...t.series.values()].map(m=>m.last?.rates??null)),i=s.map(m=>t.
windows.get(m.name)??m),r=t.windows.size>0?"last 5 minutes":"since attached",l=To(i);e.hits.set(ye(al(l)),`of reads, ${r}`);let u=Rn(n);e.operations.
set(u===null?"\u2013":`${je(u)}/s`,n?`${je(n.reads)} reads, ${je(n.writes)} writes`:""),e.bytes.set(n?Ct(n.read_bytes+n.write_bytes):"\u2013",
n?`${Ct(n.read_bytes)} read, ${Ct(n.write_bytes)} written`:"");let f=s.reduce((m,y)=>m+(y.dirty_bytes??0),0),p=s.reduce((m,y)=>m+(y.dirty_zeroes_bytes??
0),0),b=s.reduce((m,y)=>m+(y.mode==="write-back"?y.dirty_limit_bytes??0:0),0);e.dirty.set(F(f),on(b>0?`of at most ${F(b)}`:"no disk is in wr\
ite-back",Fs(p))),e.saved.set(ye(fi(l)),r)}function Mh(e){let t=Xa(`Hit ratio of ${e.name}`),s=(l,...u)=>c("td",{"data-heading":l},...u),n=l=>c(
"div",{"data-figure":`${e.name}.${l}`}),i=l=>c("div",{class:`sub ${l}`}),r=c("tr",{},c("th",{scope:"row"},c("a",{href:Ln(e.name)},e.name),i(
"backing")),s("State",Qt(),i("mode")),s("Hit ratio",n("hit_ratio"),i("split")),s("Requests/s",n("operations"),i("kinds")),s("Read latency, m\
ean",n("latency"),i("writes")),s("Dirty",n("dirty_bytes"),i("limit")),c("td",{class:"spark-cell"},t.element));return bc.set(r,t),r}function Ah(e,t,s){
let n=s.statistics.get(t.name),i=s.windows.get(t.name)??n,r=s.series.get(t.name),l=r?.last,u=Cs(t),f=e.querySelector(".badge"),p=wi([rn(t.state),
...u.map(T=>T.tone)]);f&&Zt(f,p,t.state==="serving"&&p!=="good"?"serving, look":t.state);let b=(T,_)=>fe(e,`[data-figure$=".${T}"]`,_);fe(e,
".backing",t.size_bytes===null?vo(t.backing,34):`${F(t.size_bytes)} at ${vo(t.backing,34)}`),fe(e,".mode",t.read_only?`${t.mode}, read-only`:
t.mode),b("hit_ratio",ye(i?.hit_ratio));let m=i?.reads??0;fe(e,".split",m>0?`RAM ${ye((i?.read_hits_ram??0)/m)}, flash ${ye((i?.read_hits_flash??
0)/m)}`:"no reads yet"),b("operations",je(Rn(l?.rates??null))),fe(e,".kinds",l?.rates?`${je(l.rates.reads)} r, ${je(l.rates.writes)} w`:""),
b("latency",l?.readMicros==null?"\u2013":Ye(l.readMicros)),fe(e,".writes",l?.writeMicros==null?"":`writes ${Ye(l.writeMicros)}`),b("dirty_by\
tes",F(t.dirty_bytes)),fe(e,".limit",on(t.mode==="write-back"&&t.dirty_limit_bytes?`of ${F(t.dirty_limit_bytes)}`:null,Fs(t.dirty_zeroes_bytes)));
let y=(r?.points??[]).map(T=>T.hitRam===null||T.hitFlash===null?null:T.hitRam+T.hitFlash);bc.get(e)?.set(y,Math.max(Eh,Math.min(Th,y.length)))}
function Dh(){return c("div",{class:"empty"},c("h3",{},"No disks yet"),c("p",{},"Nothing is cached until Forebay serves a disk. The button a\
bove adds one, and so does this on the host; nothing in the file changes:"),c("pre",{},c("code",{},"forebay disk add web1 --backing /srv/ima\
ges/web1.raw")),c("p",{},"A running QEMU guest's disk is moved behind Forebay without a reboot:"),c("pre",{},c("code",{},"forebay vm attach \
--qmp /run/web.qmp --device vda")),c("p",{class:"hint"},"It appears here by itself."))}function Ph(e){let t=Qt(),s=c("span",{class:"meter-us\
ed"}),n=c("div",{class:"meter",role:"img"},s),i=c("p",{class:"meter-words","data-figure":"pool.used"}),r=c("p",{class:"meter-words","data-fi\
gure":"host.ram"}),l=c("tbody",{}),u=["Device","State","Size","Free","Wear","Remarks",""],f=c("button",{type:"button","data-action":"add-dev\
ice",onclick:()=>dc(e)},"Add a device\u2026"),p=c("table",{class:"devices"},c("thead",{},c("tr",{},...u.map(m=>c("th",{scope:"col"},m)))),l),
b=c("section",{class:"card","aria-label":"Pool"},c("div",{class:"section-head"},c("h2",{},"Flash and RAM"),t,f),n,i,r,p);return{element:b,update({
pool:m,statistics:y}){if(Q(b,m!==null),!m)return;Zt(t,rn(m.state),m.state);let[T,_,R]=[m.segments??0,m.segments_free??0,m.segment_bytes??0],
O=(T-_)*R,B=_*R;s.style.width=`${T>0?(100*(T-_)/T).toFixed(2):0}%`;let x=m.segments===null?`Disks are served without the pool: ${m.reason??"\
see the log"}`:`Pool of ${F(m.size_bytes)}: ${F(O)} in use, ${F(B)} free; ${F(m.reserved_bytes)} reserved by disks`;n.setAttribute("aria-lab\
el",x),q(i,x);let N=[...y.values()],E=N.reduce((A,K)=>A+(K.ram_bytes??0),0),Y=N.reduce((A,K)=>A+(K.index_bytes??0),0);q(r,`RAM: ${F(E)} of c\
ontent in front of the flash, ${F(Y)} for the index of what is on it`),Et(l,m.devices,A=>String(A.number),A=>Rh(A,e),(A,K)=>Lh(A,K,m))}}}function Rh(e,t){
let s=(n,i,r="")=>c("td",{"data-heading":n,class:r},i);return c("tr",{},c("th",{scope:"row",class:"path"}),s("State",Qt()),s("Size",null,"si\
ze"),s("Free",null,"free"),s("Wear",null,"wear"),s("Remarks",null,"remarks"),c("td",{},c("button",{type:"button",class:"quiet",onclick:()=>fc(
e,t)},"Take out\u2026")))}function Lh(e,t,s){fe(e,".path",t.path??`device ${t.number}`);let n=e.querySelector(".badge");n&&Zt(n,rn(t.state),
t.state),fe(e,".size",F(t.size_bytes)),fe(e,".free",`${F(t.segments_free*(s.segment_bytes??0))}`);let i=[gl(t.wear),bl(t.budget)].filter(l=>l!==
"");fe(e,".wear",i.join("; ")||"\u2013");let r=[t.discards?"discards":null,t.page_cache_reason?`page cache: ${t.page_cache_reason}`:null];fe(
e,".remarks",r.filter(l=>l!==null).join("; ")||`${xe(t.segments)} segments`)}var xs=c("main",{id:"main",tabindex:-1}),Us=c("p",{class:"loading"},"Asking Forebay\u2026"),wc=c("span"),vc=c("button",{type:"button",onclick:yo},
"Sign in\u2026"),kc=c("div",{class:"banner",role:"alert",hidden:!0},wc," ",vc),pr=c("span",{class:"pulse"}),Ys={host:c("a",{href:"#/"},"Host"),
events:c("a",{href:"#/events"},"Events")},xc=c("button",{type:"button",class:"quiet",onclick:zh}),_c=c("span",{class:"host-name","data-figur\
e":"host"}),Sc=c("footer",{},c("span",{"data-figure":"version"}),c("a",{href:"/openapi.json"},"Interface for programs"),c("a",{href:"/metric\
s"},"Metrics")),Tc=c("button",{type:"button",class:"quiet",onclick:yo}),dn=new hi(Mc),un=null,hr=null;function Ch(){let e=c("a",{class:"skip",
href:"#main"},"To the content");e.addEventListener("click",n=>{n.preventDefault(),xs.focus()});let t=c("a",{href:"#/",class:"brand"},c("img",
{src:"/assets/icon.svg",alt:"",width:24,height:24}),"Forebay"),s=c("header",{},t,_c,c("nav",{"aria-label":"Views"},Ys.host,Ys.events),c("div",
{class:"header-end"},pr,xc,Tc));document.body.append(e,s,kc,xs,Sc,Qr()),xs.append(Us)}function Ec(){let e=hl(window.location.hash);if(!(un!==
null&&hr!==null&&e.disk!==null&&e.disk===hr.disk)){un?.leave();let{disk:s}=e;un=s!==null?mc(s,()=>{dn.look()},n=>dn.show(n)):e.view==="event\
s"?gc():yc(()=>{dn.look()}),xs.replaceChildren(un.element),window.scrollTo(0,0)}hr=e,un?.open?.(e.tab),$c(),Ys.host.setAttribute("aria-curre\
nt",e.view==="host"?"page":"false"),Ys.events.setAttribute("aria-current",e.view==="events"?"page":"false"),dn.watch(e.disk),Mc()}function $c(){
let e=dn.known.host?` on ${dn.known.host.name}`:"",t=`${un?.title??""} \u2013 Forebay${e}`;document.title!==t&&(document.title=t)}function Mc(){
let{known:e}=dn;if(Fh(e),Oh(e),!un)return;let t=e.disks!==null;Q(un.element,t),Q(Ys.events,!t||e.events!==null),t?(un.update(e),Us.remove()):
Us.isConnected||xs.append(Us)}function Fh({away:e,answeredAt:t}){xs.classList.toggle("stale",e!==null),Q(kc,e!==null),q(wc,e?Nh(e,t):""),Q(vc,
e?.status===401),q(Us,e?"Waiting for Forebay\u2026":"Asking Forebay\u2026"),pr.classList.toggle("pulse-away",e!==null),q(pr,e?"No answer":t===
null?"Connecting":"Live")}function Oh({host:e}){if(!e)return;Xr(e.token_path),q(_c,e.name);let t=Sc.firstElementChild;t&&q(t,`Forebay ${e.version}\
 on ${e.name}`),$c(),!e.may_change&&Ut.get()!==null&&Ut.clear(),qi()}function Nh({status:e,reason:t,since:s},n){let i=n===null?"":` What is \
shown is from ${yn(n)}.`;return e===401?`Seen from here, this host shows its figures to those only who have its token.${i}`:e>0?`${t}.${i}`:
`${t} since ${yn(s)}.${i} On the host, systemctl status forebay says whether it runs. This page goes on by itself.`}function zh(){dl(),qi()}
function qi(){q(xc,{auto:"Theme: system",light:"Theme: light",dark:"Theme: dark"}[mi()]),q(Tc,Ut.get()===null?"Sign in":"Signed in")}fl();Ch();
qi();document.addEventListener("forebay-token",()=>{qi(),dn.lookAtHost()});window.addEventListener("hashchange",Ec);Ec();dn.look();})();
