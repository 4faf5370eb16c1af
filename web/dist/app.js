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
"use strict";(()=>{var mo="forebay-token";var mt=class extends Error{constructor(n,s){super(s);this.status=n}status;get wantsToken(){return this.status===401}},Ut={get(){return sessionStorage.
getItem(mo)},set(e){sessionStorage.setItem(mo,e.trim())},clear(){sessionStorage.removeItem(mo)}};async function go(e){let t="/v1/host",n={method:"\
GET",headers:{authorization:`Bearer ${e.trim()}`}};try{let{host:s}=await bo(t,n,8e3);if(!s.may_change)return!1}catch(s){if(s instanceof mt&&
s.wantsToken)return!1;throw s}return Ut.set(e),!0}async function nn(e,t){return(await bo(e,{method:"GET"},8e3))[t]}async function Gr(e,t){return Kr(
e,t,n=>n.status===404)}async function Yt(e,t){return Kr(e,t,n=>n.status!==0&&!n.wantsToken)}async function Kr(e,t,n){try{return await nn(e,t)}catch(s){
if(s instanceof mt&&n(s))return null;throw s}}async function Me(e,t,n){let s={method:e,headers:{"content-type":"application/json"},body:JSON.
stringify(n??null)};return bo(t,s,12e4)}function Ae(e){return`/v1/disks/${encodeURIComponent(e)}`}function jr(e){return`/v1/pool/devices/${e}`}
function Ur(e,t){return`/v1/history/${encodeURIComponent(e)}?span=${t}`}async function bo(e,t,n){let s=AbortSignal.timeout(n),i=new Headers(
t.headers),r=Ut.get();r&&!i.has("authorization")&&i.set("authorization",`Bearer ${r}`);let l;try{l=await fetch(e,{...t,headers:i,signal:s,cache:"\
no-store",credentials:"omit",redirect:"error"})}catch{throw new mt(0,"Forebay does not answer")}let u=await l.json().catch(()=>null);if(!l.ok){
let f=typeof u?.detail=="string"?u.detail:`Forebay answered with status ${l.status}`;throw new mt(l.status,f)}if(u===null)throw new mt(0,"Fo\
rebay's answer was cut short");return u}function c(e,t={},...n){let s=document.createElement(e);for(let[i,r]of Object.entries(t))typeof r=="function"?s.addEventListener(i.slice(2),
r):r!=null&&r!==!1&&s.setAttribute(i,r===!0?"":String(r));return s.append(...n.filter(i=>i!=null&&i!==!1)),s}function ri(e,t){let n=document.
createElementNS("http://www.w3.org/2000/svg",e);for(let[s,i]of Object.entries(t))n.setAttribute(s,String(i));return n}function q(e,t){e.textContent!==
t&&(e.textContent=t)}function Q(e,t){e.hidden===t&&(e.hidden=!t)}function ru(e){let t=new Set;return e.map(n=>{let s=n;for(let i=1;t.has(s);i+=
1)s=`${n} (${i})`;return t.add(s),s})}function Et(e,t,n,s,i){let r=new Map([...e.children].map(p=>[p.getAttribute("data-item")??"",p])),l=ru(
t.map(n)),u=new Set(l);for(let[p,b]of r)u.has(p)||b.remove();let f=e.firstElementChild;t.forEach((p,b)=>{let m=l[b]??"",y=r.get(m)??s(p);r.delete(
m),y.setAttribute("data-item",m),i(y,p),y===f?f=y.nextElementSibling:e.insertBefore(y,f)})}var Yr=0;function ct(){return Yr+=1,`e${Yr}`}var ls=null;function Qr(){return ls=c("div",{class:"status",role:"status","aria-live":"polite"}),ls}var Jr=0,lu=8e3;function Ps(e){ls&&(q(ls,
e),ls.classList.add("status-shown"),window.clearTimeout(Jr),Jr=window.setTimeout(()=>ls?.classList.remove("status-shown"),lu))}function Zr(e){
e.addEventListener("close",()=>e.remove()),document.body.append(e),e.showModal()}function tt(e){let t=ct(),n=c("button",{type:"button"},"Can\
cel"),s=c("button",{type:"submit",class:e.isDangerous?"danger":"primary"},e.confirm),i=c("p",{class:"dialog-said","aria-live":"assertive"}),
r=au(),l=c("form",{},c("h2",{id:t},e.title),...e.sentences.map(p=>c("p",{},p)),e.fields??null,r.element,i,c("div",{class:"buttons"},n,s)),u=c(
"dialog",{"aria-labelledby":t},l),f=new AbortController;n.addEventListener("click",()=>u.close()),u.addEventListener("close",()=>f.abort()),
l.addEventListener("submit",p=>{p.preventDefault(),s.disabled=!0,i.className="dialog-said",q(i,"Working\u2026"),r.take().then(()=>e.run(b=>q(
i,b),f.signal)).then(b=>{Ps(b),u.close()}).catch(b=>{let m=b instanceof Error?b.message:String(b);if(!u.open)return Ps(m);s.disabled=!1,i.className=
"dialog-said dialog-failed",q(i,m),b instanceof mt&&b.wantsToken&&r.ask()})}),Zr(u)}function au(){let e=ct(),t=c("input",{id:e,type:"passwor\
d",autocomplete:"off",spellcheck:"false"}),n=c("div",{class:"field"},c("label",{for:e},"Token for changes"),t,el());return n.hidden=!0,{element:n,
ask(){Ut.clear(),n.hidden=!1,t.focus(),document.dispatchEvent(new Event("forebay-token"))},async take(){if(!(n.hidden||t.value.trim()==="")){
if(!await go(t.value))throw new mt(401,"This is not the token of this host");document.dispatchEvent(new Event("forebay-token"))}}}}var Rs=null;
function Xr(e){Rs=e}function el(){return c("p",{class:"hint"},"On the host, as root or the user that runs Forebay: ",c("code",{"data-figure":"\
token_path"},`cat ${Rs??"/var/lib/forebay/token"}`),Rs===null?" (or the folder that serve was given with --dir).":"."," It is kept until thi\
s tab is closed.")}function yo(){let e=ct(),t=ct(),n=c("input",{id:t,type:"password",autocomplete:"off",spellcheck:"false",required:!0}),s=c(
"button",{type:"button"},"Sign out"),i=c("button",{type:"button"},"Cancel"),r=c("button",{type:"submit",class:"primary"},"Sign in"),l=c("p",
{class:"dialog-said","aria-live":"assertive"});s.hidden=Ut.get()===null;let u=c("form",{},c("h2",{id:e},"Sign in for changes"),c("p",{},"On \
the host itself, everything can be read without it. Changes need the token of the host, and from other hosts reading does too."),c("div",{class:"\
field"},c("label",{for:t},"Token"),n,el()),l,c("div",{class:"buttons"},s,i,r)),f=c("dialog",{"aria-labelledby":e},u),p=m=>{document.dispatchEvent(
new Event("forebay-token")),Ps(m),f.close()},b=m=>{l.className="dialog-said dialog-failed",q(l,m),r.disabled=!1,n.select()};i.addEventListener(
"click",()=>f.close()),s.addEventListener("click",()=>{Ut.clear(),p("Signed out; on the host itself reading goes on")}),u.addEventListener("\
submit",m=>{m.preventDefault(),r.disabled=!0,go(n.value).then(y=>{y?p("Signed in until this tab is closed"):b(`This is not the token of this\
 host${Rs===null?"":`, which is in ${Rs}`}.`)}).catch(y=>b(y instanceof Error?y.message:String(y)))}),Zr(f)}var cu=[["TiB",1099511627776],["GiB",1073741824],["MiB",1048576],["KiB",1024],["",1]];function sn(e){return typeof e=="number"&&Number.isFinite(
e)}function F(e){if(!sn(e))return"\u2013";let t=Math.round(e),[n,s]=cu.find(([,i])=>t>=i)??["",1];return t%s===0?`${t/s}${n}`:`${(Math.floor(
(t*10+s/2)/s)/10).toFixed(1)}${n}`}var uu=[["PB",1e15],["TB",1e12],["GB",1e9],["MB",1e6],["kB",1e3],[" bytes",1]];function li(e){if(!sn(e))return"\
\u2013";let t=Math.round(e),[n,s]=uu.find(([,i])=>t>=i)??[" bytes",1];return t%s===0?`${t/s}${n}`:`${(t/s).toFixed(1)}${n}`}function Ct(e){return sn(
e)?`${F(e)}/s`:"\u2013"}function we(e){return sn(e)?`${(e*100).toFixed(1)}%`:"\u2013"}function me(e){return sn(e)?Math.round(e).toString().replace(
/\B(?=(\d{3})+$)/g,","):"\u2013"}function Ue(e){return sn(e)?e>=10||e===0?me(e):e.toFixed(1):"\u2013"}function wo(e){if(!sn(e))return"";for(let[
t,n]of[["M",1e6],["k",1e3]])if(Math.abs(e)>=n)return`${Number((e/n).toFixed(1))}${t}`;return String(Number(e.toFixed(2)))}function Ge(e){if(!sn(
e))return"\u2013";for(let[t,n]of[["s",1e6],["ms",1e3]])if(e>=n)return`${tl(e/n)} ${t}`;return`${tl(e)} us`}function tl(e){return e>=100||Number.
isInteger(e)?e.toFixed(0):e>=10?e.toFixed(1):e.toFixed(2)}function Ft(e){if(!sn(e))return"\u2013";let t=Math.round(e),n=[[Math.floor(t/86400),
"d"],[Math.floor(t/3600)%24,"h"],[Math.floor(t/60)%60,"min"],[t%60,"s"]],s=n.findIndex(([r])=>r>0);return s<0?"0 s":n.slice(s,s+2).filter(([
r])=>r>0).map(([r,l])=>`${r} ${l}`).join(" ")}function yn(e){let t=new Date(e);return[t.getHours(),t.getMinutes(),t.getSeconds()].map(n=>String(
n).padStart(2,"0")).join(":")}function ai(e){let t=new Date(e);return[t.getMonth()+1,t.getDate()].map(n=>String(n).padStart(2,"0")).join("-")}
function as(e){let t=new Date(e);return Number.isNaN(t.getTime())?e:`${[t.getFullYear(),t.getMonth()+1,t.getDate()].map(s=>String(s).padStart(
2,"0")).join("-")} ${yn(t.getTime())}`}function vo(e,t){return e.length<=t?e:`\u2026${e.slice(1-t)}`}function on(...e){return e.filter(t=>t!==
null).join(", ")}var ci=["read_hit_ram","read_hit_flash","read_miss","write","flush","destage"],cs=["reads","writes","flushes","discards","read_bytes","write\
_bytes","read_hits_ram","read_hits_flash","read_partial_hits","read_misses","reads_bypassed","backing_reads","backing_writes","backing_read_\
bytes","backing_write_bytes","flash_read_bytes","flash_write_bytes","destage_bytes","evictions"];function sl(e){let t=[];for(let[n,s]of Object.
entries(nl(e))){let{unit:i,...r}=nl(s);if(typeof i!="string")continue;let l=Object.entries(r).filter(u=>Array.isArray(u[1]));l.length>0&&t.push(
[n,{unit:i,kinds:l}])}return t}function nl(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)?e:{}}var ui={"5m":300,"1d":86400,"7d":7*86400},ko={seconds:ui["5m"],end:null};function wn(e,t=Date.now()/1e3){if(e.of)return e.of;let n=e.end===null?
e.seconds:t-e.end+e.seconds;return Object.keys(ui).find(i=>ui[i]>=n)??"7d"}function xo(e,t,n){let s=Math.max(Math.min(e,t),n-ui["7d"]),i=Math.
min(Math.max(e,t),n);return i-s>=du?{seconds:i-s,end:i}:null}var du=10;function il(e,t){let n=t-e.now,s=[],i=null;return e.time.forEach((r,l)=>{
let u=r-(e.seconds[l]??0),f=fu(e,l,r+n),p=i!==null&&u-i>e.step_seconds;p&&s.push(hu((i??0)+n)),(p||i===null)&&u<r&&s.push({...f,at:u+n}),s.push(
f),i=r}),{span:e.span,end:t,points:s}}function fu(e,t,n){let s=e.seconds[t]??0,i=u=>u?.[t]??null,r=i(e.reads)??0,l=u=>r>0&&u!==null?u/r:null;
return{at:n,rates:s>0?Object.fromEntries(cs.map(u=>[u,(i(e[u])??0)/s])):null,hitRam:l(i(e.read_hits_ram)),hitFlash:l(i(e.read_hits_flash)),readMicros:i(
e.read_latency_us),writeMicros:i(e.write_latency_us),dirtyBytes:i(e.span==="5m"?e.dirty_bytes:e.dirty_bytes_max),dirtyLimitBytes:i(e.dirty_limit_bytes),
latency:null,readSpread:[i(e.read_p50_us),i(e.read_p95_us),i(e.read_p99_us)],writeSpread:[i(e.write_p50_us),i(e.write_p95_us),i(e.write_p99_us)]}}
function hu(e){return{at:e,rates:null,hitRam:null,hitFlash:null,readMicros:null,writeMicros:null,dirtyBytes:null,dirtyLimitBytes:null,latency:null,
readSpread:null,writeSpread:null}}var Ls=300,pu=10,mu=1,gu=1e3;function So(e,t){return cs.every(n=>{let[s,i]=[e[n],t[n]];return s!==void 0&&i!==void 0&&i>=s})}function ol(e,t){
let n=t.at-e.at;if(n<=0||!So(e.statistics,t.statistics))return null;let s=cs.map(i=>[i,bu(e,t,i)/n]);return Object.fromEntries(s)}function bu(e,t,n){
return(t.statistics[n]??0)-(e.statistics[n]??0)}var yu=["read_hit_ram","read_hit_flash","read_miss"];function rl(e,t,n){let s=({statistics:l},u)=>n.
reduce((f,p)=>f+(l.latency_us?u(l.latency_us[p]):0),0),i=l=>s(t,l)-s(e,l),r=i(l=>l.count);return r>0?Math.max(0,i(l=>l.count*l.mean))/r:null}
function fi(e){if(e===null)return null;let t=(e.reads??0)+(e.writes??0);return t>0?1-((e.backing_reads??0)+(e.backing_writes??0))/t:null}function Rn(e){
return e===null?null:e.reads+e.writes}function ll(e){let t=e.filter(n=>n!==null);return t.length===0?null:To(t)}function al(e){let{reads:t=0,
read_hits_ram:n=0,read_hits_flash:s=0}=e;return t>0?(n+s)/t:null}function To(e){return Object.fromEntries(cs.map(t=>[t,e.reduce((n,s)=>n+(s[t]??
0),0)]))}var di=class{#n=[];#t=[];get points(){return this.#t}get last(){return this.#t.at(-1)}add(t,n,s){let i={at:t,statistics:n};t<(this.#t.
at(-1)?.at??t)&&([this.#n,this.#t]=[[],[]]);let r=this.#n.at(-1);r&&t-r.at<mu&&So(r.statistics,n)||(r&&!So(r.statistics,n)&&(this.#n=[]),this.#t.
push(this.#l(i,s??n)),this.#n.push(i),this.#n=_o(this.#n,t),this.#t=_o(this.#t,t))}fill(t){let n=this.#t[0],s=t.filter(u=>n===void 0||u.at<n.
at),[i,r]=[t.at(-1),n??t.at(-1)];if(r===void 0||i===void 0)return;let l=n?.rates===null?[{...i,...wu(n)},...this.#t.slice(1)]:this.#t;this.#t=
_o([...s,...l],this.#t.at(-1)?.at??r.at)}#l(t,n){let{at:s,statistics:i}=t,r=this.#n.at(-1),l=this.#n.find(p=>s-p.at<=pu)??r,u=l?ol(l,t):null,
f=p=>u&&u.reads>0?p/u.reads:null;return{at:s,rates:r?ol(r,t):null,hitRam:u&&f(u.read_hits_ram),hitFlash:u&&f(u.read_hits_flash),readMicros:u&&
l?rl(l,t,yu):null,writeMicros:u&&l?rl(l,t,["write"]):null,dirtyBytes:i.dirty_bytes??null,dirtyLimitBytes:i.dirty_limit_bytes??null,latency:n.
latency_us??null,readSpread:null,writeSpread:null}}};function nt(e){return(e.dirty_bytes??0)+(e.dirty_zeroes_bytes??0)}function wu(e){return Object.
fromEntries(Object.entries(e).filter(([,t])=>t!==null))}function _o(e,t){return e.filter(n=>t-n.at<=Ls).slice(-gu)}var Eo=2e3,vu=3,ku=15,xu=15,_u=500,hi=class{known={disks:null,statistics:new Map,windows:new Map,pool:null,poolProblem:null,series:new Map,events:null,
disk:null,histograms:null,curve:null,advice:null,report:null,period:ko,past:null,host:null,ahead:0,answeredAt:null,away:null};#n=null;#t;#l=0;#i=0;#o=0;#a=0;#e=!1;#s=0;constructor(t){
this.#t=t}watch(t){t!==this.#n&&(this.#n=t,this.known.disk=null,this.known.histograms=null,this.known.curve=null,this.known.advice=null,this.
known.report=null,this.known.period=ko,this.known.past=null,this.#e=!1,this.#i=0,this.look())}show(t){let n=wn(t)!==wn(this.known.period);this.
known.period=t,n&&(this.known.past=null,this.#o=0,this.look()),this.#t()}lookAtHost(){this.#a=0,this.known.host&&(this.known.host={...this.known.
host,may_change:!0}),this.look()}async look(){window.clearTimeout(this.#l);let t=++this.#s;try{await this.#u(t)}catch(n){t===this.#s&&this.#h(
n)}t===this.#s&&(this.#t(),this.#l=window.setTimeout(()=>{this.look()},Eo))}async#u(t){let n=this.#n,s=this.known.events?.at(-1)?.id??0,[i,r,
l,u,f,p,b]=await Promise.all([nn("/v1/disks","disks"),nn("/v1/stats","disks"),nn("/v1/stats?window=5m","disks"),this.#r(),Yt(`/v1/events?aft\
er=${s}`,"events"),n===null?null:Gr(Ae(n),"disk"),this.#a++%xu===0?Yt("/v1/host","host"):this.known.host]),m=Date.now(),[y,T,_,R]=n!==null&&
p!==null&&this.#i%vu===0?await Promise.all([Yt(`${Ae(n)}/histograms`,"histograms"),Yt(`${Ae(n)}/curve`,"curve"),Yt(`${Ae(n)}/advice`,"advice"),
Yt(`${Ae(n)}/report`,"report")]):[void 0,void 0,void 0,void 0],O=n!==null&&p!==null?await this.#d(n):null;t===this.#s&&(this.#i+=1,this.#o+=
1,this.#e||=p!==null&&wn(this.known.period)==="5m",Object.assign(this.known,{disks:i,...u,host:b,answeredAt:m,away:null}),this.#c(m/1e3,r,l),
this.#f(f),n!==null&&(this.known.disk=p??"missing"),O!==null&&this.#p(O,m/1e3),T!==void 0&&(this.known.curve=T),_!==void 0&&(this.known.advice=
_?.[0]??null),R!==void 0&&(this.known.report=R),y!==void 0&&(this.known.histograms=y===null?null:sl(y)))}async#r(){try{return{pool:await nn(
"/v1/pool","pool"),poolProblem:null}}catch(t){if(!(t instanceof mt)||t.status===0)throw t;return{pool:null,poolProblem:t.message}}}#c(t,n,s){
let i=r=>new Map(r.map(l=>[l.name,l]));this.known.statistics=i(n),this.known.windows=i(s.filter(r=>r.window==="5m"));for(let r of this.known.
series.keys())this.known.statistics.has(r)||this.known.series.delete(r);for(let r of n){let l=this.known.series.get(r.name)??new di;this.known.
series.set(r.name,l),l.add(t,r,this.known.windows.get(r.name))}}#d(t){let n=wn(this.known.period);return(n==="5m"?!this.#e:this.known.past===
null||this.#o%ku===0)?Yt(Ur(t,n),"history"):null}#p(t,n){let s=il(t,n);this.known.ahead=n-t.now,s.span==="5m"?this.known.series.get(t.name)?.
fill(s.points):this.known.past=s}#f(t){t!==null&&(this.known.events=Su(this.known.events??[],t))}#h(t){let n=t instanceof Error?t.message:String(
t);this.#a=0;let s=t instanceof mt?t.status:0;this.known.away={since:this.known.away?.since??Date.now(),reason:n,status:s}}};function Su(e,t){
let[n,s]=[e.at(-1),t[0]];return[...n===void 0||s===void 0||s.id>n.id?e:[],...t].slice(-_u)}var cl="forebay-theme",pi=["auto","light","dark"],ul=window.matchMedia("(prefers-color-scheme: dark)"),$o=new Set;function mi(){let e=localStorage.
getItem(cl);return pi.find(t=>t===e)??"auto"}function dl(){let e=pi[(pi.indexOf(mi())+1)%pi.length]??"auto";localStorage.setItem(cl,e),Mo()}
function gi(e){return $o.add(e),()=>$o.delete(e)}function fl(){ul.addEventListener("change",Mo),Mo()}function Mo(){let e=mi(),t=ul.matches?"\
dark":"light";document.documentElement.dataset.theme=e==="auto"?t:e;for(let n of $o)n()}function st(e){return getComputedStyle(document.documentElement).
getPropertyValue(`--${e}`).trim()}var Ao=["overview","sizing","requests","connect","settings"];function Ln(e,t="overview"){let n=`#/disk/${encodeURIComponent(e)}`;return t===
"overview"?n:`${n}/${t}`}function hl(e){let[,t="",n="",s=""]=e.replace(/^#/,"").split("/"),i=Ao.find(r=>r===s)??"overview";return t==="disk"&&
n!==""?{view:"disk",disk:Tu(n),tab:i}:{view:t==="events"?"events":"host",disk:null,tab:i}}function Tu(e){try{return decodeURIComponent(e)}catch{
return e}}var Do={good:"\u2713",busy:"\u2026",warning:"!",bad:"\u2715"},yi={info:"good",warning:"warning",error:"bad"},Eu={serving:"good",attaching:"b\
usy",detaching:"busy",removing:"busy",waiting:"warning",stopped:"bad",failed:"bad",missing:"bad",used:"good",leaving:"busy"};function rn(e){
return Eu[e]??"warning"}var $u={waiting:"It is served by itself as soon as it can be; put right what the reason names.",stopped:"It answers \
nothing but errors, so that no guest sees old data. See what it lost, and the log of the daemon.",failed:"It answers errors. Put right what \
the reason names, then restart Forebay."},bi=["good","busy","warning","bad"];function wi(e){return bi[Math.max(0,...e.map(t=>bi.indexOf(t)))]??
"good"}function Cs(e){let t=[],n=(u,f,p=null)=>t.push({tone:u,text:f,advice:p});if(rn(e.state)!=="good"){let u=e.reason?`: ${e.reason}`:"";n(
rn(e.state),`Disk ${e.name} is ${e.state}${u}`,$u[e.state]??null)}let s=e.lost_bytes??0;s>0&&n("bad",`Flash lost ${F(s)} of ${e.name} before\
 its backing had it`,`forebay disk show ${e.name} --lost lists the ranges.`);let i=e.backing_state;i&&i.state!=="good"&&n("bad",Au(e.name,i),
Mu[i.state]??null),e.quiesce?.state==="failed"&&n("warning",`${e.name} could not be quiesced: ${e.quiesce.reason??"no reason is known"}`,null);
let r=e.segments_uncopied??0;e.mirrored===!0&&r>0&&n("warning",`${me(r)} segments of ${e.name} lack a second copy`,"They are being copied; u\
ntil then one device has that data alone.");let l=e.dirty_bytes??0;return e.dirty_limit_bytes&&l>=e.dirty_limit_bytes*.9&&n("warning",`Desta\
ge of ${e.name} is behind: ${F(l)} of at most ${F(e.dirty_limit_bytes)} is dirty`,"Writes are slowed down to what the backing takes."),t.sort(
(u,f)=>bi.indexOf(f.tone)-bi.indexOf(u.tone))}var Mu={failing:"Hits are answered; the rest waits for retry-time.",replaced:"Guests continue \
with the one that was opened. Put it back under its path, or copy it through the disk's NBD socket, before Forebay stops.",missing:"Guests c\
ontinue with the one that was opened. Put it back under its path, or copy it through the disk's NBD socket, before Forebay stops."};function Au(e,t){
let n=t.for_seconds===null?"":` for ${Ft(t.for_seconds)}`,s=t.reason?`: ${t.reason}`:"";return t.state==="replaced"?`Another file or device \
is at the path of ${e}'s backing${s}`:t.state==="missing"?`Nothing is at the path of ${e}'s backing any more${s}`:`The backing of ${e} fails${n}${s}`}
var Du=["flush","persistence","direct-io"];function pl(e){let t=(e.backing_limitations??[]).map(r=>({tone:"warning",text:r,advice:null})),s=(e.
backing_capabilities??[]).filter(({name:r,able:l})=>!l&&!Du.includes(r)).map(({title:r,reason:l})=>({tone:"busy",text:`The backing is withou\
t ${r}: ${l??"no reason is known"}`,advice:null})),i=(e.remarks??[]).map(({key:r,text:l})=>({tone:"busy",text:`${r}: ${l}`,advice:null}));return[
...t,...s,...i]}function ml(e){let t=e.warnings.map(n=>({tone:"warning",text:n,advice:null}));return rn(e.state)!=="good"&&t.unshift({tone:"\
bad",text:`The pool is ${e.state}${e.reason?`: ${e.reason}`:""}`,advice:"Disks go on from their backings; what is dirty waits for the pool."}),
e.page_cache_reason&&t.push({tone:"warning",text:`The pool goes through the page cache, because ${e.page_cache_reason}`,advice:null}),t}function gl(e){
if(e===null)return"";let t=e.used_percent===null?null:`${we(e.used_percent/100)} of its life used`,n=e.days_left===null?null:`${me(e.days_left)}\
 days left`,s=e.rated_bytes===null?"":`, rated for ${li(e.rated_bytes)}`;return on(t,n,`${li(e.written_bytes)} written${s}`)}function bl(e){
if(e===null)return"";let t=`${li(e.bytes_per_day)} a day`,n=e.used_ratio===null?`at most ${t}`:`${we(e.used_ratio)} of ${t} written`,s=e.promoted_batches_ratio,
i=s>=1?null:s>0?`${we(s)} of batches of promotions let in`:"no promotions let in";return on(n,i)}var vi={read_hit_ram:"Read, RAM hit",read_hit_flash:"\
Read, flash hit",read_miss:"Read, miss",write:"Write",flush:"Flush",destage:"Destage"};function Fs(e){return e?`+ ${F(e)} of zeroes`:null}function yl(e){
switch(e.quiesce?.state){case"destaging":return`Being quiesced: ${F(nt(e))} left to destage`;case"quiesced":return`Quiesced for another ${Ft(
e.quiesce.seconds_left)}`;case"failed":return`Could not be quiesced: ${e.quiesce.reason??"no reason is known"}`;default:return null}}function wl(e){
let{load:t}=e;if(!t)return"not known while the disk is not served";if(t.state==="loading")return"being loaded; reads come from the backing m\
eanwhile";if(t.state==="cold")return`nothing: ${t.reason??"no reason is known"}`;let n=`${F(t.kept_bytes)} came back`;return t.dropped_bytes>
0?`${n}, ${F(t.dropped_bytes)} may have changed and is not trusted`:n}function vl(e){let{requests_delayed:t,request_delay_ns:n}=e.statistics;
return t===void 0||n===void 0?"\u2013":t>0?`${me(t)} requests, ${Ge(n/t/1e3)} each on average`:["iops-max","bandwidth-max"].some(s=>(e.settings[s]??
"off")!=="off")?"nothing":"no limits"}var Os=[{name:"mode",about:"What happens to reads and writes.",choices:["write-through","write-back","\
write-around","pass-through"]},{name:"block-size",about:"Unit of the index. A change drops what is cached of the disk.",choices:[4,8,16,32,64,
128,256,512,1024].map(e=>F(e*1024))},{name:"reserve",about:"Flash that the disk gets whatever the others do: auto, a size or a share such as\
 20%."},{name:"limit",about:"Flash that the disk never exceeds: auto, a size or a share."},{name:"ram",about:"RAM in front of the flash, at \
least 1MiB."},{name:"admission",about:"What may enter flash: adaptive, adaptive:hits, always or repeated:N."},{name:"sequential-cutoff",about:"\
Misses of a sequential run longer than this go past the cache; 0 is off, auto leaves it to admission for reads."},{name:"dirty-limit",about:"\
Write-back: the most that flash may hold and the backing does not have."},{name:"destage-rate-min",about:"Write-back: destage never goes slo\
wer than so many bytes a second; 0 is none."},{name:"destage-rate-max",about:"Write-back: destage never goes faster than so many bytes a sec\
ond; 0 is no limit."},{name:"redundancy",about:"Write-back: whether dirty data is kept on two devices of the pool.",choices:["mirror","none"]},
{name:"allow-unmarked",about:"Write-back where the backing cannot be marked: nothing then keeps another Forebay from serving it.",choices:["\
no","yes"]},{name:"retry-time",about:"How long a request waits for a backing that fails or hangs, such as 25s, or wait."},{name:"iops-max",about:"\
Requests a second that guests get at most; off is no limit."},{name:"bandwidth-max",about:"Bytes a second that reads and writes move at most\
, at least 1MiB; off is no limit."},{name:"burst-time",about:"How long these two are saved up while guests ask for less, such as 1s."},{name:"\
sector-size",about:"Sector that guests are shown when they connect next; auto follows the backing.",choices:["auto","512","4096"]},{name:"ma\
p",about:"Whether the disk is made a block device of the host at each start of the service.",choices:["off","on"]},{name:"socket-owner",about:"\
User who owns the sockets that guests connect to; auto is the daemon's."},{name:"socket-group",about:"Group of the sockets that guests conne\
ct to; auto is forebay if the host has it."},{name:"socket-mode",about:"Who may connect, as octal digits."}],Pu={"write-through":"Writes go \
to the backing first, then to the cache; the backing is always complete.","write-back":"Writes are acknowledged when flash has them, and the\
 backing gets them later. Until then the newest data is on flash alone.","write-around":"Writes go to the backing only; what they replace in\
 the cache is dropped.","pass-through":"Every request goes to the backing. Guests have no cache until the mode is changed back."};function ki(e,t){
return[...Object.entries(t).map(([s,i])=>Ru(e,s,i)).flat(),"Guests stay connected and go on meanwhile."]}function Ru(e,t,n){let s=F(e.statistics.
cached_bytes);switch(t){case"mode":return[Pu[n]??`The mode becomes ${n}.`,...Lu(e,n)];case"block-size":return[`What is cached of the disk on\
 flash (${s}) is dropped; it is read from the backing again.`];case"limit":return[`Flash that the disk holds above the new limit is evicted;\
 it holds ${F(e.statistics.flash_bytes)} now.`];case"allow-unmarked":return n==="yes"?["Nothing keeps another Forebay from serving this back\
ing while flash has newer data. See to that yourself."]:[];case"redundancy":return[n==="none"?"Dirty data is kept on one device only: if it \
fails, that data is lost.":"Dirty data is kept on two devices, if the pool has them."];case"sector-size":return["Guests see it when they con\
nect again. A guest that has partitions on the disk does not find them in sectors of another size."];case"iops-max":case"bandwidth-max":return[
n==="off"?"Guests are not held back by it any more.":"Requests of guests beyond it wait, from now on; no error comes of it."];case"socket-ow\
ner":case"socket-group":case"socket-mode":return["Who may connect to the disk changes at once."];default:return[]}}function Lu(e,t){return e.
mode!=="write-back"||t==="write-back"||nt(e)===0?[]:[`${F(nt(e))} is dirty; it is written to the backing while guests go on.`]}function kl(e){
let t=nt(e);return[t>0?`${F(t)} is dirty and is written to the backing first.`:"Nothing is dirty: the backing has everything.","The guest go\
es on meanwhile, and has its disk as it was before. What is cached of it is dropped."]}function xl(e){let t=nt(e),n=e.connections??0;return[
t>0?`${F(t)} is dirty; it is written to the backing first. If that cannot be, the disk stays.`:"Nothing is dirty: the backing has everything\
.",...n>0?[`${me(n)} ${n===1?"client is":"clients are"} connected, so it is refused unless the box below is ticked.`]:[],...e.guest?["It was\
 taken from a running guest. `forebay vm detach` gives it back to that guest without errors."]:[],"What is cached of it is dropped. The cont\
ent of the backing stays."]}function us(e,t){let n=nt(t),s=n>0?`${F(n)} is dirty: flash has it and the backing does not.`:"Nothing is dirty:\
 the backing has everything.";switch(e){case"destage":return[s,"Dirty data is written to the backing at full speed. Guests go on and may not\
ice a busier backing."];case"normal":return[s,"Destage goes on at the pace that suits guests."];case"quiesce":return[s,"It is destaged first\
. After that, writes wait for the backing, so that a backup or snapshot of the backing is complete.","This ends by itself after the time bel\
ow, or when it is resumed."];case"resume":return["Writes may lie on flash alone again, as the mode says."];case"evict":return[`${F(t.statistics.
cached_bytes)} cached on flash and ${F(t.statistics.ram_bytes)} in RAM are dropped, and no restart brings them back.`,n>0?`${F(n)} is dirty \
and is destaged first.`:"Nothing is dirty; nothing is lost.","Guests go on from the backing, slower, until the cache is warm again."]}}var Cu=60,Fu=600,Ou=300;function Sl(e,t){let n=Nu.map(i=>{let r=()=>{let l=e();l&&tt(Iu(i.work(l),t))};return[i,c("button",{type:"button","d\
ata-action":i.name,onclick:r},i.label)]}),s=c("p",{class:"hint","data-figure":"quiesce"});return{element:c("section",{class:"card","aria-lab\
el":"Actions"},c("h2",{},"Actions"),c("div",{class:"buttons buttons-start"},...n.map(([,i])=>i)),s),update(){let i=e();for(let[l,u]of n)u.disabled=
i===null||!l.isPossible(i);let r=i&&!Ns(i)?`Nothing can be done while the disk is ${i.state}.`:i?yl(i):null;q(s,r??""),Q(s,r!==null)}}}var Ns=e=>e.
state==="serving",Po=e=>e.quiesce?.state==="destaging"||e.quiesce?.state==="quiesced",Nu=[{name:"destage",label:"Destage now\u2026",isPossible:Ns,
work:e=>({title:`Destage ${e.name} at full speed?`,sentences:us("destage",e),confirm:"Destage now",run:async()=>(await Me("POST",`${Ae(e.name)}\
/destage`),`What is dirty of ${e.name} is on its way to the backing`)})},{name:"normal",label:"Destage at normal pace\u2026",isPossible:Ns,work:e=>({
title:`Let ${e.name} destage at its own pace?`,sentences:us("normal",e),confirm:"Normal pace",run:async()=>(await Me("DELETE",`${Ae(e.name)}\
/destage`),`${e.name} is destaged as it suits guests`)})},{name:"quiesce",label:"Quiesce\u2026",isPossible:e=>Ns(e)&&!Po(e),work:zu},{name:"\
resume",label:"Resume\u2026",isPossible:Po,work:e=>({title:`Resume ${e.name}?`,sentences:us("resume",e),confirm:"Resume",run:async()=>(await Me(
"POST",`${Ae(e.name)}/resume`),`${e.name} is resumed`)})},{name:"evict",label:"Evict\u2026",isPossible:Ns,work:e=>({title:`Drop what is cach\
ed of ${e.name}?`,sentences:us("evict",e),confirm:"Evict",run:(t,n)=>Hu(e.name,t,n)})}];function zu(e){let t=ct(),n=c("input",{id:t,type:"nu\
mber",min:1,max:86400,value:Fu,required:!0});return{title:`Hold ${e.name} without dirty data?`,sentences:us("quiesce",e),confirm:"Quiesce",fields:c(
"div",{class:"field"},c("label",{for:t},"For so many seconds"),n),run:async()=>{let s=Number(n.value);return await Me("POST",`${Ae(e.name)}/\
quiesce`,{seconds:s}),`${e.name} is being quiesced, then held so for ${Ft(s)}`}}}async function Hu(e,t,n){let s=Ae(e),i=await nn(s,"disk");if(Po(
i))await _l(e,t,n),await Me("POST",`${s}/evict`);else if(nt(i)>0){let l=(await Me("POST",`${s}/quiesce`,{seconds:Cu})).disk.quiesce?.number;
try{await _l(e,t,n),await Me("POST",`${s}/evict`)}finally{await Me("POST",`${s}/resume`,{number:l})}}else await Me("POST",`${s}/evict`);return`\
Nothing is cached of ${e} any more, and no restart brings it back`}async function _l(e,t,n){for(;;){if(n.aborted)throw new Error("Stopped; t\
he disk is served as before");let s=await nn(Ae(e),"disk"),i=s.quiesce?.state;if(i==="quiesced")return;if(i!=="destaging")throw new Error(`C\
annot destage dirty data: ${s.quiesce?.reason??s.reason??"it was resumed"}. Nothing was dropped.`);t(`${F(nt(s))} left to destage\u2026`),await new Promise(
r=>window.setTimeout(r,Ou))}}function Iu(e,t){return{...e,run:(n,s)=>e.run(n,s).finally(t)}}function Wu(e){let t=["verdict","latency"];return[...e.sentences.filter(s=>t.includes(s.about)),...e.warnings].map(s=>s.text)}var xi=class{element;#n=c(
"div",{class:"advice-text",role:"status"});#t=c("code",{});#l=c("p",{class:"hint"},"The same on the host: ",this.#t);#i=c("button",{type:"bu\
tton",class:"primary",onclick:()=>this.#u()},"Apply\u2026");#o;#a=null;#e=null;#s="";constructor(t){this.#o=t;let n=c("div",{class:"buttons \
buttons-start"},this.#i);this.element=c("section",{class:"card advice","aria-label":"Advice"},c("h2",{},"Advice"),this.#n,n,this.#l,c("p",{class:"\
hint"},"On the host, forebay advise says why, with all figures.")),this.element.hidden=!0}set(t,n){if(Q(this.element,t!==null),this.#a=t,this.#e=
n,!t)return;let s=Wu(t);JSON.stringify(s)!==this.#s&&(this.#s=JSON.stringify(s),this.#n.replaceChildren(...s.map(i=>c("p",{},i)))),q(this.#t,
t.command??""),Q(this.#l,t.command!==null),Q(this.#i,Object.keys(t.keys??{}).length>0)}#u(){let{keys:t}=this.#a??{keys:{}},n=this.#e;if(!n||
Object.keys(t).length===0)return;let s=Object.entries(t).map(([i,r])=>c("li",{},c("code",{},i),`: ${n.settings[i]??""} \u2192 ${r}`));tt({title:`\
Apply the advice to ${n.name}?`,sentences:ki(n,t),confirm:"Apply",fields:c("ul",{class:"changes"},...s),run:async()=>(await Me("PATCH",Ae(n.
name),{settings:t,drop_cached:!0}),this.#o(),`${n.name} now has ${Object.entries(t).map(([i,r])=>`${i}=${r}`).join(" ")}`)})}};var Bu="uplot",Vu="u-hz",qu="u-vt",Gu="u-title",Ku="u-wrap",ju="u-under",Uu="u-over",Yu="u-axis",On="u-off",Ju="u-select",Qu="u-cursor-x",Zu="\
u-cursor-y",Xu="u-cursor-pt",ed="u-legend",td="u-live",nd="u-inline",sd="u-series",id="u-marker",Tl="u-label",od="u-value",Hs="width",Is="he\
ight";var El="bottom",ds="left",Ro="right",Yo="#000",$l=Yo+"0",Lo="mousemove",Ml="mousedown",Co="mouseup",Al="mouseenter",Dl="mouseleave",Pl="dblc\
lick",rd="resize",ld="scroll",Rl="change",$i="dppxchange",Jo="--",ys=typeof window<"u",Ho=ys?document:null,hs=ys?window:null,ad=ys?navigator:
null,ce,_i;function Io(){let e=devicePixelRatio;ce!=e&&(ce=e,_i&&Bo(Rl,_i,Io),_i=matchMedia(`(min-resolution: ${ce-.001}dppx) and (max-resol\
ution: ${ce+.001}dppx)`),Nn(Rl,_i,Io),hs.dispatchEvent(new CustomEvent($i)))}function gt(e,t){if(t!=null){let n=e.classList;!n.contains(t)&&
n.add(t)}}function Wo(e,t){let n=e.classList;n.contains(t)&&n.remove(t)}function _e(e,t,n){e.style[t]=n+"px"}function Ot(e,t,n,s){let i=Ho.createElement(
e);return t!=null&&gt(i,t),n?.insertBefore(i,s),i}function $t(e,t){return Ot("div",e,t)}var Ll=new WeakMap;function Jt(e,t,n,s,i){let r="tra\
nslate("+t+"px,"+n+"px)",l=Ll.get(e);r!=l&&(e.style.transform=r,Ll.set(e,r),t<0||n<0||t>s||n>i?gt(e,On):Wo(e,On))}var Cl=new WeakMap;function Fl(e,t,n){
let s=t+n,i=Cl.get(e);s!=i&&(Cl.set(e,s),e.style.background=t,e.style.borderColor=n)}var Ol=new WeakMap;function Nl(e,t,n,s){let i=t+""+n,r=Ol.
get(e);i!=r&&(Ol.set(e,i),e.style.height=n+"px",e.style.width=t+"px",e.style.marginLeft=s?-t/2+"px":0,e.style.marginTop=s?-n/2+"px":0)}var Qo={
passive:!0},cd={...Qo,capture:!0};function Nn(e,t,n,s){t.addEventListener(e,n,s?cd:Qo)}function Bo(e,t,n,s){t.removeEventListener(e,n,Qo)}ys&&
Io();function Nt(e,t,n,s){let i;n=n||0,s=s||t.length-1;let r=s<=2147483647;for(;s-n>1;)i=r?n+s>>1:bt((n+s)/2),t[i]<e?n=i:s=i;return e-t[n]<=
t[s]-e?n:s}function da(e){return(n,s,i)=>{let r=-1,l=-1;for(let u=s;u<=i;u++)if(e(n[u])){r=u;break}for(let u=i;u>=s;u--)if(e(n[u])){l=u;break}
return[r,l]}}var fa=e=>e!=null,ha=e=>e!=null&&e>0,Di=da(fa),ud=da(ha);function dd(e,t,n,s=0,i=!1){let r=i?ud:Di,l=i?ha:fa;[t,n]=r(e,t,n);let u=e[t],
f=e[t];if(t>-1)if(s==1)u=e[t],f=e[n];else if(s==-1)u=e[n],f=e[t];else for(let p=t;p<=n;p++){let b=e[p];l(b)&&(b<u?u=b:b>f&&(f=b))}return[u??
ge,f??-ge]}function Pi(e,t,n,s){let i=Il(e),r=Il(t);e==t&&(i==-1?(e*=n,t/=n):(e/=n,t*=n));let l=n==10?ln:pa,u=i==1?bt:Mt,f=r==1?Mt:bt,p=u(l(
Ne(e))),b=f(l(Ne(t))),m=ps(n,p),y=ps(n,b);return n==10&&(p<0&&(m=be(m,-p)),b<0&&(y=be(y,-b))),s||n==2?(e=m*i,t=y*r):(e=ya(e,m),t=Ri(t,y)),[e,
t]}function Zo(e,t,n,s){let i=Pi(e,t,n,s);return e==0&&(i[0]=0),t==0&&(i[1]=0),i}var Xo=.1,zl={mode:3,pad:Xo},Bs={pad:0,soft:null,mode:0},fd={
min:Bs,max:Bs};function Mi(e,t,n,s){return Li(n)?Hl(e,t,n):(Bs.pad=n,Bs.soft=s?0:null,Bs.mode=s?3:0,Hl(e,t,fd))}function le(e,t){return e??t}
function hd(e,t,n){for(t=le(t,0),n=le(n,e.length-1);t<=n;){if(e[t]!=null)return!0;t++}return!1}function Hl(e,t,n){let s=n.min,i=n.max,r=le(s.
pad,0),l=le(i.pad,0),u=le(s.hard,-ge),f=le(i.hard,ge),p=le(s.soft,ge),b=le(i.soft,-ge),m=le(s.mode,0),y=le(i.mode,0),T=t-e,_=ln(T),R=ot(Ne(e),
Ne(t)),O=ln(R),B=Ne(O-_);(T<1e-24||B>10)&&(T=0,(e==0||t==0)&&(T=1e-24,m==2&&p!=ge&&(r=0),y==2&&b!=-ge&&(l=0)));let x=T||R||1e3,N=ln(x),E=ps(
10,bt(N)),Y=x*(T==0?e==0?.1:1:r),A=be(ya(e-Y,E/10),24),K=e>=p&&(m==1||m==3&&A<=p||m==2&&A>=p)?p:ge,J=ot(u,A<K&&e>=K?K:zt(K,A)),ee=x*(T==0?t==
0?.1:1:l),j=be(Ri(t+ee,E/10),24),$=t<=b&&(y==1||y==3&&j>=b||y==2&&j<=b)?b:-ge,Z=zt(f,j>$&&t<=$?$:ot($,j));return J==Z&&J==0&&(Z=100),[J,Z]}var pd=new Intl.
NumberFormat(ys?ad.language:"en-US"),er=e=>pd.format(e),yt=Math,Ei=yt.PI,Ne=yt.abs,bt=yt.floor,Oe=yt.round,Mt=yt.ceil,zt=yt.min,ot=yt.max,ps=yt.
pow,Il=yt.sign,ln=yt.log10,pa=yt.log2,md=(e,t=1)=>yt.sinh(e)*t,Fo=(e,t=1)=>yt.asinh(e/t),ge=1/0;function Wl(e){return(ln((e^e>>31)-(e>>31))|
0)+1}function Vo(e,t,n){return zt(ot(e,t),n)}function ma(e){return typeof e=="function"}function ie(e){return ma(e)?e:()=>e}var gd=()=>{},ga=e=>e,
ba=(e,t)=>t,bd=e=>null,Bl=e=>!0,Vl=(e,t)=>e==t,yd=/\.\d*?(?=9{6,}|0{6,})/gm,zn=e=>{if(va(e)||kn.has(e))return e;let t=`${e}`,n=t.match(yd);if(n==
null)return e;let s=n[0].length-1;if(t.indexOf("e-")!=-1){let[i,r]=t.split("e");return+`${zn(i)}e${r}`}return be(e,s)};function Cn(e,t){return zn(
be(zn(e/t))*t)}function Ri(e,t){return zn(Mt(zn(e/t))*t)}function ya(e,t){return zn(bt(zn(e/t))*t)}function be(e,t=0){if(va(e))return e;let n=10**
t,s=e*n*(1+Number.EPSILON);return Oe(s)/n}var kn=new Map;function wa(e){return((""+e).split(".")[1]||"").length}function qs(e,t,n,s){let i=[],
r=s.map(wa);for(let l=t;l<n;l++){let u=Ne(l),f=be(ps(e,l),u);for(let p=0;p<s.length;p++){let b=e==10?+`${s[p]}e${l}`:s[p]*f,m=(l>=0?0:u)+(l>=
r[p]?0:r[p]),y=e==10?b:be(b,m);i.push(y),kn.set(y,m)}}return i}var Vs={},tr=[],ms=[null,null],vn=Array.isArray,va=Number.isInteger,wd=e=>e===
void 0;function ql(e){return typeof e=="string"}function Li(e){let t=!1;if(e!=null){let n=e.constructor;t=n==null||n==Object}return t}function vd(e){
return e!=null&&typeof e=="object"}var kd=Object.getPrototypeOf(Uint8Array),ka="__proto__";function gs(e,t=Li){let n;if(vn(e)){let s=e.find(
i=>i!=null);if(vn(s)||t(s)){n=Array(e.length);for(let i=0;i<e.length;i++)n[i]=gs(e[i],t)}else n=e.slice()}else if(e instanceof kd)n=e.slice();else if(t(
e)){n={};for(let s in e)s!=ka&&(n[s]=gs(e[s],t))}else n=e;return n}function Le(e){let t=arguments;for(let n=1;n<t.length;n++){let s=t[n];for(let i in s)
i!=ka&&(Li(e[i])?Le(e[i],gs(s[i])):e[i]=gs(s[i]))}return e}var xd=0,_d=1,Sd=2;function Td(e,t,n){for(let s=0,i,r=-1;s<t.length;s++){let l=t[s];
if(l>r){for(i=l-1;i>=0&&e[i]==null;)e[i--]=null;for(i=l+1;i<n&&e[i]==null;)e[r=i++]=null}}}function Ed(e,t){if(Ad(e)){let l=e[0].slice();for(let u=1;u<
e.length;u++)l.push(...e[u].slice(1));return Dd(l[0])||(l=Md(l)),l}let n=new Set;for(let l=0;l<e.length;l++){let f=e[l][0],p=f.length;for(let b=0;b<
p;b++)n.add(f[b])}let s=[Array.from(n).sort((l,u)=>l-u)],i=s[0].length,r=new Map;for(let l=0;l<i;l++)r.set(s[0][l],l);for(let l=0;l<e.length;l++){
let u=e[l],f=u[0];for(let p=1;p<u.length;p++){let b=u[p],m=Array(i).fill(void 0),y=t?t[l][p]:_d,T=[];for(let _=0;_<b.length;_++){let R=b[_],
O=r.get(f[_]);R===null?y!=xd&&(m[O]=R,y==Sd&&T.push(O)):m[O]=R}Td(m,T,i),s.push(m)}}return s}var $d=typeof queueMicrotask>"u"?e=>Promise.resolve().
then(e):queueMicrotask;function Md(e){let t=e[0],n=t.length,s=Array(n);for(let r=0;r<s.length;r++)s[r]=r;s.sort((r,l)=>t[r]-t[l]);let i=[];for(let r=0;r<
e.length;r++){let l=e[r],u=Array(n);for(let f=0;f<n;f++)u[f]=l[s[f]];i.push(u)}return i}function Ad(e){let t=e[0][0],n=t.length;for(let s=1;s<
e.length;s++){let i=e[s][0];if(i.length!=n)return!1;if(i!=t){for(let r=0;r<n;r++)if(i[r]!=t[r])return!1}}return!0}function Dd(e,t=100){let n=e.
length;if(n<=1)return!0;let s=0,i=n-1;for(;s<=i&&e[s]==null;)s++;for(;i>=s&&e[i]==null;)i--;if(i<=s)return!0;let r=ot(1,bt((i-s+1)/t));for(let l=e[s],
u=s+r;u<=i;u+=r){let f=e[u];if(f!=null){if(f<=l)return!1;l=f}}return!0}var xa=["January","February","March","April","May","June","July","Aug\
ust","September","October","November","December"],_a=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function Sa(e){
return e.slice(0,3)}var Pd=_a.map(Sa),Rd=xa.map(Sa),Ld={MMMM:xa,MMM:Rd,WWWW:_a,WWW:Pd};function zs(e){return(e<10?"0":"")+e}function Cd(e){return(e<
10?"00":e<100?"0":"")+e}var Fd={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.
getMonth()],MM:e=>zs(e.getMonth()+1),M:e=>e.getMonth()+1,DD:e=>zs(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.
WWW[e.getDay()],HH:e=>zs(e.getHours()),H:e=>e.getHours(),h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"A\
M",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>zs(e.getMinutes()),m:e=>e.getMinutes(),ss:e=>zs(e.getSeconds()),s:e=>e.
getSeconds(),fff:e=>Cd(e.getMilliseconds())};function nr(e,t){t=t||Ld;let n=[],s=/\{([a-z]+)\}|[^{]+/gi,i;for(;i=s.exec(e);)n.push(i[0][0]==
"{"?Fd[i[1]]:i[0]);return r=>{let l="";for(let u=0;u<n.length;u++)l+=typeof n[u]=="string"?n[u]:n[u](r,t);return l}}var Od=new Intl.DateTimeFormat().
resolvedOptions().timeZone;function Nd(e,t){let n;return t=="UTC"||t=="Etc/UTC"?n=new Date(+e+e.getTimezoneOffset()*6e4):t==Od?n=e:(n=new Date(
e.toLocaleString("en-US",{timeZone:t})),n.setMilliseconds(e.getMilliseconds())),n}var Ta=e=>e%1==0,Ai=[1,2,2.5,5],zd=qs(10,-32,0,Ai),Ea=qs(10,
0,32,Ai),Hd=Ea.filter(Ta),Fn=zd.concat(Ea),sr=`
`,$a="{YYYY}",Gl=sr+$a,Ma="{M}/{D}",Ws=sr+Ma,Si=Ws+"/{YY}",Aa="{aa}",Id="{h}:{mm}",fs=Id+Aa,Kl=sr+fs,jl=":{ss}",de=null;function Da(e){let t=e*
1e3,n=t*60,s=n*60,i=s*24,r=i*30,l=i*365,f=(e==1?qs(10,0,3,Ai).filter(Ta):qs(10,-3,0,Ai)).concat([t,t*5,t*10,t*15,t*30,n,n*5,n*10,n*15,n*30,s,
s*2,s*3,s*4,s*6,s*8,s*12,i,i*2,i*3,i*4,i*5,i*6,i*7,i*8,i*9,i*10,i*15,r,r*2,r*3,r*4,r*6,l,l*2,l*5,l*10,l*25,l*50,l*100]),p=[[l,$a,de,de,de,de,
de,de,1],[i*28,"{MMM}",Gl,de,de,de,de,de,1],[i,Ma,Gl,de,de,de,de,de,1],[s,"{h}"+Aa,Si,de,Ws,de,de,de,1],[n,fs,Si,de,Ws,de,de,de,1],[t,jl,Si+
" "+fs,de,Ws+" "+fs,de,Kl,de,1],[e,jl+".{fff}",Si+" "+fs,de,Ws+" "+fs,de,Kl,de,1]];function b(m){return(y,T,_,R,O,B)=>{let x=[],N=O>=l,E=O>=
r&&O<l,Y=m(_),A=be(Y*e,3),K=Oo(Y.getFullYear(),N?0:Y.getMonth(),E||N?1:Y.getDate()),J=be(K*e,3);if(E||N){let ee=E?O/r:0,j=N?O/l:0,$=A==J?A:be(
Oo(K.getFullYear()+j,K.getMonth()+ee,1)*e,3),Z=new Date(Oe($/e)),M=Z.getFullYear(),H=Z.getMonth();for(let z=0;$<=R;z++){let ne=Oo(M+j*z,H+ee*
z,1),V=ne-m(be(ne*e,3));$=be((+ne+V)*e,3),$<=R&&x.push($)}}else{let ee=O>=i?i:O,j=bt(_)-bt(A),$=J+j+Ri(A-J,ee);x.push($);let Z=m($),M=Z.getHours()+
Z.getMinutes()/n+Z.getSeconds()/s,H=O/s,z=y.axes[T]._space,ne=B/z;for(;$=be($+O,e==1?0:3),!($>R);)if(H>1){let V=bt(be(M+H,6))%24,oe=m($).getHours()-
V;oe>1&&(oe=-1),$-=oe*s,M=(M+H)%24;let he=x[x.length-1];be(($-he)/O,3)*ne>=.7&&x.push($)}else x.push($)}return x}}return[f,p,b]}var[Wd,Bd,Vd]=Da(
1),[qd,Gd,Kd]=Da(.001);qs(2,-53,53,[1]);function Ul(e,t){return e.map(n=>n.map((s,i)=>i==0||i==8||s==null?s:t(i==1||n[8]==0?s:n[1]+s)))}function Yl(e,t){
return(n,s,i,r,l)=>{let u=t.find(_=>l>=_[0])||t[t.length-1],f,p,b,m,y,T;return s.map(_=>{let R=e(_),O=R.getFullYear(),B=R.getMonth(),x=R.getDate(),
N=R.getHours(),E=R.getMinutes(),Y=R.getSeconds(),A=O!=f&&u[2]||B!=p&&u[3]||x!=b&&u[4]||N!=m&&u[5]||E!=y&&u[6]||Y!=T&&u[7]||u[1];return f=O,p=
B,b=x,m=N,y=E,T=Y,A(R)})}}function jd(e,t){let n=nr(t);return(s,i,r,l,u)=>i.map(f=>n(e(f)))}function Oo(e,t,n){return new Date(e,t,n)}function Jl(e,t){
return t(e)}var Ud="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function Ql(e,t){return(n,s,i,r)=>r==null?Jo:t(e(s))}function Yd(e,t){let n=e.series[t];return n.
width?n.stroke(e,t):n.points.width?n.points.stroke(e,t):null}function Jd(e,t){return e.series[t].fill(e,t)}var Qd={show:!0,live:!0,isolate:!1,
mount:gd,markers:{show:!0,width:2,stroke:Yd,fill:Jd,dash:"solid"},idx:null,idxs:null,values:[]};function Zd(e,t){let n=e.cursor.points,s=$t(),
i=n.size(e,t);_e(s,Hs,i),_e(s,Is,i);let r=i/-2;_e(s,"marginLeft",r),_e(s,"marginTop",r);let l=n.width(e,t,i);return l&&_e(s,"borderWidth",l),
s}function Xd(e,t){let n=e.series[t].points;return n._fill||n._stroke}function ef(e,t){let n=e.series[t].points;return n._stroke||n._fill}function tf(e,t){
return e.series[t].points.size}var No=[0,0];function nf(e,t,n){return No[0]=t,No[1]=n,No}function Ti(e,t,n,s=!0){return i=>{i.button==0&&(!s||
i.target==t)&&n(i)}}function zo(e,t,n,s=!0){return i=>{(!s||i.target==t)&&n(i)}}var sf={show:!0,x:!0,y:!0,lock:!1,move:nf,points:{one:!1,show:Zd,
size:tf,width:0,stroke:ef,fill:Xd},bind:{mousedown:Ti,mouseup:Ti,click:Ti,dblclick:Ti,mousemove:zo,mouseleave:zo,mouseenter:zo},drag:{setScale:!0,
x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(e,t,n,s,i)=>s-i,prox:-1,
bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},Pa={show:!0,stroke:"rgba(0,0,0,0\
.07)",width:2},ir=Le({},Pa,{filter:ba}),Ra=Le({},ir,{size:10}),La=Le({},Pa,{show:!1}),or='12px system-ui, -apple-system, "Segoe UI", Roboto,\
 "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',Ca="bold "+
or,Fa=1.5,Zl={show:!0,scale:"x",stroke:Yo,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Ca,side:2,grid:ir,ticks:Ra,border:La,
font:or,lineGap:Fa,rotate:0},of="Value",rf="Time",Xl={show:!0,scale:"x",auto:!1,sorted:1,min:ge,max:-ge,idxs:[]};function lf(e,t,n,s,i){return t.
map(r=>r==null?"":er(r))}function af(e,t,n,s,i,r,l){let u=[],f=kn.get(i)||0;n=l?n:be(Ri(n,i),f);for(let p=n;p<=s;p=be(p+i,f))u.push(Object.is(
p,-0)?0:p);return u}function qo(e,t,n,s,i,r,l){let u=[],f=e.scales[e.axes[t].scale].log,p=f==10?ln:pa,b=bt(p(n));i=ps(f,b),f==10&&(i=Fn[Nt(i,
Fn)]);let m=n,y=i*f;f==10&&(y=Fn[Nt(y,Fn)]);do u.push(m),m=m+i,f==10&&!kn.has(m)&&(m=be(m,kn.get(i))),m>=y&&(i=m,y=i*f,f==10&&(y=Fn[Nt(y,Fn)]));while(m<=
s);return u}function cf(e,t,n,s,i,r,l){let f=e.scales[e.axes[t].scale].asinh,p=s>f?qo(e,t,ot(f,n),s,i):[f],b=s>=0&&n<=0?[0]:[];return(n<-f?qo(
e,t,ot(f,-s),-n,i):[f]).reverse().map(y=>-y).concat(b,p)}var Oa=/./,uf=/[12357]/,df=/[125]/,ea=/1/,Go=(e,t,n,s)=>e.map((i,r)=>t==4&&i==0||r%
s==0&&n.test(i.toExponential()[i<0?1:0])?i:null);function ff(e,t,n,s,i){let r=e.axes[n],l=r.scale,u=e.scales[l],f=e.valToPos,p=r._space,b=f(
10,l),m=f(9,l)-b>=p?Oa:f(7,l)-b>=p?uf:f(5,l)-b>=p?df:ea;if(m==ea){let y=Ne(f(1,l)-b);if(y<p)return Go(t.slice().reverse(),u.distr,m,Mt(p/y)).
reverse()}return Go(t,u.distr,m,1)}function hf(e,t,n,s,i){let r=e.axes[n],l=r.scale,u=r._space,f=e.valToPos,p=Ne(f(1,l)-f(2,l));return p<u?Go(
t.slice().reverse(),3,Oa,Mt(u/p)).reverse():t}function pf(e,t,n,s){return s==null?Jo:t==null?"":er(t)}var ta={show:!0,scale:"y",stroke:Yo,space:30,
gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Ca,side:3,grid:ir,ticks:Ra,border:La,font:or,lineGap:Fa,rotate:0};function mf(e,t){
let n=3+(e||1)*2;return be(n*t,3)}function gf(e,t){let{scale:n,idxs:s}=e.series[0],i=e._data[0],r=e.valToPos(i[s[0]],n,!0),l=e.valToPos(i[s[1]],
n,!0),u=Ne(l-r),f=e.series[t],p=u/(f.points.space*ce);return s[1]-s[0]<=p}var na={scale:null,auto:!0,sorted:0,min:ge,max:-ge},Na=(e,t,n,s,i)=>i,
sa={show:!0,auto:!0,sorted:0,gaps:Na,alpha:1,facets:[Le({},na,{scale:"x"}),Le({},na,{scale:"y"})]},ia={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:Na,alpha:1,points:{show:gf,filter:null},values:null,min:ge,max:-ge,idxs:[],path:null,clip:null};function bf(e,t,n,s,i){return n/10}var za={
time:!0,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},yf=Le({},za,{time:!1,ori:1}),oa={};function Ha(e,t){let n=oa[e];return n||
(n={key:e,plots:[],sub(s){n.plots.push(s)},unsub(s){n.plots=n.plots.filter(i=>i!=s)},pub(s,i,r,l,u,f,p){for(let b=0;b<n.plots.length;b++)n.plots[b]!=
i&&n.plots[b].pub(s,i,r,l,u,f,p)}},e!=null&&(oa[e]=n)),n}var bs=1,Ko=2;function Hn(e,t,n){let s=e.mode,i=e.series[t],r=s==2?e._data[t]:e._data,
l=e.scales,u=e.bbox,f=r[0],p=s==2?r[1]:r[t],b=s==2?l[i.facets[0].scale]:l[e.series[0].scale],m=s==2?l[i.facets[1].scale]:l[i.scale],y=u.left,
T=u.top,_=u.width,R=u.height,O=e.valToPosH,B=e.valToPosV;return b.ori==0?n(i,f,p,b,m,O,B,y,T,_,R,Fi,ws,Ni,Wa,Va):n(i,f,p,b,m,B,O,T,y,R,_,Oi,
vs,ar,Ba,qa)}function rr(e,t){let n=0,s=0,i=le(e.bands,tr);for(let r=0;r<i.length;r++){let l=i[r];l.series[0]==t?n=l.dir:l.series[1]==t&&(l.
dir==1?s|=1:s|=2)}return[n,s==1?-1:s==2?1:s==3?2:0]}function wf(e,t,n,s,i){let r=e.mode,l=e.series[t],u=r==2?l.facets[1].scale:l.scale,f=e.scales[u];
return i==-1?f.min:i==1?f.max:f.distr==3?f.dir==1?f.min:f.max:0}function an(e,t,n,s,i,r){return Hn(e,t,(l,u,f,p,b,m,y,T,_,R,O)=>{let B=l.pxRound,
x=p.dir*(p.ori==0?1:-1),N=p.ori==0?ws:vs,E,Y;x==1?(E=n,Y=s):(E=s,Y=n);let A=B(m(u[E],p,R,T)),K=B(y(f[E],b,O,_)),J=B(m(u[Y],p,R,T)),ee=B(y(r==
1?b.max:b.min,b,O,_)),j=new Path2D(i);return N(j,J,ee),N(j,A,ee),N(j,A,K),j})}function Ci(e,t,n,s,i,r){let l=null;if(e.length>0){l=new Path2D;
let u=t==0?Ni:ar,f=n;for(let m=0;m<e.length;m++){let y=e[m];if(y[1]>y[0]){let T=y[0]-f;T>0&&u(l,f,s,T,s+r),f=y[1]}}let p=n+i-f,b=10;p>0&&u(l,
f,s-b/2,p,s+r+b)}return l}function vf(e,t,n){let s=e[e.length-1];s&&s[0]==t?s[1]=n:e.push([t,n])}function lr(e,t,n,s,i,r,l){let u=[],f=e.length;
for(let p=i==1?n:s;p>=n&&p<=s;p+=i)if(t[p]===null){let m=p,y=p;if(i==1)for(;++p<=s&&t[p]===null;)y=p;else for(;--p>=n&&t[p]===null;)y=p;let T=r(
e[m]),_=y==m?T:r(e[y]),R=m-i;T=l<=0&&R>=0&&R<f?r(e[R]):T;let B=y+i;_=l>=0&&B>=0&&B<f?r(e[B]):_,_>=T&&u.push([T,_])}return u}function ra(e){return e==
0?ga:e==1?Oe:t=>Cn(t,e)}function Ia(e){let t=e==0?Fi:Oi,n=e==0?(i,r,l,u,f,p)=>{i.arcTo(r,l,u,f,p)}:(i,r,l,u,f,p)=>{i.arcTo(l,r,f,u,p)},s=e==
0?(i,r,l,u,f)=>{i.rect(r,l,u,f)}:(i,r,l,u,f)=>{i.rect(l,r,f,u)};return(i,r,l,u,f,p=0,b=0)=>{p==0&&b==0?s(i,r,l,u,f):(p=zt(p,u/2,f/2),b=zt(b,
u/2,f/2),t(i,r+p,l),n(i,r+u,l,r+u,l+f,p),n(i,r+u,l+f,r,l+f,b),n(i,r,l+f,r,l,b),n(i,r,l,r+u,l,p),i.closePath())}}var Fi=(e,t,n)=>{e.moveTo(t,
n)},Oi=(e,t,n)=>{e.moveTo(n,t)},ws=(e,t,n)=>{e.lineTo(t,n)},vs=(e,t,n)=>{e.lineTo(n,t)},Ni=Ia(0),ar=Ia(1),Wa=(e,t,n,s,i,r)=>{e.arc(t,n,s,i,r)},
Ba=(e,t,n,s,i,r)=>{e.arc(n,t,s,i,r)},Va=(e,t,n,s,i,r,l)=>{e.bezierCurveTo(t,n,s,i,r,l)},qa=(e,t,n,s,i,r,l)=>{e.bezierCurveTo(n,t,i,s,l,r)};function Ga(e){
return(t,n,s,i,r)=>Hn(t,n,(l,u,f,p,b,m,y,T,_,R,O)=>{let{pxRound:B,points:x}=l,N,E;p.ori==0?(N=Fi,E=Wa):(N=Oi,E=Ba);let Y=be(x.width*ce,3),A=(x.
size-x.width)/2*ce,K=be(A*2,3),J=new Path2D,ee=new Path2D,{left:j,top:$,width:Z,height:M}=t.bbox;Ni(ee,j-K,$-K,Z+K*2,M+K*2);let H=z=>{if(f[z]!=
null){let ne=B(m(u[z],p,R,T)),V=B(y(f[z],b,O,_));N(J,ne+A,V),E(J,ne,V,A,0,Ei*2)}};if(r)r.forEach(H);else for(let z=s;z<=i;z++)H(z);return{stroke:Y>
0?J:null,fill:J,clip:ee,flags:bs|Ko}})}function Ka(e){return(t,n,s,i,r,l)=>{s!=i&&(r!=s&&l!=s&&e(t,n,s),r!=i&&l!=i&&e(t,n,i),e(t,n,l))}}var kf=Ka(
ws),xf=Ka(vs);function ja(e){let t=le(e?.alignGaps,0);return(n,s,i,r)=>Hn(n,s,(l,u,f,p,b,m,y,T,_,R,O)=>{[i,r]=Di(f,i,r);let B=l.pxRound,x=M=>B(
m(M,p,R,T)),N=M=>B(y(M,b,O,_)),E,Y;p.ori==0?(E=ws,Y=kf):(E=vs,Y=xf);let A=p.dir*(p.ori==0?1:-1),K={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:bs},J=K.stroke,ee=!1;if(r-i>=R*4){let M=I=>n.posToVal(I,p.key,!0),H=null,z=null,ne,V,rt,Se=x(u[A==1?i:r]),oe=x(u[i]),he=x(u[r]),
te=M(A==1?oe+1:he-1);for(let I=A==1?i:r;I>=i&&I<=r;I+=A){let Ce=u[I],Te=(A==1?Ce<te:Ce>te)?Se:x(Ce),ue=f[I];Te==Se?ue!=null?(V=ue,H==null?(E(
J,Te,N(V)),ne=H=z=V):V<H?H=V:V>z&&(z=V)):ue===null&&(ee=!0):(H!=null&&Y(J,Se,N(H),N(z),N(ne),N(V)),ue!=null?(V=ue,E(J,Te,N(V)),H=z=ne=V):(H=
z=null,ue===null&&(ee=!0)),Se=Te,te=M(Se+A))}H!=null&&H!=z&&rt!=Se&&Y(J,Se,N(H),N(z),N(ne),N(V))}else for(let M=A==1?i:r;M>=i&&M<=r;M+=A){let H=f[M];
H===null?ee=!0:H!=null&&E(J,x(u[M]),N(H))}let[$,Z]=rr(n,s);if(l.fill!=null||$!=0){let M=K.fill=new Path2D(J),H=l.fillTo(n,s,l.min,l.max,$),z=N(
H),ne=x(u[i]),V=x(u[r]);A==-1&&([V,ne]=[ne,V]),E(M,V,z),E(M,ne,z)}if(!l.spanGaps){let M=[];ee&&M.push(...lr(u,f,i,r,A,x,t)),K.gaps=M=l.gaps(
n,s,i,r,M),K.clip=Ci(M,p.ori,T,_,R,O)}return Z!=0&&(K.band=Z==2?[an(n,s,i,r,J,-1),an(n,s,i,r,J,1)]:an(n,s,i,r,J,Z)),K})}function _f(e){let t=le(
e.align,1),n=le(e.ascDesc,!1),s=le(e.alignGaps,0),i=le(e.extend,!1);return(r,l,u,f)=>Hn(r,l,(p,b,m,y,T,_,R,O,B,x,N)=>{[u,f]=Di(m,u,f);let E=p.
pxRound,{left:Y,width:A}=r.bbox,K=oe=>E(_(oe,y,x,O)),J=oe=>E(R(oe,T,N,B)),ee=y.ori==0?ws:vs,j={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:bs},$=j.stroke,Z=y.dir*(y.ori==0?1:-1),M=J(m[Z==1?u:f]),H=K(b[Z==1?u:f]),z=H,ne=H;i&&t==-1&&(ne=Y,ee($,ne,M)),ee($,H,M);for(let oe=Z==
1?u:f;oe>=u&&oe<=f;oe+=Z){let he=m[oe];if(he==null)continue;let te=K(b[oe]),I=J(he);t==1?ee($,te,M):ee($,z,I),ee($,te,I),M=I,z=te}let V=z;i&&
t==1&&(V=Y+A,ee($,V,M));let[rt,Se]=rr(r,l);if(p.fill!=null||rt!=0){let oe=j.fill=new Path2D($),he=p.fillTo(r,l,p.min,p.max,rt),te=J(he);ee(oe,
V,te),ee(oe,ne,te)}if(!p.spanGaps){let oe=[];oe.push(...lr(b,m,u,f,Z,K,s));let he=p.width*ce/2,te=n||t==1?he:-he,I=n||t==-1?-he:he;oe.forEach(
Ce=>{Ce[0]+=te,Ce[1]+=I}),j.gaps=oe=p.gaps(r,l,u,f,oe),j.clip=Ci(oe,y.ori,O,B,x,N)}return Se!=0&&(j.band=Se==2?[an(r,l,u,f,$,-1),an(r,l,u,f,
$,1)]:an(r,l,u,f,$,Se)),j})}function la(e,t,n,s,i,r,l=ge){if(e.length>1){let u=null;for(let f=0,p=1/0;f<e.length;f++)if(t[f]!==void 0){if(u!=
null){let b=Ne(e[f]-e[u]);b<p&&(p=b,l=Ne(n(e[f],s,i,r)-n(e[u],s,i,r)))}u=f}}return l}function Sf(e){e=e||Vs;let t=le(e.size,[.6,ge,1]),n=e.align||
0,s=e.gap||0,i=e.radius;i=i==null?[0,0]:typeof i=="number"?[i,0]:i;let r=ie(i),l=1-t[0],u=le(t[1],ge),f=le(t[2],1),p=le(e.disp,Vs),b=le(e.each,
T=>{}),{fill:m,stroke:y}=p;return(T,_,R,O)=>Hn(T,_,(B,x,N,E,Y,A,K,J,ee,j,$)=>{let Z=B.pxRound,M=n,H=s*ce,z=u*ce,ne=f*ce,V,rt;E.ori==0?[V,rt]=
r(T,_):[rt,V]=r(T,_);let Se=E.dir*(E.ori==0?1:-1),oe=E.ori==0?Ni:ar,he=E.ori==0?b:(L,ye,Fe,Gn,Sn,Bt,Tn)=>{b(L,ye,Fe,Sn,Gn,Tn,Bt)},te=le(T.bands,
tr).find(L=>L.series[0]==_),I=te!=null?te.dir:0,Ce=B.fillTo(T,_,B.min,B.max,I),Je=Z(K(Ce,Y,$,ee)),Te,ue,At,ut=j,$e=Z(B.width*ce),Wt=!1,Xt=null,
vt=null,fn=null,Bn=null;m!=null&&($e==0||y!=null)&&(Wt=!0,Xt=m.values(T,_,R,O),vt=new Map,new Set(Xt).forEach(L=>{L!=null&&vt.set(L,new Path2D)}),
$e>0&&(fn=y.values(T,_,R,O),Bn=new Map,new Set(fn).forEach(L=>{L!=null&&Bn.set(L,new Path2D)})));let{x0:Vn,size:_s}=p;if(Vn!=null&&_s!=null){
M=1,x=Vn.values(T,_,R,O),Vn.unit==2&&(x=x.map(Fe=>T.posToVal(J+Fe*j,E.key,!0)));let L=_s.values(T,_,R,O);_s.unit==2?ue=L[0]*j:ue=A(L[0],E,j,
J)-A(0,E,j,J),ut=la(x,N,A,E,j,J,ut),At=ut-ue+H}else ut=la(x,N,A,E,j,J,ut),At=ut*l+H,ue=ut-At;At<1&&(At=0),$e>=ue/2&&($e=0),At<5&&(Z=ga);let Js=At>
0,xn=ut-At-(Js?$e:0);ue=Z(Vo(xn,ne,z)),Te=(M==0?ue/2:M==Se?0:ue)-M*Se*((M==0?H/2:0)+(Js?$e/2:0));let Qe={stroke:null,fill:null,clip:null,band:null,
gaps:null,flags:0},qn=Wt?null:new Path2D,en=null;if(te!=null)en=T.data[te.series[1]];else{let{y0:L,y1:ye}=p;L!=null&&ye!=null&&(N=ye.values(
T,_,R,O),en=L.values(T,_,R,O))}let _n=V*ue,X=rt*ue;for(let L=Se==1?R:O;L>=R&&L<=O;L+=Se){let ye=N[L];if(ye==null)continue;if(en!=null){let lt=en[L]??
0;if(ye-lt==0)continue;Je=K(lt,Y,$,ee)}let Fe=E.distr!=2||p!=null?x[L]:L,Gn=A(Fe,E,j,J),Sn=K(le(ye,Ce),Y,$,ee),Bt=Z(Gn-Te),Tn=Z(ot(Sn,Je)),dt=Z(
zt(Sn,Je)),kt=Tn-dt;if(ye!=null){let lt=ye<0?X:_n,Dt=ye<0?_n:X;Wt?($e>0&&fn[L]!=null&&oe(Bn.get(fn[L]),Bt,dt+bt($e/2),ue,ot(0,kt-$e),lt,Dt),
Xt[L]!=null&&oe(vt.get(Xt[L]),Bt,dt+bt($e/2),ue,ot(0,kt-$e),lt,Dt)):oe(qn,Bt,dt+bt($e/2),ue,ot(0,kt-$e),lt,Dt),he(T,_,L,Bt-$e/2,dt,ue+$e,kt)}}
return $e>0?Qe.stroke=Wt?Bn:qn:Wt||(Qe._fill=B.width==0?B._fill:B._stroke??B._fill,Qe.width=0),Qe.fill=Wt?vt:qn,Qe})}function Tf(e,t){let n=le(
t?.alignGaps,0);return(s,i,r,l)=>Hn(s,i,(u,f,p,b,m,y,T,_,R,O,B)=>{[r,l]=Di(p,r,l);let x=u.pxRound,N=V=>x(y(V,b,O,_)),E=V=>x(T(V,m,B,R)),Y,A,
K;b.ori==0?(Y=Fi,K=ws,A=Va):(Y=Oi,K=vs,A=qa);let J=b.dir*(b.ori==0?1:-1),ee=N(f[J==1?r:l]),j=ee,$=[],Z=[];for(let V=J==1?r:l;V>=r&&V<=l;V+=J)
if(p[V]!=null){let Se=f[V],oe=N(Se);$.push(j=oe),Z.push(E(p[V]))}let M={stroke:e($,Z,Y,K,A,x),fill:null,clip:null,band:null,gaps:null,flags:bs},
H=M.stroke,[z,ne]=rr(s,i);if(u.fill!=null||z!=0){let V=M.fill=new Path2D(H),rt=u.fillTo(s,i,u.min,u.max,z),Se=E(rt);K(V,j,Se),K(V,ee,Se)}if(!u.
spanGaps){let V=[];V.push(...lr(f,p,r,l,J,N,n)),M.gaps=V=u.gaps(s,i,r,l,V),M.clip=Ci(V,b.ori,_,R,O,B)}return ne!=0&&(M.band=ne==2?[an(s,i,r,
l,H,-1),an(s,i,r,l,H,1)]:an(s,i,r,l,H,ne)),M})}function Ef(e){return Tf($f,e)}function $f(e,t,n,s,i,r){let l=e.length;if(l<2)return null;let u=new Path2D;
if(n(u,e[0],t[0]),l==2)s(u,e[1],t[1]);else{let f=Array(l),p=Array(l-1),b=Array(l-1),m=Array(l-1);for(let y=0;y<l-1;y++)b[y]=t[y+1]-t[y],m[y]=
e[y+1]-e[y],p[y]=b[y]/m[y];f[0]=p[0];for(let y=1;y<l-1;y++)p[y]===0||p[y-1]===0||p[y-1]>0!=p[y]>0?f[y]=0:(f[y]=3*(m[y-1]+m[y])/((2*m[y]+m[y-
1])/p[y-1]+(m[y]+2*m[y-1])/p[y]),isFinite(f[y])||(f[y]=0));f[l-1]=p[l-2];for(let y=0;y<l-1;y++)i(u,e[y]+m[y]/3,t[y]+f[y]*m[y]/3,e[y+1]-m[y]/
3,t[y+1]-f[y+1]*m[y]/3,e[y+1],t[y+1])}return u}var jo=new Set;function aa(){for(let e of jo)e.syncRect(!0)}ys&&(Nn(rd,hs,aa),Nn(ld,hs,aa,!0),
Nn($i,hs,()=>{ze.pxRatio=ce}));var Mf=ja(),Af=Ga();function ca(e,t,n,s){return(s?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map(
(r,l)=>Uo(r,l,t,n))}function Df(e,t){return e.map((n,s)=>s==0?{}:Le({},t,n))}function Uo(e,t,n,s){return Le({},t==0?n:s,e)}function Ua(e,t,n){
return t==null?ms:[t,n]}var Pf=Ua;function Rf(e,t,n){return t==null?ms:Mi(t,n,Xo,!0)}function Ya(e,t,n,s){return t==null?ms:Pi(t,n,e.scales[s].
log,!1)}var Lf=Ya;function Ja(e,t,n,s){return t==null?ms:Zo(t,n,e.scales[s].log,!1)}var Cf=Ja;function Ff(e,t,n,s,i){let r=ot(Wl(e),Wl(t)),l=t-
e,u=Nt(i/s*l,n);do{let f=n[u],p=s*f/l;if(p>=i&&r+(f<5?kn.get(f):0)<=17)return[f,p]}while(++u<n.length);return[0,0]}function ua(e){let t,n;return e=
e.replace(/(\d+)px/,(s,i)=>(t=Oe((n=+i)*ce))+"px"),[e,t,n]}function Of(e){e.show&&[e.font,e.labelFont].forEach(t=>{let n=be(t[2]*ce,1);t[0]=
t[0].replace(/[0-9.]+px/,n+"px"),t[1]=n})}function ze(e,t,n){let s={mode:le(e.mode,1)},i=s.mode;function r(o,a,d,h){let g=a.valToPct(o);return h+
d*(a.dir==-1?1-g:g)}function l(o,a,d,h){let g=a.valToPct(o);return h+d*(a.dir==-1?g:1-g)}function u(o,a,d,h){return a.ori==0?r(o,a,d,h):l(o,
a,d,h)}s.valToPosH=r,s.valToPosV=l;let f=!1;s.status=0;let p=s.root=$t(Bu);if(e.id!=null&&(p.id=e.id),gt(p,e.class),e.title){let o=$t(Gu,p);
o.textContent=e.title}let b=Ot("canvas"),m=s.ctx=b.getContext("2d"),y=$t(Ku,p);Nn("click",y,o=>{o.target===_&&(ve!=ns||Ee!=ss)&&je.click(s,o)},
!0);let T=s.under=$t(ju,y);y.appendChild(b);let _=s.over=$t(Uu,y);e=gs(e);let R=+le(e.pxAlign,1),O=ra(R);(e.plugins||[]).forEach(o=>{o.opts&&
(e=o.opts(s,e)||e)});let B=e.ms||.001,x=s.series=i==1?ca(e.series||[],Xl,ia,!1):Df(e.series||[null],sa),N=s.axes=ca(e.axes||[],Zl,ta,!0),E=s.
scales={},Y=s.bands=e.bands||[];Y.forEach(o=>{o.fill=ie(o.fill||null),o.dir=le(o.dir,-1)});let A=i==2?x[1].facets[0].scale:x[0].scale,K={axes:Gc,
series:Ic},J=(e.drawOrder||["axes","series"]).map(o=>K[o]);function ee(o){let a=o.distr==3?d=>ln(d>0?d:o.clamp(s,d,o.min,o.max,o.key)):o.distr==
4?d=>Fo(d,o.asinh):o.distr==100?d=>o.fwd(d):d=>d;return d=>{let h=a(d),{_min:g,_max:w}=o,v=w-g;return(h-g)/v}}function j(o){let a=E[o];if(a==
null){let d=(e.scales||Vs)[o]||Vs;if(d.from!=null){j(d.from);let h=Le({},E[d.from],d,{key:o});h.valToPct=ee(h),E[o]=h}else{a=E[o]=Le({},o==A?
za:yf,d),a.key=o;let h=a.time,g=a.range,w=vn(g);if((o!=A||i==2&&!h)&&(w&&(g[0]==null||g[1]==null)&&(g={min:g[0]==null?zl:{mode:1,hard:g[0],soft:g[0]},
max:g[1]==null?zl:{mode:1,hard:g[1],soft:g[1]}},w=!1),!w&&Li(g))){let v=g;g=(k,S,D)=>S==null?ms:Mi(S,D,v)}a.range=ie(g||(h?Pf:o==A?a.distr==
3?Lf:a.distr==4?Cf:Ua:a.distr==3?Ya:a.distr==4?Ja:Rf)),a.auto=ie(w?!1:a.auto),a.clamp=ie(a.clamp||bf),a._min=a._max=null,a.valToPct=ee(a)}}}
j("x"),j("y"),i==1&&x.forEach(o=>{j(o.scale)}),N.forEach(o=>{j(o.scale)});for(let o in e.scales)j(o);let $=E[A],Z=$.distr,M,H;$.ori==0?(gt(p,
Vu),M=r,H=l):(gt(p,qu),M=l,H=r);let z={};for(let o in E){let a=E[o];(a.min!=null||a.max!=null)&&(z[o]={min:a.min,max:a.max},a.min=a.max=null)}
let ne=e.tzDate||(o=>new Date(Oe(o/B))),V=e.fmtDate||nr,rt=B==1?Vd(ne):Kd(ne),Se=Yl(ne,Ul(B==1?Bd:Gd,V)),oe=Ql(ne,Jl(Ud,V)),he=[],te=s.legend=
Le({},Qd,e.legend),I=s.cursor=Le({},sf,{drag:{y:i==2}},e.cursor),Ce=te.show,Je=I.show,Te=te.markers;te.idxs=he,Te.width=ie(Te.width),Te.dash=
ie(Te.dash),Te.stroke=ie(Te.stroke),Te.fill=ie(Te.fill);let ue,At,ut,$e=[],Wt=[],Xt,vt=!1,fn={};if(te.live){let o=x[1]?x[1].values:null;vt=o!=
null,Xt=vt?o(s,1,0):{_:0};for(let a in Xt)fn[a]=Jo}if(Ce)if(ue=Ot("table",ed,p),ut=Ot("tbody",null,ue),te.mount(s,ue),vt){At=Ot("thead",null,
ue,ut);let o=Ot("tr",null,At);Ot("th",null,o);for(var Bn in Xt)Ot("th",Tl,o).textContent=Bn}else gt(ue,nd),te.live&&gt(ue,td);let Vn={show:!0},
_s={show:!1};function Js(o,a){if(a==0&&(vt||!te.live||i==2))return ms;let d=[],h=Ot("tr",sd,ut,ut.childNodes[a]);gt(h,o.class),o.show||gt(h,
On);let g=Ot("th",null,h);if(Te.show){let k=$t(id,g);if(a>0){let S=Te.width(s,a);S&&(k.style.border=S+"px "+Te.dash(s,a)+" "+Te.stroke(s,a)),
k.style.background=Te.fill(s,a)}}let w=$t(Tl,g);o.label instanceof HTMLElement?w.appendChild(o.label):w.textContent=o.label,a>0&&(Te.show||(w.
style.color=o.width>0?Te.stroke(s,a):Te.fill(s,a)),Qe("click",g,k=>{if(I._lock)return;$n(k);let S=x.indexOf(o);if((k.ctrlKey||k.metaKey)!=te.
isolate){let D=x.some((P,C)=>C>0&&C!=S&&P.show);x.forEach((P,C)=>{C>0&&qt(C,D?C==S?Vn:_s:Vn,!0,Re.setSeries)})}else qt(S,{show:!o.show},!0,Re.
setSeries)},!1),jn&&Qe(Al,g,k=>{I._lock||($n(k),qt(x.indexOf(o),os,!0,Re.setSeries))},!1));for(var v in Xt){let k=Ot("td",od,h);k.textContent=
"--",d.push(k)}return[h,d]}let xn=new Map;function Qe(o,a,d,h=!0){let g=xn.get(a)||{},w=I.bind[o](s,a,d,h);w&&(Nn(o,a,g[o]=w),xn.set(a,g))}function qn(o,a,d){
let h=xn.get(a)||{};for(let g in h)(o==null||g==o)&&(Bo(g,a,h[g]),delete h[g]);o==null&&xn.delete(a)}let en=0,_n=0,X=0,L=0,ye=0,Fe=0,Gn=ye,Sn=Fe,
Bt=X,Tn=L,dt=0,kt=0,lt=0,Dt=0;s.bbox={};let Gi=!1,Qs=!1,Kn=!1,En=!1,Zs=!1,xt=!1;function Ki(o,a,d){(d||o!=s.width||a!=s.height)&&mr(o,a),Zn(
!1),Kn=!0,Qs=!0,Xn()}function mr(o,a){s.width=en=X=o,s.height=_n=L=a,ye=Fe=0,Lc(),Cc();let d=s.bbox;dt=d.left=Cn(ye*ce,.5),kt=d.top=Cn(Fe*ce,
.5),lt=d.width=Cn(X*ce,.5),Dt=d.height=Cn(L*ce,.5)}let Dc=3;function Pc(){let o=!1,a=0;for(;!o;){a++;let d=Vc(a),h=qc(a);o=a==Dc||d&&h,o||(mr(
s.width,s.height),Qs=!0)}}function Rc({width:o,height:a}){Ki(o,a)}s.setSize=Rc;function Lc(){let o=!1,a=!1,d=!1,h=!1;N.forEach((g,w)=>{if(g.
show&&g._show){let{side:v,_size:k}=g,S=v%2,D=g.label!=null?g.labelSize:0,P=k+D;P>0&&(S?(X-=P,v==3?(ye+=P,h=!0):d=!0):(L-=P,v==0?(Fe+=P,o=!0):
a=!0))}}),Mn[0]=o,Mn[1]=d,Mn[2]=a,Mn[3]=h,X-=hn[1]+hn[3],ye+=hn[3],L-=hn[2]+hn[0],Fe+=hn[0]}function Cc(){let o=ye+X,a=Fe+L,d=ye,h=Fe;function g(w,v){
switch(w){case 1:return o+=v,o-v;case 2:return a+=v,a-v;case 3:return d-=v,d+v;case 0:return h-=v,h+v}}N.forEach((w,v)=>{if(w.show&&w._show){
let k=w.side;w._pos=g(k,w._size),w.label!=null&&(w._lpos=g(k,w.labelSize))}})}if(I.dataIdx==null){let o=I.hover,a=o.skip=new Set(o.skip??[]);
a.add(void 0);let d=o.prox=ie(o.prox),h=o.bias??=0;I.dataIdx=(g,w,v,k)=>{if(w==0)return v;let S=v,D=d(g,w,v,k)??ge,P=D>=0&&D<ge,C=$.ori==0?X:
L,U=I.left,ae=t[0],re=t[w];if(a.has(re[v])){S=null;let se=null,G=null,W;if(h==0||h==-1)for(W=v;se==null&&W-- >0;)a.has(re[W])||(se=W);if(h==
0||h==1)for(W=v;G==null&&W++<re.length;)a.has(re[W])||(G=W);if(se!=null||G!=null)if(P){let xe=se==null?-1/0:M(ae[se],$,C,0),De=G==null?1/0:M(
ae[G],$,C,0),qe=U-xe,pe=De-U;qe<=pe?qe<=D&&(S=se):pe<=D&&(S=G)}else S=G==null?se:se==null?G:v-se<=G-v?se:G}else P&&Ne(U-M(ae[v],$,C,0))>D&&(S=
null);return S}}let $n=o=>{I.event=o};I.idxs=he,I._lock=!1;let Ye=I.points;Ye.show=ie(Ye.show),Ye.size=ie(Ye.size),Ye.stroke=ie(Ye.stroke),Ye.
width=ie(Ye.width),Ye.fill=ie(Ye.fill);let Vt=s.focus=Le({},e.focus||{alpha:.3},I.focus),jn=Vt.prox>=0,Un=jn&&Ye.one,_t=[],Yn=[],Jn=[];function gr(o,a){
let d=Ye.show(s,a);if(d instanceof HTMLElement)return gt(d,Xu),gt(d,o.class),Jt(d,-10,-10,X,L),_.insertBefore(d,_t[a]),d}function br(o,a){if(i==
1||a>0){let d=i==1&&E[o.scale].time,h=o.value;o.value=d?ql(h)?Ql(ne,Jl(h,V)):h||oe:h||pf,o.label=o.label||(d?rf:of)}if(Un||a>0){o.width=o.width==
null?1:o.width,o.paths=o.paths||Mf||bd,o.fillTo=ie(o.fillTo||wf),o.pxAlign=+le(o.pxAlign,R),o.pxRound=ra(o.pxAlign),o.stroke=ie(o.stroke||null),
o.fill=ie(o.fill||null),o._stroke=o._fill=o._paths=o._focus=null;let d=mf(ot(1,o.width),1),h=o.points=Le({},{size:d,width:ot(1,d*.2),stroke:o.
stroke,space:d*2,paths:Af,_stroke:null,_fill:null},o.points);h.show=ie(h.show),h.filter=ie(h.filter),h.fill=ie(h.fill),h.stroke=ie(h.stroke),
h.paths=ie(h.paths),h.pxAlign=o.pxAlign}if(Ce){let d=Js(o,a);$e.splice(a,0,d[0]),Wt.splice(a,0,d[1]),te.values.push(null)}if(Je){he.splice(a,
0,null);let d=null;Un?a==0&&(d=gr(o,a)):a>0&&(d=gr(o,a)),_t.splice(a,0,d),Yn.splice(a,0,0),Jn.splice(a,0,0)}Ve("addSeries",a)}function Fc(o,a){
a=a??x.length,o=i==1?Uo(o,a,Xl,ia):Uo(o,a,{},sa),x.splice(a,0,o),br(x[a],a)}s.addSeries=Fc;function Oc(o){if(x.splice(o,1),Ce){te.values.splice(
o,1),Wt.splice(o,1);let a=$e.splice(o,1)[0];qn(null,a.firstChild),a.remove()}Je&&(he.splice(o,1),_t.splice(o,1)[0].remove(),Yn.splice(o,1),Jn.
splice(o,1)),Ve("delSeries",o)}s.delSeries=Oc;let Mn=[!1,!1,!1,!1];function Nc(o,a){if(o._show=o.show,o.show){let d=o.side%2,h=E[o.scale];h==
null&&(o.scale=d?x[1].scale:A,h=E[o.scale]);let g=h.time;o.size=ie(o.size),o.space=ie(o.space),o.rotate=ie(o.rotate),vn(o.incrs)&&o.incrs.forEach(
v=>{!kn.has(v)&&kn.set(v,wa(v))}),o.incrs=ie(o.incrs||(h.distr==2?Hd:g?B==1?Wd:qd:Fn)),o.splits=ie(o.splits||(g&&h.distr==1?rt:h.distr==3?qo:
h.distr==4?cf:af)),o.stroke=ie(o.stroke),o.grid.stroke=ie(o.grid.stroke),o.ticks.stroke=ie(o.ticks.stroke),o.border.stroke=ie(o.border.stroke);
let w=o.values;o.values=vn(w)&&!vn(w[0])?ie(w):g?vn(w)?Yl(ne,Ul(w,V)):ql(w)?jd(ne,w):w||Se:w||lf,o.filter=ie(o.filter||(h.distr>=3&&h.log==10?
ff:h.distr==3&&h.log==2?hf:ba)),o.font=ua(o.font),o.labelFont=ua(o.labelFont),o._size=o.size(s,null,a,0),o._space=o._rotate=o._incrs=o._found=
o._splits=o._values=null,o._size>0&&(Mn[a]=!0,o._el=$t(Yu,y))}}function Ss(o,a,d,h){let[g,w,v,k]=d,S=a%2,D=0;return S==0&&(k||w)&&(D=a==0&&!g||
a==2&&!v?Oe(Zl.size/3):0),S==1&&(g||v)&&(D=a==1&&!w||a==3&&!k?Oe(ta.size/2):0),D}let yr=s.padding=(e.padding||[Ss,Ss,Ss,Ss]).map(o=>ie(le(o,
Ss))),hn=s._padding=yr.map((o,a)=>o(s,a,Mn,0)),Ke,He=null,Ie=null,Xs=i==1?x[0].idxs:null,Pt=null,Ts=!1;function wr(o,a){if(t=o??[],s.data=s.
_data=t,i==2){Ke=0;for(let d=1;d<x.length;d++)Ke+=t[d][0].length}else{t.length==0&&(s.data=s._data=t=[[]]),Pt=t[0],Ke=Pt.length;let d=t;if(Z==
2){d=t.slice();let h=d[0]=Array(Ke);for(let g=0;g<Ke;g++)h[g]=g}s._data=t=d}if(Zn(!0),Ve("setData"),Z==2&&(Kn=!0),a!==!1){let d=$;d.auto(s,Ts)?
ji():mn(A,d.min,d.max),En=En||I.left>=0,xt=!0,Xn()}}s.setData=wr;function ji(){Ts=!0;let o,a;i==1&&(Ke>0?(He=Xs[0]=0,Ie=Xs[1]=Ke-1,o=t[0][He],
a=t[0][Ie],Z==2?(o=He,a=Ie):o==a&&(Z==3?[o,a]=Pi(o,o,$.log,!1):Z==4?[o,a]=Zo(o,o,$.log,!1):$.time?a=o+Oe(86400/B):[o,a]=Mi(o,a,Xo,!0))):(He=
Xs[0]=o=null,Ie=Xs[1]=a=null)),mn(A,o,a)}let ei,Qn,Ui,Yi,Ji,Qi,Zi,Xi,eo,at;function vr(o,a,d,h,g,w){o??=$l,d??=tr,h??="butt",g??=$l,w??="rou\
nd",o!=ei&&(m.strokeStyle=ei=o),g!=Qn&&(m.fillStyle=Qn=g),a!=Ui&&(m.lineWidth=Ui=a),w!=Ji&&(m.lineJoin=Ji=w),h!=Qi&&(m.lineCap=Qi=h),d!=Yi&&
m.setLineDash(Yi=d)}function kr(o,a,d,h){a!=Qn&&(m.fillStyle=Qn=a),o!=Zi&&(m.font=Zi=o),d!=Xi&&(m.textAlign=Xi=d),h!=eo&&(m.textBaseline=eo=
h)}function to(o,a,d,h,g=0){if(h.length>0&&o.auto(s,Ts)&&(a==null||a.min==null)){let w=le(He,0),v=le(Ie,h.length-1),k=d.min==null?dd(h,w,v,g,
o.distr==3):[d.min,d.max];o.min=zt(o.min,d.min=k[0]),o.max=ot(o.max,d.max=k[1])}}let xr={min:null,max:null};function zc(){for(let h in E){let g=E[h];
z[h]==null&&(g.min==null||z[A]!=null&&g.auto(s,Ts))&&(z[h]=xr)}for(let h in E){let g=E[h];z[h]==null&&g.from!=null&&z[g.from]!=null&&(z[h]=xr)}
z[A]!=null&&Zn(!0);let o={};for(let h in z){let g=z[h];if(g!=null){let w=o[h]=gs(E[h],vd);if(g.min!=null)Le(w,g);else if(h!=A||i==2)if(Ke==0&&
w.from==null){let v=w.range(s,null,null,h);w.min=v[0],w.max=v[1]}else w.min=ge,w.max=-ge}}if(Ke>0){x.forEach((h,g)=>{if(i==1){let w=h.scale,
v=z[w];if(v==null)return;let k=o[w];if(g==0){let S=k.range(s,k.min,k.max,w);k.min=S[0],k.max=S[1],He=Nt(k.min,t[0]),Ie=Nt(k.max,t[0]),Ie-He>
1&&(t[0][He]<k.min&&He++,t[0][Ie]>k.max&&Ie--),h.min=Pt[He],h.max=Pt[Ie]}else h.show&&h.auto&&to(k,v,h,t[g],h.sorted);h.idxs[0]=He,h.idxs[1]=
Ie}else if(g>0&&h.show&&h.auto){let[w,v]=h.facets,k=w.scale,S=v.scale,[D,P]=t[g],C=o[k],U=o[S];C!=null&&to(C,z[k],w,D,w.sorted),U!=null&&to(
U,z[S],v,P,v.sorted),h.min=v.min,h.max=v.max}});for(let h in o){let g=o[h],w=z[h];if(g.from==null&&(w==null||w.min==null)){let v=g.range(s,g.
min==ge?null:g.min,g.max==-ge?null:g.max,h);g.min=v[0],g.max=v[1]}}}for(let h in o){let g=o[h];if(g.from!=null){let w=o[g.from];if(w.min==null)
g.min=g.max=null;else{let v=g.range(s,w.min,w.max,h);g.min=v[0],g.max=v[1]}}}let a={},d=!1;for(let h in o){let g=o[h],w=E[h];if(w.min!=g.min||
w.max!=g.max){w.min=g.min,w.max=g.max;let v=w.distr;w._min=v==3?ln(w.min):v==4?Fo(w.min,w.asinh):v==100?w.fwd(w.min):w.min,w._max=v==3?ln(w.
max):v==4?Fo(w.max,w.asinh):v==100?w.fwd(w.max):w.max,a[h]=d=!0}}if(d){x.forEach((h,g)=>{i==2?g>0&&a.y&&(h._paths=null):a[h.scale]&&(h._paths=
null)});for(let h in a)Kn=!0,Ve("setScale",h);Je&&I.left>=0&&(En=xt=!0)}for(let h in z)z[h]=null}function Hc(o){let a=Vo(He-1,0,Ke-1),d=Vo(Ie+
1,0,Ke-1);for(;o[a]==null&&a>0;)a--;for(;o[d]==null&&d<Ke-1;)d++;return[a,d]}function Ic(){if(Ke>0){let o=x.some(a=>a._focus)&&at!=Vt.alpha;
o&&(m.globalAlpha=at=Vt.alpha),x.forEach((a,d)=>{if(d>0&&a.show&&(_r(d,!1),_r(d,!0),a._paths==null)){let h=at;at!=a.alpha&&(m.globalAlpha=at=
a.alpha);let g=i==2?[0,t[d][0].length-1]:Hc(t[d]);a._paths=a.paths(s,d,g[0],g[1]),at!=h&&(m.globalAlpha=at=h)}}),x.forEach((a,d)=>{if(d>0&&a.
show){let h=at;at!=a.alpha&&(m.globalAlpha=at=a.alpha),a._paths!=null&&Sr(d,!1);{let g=a._paths!=null?a._paths.gaps:null,w=a.points.show(s,d,
He,Ie,g),v=a.points.filter(s,d,w,g);(w||v)&&(a.points._paths=a.points.paths(s,d,He,Ie,v),Sr(d,!0))}at!=h&&(m.globalAlpha=at=h),Ve("drawSerie\
s",d)}}),o&&(m.globalAlpha=at=1)}}function _r(o,a){let d=a?x[o].points:x[o];d._stroke=d.stroke(s,o),d._fill=d.fill(s,o)}function Sr(o,a){let d=a?
x[o].points:x[o],{stroke:h,fill:g,clip:w,flags:v,_stroke:k=d._stroke,_fill:S=d._fill,_width:D=d.width}=d._paths;D=be(D*ce,3);let P=null,C=D%
2/2;a&&S==null&&(S=D>0?"#fff":k);let U=d.pxAlign==1&&C>0;if(U&&m.translate(C,C),!a){let ae=dt-D/2,re=kt-D/2,se=lt+D,G=Dt+D;P=new Path2D,P.rect(
ae,re,se,G)}a?no(k,D,d.dash,d.cap,S,h,g,v,w):Wc(o,k,D,d.dash,d.cap,S,h,g,v,P,w),U&&m.translate(-C,-C)}function Wc(o,a,d,h,g,w,v,k,S,D,P){let C=!1;
S!=0&&Y.forEach((U,ae)=>{if(U.series[0]==o){let re=x[U.series[1]],se=t[U.series[1]],G=(re._paths||Vs).band;vn(G)&&(G=U.dir==1?G[0]:G[1]);let W,
xe=null;re.show&&G&&hd(se,He,Ie)?(xe=U.fill(s,ae)||w,W=re._paths.clip):G=null,no(a,d,h,g,xe,v,k,S,D,P,W,G),C=!0}}),C||no(a,d,h,g,w,v,k,S,D,P)}
let Tr=bs|Ko;function no(o,a,d,h,g,w,v,k,S,D,P,C){vr(o,a,d,h,g),(S||D||C)&&(m.save(),S&&m.clip(S),D&&m.clip(D)),C?(k&Tr)==Tr?(m.clip(C),P&&m.
clip(P),ni(g,v),ti(o,w,a)):k&Ko?(ni(g,v),m.clip(C),ti(o,w,a)):k&bs&&(m.save(),m.clip(C),P&&m.clip(P),ni(g,v),m.restore(),ti(o,w,a)):(ni(g,v),
ti(o,w,a)),(S||D||C)&&m.restore()}function ti(o,a,d){d>0&&(a instanceof Map?a.forEach((h,g)=>{m.strokeStyle=ei=g,m.stroke(h)}):a!=null&&o&&m.
stroke(a))}function ni(o,a){a instanceof Map?a.forEach((d,h)=>{m.fillStyle=Qn=h,m.fill(d)}):a!=null&&o&&m.fill(a)}function Bc(o,a,d,h){let g=N[o],
w;if(h<=0)w=[0,0];else{let v=g._space=g.space(s,o,a,d,h),k=g._incrs=g.incrs(s,o,a,d,h,v);w=Ff(a,d,k,h,v)}return g._found=w}function so(o,a,d,h,g,w,v,k,S,D){
let P=v%2/2;R==1&&m.translate(P,P),vr(k,v,S,D,k),m.beginPath();let C,U,ae,re,se=g+(h==0||h==3?-w:w);d==0?(U=g,re=se):(C=g,ae=se);for(let G=0;G<
o.length;G++)a[G]!=null&&(d==0?C=ae=o[G]:U=re=o[G],m.moveTo(C,U),m.lineTo(ae,re));m.stroke(),R==1&&m.translate(-P,-P)}function Vc(o){let a=!0;
return N.forEach((d,h)=>{if(!d.show)return;let g=E[d.scale];if(g.min==null){d._show&&(a=!1,d._show=!1,Zn(!1));return}else d._show||(a=!1,d._show=
!0,Zn(!1));let w=d.side,v=w%2,{min:k,max:S}=g,[D,P]=Bc(h,k,S,v==0?X:L);if(P==0)return;let C=g.distr==2,U=d._splits=d.splits(s,h,k,S,D,P,C),ae=g.
distr==2?U.map(W=>Pt[W]):U,re=g.distr==2?Pt[U[1]]-Pt[U[0]]:D,se=d._values=d.values(s,d.filter(s,ae,h,P,re),h,P,re);d._rotate=w==2?d.rotate(s,
se,h,P):0;let G=d._size;d._size=Mt(d.size(s,se,h,o)),G!=null&&d._size!=G&&(a=!1)}),a}function qc(o){let a=!0;return yr.forEach((d,h)=>{let g=d(
s,h,Mn,o);g!=hn[h]&&(a=!1),hn[h]=g}),a}function Gc(){for(let o=0;o<N.length;o++){let a=N[o];if(!a.show||!a._show)continue;let d=a.side,h=d%2,
g,w,v=a.stroke(s,o),k=d==0||d==3?-1:1,[S,D]=a._found;if(a.label!=null){let Xe=a.labelGap*k,pt=Oe((a._lpos+Xe)*ce);kr(a.labelFont[0],v,"cente\
r",d==2?"top":El),m.save(),h==1?(g=w=0,m.translate(pt,Oe(kt+Dt/2)),m.rotate((d==3?-Ei:Ei)/2)):(g=Oe(dt+lt/2),w=pt);let Pn=ma(a.label)?a.label(
s,o,S,D):a.label;m.fillText(Pn,g,w),m.restore()}if(D==0)continue;let P=E[a.scale],C=h==0?lt:Dt,U=h==0?dt:kt,ae=a._splits,re=P.distr==2?ae.map(
Xe=>Pt[Xe]):ae,se=P.distr==2?Pt[ae[1]]-Pt[ae[0]]:S,G=a.ticks,W=a.border,xe=G.show?G.size:0,De=Oe(xe*ce),qe=Oe((a.alignTo==2?a._size-xe-a.gap:
a.gap)*ce),pe=a._rotate*-Ei/180,Pe=O(a._pos*ce),ft=(De+qe)*k,Ze=Pe+ft;w=h==0?Ze:0,g=h==1?Ze:0;let St=a.font[0],Rt=a.align==1?ds:a.align==2?Ro:
pe>0?ds:pe<0?Ro:h==0?"center":d==3?Ro:ds,Kt=pe||h==1?"middle":d==2?"top":El;kr(St,v,Rt,Kt);let ht=a.font[1]*a.lineGap,Tt=ae.map(Xe=>O(u(Xe,P,
C,U))),Lt=a._values;for(let Xe=0;Xe<Lt.length;Xe++){let pt=Lt[Xe];if(pt!=null){h==0?g=Tt[Xe]:w=Tt[Xe],pt=""+pt;let Pn=pt.indexOf(`
`)==-1?[pt]:pt.split(/\n/gm);for(let et=0;et<Pn.length;et++){let qr=Pn[et];pe?(m.save(),m.translate(g,w+et*ht),m.rotate(pe),m.fillText(qr,0,
0),m.restore()):m.fillText(qr,g,w+et*ht)}}}G.show&&so(Tt,G.filter(s,re,o,D,se),h,d,Pe,De,be(G.width*ce,3),G.stroke(s,o),G.dash,G.cap);let jt=a.
grid;jt.show&&so(Tt,jt.filter(s,re,o,D,se),h,h==0?2:1,h==0?kt:dt,h==0?Dt:lt,be(jt.width*ce,3),jt.stroke(s,o),jt.dash,jt.cap),W.show&&so([Pe],
[1],h==0?1:0,h==0?1:2,h==1?kt:dt,h==1?Dt:lt,be(W.width*ce,3),W.stroke(s,o),W.dash,W.cap)}Ve("drawAxes")}function Zn(o){x.forEach((a,d)=>{d>0&&
(a._paths=null,o&&(i==1?(a.min=null,a.max=null):a.facets.forEach(h=>{h.min=null,h.max=null})))})}let si=!1,io=!1,Es=[];function Kc(){io=!1;for(let o=0;o<
Es.length;o++)Ve(...Es[o]);Es.length=0}function Xn(){si||($d(Er),si=!0)}function jc(o,a=!1){si=!0,io=a,o(s),Er(),a&&Es.length>0&&queueMicrotask(
Kc)}s.batch=jc;function Er(){if(Gi&&(zc(),Gi=!1),Kn&&(Pc(),Kn=!1),Qs){if(_e(T,ds,ye),_e(T,"top",Fe),_e(T,Hs,X),_e(T,Is,L),_e(_,ds,ye),_e(_,"\
top",Fe),_e(_,Hs,X),_e(_,Is,L),_e(y,Hs,en),_e(y,Is,_n),b.width=Oe(en*ce),b.height=Oe(_n*ce),N.forEach(({_el:o,_show:a,_size:d,_pos:h,side:g})=>{
if(o!=null)if(a){let w=g===3||g===0?d:0,v=g%2==1;_e(o,v?"left":"top",h-w),_e(o,v?"width":"height",d),_e(o,v?"top":"left",v?Fe:ye),_e(o,v?"he\
ight":"width",v?L:X),Wo(o,On)}else gt(o,On)}),ei=Qn=Ui=Ji=Qi=Zi=Xi=eo=Yi=null,at=1,As(!0),ye!=Gn||Fe!=Sn||X!=Bt||L!=Tn){Zn(!1);let o=X/Bt,a=L/
Tn;if(Je&&!En&&I.left>=0){I.left*=o,I.top*=a,es&&Jt(es,Oe(I.left),0,X,L),ts&&Jt(ts,0,Oe(I.top),X,L);for(let d=0;d<_t.length;d++){let h=_t[d];
h!=null&&(Yn[d]*=o,Jn[d]*=a,Jt(h,Mt(Yn[d]),Mt(Jn[d]),X,L))}}if(ke.show&&!Zs&&ke.left>=0&&ke.width>0){ke.left*=o,ke.width*=o,ke.top*=a,ke.height*=
a;for(let d in uo)_e(is,d,ke[d])}Gn=ye,Sn=Fe,Bt=X,Tn=L}Ve("setSize"),Qs=!1}en>0&&_n>0&&(m.clearRect(0,0,b.width,b.height),Ve("drawClear"),J.
forEach(o=>o()),Ve("draw")),ke.show&&Zs&&(ii(ke),Zs=!1),Je&&En&&(Dn(null,!0,!1),En=!1),te.show&&te.live&&xt&&(ao(),xt=!1),f||(f=!0,s.status=
1,Ve("ready")),Ts=!1,si=!1}s.redraw=(o,a)=>{Kn=a||!1,o!==!1?mn(A,$.min,$.max):Xn()};function oo(o,a){let d=E[o];if(d.from==null){if(Ke==0){let h=d.
range(s,a.min,a.max,o);a.min=h[0],a.max=h[1]}if(a.min>a.max){let h=a.min;a.min=a.max,a.max=h}if(Ke>1&&a.min!=null&&a.max!=null&&a.max-a.min<
1e-16)return;o==A&&d.distr==2&&Ke>0&&(a.min=Nt(a.min,t[0]),a.max=Nt(a.max,t[0]),a.min==a.max&&a.max++),z[o]=a,Gi=!0,Xn()}}s.setScale=oo;let ro,
lo,es,ts,$r,Mr,ns,ss,Ar,Dr,ve,Ee,pn=!1,je=I.drag,We=je.x,Be=je.y;Je&&(I.x&&(ro=$t(Qu,_)),I.y&&(lo=$t(Zu,_)),$.ori==0?(es=ro,ts=lo):(es=lo,ts=
ro),ve=I.left,Ee=I.top);let ke=s.select=Le({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),is=ke.show?$t(Ju,ke.over?_:T):null;function ii(o,a){
if(ke.show){for(let d in o)ke[d]=o[d],d in uo&&_e(is,d,o[d]);a!==!1&&Ve("setSelect")}}s.setSelect=ii;function Uc(o){if(x[o].show)Ce&&Wo($e[o],
On);else if(Ce&&gt($e[o],On),Je){let d=Un?_t[0]:_t[o];d!=null&&Jt(d,-10,-10,X,L)}}function mn(o,a,d){oo(o,{min:a,max:d})}function qt(o,a,d,h){
a.focus!=null&&Xc(o),a.show!=null&&x.forEach((g,w)=>{w>0&&(o==w||o==null)&&(g.show=a.show,Uc(w),i==2?(mn(g.facets[0].scale,null,null),mn(g.facets[1].
scale,null,null)):mn(g.scale,null,null),Xn())}),d!==!1&&Ve("setSeries",o,a),h&&Ds("setSeries",s,o,a)}s.setSeries=qt;function Yc(o,a){Le(Y[o],
a)}function Jc(o,a){o.fill=ie(o.fill||null),o.dir=le(o.dir,-1),a=a??Y.length,Y.splice(a,0,o)}function Qc(o){o==null?Y.length=0:Y.splice(o,1)}
s.addBand=Jc,s.setBand=Yc,s.delBand=Qc;function Zc(o,a){x[o].alpha=a,Je&&_t[o]!=null&&(_t[o].style.opacity=a),Ce&&$e[o]&&($e[o].style.opacity=
a)}let tn,gn,An,os={focus:!0};function Xc(o){if(o!=An){let a=o==null,d=Vt.alpha!=1;x.forEach((h,g)=>{if(i==1||g>0){let w=a||g==0||g==o;h._focus=
a?null:w,d&&Zc(g,w?1:Vt.alpha)}}),An=o,d&&Xn()}}Ce&&jn&&Qe(Dl,ue,o=>{I._lock||($n(o),An!=null&&qt(null,os,!0,Re.setSeries))});function Gt(o,a,d){
let h=E[a];d&&(o=o/ce-(h.ori==1?Fe:ye));let g=X;h.ori==1&&(g=L,o=g-o),h.dir==-1&&(o=g-o);let w=h._min,v=h._max,k=o/g,S=w+(v-w)*k,D=h.distr;return D==
3?ps(10,S):D==4?md(S,h.asinh):D==100?h.bwd(S):S}function eu(o,a){let d=Gt(o,A,a);return Nt(d,t[0],He,Ie)}s.valToIdx=o=>Nt(o,t[0]),s.posToIdx=
eu,s.posToVal=Gt,s.valToPos=(o,a,d)=>E[a].ori==0?r(o,E[a],d?lt:X,d?dt:0):l(o,E[a],d?Dt:L,d?kt:0),s.setCursor=(o,a,d)=>{ve=o.left,Ee=o.top,Dn(
null,a,d)};function Pr(o,a){_e(is,ds,ke.left=o),_e(is,Hs,ke.width=a)}function Rr(o,a){_e(is,"top",ke.top=o),_e(is,Is,ke.height=a)}let $s=$.ori==
0?Pr:Rr,Ms=$.ori==1?Pr:Rr;function tu(){if(Ce&&te.live)for(let o=i==2?1:0;o<x.length;o++){if(o==0&&vt)continue;let a=te.values[o],d=0;for(let h in a)
Wt[o][d++].firstChild.nodeValue=a[h]}}function ao(o,a){if(o!=null&&(o.idxs?o.idxs.forEach((d,h)=>{he[h]=d}):wd(o.idx)||he.fill(o.idx),te.idx=
he[0]),Ce&&te.live){for(let d=0;d<x.length;d++)(d>0||i==1&&!vt)&&nu(d,he[d]);tu()}xt=!1,a!==!1&&Ve("setLegend")}s.setLegend=ao;function nu(o,a){
let d=x[o],h=o==0&&Z==2?Pt:t[o],g;vt?g=d.values(s,o,a)??fn:(g=d.value(s,a==null?null:h[a],o,a),g=g==null?fn:{_:g}),te.values[o]=g}function Dn(o,a,d){
Ar=ve,Dr=Ee,[ve,Ee]=I.move(s,ve,Ee),I.left=ve,I.top=Ee,Je&&(es&&Jt(es,Oe(ve),0,X,L),ts&&Jt(ts,0,Oe(Ee),X,L));let h,g=He>Ie;tn=ge,gn=null;let w=$.
ori==0?X:L,v=$.ori==1?X:L;if(ve<0||Ke==0||g){h=I.idx=null;for(let k=0;k<x.length;k++){let S=_t[k];S!=null&&Jt(S,-10,-10,X,L)}jn&&qt(null,os,
!0,o==null&&Re.setSeries),te.live&&(he.fill(h),xt=!0)}else{let k,S,D;i==1&&(k=$.ori==0?ve:Ee,S=Gt(k,A),h=I.idx=Nt(S,t[0],He,Ie),D=M(t[0][h],
$,w,0));let P=-10,C=-10,U=0,ae=0,re=!0,se="",G="";for(let W=i==2?1:0;W<x.length;W++){let xe=x[W],De=he[W],qe=De==null?null:i==1?t[W][De]:t[W][1][De],
pe=I.dataIdx(s,W,h,S),Pe=pe==null?null:i==1?t[W][pe]:t[W][1][pe];if(xt=xt||Pe!=qe||pe!=De,he[W]=pe,W>0&&xe.show){let ft=pe==null?-10:pe==h?D:
M(i==1?t[0][pe]:t[W][0][pe],$,w,0),Ze=Pe==null?-10:H(Pe,i==1?E[xe.scale]:E[xe.facets[1].scale],v,0);if(jn&&Pe!=null){let St=$.ori==1?ve:Ee,Rt=Ne(
Vt.dist(s,W,pe,Ze,St));if(Rt<tn){let Kt=Vt.bias;if(Kt!=0){let ht=Gt(St,xe.scale),Tt=Pe>=0?1:-1,Lt=ht>=0?1:-1;Lt==Tt&&(Lt==1?Kt==1?Pe>=ht:Pe<=
ht:Kt==1?Pe<=ht:Pe>=ht)&&(tn=Rt,gn=W)}else tn=Rt,gn=W}}if(xt||Un){let St,Rt;$.ori==0?(St=ft,Rt=Ze):(St=Ze,Rt=ft);let Kt,ht,Tt,Lt,jt,Xe,pt=!0,
Pn=Ye.bbox;if(Pn!=null){pt=!1;let et=Pn(s,W);Tt=et.left,Lt=et.top,Kt=et.width,ht=et.height}else Tt=St,Lt=Rt,Kt=ht=Ye.size(s,W);if(Xe=Ye.fill(
s,W),jt=Ye.stroke(s,W),Un)W==gn&&tn<=Vt.prox&&(P=Tt,C=Lt,U=Kt,ae=ht,re=pt,se=Xe,G=jt);else{let et=_t[W];et!=null&&(Yn[W]=Tt,Jn[W]=Lt,Nl(et,Kt,
ht,pt),Fl(et,Xe,jt),Jt(et,Mt(Tt),Mt(Lt),X,L))}}}}if(Un){let W=Vt.prox,xe=An==null?tn<=W:tn>W||gn!=An;if(xt||xe){let De=_t[0];De!=null&&(Yn[0]=
P,Jn[0]=C,Nl(De,U,ae,re),Fl(De,se,G),Jt(De,Mt(P),Mt(C),X,L))}}}if(ke.show&&pn)if(o!=null){let[k,S]=Re.scales,[D,P]=Re.match,[C,U]=o.cursor.sync.
scales,ae=o.cursor.drag;if(We=ae._x,Be=ae._y,We||Be){let{left:re,top:se,width:G,height:W}=o.select,xe=o.scales[C].ori,De=o.posToVal,qe,pe,Pe,
ft,Ze,St=k!=null&&D(k,C),Rt=S!=null&&P(S,U);St&&We?(xe==0?(qe=re,pe=G):(qe=se,pe=W),Pe=E[k],ft=M(De(qe,C),Pe,w,0),Ze=M(De(qe+pe,C),Pe,w,0),$s(
zt(ft,Ze),Ne(Ze-ft))):$s(0,w),Rt&&Be?(xe==1?(qe=re,pe=G):(qe=se,pe=W),Pe=E[S],ft=H(De(qe,U),Pe,v,0),Ze=H(De(qe+pe,U),Pe,v,0),Ms(zt(ft,Ze),Ne(
Ze-ft))):Ms(0,v)}else fo()}else{let k=Ne(Ar-$r),S=Ne(Dr-Mr);if($.ori==1){let U=k;k=S,S=U}We=je.x&&k>=je.dist,Be=je.y&&S>=je.dist;let D=je.uni;
D!=null?We&&Be&&(We=k>=D,Be=S>=D,!We&&!Be&&(S>k?Be=!0:We=!0)):je.x&&je.y&&(We||Be)&&(We=Be=!0);let P,C;We&&($.ori==0?(P=ns,C=ve):(P=ss,C=Ee),
$s(zt(P,C),Ne(C-P)),Be||Ms(0,v)),Be&&($.ori==1?(P=ns,C=ve):(P=ss,C=Ee),Ms(zt(P,C),Ne(C-P)),We||$s(0,w)),!We&&!Be&&($s(0,0),Ms(0,0))}if(je._x=
We,je._y=Be,o==null){if(d){if(Vr!=null){let[k,S]=Re.scales;Re.values[0]=k!=null?Gt($.ori==0?ve:Ee,k):null,Re.values[1]=S!=null?Gt($.ori==1?ve:
Ee,S):null}Ds(Lo,s,ve,Ee,X,L,h)}if(jn){let k=d&&Re.setSeries,S=Vt.prox;An==null?tn<=S&&qt(gn,os,!0,k):tn>S?qt(null,os,!0,k):gn!=An&&qt(gn,os,
!0,k)}}xt&&(te.idx=h,ao()),a!==!1&&Ve("setCursor")}let bn=null;Object.defineProperty(s,"rect",{get(){return bn==null&&As(!1),bn}});function As(o=!1){
o?bn=null:(bn=_.getBoundingClientRect(),Ve("syncRect",bn))}function Lr(o,a,d,h,g,w,v){I._lock||pn&&o!=null&&o.movementX==0&&o.movementY==0||
(co(o,a,d,h,g,w,v,!1,o!=null),o!=null?Dn(null,!0,!0):Dn(a,!0,!1))}function co(o,a,d,h,g,w,v,k,S){if(bn==null&&As(!1),$n(o),o!=null)d=o.clientX-
bn.left,h=o.clientY-bn.top;else{if(d<0||h<0){ve=-10,Ee=-10;return}let[D,P]=Re.scales,C=a.cursor.sync,[U,ae]=C.values,[re,se]=C.scales,[G,W]=Re.
match,xe=a.axes[0].side%2==1,De=$.ori==0?X:L,qe=$.ori==1?X:L,pe=xe?w:g,Pe=xe?g:w,ft=xe?h:d,Ze=xe?d:h;if(re!=null?d=G(D,re)?u(U,E[D],De,0):-10:
d=De*(ft/pe),se!=null?h=W(P,se)?u(ae,E[P],qe,0):-10:h=qe*(Ze/Pe),$.ori==1){let St=d;d=h,h=St}}S&&(a==null||a.cursor.event.type==Lo)&&((d<=1||
d>=X-1)&&(d=Cn(d,X)),(h<=1||h>=L-1)&&(h=Cn(h,L))),k?($r=d,Mr=h,[ns,ss]=I.move(s,d,h)):(ve=d,Ee=h)}let uo={width:0,height:0,left:0,top:0};function fo(){
ii(uo,!1)}let Cr,Fr,Or,Nr;function zr(o,a,d,h,g,w,v){pn=!0,We=Be=je._x=je._y=!1,co(o,a,d,h,g,w,v,!0,!1),o!=null&&(Qe(Co,Ho,Hr,!1),Ds(Ml,s,ns,
ss,X,L,null));let{left:k,top:S,width:D,height:P}=ke;Cr=k,Fr=S,Or=D,Nr=P}function Hr(o,a,d,h,g,w,v){pn=je._x=je._y=!1,co(o,a,d,h,g,w,v,!1,!0);
let{left:k,top:S,width:D,height:P}=ke,C=D>0||P>0,U=Cr!=k||Fr!=S||Or!=D||Nr!=P;if(C&&U&&ii(ke),je.setScale&&C&&U){let ae=k,re=D,se=S,G=P;if($.
ori==1&&(ae=S,re=P,se=k,G=D),We&&mn(A,Gt(ae,A),Gt(ae+re,A)),Be)for(let W in E){let xe=E[W];W!=A&&xe.from==null&&xe.min!=ge&&mn(W,Gt(se+G,W),
Gt(se,W))}fo()}else I.lock&&(I._lock=!I._lock,Dn(a,!0,o!=null));o!=null&&(qn(Co,Ho),Ds(Co,s,ve,Ee,X,L,null))}function su(o,a,d,h,g,w,v){if(I.
_lock)return;$n(o);let k=pn;if(pn){let S=!0,D=!0,P=10,C,U;$.ori==0?(C=We,U=Be):(C=Be,U=We),C&&U&&(S=ve<=P||ve>=X-P,D=Ee<=P||Ee>=L-P),C&&S&&(ve=
ve<ns?0:X),U&&D&&(Ee=Ee<ss?0:L),Dn(null,!0,!0),pn=!1}ve=-10,Ee=-10,he.fill(null),Dn(null,!0,!0),k&&(pn=k)}function Ir(o,a,d,h,g,w,v){I._lock||
($n(o),ji(),fo(),o!=null&&Ds(Pl,s,ve,Ee,X,L,null))}function Wr(){N.forEach(Of),Ki(s.width,s.height,!0)}Nn($i,hs,Wr);let rs={};rs.mousedown=zr,
rs.mousemove=Lr,rs.mouseup=Hr,rs.dblclick=Ir,rs.setSeries=(o,a,d,h)=>{let g=Re.match[2];d=g(s,a,d),d!=-1&&qt(d,h,!0,!1)},Je&&(Qe(Ml,_,zr),Qe(
Lo,_,Lr),Qe(Al,_,o=>{$n(o),As(!1)}),Qe(Dl,_,su),Qe(Pl,_,Ir),jo.add(s),s.syncRect=As);let oi=s.hooks=e.hooks||{};function Ve(o,a,d){io?Es.push(
[o,a,d]):o in oi&&oi[o].forEach(h=>{h.call(null,s,a,d)})}(e.plugins||[]).forEach(o=>{for(let a in o.hooks)oi[a]=(oi[a]||[]).concat(o.hooks[a])});
let Br=(o,a,d)=>d,Re=Le({key:null,setSeries:!1,filters:{pub:Bl,sub:Bl},scales:[A,x[1]?x[1].scale:null],match:[Vl,Vl,Br],values:[null,null]},
I.sync);Re.match.length==2&&Re.match.push(Br),I.sync=Re;let Vr=Re.key,ho=Ha(Vr);function Ds(o,a,d,h,g,w,v){Re.filters.pub(o,a,d,h,g,w,v)&&ho.
pub(o,a,d,h,g,w,v)}ho.sub(s);function iu(o,a,d,h,g,w,v){Re.filters.sub(o,a,d,h,g,w,v)&&rs[o](null,a,d,h,g,w,v)}s.pub=iu;function ou(){ho.unsub(
s),jo.delete(s),xn.clear(),Bo($i,hs,Wr),p.remove(),ue?.remove(),Ve("destroy")}s.destroy=ou;function po(){Ve("init",e,t),wr(t||e.data,!1),z[A]?
oo(A,z[A]):ji(),Zs=ke.show&&(ke.width>0||ke.height>0),En=xt=!0,Ki(e.width,e.height)}return x.forEach(br),N.forEach(Nc),n?n instanceof HTMLElement?
(n.appendChild(p),po()):n(s,po):po(),s}ze.assign=Le;ze.fmtNum=er;ze.rangeNum=Mi;ze.rangeLog=Pi;ze.rangeAsinh=Zo;ze.orient=Hn;ze.pxRatio=ce;ze.
join=Ed;ze.fmtDate=nr,ze.tzDate=Nd;ze.sync=Ha;{ze.addGap=vf,ze.clipGaps=Ci;let e=ze.paths={points:Ga};e.linear=ja,e.stepped=_f,e.bars=Sf,e.spline=
Ef}var In=[7,4],cr=[2,3],Nf=window.matchMedia("(max-width: 720px)"),Qa=()=>Nf.matches?140:190,zf=16,Za=8,Hf=60,If=180,Wf=86400,Bf=Array.from({length:50},
(e,t)=>2**t),Ht=class{element;#n;#t=c("div",{class:"chart-canvas"});#l=[];#i=c("span",{class:"chart-when"});#o;#a;#e=null;#s=[];#u=[];#r=null;#c=[];#d=0;#p;constructor(t,n,s=null){
this.#n=t,this.#p=n;let i=t.lines.map(r=>{let l=c("span",{class:"figure"});this.#l.push(l);let u=c("span",{class:`sample sample-${r.colour}${r.
dash?` sample-${r.dash[0]===cr[0]?"dot":"dash"}`:""}`,"aria-hidden":"true"});return c("li",{},u,c("span",{},r.label),l)});this.element=c("fi\
gure",{class:"chart card"},c("figcaption",{},c("div",{},c("h3",{},t.title),c("p",{},t.about)),s),this.#t,c("div",{class:"legend"},c("ul",{},
...i),this.#i)),this.#t.setAttribute("role","img"),this.#f(),this.#o=new ResizeObserver(()=>this.#h()),this.#o.observe(this.#t),this.#a=gi(()=>this.#m())}set(t,n,s=null,i=[]){
this.#c=i,this.#t.dataset.marks=String(i.length),this.#s=t,this.#u=n,this.#r=s,this.#f(),this.#t.dataset.points=String(t.length),this.#e?this.#e.
setData(this.#y()):this.#h(),this.#k(null)}#f(){let t=this.#r===null?"the last five minutes":`${Ft(this.#r.seconds)} up to ${ai(this.#r.end*
1e3)} ${yn(this.#r.end*1e3)}`;this.#t.setAttribute("aria-label",`${this.#n.title}: lines over ${t}; the newest figures follow`)}leave(){this.#o.
disconnect(),this.#a(),this.#e?.destroy(),this.#e=null}#h(){let t=Math.floor(this.#t.clientWidth);t!==0&&(this.#e?t!==this.#d&&this.#e.setSize(
{width:t,height:Qa()}):this.#w(t),this.#d=t)}#m(){this.#e&&(this.#e.destroy(),this.#e=null,this.#h())}#y(){let t=[];return this.#n.lines.forEach(
(n,s)=>{let i=this.#u[s]??[],r=n.fill==="stacked"?t[s-1]:void 0;t.push(r?i.map((l,u)=>l===null?null:l+(r[u]??0)):i)}),[this.#s,...t]}#w(t){let{
lines:n,tick:s,figure:i,least:r,most:l,isBinary:u}=this.#n,f={stroke:st("ink-soft"),font:`12px ${st("font")}`,ticks:{show:!1},grid:{stroke:st(
"rule"),width:1}},p={width:t,height:Qa(),legend:{show:!1},cursor:{sync:{key:"forebay"},drag:{x:!0,y:!1,setScale:!1,dist:Za}},scales:{x:{time:!0,
range:()=>this.#b()},y:{range:(b,m,y)=>[0,l??Math.max((y??0)*1.1,r??1)]}},axes:[{...f,grid:{show:!1},size:26,space:110,values:(b,m)=>m.map(y=>this.#_(
y))},{...f,size:62,space:36,values:(b,m)=>m.map(y=>(s??i)(y)),...u?{incrs:Bf}:{}}],series:[{},...n.map(b=>this.#x(b))],bands:n.flatMap((b,m)=>b.
fill==="stacked"&&m>0?[{series:[m+1,m]}]:[]),hooks:{setCursor:[b=>this.#k(b.cursor.idx??null)],setSelect:[b=>this.#g(b)],draw:[b=>this.#v(b)]}};
this.#e=new ze(p,this.#y(),this.#t)}#g(t){let{left:n,width:s}=t.select;if(s<Za)return;let[i,r]=[t.posToVal(n,"x"),t.posToVal(n+s,"x")];t.setSelect(
{left:0,top:0,width:0,height:0},!1),this.#p(i,r)}#v(t){let{ctx:n,bbox:s}=t,i=window.devicePixelRatio||1;n.save(),n.font=`600 ${11*i}px ${st(
"font")}`,n.lineWidth=i,n.setLineDash([2*i,3*i]),n.textAlign="center";let r=[];this.#c.forEach((l,u)=>{let f=t.valToPos(l.at,"x",!0);r.push(
l.label);let p=this.#c[u+1];p&&t.valToPos(p.at,"x",!0)-f<zf*i||(n.strokeStyle=n.fillStyle=st(l.colour),n.beginPath(),n.moveTo(f,s.top+14*i),
n.lineTo(f,s.top+s.height),n.stroke(),n.fillText(r.length>2?`${r[0]}\u2013${l.label}`:r.join(","),f,s.top+11*i),r=[])}),n.restore()}#x(t){let n=st(
t.colour);return{label:t.label,stroke:n,width:2,points:{show:!1},...t.dash?{dash:t.dash}:{},...t.fill?{fill:`${n}40`}:{}}}#b(){if(this.#r)return[
this.#r.end-this.#r.seconds,this.#r.end];let t=this.#s.at(-1)??Date.now()/1e3,n=t-(this.#s[0]??t);return[t-Math.min(Ls,Math.max(Hf,n)),t]}#_(t){
let[n,s]=this.#b(),i=yn(t*1e3);return s-n>Wf&&i==="00:00:00"?ai(t*1e3):s-n<If?i:i.slice(0,5)}#k(t){let n=t??this.#s.length-1,s=this.#s[n];this.#l.
forEach((r,l)=>q(r,this.#n.figure(this.#u[l]?.[n]??null)));let i=s===void 0?"":yn(s*1e3);q(this.#i,t===null||s===void 0?"now":this.#r?`${ai(
s*1e3)} ${i.slice(0,5)}`:i)}};var Vf={info:"busy",warning:"warning",error:"bad"};function Xa(e,t,n,s,i){return e.filter(l=>l.disk===null||l.disk===t).map(l=>({event:l,at:new Date(
l.time).getTime()/1e3+n})).filter(({at:l})=>l>=s&&l<=i).slice(-12).map(({event:l,at:u},f)=>({event:l,mark:{at:u,label:String(f+1),colour:Vf[l.
level]??"warning"}}))}function Qt(){return c("span",{class:"badge"},c("span",{class:"sign","aria-hidden":"true"}),c("span",{}))}function Zt(e,t,n){e.className=`ba\
dge badge-${t}`;let[s,i]=e.children;s&&q(s,Do[t]),i&&q(i,n)}function wt(e,t){let n=c("div",{class:"tile-value","data-figure":t}),s=c("div",{
class:"tile-remark"});return{element:c("div",{class:"tile"},c("div",{class:"tile-name"},e),n,s),set(r,l=""){q(n,r),q(s,l)}}}function Gs(){let e=c(
"ul",{class:"findings","aria-live":"polite","aria-label":"Warnings"});return{element:e,set(t){e.hidden=t.length===0,Et(e,t,n=>`${n.tone} ${n.
text.replace(/\d[\d.]*/g,"#")}`,()=>c("li",{},c("span",{class:"sign","aria-hidden":"true"}),c("div",{},c("div",{class:"finding-text"}),c("di\
v",{class:"finding-advice"}))),(n,s)=>{n.className=`finding finding-${s.tone}`,fe(n,".sign",Do[s.tone]),fe(n,".finding-text",s.text),fe(n,".\
finding-advice",s.advice??"")})}}}function fe(e,t,n){let s=e.querySelector(t);s&&q(s,n)}var Wn={width:120,height:28};function ec(e){let t=ri(
"svg",{class:"spark",viewBox:`0 0 ${Wn.width} ${Wn.height}`,role:"img",preserveAspectRatio:"none"}),n=ri("path",{fill:"none","vector-effect":"\
non-scaling-stroke"});return t.append(ri("path",{class:"spark-base",d:`M0 ${Wn.height-1}H${Wn.width}`,fill:"none"}),n),{element:t,set(s,i){n.
setAttribute("d",qf(s,i));let r=s.filter(l=>l!==null).at(-1);t.setAttribute("aria-label",r===void 0?`${e}: no reads in the last five minutes`:
`${e} over the last five minutes, ${we(r)} lately`)}}}function qf(e,t){let n=Wn.width/Math.max(1,t-1),s=Wn.width-(e.length-1)*n,i="M",r="";return e.
forEach((l,u)=>{if(l===null){i="M";return}r+=`${i}${(s+u*n).toFixed(1)} ${((1-l)*(Wn.height-4)+2).toFixed(1)}`,i="L"}),r}function ks(e){let t=e.
map(([s,i])=>({key:s,name:i,cell:c("dd",{"data-figure":s})}));return{element:c("dl",{class:"facts"},...t.map(({name:s,cell:i})=>c("div",{},c(
"dt",{},s),i))),set(s){for(let{key:i,cell:r}of t)q(r,s[i]??""),r.parentElement&&(r.parentElement.hidden=s[i]===void 0)}}}var Gf=[["5 minutes",300],["1 hour",3600],["6 hours",21600],["1 day",86400],["1 week",7*86400]],zi=class{element;#n=()=>{};#t=(t,n)=>{let s=xo(
t,n,Date.now()/1e3);s&&this.#n(this.#M()?{...s,of:"5m"}:s)};#l=new Ht({title:"Hit ratio",about:"Reads answered from the cache, of all reads.",
lines:[{label:"RAM",colour:"ram",fill:"area"},{label:"Flash",colour:"flash",fill:"stacked",dash:In}],figure:we,tick:t=>`${Math.round(t*100)}\
%`,most:1},this.#t);#i=new Ht({title:"Requests a second",about:"What guests asked for.",lines:[{label:"Reads",colour:"read"},{label:"Writes",
colour:"write",dash:In}],figure:Ue,tick:wo,least:10},this.#t);#o;#a=new Ht({title:"Mean latency",about:"Of all reads, and of all writes.",lines:[
{label:"Reads",colour:"read"},{label:"Writes",colour:"write",dash:In}],figure:Ge,least:10},this.#t);#e;#s=new Ht({title:"Dirty data",about:"\
What flash has and the backing does not, without zeroes.",lines:[{label:"Dirty",colour:"dirty",fill:"area"},{label:"Limit",colour:"limit",dash:In}],
figure:F,least:64*1024,isBinary:!0},this.#t);#u=new Ht({title:"Backing requests saved",about:"What guests asked for, and what reached the ba\
cking.",lines:[{label:"Guests",colour:"read"},{label:"Backing",colour:"limit",dash:In,fill:"area"}],figure:Ue,tick:wo,least:10},this.#t);#r=new Ht(
{title:"Written to flash",about:"Bytes a second, headers and second copies included.",lines:[{label:"Flash",colour:"flash",fill:"area"}],figure:Ct,
tick:F,least:64*1024,isBinary:!0},this.#t);#c=c("select",{"aria-label":"Latency of",name:"latency-class"},...ci.map(t=>c("option",{value:t},
vi[t])));#d=c("select",{"aria-label":"Percentiles of",name:"latency-spread"},c("option",{value:"readSpread"},"Reads"),c("option",{value:"wri\
teSpread"},"Writes"));#p=c("span",{class:"hint"});#f;#h=c("p",{class:"hint",role:"status"});#m=[];#y=[];#w=null;#g=[];#v=null;#x=!1;#b=c("in\
put",{type:"datetime-local",name:"from",step:1,required:!0,"aria-label":"From"});#_=c("input",{type:"datetime-local",name:"to",step:1,required:!0,
"aria-label":"To"});#k=c("ol",{class:"happened","aria-label":"Events in this time"});constructor(t){this.#n=t;let n=c("div",{class:"chart-co\
ntrols"},this.#c,this.#p);this.#c.value="read_miss",this.#c.addEventListener("change",()=>{this.#x=!0,this.#T()});let s=(l,u)=>({title:l,about:u,
lines:[{label:"Half",colour:"read"},{label:"95 %",colour:"write",dash:In},{label:"99 %",colour:"limit",dash:cr}],figure:Ge,least:10});this.#o=
new Ht(s("Latency","So many in a hundred were faster."),this.#t,n),this.#d.addEventListener("change",()=>this.#E()),this.#e=new Ht(s("Latenc\
y percentiles","Of each step, so many in a hundred were faster."),this.#t,c("div",{class:"chart-controls"},this.#d));let i=([l,u])=>c("butto\
n",{type:"button","data-seconds":u,onclick:()=>t({seconds:u,end:null})},l);this.#f=c("div",{class:"segmented",role:"group","aria-label":"How\
 far back"},...Gf.map(i));let r=c("form",{class:"period","aria-label":"Period"},this.#b,c("span",{},"to"),this.#_,c("button",{type:"submit"},
"Show"));r.addEventListener("submit",l=>{l.preventDefault();let u=[this.#b,this.#_].map(p=>new Date(p.value).getTime()/1e3),f=xo(u[0]??NaN,u[1]??
NaN,Date.now()/1e3);f?t(f):q(this.#h,"The two moments must be within the last week, and at least ten seconds apart.")}),this.element=c("sect\
ion",{class:"did","aria-label":"Charts"},c("div",{class:"section-head"},c("h2",{},"What it did"),this.#f),c("details",{class:"other-period"},
c("summary",{},"Another time"),r),this.#h,c("div",{class:"charts"},...this.#S().map(l=>l.element)),this.#k)}update(t,n,s){let{period:i}=t,r=wn(
i)==="5m",l=Date.now()/1e3,u=r?t.series.get(n)?.points??[]:t.past?.points??[],f=i.end??(r?u.at(-1)?.at??l:t.past?.end??l),p=Xa(t.events??[],
n,t.ahead,f-i.seconds,f);if(this.#w=r&&i.end===null?null:{end:f,seconds:i.seconds},this.#g=p.map(({mark:m})=>m),this.#A(i,r,!r&&t.past===null),
this.#D(p),this.#P(u,s),r){this.#m=u,q(this.#p,t.windows.has(n)?"over 5 minutes each":"since attached"),this.#T();return}let b=m=>u.map(m);this.#a.
set(u.map(m=>m.at),[b(m=>m.readMicros),b(m=>m.writeMicros)],this.#w,this.#g),this.#y=u,this.#E()}leave(){for(let t of this.#S())t.leave()}#S(){
return[this.#l,this.#i,this.#o,this.#a,this.#e,this.#u,this.#s,this.#r]}#M(){return this.#v!==null&&wn(this.#v)==="5m"}#A(t,n,s){let i=t!==this.#v;
this.#v=t;for(let l of this.#f.children)l.setAttribute("aria-pressed",String(t.end===null&&l.getAttribute("data-seconds")===String(t.seconds)));
i&&t.end!==null&&(this.#b.value=tc(t.end-t.seconds),this.#_.value=tc(t.end));let r=n?"":"In steps of five minutes; of dirty data, the most i\
n each. ";i||s?q(this.#h,s?"Asking Forebay\u2026":`${r}Draw over a chart to see a part of it.`):this.#h.textContent==="Asking Forebay\u2026"&&
q(this.#h,`${r}Draw over a chart to see a part of it.`),Q(this.#o.element,n),Q(this.#a.element,!n),Q(this.#e.element,!n),this.#s.element.classList.
toggle("chart-wide",!n)}#D(t){Q(this.#k,t.length>0);let n=()=>c("li",{},c("span",{class:"happened-number"}),Qt(),c("time",{}),c("span",{class:"\
happened-text"}));Et(this.#k,t,({event:s})=>`${s.id} ${s.time}`,n,(s,{event:i,mark:r})=>{fe(s,".happened-number",r.label);let l=s.querySelector(
".badge");l&&Zt(l,yi[i.level]??"warning",i.level),fe(s,"time",as(i.time)),fe(s,".happened-text",i.message)})}#P(t,n){let s=u=>t.map(u),i=t.map(
u=>u.at),r=(u,...f)=>u.set(i,f,this.#w,this.#g);r(this.#l,s(u=>u.hitRam),s(u=>u.hitFlash)),r(this.#i,s(u=>u.rates?.reads??null),s(u=>u.rates?.
writes??null)),r(this.#u,s(u=>Rn(u.rates)),s(u=>u.rates?u.rates.backing_reads+u.rates.backing_writes:null)),r(this.#r,s(u=>u.rates?.flash_write_bytes??
null));let l=n==="write-back"?s(u=>u.dirtyLimitBytes):t.map(()=>null);r(this.#s,s(u=>u.dirtyBytes),l)}#T(){let t=this.#m.at(-1)?.latency;if(!this.#x&&
t&&t[this.#$()].count===0){let i=ci.find(r=>t[r].count>0);i&&(this.#c.value=i)}let n=this.#$(),s=i=>this.#m.map(r=>r.latency&&r.latency[n].count>
0?r.latency[n][i]:null);this.#o.set(this.#m.map(i=>i.at),[s("p50"),s("p95"),s("p99")],this.#w,this.#g)}#E(){let t=this.#d.value==="writeSpre\
ad"?"writeSpread":"readSpread",n=[0,1,2].map(s=>this.#y.map(i=>i[t]?.[s]??null));this.#e.set(this.#y.map(s=>s.at),n,this.#w,this.#g)}#$(){return ci.
find(t=>t===this.#c.value)??"read_miss"}};function tc(e){let t=new Date(e*1e3);return new Date(t.getTime()-t.getTimezoneOffset()*6e4).toISOString().
slice(0,19)}var nc=4;function ur(e){return Math.log2(e)}function dr(e){let t=r=>r?`${F(r.cache_bytes)}: ${we(r.hit_ratio)}`:"\u2013",n=e.points.findIndex(
r=>r.cache_bytes===e.present.cache_bytes),s=r=>n<0?null:e.points[n+r],i=e.wanted.find(r=>r.hit_ratio===.9)?.cache_bytes;return{present:t(e.present),
half:t(s(-nc)),double:t(s(nc)),held:t(e.held),knee:t(e.knee),largest:t(e.largest),wanted:i==null?"no size has it":F(i),working_set:F(e.working_set_bytes)}}
var Kf=2**20;function ic(e,t,n,s){let i=Math.max(0,e.present.cache_bytes-n),l=t.cache_bytes===e.present.cache_bytes?n:Math.round((t.cache_bytes-
i)/2**20)*2**20;return l<Kf?null:{flashBytes:l,hitRatio:t.hit_ratio,readMicros:jf(t.hit_ratio,s)}}function jf(e,t){let n=t?.latency_us;if(!n||
e===null)return null;let s=sc([n.read_hit_ram,n.read_hit_flash]),i=sc([n.read_miss]);return s===null||i===null?null:e*s+(1-e)*i}function sc(e){
let t=e.reduce((n,s)=>n+s.count,0);return t>0?e.reduce((n,s)=>n+s.count*s.mean,0)/t:null}function fr(e){let t=e.readMicros===null?"":`, read\
s ${Ge(e.readMicros)} on average`;return`${F(e.flashBytes)} of flash: ${we(e.hitRatio)} hits${t}`}var oc=230,Uf=1e4,Yf=[["present","Present size"],["half","Half of it"],["double","Twice as much"],["held","Held now"],["knee","More gains le\
ss above"],["largest","More gains nothing above"],["wanted","For 90 % hits"],["working_set","Used in 48 active hours"]],Hi=class{element;#n=c(
"div",{class:"curve-canvas",role:"img"});#t=c("p",{class:"hint",role:"status"});#l=c("span",{class:"chart-when"});#i=ks(Yf);#o=new ResizeObserver(
()=>this.#b());#a;#e=null;#s=null;#u=0;#r="";#c;#d=c("output",{class:"chosen","data-figure":"chosen"});#p=c("button",{type:"button",class:"p\
rimary",onclick:()=>this.#v()},"Use this size\u2026");#f=[];#h=!1;#m=null;#y;constructor(t){this.#y=t;let n=ct();this.#c=c("input",{id:n,type:"\
range",min:0,max:0,step:1,value:0,"aria-describedby":`${n}-chosen`}),this.#d.id=`${n}-chosen`,this.#c.addEventListener("input",()=>{this.#h=
!0,this.#g()}),this.element=c("section",{class:"card curve","aria-label":"Curve"},c("div",{class:"section-head"},c("h2",{},"With a cache of \
another size"),this.#l),c("p",{class:"hint"},"The share of reads that flash and RAM of this size would answer, predicted from samples of wha\
t guests lately did."),this.#n,c("div",{class:"slider"},c("label",{for:n},"Try a size"),this.#c,this.#d,this.#p),this.#t,this.#i.element),this.
element.hidden=!0,this.#o.observe(this.#n),this.#a=gi(()=>this.#x())}set(t,n,s){if(this.#m=n,this.#e=t!==null&&t.reads>0?t:null,Q(this.element,
this.#e!==null),!this.#e)return;this.#i.set(dr(this.#e)),q(this.#t,this.#e.reads<Uf?`Read ${me(this.#e.reads)} times only: this may be chanc\
e.`:""),this.#w(this.#e,n,s),this.#n.setAttribute("aria-label",`Hit ratio by the size of the cache; at the present size of ${dr(this.#e).present}`);
let i=JSON.stringify([this.#e.points,this.#e.present,this.#e.held]);i!==this.#r&&(this.#r=i,this.#n.dataset.points=String(this.#e.points.length),
this.#x(),this.#b())}leave(){this.#o.disconnect(),this.#a(),this.#s?.destroy(),this.#s=null}#w(t,n,s){let i=this.#f[Number(this.#c.value)]?.
flashBytes,r=n.limit_bytes??0,l=t.points.map(p=>ic(t,p,r,s)).filter(p=>p!==null);this.#f=l.filter((p,b)=>b===0||p.flashBytes!==l[b-1]?.flashBytes),
this.#c.max=String(Math.max(0,this.#f.length-1));let u=this.#h&&i!==void 0?i:r,f=this.#f.reduce((p,b,m)=>rc(b,u)<rc(this.#f[p],u)?m:p,0);this.#c.
value=String(f),this.#g()}#g(){let t=this.#f[Number(this.#c.value)],n=t?.flashBytes===this.#m?.limit_bytes;q(this.#d,t?`${fr(t)}${n?" (as it\
 is)":""}`:"No other size can be chosen"),this.#c.setAttribute("aria-valuetext",this.#d.textContent??""),this.#p.disabled=t===void 0||n}#v(){
let t=this.#f[Number(this.#c.value)],n=this.#m;if(!t||!n)return;let s=F(t.flashBytes),i=t.flashBytes<(n.limit_bytes??0);tt({title:`Let ${n.name}\
 have ${s} of flash at most?`,sentences:[`Predicted: ${fr(t)}.`,i?`What it holds above that is evicted; it holds ${F(n.statistics.flash_bytes)}\
 now.`:"It grows into it as guests read, if the pool has room that no other disk reserved.","Guests stay connected and go on meanwhile."],confirm:"\
Change",run:async()=>(await Me("PATCH",Ae(n.name),{settings:{limit:String(t.flashBytes)}}),this.#h=!1,this.#y(),`${n.name} may have ${s} of \
flash now`)})}#x(){this.#s?.destroy(),this.#s=null,this.#b()}#b(){let t=Math.floor(this.#n.clientWidth);t===0||!this.#e||(this.#s?t!==this.#u&&
this.#s.setSize({width:t,height:oc}):this.#_(t,this.#e),this.#u=t)}#_(t,{points:n}){let s={stroke:st("ink-soft"),font:`12px ${st("font")}`,ticks:{
show:!1},grid:{stroke:st("rule"),width:1}},i=st("flash"),r=n.map(u=>ur(u.cache_bytes)),l={width:t,height:oc,legend:{show:!1},cursor:{drag:{x:!1,
y:!1}},scales:{x:{time:!1,range:[r[0]??0,r.at(-1)??1]},y:{range:[0,1]}},axes:[{...s,grid:{show:!1},size:26,space:80,incrs:[1,2,4,8],values:(u,f)=>f.
map(p=>F(2**p))},{...s,size:62,space:36,values:(u,f)=>f.map(p=>`${Math.round(p*100)}%`)}],series:[{},{label:"Hit ratio",stroke:i,width:2,points:{
show:!1},fill:`${i}40`}],hooks:{draw:[u=>this.#k(u)],setCursor:[u=>this.#S(u.cursor.idx??null)]}};this.#s=new ze(l,[r,n.map(u=>u.hit_ratio)],
this.#n)}#k(t){if(!this.#e)return;let{ctx:n,bbox:s}=t,i=window.devicePixelRatio||1,r=[[this.#e.held,"held",st("limit"),[4,4]],[this.#e.present,
"present",st("ink"),[]]];n.save(),n.font=`${12*i}px ${st("font")}`;for(let[{cache_bytes:l},u,f,p]of r){let b=t.valToPos(ur(l),"x",!0);if(l<=
0||b<s.left||b>s.left+s.width)continue;n.strokeStyle=n.fillStyle=f,n.lineWidth=1.5*i,n.setLineDash(p.map(y=>y*i)),n.beginPath(),n.moveTo(b,s.
top),n.lineTo(b,s.top+s.height),n.stroke();let m=u==="held";n.textAlign=m?"right":"left",n.fillText(u,b+(m?-5:5)*i,s.top+12*i)}n.restore()}#S(t){
let n=t===null?void 0:this.#e?.points[t];q(this.#l,n?`${F(n.cache_bytes)}: ${we(n.hit_ratio)}`:"")}};function rc(e,t){return e===void 0?1/0:
Math.abs(Math.log(e.flashBytes/t))}var Jf=[["connections","Guests connected"]],Qf={"vhost-user":"vhost-user",nbd:"NBD","nbd-tcp":"NBD over TCP"},Ii=class{element;#n=ks(Jf);#t=c(
"dl",{class:"facts doors"});#l=c("div",{class:"stack"});#i=c("select",{name:"client","aria-label":"Client"});#o=c("label",{class:"inline"},"\
For ",this.#i);#a;#e=[];#s=!1;constructor(t){this.#a=t,this.element=c("section",{class:"card connect","aria-label":"Connect"},c("h2",{},"How\
 guests connect"),this.#n.element,this.#t,this.#o,this.#l),this.#o.hidden=!0,this.#i.addEventListener("change",()=>this.#r())}update(t){this.#n.
set({connections:t.connections===null?"\u2013":String(t.connections)}),Et(this.#t,t.doors??[],n=>n.kind,Zf,(n,s)=>{fe(n,"dt",Xf(s)),fe(n,"dd",
s.address)}),this.#s||(this.#s=!0,this.#u())}async#u(){let t=await Yt(`${Ae(this.#a)}/connect`,"connect").catch(()=>(this.#s=!1,null));this.#e=
t?.forms??[];let n=[...new Set(this.#e.map(s=>s.client))];this.#i.replaceChildren(...n.map(s=>c("option",{value:s},s))),Q(this.#o,n.length>0),
this.#r()}#r(){let t=this.#e.filter(n=>n.client===this.#i.value);Et(this.#l,t,n=>`${n.client} ${n.door}`,eh,(n,s)=>{fe(n,"h3",`${s.client}, \
over ${Qf[s.door]??s.door}`),fe(n,".hint",s.note),fe(n,"code",s.lines.trimEnd())})}};function Zf(e){return c("div",{},c("dt",{}),c("dd",{"da\
ta-figure":`door-${e.kind}`}))}function Xf(e){let t=e.address.startsWith("/")&&e.address.endsWith(".sock")?`${e.title} socket`:e.title;return(e.
connections??0)>0?`${t} (${e.connections} connected)`:t}function eh(){let e=c("code",{}),n=c("button",{type:"button",class:"quiet",onclick:()=>{
navigator.clipboard?.writeText(e.textContent??"").then(()=>Ps("Copied"))}},"Copy");return n.hidden=navigator.clipboard===void 0,c("div",{},c(
"div",{class:"section-head"},c("h3",{}),n),c("p",{class:"hint"}),c("pre",{},e))}function It(e,t,n=""){let s=ct();return t.id=s,c("div",{class:"field"},c("label",{for:s},e),t,n===""?null:c("p",{class:"hint"},n))}function Ks(e,t){
let n=c("input",{type:"checkbox",name:e});return{element:c("label",{class:"tick"},n,c("span",{},t)),input:n}}function cn(e,t={}){return c("i\
nput",{type:"text",name:e,spellcheck:"false",autocomplete:"off",autocapitalize:"off",...t})}function lc(...e){return c("details",{},c("summa\
ry",{},"More"),c("div",{class:"fields"},...e))}var th=["mode","block-size","reserve","limit","ram","dirty-limit"];function ac(e){let t=cn("n\
ame",{required:!0,pattern:"[a-z0-9][a-z0-9._\\-]{0,62}",title:"Small letters, digits, dot, dash and underscore"}),n=cn("backing",{required:!0,
placeholder:"/srv/images/web1.raw"}),s=Os.filter(f=>th.includes(f.name)).map(f=>{let p=f.choices?.map(m=>c("option",{value:m},m))??[],b=f.choices?
c("select",{name:f.name},c("option",{value:""},"default"),...p):cn(f.name,{placeholder:"default"});return{key:f,input:b}}),i=Ks("read_only",
"Read-only: nothing is ever written to the backing"),r=Ks("force_raw","Serve it as raw even if it looks like an image of another format"),[l,
...u]=s;tt({title:"Add a disk",sentences:["Forebay serves it from now on, also after a restart. Its content stays as it is, and it must not \
be open elsewhere."],confirm:"Add",fields:c("div",{class:"stack"},It("Name",t),It("Backing",n,"A raw file or a block device, or nbd://HOST/E\
XPORT, or nbd+unix:///EXPORT?socket=PATH."),l?It(l.key.name,l.input,l.key.about):null,lc(...u.map(({key:f,input:p})=>It(f.name,p,f.about)),i.
element,r.element)),run:async()=>{let f=s.map(({key:m,input:y})=>[m.name,y.value.trim()]).filter(([,m])=>m!==""),p={name:t.value.trim(),backing:n.
value.trim(),read_only:i.input.checked,force_raw:r.input.checked,settings:Object.fromEntries(f)},{disk:b}=await Me("POST","/v1/disks",p);return e(
b.name),`${b.name} is ${b.state}; its page says how guests connect to it`}})}function cc(e,t){let n=Ks("discard_dirty",`Give up what the bac\
king does not have: ${F(nt(e))} is lost for good`),s=Ks("force","Remove it although a guest uses it: that guest gets errors");tt({title:`Rem\
ove ${e.name}?`,sentences:xl(e),confirm:"Remove",isDangerous:!0,fields:c("div",{class:"stack"},nt(e)>0?n.element:null,(e.connections??0)>0?s.
element:null),run:async()=>(await Me("DELETE",Ae(e.name),{discard_dirty:n.input.checked,force:s.input.checked}),t(),`${e.name} is served no \
more; its backing is complete as far as the dialog said`)})}function uc(e){let t=cn("qmp",{placeholder:"/run/web.qmp"}),n=cn("libvirt"),s=cn(
"device",{placeholder:"the only one"}),i=cn("name",{placeholder:"from the guest"});tt({title:"Attach a running guest",sentences:["The disk o\
f a running QEMU guest is moved behind Forebay, without a reboot and without a copy. The guest goes on meanwhile."],confirm:"Attach",fields:c(
"div",{class:"stack"},It("QEMU's monitor socket",t,"Made with -qmp unix:SOCKET,server=on,wait=off. Or give the guest's name in libvirt."),It(
"Guest of libvirt",n),It("Device",s,"The id of the guest's -device, or of its -drive, if it has several disks."),It("Name of the disk",i)),run:async()=>{
let r=[t,n,s,i].map(u=>[u.name,u.value.trim()]).filter(([,u])=>u!==""),{moved:l}=await Me("POST","/v1/vms",Object.fromEntries(r));return e(l),
`The running guest has its disk from Forebay now, as ${l}`}})}function dc(e,t){tt({title:`Give ${e.name} back to its guest?`,sentences:kl(e),
confirm:"Give back",run:async()=>(await Me("DELETE",`/v1/vms/${encodeURIComponent(e.name)}`),t(),`The running guest has ${e.name} back as it\
 was; Forebay no longer serves it`)})}function fc(e){let t=cn("path",{required:!0,placeholder:"/dev/disk/by-id/..."}),n=c("input",{type:"num\
ber",name:"size",min:1,step:1,placeholder:"whole device"}),s=cn("erase"),i=Ks("same_drive","It may be on the drive of another device: both c\
opies are lost with that drive");tt({title:"Add a device to the pool",sentences:["What is on it is overwritten. A device that holds anything\
 is refused, and the refusal says what it holds."],confirm:"Add",isDangerous:!0,fields:c("div",{class:"stack"},It("Path",t,"A block device u\
nder a name that stays, or a file; a file that is not there is made."),It("Size in GiB",n,"For files. A device is taken whole."),lc(It("Eras\
e",s,"The id of the old pool that a refusal named, if that may be erased."),i.element)),run:async()=>{let r={path:t.value.trim(),size_bytes:n.
value===""?null:Number(n.value)*1073741824,erase:s.value.trim()===""?null:s.value.trim(),same_drive:i.input.checked};return await Me("POST",
"/v1/pool/devices",r),e(),`${r.path} is a device of the pool`}})}function hc(e,t){let n=e.path??`device ${e.number}`;tt({title:`Take ${n} ou\
t of the pool?`,sentences:["Dirty data is written to the backings first. Then what the disks cached, also on the other devices, is dropped.",
"Guests go on from the backings, slower, until the cache is warm again."],confirm:"Take out",isDangerous:!0,run:async()=>(await Me("DELETE",
jr(e.number)),t(),`${n} is no device of the pool any more`)})}var nh={size:"Request size",latency:"Latency",seek:"Seek distance",outstanding:"Outstanding requests",interarrival:"Time between requests"},
pc={...vi,read:"Reads",write:"Writes",all:"All"};function sh(e,t){if(e.upto===null)return"more";switch(t){case"bytes":return e.upto%1024===0?
F(e.upto):me(e.upto);case"microseconds":return Ge(e.upto);default:return e.upto<0?`\u2212${me(-e.upto)}`:me(e.upto)}}function ih(e){let t=e.
map(([,u])=>u.length),n=u=>e.some(([,f])=>(f[u]?.count??0)>0),s=[...Array(Math.max(0,...t)).keys()],i=s.filter(n),[r,l]=[i[0],i.at(-1)];return r===
void 0||l===void 0?[0,0]:[Math.max(0,r-1),Math.min(s.length,l+2)]}function oh(e){let t=e.map(([,n])=>n.map(s=>s.upto).join());return t.every(
n=>n===t[0])}var Wi=class{element=c("section",{class:"histograms","aria-label":"Histograms"});#n=c("div",{class:"segmented",role:"group","ar\
ia-label":"What is counted"});#t=c("div",{class:"card histogram-tables"});#l=[];#i="size";#o="";constructor(){this.element.append(c("div",{class:"\
section-head"},c("h2",{},"Histograms"),this.#n),this.#t),this.element.hidden=!0}set(t){if(this.element.hidden=t===null||t.length===0,t===null||
t.length===0)return;this.#l=t,t.some(([s])=>s===this.#i)||(this.#i=t[0]?.[0]??"");let n=t.map(([s])=>s);this.#n.children.length!==n.length&&
this.#n.replaceChildren(...n.map(s=>this.#a(s))),this.#e()}#a(t){return c("button",{type:"button","data-what":t,onclick:()=>{this.#i=t,this.#e()}},
nh[t]??t)}#e(){for(let l of this.#n.children)l.setAttribute("aria-pressed",String(l.getAttribute("data-what")===this.#i));let t=this.#l.find(
([l])=>l===this.#i)?.[1];if(!t)return;let n=JSON.stringify([this.#i,t]);if(n===this.#o)return;this.#o=n;let{unit:s,kinds:i}=t,r=i.length<=2&&
oh(i)?[i]:i.map(l=>[l]);this.#t.replaceChildren(...r.map(l=>rh(s,l)))}};function rh(e,t){let[n,s]=ih(t),i=e==="bytes"||e==="microseconds"?"U\
p to":`Up to, ${e}`;if(n===s)return c("p",{class:"hint"},`${t.map(([f])=>pc[f]??f).join(", ")}: nothing was counted yet.`);let r=t.map(([,f])=>f.
reduce((p,b)=>p+b.count,0)),l=c("thead",{},c("tr",{},c("th",{scope:"col"},i),...t.map(([f],p)=>c("th",{scope:"col"},`${pc[f]??f}: ${me(r[p])}`)))),
u=[...Array(s-n).keys()].map(f=>{let p=n+f,b=t[0]?.[1][p];return c("tr",{},c("th",{scope:"row"},b?sh(b,e):""),...t.map(([,m],y)=>lh(m[p]?.count??
0,r[y]??0,y)))});return c("table",{class:"histogram"},l,c("tbody",{},...u))}function lh(e,t,n){let s=t>0?e/t:0,i=c("span",{class:`bar bar-${n%
6}`});i.style.width=`${(s*100).toFixed(2)}%`;let r=c("span",{class:"bar-text"});return q(r,e===0?"":`${me(e)} (${(s*100).toFixed(1)}%)`),c("\
td",{},c("div",{class:"bar-cell"},c("span",{class:"bar-track"},i),r))}var ah=[["mean","mean"],["median","p50"],["95 %","p95"],["99 %","p99"]];function ch(e,t){if(e===null||t===null||e<=0)return"";let n=(t-e)/e*
100;return Math.abs(n)<.05?"0.0%":`${n>0?"+":"\u2212"}${Math.abs(n).toFixed(1)}%`}function uh(e){let t=[],n=(s,i,r,l)=>{let[u,f]=[r(e.without),
r(e.with)];u===null&&f===null||t.push({key:s,name:i,without:l(u),with:l(f),change:ch(u,f)})};for(let s of["read","write"])for(let[i,r]of ah)
n(`${s}.${r}`,`${s==="read"?"Read":"Write"} latency, ${i}`,l=>l.latency_us[s]?.[r]??null,Ge);return n("iops","Requests a second, mean",s=>s.
iops,Ue),n("iops_busiest_minute","Requests a second, busiest minute",s=>s.iops_busiest_minute,Ue),n("backing_reads","Reads from the backing",
s=>s.backing_reads,me),n("backing_read_bytes","Bytes from the backing",s=>s.backing_read_bytes,F),n("backing_writes","Writes to the backing",
s=>s.backing_writes,me),n("backing_write_bytes","Bytes to the backing",s=>s.backing_write_bytes,F),t}function dh(e){let{times_faster:t,writes_times_faster:n}=e,
s=[];return t===null?s.push(e.with.reads===0?"Nothing was read with the cache yet, so there is nothing to compare with.":"No read went to th\
e backing yet, so there is nothing to compare with."):t>=1.05?s.push(`The mean read is ${t.toFixed(1)} times faster with the cache.`):s.push(
"The cache gains nothing for reads so far: most of what is read is read for the first time, or the backing is as fast."),n!==null&&n>=1.05&&
s.push(`The mean write is ${n.toFixed(1)} times faster.`),s}function fh(e){let{without:t}=e,n={measured:"measured while the disk was in pass\
-through",concluded:`concluded from the ${me(e.measured_backing_reads)} that went to the backing`,unknown:"not known"}[t.reads_are],s=t.writes_are===
"measured"?"measured in pass-through":"not known";return`Without the cache: reads are ${n}, writes are ${s}.`}function hh({warm_up:e}){let t=s=>((s??
0)*100).toFixed(1),n=(e.variation_max*100).toFixed(0);switch(e.state){case"warm":return`Warm after ${Ft(e.seconds)}: the next three steps hi\
t ${we(e.hit_ratio)}, less than ${n} points apart.`;case"warming":return(e.variation??0)<e.variation_max?"Not warm yet: next to nothing hits\
.":`Not warm yet: the last three steps are ${t(e.variation)} points apart, and ${n} are too many.`;default:return`Whether it is warm is not \
known: that takes three steps with ${me(e.reads_min)} reads each.`}}function ph(e,t){let n=[e.without,e.with].map(p=>p.latency_us[t]?.classes??
null),s=n.find(p=>p!==null)??[],i=n.map(p=>{let b=p?.reduce((m,y)=>m+y.count,0)??0;return s.map((m,y)=>p===null||b===0?null:(p[y]?.count??0)/
b)}),r=s.map((p,b)=>({upto:p.upto===null?"more":Ge(p.upto),without:i[0]?.[b]??null,with:i[1]?.[b]??null})),l=r.flatMap((p,b)=>(p.without??0)>
0||(p.with??0)>0?[b]:[]),[u,f]=[l[0],l.at(-1)];return u===void 0||f===void 0?[]:r.slice(u,f+1)}var Bi=class{element;#n=c("p",{class:"report-\
verdict",role:"status"});#t=c("p",{class:"hint"});#l=c("p",{class:"report-warm"});#i=c("p",{class:"hint"});#o=c("tbody",{});#a=c("tbody",{});#e;#s=c(
"p",{class:"hint","data-figure":"report.share"});#u=c("div",{class:"report-known"});#r="read";#c=null;#d="";constructor(){let t=(s,i)=>c("bu\
tton",{type:"button","data-kind":s,onclick:()=>{this.#r=s,this.#p()}},i);this.#e=c("div",{class:"segmented",role:"group","aria-label":"Class\
es of"},t("read","Reads"),t("write","Writes"));let n=(...s)=>c("thead",{},c("tr",{},...s.map(i=>c("th",{scope:"col"},i))));this.#u.append(c(
"table",{class:"report-figures"},n("","Without","With the cache","Change"),this.#o),this.#s,this.#l,c("div",{class:"section-head"},c("h3",{},
"By latency"),this.#e),c("table",{class:"histogram report-classes"},n("Up to","Without","With the cache"),this.#a)),this.element=c("section",
{class:"card report","aria-label":"Before and after"},c("h2",{},"Before and after"),this.#n,this.#t,this.#u,this.#i),this.element.hidden=!0}set(t){
Q(this.element,t!==null),this.#c=t,this.#p()}#p(){let t=this.#c;if(!t)return;let n=JSON.stringify([this.#r,t]);if(n===this.#d)return;this.#d=
n;let s=[t.without,t.with].some(m=>m.reads+m.writes>0);Q(this.#u,s),Q(this.#t,s);let i=as(t.compared_since);q(this.#n,s?dh(t).join(" "):`Not\
hing was read since ${i}, nor written: there is nothing to report yet.`),q(this.#t,`Since ${i}: ${me(t.with.reads)} reads and ${me(t.with.writes)}\
 writes with the cache, ${me(t.without.reads)} and ${me(t.without.writes)} in pass-through. ${fh(t)}`),this.#o.replaceChildren(...uh(t).map(
mh));let{reads:r,read_hits_ram:l,read_hits_flash:u}=t.with,f=m=>we(r>0?m/r:null);q(this.#s,`Of reads with the cache, ${f(l+u)} were answered\
 by it: ${f(l)} from RAM, ${f(u)} from flash. Written to flash: ${F(t.flash_write_bytes)}.`),q(this.#l,hh(t));for(let m of this.#e.children)
m.setAttribute("aria-pressed",String(m.getAttribute("data-kind")===this.#r));let p=ph(t,this.#r);this.#a.replaceChildren(...p.length>0?p.map(
gh):[c("tr",{},c("td",{colspan:3},"Nothing was counted yet."))]);let b=t.without.reads_are==="measured"&&t.without.writes_are==="measured";Q(
this.#i,s&&!b),q(this.#i,`To have "without" measured, let the disk run in pass-through for ${me(t.requests_min)} reads and as many writes: s\
et mode below, and set it back.`)}};function mh(e){let t=n=>c("td",{"data-figure":`report.${e.key}.${n}`},e[n]);return c("tr",{},c("th",{scope:"\
row"},e.name),t("without"),t("with"),t("change"))}function gh(e){let t=(n,s)=>{let i=c("span",{class:`bar bar-${s}`});return i.style.width=`${((n??
0)*100).toFixed(2)}%`,c("td",{},c("div",{class:"bar-cell"},c("span",{class:"bar-track"},i),c("span",{class:"bar-text"},we(n))))};return c("t\
r",{},c("th",{scope:"row"},e.upto),t(e.without,1),t(e.with,0))}var Vi=class{element;#n=new Map;#t=c("div",{class:"fields"});#l=c("button",{type:"submit",class:"primary"},"Review changes\u2026");#i=c("but\
ton",{type:"reset"},"Undo");#o=c("span",{class:"hint","aria-live":"polite"});#a;#e;constructor(t,n){this.#a=t,this.#e=n;let s=c("form",{"ari\
a-label":"Settings"},this.#t,c("div",{class:"buttons buttons-start"},this.#l,this.#i,this.#o));s.addEventListener("input",()=>this.#r()),s.addEventListener(
"reset",i=>{i.preventDefault();for(let r of this.#n.values())r.input.value=r.now;this.#r()}),s.addEventListener("submit",i=>{i.preventDefault(),
this.#c()}),this.element=c("section",{class:"card","aria-label":"Settings"},c("h2",{},"Settings"),c("p",{class:"hint"},"As forebay disk set \
takes them. They are changed while guests go on."),s)}update(t){let n=Os.filter(i=>i.name in t),s=Object.keys(t).filter(i=>!Os.some(r=>r.name===
i));for(let i of[...n,...s.map(r=>({name:r,about:""}))]){let r=t[i.name]??"",l=this.#n.get(i.name)??this.#s(i,r),u=l.input.value!==l.now;l.now=
r,u||mc(l.input,r)}this.#r()}#s(t,n){let s=ct(),i=ct(),r={id:s,name:t.name,"aria-describedby":i},l=t.choices?c("select",r,...t.choices.map(p=>c(
"option",{value:p},p))):c("input",{...r,type:"text",spellcheck:"false",autocomplete:"off",autocapitalize:"off"}),u=c("div",{class:"field"},c(
"label",{for:s},t.name),l,c("p",{class:"hint",id:i},t.about)),f={key:t.name,now:n,input:l,element:u};return mc(l,n),this.#t.append(u),this.#n.
set(t.name,f),f}#u(){let t=[...this.#n.values()].filter(n=>n.input.value.trim()!==n.now);return Object.fromEntries(t.map(n=>[n.key,n.input.value.
trim()]))}#r(){let t=this.#u();for(let s of this.#n.values())s.element.classList.toggle("changed",s.key in t);let n=Object.keys(t).length;this.#l.
disabled=n===0,Q(this.#i,n>0),q(this.#o,n===0?"":n===1?"1 change, not sent yet":`${n} changes, not sent yet`)}#c(){let t=this.#a(),n=this.#u();
if(!t||Object.keys(n).length===0)return;let s=Object.entries(n).map(([i,r])=>c("li",{},c("code",{},i),`: ${this.#n.get(i)?.now??""} \u2192 ${r}`));
tt({title:`Change ${t.name}?`,sentences:ki(t,n),confirm:"Change",fields:c("ul",{class:"changes"},...s),run:async()=>{await Me("PATCH",Ae(t.name),
{settings:n,drop_cached:!0});for(let[i,r]of Object.entries(n)){let l=this.#n.get(i);l&&(l.now=r)}return this.#e(),`${t.name} now has ${Object.
entries(n).map(([i,r])=>`${i}=${r}`).join(" ")}`}})}};function mc(e,t){e instanceof HTMLSelectElement&&![...e.options].some(n=>n.value===t)&&
e.append(c("option",{value:t},t)),e.value!==t&&(e.value=t)}var bh=[["backing","Backing"],["size_bytes","Size"],["block_bytes","Block"],["reserve_bytes","Reserved flash"],["limit_bytes","Flash at most"],
["cached_bytes","Cached on flash"],["ram_bytes","Cached in RAM"],["load","From last time"],["mirrored","Dirty data"],["guest","Taken from"],
["page_cache","Page cache"],["delayed","Delayed by limits"],["errors","Errors"]];function gc(e,t,n){let s=null,i=()=>s,r=Qt(),l=c("span",{class:"\
mode"}),u=Gs(),f={hits:wt("Hit ratio","hit_ratio"),operations:wt("Requests","operations"),bytes:wt("Throughput","bytes"),latency:wt("Read la\
tency, mean","latency"),dirty:wt("Dirty","dirty_bytes"),saved:wt("Backing requests saved","saved")},p=new zi(n),b=new Wi,m=new Hi(t),y=new xi(
t),T=new Bi,_=c("p",{class:"card empty","data-figure":"no_curve"},"Sizes are predicted from what guests read. Nothing was read since the dis\
k was attached."),R=ks(bh.map(([M,H])=>[M,H])),O=new Vi(i,t),B=Sl(i,t),x=Gs(),N=new Ii(e),E=c("button",{type:"button",class:"danger","data-a\
ction":"remove",onclick:()=>s&&cc(s,t)},"Remove this disk\u2026"),Y=c("button",{type:"button","data-action":"detach",onclick:()=>s&&dc(s,t)},
"Give it back to its guest\u2026"),A={overview:js("overview",c("div",{class:"tiles"},...Object.values(f).map(M=>M.element)),p.element,B.element),
sizing:js("sizing",y.element,m.element,_),requests:js("requests",T.element,b.element),connect:js("connect",N.element),settings:js("settings",
x.element,O.element,c("section",{class:"card","aria-label":"Facts"},c("h2",{},"About this disk"),R.element),c("section",{class:"card","aria-\
label":"Removal"},c("h2",{},"Removal"),c("p",{class:"hint"},"The disk is served no more; the content of its backing stays."),c("div",{class:"\
buttons buttons-start"},E,Y)))},K=Ao.map(M=>[M,c("a",{href:Ln(e,M)},yh[M])]),J=c("nav",{class:"tabs","aria-label":`Parts of ${e}`},...K.map(
([,M])=>M)),ee=c("div",{class:"stack"},u.element,J,...Object.values(A)),j=c("div",{class:"card empty"},c("h3",{},"No such disk"),c("p",{},"F\
orebay serves no disk of this name. It may have been removed: forebay disk list shows all.")),$=c("p",{class:"loading"},"Asking Forebay\u2026");
return{element:c("div",{class:"view"},c("p",{class:"crumb"},c("a",{href:"#/"},"\u2190 Host")),c("div",{class:"title"},c("h1",{},e),r,l),j,$,
ee),title:e,open(M){for(let[H,z]of K)z.setAttribute("aria-current",H===M?"page":"false"),Q(A[H],H===M)},leave:()=>{p.leave(),m.leave()},update(M){
let H=M.disk;if(s=H==="missing"||H===null?null:H,Q(j,H==="missing"),Q($,H===null),Q(ee,s!==null),Q(r,s!==null),!s)return;let z=Cs(s);Zt(r,wi(
[rn(s.state),...z.map(ne=>ne.tone)]),s.state),q(l,s.read_only?`${s.mode}, read-only`:s.mode),u.set(z),wh(f,s,M),p.update(M,e,s.mode),b.set(M.
histograms),m.set(M.curve,s,M.windows.get(e)??s.statistics),y.set(M.advice,s),Q(_,m.element.hidden),N.update(s),Q(Y,s.guest!==null),T.set(M.
report),R.set(kh(s)),O.update(s.settings),x.set(pl(s)),B.update()}}}var yh={overview:"Overview",sizing:"Sizing",requests:"Requests",connect:"\
Connect",settings:"Settings"};function js(e,...t){return c("div",{class:"stack","data-tab":e},...t)}function wh(e,t,n){let s=n.windows.get(t.
name)??n.statistics.get(t.name),i=n.windows.has(t.name)?"last 5 minutes":"since attached",r=n.series.get(t.name)?.last,l=r?.rates??null,u=Rn(
l);e.hits.set(we(s?.hit_ratio),`of reads, ${i}`),e.operations.set(u===null?"\u2013":`${Ue(u)}/s`,l?`${Ue(l.reads)} reads, ${Ue(l.writes)} wr\
ites`:""),e.bytes.set(l?Ct(l.read_bytes+l.write_bytes):"\u2013",l?`${Ct(l.read_bytes)} read, ${Ct(l.write_bytes)} written`:""),e.latency.set(
Ge(r?.readMicros),r?.writeMicros==null?"no writes lately":`writes ${Ge(r.writeMicros)}`),e.dirty.set(F(t.dirty_bytes),vh(t)),e.saved.set(we(
s?fi(s):null),i)}function vh(e){let t=e.mode==="write-back"?`of at most ${F(e.dirty_limit_bytes)}`:null;if(nt(e)===0)return t??"the backing \
is complete";let n=e.statistics.destage_bytes_per_second??0;return on(t??`for ${Ft(e.dirty_for_seconds)}`,Fs(e.dirty_zeroes_bytes),n>0?`${Ct(
n)} going home`:null)}function kh(e){let{statistics:t}=e,n={backing:e.backing,size_bytes:F(e.size_bytes),block_bytes:F(e.block_bytes),reserve_bytes:F(
e.reserve_bytes),limit_bytes:F(e.limit_bytes),cached_bytes:F(t.cached_bytes),ram_bytes:F(t.ram_bytes),load:wl(e),mirrored:xh(e),delayed:vl(e),
errors:_h(e)};return e.guest&&(n.guest=`QEMU at ${e.guest.qmp}, device ${e.guest.device}`),e.page_cache_reason&&(n.page_cache=`used, because\
 ${e.page_cache_reason}`),n}function xh(e){return e.mirrored===null?"\u2013":e.mirrored?on("on two devices",e.not_mirrored_reason??null):"on\
 one device"}function _h(e){let{checksum_errors:t,flash_errors:n,backing_errors:s,backing_retries:i}=e.statistics;if(t===void 0)return"\u2013";
let l=[[t,"checksums"],[n,"flash"],[s,"backing"],[i,"backing, sent again"]].filter(([u])=>(u??0)>0).map(([u,f])=>`${u} ${f}`);return l.length===
0?"none":l.join(", ")}function bc(){let e=c("ol",{class:"events","aria-label":"Events, newest first"}),t=c("select",{name:"level"},c("option",{value:"info"},"All"),
c("option",{value:"warning"},"Warnings and errors"),c("option",{value:"error"},"Errors")),n=c("p",{class:"empty"},"Nothing happened that an \
operator must know."),s=c("p",{class:"empty"},"This Forebay keeps no list of events. Its log has them: journalctl --unit forebay"),i=()=>{};
t.addEventListener("change",()=>i());let r=c("label",{class:"inline"},"Show ",t),l=c("section",{class:"card"},r,e,n,s);return{element:c("div",
{class:"view"},c("h1",{},"Events"),l),title:"Events",leave(){},update(u){i=()=>{let f=["info","warning","error"],p=f.indexOf(t.value),b=(u.events??
[]).filter(m=>f.indexOf(m.level)>=p||!f.includes(m.level)).reverse();Q(s,u.events===null),Q(r,u.events!==null),Q(n,u.events!==null&&b.length===
0),Et(e,b,m=>`${m.id} ${m.time}`,Sh,Th)},i()}}}function Sh(e){let t=e.disk?c("a",{href:Ln(e.disk),class:"event-disk"},e.disk):null;return c(
"li",{class:"event"},c("div",{class:"event-head"},Qt(),c("time",{datetime:e.time},as(e.time)),t,c("span",{class:"event-kind"})),c("div",{class:"\
event-message"}),c("div",{class:"finding-advice"}))}function Th(e,t){let n=e.querySelector(".badge");n&&Zt(n,yi[t.level]??"warning",t.level),
fe(e,".event-kind",t.kind),fe(e,".event-message",t.message),fe(e,".finding-advice",t.advice??"")}var Eh=Ls*1e3/Eo,$h=30,yc=new WeakMap;function wc(e){let t=Gs(),n={hits:wt("Hit ratio","host.hit_ratio"),operations:wt("Requests","host.oper\
ations"),bytes:wt("Throughput","host.bytes"),dirty:wt("Dirty","host.dirty_bytes"),saved:wt("Backing requests saved","host.saved")},s=Rh(e),i=c(
"tbody",{}),l=c("table",{class:"disks"},c("thead",{},c("tr",{},...["Disk","State","Hit ratio","Requests/s","Read latency, mean","Dirty","Las\
t 5 min"].map(_=>c("th",{scope:"col"},_)))),i),u=Ph(),f=_=>{e(),window.location.hash=Ln(_,"connect")},p=c("button",{type:"button","data-acti\
on":"attach-guest",onclick:()=>uc(f)},"Attach a running guest\u2026"),b=c("button",{type:"button","data-action":"add-disk",onclick:()=>ac(f)},
"Add a disk\u2026"),m=c("section",{class:"card","aria-label":"Disks"},c("div",{class:"section-head"},c("h2",{},"Disks"),c("div",{class:"butt\
ons"},p,b)),l,u),y=c("div",{class:"tiles"},...Object.values(n).map(_=>_.element));return{element:c("div",{class:"view"},c("h1",{},"Host"),t.
element,y,m,s.element),title:"Host",leave(){},update(_){let R=_.disks??[],O=[..._.pool?ml(_.pool):[],...R.flatMap(Cs)];_.poolProblem&&O.unshift(
{tone:"bad",text:_.poolProblem,advice:null}),t.set(O),Mh(n,_),Q(y,R.length>0),Q(l,R.length>0),Q(u,R.length===0),Et(i,R,B=>B.name,Ah,(B,x)=>Dh(
B,x,_)),s.update(_)}}}function Mh(e,t){let n=[...t.statistics.values()],s=ll([...t.series.values()].map(m=>m.last?.rates??null)),i=n.map(m=>t.
windows.get(m.name)??m),r=t.windows.size>0?"last 5 minutes":"since attached",l=To(i);e.hits.set(we(al(l)),`of reads, ${r}`);let u=Rn(s);e.operations.
set(u===null?"\u2013":`${Ue(u)}/s`,s?`${Ue(s.reads)} reads, ${Ue(s.writes)} writes`:""),e.bytes.set(s?Ct(s.read_bytes+s.write_bytes):"\u2013",
s?`${Ct(s.read_bytes)} read, ${Ct(s.write_bytes)} written`:"");let f=n.reduce((m,y)=>m+(y.dirty_bytes??0),0),p=n.reduce((m,y)=>m+(y.dirty_zeroes_bytes??
0),0),b=n.reduce((m,y)=>m+(y.mode==="write-back"?y.dirty_limit_bytes??0:0),0);e.dirty.set(F(f),on(b>0?`of at most ${F(b)}`:"no disk is in wr\
ite-back",Fs(p))),e.saved.set(we(fi(l)),r)}function Ah(e){let t=ec(`Hit ratio of ${e.name}`),n=(l,...u)=>c("td",{"data-heading":l},...u),s=l=>c(
"div",{"data-figure":`${e.name}.${l}`}),i=l=>c("div",{class:`sub ${l}`}),r=c("tr",{},c("th",{scope:"row"},c("a",{href:Ln(e.name)},e.name),i(
"backing")),n("State",Qt(),i("mode")),n("Hit ratio",s("hit_ratio"),i("split")),n("Requests/s",s("operations"),i("kinds")),n("Read latency, m\
ean",s("latency"),i("writes")),n("Dirty",s("dirty_bytes"),i("limit")),c("td",{class:"spark-cell"},t.element));return yc.set(r,t),r}function Dh(e,t,n){
let s=n.statistics.get(t.name),i=n.windows.get(t.name)??s,r=n.series.get(t.name),l=r?.last,u=Cs(t),f=e.querySelector(".badge"),p=wi([rn(t.state),
...u.map(T=>T.tone)]);f&&Zt(f,p,t.state==="serving"&&p!=="good"?"serving, look":t.state);let b=(T,_)=>fe(e,`[data-figure$=".${T}"]`,_);fe(e,
".backing",t.size_bytes===null?vo(t.backing,34):`${F(t.size_bytes)} at ${vo(t.backing,34)}`),fe(e,".mode",t.read_only?`${t.mode}, read-only`:
t.mode),b("hit_ratio",we(i?.hit_ratio));let m=i?.reads??0;fe(e,".split",m>0?`RAM ${we((i?.read_hits_ram??0)/m)}, flash ${we((i?.read_hits_flash??
0)/m)}`:"no reads yet"),b("operations",Ue(Rn(l?.rates??null))),fe(e,".kinds",l?.rates?`${Ue(l.rates.reads)} r, ${Ue(l.rates.writes)} w`:""),
b("latency",l?.readMicros==null?"\u2013":Ge(l.readMicros)),fe(e,".writes",l?.writeMicros==null?"":`writes ${Ge(l.writeMicros)}`),b("dirty_by\
tes",F(t.dirty_bytes)),fe(e,".limit",on(t.mode==="write-back"&&t.dirty_limit_bytes?`of ${F(t.dirty_limit_bytes)}`:null,Fs(t.dirty_zeroes_bytes)));
let y=(r?.points??[]).map(T=>T.hitRam===null||T.hitFlash===null?null:T.hitRam+T.hitFlash);yc.get(e)?.set(y,Math.max($h,Math.min(Eh,y.length)))}
function Ph(){return c("div",{class:"empty"},c("h3",{},"No disks yet"),c("p",{},"Nothing is cached until Forebay serves a disk. The button a\
bove adds one, and so does this on the host; nothing in the file changes:"),c("pre",{},c("code",{},"forebay disk add web1 --backing /srv/ima\
ges/web1.raw")),c("p",{},"A running QEMU guest's disk is moved behind Forebay without a reboot:"),c("pre",{},c("code",{},"forebay vm attach \
--qmp /run/web.qmp --device vda")),c("p",{class:"hint"},"It appears here by itself."))}function Rh(e){let t=Qt(),n=c("span",{class:"meter-us\
ed"}),s=c("div",{class:"meter",role:"img"},n),i=c("p",{class:"meter-words","data-figure":"pool.used"}),r=c("p",{class:"meter-words","data-fi\
gure":"host.ram"}),l=c("tbody",{}),u=["Device","State","Size","Free","Wear","Remarks",""],f=c("button",{type:"button","data-action":"add-dev\
ice",onclick:()=>fc(e)},"Add a device\u2026"),p=c("table",{class:"devices"},c("thead",{},c("tr",{},...u.map(m=>c("th",{scope:"col"},m)))),l),
b=c("section",{class:"card","aria-label":"Pool"},c("div",{class:"section-head"},c("h2",{},"Flash and RAM"),t,f),s,i,r,p);return{element:b,update({
pool:m,statistics:y}){if(Q(b,m!==null),!m)return;Zt(t,rn(m.state),m.state);let[T,_,R]=[m.segments??0,m.segments_free??0,m.segment_bytes??0],
O=(T-_)*R,B=_*R;n.style.width=`${T>0?(100*(T-_)/T).toFixed(2):0}%`;let x=m.segments===null?`Disks are served without the pool: ${m.reason??"\
see the log"}`:`Pool of ${F(m.size_bytes)}: ${F(O)} in use, ${F(B)} free; ${F(m.reserved_bytes)} reserved by disks`;s.setAttribute("aria-lab\
el",x),q(i,x);let N=[...y.values()],E=N.reduce((A,K)=>A+(K.ram_bytes??0),0),Y=N.reduce((A,K)=>A+(K.index_bytes??0),0);q(r,`RAM: ${F(E)} of c\
ontent in front of the flash, ${F(Y)} for the index of what is on it`),Et(l,m.devices,A=>String(A.number),A=>Lh(A,e),(A,K)=>Ch(A,K,m))}}}function Lh(e,t){
let n=(s,i,r="")=>c("td",{"data-heading":s,class:r},i);return c("tr",{},c("th",{scope:"row",class:"path"}),n("State",Qt()),n("Size",null,"si\
ze"),n("Free",null,"free"),n("Wear",null,"wear"),n("Remarks",null,"remarks"),c("td",{},c("button",{type:"button",class:"quiet",onclick:()=>hc(
e,t)},"Take out\u2026")))}function Ch(e,t,n){fe(e,".path",t.path??`device ${t.number}`);let s=e.querySelector(".badge");s&&Zt(s,rn(t.state),
t.state),fe(e,".size",F(t.size_bytes)),fe(e,".free",`${F(t.segments_free*(n.segment_bytes??0))}`);let i=[gl(t.wear),bl(t.budget)].filter(f=>f!==
"");fe(e,".wear",i.join("; ")||"\u2013");let r=t.shrinking&&`becomes smaller, to ${F(t.shrinking.size_bytes)}: ${me(t.shrinking.segments_left)}\
 segments left`,l=t.kept_size_reason&&`kept its size: ${t.kept_size_reason}`,u=[r,l,t.discards?"discards":null,t.page_cache_reason?`page cac\
he: ${t.page_cache_reason}`:null];fe(e,".remarks",u.filter(f=>f!==null).join("; ")||`${me(t.segments)} segments`)}var xs=c("main",{id:"main",tabindex:-1}),Us=c("p",{class:"loading"},"Asking Forebay\u2026"),vc=c("span"),kc=c("button",{type:"button",onclick:yo},
"Sign in\u2026"),xc=c("div",{class:"banner",role:"alert",hidden:!0},vc," ",kc),pr=c("span",{class:"pulse"}),Ys={host:c("a",{href:"#/"},"Host"),
events:c("a",{href:"#/events"},"Events")},_c=c("button",{type:"button",class:"quiet",onclick:Hh}),Sc=c("span",{class:"host-name","data-figur\
e":"host"}),Tc=c("footer",{},c("span",{"data-figure":"version"}),c("a",{href:"/openapi.json"},"Interface for programs"),c("a",{href:"/metric\
s"},"Metrics")),Ec=c("button",{type:"button",class:"quiet",onclick:yo}),dn=new hi(Ac),un=null,hr=null;function Fh(){let e=c("a",{class:"skip",
href:"#main"},"To the content");e.addEventListener("click",s=>{s.preventDefault(),xs.focus()});let t=c("a",{href:"#/",class:"brand"},c("img",
{src:"/assets/icon.svg",alt:"",width:24,height:24}),"Forebay"),n=c("header",{},t,Sc,c("nav",{"aria-label":"Views"},Ys.host,Ys.events),c("div",
{class:"header-end"},pr,_c,Ec));document.body.append(e,n,xc,xs,Tc,Qr()),xs.append(Us)}function $c(){let e=hl(window.location.hash);if(!(un!==
null&&hr!==null&&e.disk!==null&&e.disk===hr.disk)){un?.leave();let{disk:n}=e;un=n!==null?gc(n,()=>{dn.look()},s=>dn.show(s)):e.view==="event\
s"?bc():wc(()=>{dn.look()}),xs.replaceChildren(un.element),window.scrollTo(0,0)}hr=e,un?.open?.(e.tab),Mc(),Ys.host.setAttribute("aria-curre\
nt",e.view==="host"?"page":"false"),Ys.events.setAttribute("aria-current",e.view==="events"?"page":"false"),dn.watch(e.disk),Ac()}function Mc(){
let e=dn.known.host?` on ${dn.known.host.name}`:"",t=`${un?.title??""} \u2013 Forebay${e}`;document.title!==t&&(document.title=t)}function Ac(){
let{known:e}=dn;if(Oh(e),Nh(e),!un)return;let t=e.disks!==null;Q(un.element,t),Q(Ys.events,!t||e.events!==null),t?(un.update(e),Us.remove()):
Us.isConnected||xs.append(Us)}function Oh({away:e,answeredAt:t}){xs.classList.toggle("stale",e!==null),Q(xc,e!==null),q(vc,e?zh(e,t):""),Q(kc,
e?.status===401),q(Us,e?"Waiting for Forebay\u2026":"Asking Forebay\u2026"),pr.classList.toggle("pulse-away",e!==null),q(pr,e?"No answer":t===
null?"Connecting":"Live")}function Nh({host:e}){if(!e)return;Xr(e.token_path),q(Sc,e.name);let t=Tc.firstElementChild;t&&q(t,`Forebay ${e.version}\
 on ${e.name}`),Mc(),!e.may_change&&Ut.get()!==null&&Ut.clear(),qi()}function zh({status:e,reason:t,since:n},s){let i=s===null?"":` What is \
shown is from ${yn(s)}.`;return e===401?`Seen from here, this host shows its figures to those only who have its token.${i}`:e>0?`${t}.${i}`:
`${t} since ${yn(n)}.${i} On the host, systemctl status forebay says whether it runs. This page goes on by itself.`}function Hh(){dl(),qi()}
function qi(){q(_c,{auto:"Theme: system",light:"Theme: light",dark:"Theme: dark"}[mi()]),q(Ec,Ut.get()===null?"Sign in":"Signed in")}fl();Fh();
qi();document.addEventListener("forebay-token",()=>{qi(),dn.lookAtHost()});window.addEventListener("hashchange",$c);$c();dn.look();})();
