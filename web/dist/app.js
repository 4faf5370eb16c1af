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
stringify(n??null)};return bo(t,s,12e4)}function De(e){return`/v1/disks/${encodeURIComponent(e)}`}function jr(e){return`/v1/pool/devices/${e}`}
function Ur(e,t){return`/v1/history/${encodeURIComponent(e)}?span=${t}`}async function bo(e,t,n){let s=AbortSignal.timeout(n),i=new Headers(
t.headers),r=Ut.get();r&&!i.has("authorization")&&i.set("authorization",`Bearer ${r}`);let l;try{l=await fetch(e,{...t,headers:i,signal:s,cache:"\
no-store",credentials:"omit",redirect:"error"})}catch{throw new mt(0,"Forebay does not answer")}let u=await l.json().catch(()=>null);if(!l.ok){
let f=typeof u?.detail=="string"?u.detail:`Forebay answered with status ${l.status}`;throw new mt(l.status,f)}if(u===null)throw new mt(0,"Fo\
rebay's answer was cut short");return u}function c(e,t={},...n){let s=document.createElement(e);for(let[i,r]of Object.entries(t))typeof r=="function"?s.addEventListener(i.slice(2),
r):r!=null&&r!==!1&&s.setAttribute(i,r===!0?"":String(r));return s.append(...n.filter(i=>i!=null&&i!==!1)),s}function ri(e,t){let n=document.
createElementNS("http://www.w3.org/2000/svg",e);for(let[s,i]of Object.entries(t))n.setAttribute(s,String(i));return n}function G(e,t){e.textContent!==
t&&(e.textContent=t)}function Q(e,t){e.hidden===t&&(e.hidden=!t)}function cu(e){let t=new Set;return e.map(n=>{let s=n;for(let i=1;t.has(s);i+=
1)s=`${n} (${i})`;return t.add(s),s})}function gt(e,t,n,s,i){let r=new Map([...e.children].map(p=>[p.getAttribute("data-item")??"",p])),l=cu(
t.map(n)),u=new Set(l);for(let[p,b]of r)u.has(p)||b.remove();let f=e.firstElementChild;t.forEach((p,b)=>{let m=l[b]??"",y=r.get(m)??s(p);r.delete(
m),y.setAttribute("data-item",m),i(y,p),y===f?f=y.nextElementSibling:e.insertBefore(y,f)})}var Yr=0;function ct(){return Yr+=1,`e${Yr}`}var as=null;function Qr(){return as=c("div",{class:"status",role:"status","aria-live":"polite"}),as}var Jr=0,uu=8e3;function Ps(e){as&&(G(as,
e),as.classList.add("status-shown"),window.clearTimeout(Jr),Jr=window.setTimeout(()=>as?.classList.remove("status-shown"),uu))}function Zr(e){
e.addEventListener("close",()=>e.remove()),document.body.append(e),e.showModal()}function tt(e){let t=ct(),n=c("button",{type:"button"},"Can\
cel"),s=c("button",{type:"submit",class:e.isDangerous?"danger":"primary"},e.confirm),i=c("p",{class:"dialog-said","aria-live":"assertive"}),
r=du(),l=c("form",{},c("h2",{id:t},e.title),...e.sentences.map(p=>c("p",{},p)),e.fields??null,r.element,i,c("div",{class:"buttons"},n,s)),u=c(
"dialog",{"aria-labelledby":t},l),f=new AbortController;n.addEventListener("click",()=>u.close()),u.addEventListener("close",()=>f.abort()),
l.addEventListener("submit",p=>{p.preventDefault(),s.disabled=!0,i.className="dialog-said",G(i,"Working\u2026"),r.take().then(()=>e.run(b=>G(
i,b),f.signal)).then(b=>{Ps(b),u.close()}).catch(b=>{let m=b instanceof Error?b.message:String(b);if(!u.open)return Ps(m);s.disabled=!1,i.className=
"dialog-said dialog-failed",G(i,m),b instanceof mt&&b.wantsToken&&r.ask()})}),Zr(u)}function du(){let e=ct(),t=c("input",{id:e,type:"passwor\
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
new Event("forebay-token")),Ps(m),f.close()},b=m=>{l.className="dialog-said dialog-failed",G(l,m),r.disabled=!1,n.select()};i.addEventListener(
"click",()=>f.close()),s.addEventListener("click",()=>{Ut.clear(),p("Signed out; on the host itself reading goes on")}),u.addEventListener("\
submit",m=>{m.preventDefault(),r.disabled=!0,go(n.value).then(y=>{y?p("Signed in until this tab is closed"):b(`This is not the token of this\
 host${Rs===null?"":`, which is in ${Rs}`}.`)}).catch(y=>b(y instanceof Error?y.message:String(y)))}),Zr(f)}var fu=[["TiB",1099511627776],["GiB",1073741824],["MiB",1048576],["KiB",1024],["",1]];function sn(e){return typeof e=="number"&&Number.isFinite(
e)}function A(e){if(!sn(e))return"\u2013";let t=Math.round(e),[n,s]=fu.find(([,i])=>t>=i)??["",1];return t%s===0?`${t/s}${n}`:`${(Math.floor(
(t*10+s/2)/s)/10).toFixed(1)}${n}`}var hu=[["PB",1e15],["TB",1e12],["GB",1e9],["MB",1e6],["kB",1e3],[" bytes",1]];function li(e){if(!sn(e))return"\
\u2013";let t=Math.round(e),[n,s]=hu.find(([,i])=>t>=i)??[" bytes",1];return t%s===0?`${t/s}${n}`:`${(t/s).toFixed(1)}${n}`}function Ft(e){return sn(
e)?`${A(e)}/s`:"\u2013"}function we(e){return sn(e)?`${(e*100).toFixed(1)}%`:"\u2013"}function me(e){return sn(e)?Math.round(e).toString().replace(
/\B(?=(\d{3})+$)/g,","):"\u2013"}function Ue(e){return sn(e)?e>=10||e===0?me(e):e.toFixed(1):"\u2013"}function wo(e){if(!sn(e))return"";for(let[
t,n]of[["M",1e6],["k",1e3]])if(Math.abs(e)>=n)return`${Number((e/n).toFixed(1))}${t}`;return String(Number(e.toFixed(2)))}function Ge(e){if(!sn(
e))return"\u2013";for(let[t,n]of[["s",1e6],["ms",1e3]])if(e>=n)return`${tl(e/n)} ${t}`;return`${tl(e)} us`}function tl(e){return e>=100||Number.
isInteger(e)?e.toFixed(0):e>=10?e.toFixed(1):e.toFixed(2)}function $t(e){if(!sn(e))return"\u2013";let t=Math.round(e),n=[[Math.floor(t/86400),
"d"],[Math.floor(t/3600)%24,"h"],[Math.floor(t/60)%60,"min"],[t%60,"s"]],s=n.findIndex(([r])=>r>0);return s<0?"0 s":n.slice(s,s+2).filter(([
r])=>r>0).map(([r,l])=>`${r} ${l}`).join(" ")}function yn(e){let t=new Date(e);return[t.getHours(),t.getMinutes(),t.getSeconds()].map(n=>String(
n).padStart(2,"0")).join(":")}function ai(e){let t=new Date(e);return[t.getMonth()+1,t.getDate()].map(n=>String(n).padStart(2,"0")).join("-")}
function wn(e){let t=new Date(e);return Number.isNaN(t.getTime())?e:`${[t.getFullYear(),t.getMonth()+1,t.getDate()].map(s=>String(s).padStart(
2,"0")).join("-")} ${yn(t.getTime())}`}function vo(e,t){return e.length<=t?e:`\u2026${e.slice(1-t)}`}function on(...e){return e.filter(t=>t!==
null).join(", ")}var ci=["read_hit_ram","read_hit_flash","read_miss","write","flush","destage"],cs=["reads","writes","flushes","discards","read_bytes","write\
_bytes","read_hits_ram","read_hits_flash","read_partial_hits","read_misses","reads_bypassed","backing_reads","backing_writes","backing_read_\
bytes","backing_write_bytes","flash_read_bytes","flash_write_bytes","destage_bytes","evictions"];function sl(e){let t=[];for(let[n,s]of Object.
entries(nl(e))){let{unit:i,...r}=nl(s);if(typeof i!="string")continue;let l=Object.entries(r).filter(u=>Array.isArray(u[1]));l.length>0&&t.push(
[n,{unit:i,kinds:l}])}return t}function nl(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)?e:{}}var ui={"5m":300,"1d":86400,"7d":7*86400},ko={seconds:ui["5m"],end:null};function vn(e,t=Date.now()/1e3){if(e.of)return e.of;let n=e.end===null?
e.seconds:t-e.end+e.seconds;return Object.keys(ui).find(i=>ui[i]>=n)??"7d"}function xo(e,t,n){let s=Math.max(Math.min(e,t),n-ui["7d"]),i=Math.
min(Math.max(e,t),n);return i-s>=pu?{seconds:i-s,end:i}:null}var pu=10;function il(e,t){let n=t-e.now,s=[],i=null;return e.time.forEach((r,l)=>{
let u=r-(e.seconds[l]??0),f=mu(e,l,r+n),p=i!==null&&u-i>e.step_seconds;p&&s.push(gu((i??0)+n)),(p||i===null)&&u<r&&s.push({...f,at:u+n}),s.push(
f),i=r}),{span:e.span,end:t,points:s}}function mu(e,t,n){let s=e.seconds[t]??0,i=u=>u?.[t]??null,r=i(e.reads)??0,l=u=>r>0&&u!==null?u/r:null;
return{at:n,rates:s>0?Object.fromEntries(cs.map(u=>[u,(i(e[u])??0)/s])):null,hitRam:l(i(e.read_hits_ram)),hitFlash:l(i(e.read_hits_flash)),readMicros:i(
e.read_latency_us),writeMicros:i(e.write_latency_us),dirtyBytes:i(e.span==="5m"?e.dirty_bytes:e.dirty_bytes_max),dirtyLimitBytes:i(e.dirty_limit_bytes),
latency:null,readSpread:[i(e.read_p50_us),i(e.read_p95_us),i(e.read_p99_us)],writeSpread:[i(e.write_p50_us),i(e.write_p95_us),i(e.write_p99_us)]}}
function gu(e){return{at:e,rates:null,hitRam:null,hitFlash:null,readMicros:null,writeMicros:null,dirtyBytes:null,dirtyLimitBytes:null,latency:null,
readSpread:null,writeSpread:null}}var Ls=300,bu=10,yu=1,wu=1e3;function So(e,t){return cs.every(n=>{let[s,i]=[e[n],t[n]];return s!==void 0&&i!==void 0&&i>=s})}function ol(e,t){
let n=t.at-e.at;if(n<=0||!So(e.statistics,t.statistics))return null;let s=cs.map(i=>[i,vu(e,t,i)/n]);return Object.fromEntries(s)}function vu(e,t,n){
return(t.statistics[n]??0)-(e.statistics[n]??0)}var ku=["read_hit_ram","read_hit_flash","read_miss"];function rl(e,t,n){let s=({statistics:l},u)=>n.
reduce((f,p)=>f+(l.latency_us?u(l.latency_us[p]):0),0),i=l=>s(t,l)-s(e,l),r=i(l=>l.count);return r>0?Math.max(0,i(l=>l.count*l.mean))/r:null}
function fi(e){if(e===null)return null;let t=(e.reads??0)+(e.writes??0);return t>0?1-((e.backing_reads??0)+(e.backing_writes??0))/t:null}function Ln(e){
return e===null?null:e.reads+e.writes}function ll(e){let t=e.filter(n=>n!==null);return t.length===0?null:To(t)}function al(e){let{reads:t=0,
read_hits_ram:n=0,read_hits_flash:s=0}=e;return t>0?(n+s)/t:null}function To(e){return Object.fromEntries(cs.map(t=>[t,e.reduce((n,s)=>n+(s[t]??
0),0)]))}var di=class{#n=[];#t=[];get points(){return this.#t}get last(){return this.#t.at(-1)}add(t,n,s){let i={at:t,statistics:n};t<(this.#t.
at(-1)?.at??t)&&([this.#n,this.#t]=[[],[]]);let r=this.#n.at(-1);r&&t-r.at<yu&&So(r.statistics,n)||(r&&!So(r.statistics,n)&&(this.#n=[]),this.#t.
push(this.#l(i,s??n)),this.#n.push(i),this.#n=_o(this.#n,t),this.#t=_o(this.#t,t))}fill(t){let n=this.#t[0],s=t.filter(u=>n===void 0||u.at<n.
at),[i,r]=[t.at(-1),n??t.at(-1)];if(r===void 0||i===void 0)return;let l=n?.rates===null?[{...i,...xu(n)},...this.#t.slice(1)]:this.#t;this.#t=
_o([...s,...l],this.#t.at(-1)?.at??r.at)}#l(t,n){let{at:s,statistics:i}=t,r=this.#n.at(-1),l=this.#n.find(p=>s-p.at<=bu)??r,u=l?ol(l,t):null,
f=p=>u&&u.reads>0?p/u.reads:null;return{at:s,rates:r?ol(r,t):null,hitRam:u&&f(u.read_hits_ram),hitFlash:u&&f(u.read_hits_flash),readMicros:u&&
l?rl(l,t,ku):null,writeMicros:u&&l?rl(l,t,["write"]):null,dirtyBytes:i.dirty_bytes??null,dirtyLimitBytes:i.dirty_limit_bytes??null,latency:n.
latency_us??null,readSpread:null,writeSpread:null}}};function nt(e){return(e.dirty_bytes??0)+(e.dirty_zeroes_bytes??0)}function xu(e){return Object.
fromEntries(Object.entries(e).filter(([,t])=>t!==null))}function _o(e,t){return e.filter(n=>t-n.at<=Ls).slice(-wu)}var Eo=2e3,_u=3,Su=15,Tu=15,Eu=500,hi=class{known={disks:null,statistics:new Map,windows:new Map,pool:null,poolProblem:null,series:new Map,events:null,
disk:null,histograms:null,curve:null,advice:null,report:null,period:ko,past:null,host:null,ahead:0,answeredAt:null,away:null};#n=null;#t;#l=0;#i=0;#o=0;#a=0;#e=!1;#s=0;constructor(t){
this.#t=t}watch(t){t!==this.#n&&(this.#n=t,this.known.disk=null,this.known.histograms=null,this.known.curve=null,this.known.advice=null,this.
known.report=null,this.known.period=ko,this.known.past=null,this.#e=!1,this.#i=0,this.look())}show(t){let n=vn(t)!==vn(this.known.period);this.
known.period=t,n&&(this.known.past=null,this.#o=0,this.look()),this.#t()}lookAtHost(){this.#a=0,this.known.host&&(this.known.host={...this.known.
host,may_change:!0}),this.look()}async look(){window.clearTimeout(this.#l);let t=++this.#s;try{await this.#u(t)}catch(n){t===this.#s&&this.#h(
n)}t===this.#s&&(this.#t(),this.#l=window.setTimeout(()=>{this.look()},Eo))}async#u(t){let n=this.#n,s=this.known.events?.at(-1)?.id??0,[i,r,
l,u,f,p,b]=await Promise.all([nn("/v1/disks","disks"),nn("/v1/stats","disks"),nn("/v1/stats?window=5m","disks"),this.#r(),Yt(`/v1/events?aft\
er=${s}`,"events"),n===null?null:Gr(De(n),"disk"),this.#a++%Tu===0?Yt("/v1/host","host"):this.known.host]),m=Date.now(),[y,x,S,P]=n!==null&&
p!==null&&this.#i%_u===0?await Promise.all([Yt(`${De(n)}/histograms`,"histograms"),Yt(`${De(n)}/curve`,"curve"),Yt(`${De(n)}/advice`,"advice"),
Yt(`${De(n)}/report`,"report")]):[void 0,void 0,void 0,void 0],O=n!==null&&p!==null?await this.#d(n):null;t===this.#s&&(this.#i+=1,this.#o+=
1,this.#e||=p!==null&&vn(this.known.period)==="5m",Object.assign(this.known,{disks:i,...u,host:b,answeredAt:m,away:null}),this.#c(m/1e3,r,l),
this.#f(f),n!==null&&(this.known.disk=p??"missing"),O!==null&&this.#p(O,m/1e3),x!==void 0&&(this.known.curve=x),S!==void 0&&(this.known.advice=
S?.[0]??null),P!==void 0&&(this.known.report=P),y!==void 0&&(this.known.histograms=y===null?null:sl(y)))}async#r(){try{return{pool:await nn(
"/v1/pool","pool"),poolProblem:null}}catch(t){if(!(t instanceof mt)||t.status===0)throw t;return{pool:null,poolProblem:t.message}}}#c(t,n,s){
let i=r=>new Map(r.map(l=>[l.name,l]));this.known.statistics=i(n),this.known.windows=i(s.filter(r=>r.window==="5m"));for(let r of this.known.
series.keys())this.known.statistics.has(r)||this.known.series.delete(r);for(let r of n){let l=this.known.series.get(r.name)??new di;this.known.
series.set(r.name,l),l.add(t,r,this.known.windows.get(r.name))}}#d(t){let n=vn(this.known.period);return(n==="5m"?!this.#e:this.known.past===
null||this.#o%Su===0)?Yt(Ur(t,n),"history"):null}#p(t,n){let s=il(t,n);this.known.ahead=n-t.now,s.span==="5m"?this.known.series.get(t.name)?.
fill(s.points):this.known.past=s}#f(t){t!==null&&(this.known.events=$u(this.known.events??[],t))}#h(t){let n=t instanceof Error?t.message:String(
t);this.#a=0;let s=t instanceof mt?t.status:0;this.known.away={since:this.known.away?.since??Date.now(),reason:n,status:s}}};function $u(e,t){
let[n,s]=[e.at(-1),t[0]];return[...n===void 0||s===void 0||s.id>n.id?e:[],...t].slice(-Eu)}var cl="forebay-theme",pi=["auto","light","dark"],ul=window.matchMedia("(prefers-color-scheme: dark)"),$o=new Set;function mi(){let e=localStorage.
getItem(cl);return pi.find(t=>t===e)??"auto"}function dl(){let e=pi[(pi.indexOf(mi())+1)%pi.length]??"auto";localStorage.setItem(cl,e),Mo()}
function gi(e){return $o.add(e),()=>$o.delete(e)}function fl(){ul.addEventListener("change",Mo),Mo()}function Mo(){let e=mi(),t=ul.matches?"\
dark":"light";document.documentElement.dataset.theme=e==="auto"?t:e;for(let n of $o)n()}function st(e){return getComputedStyle(document.documentElement).
getPropertyValue(`--${e}`).trim()}var Do=["overview","sizing","requests","connect","settings"];function Cn(e,t="overview"){let n=`#/disk/${encodeURIComponent(e)}`;return t===
"overview"?n:`${n}/${t}`}function hl(e){let[,t="",n="",s=""]=e.replace(/^#/,"").split("/"),i=Do.find(r=>r===s)??"overview";return t==="disk"&&
n!==""?{view:"disk",disk:Mu(n),tab:i}:{view:t==="events"?"events":"host",disk:null,tab:i}}function Mu(e){try{return decodeURIComponent(e)}catch{
return e}}var Ao={good:"\u2713",busy:"\u2026",warning:"!",bad:"\u2715"},yi={info:"good",warning:"warning",error:"bad"},Du={serving:"good",attaching:"b\
usy",detaching:"busy",removing:"busy",waiting:"warning",stopped:"bad",failed:"bad",missing:"bad",used:"good",leaving:"busy"};function rn(e){
return Du[e]??"warning"}var Au={waiting:"It is served by itself as soon as it can be; put right what the reason names.",stopped:"It answers \
nothing but errors, so that no guest sees old data. See what it lost, and the log of the daemon.",failed:"It answers errors. Put right what \
the reason names, then restart Forebay."},bi=["good","busy","warning","bad"];function wi(e){return bi[Math.max(0,...e.map(t=>bi.indexOf(t)))]??
"good"}function Cs(e){let t=[],n=(u,f,p=null)=>t.push({tone:u,text:f,advice:p});if(rn(e.state)!=="good"){let u=e.reason?`: ${e.reason}`:"";n(
rn(e.state),`Disk ${e.name} is ${e.state}${u}`,Au[e.state]??null)}let s=e.lost_bytes??0;s>0&&n("bad",`Flash lost ${A(s)} of ${e.name} before\
 its backing had it`,`forebay disk show ${e.name} --lost lists the ranges.`);let i=e.backing_state;i&&i.state!=="good"&&n("bad",Ru(e.name,i),
Pu[i.state]??null),e.quiesce?.state==="failed"&&n("warning",`${e.name} could not be quiesced: ${e.quiesce.reason??"no reason is known"}`,null);
let r=e.segments_uncopied??0;e.mirrored===!0&&r>0&&n("warning",`${me(r)} segments of ${e.name} lack a second copy`,"They are being copied; u\
ntil then one device has that data alone.");let l=e.dirty_bytes??0;return e.dirty_limit_bytes&&l>=e.dirty_limit_bytes*.9&&n("warning",`Desta\
ge of ${e.name} is behind: ${A(l)} of at most ${A(e.dirty_limit_bytes)} is dirty`,"Writes are slowed down to what the backing takes."),t.sort(
(u,f)=>bi.indexOf(f.tone)-bi.indexOf(u.tone))}var Pu={failing:"Hits are answered; the rest waits for retry-time.",replaced:"Guests continue \
with the one that was opened. Put it back under its path, or copy it through the disk's NBD socket, before Forebay stops.",missing:"Guests c\
ontinue with the one that was opened. Put it back under its path, or copy it through the disk's NBD socket, before Forebay stops."};function Ru(e,t){
let n=t.for_seconds===null?"":` for ${$t(t.for_seconds)}`,s=t.reason?`: ${t.reason}`:"";return t.state==="replaced"?`Another file or device \
is at the path of ${e}'s backing${s}`:t.state==="missing"?`Nothing is at the path of ${e}'s backing any more${s}`:`The backing of ${e} fails${n}${s}`}
var Lu=["flush","persistence","direct-io"];function pl(e){let t=(e.backing_limitations??[]).map(r=>({tone:"warning",text:r,advice:null})),s=(e.
backing_capabilities??[]).filter(({name:r,able:l})=>!l&&!Lu.includes(r)).map(({title:r,reason:l})=>({tone:"busy",text:`The backing is withou\
t ${r}: ${l??"no reason is known"}`,advice:null})),i=(e.remarks??[]).map(({key:r,text:l})=>({tone:"busy",text:`${r}: ${l}`,advice:null}));return[
...t,...s,...i]}function ml(e){let t=e.warnings.map(n=>({tone:"warning",text:n,advice:null}));return rn(e.state)!=="good"&&t.unshift({tone:"\
bad",text:`The pool is ${e.state}${e.reason?`: ${e.reason}`:""}`,advice:"Disks go on from their backings; what is dirty waits for the pool."}),
e.page_cache_reason&&t.push({tone:"warning",text:`The pool goes through the page cache, because ${e.page_cache_reason}`,advice:null}),t}function gl(e){
if(e===null)return"";let t=e.used_percent===null?null:`${we(e.used_percent/100)} of its life used`,n=e.days_left===null?null:`${me(e.days_left)}\
 days left`,s=e.rated_bytes===null?"":`, rated for ${li(e.rated_bytes)}`;return on(t,n,`${li(e.written_bytes)} written${s}`)}function bl(e){
if(e===null)return"";let t=`${li(e.bytes_per_day)} a day`,n=e.used_ratio===null?`at most ${t}`:`${we(e.used_ratio)} of ${t} written`,s=e.promoted_batches_ratio,
i=s>=1?null:s>0?`${we(s)} of batches of promotions let in`:"no promotions let in";return on(n,i)}function yl(e){return e?[`RAM of all disks:\
 ${A(e.budget_bytes)}${e.setting==="auto"?", as the host has it available":""}`,...e.disks.map(({name:n,ram_bytes:s,reason:i})=>`${n}: ${A(s)}\
, ${i}`)]:[]}function wl(e){return!e||e.length===0?[]:[`Flash of all disks: ${A(e.reduce((n,s)=>n+s.flash_bytes,0))}`,...e.map(({name:n,flash_bytes:s,
flash_bytes_held:i,reason:r})=>`${n}: ${A(s)}, ${A(i)} held, ${r}`)]}var vi={read_hit_ram:"Read, RAM hit",read_hit_flash:"Read, flash hit",read_miss:"\
Read, miss",write:"Write",flush:"Flush",destage:"Destage"};function Fs(e){return e?`+ ${A(e)} of zeroes`:null}function vl(e){switch(e.quiesce?.
state){case"destaging":return`Being quiesced: ${A(nt(e))} left to destage`;case"quiesced":return e.quiesce.backing_as_of?`Its backing is the\
 disk as of ${wn(e.quiesce.backing_as_of)}, for another ${$t(e.quiesce.seconds_left)} at most`:`Quiesced for another ${$t(e.quiesce.seconds_left)}`;case"\
failed":return`Could not be quiesced: ${e.quiesce.reason??"no reason is known"}`;case"ended":return`No longer quiesced: ${e.quiesce.reason??
"no reason is known"}`;default:return null}}function kl(e){let{load:t}=e;if(!t)return"not known while the disk is not served";if(t.state==="\
loading")return"being loaded; reads come from the backing meanwhile";if(t.state==="cold")return`nothing: ${t.reason??"no reason is known"}`;
let n=`${A(t.kept_bytes)} came back`;return t.dropped_bytes>0?`${n}, ${A(t.dropped_bytes)} may have changed and is not trusted`:n}function xl(e){
let{requests_delayed:t,request_delay_ns:n}=e.statistics;return t===void 0||n===void 0?"\u2013":t>0?`${me(t)} requests, ${Ge(n/t/1e3)} each o\
n average`:["iops-max","bandwidth-max"].some(s=>(e.settings[s]??"off")!=="off")?"nothing":"no limits"}var Os=[{name:"mode",about:"What happe\
ns to reads and writes.",choices:["write-through","write-back","write-around","pass-through"]},{name:"block-size",about:"Unit of the index. \
A change drops what is cached of the disk.",choices:[4,8,16,32,64,128,256,512,1024].map(e=>A(e*1024))},{name:"reserve",about:"Flash that the\
 disk gets whatever the others do: auto, a size or a share such as 20%."},{name:"limit",about:"Flash that the disk never exceeds: auto, a si\
ze or a share."},{name:"ram",about:"RAM in front of the flash, at least 1MiB: auto is 32MiB, or a part of the pool's ram if that is set."},{
name:"ram-min",about:"The least that a disk with ram=auto gets of the pool's ram, at least 1MiB."},{name:"ram-max",about:"The most that ram=\
auto gets of the pool's ram; off: no limit."},{name:"admission",about:"What may enter flash: adaptive, adaptive:hits, always or repeated:N."},
{name:"sequential-cutoff",about:"Longer runs of misses go past the cache; 0: off; auto: admission judges reads."},{name:"read-balance",about:"\
Whether a faster backing answers reads of clean blocks.",choices:["auto","off"]},{name:"dirty-limit",about:"Write-back: the most that flash \
may hold and the backing does not have."},{name:"destage-rate-min",about:"Write-back: least bytes a second of destage; 0 is none."},{name:"d\
estage-rate-max",about:"Write-back: most bytes a second of destage; 0 is no limit."},{name:"destage-order",about:"Write-back: consistent lea\
ves an older disk without its flash.",choices:["address","consistent"]},{name:"ring",about:"File or device of the redo ring; auto: a file."},
{name:"ring-size",about:"Size of a new ring; auto: 1GiB at most."},{name:"consistent-age-max",about:"Age limit of the ring's promise; off: n\
one."},{name:"consistency-set",about:"Disks of one instant; off: none."},{name:"redundancy",about:"Write-back: dirty data on two devices of \
the pool.",choices:["mirror","none"]},{name:"allow-unmarked",about:"Write-back where the backing cannot be marked against use by another For\
ebay.",choices:["no","yes"]},{name:"retry-time",about:"How long a request waits for a backing that fails or hangs, such as 25s, or wait."},{
name:"iops-max",about:"Requests a second that guests get at most; off is no limit."},{name:"bandwidth-max",about:"Most bytes a second of rea\
ds and writes; off is no limit."},{name:"burst-time",about:"How long these two are saved up while guests ask for less, such as 1s."},{name:"\
sector-size",about:"Sector that guests are shown when they connect next; auto follows the backing.",choices:["auto","512","4096"]},{name:"ma\
p",about:"Whether the disk is made a block device of the host at each start of the service.",choices:["off","on"]},{name:"socket-owner",about:"\
User who owns the sockets that guests connect to; auto is the daemon's."},{name:"socket-group",about:"Group of the sockets that guests conne\
ct to; auto is forebay if the host has it."},{name:"socket-mode",about:"Who may connect, as octal digits."}],Cu={"write-through":"Writes go \
to the backing first, then to the cache; the backing is always complete.","write-back":"Writes are acknowledged when flash has them, and the\
 backing gets them later. Until then the newest data is on flash alone.","write-around":"Writes go to the backing only; what they replace in\
 the cache is dropped.","pass-through":"Every request goes to the backing. Guests have no cache until the mode is changed back."};function ki(e,t){
return[...Object.entries(t).map(([s,i])=>Fu(e,s,i)).flat(),"Guests stay connected and go on meanwhile."]}function Fu(e,t,n){let s=A(e.statistics.
cached_bytes);switch(t){case"mode":return[Cu[n]??`The mode becomes ${n}.`,...Ou(e,n)];case"block-size":return[`What is cached of the disk on\
 flash (${s}) is dropped; it is read from the backing again.`];case"limit":return[`Flash that the disk holds above the new limit is evicted;\
 it holds ${A(e.statistics.flash_bytes)} now.`];case"allow-unmarked":return n==="yes"?["Nothing keeps another Forebay from serving this back\
ing while flash has newer data. See to that yourself."]:[];case"redundancy":return[n==="none"?"Dirty data is kept on one device only: if it \
fails, that data is lost.":"Dirty data is kept on two devices, if the pool has them."];case"sector-size":return["Guests see it when they con\
nect again. A guest that has partitions on the disk does not find them in sectors of another size."];case"iops-max":case"bandwidth-max":return[
n==="off"?"Guests are not held back by it any more.":"Requests of guests beyond it wait, from now on; no error comes of it."];case"socket-ow\
ner":case"socket-group":case"socket-mode":return["Who may connect to the disk changes at once."];default:return[]}}function Ou(e,t){return e.
mode!=="write-back"||t==="write-back"||nt(e)===0?[]:[`${A(nt(e))} is dirty; it is written to the backing while guests go on.`]}function _l(e){
let t=nt(e);return[t>0?`${A(t)} is dirty and is written to the backing first.`:"Nothing is dirty: the backing has everything.","The guest go\
es on meanwhile, and has its disk as it was before. What is cached of it is dropped."]}function Sl(e){let t=nt(e),n=e.connections??0;return[
t>0?`${A(t)} is dirty; it is written to the backing first. If that cannot be, the disk stays.`:"Nothing is dirty: the backing has everything\
.",...n>0?[`${me(n)} ${n===1?"client is":"clients are"} connected, so it is refused unless the box below is ticked.`]:[],...e.guest?["It was\
 taken from a running guest. `forebay vm detach` gives it back to that guest without errors."]:[],"What is cached of it is dropped. The cont\
ent of the backing stays."]}function us(e,t){let n=nt(t),s=n>0?`${A(n)} is dirty: flash has it and the backing does not.`:"Nothing is dirty:\
 the backing has everything.";switch(e){case"destage":return[s,"Dirty data is written to the backing at full speed. Guests go on and may not\
ice a busier backing."];case"normal":return[s,"Destage goes on at the pace that suits guests."];case"quiesce":return[s,t.settings["destage-o\
rder"]==="consistent"?"It is destaged first. After that the backing stays as it is, as of one time, and guests go on writing back. If they w\
rite as much as may be dirty, this ends early.":"It is destaged first. After that, writes wait for the backing, so that a backup or snapshot\
 of the backing is complete.","This ends by itself after the time below, or when it is resumed."];case"resume":return["Writes may lie on fla\
sh alone again, as the mode says."];case"evict":return[`${A(t.statistics.cached_bytes)} cached on flash and ${A(t.statistics.ram_bytes)} in \
RAM are dropped, and no restart brings them back.`,n>0?`${A(n)} is dirty and is destaged first.`:"Nothing is dirty; nothing is lost.","Guest\
s go on from the backing, slower, until the cache is warm again."]}}var Nu=60,zu=600,Hu=300;function El(e,t){let n=Iu.map(i=>{let r=()=>{let l=e();l&&tt(Vu(i.work(l),t))};return[i,c("button",{type:"button","d\
ata-action":i.name,onclick:r},i.label)]}),s=c("p",{class:"hint","data-figure":"quiesce"});return{element:c("section",{class:"card","aria-lab\
el":"Actions"},c("h2",{},"Actions"),c("div",{class:"buttons buttons-start"},...n.map(([,i])=>i)),s),update(){let i=e();for(let[l,u]of n)u.disabled=
i===null||!l.isPossible(i);let r=i&&!Ns(i)?`Nothing can be done while the disk is ${i.state}.`:i?vl(i):null;G(s,r??""),Q(s,r!==null)}}}var Ns=e=>e.
state==="serving",Po=e=>e.quiesce?.state==="destaging"||e.quiesce?.state==="quiesced",Iu=[{name:"destage",label:"Destage now\u2026",isPossible:Ns,
work:e=>({title:`Destage ${e.name} at full speed?`,sentences:us("destage",e),confirm:"Destage now",run:async()=>(await Me("POST",`${De(e.name)}\
/destage`),`What is dirty of ${e.name} is on its way to the backing`)})},{name:"normal",label:"Destage at normal pace\u2026",isPossible:Ns,work:e=>({
title:`Let ${e.name} destage at its own pace?`,sentences:us("normal",e),confirm:"Normal pace",run:async()=>(await Me("DELETE",`${De(e.name)}\
/destage`),`${e.name} is destaged as it suits guests`)})},{name:"quiesce",label:"Quiesce\u2026",isPossible:e=>Ns(e)&&!Po(e),work:Wu},{name:"\
resume",label:"Resume\u2026",isPossible:Po,work:e=>({title:`Resume ${e.name}?`,sentences:us("resume",e),confirm:"Resume",run:async()=>(await Me(
"POST",`${De(e.name)}/resume`),`${e.name} is resumed`)})},{name:"evict",label:"Evict\u2026",isPossible:Ns,work:e=>({title:`Drop what is cach\
ed of ${e.name}?`,sentences:us("evict",e),confirm:"Evict",run:(t,n)=>Bu(e.name,t,n)})}];function Wu(e){let t=ct(),n=c("input",{id:t,type:"nu\
mber",min:1,max:86400,value:zu,required:!0});return{title:`Hold ${e.name} without dirty data?`,sentences:us("quiesce",e),confirm:"Quiesce",fields:c(
"div",{class:"field"},c("label",{for:t},"For so many seconds"),n),run:async()=>{let s=Number(n.value);return await Me("POST",`${De(e.name)}/\
quiesce`,{seconds:s}),`${e.name} is being quiesced, then held so for ${$t(s)}`}}}async function Bu(e,t,n){let s=De(e),i=await nn(s,"disk");if(i.
quiesce?.backing_as_of)throw new Error(`${e} is quiesced for a snapshot or a backup, which this would end. Resume it first.`);if(Po(i))await Tl(
e,t,n),await Me("POST",`${s}/evict`);else if(nt(i)>0){let l=(await Me("POST",`${s}/quiesce`,{seconds:Nu,write_through:!0})).disk.quiesce?.number;
try{await Tl(e,t,n),await Me("POST",`${s}/evict`)}finally{await Me("POST",`${s}/resume`,{number:l})}}else await Me("POST",`${s}/evict`);return`\
Nothing is cached of ${e} any more, and no restart brings it back`}async function Tl(e,t,n){for(;;){if(n.aborted)throw new Error("Stopped; t\
he disk is served as before");let s=await nn(De(e),"disk"),i=s.quiesce?.state;if(i==="quiesced")return;if(i!=="destaging")throw new Error(`C\
annot destage dirty data: ${s.quiesce?.reason??s.reason??"it was resumed"}. Nothing was dropped.`);t(`${A(nt(s))} left to destage\u2026`),await new Promise(
r=>window.setTimeout(r,Hu))}}function Vu(e,t){return{...e,run:(n,s)=>e.run(n,s).finally(t)}}function qu(e){let t=["verdict","latency"];return[...e.sentences.filter(s=>t.includes(s.about)),...e.warnings].map(s=>s.text)}var xi=class{element;#n=c(
"div",{class:"advice-text",role:"status"});#t=c("code",{});#l=c("p",{class:"hint"},"The same on the host: ",this.#t);#i=c("button",{type:"bu\
tton",class:"primary",onclick:()=>this.#u()},"Apply\u2026");#o;#a=null;#e=null;#s="";constructor(t){this.#o=t;let n=c("div",{class:"buttons \
buttons-start"},this.#i);this.element=c("section",{class:"card advice","aria-label":"Advice"},c("h2",{},"Advice"),this.#n,n,this.#l,c("p",{class:"\
hint"},"On the host, forebay advise says why, with all figures.")),this.element.hidden=!0}set(t,n){if(Q(this.element,t!==null),this.#a=t,this.#e=
n,!t)return;let s=qu(t);JSON.stringify(s)!==this.#s&&(this.#s=JSON.stringify(s),this.#n.replaceChildren(...s.map(i=>c("p",{},i)))),G(this.#t,
t.command??""),Q(this.#l,t.command!==null),Q(this.#i,Object.keys(t.keys??{}).length>0)}#u(){let{keys:t}=this.#a??{keys:{}},n=this.#e;if(!n||
Object.keys(t).length===0)return;let s=Object.entries(t).map(([i,r])=>c("li",{},c("code",{},i),`: ${n.settings[i]??""} \u2192 ${r}`));tt({title:`\
Apply the advice to ${n.name}?`,sentences:ki(n,t),confirm:"Apply",fields:c("ul",{class:"changes"},...s),run:async()=>(await Me("PATCH",De(n.
name),{settings:t,drop_cached:!0}),this.#o(),`${n.name} now has ${Object.entries(t).map(([i,r])=>`${i}=${r}`).join(" ")}`)})}};var Gu="uplot",Ku="u-hz",ju="u-vt",Uu="u-title",Yu="u-wrap",Ju="u-under",Qu="u-over",Zu="u-axis",Nn="u-off",Xu="u-select",ed="u-cursor-x",td="\
u-cursor-y",nd="u-cursor-pt",sd="u-legend",id="u-live",od="u-inline",rd="u-series",ld="u-marker",$l="u-label",ad="u-value",Hs="width",Is="he\
ight";var Ml="bottom",ds="left",Ro="right",Yo="#000",Dl=Yo+"0",Lo="mousemove",Al="mousedown",Co="mouseup",Pl="mouseenter",Rl="mouseleave",Ll="dblc\
lick",cd="resize",ud="scroll",Cl="change",$i="dppxchange",Jo="--",ys=typeof window<"u",Ho=ys?document:null,hs=ys?window:null,dd=ys?navigator:
null,ce,_i;function Io(){let e=devicePixelRatio;ce!=e&&(ce=e,_i&&Bo(Cl,_i,Io),_i=matchMedia(`(min-resolution: ${ce-.001}dppx) and (max-resol\
ution: ${ce+.001}dppx)`),zn(Cl,_i,Io),hs.dispatchEvent(new CustomEvent($i)))}function bt(e,t){if(t!=null){let n=e.classList;!n.contains(t)&&
n.add(t)}}function Wo(e,t){let n=e.classList;n.contains(t)&&n.remove(t)}function _e(e,t,n){e.style[t]=n+"px"}function Ot(e,t,n,s){let i=Ho.createElement(
e);return t!=null&&bt(i,t),n?.insertBefore(i,s),i}function Mt(e,t){return Ot("div",e,t)}var Fl=new WeakMap;function Jt(e,t,n,s,i){let r="tra\
nslate("+t+"px,"+n+"px)",l=Fl.get(e);r!=l&&(e.style.transform=r,Fl.set(e,r),t<0||n<0||t>s||n>i?bt(e,Nn):Wo(e,Nn))}var Ol=new WeakMap;function Nl(e,t,n){
let s=t+n,i=Ol.get(e);s!=i&&(Ol.set(e,s),e.style.background=t,e.style.borderColor=n)}var zl=new WeakMap;function Hl(e,t,n,s){let i=t+""+n,r=zl.
get(e);i!=r&&(zl.set(e,i),e.style.height=n+"px",e.style.width=t+"px",e.style.marginLeft=s?-t/2+"px":0,e.style.marginTop=s?-n/2+"px":0)}var Qo={
passive:!0},fd={...Qo,capture:!0};function zn(e,t,n,s){t.addEventListener(e,n,s?fd:Qo)}function Bo(e,t,n,s){t.removeEventListener(e,n,Qo)}ys&&
Io();function Nt(e,t,n,s){let i;n=n||0,s=s||t.length-1;let r=s<=2147483647;for(;s-n>1;)i=r?n+s>>1:yt((n+s)/2),t[i]<e?n=i:s=i;return e-t[n]<=
t[s]-e?n:s}function ha(e){return(n,s,i)=>{let r=-1,l=-1;for(let u=s;u<=i;u++)if(e(n[u])){r=u;break}for(let u=i;u>=s;u--)if(e(n[u])){l=u;break}
return[r,l]}}var pa=e=>e!=null,ma=e=>e!=null&&e>0,Ai=ha(pa),hd=ha(ma);function pd(e,t,n,s=0,i=!1){let r=i?hd:Ai,l=i?ma:pa;[t,n]=r(e,t,n);let u=e[t],
f=e[t];if(t>-1)if(s==1)u=e[t],f=e[n];else if(s==-1)u=e[n],f=e[t];else for(let p=t;p<=n;p++){let b=e[p];l(b)&&(b<u?u=b:b>f&&(f=b))}return[u??
ge,f??-ge]}function Pi(e,t,n,s){let i=Bl(e),r=Bl(t);e==t&&(i==-1?(e*=n,t/=n):(e/=n,t*=n));let l=n==10?ln:ga,u=i==1?yt:Dt,f=r==1?Dt:yt,p=u(l(
Ne(e))),b=f(l(Ne(t))),m=ps(n,p),y=ps(n,b);return n==10&&(p<0&&(m=be(m,-p)),b<0&&(y=be(y,-b))),s||n==2?(e=m*i,t=y*r):(e=va(e,m),t=Ri(t,y)),[e,
t]}function Zo(e,t,n,s){let i=Pi(e,t,n,s);return e==0&&(i[0]=0),t==0&&(i[1]=0),i}var Xo=.1,Il={mode:3,pad:Xo},Bs={pad:0,soft:null,mode:0},md={
min:Bs,max:Bs};function Mi(e,t,n,s){return Li(n)?Wl(e,t,n):(Bs.pad=n,Bs.soft=s?0:null,Bs.mode=s?3:0,Wl(e,t,md))}function le(e,t){return e??t}
function gd(e,t,n){for(t=le(t,0),n=le(n,e.length-1);t<=n;){if(e[t]!=null)return!0;t++}return!1}function Wl(e,t,n){let s=n.min,i=n.max,r=le(s.
pad,0),l=le(i.pad,0),u=le(s.hard,-ge),f=le(i.hard,ge),p=le(s.soft,ge),b=le(i.soft,-ge),m=le(s.mode,0),y=le(i.mode,0),x=t-e,S=ln(x),P=ot(Ne(e),
Ne(t)),O=ln(P),B=Ne(O-S);(x<1e-24||B>10)&&(x=0,(e==0||t==0)&&(x=1e-24,m==2&&p!=ge&&(r=0),y==2&&b!=-ge&&(l=0)));let _=x||P||1e3,z=ln(_),E=ps(
10,yt(z)),U=_*(x==0?e==0?.1:1:r),L=be(va(e-U,E/10),24),Z=e>=p&&(m==1||m==3&&L<=p||m==2&&L>=p)?p:ge,q=ot(u,L<Z&&e>=Z?Z:zt(Z,L)),Y=_*(x==0?t==
0?.1:1:l),j=be(Ri(t+Y,E/10),24),$=t<=b&&(y==1||y==3&&j>=b||y==2&&j<=b)?b:-ge,X=zt(f,j>$&&t<=$?$:ot($,j));return q==X&&q==0&&(X=100),[q,X]}var bd=new Intl.
NumberFormat(ys?dd.language:"en-US"),er=e=>bd.format(e),wt=Math,Ei=wt.PI,Ne=wt.abs,yt=wt.floor,Oe=wt.round,Dt=wt.ceil,zt=wt.min,ot=wt.max,ps=wt.
pow,Bl=wt.sign,ln=wt.log10,ga=wt.log2,yd=(e,t=1)=>wt.sinh(e)*t,Fo=(e,t=1)=>wt.asinh(e/t),ge=1/0;function Vl(e){return(ln((e^e>>31)-(e>>31))|
0)+1}function Vo(e,t,n){return zt(ot(e,t),n)}function ba(e){return typeof e=="function"}function ie(e){return ba(e)?e:()=>e}var wd=()=>{},ya=e=>e,
wa=(e,t)=>t,vd=e=>null,ql=e=>!0,Gl=(e,t)=>e==t,kd=/\.\d*?(?=9{6,}|0{6,})/gm,Hn=e=>{if(xa(e)||xn.has(e))return e;let t=`${e}`,n=t.match(kd);if(n==
null)return e;let s=n[0].length-1;if(t.indexOf("e-")!=-1){let[i,r]=t.split("e");return+`${Hn(i)}e${r}`}return be(e,s)};function Fn(e,t){return Hn(
be(Hn(e/t))*t)}function Ri(e,t){return Hn(Dt(Hn(e/t))*t)}function va(e,t){return Hn(yt(Hn(e/t))*t)}function be(e,t=0){if(xa(e))return e;let n=10**
t,s=e*n*(1+Number.EPSILON);return Oe(s)/n}var xn=new Map;function ka(e){return((""+e).split(".")[1]||"").length}function qs(e,t,n,s){let i=[],
r=s.map(ka);for(let l=t;l<n;l++){let u=Ne(l),f=be(ps(e,l),u);for(let p=0;p<s.length;p++){let b=e==10?+`${s[p]}e${l}`:s[p]*f,m=(l>=0?0:u)+(l>=
r[p]?0:r[p]),y=e==10?b:be(b,m);i.push(y),xn.set(y,m)}}return i}var Vs={},tr=[],ms=[null,null],kn=Array.isArray,xa=Number.isInteger,xd=e=>e===
void 0;function Kl(e){return typeof e=="string"}function Li(e){let t=!1;if(e!=null){let n=e.constructor;t=n==null||n==Object}return t}function _d(e){
return e!=null&&typeof e=="object"}var Sd=Object.getPrototypeOf(Uint8Array),_a="__proto__";function gs(e,t=Li){let n;if(kn(e)){let s=e.find(
i=>i!=null);if(kn(s)||t(s)){n=Array(e.length);for(let i=0;i<e.length;i++)n[i]=gs(e[i],t)}else n=e.slice()}else if(e instanceof Sd)n=e.slice();else if(t(
e)){n={};for(let s in e)s!=_a&&(n[s]=gs(e[s],t))}else n=e;return n}function Le(e){let t=arguments;for(let n=1;n<t.length;n++){let s=t[n];for(let i in s)
i!=_a&&(Li(e[i])?Le(e[i],gs(s[i])):e[i]=gs(s[i]))}return e}var Td=0,Ed=1,$d=2;function Md(e,t,n){for(let s=0,i,r=-1;s<t.length;s++){let l=t[s];
if(l>r){for(i=l-1;i>=0&&e[i]==null;)e[i--]=null;for(i=l+1;i<n&&e[i]==null;)e[r=i++]=null}}}function Dd(e,t){if(Rd(e)){let l=e[0].slice();for(let u=1;u<
e.length;u++)l.push(...e[u].slice(1));return Ld(l[0])||(l=Pd(l)),l}let n=new Set;for(let l=0;l<e.length;l++){let f=e[l][0],p=f.length;for(let b=0;b<
p;b++)n.add(f[b])}let s=[Array.from(n).sort((l,u)=>l-u)],i=s[0].length,r=new Map;for(let l=0;l<i;l++)r.set(s[0][l],l);for(let l=0;l<e.length;l++){
let u=e[l],f=u[0];for(let p=1;p<u.length;p++){let b=u[p],m=Array(i).fill(void 0),y=t?t[l][p]:Ed,x=[];for(let S=0;S<b.length;S++){let P=b[S],
O=r.get(f[S]);P===null?y!=Td&&(m[O]=P,y==$d&&x.push(O)):m[O]=P}Md(m,x,i),s.push(m)}}return s}var Ad=typeof queueMicrotask>"u"?e=>Promise.resolve().
then(e):queueMicrotask;function Pd(e){let t=e[0],n=t.length,s=Array(n);for(let r=0;r<s.length;r++)s[r]=r;s.sort((r,l)=>t[r]-t[l]);let i=[];for(let r=0;r<
e.length;r++){let l=e[r],u=Array(n);for(let f=0;f<n;f++)u[f]=l[s[f]];i.push(u)}return i}function Rd(e){let t=e[0][0],n=t.length;for(let s=1;s<
e.length;s++){let i=e[s][0];if(i.length!=n)return!1;if(i!=t){for(let r=0;r<n;r++)if(i[r]!=t[r])return!1}}return!0}function Ld(e,t=100){let n=e.
length;if(n<=1)return!0;let s=0,i=n-1;for(;s<=i&&e[s]==null;)s++;for(;i>=s&&e[i]==null;)i--;if(i<=s)return!0;let r=ot(1,yt((i-s+1)/t));for(let l=e[s],
u=s+r;u<=i;u+=r){let f=e[u];if(f!=null){if(f<=l)return!1;l=f}}return!0}var Sa=["January","February","March","April","May","June","July","Aug\
ust","September","October","November","December"],Ta=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function Ea(e){
return e.slice(0,3)}var Cd=Ta.map(Ea),Fd=Sa.map(Ea),Od={MMMM:Sa,MMM:Fd,WWWW:Ta,WWW:Cd};function zs(e){return(e<10?"0":"")+e}function Nd(e){return(e<
10?"00":e<100?"0":"")+e}var zd={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.
getMonth()],MM:e=>zs(e.getMonth()+1),M:e=>e.getMonth()+1,DD:e=>zs(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.
WWW[e.getDay()],HH:e=>zs(e.getHours()),H:e=>e.getHours(),h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"A\
M",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>zs(e.getMinutes()),m:e=>e.getMinutes(),ss:e=>zs(e.getSeconds()),s:e=>e.
getSeconds(),fff:e=>Nd(e.getMilliseconds())};function nr(e,t){t=t||Od;let n=[],s=/\{([a-z]+)\}|[^{]+/gi,i;for(;i=s.exec(e);)n.push(i[0][0]==
"{"?zd[i[1]]:i[0]);return r=>{let l="";for(let u=0;u<n.length;u++)l+=typeof n[u]=="string"?n[u]:n[u](r,t);return l}}var Hd=new Intl.DateTimeFormat().
resolvedOptions().timeZone;function Id(e,t){let n;return t=="UTC"||t=="Etc/UTC"?n=new Date(+e+e.getTimezoneOffset()*6e4):t==Hd?n=e:(n=new Date(
e.toLocaleString("en-US",{timeZone:t})),n.setMilliseconds(e.getMilliseconds())),n}var $a=e=>e%1==0,Di=[1,2,2.5,5],Wd=qs(10,-32,0,Di),Ma=qs(10,
0,32,Di),Bd=Ma.filter($a),On=Wd.concat(Ma),sr=`
`,Da="{YYYY}",jl=sr+Da,Aa="{M}/{D}",Ws=sr+Aa,Si=Ws+"/{YY}",Pa="{aa}",Vd="{h}:{mm}",fs=Vd+Pa,Ul=sr+fs,Yl=":{ss}",de=null;function Ra(e){let t=e*
1e3,n=t*60,s=n*60,i=s*24,r=i*30,l=i*365,f=(e==1?qs(10,0,3,Di).filter($a):qs(10,-3,0,Di)).concat([t,t*5,t*10,t*15,t*30,n,n*5,n*10,n*15,n*30,s,
s*2,s*3,s*4,s*6,s*8,s*12,i,i*2,i*3,i*4,i*5,i*6,i*7,i*8,i*9,i*10,i*15,r,r*2,r*3,r*4,r*6,l,l*2,l*5,l*10,l*25,l*50,l*100]),p=[[l,Da,de,de,de,de,
de,de,1],[i*28,"{MMM}",jl,de,de,de,de,de,1],[i,Aa,jl,de,de,de,de,de,1],[s,"{h}"+Pa,Si,de,Ws,de,de,de,1],[n,fs,Si,de,Ws,de,de,de,1],[t,Yl,Si+
" "+fs,de,Ws+" "+fs,de,Ul,de,1],[e,Yl+".{fff}",Si+" "+fs,de,Ws+" "+fs,de,Ul,de,1]];function b(m){return(y,x,S,P,O,B)=>{let _=[],z=O>=l,E=O>=
r&&O<l,U=m(S),L=be(U*e,3),Z=Oo(U.getFullYear(),z?0:U.getMonth(),E||z?1:U.getDate()),q=be(Z*e,3);if(E||z){let Y=E?O/r:0,j=z?O/l:0,$=L==q?L:be(
Oo(Z.getFullYear()+j,Z.getMonth()+Y,1)*e,3),X=new Date(Oe($/e)),M=X.getFullYear(),H=X.getMonth();for(let N=0;$<=P;N++){let ne=Oo(M+j*N,H+Y*N,
1),V=ne-m(be(ne*e,3));$=be((+ne+V)*e,3),$<=P&&_.push($)}}else{let Y=O>=i?i:O,j=yt(S)-yt(L),$=q+j+Ri(L-q,Y);_.push($);let X=m($),M=X.getHours()+
X.getMinutes()/n+X.getSeconds()/s,H=O/s,N=y.axes[x]._space,ne=B/N;for(;$=be($+O,e==1?0:3),!($>P);)if(H>1){let V=yt(be(M+H,6))%24,oe=m($).getHours()-
V;oe>1&&(oe=-1),$-=oe*s,M=(M+H)%24;let he=_[_.length-1];be(($-he)/O,3)*ne>=.7&&_.push($)}else _.push($)}return _}}return[f,p,b]}var[qd,Gd,Kd]=Ra(
1),[jd,Ud,Yd]=Ra(.001);qs(2,-53,53,[1]);function Jl(e,t){return e.map(n=>n.map((s,i)=>i==0||i==8||s==null?s:t(i==1||n[8]==0?s:n[1]+s)))}function Ql(e,t){
return(n,s,i,r,l)=>{let u=t.find(S=>l>=S[0])||t[t.length-1],f,p,b,m,y,x;return s.map(S=>{let P=e(S),O=P.getFullYear(),B=P.getMonth(),_=P.getDate(),
z=P.getHours(),E=P.getMinutes(),U=P.getSeconds(),L=O!=f&&u[2]||B!=p&&u[3]||_!=b&&u[4]||z!=m&&u[5]||E!=y&&u[6]||U!=x&&u[7]||u[1];return f=O,p=
B,b=_,m=z,y=E,x=U,L(P)})}}function Jd(e,t){let n=nr(t);return(s,i,r,l,u)=>i.map(f=>n(e(f)))}function Oo(e,t,n){return new Date(e,t,n)}function Zl(e,t){
return t(e)}var Qd="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function Xl(e,t){return(n,s,i,r)=>r==null?Jo:t(e(s))}function Zd(e,t){let n=e.series[t];return n.
width?n.stroke(e,t):n.points.width?n.points.stroke(e,t):null}function Xd(e,t){return e.series[t].fill(e,t)}var ef={show:!0,live:!0,isolate:!1,
mount:wd,markers:{show:!0,width:2,stroke:Zd,fill:Xd,dash:"solid"},idx:null,idxs:null,values:[]};function tf(e,t){let n=e.cursor.points,s=Mt(),
i=n.size(e,t);_e(s,Hs,i),_e(s,Is,i);let r=i/-2;_e(s,"marginLeft",r),_e(s,"marginTop",r);let l=n.width(e,t,i);return l&&_e(s,"borderWidth",l),
s}function nf(e,t){let n=e.series[t].points;return n._fill||n._stroke}function sf(e,t){let n=e.series[t].points;return n._stroke||n._fill}function of(e,t){
return e.series[t].points.size}var No=[0,0];function rf(e,t,n){return No[0]=t,No[1]=n,No}function Ti(e,t,n,s=!0){return i=>{i.button==0&&(!s||
i.target==t)&&n(i)}}function zo(e,t,n,s=!0){return i=>{(!s||i.target==t)&&n(i)}}var lf={show:!0,x:!0,y:!0,lock:!1,move:rf,points:{one:!1,show:tf,
size:of,width:0,stroke:sf,fill:nf},bind:{mousedown:Ti,mouseup:Ti,click:Ti,dblclick:Ti,mousemove:zo,mouseleave:zo,mouseenter:zo},drag:{setScale:!0,
x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(e,t,n,s,i)=>s-i,prox:-1,
bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},La={show:!0,stroke:"rgba(0,0,0,0\
.07)",width:2},ir=Le({},La,{filter:wa}),Ca=Le({},ir,{size:10}),Fa=Le({},La,{show:!1}),or='12px system-ui, -apple-system, "Segoe UI", Roboto,\
 "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',Oa="bold "+
or,Na=1.5,ea={show:!0,scale:"x",stroke:Yo,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Oa,side:2,grid:ir,ticks:Ca,border:Fa,
font:or,lineGap:Na,rotate:0},af="Value",cf="Time",ta={show:!0,scale:"x",auto:!1,sorted:1,min:ge,max:-ge,idxs:[]};function uf(e,t,n,s,i){return t.
map(r=>r==null?"":er(r))}function df(e,t,n,s,i,r,l){let u=[],f=xn.get(i)||0;n=l?n:be(Ri(n,i),f);for(let p=n;p<=s;p=be(p+i,f))u.push(Object.is(
p,-0)?0:p);return u}function qo(e,t,n,s,i,r,l){let u=[],f=e.scales[e.axes[t].scale].log,p=f==10?ln:ga,b=yt(p(n));i=ps(f,b),f==10&&(i=On[Nt(i,
On)]);let m=n,y=i*f;f==10&&(y=On[Nt(y,On)]);do u.push(m),m=m+i,f==10&&!xn.has(m)&&(m=be(m,xn.get(i))),m>=y&&(i=m,y=i*f,f==10&&(y=On[Nt(y,On)]));while(m<=
s);return u}function ff(e,t,n,s,i,r,l){let f=e.scales[e.axes[t].scale].asinh,p=s>f?qo(e,t,ot(f,n),s,i):[f],b=s>=0&&n<=0?[0]:[];return(n<-f?qo(
e,t,ot(f,-s),-n,i):[f]).reverse().map(y=>-y).concat(b,p)}var za=/./,hf=/[12357]/,pf=/[125]/,na=/1/,Go=(e,t,n,s)=>e.map((i,r)=>t==4&&i==0||r%
s==0&&n.test(i.toExponential()[i<0?1:0])?i:null);function mf(e,t,n,s,i){let r=e.axes[n],l=r.scale,u=e.scales[l],f=e.valToPos,p=r._space,b=f(
10,l),m=f(9,l)-b>=p?za:f(7,l)-b>=p?hf:f(5,l)-b>=p?pf:na;if(m==na){let y=Ne(f(1,l)-b);if(y<p)return Go(t.slice().reverse(),u.distr,m,Dt(p/y)).
reverse()}return Go(t,u.distr,m,1)}function gf(e,t,n,s,i){let r=e.axes[n],l=r.scale,u=r._space,f=e.valToPos,p=Ne(f(1,l)-f(2,l));return p<u?Go(
t.slice().reverse(),3,za,Dt(u/p)).reverse():t}function bf(e,t,n,s){return s==null?Jo:t==null?"":er(t)}var sa={show:!0,scale:"y",stroke:Yo,space:30,
gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Oa,side:3,grid:ir,ticks:Ca,border:Fa,font:or,lineGap:Na,rotate:0};function yf(e,t){
let n=3+(e||1)*2;return be(n*t,3)}function wf(e,t){let{scale:n,idxs:s}=e.series[0],i=e._data[0],r=e.valToPos(i[s[0]],n,!0),l=e.valToPos(i[s[1]],
n,!0),u=Ne(l-r),f=e.series[t],p=u/(f.points.space*ce);return s[1]-s[0]<=p}var ia={scale:null,auto:!0,sorted:0,min:ge,max:-ge},Ha=(e,t,n,s,i)=>i,
oa={show:!0,auto:!0,sorted:0,gaps:Ha,alpha:1,facets:[Le({},ia,{scale:"x"}),Le({},ia,{scale:"y"})]},ra={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:Ha,alpha:1,points:{show:wf,filter:null},values:null,min:ge,max:-ge,idxs:[],path:null,clip:null};function vf(e,t,n,s,i){return n/10}var Ia={
time:!0,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},kf=Le({},Ia,{time:!1,ori:1}),la={};function Wa(e,t){let n=la[e];return n||
(n={key:e,plots:[],sub(s){n.plots.push(s)},unsub(s){n.plots=n.plots.filter(i=>i!=s)},pub(s,i,r,l,u,f,p){for(let b=0;b<n.plots.length;b++)n.plots[b]!=
i&&n.plots[b].pub(s,i,r,l,u,f,p)}},e!=null&&(la[e]=n)),n}var bs=1,Ko=2;function In(e,t,n){let s=e.mode,i=e.series[t],r=s==2?e._data[t]:e._data,
l=e.scales,u=e.bbox,f=r[0],p=s==2?r[1]:r[t],b=s==2?l[i.facets[0].scale]:l[e.series[0].scale],m=s==2?l[i.facets[1].scale]:l[i.scale],y=u.left,
x=u.top,S=u.width,P=u.height,O=e.valToPosH,B=e.valToPosV;return b.ori==0?n(i,f,p,b,m,O,B,y,x,S,P,Fi,ws,Ni,Va,Ga):n(i,f,p,b,m,B,O,x,y,P,S,Oi,
vs,ar,qa,Ka)}function rr(e,t){let n=0,s=0,i=le(e.bands,tr);for(let r=0;r<i.length;r++){let l=i[r];l.series[0]==t?n=l.dir:l.series[1]==t&&(l.
dir==1?s|=1:s|=2)}return[n,s==1?-1:s==2?1:s==3?2:0]}function xf(e,t,n,s,i){let r=e.mode,l=e.series[t],u=r==2?l.facets[1].scale:l.scale,f=e.scales[u];
return i==-1?f.min:i==1?f.max:f.distr==3?f.dir==1?f.min:f.max:0}function an(e,t,n,s,i,r){return In(e,t,(l,u,f,p,b,m,y,x,S,P,O)=>{let B=l.pxRound,
_=p.dir*(p.ori==0?1:-1),z=p.ori==0?ws:vs,E,U;_==1?(E=n,U=s):(E=s,U=n);let L=B(m(u[E],p,P,x)),Z=B(y(f[E],b,O,S)),q=B(m(u[U],p,P,x)),Y=B(y(r==
1?b.max:b.min,b,O,S)),j=new Path2D(i);return z(j,q,Y),z(j,L,Y),z(j,L,Z),j})}function Ci(e,t,n,s,i,r){let l=null;if(e.length>0){l=new Path2D;
let u=t==0?Ni:ar,f=n;for(let m=0;m<e.length;m++){let y=e[m];if(y[1]>y[0]){let x=y[0]-f;x>0&&u(l,f,s,x,s+r),f=y[1]}}let p=n+i-f,b=10;p>0&&u(l,
f,s-b/2,p,s+r+b)}return l}function _f(e,t,n){let s=e[e.length-1];s&&s[0]==t?s[1]=n:e.push([t,n])}function lr(e,t,n,s,i,r,l){let u=[],f=e.length;
for(let p=i==1?n:s;p>=n&&p<=s;p+=i)if(t[p]===null){let m=p,y=p;if(i==1)for(;++p<=s&&t[p]===null;)y=p;else for(;--p>=n&&t[p]===null;)y=p;let x=r(
e[m]),S=y==m?x:r(e[y]),P=m-i;x=l<=0&&P>=0&&P<f?r(e[P]):x;let B=y+i;S=l>=0&&B>=0&&B<f?r(e[B]):S,S>=x&&u.push([x,S])}return u}function aa(e){return e==
0?ya:e==1?Oe:t=>Fn(t,e)}function Ba(e){let t=e==0?Fi:Oi,n=e==0?(i,r,l,u,f,p)=>{i.arcTo(r,l,u,f,p)}:(i,r,l,u,f,p)=>{i.arcTo(l,r,f,u,p)},s=e==
0?(i,r,l,u,f)=>{i.rect(r,l,u,f)}:(i,r,l,u,f)=>{i.rect(l,r,f,u)};return(i,r,l,u,f,p=0,b=0)=>{p==0&&b==0?s(i,r,l,u,f):(p=zt(p,u/2,f/2),b=zt(b,
u/2,f/2),t(i,r+p,l),n(i,r+u,l,r+u,l+f,p),n(i,r+u,l+f,r,l+f,b),n(i,r,l+f,r,l,b),n(i,r,l,r+u,l,p),i.closePath())}}var Fi=(e,t,n)=>{e.moveTo(t,
n)},Oi=(e,t,n)=>{e.moveTo(n,t)},ws=(e,t,n)=>{e.lineTo(t,n)},vs=(e,t,n)=>{e.lineTo(n,t)},Ni=Ba(0),ar=Ba(1),Va=(e,t,n,s,i,r)=>{e.arc(t,n,s,i,r)},
qa=(e,t,n,s,i,r)=>{e.arc(n,t,s,i,r)},Ga=(e,t,n,s,i,r,l)=>{e.bezierCurveTo(t,n,s,i,r,l)},Ka=(e,t,n,s,i,r,l)=>{e.bezierCurveTo(n,t,i,s,l,r)};function ja(e){
return(t,n,s,i,r)=>In(t,n,(l,u,f,p,b,m,y,x,S,P,O)=>{let{pxRound:B,points:_}=l,z,E;p.ori==0?(z=Fi,E=Va):(z=Oi,E=qa);let U=be(_.width*ce,3),L=(_.
size-_.width)/2*ce,Z=be(L*2,3),q=new Path2D,Y=new Path2D,{left:j,top:$,width:X,height:M}=t.bbox;Ni(Y,j-Z,$-Z,X+Z*2,M+Z*2);let H=N=>{if(f[N]!=
null){let ne=B(m(u[N],p,P,x)),V=B(y(f[N],b,O,S));z(q,ne+L,V),E(q,ne,V,L,0,Ei*2)}};if(r)r.forEach(H);else for(let N=s;N<=i;N++)H(N);return{stroke:U>
0?q:null,fill:q,clip:Y,flags:bs|Ko}})}function Ua(e){return(t,n,s,i,r,l)=>{s!=i&&(r!=s&&l!=s&&e(t,n,s),r!=i&&l!=i&&e(t,n,i),e(t,n,l))}}var Sf=Ua(
ws),Tf=Ua(vs);function Ya(e){let t=le(e?.alignGaps,0);return(n,s,i,r)=>In(n,s,(l,u,f,p,b,m,y,x,S,P,O)=>{[i,r]=Ai(f,i,r);let B=l.pxRound,_=M=>B(
m(M,p,P,x)),z=M=>B(y(M,b,O,S)),E,U;p.ori==0?(E=ws,U=Sf):(E=vs,U=Tf);let L=p.dir*(p.ori==0?1:-1),Z={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:bs},q=Z.stroke,Y=!1;if(r-i>=P*4){let M=I=>n.posToVal(I,p.key,!0),H=null,N=null,ne,V,rt,Se=_(u[L==1?i:r]),oe=_(u[i]),he=_(u[r]),
te=M(L==1?oe+1:he-1);for(let I=L==1?i:r;I>=i&&I<=r;I+=L){let Ce=u[I],Te=(L==1?Ce<te:Ce>te)?Se:_(Ce),ue=f[I];Te==Se?ue!=null?(V=ue,H==null?(E(
q,Te,z(V)),ne=H=N=V):V<H?H=V:V>N&&(N=V)):ue===null&&(Y=!0):(H!=null&&U(q,Se,z(H),z(N),z(ne),z(V)),ue!=null?(V=ue,E(q,Te,z(V)),H=N=ne=V):(H=N=
null,ue===null&&(Y=!0)),Se=Te,te=M(Se+L))}H!=null&&H!=N&&rt!=Se&&U(q,Se,z(H),z(N),z(ne),z(V))}else for(let M=L==1?i:r;M>=i&&M<=r;M+=L){let H=f[M];
H===null?Y=!0:H!=null&&E(q,_(u[M]),z(H))}let[$,X]=rr(n,s);if(l.fill!=null||$!=0){let M=Z.fill=new Path2D(q),H=l.fillTo(n,s,l.min,l.max,$),N=z(
H),ne=_(u[i]),V=_(u[r]);L==-1&&([V,ne]=[ne,V]),E(M,V,N),E(M,ne,N)}if(!l.spanGaps){let M=[];Y&&M.push(...lr(u,f,i,r,L,_,t)),Z.gaps=M=l.gaps(n,
s,i,r,M),Z.clip=Ci(M,p.ori,x,S,P,O)}return X!=0&&(Z.band=X==2?[an(n,s,i,r,q,-1),an(n,s,i,r,q,1)]:an(n,s,i,r,q,X)),Z})}function Ef(e){let t=le(
e.align,1),n=le(e.ascDesc,!1),s=le(e.alignGaps,0),i=le(e.extend,!1);return(r,l,u,f)=>In(r,l,(p,b,m,y,x,S,P,O,B,_,z)=>{[u,f]=Ai(m,u,f);let E=p.
pxRound,{left:U,width:L}=r.bbox,Z=oe=>E(S(oe,y,_,O)),q=oe=>E(P(oe,x,z,B)),Y=y.ori==0?ws:vs,j={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:bs},$=j.stroke,X=y.dir*(y.ori==0?1:-1),M=q(m[X==1?u:f]),H=Z(b[X==1?u:f]),N=H,ne=H;i&&t==-1&&(ne=U,Y($,ne,M)),Y($,H,M);for(let oe=X==
1?u:f;oe>=u&&oe<=f;oe+=X){let he=m[oe];if(he==null)continue;let te=Z(b[oe]),I=q(he);t==1?Y($,te,M):Y($,N,I),Y($,te,I),M=I,N=te}let V=N;i&&t==
1&&(V=U+L,Y($,V,M));let[rt,Se]=rr(r,l);if(p.fill!=null||rt!=0){let oe=j.fill=new Path2D($),he=p.fillTo(r,l,p.min,p.max,rt),te=q(he);Y(oe,V,te),
Y(oe,ne,te)}if(!p.spanGaps){let oe=[];oe.push(...lr(b,m,u,f,X,Z,s));let he=p.width*ce/2,te=n||t==1?he:-he,I=n||t==-1?-he:he;oe.forEach(Ce=>{
Ce[0]+=te,Ce[1]+=I}),j.gaps=oe=p.gaps(r,l,u,f,oe),j.clip=Ci(oe,y.ori,O,B,_,z)}return Se!=0&&(j.band=Se==2?[an(r,l,u,f,$,-1),an(r,l,u,f,$,1)]:
an(r,l,u,f,$,Se)),j})}function ca(e,t,n,s,i,r,l=ge){if(e.length>1){let u=null;for(let f=0,p=1/0;f<e.length;f++)if(t[f]!==void 0){if(u!=null){
let b=Ne(e[f]-e[u]);b<p&&(p=b,l=Ne(n(e[f],s,i,r)-n(e[u],s,i,r)))}u=f}}return l}function $f(e){e=e||Vs;let t=le(e.size,[.6,ge,1]),n=e.align||
0,s=e.gap||0,i=e.radius;i=i==null?[0,0]:typeof i=="number"?[i,0]:i;let r=ie(i),l=1-t[0],u=le(t[1],ge),f=le(t[2],1),p=le(e.disp,Vs),b=le(e.each,
x=>{}),{fill:m,stroke:y}=p;return(x,S,P,O)=>In(x,S,(B,_,z,E,U,L,Z,q,Y,j,$)=>{let X=B.pxRound,M=n,H=s*ce,N=u*ce,ne=f*ce,V,rt;E.ori==0?[V,rt]=
r(x,S):[rt,V]=r(x,S);let Se=E.dir*(E.ori==0?1:-1),oe=E.ori==0?Ni:ar,he=E.ori==0?b:(C,ye,Fe,Kn,Tn,Bt,En)=>{b(C,ye,Fe,Tn,Kn,En,Bt)},te=le(x.bands,
tr).find(C=>C.series[0]==S),I=te!=null?te.dir:0,Ce=B.fillTo(x,S,B.min,B.max,I),Je=X(Z(Ce,U,$,Y)),Te,ue,At,ut=j,$e=X(B.width*ce),Wt=!1,Xt=null,
kt=null,fn=null,Vn=null;m!=null&&($e==0||y!=null)&&(Wt=!0,Xt=m.values(x,S,P,O),kt=new Map,new Set(Xt).forEach(C=>{C!=null&&kt.set(C,new Path2D)}),
$e>0&&(fn=y.values(x,S,P,O),Vn=new Map,new Set(fn).forEach(C=>{C!=null&&Vn.set(C,new Path2D)})));let{x0:qn,size:_s}=p;if(qn!=null&&_s!=null){
M=1,_=qn.values(x,S,P,O),qn.unit==2&&(_=_.map(Fe=>x.posToVal(q+Fe*j,E.key,!0)));let C=_s.values(x,S,P,O);_s.unit==2?ue=C[0]*j:ue=L(C[0],E,j,
q)-L(0,E,j,q),ut=ca(_,z,L,E,j,q,ut),At=ut-ue+H}else ut=ca(_,z,L,E,j,q,ut),At=ut*l+H,ue=ut-At;At<1&&(At=0),$e>=ue/2&&($e=0),At<5&&(X=ya);let Js=At>
0,_n=ut-At-(Js?$e:0);ue=X(Vo(_n,ne,N)),Te=(M==0?ue/2:M==Se?0:ue)-M*Se*((M==0?H/2:0)+(Js?$e/2:0));let Qe={stroke:null,fill:null,clip:null,band:null,
gaps:null,flags:0},Gn=Wt?null:new Path2D,en=null;if(te!=null)en=x.data[te.series[1]];else{let{y0:C,y1:ye}=p;C!=null&&ye!=null&&(z=ye.values(
x,S,P,O),en=C.values(x,S,P,O))}let Sn=V*ue,ee=rt*ue;for(let C=Se==1?P:O;C>=P&&C<=O;C+=Se){let ye=z[C];if(ye==null)continue;if(en!=null){let lt=en[C]??
0;if(ye-lt==0)continue;Je=Z(lt,U,$,Y)}let Fe=E.distr!=2||p!=null?_[C]:C,Kn=L(Fe,E,j,q),Tn=Z(le(ye,Ce),U,$,Y),Bt=X(Kn-Te),En=X(ot(Tn,Je)),dt=X(
zt(Tn,Je)),xt=En-dt;if(ye!=null){let lt=ye<0?ee:Sn,Pt=ye<0?Sn:ee;Wt?($e>0&&fn[C]!=null&&oe(Vn.get(fn[C]),Bt,dt+yt($e/2),ue,ot(0,xt-$e),lt,Pt),
Xt[C]!=null&&oe(kt.get(Xt[C]),Bt,dt+yt($e/2),ue,ot(0,xt-$e),lt,Pt)):oe(Gn,Bt,dt+yt($e/2),ue,ot(0,xt-$e),lt,Pt),he(x,S,C,Bt-$e/2,dt,ue+$e,xt)}}
return $e>0?Qe.stroke=Wt?Vn:Gn:Wt||(Qe._fill=B.width==0?B._fill:B._stroke??B._fill,Qe.width=0),Qe.fill=Wt?kt:Gn,Qe})}function Mf(e,t){let n=le(
t?.alignGaps,0);return(s,i,r,l)=>In(s,i,(u,f,p,b,m,y,x,S,P,O,B)=>{[r,l]=Ai(p,r,l);let _=u.pxRound,z=V=>_(y(V,b,O,S)),E=V=>_(x(V,m,B,P)),U,L,
Z;b.ori==0?(U=Fi,Z=ws,L=Ga):(U=Oi,Z=vs,L=Ka);let q=b.dir*(b.ori==0?1:-1),Y=z(f[q==1?r:l]),j=Y,$=[],X=[];for(let V=q==1?r:l;V>=r&&V<=l;V+=q)if(p[V]!=
null){let Se=f[V],oe=z(Se);$.push(j=oe),X.push(E(p[V]))}let M={stroke:e($,X,U,Z,L,_),fill:null,clip:null,band:null,gaps:null,flags:bs},H=M.stroke,
[N,ne]=rr(s,i);if(u.fill!=null||N!=0){let V=M.fill=new Path2D(H),rt=u.fillTo(s,i,u.min,u.max,N),Se=E(rt);Z(V,j,Se),Z(V,Y,Se)}if(!u.spanGaps){
let V=[];V.push(...lr(f,p,r,l,q,z,n)),M.gaps=V=u.gaps(s,i,r,l,V),M.clip=Ci(V,b.ori,S,P,O,B)}return ne!=0&&(M.band=ne==2?[an(s,i,r,l,H,-1),an(
s,i,r,l,H,1)]:an(s,i,r,l,H,ne)),M})}function Df(e){return Mf(Af,e)}function Af(e,t,n,s,i,r){let l=e.length;if(l<2)return null;let u=new Path2D;
if(n(u,e[0],t[0]),l==2)s(u,e[1],t[1]);else{let f=Array(l),p=Array(l-1),b=Array(l-1),m=Array(l-1);for(let y=0;y<l-1;y++)b[y]=t[y+1]-t[y],m[y]=
e[y+1]-e[y],p[y]=b[y]/m[y];f[0]=p[0];for(let y=1;y<l-1;y++)p[y]===0||p[y-1]===0||p[y-1]>0!=p[y]>0?f[y]=0:(f[y]=3*(m[y-1]+m[y])/((2*m[y]+m[y-
1])/p[y-1]+(m[y]+2*m[y-1])/p[y]),isFinite(f[y])||(f[y]=0));f[l-1]=p[l-2];for(let y=0;y<l-1;y++)i(u,e[y]+m[y]/3,t[y]+f[y]*m[y]/3,e[y+1]-m[y]/
3,t[y+1]-f[y+1]*m[y]/3,e[y+1],t[y+1])}return u}var jo=new Set;function ua(){for(let e of jo)e.syncRect(!0)}ys&&(zn(cd,hs,ua),zn(ud,hs,ua,!0),
zn($i,hs,()=>{ze.pxRatio=ce}));var Pf=Ya(),Rf=ja();function da(e,t,n,s){return(s?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map(
(r,l)=>Uo(r,l,t,n))}function Lf(e,t){return e.map((n,s)=>s==0?{}:Le({},t,n))}function Uo(e,t,n,s){return Le({},t==0?n:s,e)}function Ja(e,t,n){
return t==null?ms:[t,n]}var Cf=Ja;function Ff(e,t,n){return t==null?ms:Mi(t,n,Xo,!0)}function Qa(e,t,n,s){return t==null?ms:Pi(t,n,e.scales[s].
log,!1)}var Of=Qa;function Za(e,t,n,s){return t==null?ms:Zo(t,n,e.scales[s].log,!1)}var Nf=Za;function zf(e,t,n,s,i){let r=ot(Vl(e),Vl(t)),l=t-
e,u=Nt(i/s*l,n);do{let f=n[u],p=s*f/l;if(p>=i&&r+(f<5?xn.get(f):0)<=17)return[f,p]}while(++u<n.length);return[0,0]}function fa(e){let t,n;return e=
e.replace(/(\d+)px/,(s,i)=>(t=Oe((n=+i)*ce))+"px"),[e,t,n]}function Hf(e){e.show&&[e.font,e.labelFont].forEach(t=>{let n=be(t[2]*ce,1);t[0]=
t[0].replace(/[0-9.]+px/,n+"px"),t[1]=n})}function ze(e,t,n){let s={mode:le(e.mode,1)},i=s.mode;function r(o,a,d,h){let g=a.valToPct(o);return h+
d*(a.dir==-1?1-g:g)}function l(o,a,d,h){let g=a.valToPct(o);return h+d*(a.dir==-1?g:1-g)}function u(o,a,d,h){return a.ori==0?r(o,a,d,h):l(o,
a,d,h)}s.valToPosH=r,s.valToPosV=l;let f=!1;s.status=0;let p=s.root=Mt(Gu);if(e.id!=null&&(p.id=e.id),bt(p,e.class),e.title){let o=Mt(Uu,p);
o.textContent=e.title}let b=Ot("canvas"),m=s.ctx=b.getContext("2d"),y=Mt(Yu,p);zn("click",y,o=>{o.target===S&&(ve!=ss||Ee!=is)&&je.click(s,o)},
!0);let x=s.under=Mt(Ju,y);y.appendChild(b);let S=s.over=Mt(Qu,y);e=gs(e);let P=+le(e.pxAlign,1),O=aa(P);(e.plugins||[]).forEach(o=>{o.opts&&
(e=o.opts(s,e)||e)});let B=e.ms||.001,_=s.series=i==1?da(e.series||[],ta,ra,!1):Lf(e.series||[null],oa),z=s.axes=da(e.axes||[],ea,sa,!0),E=s.
scales={},U=s.bands=e.bands||[];U.forEach(o=>{o.fill=ie(o.fill||null),o.dir=le(o.dir,-1)});let L=i==2?_[1].facets[0].scale:_[0].scale,Z={axes:Uc,
series:Vc},q=(e.drawOrder||["axes","series"]).map(o=>Z[o]);function Y(o){let a=o.distr==3?d=>ln(d>0?d:o.clamp(s,d,o.min,o.max,o.key)):o.distr==
4?d=>Fo(d,o.asinh):o.distr==100?d=>o.fwd(d):d=>d;return d=>{let h=a(d),{_min:g,_max:w}=o,v=w-g;return(h-g)/v}}function j(o){let a=E[o];if(a==
null){let d=(e.scales||Vs)[o]||Vs;if(d.from!=null){j(d.from);let h=Le({},E[d.from],d,{key:o});h.valToPct=Y(h),E[o]=h}else{a=E[o]=Le({},o==L?
Ia:kf,d),a.key=o;let h=a.time,g=a.range,w=kn(g);if((o!=L||i==2&&!h)&&(w&&(g[0]==null||g[1]==null)&&(g={min:g[0]==null?Il:{mode:1,hard:g[0],soft:g[0]},
max:g[1]==null?Il:{mode:1,hard:g[1],soft:g[1]}},w=!1),!w&&Li(g))){let v=g;g=(k,T,D)=>T==null?ms:Mi(T,D,v)}a.range=ie(g||(h?Cf:o==L?a.distr==
3?Of:a.distr==4?Nf:Ja:a.distr==3?Qa:a.distr==4?Za:Ff)),a.auto=ie(w?!1:a.auto),a.clamp=ie(a.clamp||vf),a._min=a._max=null,a.valToPct=Y(a)}}}j(
"x"),j("y"),i==1&&_.forEach(o=>{j(o.scale)}),z.forEach(o=>{j(o.scale)});for(let o in e.scales)j(o);let $=E[L],X=$.distr,M,H;$.ori==0?(bt(p,Ku),
M=r,H=l):(bt(p,ju),M=l,H=r);let N={};for(let o in E){let a=E[o];(a.min!=null||a.max!=null)&&(N[o]={min:a.min,max:a.max},a.min=a.max=null)}let ne=e.
tzDate||(o=>new Date(Oe(o/B))),V=e.fmtDate||nr,rt=B==1?Kd(ne):Yd(ne),Se=Ql(ne,Jl(B==1?Gd:Ud,V)),oe=Xl(ne,Zl(Qd,V)),he=[],te=s.legend=Le({},ef,
e.legend),I=s.cursor=Le({},lf,{drag:{y:i==2}},e.cursor),Ce=te.show,Je=I.show,Te=te.markers;te.idxs=he,Te.width=ie(Te.width),Te.dash=ie(Te.dash),
Te.stroke=ie(Te.stroke),Te.fill=ie(Te.fill);let ue,At,ut,$e=[],Wt=[],Xt,kt=!1,fn={};if(te.live){let o=_[1]?_[1].values:null;kt=o!=null,Xt=kt?
o(s,1,0):{_:0};for(let a in Xt)fn[a]=Jo}if(Ce)if(ue=Ot("table",sd,p),ut=Ot("tbody",null,ue),te.mount(s,ue),kt){At=Ot("thead",null,ue,ut);let o=Ot(
"tr",null,At);Ot("th",null,o);for(var Vn in Xt)Ot("th",$l,o).textContent=Vn}else bt(ue,od),te.live&&bt(ue,id);let qn={show:!0},_s={show:!1};
function Js(o,a){if(a==0&&(kt||!te.live||i==2))return ms;let d=[],h=Ot("tr",rd,ut,ut.childNodes[a]);bt(h,o.class),o.show||bt(h,Nn);let g=Ot(
"th",null,h);if(Te.show){let k=Mt(ld,g);if(a>0){let T=Te.width(s,a);T&&(k.style.border=T+"px "+Te.dash(s,a)+" "+Te.stroke(s,a)),k.style.background=
Te.fill(s,a)}}let w=Mt($l,g);o.label instanceof HTMLElement?w.appendChild(o.label):w.textContent=o.label,a>0&&(Te.show||(w.style.color=o.width>
0?Te.stroke(s,a):Te.fill(s,a)),Qe("click",g,k=>{if(I._lock)return;Mn(k);let T=_.indexOf(o);if((k.ctrlKey||k.metaKey)!=te.isolate){let D=_.some(
(R,F)=>F>0&&F!=T&&R.show);_.forEach((R,F)=>{F>0&&qt(F,D?F==T?qn:_s:qn,!0,Re.setSeries)})}else qt(T,{show:!o.show},!0,Re.setSeries)},!1),Un&&
Qe(Pl,g,k=>{I._lock||(Mn(k),qt(_.indexOf(o),rs,!0,Re.setSeries))},!1));for(var v in Xt){let k=Ot("td",ad,h);k.textContent="--",d.push(k)}return[
h,d]}let _n=new Map;function Qe(o,a,d,h=!0){let g=_n.get(a)||{},w=I.bind[o](s,a,d,h);w&&(zn(o,a,g[o]=w),_n.set(a,g))}function Gn(o,a,d){let h=_n.
get(a)||{};for(let g in h)(o==null||g==o)&&(Bo(g,a,h[g]),delete h[g]);o==null&&_n.delete(a)}let en=0,Sn=0,ee=0,C=0,ye=0,Fe=0,Kn=ye,Tn=Fe,Bt=ee,
En=C,dt=0,xt=0,lt=0,Pt=0;s.bbox={};let Gi=!1,Qs=!1,jn=!1,$n=!1,Zs=!1,_t=!1;function Ki(o,a,d){(d||o!=s.width||a!=s.height)&&mr(o,a),Xn(!1),jn=
!0,Qs=!0,es()}function mr(o,a){s.width=en=ee=o,s.height=Sn=C=a,ye=Fe=0,Oc(),Nc();let d=s.bbox;dt=d.left=Fn(ye*ce,.5),xt=d.top=Fn(Fe*ce,.5),lt=
d.width=Fn(ee*ce,.5),Pt=d.height=Fn(C*ce,.5)}let Lc=3;function Cc(){let o=!1,a=0;for(;!o;){a++;let d=Kc(a),h=jc(a);o=a==Lc||d&&h,o||(mr(s.width,
s.height),Qs=!0)}}function Fc({width:o,height:a}){Ki(o,a)}s.setSize=Fc;function Oc(){let o=!1,a=!1,d=!1,h=!1;z.forEach((g,w)=>{if(g.show&&g.
_show){let{side:v,_size:k}=g,T=v%2,D=g.label!=null?g.labelSize:0,R=k+D;R>0&&(T?(ee-=R,v==3?(ye+=R,h=!0):d=!0):(C-=R,v==0?(Fe+=R,o=!0):a=!0))}}),
Dn[0]=o,Dn[1]=d,Dn[2]=a,Dn[3]=h,ee-=hn[1]+hn[3],ye+=hn[3],C-=hn[2]+hn[0],Fe+=hn[0]}function Nc(){let o=ye+ee,a=Fe+C,d=ye,h=Fe;function g(w,v){
switch(w){case 1:return o+=v,o-v;case 2:return a+=v,a-v;case 3:return d-=v,d+v;case 0:return h-=v,h+v}}z.forEach((w,v)=>{if(w.show&&w._show){
let k=w.side;w._pos=g(k,w._size),w.label!=null&&(w._lpos=g(k,w.labelSize))}})}if(I.dataIdx==null){let o=I.hover,a=o.skip=new Set(o.skip??[]);
a.add(void 0);let d=o.prox=ie(o.prox),h=o.bias??=0;I.dataIdx=(g,w,v,k)=>{if(w==0)return v;let T=v,D=d(g,w,v,k)??ge,R=D>=0&&D<ge,F=$.ori==0?ee:
C,J=I.left,ae=t[0],re=t[w];if(a.has(re[v])){T=null;let se=null,K=null,W;if(h==0||h==-1)for(W=v;se==null&&W-- >0;)a.has(re[W])||(se=W);if(h==
0||h==1)for(W=v;K==null&&W++<re.length;)a.has(re[W])||(K=W);if(se!=null||K!=null)if(R){let xe=se==null?-1/0:M(ae[se],$,F,0),Ae=K==null?1/0:M(
ae[K],$,F,0),qe=J-xe,pe=Ae-J;qe<=pe?qe<=D&&(T=se):pe<=D&&(T=K)}else T=K==null?se:se==null?K:v-se<=K-v?se:K}else R&&Ne(J-M(ae[v],$,F,0))>D&&(T=
null);return T}}let Mn=o=>{I.event=o};I.idxs=he,I._lock=!1;let Ye=I.points;Ye.show=ie(Ye.show),Ye.size=ie(Ye.size),Ye.stroke=ie(Ye.stroke),Ye.
width=ie(Ye.width),Ye.fill=ie(Ye.fill);let Vt=s.focus=Le({},e.focus||{alpha:.3},I.focus),Un=Vt.prox>=0,Yn=Un&&Ye.one,St=[],Jn=[],Qn=[];function gr(o,a){
let d=Ye.show(s,a);if(d instanceof HTMLElement)return bt(d,nd),bt(d,o.class),Jt(d,-10,-10,ee,C),S.insertBefore(d,St[a]),d}function br(o,a){if(i==
1||a>0){let d=i==1&&E[o.scale].time,h=o.value;o.value=d?Kl(h)?Xl(ne,Zl(h,V)):h||oe:h||bf,o.label=o.label||(d?cf:af)}if(Yn||a>0){o.width=o.width==
null?1:o.width,o.paths=o.paths||Pf||vd,o.fillTo=ie(o.fillTo||xf),o.pxAlign=+le(o.pxAlign,P),o.pxRound=aa(o.pxAlign),o.stroke=ie(o.stroke||null),
o.fill=ie(o.fill||null),o._stroke=o._fill=o._paths=o._focus=null;let d=yf(ot(1,o.width),1),h=o.points=Le({},{size:d,width:ot(1,d*.2),stroke:o.
stroke,space:d*2,paths:Rf,_stroke:null,_fill:null},o.points);h.show=ie(h.show),h.filter=ie(h.filter),h.fill=ie(h.fill),h.stroke=ie(h.stroke),
h.paths=ie(h.paths),h.pxAlign=o.pxAlign}if(Ce){let d=Js(o,a);$e.splice(a,0,d[0]),Wt.splice(a,0,d[1]),te.values.push(null)}if(Je){he.splice(a,
0,null);let d=null;Yn?a==0&&(d=gr(o,a)):a>0&&(d=gr(o,a)),St.splice(a,0,d),Jn.splice(a,0,0),Qn.splice(a,0,0)}Ve("addSeries",a)}function zc(o,a){
a=a??_.length,o=i==1?Uo(o,a,ta,ra):Uo(o,a,{},oa),_.splice(a,0,o),br(_[a],a)}s.addSeries=zc;function Hc(o){if(_.splice(o,1),Ce){te.values.splice(
o,1),Wt.splice(o,1);let a=$e.splice(o,1)[0];Gn(null,a.firstChild),a.remove()}Je&&(he.splice(o,1),St.splice(o,1)[0].remove(),Jn.splice(o,1),Qn.
splice(o,1)),Ve("delSeries",o)}s.delSeries=Hc;let Dn=[!1,!1,!1,!1];function Ic(o,a){if(o._show=o.show,o.show){let d=o.side%2,h=E[o.scale];h==
null&&(o.scale=d?_[1].scale:L,h=E[o.scale]);let g=h.time;o.size=ie(o.size),o.space=ie(o.space),o.rotate=ie(o.rotate),kn(o.incrs)&&o.incrs.forEach(
v=>{!xn.has(v)&&xn.set(v,ka(v))}),o.incrs=ie(o.incrs||(h.distr==2?Bd:g?B==1?qd:jd:On)),o.splits=ie(o.splits||(g&&h.distr==1?rt:h.distr==3?qo:
h.distr==4?ff:df)),o.stroke=ie(o.stroke),o.grid.stroke=ie(o.grid.stroke),o.ticks.stroke=ie(o.ticks.stroke),o.border.stroke=ie(o.border.stroke);
let w=o.values;o.values=kn(w)&&!kn(w[0])?ie(w):g?kn(w)?Ql(ne,Jl(w,V)):Kl(w)?Jd(ne,w):w||Se:w||uf,o.filter=ie(o.filter||(h.distr>=3&&h.log==10?
mf:h.distr==3&&h.log==2?gf:wa)),o.font=fa(o.font),o.labelFont=fa(o.labelFont),o._size=o.size(s,null,a,0),o._space=o._rotate=o._incrs=o._found=
o._splits=o._values=null,o._size>0&&(Dn[a]=!0,o._el=Mt(Zu,y))}}function Ss(o,a,d,h){let[g,w,v,k]=d,T=a%2,D=0;return T==0&&(k||w)&&(D=a==0&&!g||
a==2&&!v?Oe(ea.size/3):0),T==1&&(g||v)&&(D=a==1&&!w||a==3&&!k?Oe(sa.size/2):0),D}let yr=s.padding=(e.padding||[Ss,Ss,Ss,Ss]).map(o=>ie(le(o,
Ss))),hn=s._padding=yr.map((o,a)=>o(s,a,Dn,0)),Ke,He=null,Ie=null,Xs=i==1?_[0].idxs:null,Rt=null,Ts=!1;function wr(o,a){if(t=o??[],s.data=s.
_data=t,i==2){Ke=0;for(let d=1;d<_.length;d++)Ke+=t[d][0].length}else{t.length==0&&(s.data=s._data=t=[[]]),Rt=t[0],Ke=Rt.length;let d=t;if(X==
2){d=t.slice();let h=d[0]=Array(Ke);for(let g=0;g<Ke;g++)h[g]=g}s._data=t=d}if(Xn(!0),Ve("setData"),X==2&&(jn=!0),a!==!1){let d=$;d.auto(s,Ts)?
ji():mn(L,d.min,d.max),$n=$n||I.left>=0,_t=!0,es()}}s.setData=wr;function ji(){Ts=!0;let o,a;i==1&&(Ke>0?(He=Xs[0]=0,Ie=Xs[1]=Ke-1,o=t[0][He],
a=t[0][Ie],X==2?(o=He,a=Ie):o==a&&(X==3?[o,a]=Pi(o,o,$.log,!1):X==4?[o,a]=Zo(o,o,$.log,!1):$.time?a=o+Oe(86400/B):[o,a]=Mi(o,a,Xo,!0))):(He=
Xs[0]=o=null,Ie=Xs[1]=a=null)),mn(L,o,a)}let ei,Zn,Ui,Yi,Ji,Qi,Zi,Xi,eo,at;function vr(o,a,d,h,g,w){o??=Dl,d??=tr,h??="butt",g??=Dl,w??="rou\
nd",o!=ei&&(m.strokeStyle=ei=o),g!=Zn&&(m.fillStyle=Zn=g),a!=Ui&&(m.lineWidth=Ui=a),w!=Ji&&(m.lineJoin=Ji=w),h!=Qi&&(m.lineCap=Qi=h),d!=Yi&&
m.setLineDash(Yi=d)}function kr(o,a,d,h){a!=Zn&&(m.fillStyle=Zn=a),o!=Zi&&(m.font=Zi=o),d!=Xi&&(m.textAlign=Xi=d),h!=eo&&(m.textBaseline=eo=
h)}function to(o,a,d,h,g=0){if(h.length>0&&o.auto(s,Ts)&&(a==null||a.min==null)){let w=le(He,0),v=le(Ie,h.length-1),k=d.min==null?pd(h,w,v,g,
o.distr==3):[d.min,d.max];o.min=zt(o.min,d.min=k[0]),o.max=ot(o.max,d.max=k[1])}}let xr={min:null,max:null};function Wc(){for(let h in E){let g=E[h];
N[h]==null&&(g.min==null||N[L]!=null&&g.auto(s,Ts))&&(N[h]=xr)}for(let h in E){let g=E[h];N[h]==null&&g.from!=null&&N[g.from]!=null&&(N[h]=xr)}
N[L]!=null&&Xn(!0);let o={};for(let h in N){let g=N[h];if(g!=null){let w=o[h]=gs(E[h],_d);if(g.min!=null)Le(w,g);else if(h!=L||i==2)if(Ke==0&&
w.from==null){let v=w.range(s,null,null,h);w.min=v[0],w.max=v[1]}else w.min=ge,w.max=-ge}}if(Ke>0){_.forEach((h,g)=>{if(i==1){let w=h.scale,
v=N[w];if(v==null)return;let k=o[w];if(g==0){let T=k.range(s,k.min,k.max,w);k.min=T[0],k.max=T[1],He=Nt(k.min,t[0]),Ie=Nt(k.max,t[0]),Ie-He>
1&&(t[0][He]<k.min&&He++,t[0][Ie]>k.max&&Ie--),h.min=Rt[He],h.max=Rt[Ie]}else h.show&&h.auto&&to(k,v,h,t[g],h.sorted);h.idxs[0]=He,h.idxs[1]=
Ie}else if(g>0&&h.show&&h.auto){let[w,v]=h.facets,k=w.scale,T=v.scale,[D,R]=t[g],F=o[k],J=o[T];F!=null&&to(F,N[k],w,D,w.sorted),J!=null&&to(
J,N[T],v,R,v.sorted),h.min=v.min,h.max=v.max}});for(let h in o){let g=o[h],w=N[h];if(g.from==null&&(w==null||w.min==null)){let v=g.range(s,g.
min==ge?null:g.min,g.max==-ge?null:g.max,h);g.min=v[0],g.max=v[1]}}}for(let h in o){let g=o[h];if(g.from!=null){let w=o[g.from];if(w.min==null)
g.min=g.max=null;else{let v=g.range(s,w.min,w.max,h);g.min=v[0],g.max=v[1]}}}let a={},d=!1;for(let h in o){let g=o[h],w=E[h];if(w.min!=g.min||
w.max!=g.max){w.min=g.min,w.max=g.max;let v=w.distr;w._min=v==3?ln(w.min):v==4?Fo(w.min,w.asinh):v==100?w.fwd(w.min):w.min,w._max=v==3?ln(w.
max):v==4?Fo(w.max,w.asinh):v==100?w.fwd(w.max):w.max,a[h]=d=!0}}if(d){_.forEach((h,g)=>{i==2?g>0&&a.y&&(h._paths=null):a[h.scale]&&(h._paths=
null)});for(let h in a)jn=!0,Ve("setScale",h);Je&&I.left>=0&&($n=_t=!0)}for(let h in N)N[h]=null}function Bc(o){let a=Vo(He-1,0,Ke-1),d=Vo(Ie+
1,0,Ke-1);for(;o[a]==null&&a>0;)a--;for(;o[d]==null&&d<Ke-1;)d++;return[a,d]}function Vc(){if(Ke>0){let o=_.some(a=>a._focus)&&at!=Vt.alpha;
o&&(m.globalAlpha=at=Vt.alpha),_.forEach((a,d)=>{if(d>0&&a.show&&(_r(d,!1),_r(d,!0),a._paths==null)){let h=at;at!=a.alpha&&(m.globalAlpha=at=
a.alpha);let g=i==2?[0,t[d][0].length-1]:Bc(t[d]);a._paths=a.paths(s,d,g[0],g[1]),at!=h&&(m.globalAlpha=at=h)}}),_.forEach((a,d)=>{if(d>0&&a.
show){let h=at;at!=a.alpha&&(m.globalAlpha=at=a.alpha),a._paths!=null&&Sr(d,!1);{let g=a._paths!=null?a._paths.gaps:null,w=a.points.show(s,d,
He,Ie,g),v=a.points.filter(s,d,w,g);(w||v)&&(a.points._paths=a.points.paths(s,d,He,Ie,v),Sr(d,!0))}at!=h&&(m.globalAlpha=at=h),Ve("drawSerie\
s",d)}}),o&&(m.globalAlpha=at=1)}}function _r(o,a){let d=a?_[o].points:_[o];d._stroke=d.stroke(s,o),d._fill=d.fill(s,o)}function Sr(o,a){let d=a?
_[o].points:_[o],{stroke:h,fill:g,clip:w,flags:v,_stroke:k=d._stroke,_fill:T=d._fill,_width:D=d.width}=d._paths;D=be(D*ce,3);let R=null,F=D%
2/2;a&&T==null&&(T=D>0?"#fff":k);let J=d.pxAlign==1&&F>0;if(J&&m.translate(F,F),!a){let ae=dt-D/2,re=xt-D/2,se=lt+D,K=Pt+D;R=new Path2D,R.rect(
ae,re,se,K)}a?no(k,D,d.dash,d.cap,T,h,g,v,w):qc(o,k,D,d.dash,d.cap,T,h,g,v,R,w),J&&m.translate(-F,-F)}function qc(o,a,d,h,g,w,v,k,T,D,R){let F=!1;
T!=0&&U.forEach((J,ae)=>{if(J.series[0]==o){let re=_[J.series[1]],se=t[J.series[1]],K=(re._paths||Vs).band;kn(K)&&(K=J.dir==1?K[0]:K[1]);let W,
xe=null;re.show&&K&&gd(se,He,Ie)?(xe=J.fill(s,ae)||w,W=re._paths.clip):K=null,no(a,d,h,g,xe,v,k,T,D,R,W,K),F=!0}}),F||no(a,d,h,g,w,v,k,T,D,R)}
let Tr=bs|Ko;function no(o,a,d,h,g,w,v,k,T,D,R,F){vr(o,a,d,h,g),(T||D||F)&&(m.save(),T&&m.clip(T),D&&m.clip(D)),F?(k&Tr)==Tr?(m.clip(F),R&&m.
clip(R),ni(g,v),ti(o,w,a)):k&Ko?(ni(g,v),m.clip(F),ti(o,w,a)):k&bs&&(m.save(),m.clip(F),R&&m.clip(R),ni(g,v),m.restore(),ti(o,w,a)):(ni(g,v),
ti(o,w,a)),(T||D||F)&&m.restore()}function ti(o,a,d){d>0&&(a instanceof Map?a.forEach((h,g)=>{m.strokeStyle=ei=g,m.stroke(h)}):a!=null&&o&&m.
stroke(a))}function ni(o,a){a instanceof Map?a.forEach((d,h)=>{m.fillStyle=Zn=h,m.fill(d)}):a!=null&&o&&m.fill(a)}function Gc(o,a,d,h){let g=z[o],
w;if(h<=0)w=[0,0];else{let v=g._space=g.space(s,o,a,d,h),k=g._incrs=g.incrs(s,o,a,d,h,v);w=zf(a,d,k,h,v)}return g._found=w}function so(o,a,d,h,g,w,v,k,T,D){
let R=v%2/2;P==1&&m.translate(R,R),vr(k,v,T,D,k),m.beginPath();let F,J,ae,re,se=g+(h==0||h==3?-w:w);d==0?(J=g,re=se):(F=g,ae=se);for(let K=0;K<
o.length;K++)a[K]!=null&&(d==0?F=ae=o[K]:J=re=o[K],m.moveTo(F,J),m.lineTo(ae,re));m.stroke(),P==1&&m.translate(-R,-R)}function Kc(o){let a=!0;
return z.forEach((d,h)=>{if(!d.show)return;let g=E[d.scale];if(g.min==null){d._show&&(a=!1,d._show=!1,Xn(!1));return}else d._show||(a=!1,d._show=
!0,Xn(!1));let w=d.side,v=w%2,{min:k,max:T}=g,[D,R]=Gc(h,k,T,v==0?ee:C);if(R==0)return;let F=g.distr==2,J=d._splits=d.splits(s,h,k,T,D,R,F),
ae=g.distr==2?J.map(W=>Rt[W]):J,re=g.distr==2?Rt[J[1]]-Rt[J[0]]:D,se=d._values=d.values(s,d.filter(s,ae,h,R,re),h,R,re);d._rotate=w==2?d.rotate(
s,se,h,R):0;let K=d._size;d._size=Dt(d.size(s,se,h,o)),K!=null&&d._size!=K&&(a=!1)}),a}function jc(o){let a=!0;return yr.forEach((d,h)=>{let g=d(
s,h,Dn,o);g!=hn[h]&&(a=!1),hn[h]=g}),a}function Uc(){for(let o=0;o<z.length;o++){let a=z[o];if(!a.show||!a._show)continue;let d=a.side,h=d%2,
g,w,v=a.stroke(s,o),k=d==0||d==3?-1:1,[T,D]=a._found;if(a.label!=null){let Xe=a.labelGap*k,pt=Oe((a._lpos+Xe)*ce);kr(a.labelFont[0],v,"cente\
r",d==2?"top":Ml),m.save(),h==1?(g=w=0,m.translate(pt,Oe(xt+Pt/2)),m.rotate((d==3?-Ei:Ei)/2)):(g=Oe(dt+lt/2),w=pt);let Rn=ba(a.label)?a.label(
s,o,T,D):a.label;m.fillText(Rn,g,w),m.restore()}if(D==0)continue;let R=E[a.scale],F=h==0?lt:Pt,J=h==0?dt:xt,ae=a._splits,re=R.distr==2?ae.map(
Xe=>Rt[Xe]):ae,se=R.distr==2?Rt[ae[1]]-Rt[ae[0]]:T,K=a.ticks,W=a.border,xe=K.show?K.size:0,Ae=Oe(xe*ce),qe=Oe((a.alignTo==2?a._size-xe-a.gap:
a.gap)*ce),pe=a._rotate*-Ei/180,Pe=O(a._pos*ce),ft=(Ae+qe)*k,Ze=Pe+ft;w=h==0?Ze:0,g=h==1?Ze:0;let Tt=a.font[0],Lt=a.align==1?ds:a.align==2?Ro:
pe>0?ds:pe<0?Ro:h==0?"center":d==3?Ro:ds,Kt=pe||h==1?"middle":d==2?"top":Ml;kr(Tt,v,Lt,Kt);let ht=a.font[1]*a.lineGap,Et=ae.map(Xe=>O(u(Xe,R,
F,J))),Ct=a._values;for(let Xe=0;Xe<Ct.length;Xe++){let pt=Ct[Xe];if(pt!=null){h==0?g=Et[Xe]:w=Et[Xe],pt=""+pt;let Rn=pt.indexOf(`
`)==-1?[pt]:pt.split(/\n/gm);for(let et=0;et<Rn.length;et++){let qr=Rn[et];pe?(m.save(),m.translate(g,w+et*ht),m.rotate(pe),m.fillText(qr,0,
0),m.restore()):m.fillText(qr,g,w+et*ht)}}}K.show&&so(Et,K.filter(s,re,o,D,se),h,d,Pe,Ae,be(K.width*ce,3),K.stroke(s,o),K.dash,K.cap);let jt=a.
grid;jt.show&&so(Et,jt.filter(s,re,o,D,se),h,h==0?2:1,h==0?xt:dt,h==0?Pt:lt,be(jt.width*ce,3),jt.stroke(s,o),jt.dash,jt.cap),W.show&&so([Pe],
[1],h==0?1:0,h==0?1:2,h==1?xt:dt,h==1?Pt:lt,be(W.width*ce,3),W.stroke(s,o),W.dash,W.cap)}Ve("drawAxes")}function Xn(o){_.forEach((a,d)=>{d>0&&
(a._paths=null,o&&(i==1?(a.min=null,a.max=null):a.facets.forEach(h=>{h.min=null,h.max=null})))})}let si=!1,io=!1,Es=[];function Yc(){io=!1;for(let o=0;o<
Es.length;o++)Ve(...Es[o]);Es.length=0}function es(){si||(Ad(Er),si=!0)}function Jc(o,a=!1){si=!0,io=a,o(s),Er(),a&&Es.length>0&&queueMicrotask(
Yc)}s.batch=Jc;function Er(){if(Gi&&(Wc(),Gi=!1),jn&&(Cc(),jn=!1),Qs){if(_e(x,ds,ye),_e(x,"top",Fe),_e(x,Hs,ee),_e(x,Is,C),_e(S,ds,ye),_e(S,
"top",Fe),_e(S,Hs,ee),_e(S,Is,C),_e(y,Hs,en),_e(y,Is,Sn),b.width=Oe(en*ce),b.height=Oe(Sn*ce),z.forEach(({_el:o,_show:a,_size:d,_pos:h,side:g})=>{
if(o!=null)if(a){let w=g===3||g===0?d:0,v=g%2==1;_e(o,v?"left":"top",h-w),_e(o,v?"width":"height",d),_e(o,v?"top":"left",v?Fe:ye),_e(o,v?"he\
ight":"width",v?C:ee),Wo(o,Nn)}else bt(o,Nn)}),ei=Zn=Ui=Ji=Qi=Zi=Xi=eo=Yi=null,at=1,Ds(!0),ye!=Kn||Fe!=Tn||ee!=Bt||C!=En){Xn(!1);let o=ee/Bt,
a=C/En;if(Je&&!$n&&I.left>=0){I.left*=o,I.top*=a,ts&&Jt(ts,Oe(I.left),0,ee,C),ns&&Jt(ns,0,Oe(I.top),ee,C);for(let d=0;d<St.length;d++){let h=St[d];
h!=null&&(Jn[d]*=o,Qn[d]*=a,Jt(h,Dt(Jn[d]),Dt(Qn[d]),ee,C))}}if(ke.show&&!Zs&&ke.left>=0&&ke.width>0){ke.left*=o,ke.width*=o,ke.top*=a,ke.height*=
a;for(let d in uo)_e(os,d,ke[d])}Kn=ye,Tn=Fe,Bt=ee,En=C}Ve("setSize"),Qs=!1}en>0&&Sn>0&&(m.clearRect(0,0,b.width,b.height),Ve("drawClear"),q.
forEach(o=>o()),Ve("draw")),ke.show&&Zs&&(ii(ke),Zs=!1),Je&&$n&&(Pn(null,!0,!1),$n=!1),te.show&&te.live&&_t&&(ao(),_t=!1),f||(f=!0,s.status=
1,Ve("ready")),Ts=!1,si=!1}s.redraw=(o,a)=>{jn=a||!1,o!==!1?mn(L,$.min,$.max):es()};function oo(o,a){let d=E[o];if(d.from==null){if(Ke==0){let h=d.
range(s,a.min,a.max,o);a.min=h[0],a.max=h[1]}if(a.min>a.max){let h=a.min;a.min=a.max,a.max=h}if(Ke>1&&a.min!=null&&a.max!=null&&a.max-a.min<
1e-16)return;o==L&&d.distr==2&&Ke>0&&(a.min=Nt(a.min,t[0]),a.max=Nt(a.max,t[0]),a.min==a.max&&a.max++),N[o]=a,Gi=!0,es()}}s.setScale=oo;let ro,
lo,ts,ns,$r,Mr,ss,is,Dr,Ar,ve,Ee,pn=!1,je=I.drag,We=je.x,Be=je.y;Je&&(I.x&&(ro=Mt(ed,S)),I.y&&(lo=Mt(td,S)),$.ori==0?(ts=ro,ns=lo):(ts=lo,ns=
ro),ve=I.left,Ee=I.top);let ke=s.select=Le({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),os=ke.show?Mt(Xu,ke.over?S:x):null;function ii(o,a){
if(ke.show){for(let d in o)ke[d]=o[d],d in uo&&_e(os,d,o[d]);a!==!1&&Ve("setSelect")}}s.setSelect=ii;function Qc(o){if(_[o].show)Ce&&Wo($e[o],
Nn);else if(Ce&&bt($e[o],Nn),Je){let d=Yn?St[0]:St[o];d!=null&&Jt(d,-10,-10,ee,C)}}function mn(o,a,d){oo(o,{min:a,max:d})}function qt(o,a,d,h){
a.focus!=null&&nu(o),a.show!=null&&_.forEach((g,w)=>{w>0&&(o==w||o==null)&&(g.show=a.show,Qc(w),i==2?(mn(g.facets[0].scale,null,null),mn(g.facets[1].
scale,null,null)):mn(g.scale,null,null),es())}),d!==!1&&Ve("setSeries",o,a),h&&As("setSeries",s,o,a)}s.setSeries=qt;function Zc(o,a){Le(U[o],
a)}function Xc(o,a){o.fill=ie(o.fill||null),o.dir=le(o.dir,-1),a=a??U.length,U.splice(a,0,o)}function eu(o){o==null?U.length=0:U.splice(o,1)}
s.addBand=Xc,s.setBand=Zc,s.delBand=eu;function tu(o,a){_[o].alpha=a,Je&&St[o]!=null&&(St[o].style.opacity=a),Ce&&$e[o]&&($e[o].style.opacity=
a)}let tn,gn,An,rs={focus:!0};function nu(o){if(o!=An){let a=o==null,d=Vt.alpha!=1;_.forEach((h,g)=>{if(i==1||g>0){let w=a||g==0||g==o;h._focus=
a?null:w,d&&tu(g,w?1:Vt.alpha)}}),An=o,d&&es()}}Ce&&Un&&Qe(Rl,ue,o=>{I._lock||(Mn(o),An!=null&&qt(null,rs,!0,Re.setSeries))});function Gt(o,a,d){
let h=E[a];d&&(o=o/ce-(h.ori==1?Fe:ye));let g=ee;h.ori==1&&(g=C,o=g-o),h.dir==-1&&(o=g-o);let w=h._min,v=h._max,k=o/g,T=w+(v-w)*k,D=h.distr;
return D==3?ps(10,T):D==4?yd(T,h.asinh):D==100?h.bwd(T):T}function su(o,a){let d=Gt(o,L,a);return Nt(d,t[0],He,Ie)}s.valToIdx=o=>Nt(o,t[0]),
s.posToIdx=su,s.posToVal=Gt,s.valToPos=(o,a,d)=>E[a].ori==0?r(o,E[a],d?lt:ee,d?dt:0):l(o,E[a],d?Pt:C,d?xt:0),s.setCursor=(o,a,d)=>{ve=o.left,
Ee=o.top,Pn(null,a,d)};function Pr(o,a){_e(os,ds,ke.left=o),_e(os,Hs,ke.width=a)}function Rr(o,a){_e(os,"top",ke.top=o),_e(os,Is,ke.height=a)}
let $s=$.ori==0?Pr:Rr,Ms=$.ori==1?Pr:Rr;function iu(){if(Ce&&te.live)for(let o=i==2?1:0;o<_.length;o++){if(o==0&&kt)continue;let a=te.values[o],
d=0;for(let h in a)Wt[o][d++].firstChild.nodeValue=a[h]}}function ao(o,a){if(o!=null&&(o.idxs?o.idxs.forEach((d,h)=>{he[h]=d}):xd(o.idx)||he.
fill(o.idx),te.idx=he[0]),Ce&&te.live){for(let d=0;d<_.length;d++)(d>0||i==1&&!kt)&&ou(d,he[d]);iu()}_t=!1,a!==!1&&Ve("setLegend")}s.setLegend=
ao;function ou(o,a){let d=_[o],h=o==0&&X==2?Rt:t[o],g;kt?g=d.values(s,o,a)??fn:(g=d.value(s,a==null?null:h[a],o,a),g=g==null?fn:{_:g}),te.values[o]=
g}function Pn(o,a,d){Dr=ve,Ar=Ee,[ve,Ee]=I.move(s,ve,Ee),I.left=ve,I.top=Ee,Je&&(ts&&Jt(ts,Oe(ve),0,ee,C),ns&&Jt(ns,0,Oe(Ee),ee,C));let h,g=He>
Ie;tn=ge,gn=null;let w=$.ori==0?ee:C,v=$.ori==1?ee:C;if(ve<0||Ke==0||g){h=I.idx=null;for(let k=0;k<_.length;k++){let T=St[k];T!=null&&Jt(T,-10,
-10,ee,C)}Un&&qt(null,rs,!0,o==null&&Re.setSeries),te.live&&(he.fill(h),_t=!0)}else{let k,T,D;i==1&&(k=$.ori==0?ve:Ee,T=Gt(k,L),h=I.idx=Nt(T,
t[0],He,Ie),D=M(t[0][h],$,w,0));let R=-10,F=-10,J=0,ae=0,re=!0,se="",K="";for(let W=i==2?1:0;W<_.length;W++){let xe=_[W],Ae=he[W],qe=Ae==null?
null:i==1?t[W][Ae]:t[W][1][Ae],pe=I.dataIdx(s,W,h,T),Pe=pe==null?null:i==1?t[W][pe]:t[W][1][pe];if(_t=_t||Pe!=qe||pe!=Ae,he[W]=pe,W>0&&xe.show){
let ft=pe==null?-10:pe==h?D:M(i==1?t[0][pe]:t[W][0][pe],$,w,0),Ze=Pe==null?-10:H(Pe,i==1?E[xe.scale]:E[xe.facets[1].scale],v,0);if(Un&&Pe!=null){
let Tt=$.ori==1?ve:Ee,Lt=Ne(Vt.dist(s,W,pe,Ze,Tt));if(Lt<tn){let Kt=Vt.bias;if(Kt!=0){let ht=Gt(Tt,xe.scale),Et=Pe>=0?1:-1,Ct=ht>=0?1:-1;Ct==
Et&&(Ct==1?Kt==1?Pe>=ht:Pe<=ht:Kt==1?Pe<=ht:Pe>=ht)&&(tn=Lt,gn=W)}else tn=Lt,gn=W}}if(_t||Yn){let Tt,Lt;$.ori==0?(Tt=ft,Lt=Ze):(Tt=Ze,Lt=ft);
let Kt,ht,Et,Ct,jt,Xe,pt=!0,Rn=Ye.bbox;if(Rn!=null){pt=!1;let et=Rn(s,W);Et=et.left,Ct=et.top,Kt=et.width,ht=et.height}else Et=Tt,Ct=Lt,Kt=ht=
Ye.size(s,W);if(Xe=Ye.fill(s,W),jt=Ye.stroke(s,W),Yn)W==gn&&tn<=Vt.prox&&(R=Et,F=Ct,J=Kt,ae=ht,re=pt,se=Xe,K=jt);else{let et=St[W];et!=null&&
(Jn[W]=Et,Qn[W]=Ct,Hl(et,Kt,ht,pt),Nl(et,Xe,jt),Jt(et,Dt(Et),Dt(Ct),ee,C))}}}}if(Yn){let W=Vt.prox,xe=An==null?tn<=W:tn>W||gn!=An;if(_t||xe){
let Ae=St[0];Ae!=null&&(Jn[0]=R,Qn[0]=F,Hl(Ae,J,ae,re),Nl(Ae,se,K),Jt(Ae,Dt(R),Dt(F),ee,C))}}}if(ke.show&&pn)if(o!=null){let[k,T]=Re.scales,
[D,R]=Re.match,[F,J]=o.cursor.sync.scales,ae=o.cursor.drag;if(We=ae._x,Be=ae._y,We||Be){let{left:re,top:se,width:K,height:W}=o.select,xe=o.scales[F].
ori,Ae=o.posToVal,qe,pe,Pe,ft,Ze,Tt=k!=null&&D(k,F),Lt=T!=null&&R(T,J);Tt&&We?(xe==0?(qe=re,pe=K):(qe=se,pe=W),Pe=E[k],ft=M(Ae(qe,F),Pe,w,0),
Ze=M(Ae(qe+pe,F),Pe,w,0),$s(zt(ft,Ze),Ne(Ze-ft))):$s(0,w),Lt&&Be?(xe==1?(qe=re,pe=K):(qe=se,pe=W),Pe=E[T],ft=H(Ae(qe,J),Pe,v,0),Ze=H(Ae(qe+pe,
J),Pe,v,0),Ms(zt(ft,Ze),Ne(Ze-ft))):Ms(0,v)}else fo()}else{let k=Ne(Dr-$r),T=Ne(Ar-Mr);if($.ori==1){let J=k;k=T,T=J}We=je.x&&k>=je.dist,Be=je.
y&&T>=je.dist;let D=je.uni;D!=null?We&&Be&&(We=k>=D,Be=T>=D,!We&&!Be&&(T>k?Be=!0:We=!0)):je.x&&je.y&&(We||Be)&&(We=Be=!0);let R,F;We&&($.ori==
0?(R=ss,F=ve):(R=is,F=Ee),$s(zt(R,F),Ne(F-R)),Be||Ms(0,v)),Be&&($.ori==1?(R=ss,F=ve):(R=is,F=Ee),Ms(zt(R,F),Ne(F-R)),We||$s(0,w)),!We&&!Be&&
($s(0,0),Ms(0,0))}if(je._x=We,je._y=Be,o==null){if(d){if(Vr!=null){let[k,T]=Re.scales;Re.values[0]=k!=null?Gt($.ori==0?ve:Ee,k):null,Re.values[1]=
T!=null?Gt($.ori==1?ve:Ee,T):null}As(Lo,s,ve,Ee,ee,C,h)}if(Un){let k=d&&Re.setSeries,T=Vt.prox;An==null?tn<=T&&qt(gn,rs,!0,k):tn>T?qt(null,rs,
!0,k):gn!=An&&qt(gn,rs,!0,k)}}_t&&(te.idx=h,ao()),a!==!1&&Ve("setCursor")}let bn=null;Object.defineProperty(s,"rect",{get(){return bn==null&&
Ds(!1),bn}});function Ds(o=!1){o?bn=null:(bn=S.getBoundingClientRect(),Ve("syncRect",bn))}function Lr(o,a,d,h,g,w,v){I._lock||pn&&o!=null&&o.
movementX==0&&o.movementY==0||(co(o,a,d,h,g,w,v,!1,o!=null),o!=null?Pn(null,!0,!0):Pn(a,!0,!1))}function co(o,a,d,h,g,w,v,k,T){if(bn==null&&
Ds(!1),Mn(o),o!=null)d=o.clientX-bn.left,h=o.clientY-bn.top;else{if(d<0||h<0){ve=-10,Ee=-10;return}let[D,R]=Re.scales,F=a.cursor.sync,[J,ae]=F.
values,[re,se]=F.scales,[K,W]=Re.match,xe=a.axes[0].side%2==1,Ae=$.ori==0?ee:C,qe=$.ori==1?ee:C,pe=xe?w:g,Pe=xe?g:w,ft=xe?h:d,Ze=xe?d:h;if(re!=
null?d=K(D,re)?u(J,E[D],Ae,0):-10:d=Ae*(ft/pe),se!=null?h=W(R,se)?u(ae,E[R],qe,0):-10:h=qe*(Ze/Pe),$.ori==1){let Tt=d;d=h,h=Tt}}T&&(a==null||
a.cursor.event.type==Lo)&&((d<=1||d>=ee-1)&&(d=Fn(d,ee)),(h<=1||h>=C-1)&&(h=Fn(h,C))),k?($r=d,Mr=h,[ss,is]=I.move(s,d,h)):(ve=d,Ee=h)}let uo={
width:0,height:0,left:0,top:0};function fo(){ii(uo,!1)}let Cr,Fr,Or,Nr;function zr(o,a,d,h,g,w,v){pn=!0,We=Be=je._x=je._y=!1,co(o,a,d,h,g,w,
v,!0,!1),o!=null&&(Qe(Co,Ho,Hr,!1),As(Al,s,ss,is,ee,C,null));let{left:k,top:T,width:D,height:R}=ke;Cr=k,Fr=T,Or=D,Nr=R}function Hr(o,a,d,h,g,w,v){
pn=je._x=je._y=!1,co(o,a,d,h,g,w,v,!1,!0);let{left:k,top:T,width:D,height:R}=ke,F=D>0||R>0,J=Cr!=k||Fr!=T||Or!=D||Nr!=R;if(F&&J&&ii(ke),je.setScale&&
F&&J){let ae=k,re=D,se=T,K=R;if($.ori==1&&(ae=T,re=R,se=k,K=D),We&&mn(L,Gt(ae,L),Gt(ae+re,L)),Be)for(let W in E){let xe=E[W];W!=L&&xe.from==
null&&xe.min!=ge&&mn(W,Gt(se+K,W),Gt(se,W))}fo()}else I.lock&&(I._lock=!I._lock,Pn(a,!0,o!=null));o!=null&&(Gn(Co,Ho),As(Co,s,ve,Ee,ee,C,null))}
function ru(o,a,d,h,g,w,v){if(I._lock)return;Mn(o);let k=pn;if(pn){let T=!0,D=!0,R=10,F,J;$.ori==0?(F=We,J=Be):(F=Be,J=We),F&&J&&(T=ve<=R||ve>=
ee-R,D=Ee<=R||Ee>=C-R),F&&T&&(ve=ve<ss?0:ee),J&&D&&(Ee=Ee<is?0:C),Pn(null,!0,!0),pn=!1}ve=-10,Ee=-10,he.fill(null),Pn(null,!0,!0),k&&(pn=k)}
function Ir(o,a,d,h,g,w,v){I._lock||(Mn(o),ji(),fo(),o!=null&&As(Ll,s,ve,Ee,ee,C,null))}function Wr(){z.forEach(Hf),Ki(s.width,s.height,!0)}
zn($i,hs,Wr);let ls={};ls.mousedown=zr,ls.mousemove=Lr,ls.mouseup=Hr,ls.dblclick=Ir,ls.setSeries=(o,a,d,h)=>{let g=Re.match[2];d=g(s,a,d),d!=
-1&&qt(d,h,!0,!1)},Je&&(Qe(Al,S,zr),Qe(Lo,S,Lr),Qe(Pl,S,o=>{Mn(o),Ds(!1)}),Qe(Rl,S,ru),Qe(Ll,S,Ir),jo.add(s),s.syncRect=Ds);let oi=s.hooks=e.
hooks||{};function Ve(o,a,d){io?Es.push([o,a,d]):o in oi&&oi[o].forEach(h=>{h.call(null,s,a,d)})}(e.plugins||[]).forEach(o=>{for(let a in o.
hooks)oi[a]=(oi[a]||[]).concat(o.hooks[a])});let Br=(o,a,d)=>d,Re=Le({key:null,setSeries:!1,filters:{pub:ql,sub:ql},scales:[L,_[1]?_[1].scale:
null],match:[Gl,Gl,Br],values:[null,null]},I.sync);Re.match.length==2&&Re.match.push(Br),I.sync=Re;let Vr=Re.key,ho=Wa(Vr);function As(o,a,d,h,g,w,v){
Re.filters.pub(o,a,d,h,g,w,v)&&ho.pub(o,a,d,h,g,w,v)}ho.sub(s);function lu(o,a,d,h,g,w,v){Re.filters.sub(o,a,d,h,g,w,v)&&ls[o](null,a,d,h,g,
w,v)}s.pub=lu;function au(){ho.unsub(s),jo.delete(s),_n.clear(),Bo($i,hs,Wr),p.remove(),ue?.remove(),Ve("destroy")}s.destroy=au;function po(){
Ve("init",e,t),wr(t||e.data,!1),N[L]?oo(L,N[L]):ji(),Zs=ke.show&&(ke.width>0||ke.height>0),$n=_t=!0,Ki(e.width,e.height)}return _.forEach(br),
z.forEach(Ic),n?n instanceof HTMLElement?(n.appendChild(p),po()):n(s,po):po(),s}ze.assign=Le;ze.fmtNum=er;ze.rangeNum=Mi;ze.rangeLog=Pi;ze.rangeAsinh=
Zo;ze.orient=In;ze.pxRatio=ce;ze.join=Dd;ze.fmtDate=nr,ze.tzDate=Id;ze.sync=Wa;{ze.addGap=_f,ze.clipGaps=Ci;let e=ze.paths={points:ja};e.linear=
Ya,e.stepped=Ef,e.bars=$f,e.spline=Df}var Wn=[7,4],cr=[2,3],If=window.matchMedia("(max-width: 720px)"),Xa=()=>If.matches?140:190,Wf=16,ec=8,Bf=60,Vf=180,qf=86400,Gf=Array.from({length:50},
(e,t)=>2**t),Ht=class{element;#n;#t=c("div",{class:"chart-canvas"});#l=[];#i=c("span",{class:"chart-when"});#o;#a;#e=null;#s=[];#u=[];#r=null;#c=[];#d=0;#p;constructor(t,n,s=null){
this.#n=t,this.#p=n;let i=t.lines.map(r=>{let l=c("span",{class:"figure"});this.#l.push(l);let u=c("span",{class:`sample sample-${r.colour}${r.
dash?` sample-${r.dash[0]===cr[0]?"dot":"dash"}`:""}`,"aria-hidden":"true"});return c("li",{},u,c("span",{},r.label),l)});this.element=c("fi\
gure",{class:"chart card"},c("figcaption",{},c("div",{},c("h3",{},t.title),c("p",{},t.about)),s),this.#t,c("div",{class:"legend"},c("ul",{},
...i),this.#i)),this.#t.setAttribute("role","img"),this.#f(),this.#o=new ResizeObserver(()=>this.#h()),this.#o.observe(this.#t),this.#a=gi(()=>this.#m())}set(t,n,s=null,i=[]){
this.#c=i,this.#t.dataset.marks=String(i.length),this.#s=t,this.#u=n,this.#r=s,this.#f(),this.#t.dataset.points=String(t.length),this.#e?this.#e.
setData(this.#y()):this.#h(),this.#k(null)}#f(){let t=this.#r===null?"the last five minutes":`${$t(this.#r.seconds)} up to ${ai(this.#r.end*
1e3)} ${yn(this.#r.end*1e3)}`;this.#t.setAttribute("aria-label",`${this.#n.title}: lines over ${t}; the newest figures follow`)}leave(){this.#o.
disconnect(),this.#a(),this.#e?.destroy(),this.#e=null}#h(){let t=Math.floor(this.#t.clientWidth);t!==0&&(this.#e?t!==this.#d&&this.#e.setSize(
{width:t,height:Xa()}):this.#w(t),this.#d=t)}#m(){this.#e&&(this.#e.destroy(),this.#e=null,this.#h())}#y(){let t=[];return this.#n.lines.forEach(
(n,s)=>{let i=this.#u[s]??[],r=n.fill==="stacked"?t[s-1]:void 0;t.push(r?i.map((l,u)=>l===null?null:l+(r[u]??0)):i)}),[this.#s,...t]}#w(t){let{
lines:n,tick:s,figure:i,least:r,most:l,isBinary:u}=this.#n,f={stroke:st("ink-soft"),font:`12px ${st("font")}`,ticks:{show:!1},grid:{stroke:st(
"rule"),width:1}},p={width:t,height:Xa(),legend:{show:!1},cursor:{sync:{key:"forebay"},drag:{x:!0,y:!1,setScale:!1,dist:ec}},scales:{x:{time:!0,
range:()=>this.#b()},y:{range:(b,m,y)=>[0,l??Math.max((y??0)*1.1,r??1)]}},axes:[{...f,grid:{show:!1},size:26,space:110,values:(b,m)=>m.map(y=>this.#_(
y))},{...f,size:62,space:36,values:(b,m)=>m.map(y=>(s??i)(y)),...u?{incrs:Gf}:{}}],series:[{},...n.map(b=>this.#x(b))],bands:n.flatMap((b,m)=>b.
fill==="stacked"&&m>0?[{series:[m+1,m]}]:[]),hooks:{setCursor:[b=>this.#k(b.cursor.idx??null)],setSelect:[b=>this.#g(b)],draw:[b=>this.#v(b)]}};
this.#e=new ze(p,this.#y(),this.#t)}#g(t){let{left:n,width:s}=t.select;if(s<ec)return;let[i,r]=[t.posToVal(n,"x"),t.posToVal(n+s,"x")];t.setSelect(
{left:0,top:0,width:0,height:0},!1),this.#p(i,r)}#v(t){let{ctx:n,bbox:s}=t,i=window.devicePixelRatio||1;n.save(),n.font=`600 ${11*i}px ${st(
"font")}`,n.lineWidth=i,n.setLineDash([2*i,3*i]),n.textAlign="center";let r=[];this.#c.forEach((l,u)=>{let f=t.valToPos(l.at,"x",!0);r.push(
l.label);let p=this.#c[u+1];p&&t.valToPos(p.at,"x",!0)-f<Wf*i||(n.strokeStyle=n.fillStyle=st(l.colour),n.beginPath(),n.moveTo(f,s.top+14*i),
n.lineTo(f,s.top+s.height),n.stroke(),n.fillText(r.length>2?`${r[0]}\u2013${l.label}`:r.join(","),f,s.top+11*i),r=[])}),n.restore()}#x(t){let n=st(
t.colour);return{label:t.label,stroke:n,width:2,points:{show:!1},...t.dash?{dash:t.dash}:{},...t.fill?{fill:`${n}40`}:{}}}#b(){if(this.#r)return[
this.#r.end-this.#r.seconds,this.#r.end];let t=this.#s.at(-1)??Date.now()/1e3,n=t-(this.#s[0]??t);return[t-Math.min(Ls,Math.max(Bf,n)),t]}#_(t){
let[n,s]=this.#b(),i=yn(t*1e3);return s-n>qf&&i==="00:00:00"?ai(t*1e3):s-n<Vf?i:i.slice(0,5)}#k(t){let n=t??this.#s.length-1,s=this.#s[n];this.#l.
forEach((r,l)=>G(r,this.#n.figure(this.#u[l]?.[n]??null)));let i=s===void 0?"":yn(s*1e3);G(this.#i,t===null||s===void 0?"now":this.#r?`${ai(
s*1e3)} ${i.slice(0,5)}`:i)}};var Kf={info:"busy",warning:"warning",error:"bad"};function tc(e,t,n,s,i){return e.filter(l=>l.disk===null||l.disk===t).map(l=>({event:l,at:new Date(
l.time).getTime()/1e3+n})).filter(({at:l})=>l>=s&&l<=i).slice(-12).map(({event:l,at:u},f)=>({event:l,mark:{at:u,label:String(f+1),colour:Kf[l.
level]??"warning"}}))}function Qt(){return c("span",{class:"badge"},c("span",{class:"sign","aria-hidden":"true"}),c("span",{}))}function Zt(e,t,n){e.className=`ba\
dge badge-${t}`;let[s,i]=e.children;s&&G(s,Ao[t]),i&&G(i,n)}function vt(e,t){let n=c("div",{class:"tile-value","data-figure":t}),s=c("div",{
class:"tile-remark"});return{element:c("div",{class:"tile"},c("div",{class:"tile-name"},e),n,s),set(r,l=""){G(n,r),G(s,l)}}}function Gs(){let e=c(
"ul",{class:"findings","aria-live":"polite","aria-label":"Warnings"});return{element:e,set(t){e.hidden=t.length===0,gt(e,t,n=>`${n.tone} ${n.
text.replace(/\d[\d.]*/g,"#")}`,()=>c("li",{},c("span",{class:"sign","aria-hidden":"true"}),c("div",{},c("div",{class:"finding-text"}),c("di\
v",{class:"finding-advice"}))),(n,s)=>{n.className=`finding finding-${s.tone}`,fe(n,".sign",Ao[s.tone]),fe(n,".finding-text",s.text),fe(n,".\
finding-advice",s.advice??"")})}}}function fe(e,t,n){let s=e.querySelector(t);s&&G(s,n)}var Bn={width:120,height:28};function nc(e){let t=ri(
"svg",{class:"spark",viewBox:`0 0 ${Bn.width} ${Bn.height}`,role:"img",preserveAspectRatio:"none"}),n=ri("path",{fill:"none","vector-effect":"\
non-scaling-stroke"});return t.append(ri("path",{class:"spark-base",d:`M0 ${Bn.height-1}H${Bn.width}`,fill:"none"}),n),{element:t,set(s,i){n.
setAttribute("d",jf(s,i));let r=s.filter(l=>l!==null).at(-1);t.setAttribute("aria-label",r===void 0?`${e}: no reads in the last five minutes`:
`${e} over the last five minutes, ${we(r)} lately`)}}}function jf(e,t){let n=Bn.width/Math.max(1,t-1),s=Bn.width-(e.length-1)*n,i="M",r="";return e.
forEach((l,u)=>{if(l===null){i="M";return}r+=`${i}${(s+u*n).toFixed(1)} ${((1-l)*(Bn.height-4)+2).toFixed(1)}`,i="L"}),r}function ks(e){let t=e.
map(([s,i])=>({key:s,name:i,cell:c("dd",{"data-figure":s})}));return{element:c("dl",{class:"facts"},...t.map(({name:s,cell:i})=>c("div",{},c(
"dt",{},s),i))),set(s){for(let{key:i,cell:r}of t)G(r,s[i]??""),r.parentElement&&(r.parentElement.hidden=s[i]===void 0)}}}var Uf=[["5 minutes",300],["1 hour",3600],["6 hours",21600],["1 day",86400],["1 week",7*86400]],zi=class{element;#n=()=>{};#t=(t,n)=>{let s=xo(
t,n,Date.now()/1e3);s&&this.#n(this.#M()?{...s,of:"5m"}:s)};#l=new Ht({title:"Hit ratio",about:"Reads answered from the cache, of all reads.",
lines:[{label:"RAM",colour:"ram",fill:"area"},{label:"Flash",colour:"flash",fill:"stacked",dash:Wn}],figure:we,tick:t=>`${Math.round(t*100)}\
%`,most:1},this.#t);#i=new Ht({title:"Requests a second",about:"What guests asked for.",lines:[{label:"Reads",colour:"read"},{label:"Writes",
colour:"write",dash:Wn}],figure:Ue,tick:wo,least:10},this.#t);#o;#a=new Ht({title:"Mean latency",about:"Of all reads, and of all writes.",lines:[
{label:"Reads",colour:"read"},{label:"Writes",colour:"write",dash:Wn}],figure:Ge,least:10},this.#t);#e;#s=new Ht({title:"Dirty data",about:"\
What flash has and the backing does not, without zeroes.",lines:[{label:"Dirty",colour:"dirty",fill:"area"},{label:"Limit",colour:"limit",dash:Wn}],
figure:A,least:64*1024,isBinary:!0},this.#t);#u=new Ht({title:"Backing requests saved",about:"What guests asked for, and what reached the ba\
cking.",lines:[{label:"Guests",colour:"read"},{label:"Backing",colour:"limit",dash:Wn,fill:"area"}],figure:Ue,tick:wo,least:10},this.#t);#r=new Ht(
{title:"Written to flash",about:"Bytes a second, headers and second copies included.",lines:[{label:"Flash",colour:"flash",fill:"area"}],figure:Ft,
tick:A,least:64*1024,isBinary:!0},this.#t);#c=c("select",{"aria-label":"Latency of",name:"latency-class"},...ci.map(t=>c("option",{value:t},
vi[t])));#d=c("select",{"aria-label":"Percentiles of",name:"latency-spread"},c("option",{value:"readSpread"},"Reads"),c("option",{value:"wri\
teSpread"},"Writes"));#p=c("span",{class:"hint"});#f;#h=c("p",{class:"hint",role:"status"});#m=[];#y=[];#w=null;#g=[];#v=null;#x=!1;#b=c("in\
put",{type:"datetime-local",name:"from",step:1,required:!0,"aria-label":"From"});#_=c("input",{type:"datetime-local",name:"to",step:1,required:!0,
"aria-label":"To"});#k=c("ol",{class:"happened","aria-label":"Events in this time"});constructor(t){this.#n=t;let n=c("div",{class:"chart-co\
ntrols"},this.#c,this.#p);this.#c.value="read_miss",this.#c.addEventListener("change",()=>{this.#x=!0,this.#T()});let s=(l,u)=>({title:l,about:u,
lines:[{label:"Half",colour:"read"},{label:"95 %",colour:"write",dash:Wn},{label:"99 %",colour:"limit",dash:cr}],figure:Ge,least:10});this.#o=
new Ht(s("Latency","So many in a hundred were faster."),this.#t,n),this.#d.addEventListener("change",()=>this.#E()),this.#e=new Ht(s("Latenc\
y percentiles","Of each step, so many in a hundred were faster."),this.#t,c("div",{class:"chart-controls"},this.#d));let i=([l,u])=>c("butto\
n",{type:"button","data-seconds":u,onclick:()=>t({seconds:u,end:null})},l);this.#f=c("div",{class:"segmented",role:"group","aria-label":"How\
 far back"},...Uf.map(i));let r=c("form",{class:"period","aria-label":"Period"},this.#b,c("span",{},"to"),this.#_,c("button",{type:"submit"},
"Show"));r.addEventListener("submit",l=>{l.preventDefault();let u=[this.#b,this.#_].map(p=>new Date(p.value).getTime()/1e3),f=xo(u[0]??NaN,u[1]??
NaN,Date.now()/1e3);f?t(f):G(this.#h,"The two moments must be within the last week, and at least ten seconds apart.")}),this.element=c("sect\
ion",{class:"did","aria-label":"Charts"},c("div",{class:"section-head"},c("h2",{},"What it did"),this.#f),c("details",{class:"other-period"},
c("summary",{},"Another time"),r),this.#h,c("div",{class:"charts"},...this.#S().map(l=>l.element)),this.#k)}update(t,n,s){let{period:i}=t,r=vn(
i)==="5m",l=Date.now()/1e3,u=r?t.series.get(n)?.points??[]:t.past?.points??[],f=i.end??(r?u.at(-1)?.at??l:t.past?.end??l),p=tc(t.events??[],
n,t.ahead,f-i.seconds,f);if(this.#w=r&&i.end===null?null:{end:f,seconds:i.seconds},this.#g=p.map(({mark:m})=>m),this.#D(i,r,!r&&t.past===null),
this.#A(p),this.#P(u,s),r){this.#m=u,G(this.#p,t.windows.has(n)?"over 5 minutes each":"since attached"),this.#T();return}let b=m=>u.map(m);this.#a.
set(u.map(m=>m.at),[b(m=>m.readMicros),b(m=>m.writeMicros)],this.#w,this.#g),this.#y=u,this.#E()}leave(){for(let t of this.#S())t.leave()}#S(){
return[this.#l,this.#i,this.#o,this.#a,this.#e,this.#u,this.#s,this.#r]}#M(){return this.#v!==null&&vn(this.#v)==="5m"}#D(t,n,s){let i=t!==this.#v;
this.#v=t;for(let l of this.#f.children)l.setAttribute("aria-pressed",String(t.end===null&&l.getAttribute("data-seconds")===String(t.seconds)));
i&&t.end!==null&&(this.#b.value=sc(t.end-t.seconds),this.#_.value=sc(t.end));let r=n?"":"In steps of five minutes; of dirty data, the most i\
n each. ";i||s?G(this.#h,s?"Asking Forebay\u2026":`${r}Draw over a chart to see a part of it.`):this.#h.textContent==="Asking Forebay\u2026"&&
G(this.#h,`${r}Draw over a chart to see a part of it.`),Q(this.#o.element,n),Q(this.#a.element,!n),Q(this.#e.element,!n),this.#s.element.classList.
toggle("chart-wide",!n)}#A(t){Q(this.#k,t.length>0);let n=()=>c("li",{},c("span",{class:"happened-number"}),Qt(),c("time",{}),c("span",{class:"\
happened-text"}));gt(this.#k,t,({event:s})=>`${s.id} ${s.time}`,n,(s,{event:i,mark:r})=>{fe(s,".happened-number",r.label);let l=s.querySelector(
".badge");l&&Zt(l,yi[i.level]??"warning",i.level),fe(s,"time",wn(i.time)),fe(s,".happened-text",i.message)})}#P(t,n){let s=u=>t.map(u),i=t.map(
u=>u.at),r=(u,...f)=>u.set(i,f,this.#w,this.#g);r(this.#l,s(u=>u.hitRam),s(u=>u.hitFlash)),r(this.#i,s(u=>u.rates?.reads??null),s(u=>u.rates?.
writes??null)),r(this.#u,s(u=>Ln(u.rates)),s(u=>u.rates?u.rates.backing_reads+u.rates.backing_writes:null)),r(this.#r,s(u=>u.rates?.flash_write_bytes??
null));let l=n==="write-back"?s(u=>u.dirtyLimitBytes):t.map(()=>null);r(this.#s,s(u=>u.dirtyBytes),l)}#T(){let t=this.#m.at(-1)?.latency;if(!this.#x&&
t&&t[this.#$()].count===0){let i=ci.find(r=>t[r].count>0);i&&(this.#c.value=i)}let n=this.#$(),s=i=>this.#m.map(r=>r.latency&&r.latency[n].count>
0?r.latency[n][i]:null);this.#o.set(this.#m.map(i=>i.at),[s("p50"),s("p95"),s("p99")],this.#w,this.#g)}#E(){let t=this.#d.value==="writeSpre\
ad"?"writeSpread":"readSpread",n=[0,1,2].map(s=>this.#y.map(i=>i[t]?.[s]??null));this.#e.set(this.#y.map(s=>s.at),n,this.#w,this.#g)}#$(){return ci.
find(t=>t===this.#c.value)??"read_miss"}};function sc(e){let t=new Date(e*1e3);return new Date(t.getTime()-t.getTimezoneOffset()*6e4).toISOString().
slice(0,19)}var ic=4;function ur(e){return Math.log2(e)}function dr(e){let t=r=>r?`${A(r.cache_bytes)}: ${we(r.hit_ratio)}`:"\u2013",n=e.points.findIndex(
r=>r.cache_bytes===e.present.cache_bytes),s=r=>n<0?null:e.points[n+r],i=e.wanted.find(r=>r.hit_ratio===.9)?.cache_bytes;return{present:t(e.present),
half:t(s(-ic)),double:t(s(ic)),held:t(e.held),knee:t(e.knee),largest:t(e.largest),wanted:i==null?"no size has it":A(i),working_set:A(e.working_set_bytes)}}
var Yf=2**20;function rc(e,t,n,s){let i=Math.max(0,e.present.cache_bytes-n),l=t.cache_bytes===e.present.cache_bytes?n:Math.round((t.cache_bytes-
i)/2**20)*2**20;return l<Yf?null:{flashBytes:l,hitRatio:t.hit_ratio,readMicros:Jf(t.hit_ratio,s)}}function Jf(e,t){let n=t?.latency_us;if(!n||
e===null)return null;let s=oc([n.read_hit_ram,n.read_hit_flash]),i=oc([n.read_miss]);return s===null||i===null?null:e*s+(1-e)*i}function oc(e){
let t=e.reduce((n,s)=>n+s.count,0);return t>0?e.reduce((n,s)=>n+s.count*s.mean,0)/t:null}function fr(e){let t=e.readMicros===null?"":`, read\
s ${Ge(e.readMicros)} on average`;return`${A(e.flashBytes)} of flash: ${we(e.hitRatio)} hits${t}`}var lc=230,Qf=1e4,Zf=[["present","Present size"],["half","Half of it"],["double","Twice as much"],["held","Held now"],["knee","More gains le\
ss above"],["largest","More gains nothing above"],["wanted","For 90 % hits"],["working_set","Used in 48 active hours"]],Hi=class{element;#n=c(
"div",{class:"curve-canvas",role:"img"});#t=c("p",{class:"hint",role:"status"});#l=c("span",{class:"chart-when"});#i=ks(Zf);#o=new ResizeObserver(
()=>this.#b());#a;#e=null;#s=null;#u=0;#r="";#c;#d=c("output",{class:"chosen","data-figure":"chosen"});#p=c("button",{type:"button",class:"p\
rimary",onclick:()=>this.#v()},"Use this size\u2026");#f=[];#h=!1;#m=null;#y;constructor(t){this.#y=t;let n=ct();this.#c=c("input",{id:n,type:"\
range",min:0,max:0,step:1,value:0,"aria-describedby":`${n}-chosen`}),this.#d.id=`${n}-chosen`,this.#c.addEventListener("input",()=>{this.#h=
!0,this.#g()}),this.element=c("section",{class:"card curve","aria-label":"Curve"},c("div",{class:"section-head"},c("h2",{},"With a cache of \
another size"),this.#l),c("p",{class:"hint"},"The share of reads that flash and RAM of this size would answer, predicted from samples of wha\
t guests lately did."),this.#n,c("div",{class:"slider"},c("label",{for:n},"Try a size"),this.#c,this.#d,this.#p),this.#t,this.#i.element),this.
element.hidden=!0,this.#o.observe(this.#n),this.#a=gi(()=>this.#x())}set(t,n,s){if(this.#m=n,this.#e=t!==null&&t.reads>0?t:null,Q(this.element,
this.#e!==null),!this.#e)return;this.#i.set(dr(this.#e)),G(this.#t,this.#e.reads<Qf?`Read ${me(this.#e.reads)} times only: this may be chanc\
e.`:""),this.#w(this.#e,n,s),this.#n.setAttribute("aria-label",`Hit ratio by the size of the cache; at the present size of ${dr(this.#e).present}`);
let i=JSON.stringify([this.#e.points,this.#e.present,this.#e.held]);i!==this.#r&&(this.#r=i,this.#n.dataset.points=String(this.#e.points.length),
this.#x(),this.#b())}leave(){this.#o.disconnect(),this.#a(),this.#s?.destroy(),this.#s=null}#w(t,n,s){let i=this.#f[Number(this.#c.value)]?.
flashBytes,r=n.limit_bytes??0,l=t.points.map(p=>rc(t,p,r,s)).filter(p=>p!==null);this.#f=l.filter((p,b)=>b===0||p.flashBytes!==l[b-1]?.flashBytes),
this.#c.max=String(Math.max(0,this.#f.length-1));let u=this.#h&&i!==void 0?i:r,f=this.#f.reduce((p,b,m)=>ac(b,u)<ac(this.#f[p],u)?m:p,0);this.#c.
value=String(f),this.#g()}#g(){let t=this.#f[Number(this.#c.value)],n=t?.flashBytes===this.#m?.limit_bytes;G(this.#d,t?`${fr(t)}${n?" (as it\
 is)":""}`:"No other size can be chosen"),this.#c.setAttribute("aria-valuetext",this.#d.textContent??""),this.#p.disabled=t===void 0||n}#v(){
let t=this.#f[Number(this.#c.value)],n=this.#m;if(!t||!n)return;let s=A(t.flashBytes),i=t.flashBytes<(n.limit_bytes??0);tt({title:`Let ${n.name}\
 have ${s} of flash at most?`,sentences:[`Predicted: ${fr(t)}.`,i?`What it holds above that is evicted; it holds ${A(n.statistics.flash_bytes)}\
 now.`:"It grows into it as guests read, if the pool has room that no other disk reserved.","Guests stay connected and go on meanwhile."],confirm:"\
Change",run:async()=>(await Me("PATCH",De(n.name),{settings:{limit:String(t.flashBytes)}}),this.#h=!1,this.#y(),`${n.name} may have ${s} of \
flash now`)})}#x(){this.#s?.destroy(),this.#s=null,this.#b()}#b(){let t=Math.floor(this.#n.clientWidth);t===0||!this.#e||(this.#s?t!==this.#u&&
this.#s.setSize({width:t,height:lc}):this.#_(t,this.#e),this.#u=t)}#_(t,{points:n}){let s={stroke:st("ink-soft"),font:`12px ${st("font")}`,ticks:{
show:!1},grid:{stroke:st("rule"),width:1}},i=st("flash"),r=n.map(u=>ur(u.cache_bytes)),l={width:t,height:lc,legend:{show:!1},cursor:{drag:{x:!1,
y:!1}},scales:{x:{time:!1,range:[r[0]??0,r.at(-1)??1]},y:{range:[0,1]}},axes:[{...s,grid:{show:!1},size:26,space:80,incrs:[1,2,4,8],values:(u,f)=>f.
map(p=>A(2**p))},{...s,size:62,space:36,values:(u,f)=>f.map(p=>`${Math.round(p*100)}%`)}],series:[{},{label:"Hit ratio",stroke:i,width:2,points:{
show:!1},fill:`${i}40`}],hooks:{draw:[u=>this.#k(u)],setCursor:[u=>this.#S(u.cursor.idx??null)]}};this.#s=new ze(l,[r,n.map(u=>u.hit_ratio)],
this.#n)}#k(t){if(!this.#e)return;let{ctx:n,bbox:s}=t,i=window.devicePixelRatio||1,r=[[this.#e.held,"held",st("limit"),[4,4]],[this.#e.present,
"present",st("ink"),[]]];n.save(),n.font=`${12*i}px ${st("font")}`;for(let[{cache_bytes:l},u,f,p]of r){let b=t.valToPos(ur(l),"x",!0);if(l<=
0||b<s.left||b>s.left+s.width)continue;n.strokeStyle=n.fillStyle=f,n.lineWidth=1.5*i,n.setLineDash(p.map(y=>y*i)),n.beginPath(),n.moveTo(b,s.
top),n.lineTo(b,s.top+s.height),n.stroke();let m=u==="held";n.textAlign=m?"right":"left",n.fillText(u,b+(m?-5:5)*i,s.top+12*i)}n.restore()}#S(t){
let n=t===null?void 0:this.#e?.points[t];G(this.#l,n?`${A(n.cache_bytes)}: ${we(n.hit_ratio)}`:"")}};function ac(e,t){return e===void 0?1/0:
Math.abs(Math.log(e.flashBytes/t))}var Xf=[["connections","Guests connected"]],eh={"vhost-user":"vhost-user",nbd:"NBD","nbd-tcp":"NBD over TCP"},Ii=class{element;#n=ks(Xf);#t=c(
"dl",{class:"facts doors"});#l=c("div",{class:"stack"});#i=c("select",{name:"client","aria-label":"Client"});#o=c("label",{class:"inline"},"\
For ",this.#i);#a;#e=[];#s=!1;constructor(t){this.#a=t,this.element=c("section",{class:"card connect","aria-label":"Connect"},c("h2",{},"How\
 guests connect"),this.#n.element,this.#t,this.#o,this.#l),this.#o.hidden=!0,this.#i.addEventListener("change",()=>this.#r())}update(t){this.#n.
set({connections:t.connections===null?"\u2013":String(t.connections)}),gt(this.#t,t.doors??[],n=>n.kind,th,(n,s)=>{fe(n,"dt",nh(s)),fe(n,"dd",
s.address)}),this.#s||(this.#s=!0,this.#u())}async#u(){let t=await Yt(`${De(this.#a)}/connect`,"connect").catch(()=>(this.#s=!1,null));this.#e=
t?.forms??[];let n=[...new Set(this.#e.map(s=>s.client))];this.#i.replaceChildren(...n.map(s=>c("option",{value:s},s))),Q(this.#o,n.length>0),
this.#r()}#r(){let t=this.#e.filter(n=>n.client===this.#i.value);gt(this.#l,t,n=>`${n.client} ${n.door}`,sh,(n,s)=>{fe(n,"h3",`${s.client}, \
over ${eh[s.door]??s.door}`),fe(n,".hint",s.note),fe(n,"code",s.lines.trimEnd())})}};function th(e){return c("div",{},c("dt",{}),c("dd",{"da\
ta-figure":`door-${e.kind}`}))}function nh(e){let t=e.address.startsWith("/")&&e.address.endsWith(".sock")?`${e.title} socket`:e.title;return(e.
connections??0)>0?`${t} (${e.connections} connected)`:t}function sh(){let e=c("code",{}),n=c("button",{type:"button",class:"quiet",onclick:()=>{
navigator.clipboard?.writeText(e.textContent??"").then(()=>Ps("Copied"))}},"Copy");return n.hidden=navigator.clipboard===void 0,c("div",{},c(
"div",{class:"section-head"},c("h3",{}),n),c("p",{class:"hint"}),c("pre",{},e))}function It(e,t,n=""){let s=ct();return t.id=s,c("div",{class:"field"},c("label",{for:s},e),t,n===""?null:c("p",{class:"hint"},n))}function Ks(e,t){
let n=c("input",{type:"checkbox",name:e});return{element:c("label",{class:"tick"},n,c("span",{},t)),input:n}}function cn(e,t={}){return c("i\
nput",{type:"text",name:e,spellcheck:"false",autocomplete:"off",autocapitalize:"off",...t})}function cc(...e){return c("details",{},c("summa\
ry",{},"More"),c("div",{class:"fields"},...e))}var ih=["mode","block-size","reserve","limit","ram","dirty-limit"];function uc(e){let t=cn("n\
ame",{required:!0,pattern:"[a-z0-9][a-z0-9._\\-]{0,62}",title:"Small letters, digits, dot, dash and underscore"}),n=cn("backing",{required:!0,
placeholder:"/srv/images/web1.raw"}),s=Os.filter(f=>ih.includes(f.name)).map(f=>{let p=f.choices?.map(m=>c("option",{value:m},m))??[],b=f.choices?
c("select",{name:f.name},c("option",{value:""},"default"),...p):cn(f.name,{placeholder:"default"});return{key:f,input:b}}),i=Ks("read_only",
"Read-only: nothing is ever written to the backing"),r=Ks("force_raw","Serve it as raw even if it looks like an image of another format"),[l,
...u]=s;tt({title:"Add a disk",sentences:["Forebay serves it from now on, also after a restart. Its content stays as it is, and it must not \
be open elsewhere."],confirm:"Add",fields:c("div",{class:"stack"},It("Name",t),It("Backing",n,"A raw file or a block device, or nbd://HOST/E\
XPORT, or nbd+unix:///EXPORT?socket=PATH."),l?It(l.key.name,l.input,l.key.about):null,cc(...u.map(({key:f,input:p})=>It(f.name,p,f.about)),i.
element,r.element)),run:async()=>{let f=s.map(({key:m,input:y})=>[m.name,y.value.trim()]).filter(([,m])=>m!==""),p={name:t.value.trim(),backing:n.
value.trim(),read_only:i.input.checked,force_raw:r.input.checked,settings:Object.fromEntries(f)},{disk:b}=await Me("POST","/v1/disks",p);return e(
b.name),`${b.name} is ${b.state}; its page says how guests connect to it`}})}function dc(e,t){let n=Ks("discard_dirty",`Give up what the bac\
king does not have: ${A(nt(e))} is lost for good`),s=Ks("force","Remove it although a guest uses it: that guest gets errors");tt({title:`Rem\
ove ${e.name}?`,sentences:Sl(e),confirm:"Remove",isDangerous:!0,fields:c("div",{class:"stack"},nt(e)>0?n.element:null,(e.connections??0)>0?s.
element:null),run:async()=>(await Me("DELETE",De(e.name),{discard_dirty:n.input.checked,force:s.input.checked}),t(),`${e.name} is served no \
more; its backing is complete as far as the dialog said`)})}function fc(e){let t=cn("qmp",{placeholder:"/run/web.qmp"}),n=cn("libvirt"),s=cn(
"device",{placeholder:"the only one"}),i=cn("name",{placeholder:"from the guest"});tt({title:"Attach a running guest",sentences:["The disk o\
f a running QEMU guest is moved behind Forebay, without a reboot and without a copy. The guest goes on meanwhile."],confirm:"Attach",fields:c(
"div",{class:"stack"},It("QEMU's monitor socket",t,"Made with -qmp unix:SOCKET,server=on,wait=off. Or give the guest's name in libvirt."),It(
"Guest of libvirt",n),It("Device",s,"The id of the guest's -device, or of its -drive, if it has several disks."),It("Name of the disk",i)),run:async()=>{
let r=[t,n,s,i].map(u=>[u.name,u.value.trim()]).filter(([,u])=>u!==""),{moved:l}=await Me("POST","/v1/vms",Object.fromEntries(r));return e(l),
`The running guest has its disk from Forebay now, as ${l}`}})}function hc(e,t){tt({title:`Give ${e.name} back to its guest?`,sentences:_l(e),
confirm:"Give back",run:async()=>(await Me("DELETE",`/v1/vms/${encodeURIComponent(e.name)}`),t(),`The running guest has ${e.name} back as it\
 was; Forebay no longer serves it`)})}function pc(e){let t=cn("path",{required:!0,placeholder:"/dev/disk/by-id/..."}),n=c("input",{type:"num\
ber",name:"size",min:1,step:1,placeholder:"whole device"}),s=cn("erase"),i=Ks("same_drive","It may be on the drive of another device: both c\
opies are lost with that drive");tt({title:"Add a device to the pool",sentences:["What is on it is overwritten. A device that holds anything\
 is refused, and the refusal says what it holds."],confirm:"Add",isDangerous:!0,fields:c("div",{class:"stack"},It("Path",t,"A block device u\
nder a name that stays, or a file; a file that is not there is made."),It("Size in GiB",n,"For files. A device is taken whole."),cc(It("Eras\
e",s,"The id of the old pool that a refusal named, if that may be erased."),i.element)),run:async()=>{let r={path:t.value.trim(),size_bytes:n.
value===""?null:Number(n.value)*1073741824,erase:s.value.trim()===""?null:s.value.trim(),same_drive:i.input.checked};return await Me("POST",
"/v1/pool/devices",r),e(),`${r.path} is a device of the pool`}})}function mc(e,t){let n=e.path??`device ${e.number}`;tt({title:`Take ${n} ou\
t of the pool?`,sentences:["Dirty data is written to the backings first. Then what the disks cached, also on the other devices, is dropped.",
"Guests go on from the backings, slower, until the cache is warm again."],confirm:"Take out",isDangerous:!0,run:async()=>(await Me("DELETE",
jr(e.number)),t(),`${n} is no device of the pool any more`)})}var oh={size:"Request size",latency:"Latency",seek:"Seek distance",outstanding:"Outstanding requests",interarrival:"Time between requests"},
gc={...vi,read:"Reads",write:"Writes",all:"All"};function rh(e,t){if(e.upto===null)return"more";switch(t){case"bytes":return e.upto%1024===0?
A(e.upto):me(e.upto);case"microseconds":return Ge(e.upto);default:return e.upto<0?`\u2212${me(-e.upto)}`:me(e.upto)}}function lh(e){let t=e.
map(([,u])=>u.length),n=u=>e.some(([,f])=>(f[u]?.count??0)>0),s=[...Array(Math.max(0,...t)).keys()],i=s.filter(n),[r,l]=[i[0],i.at(-1)];return r===
void 0||l===void 0?[0,0]:[Math.max(0,r-1),Math.min(s.length,l+2)]}function ah(e){let t=e.map(([,n])=>n.map(s=>s.upto).join());return t.every(
n=>n===t[0])}var Wi=class{element=c("section",{class:"histograms","aria-label":"Histograms"});#n=c("div",{class:"segmented",role:"group","ar\
ia-label":"What is counted"});#t=c("div",{class:"card histogram-tables"});#l=[];#i="size";#o="";constructor(){this.element.append(c("div",{class:"\
section-head"},c("h2",{},"Histograms"),this.#n),this.#t),this.element.hidden=!0}set(t){if(this.element.hidden=t===null||t.length===0,t===null||
t.length===0)return;this.#l=t,t.some(([s])=>s===this.#i)||(this.#i=t[0]?.[0]??"");let n=t.map(([s])=>s);this.#n.children.length!==n.length&&
this.#n.replaceChildren(...n.map(s=>this.#a(s))),this.#e()}#a(t){return c("button",{type:"button","data-what":t,onclick:()=>{this.#i=t,this.#e()}},
oh[t]??t)}#e(){for(let l of this.#n.children)l.setAttribute("aria-pressed",String(l.getAttribute("data-what")===this.#i));let t=this.#l.find(
([l])=>l===this.#i)?.[1];if(!t)return;let n=JSON.stringify([this.#i,t]);if(n===this.#o)return;this.#o=n;let{unit:s,kinds:i}=t,r=i.length<=2&&
ah(i)?[i]:i.map(l=>[l]);this.#t.replaceChildren(...r.map(l=>ch(s,l)))}};function ch(e,t){let[n,s]=lh(t),i=e==="bytes"||e==="microseconds"?"U\
p to":`Up to, ${e}`;if(n===s)return c("p",{class:"hint"},`${t.map(([f])=>gc[f]??f).join(", ")}: nothing was counted yet.`);let r=t.map(([,f])=>f.
reduce((p,b)=>p+b.count,0)),l=c("thead",{},c("tr",{},c("th",{scope:"col"},i),...t.map(([f],p)=>c("th",{scope:"col"},`${gc[f]??f}: ${me(r[p])}`)))),
u=[...Array(s-n).keys()].map(f=>{let p=n+f,b=t[0]?.[1][p];return c("tr",{},c("th",{scope:"row"},b?rh(b,e):""),...t.map(([,m],y)=>uh(m[p]?.count??
0,r[y]??0,y)))});return c("table",{class:"histogram"},l,c("tbody",{},...u))}function uh(e,t,n){let s=t>0?e/t:0,i=c("span",{class:`bar bar-${n%
6}`});i.style.width=`${(s*100).toFixed(2)}%`;let r=c("span",{class:"bar-text"});return G(r,e===0?"":`${me(e)} (${(s*100).toFixed(1)}%)`),c("\
td",{},c("div",{class:"bar-cell"},c("span",{class:"bar-track"},i),r))}var dh=[["mean","mean"],["median","p50"],["95 %","p95"],["99 %","p99"]];function fh(e,t){if(e===null||t===null||e<=0)return"";let n=(t-e)/e*
100;return Math.abs(n)<.05?"0.0%":`${n>0?"+":"\u2212"}${Math.abs(n).toFixed(1)}%`}function hh(e){let t=[],n=(s,i,r,l)=>{let[u,f]=[r(e.without),
r(e.with)];u===null&&f===null||t.push({key:s,name:i,without:l(u),with:l(f),change:fh(u,f)})};for(let s of["read","write"])for(let[i,r]of dh)
n(`${s}.${r}`,`${s==="read"?"Read":"Write"} latency, ${i}`,l=>l.latency_us[s]?.[r]??null,Ge);return n("iops","Requests a second, mean",s=>s.
iops,Ue),n("iops_busiest_minute","Requests a second, busiest minute",s=>s.iops_busiest_minute,Ue),n("backing_reads","Reads from the backing",
s=>s.backing_reads,me),n("backing_read_bytes","Bytes from the backing",s=>s.backing_read_bytes,A),n("backing_writes","Writes to the backing",
s=>s.backing_writes,me),n("backing_write_bytes","Bytes to the backing",s=>s.backing_write_bytes,A),t}function ph(e){let{times_faster:t,writes_times_faster:n}=e,
s=[];return t===null?s.push(e.with.reads===0?"Nothing was read with the cache yet, so there is nothing to compare with.":"No read went to th\
e backing yet, so there is nothing to compare with."):t>=1.05?s.push(`The mean read is ${t.toFixed(1)} times faster with the cache.`):s.push(
"The cache gains nothing for reads so far: most of what is read is read for the first time, or the backing is as fast."),n!==null&&n>=1.05&&
s.push(`The mean write is ${n.toFixed(1)} times faster.`),s}function mh(e){let{without:t}=e,n={measured:"measured while the disk was in pass\
-through",concluded:`concluded from the ${me(e.measured_backing_reads)} that went to the backing`,unknown:"not known"}[t.reads_are],s=t.writes_are===
"measured"?"measured in pass-through":"not known";return`Without the cache: reads are ${n}, writes are ${s}.`}function gh({warm_up:e}){let t=s=>((s??
0)*100).toFixed(1),n=(e.variation_max*100).toFixed(0);switch(e.state){case"warm":return`Warm after ${$t(e.seconds)}: the next three steps hi\
t ${we(e.hit_ratio)}, less than ${n} points apart.`;case"warming":return(e.variation??0)<e.variation_max?"Not warm yet: next to nothing hits\
.":`Not warm yet: the last three steps are ${t(e.variation)} points apart, and ${n} are too many.`;default:return`Whether it is warm is not \
known: that takes three steps with ${me(e.reads_min)} reads each.`}}function bh(e,t){let n=[e.without,e.with].map(p=>p.latency_us[t]?.classes??
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
n;let s=[t.without,t.with].some(m=>m.reads+m.writes>0);Q(this.#u,s),Q(this.#t,s);let i=wn(t.compared_since);G(this.#n,s?ph(t).join(" "):`Not\
hing was read since ${i}, nor written: there is nothing to report yet.`),G(this.#t,`Since ${i}: ${me(t.with.reads)} reads and ${me(t.with.writes)}\
 writes with the cache, ${me(t.without.reads)} and ${me(t.without.writes)} in pass-through. ${mh(t)}`),this.#o.replaceChildren(...hh(t).map(
yh));let{reads:r,read_hits_ram:l,read_hits_flash:u}=t.with,f=m=>we(r>0?m/r:null);G(this.#s,`Of reads with the cache, ${f(l+u)} were answered\
 by it: ${f(l)} from RAM, ${f(u)} from flash. Written to flash: ${A(t.flash_write_bytes)}.`),G(this.#l,gh(t));for(let m of this.#e.children)
m.setAttribute("aria-pressed",String(m.getAttribute("data-kind")===this.#r));let p=bh(t,this.#r);this.#a.replaceChildren(...p.length>0?p.map(
wh):[c("tr",{},c("td",{colspan:3},"Nothing was counted yet."))]);let b=t.without.reads_are==="measured"&&t.without.writes_are==="measured";Q(
this.#i,s&&!b),G(this.#i,`To have "without" measured, let the disk run in pass-through for ${me(t.requests_min)} reads and as many writes: s\
et mode below, and set it back.`)}};function yh(e){let t=n=>c("td",{"data-figure":`report.${e.key}.${n}`},e[n]);return c("tr",{},c("th",{scope:"\
row"},e.name),t("without"),t("with"),t("change"))}function wh(e){let t=(n,s)=>{let i=c("span",{class:`bar bar-${s}`});return i.style.width=`${((n??
0)*100).toFixed(2)}%`,c("td",{},c("div",{class:"bar-cell"},c("span",{class:"bar-track"},i),c("span",{class:"bar-text"},we(n))))};return c("t\
r",{},c("th",{scope:"row"},e.upto),t(e.without,1),t(e.with,0))}var Vi=class{element;#n=new Map;#t=c("div",{class:"fields"});#l=c("button",{type:"submit",class:"primary"},"Review changes\u2026");#i=c("but\
ton",{type:"reset"},"Undo");#o=c("span",{class:"hint","aria-live":"polite"});#a;#e;constructor(t,n){this.#a=t,this.#e=n;let s=c("form",{"ari\
a-label":"Settings"},this.#t,c("div",{class:"buttons buttons-start"},this.#l,this.#i,this.#o));s.addEventListener("input",()=>this.#r()),s.addEventListener(
"reset",i=>{i.preventDefault();for(let r of this.#n.values())r.input.value=r.now;this.#r()}),s.addEventListener("submit",i=>{i.preventDefault(),
this.#c()}),this.element=c("section",{class:"card","aria-label":"Settings"},c("h2",{},"Settings"),c("p",{class:"hint"},"As forebay disk set \
takes them. They are changed while guests go on."),s)}update(t){let n=Os.filter(i=>i.name in t),s=Object.keys(t).filter(i=>!Os.some(r=>r.name===
i));for(let i of[...n,...s.map(r=>({name:r,about:""}))]){let r=t[i.name]??"",l=this.#n.get(i.name)??this.#s(i,r),u=l.input.value!==l.now;l.now=
r,u||bc(l.input,r)}this.#r()}#s(t,n){let s=ct(),i=ct(),r={id:s,name:t.name,"aria-describedby":i},l=t.choices?c("select",r,...t.choices.map(p=>c(
"option",{value:p},p))):c("input",{...r,type:"text",spellcheck:"false",autocomplete:"off",autocapitalize:"off"}),u=c("div",{class:"field"},c(
"label",{for:s},t.name),l,c("p",{class:"hint",id:i},t.about)),f={key:t.name,now:n,input:l,element:u};return bc(l,n),this.#t.append(u),this.#n.
set(t.name,f),f}#u(){let t=[...this.#n.values()].filter(n=>n.input.value.trim()!==n.now);return Object.fromEntries(t.map(n=>[n.key,n.input.value.
trim()]))}#r(){let t=this.#u();for(let s of this.#n.values())s.element.classList.toggle("changed",s.key in t);let n=Object.keys(t).length;this.#l.
disabled=n===0,Q(this.#i,n>0),G(this.#o,n===0?"":n===1?"1 change, not sent yet":`${n} changes, not sent yet`)}#c(){let t=this.#a(),n=this.#u();
if(!t||Object.keys(n).length===0)return;let s=Object.entries(n).map(([i,r])=>c("li",{},c("code",{},i),`: ${this.#n.get(i)?.now??""} \u2192 ${r}`));
tt({title:`Change ${t.name}?`,sentences:ki(t,n),confirm:"Change",fields:c("ul",{class:"changes"},...s),run:async()=>{await Me("PATCH",De(t.name),
{settings:n,drop_cached:!0});for(let[i,r]of Object.entries(n)){let l=this.#n.get(i);l&&(l.now=r)}return this.#e(),`${t.name} now has ${Object.
entries(n).map(([i,r])=>`${i}=${r}`).join(" ")}`}})}};function bc(e,t){e instanceof HTMLSelectElement&&![...e.options].some(n=>n.value===t)&&
e.append(c("option",{value:t},t)),e.value!==t&&(e.value=t)}var vh=[["backing","Backing"],["size_bytes","Size"],["block_bytes","Block"],["reserve_bytes","Reserved flash"],["limit_bytes","Flash at most"],
["cached_bytes","Cached on flash"],["ram_bytes","Cached in RAM"],["load","From last time"],["mirrored","Dirty data"],["guest","Taken from"],
["page_cache","Page cache"],["delayed","Delayed by limits"],["errors","Errors"]];function yc(e,t,n){let s=null,i=()=>s,r=Qt(),l=c("span",{class:"\
mode"}),u=Gs(),f={hits:vt("Hit ratio","hit_ratio"),operations:vt("Requests","operations"),bytes:vt("Throughput","bytes"),latency:vt("Read la\
tency, mean","latency"),dirty:vt("Dirty","dirty_bytes"),saved:vt("Backing requests saved","saved")},p=new zi(n),b=new Wi,m=new Hi(t),y=new xi(
t),x=new Bi,S=c("p",{class:"card empty","data-figure":"no_curve"},"Sizes are predicted from what guests read. Nothing was read since the dis\
k was attached."),P=ks(vh.map(([M,H])=>[M,H])),O=new Vi(i,t),B=El(i,t),_=Gs(),z=new Ii(e),E=c("button",{type:"button",class:"danger","data-a\
ction":"remove",onclick:()=>s&&dc(s,t)},"Remove this disk\u2026"),U=c("button",{type:"button","data-action":"detach",onclick:()=>s&&hc(s,t)},
"Give it back to its guest\u2026"),L={overview:js("overview",c("div",{class:"tiles"},...Object.values(f).map(M=>M.element)),p.element,B.element),
sizing:js("sizing",y.element,m.element,S),requests:js("requests",x.element,b.element),connect:js("connect",z.element),settings:js("settings",
_.element,O.element,c("section",{class:"card","aria-label":"Facts"},c("h2",{},"About this disk"),P.element),c("section",{class:"card","aria-\
label":"Removal"},c("h2",{},"Removal"),c("p",{class:"hint"},"The disk is served no more; the content of its backing stays."),c("div",{class:"\
buttons buttons-start"},E,U)))},Z=Do.map(M=>[M,c("a",{href:Cn(e,M)},kh[M])]),q=c("nav",{class:"tabs","aria-label":`Parts of ${e}`},...Z.map(
([,M])=>M)),Y=c("div",{class:"stack"},u.element,q,...Object.values(L)),j=c("div",{class:"card empty"},c("h3",{},"No such disk"),c("p",{},"Fo\
rebay serves no disk of this name. It may have been removed: forebay disk list shows all.")),$=c("p",{class:"loading"},"Asking Forebay\u2026");
return{element:c("div",{class:"view"},c("p",{class:"crumb"},c("a",{href:"#/"},"\u2190 Host")),c("div",{class:"title"},c("h1",{},e),r,l),j,$,
Y),title:e,open(M){for(let[H,N]of Z)N.setAttribute("aria-current",H===M?"page":"false"),Q(L[H],H===M)},leave:()=>{p.leave(),m.leave()},update(M){
let H=M.disk;if(s=H==="missing"||H===null?null:H,Q(j,H==="missing"),Q($,H===null),Q(Y,s!==null),Q(r,s!==null),!s)return;let N=Cs(s);Zt(r,wi(
[rn(s.state),...N.map(ne=>ne.tone)]),s.state),G(l,s.read_only?`${s.mode}, read-only`:s.mode),u.set(N),xh(f,s,M),p.update(M,e,s.mode),b.set(M.
histograms),m.set(M.curve,s,M.windows.get(e)??s.statistics),y.set(M.advice,s),Q(S,m.element.hidden),z.update(s),Q(U,s.guest!==null),x.set(M.
report),P.set(Sh(s)),O.update(s.settings),_.set(pl(s)),B.update()}}}var kh={overview:"Overview",sizing:"Sizing",requests:"Requests",connect:"\
Connect",settings:"Settings"};function js(e,...t){return c("div",{class:"stack","data-tab":e},...t)}function xh(e,t,n){let s=n.windows.get(t.
name)??n.statistics.get(t.name),i=n.windows.has(t.name)?"last 5 minutes":"since attached",r=n.series.get(t.name)?.last,l=r?.rates??null,u=Ln(
l);e.hits.set(we(s?.hit_ratio),`of reads, ${i}`),e.operations.set(u===null?"\u2013":`${Ue(u)}/s`,l?`${Ue(l.reads)} reads, ${Ue(l.writes)} wr\
ites`:""),e.bytes.set(l?Ft(l.read_bytes+l.write_bytes):"\u2013",l?`${Ft(l.read_bytes)} read, ${Ft(l.write_bytes)} written`:""),e.latency.set(
Ge(r?.readMicros),r?.writeMicros==null?"no writes lately":`writes ${Ge(r.writeMicros)}`),e.dirty.set(A(t.dirty_bytes),_h(t)),e.saved.set(we(
s?fi(s):null),i)}function _h(e){let t=e.mode==="write-back"?`of at most ${A(e.dirty_limit_bytes)}`:null;if(nt(e)===0)return t??"the backing \
is complete";let n=e.statistics.destage_bytes_per_second??0;return on(t??`for ${$t(e.dirty_for_seconds)}`,Fs(e.dirty_zeroes_bytes),n>0?`${Ft(
n)} going home`:null)}function Sh(e){let{statistics:t}=e,n={backing:e.backing,size_bytes:A(e.size_bytes),block_bytes:A(e.block_bytes),reserve_bytes:A(
e.reserve_bytes),limit_bytes:A(e.limit_bytes),cached_bytes:A(t.cached_bytes),ram_bytes:A(t.ram_bytes),load:kl(e),mirrored:Th(e),delayed:xl(e),
errors:Eh(e)};return e.guest&&(n.guest=`QEMU at ${e.guest.qmp}, device ${e.guest.device}`),e.page_cache_reason&&(n.page_cache=`used, because\
 ${e.page_cache_reason}`),n}function Th(e){return e.mirrored===null?"\u2013":e.mirrored?on("on two devices",e.not_mirrored_reason??null):"on\
 one device"}function Eh(e){let{checksum_errors:t,flash_errors:n,backing_errors:s,backing_retries:i}=e.statistics;if(t===void 0)return"\u2013";
let l=[[t,"checksums"],[n,"flash"],[s,"backing"],[i,"backing, sent again"]].filter(([u])=>(u??0)>0).map(([u,f])=>`${u} ${f}`);return l.length===
0?"none":l.join(", ")}function wc(){let e=c("ol",{class:"events","aria-label":"Events, newest first"}),t=c("select",{name:"level"},c("option",{value:"info"},"All"),
c("option",{value:"warning"},"Warnings and errors"),c("option",{value:"error"},"Errors")),n=c("p",{class:"empty"},"Nothing happened that an \
operator must know."),s=c("p",{class:"empty"},"This Forebay keeps no list of events. Its log has them: journalctl --unit forebay"),i=()=>{};
t.addEventListener("change",()=>i());let r=c("label",{class:"inline"},"Show ",t),l=c("section",{class:"card"},r,e,n,s);return{element:c("div",
{class:"view"},c("h1",{},"Events"),l),title:"Events",leave(){},update(u){i=()=>{let f=["info","warning","error"],p=f.indexOf(t.value),b=(u.events??
[]).filter(m=>f.indexOf(m.level)>=p||!f.includes(m.level)).reverse();Q(s,u.events===null),Q(r,u.events!==null),Q(n,u.events!==null&&b.length===
0),gt(e,b,m=>`${m.id} ${m.time}`,$h,Mh)},i()}}}function $h(e){let t=e.disk?c("a",{href:Cn(e.disk),class:"event-disk"},e.disk):null;return c(
"li",{class:"event"},c("div",{class:"event-head"},Qt(),c("time",{datetime:e.time},wn(e.time)),t,c("span",{class:"event-kind"})),c("div",{class:"\
event-message"}),c("div",{class:"finding-advice"}))}function Mh(e,t){let n=e.querySelector(".badge");n&&Zt(n,yi[t.level]??"warning",t.level),
fe(e,".event-kind",t.kind),fe(e,".event-message",t.message),fe(e,".finding-advice",t.advice??"")}var Dh=Ls*1e3/Eo,Ah=30,kc=new WeakMap;function xc(e){let t=Gs(),n={hits:vt("Hit ratio","host.hit_ratio"),operations:vt("Requests","host.oper\
ations"),bytes:vt("Throughput","host.bytes"),dirty:vt("Dirty","host.dirty_bytes"),saved:vt("Backing requests saved","host.saved")},s=Fh(e),i=c(
"tbody",{}),l=c("table",{class:"disks"},c("thead",{},c("tr",{},...["Disk","State","Hit ratio","Requests/s","Read latency, mean","Dirty","Las\
t 5 min"].map(S=>c("th",{scope:"col"},S)))),i),u=Ch(),f=S=>{e(),window.location.hash=Cn(S,"connect")},p=c("button",{type:"button","data-acti\
on":"attach-guest",onclick:()=>fc(f)},"Attach a running guest\u2026"),b=c("button",{type:"button","data-action":"add-disk",onclick:()=>uc(f)},
"Add a disk\u2026"),m=c("section",{class:"card","aria-label":"Disks"},c("div",{class:"section-head"},c("h2",{},"Disks"),c("div",{class:"butt\
ons"},p,b)),l,u),y=c("div",{class:"tiles"},...Object.values(n).map(S=>S.element));return{element:c("div",{class:"view"},c("h1",{},"Host"),t.
element,y,m,s.element),title:"Host",leave(){},update(S){let P=S.disks??[],O=[...S.pool?ml(S.pool):[],...P.flatMap(Cs)];S.poolProblem&&O.unshift(
{tone:"bad",text:S.poolProblem,advice:null}),t.set(O),Ph(n,S),Q(y,P.length>0),Q(l,P.length>0),Q(u,P.length===0),gt(i,P,B=>B.name,Rh,(B,_)=>Lh(
B,_,S)),s.update(S)}}}function Ph(e,t){let n=[...t.statistics.values()],s=ll([...t.series.values()].map(m=>m.last?.rates??null)),i=n.map(m=>t.
windows.get(m.name)??m),r=t.windows.size>0?"last 5 minutes":"since attached",l=To(i);e.hits.set(we(al(l)),`of reads, ${r}`);let u=Ln(s);e.operations.
set(u===null?"\u2013":`${Ue(u)}/s`,s?`${Ue(s.reads)} reads, ${Ue(s.writes)} writes`:""),e.bytes.set(s?Ft(s.read_bytes+s.write_bytes):"\u2013",
s?`${Ft(s.read_bytes)} read, ${Ft(s.write_bytes)} written`:"");let f=n.reduce((m,y)=>m+(y.dirty_bytes??0),0),p=n.reduce((m,y)=>m+(y.dirty_zeroes_bytes??
0),0),b=n.reduce((m,y)=>m+(y.mode==="write-back"?y.dirty_limit_bytes??0:0),0);e.dirty.set(A(f),on(b>0?`of at most ${A(b)}`:"no disk is in wr\
ite-back",Fs(p))),e.saved.set(we(fi(l)),r)}function Rh(e){let t=nc(`Hit ratio of ${e.name}`),n=(l,...u)=>c("td",{"data-heading":l},...u),s=l=>c(
"div",{"data-figure":`${e.name}.${l}`}),i=l=>c("div",{class:`sub ${l}`}),r=c("tr",{},c("th",{scope:"row"},c("a",{href:Cn(e.name)},e.name),i(
"backing")),n("State",Qt(),i("mode")),n("Hit ratio",s("hit_ratio"),i("split")),n("Requests/s",s("operations"),i("kinds")),n("Read latency, m\
ean",s("latency"),i("writes")),n("Dirty",s("dirty_bytes"),i("limit")),c("td",{class:"spark-cell"},t.element));return kc.set(r,t),r}function Lh(e,t,n){
let s=n.statistics.get(t.name),i=n.windows.get(t.name)??s,r=n.series.get(t.name),l=r?.last,u=Cs(t),f=e.querySelector(".badge"),p=wi([rn(t.state),
...u.map(x=>x.tone)]);f&&Zt(f,p,t.state==="serving"&&p!=="good"?"serving, look":t.state);let b=(x,S)=>fe(e,`[data-figure$=".${x}"]`,S);fe(e,
".backing",t.size_bytes===null?vo(t.backing,34):`${A(t.size_bytes)} at ${vo(t.backing,34)}`),fe(e,".mode",t.read_only?`${t.mode}, read-only`:
t.mode),b("hit_ratio",we(i?.hit_ratio));let m=i?.reads??0;fe(e,".split",m>0?`RAM ${we((i?.read_hits_ram??0)/m)}, flash ${we((i?.read_hits_flash??
0)/m)}`:"no reads yet"),b("operations",Ue(Ln(l?.rates??null))),fe(e,".kinds",l?.rates?`${Ue(l.rates.reads)} r, ${Ue(l.rates.writes)} w`:""),
b("latency",l?.readMicros==null?"\u2013":Ge(l.readMicros)),fe(e,".writes",l?.writeMicros==null?"":`writes ${Ge(l.writeMicros)}`),b("dirty_by\
tes",A(t.dirty_bytes)),fe(e,".limit",on(t.mode==="write-back"&&t.dirty_limit_bytes?`of ${A(t.dirty_limit_bytes)}`:null,Fs(t.dirty_zeroes_bytes)));
let y=(r?.points??[]).map(x=>x.hitRam===null||x.hitFlash===null?null:x.hitRam+x.hitFlash);kc.get(e)?.set(y,Math.max(Ah,Math.min(Dh,y.length)))}
function Ch(){return c("div",{class:"empty"},c("h3",{},"No disks yet"),c("p",{},"Nothing is cached until Forebay serves a disk. The button a\
bove adds one, and so does this on the host; nothing in the file changes:"),c("pre",{},c("code",{},"forebay disk add web1 --backing /srv/ima\
ges/web1.raw")),c("p",{},"A running QEMU guest's disk is moved behind Forebay without a reboot:"),c("pre",{},c("code",{},"forebay vm attach \
--qmp /run/web.qmp --device vda")),c("p",{class:"hint"},"It appears here by itself."))}function Fh(e){let t=Qt(),n=c("span",{class:"meter-us\
ed"}),s=c("div",{class:"meter",role:"img"},n),i=c("p",{class:"meter-words","data-figure":"pool.used"}),r=c("p",{class:"meter-words","data-fi\
gure":"host.ram"}),l=vc("pool.ram"),u=vc("pool.flash"),f=c("tbody",{}),p=["Device","State","Size","Free","Wear","Remarks",""],b=c("button",{
type:"button","data-action":"add-device",onclick:()=>pc(e)},"Add a device\u2026"),m=c("table",{class:"devices"},c("thead",{},c("tr",{},...p.
map(x=>c("th",{scope:"col"},x)))),f),y=c("section",{class:"card","aria-label":"Pool"},c("div",{class:"section-head"},c("h2",{},"Flash and RA\
M"),t,b),s,i,u.element,r,l.element,m);return{element:y,update({pool:x,statistics:S}){if(Q(y,x!==null),!x)return;Zt(t,rn(x.state),x.state);let[
P,O,B]=[x.segments??0,x.segments_free??0,x.segment_bytes??0],_=(P-O)*B,z=O*B;n.style.width=`${P>0?(100*(P-O)/P).toFixed(2):0}%`;let E=x.segments===
null?`Disks are served without the pool: ${x.reason??"see the log"}`:`Pool of ${A(x.size_bytes)}: ${A(_)} in use, ${A(z)} free; ${A(x.reserved_bytes)}\
 reserved by disks`;s.setAttribute("aria-label",E),G(i,E);let U=[...S.values()],L=U.reduce((q,Y)=>q+(Y.ram_bytes??0),0),Z=U.reduce((q,Y)=>q+
(Y.index_bytes??0),0);G(r,`RAM: ${A(L)} of content in front of the flash, ${A(Z)} for the index of what is on it`),u.set(wl(x.flash)),l.set(
yl(x.ram)),gt(f,x.devices,q=>String(q.number),q=>Oh(q,e),(q,Y)=>Nh(q,Y,x))}}}function vc(e){let t=c("ul",{class:"hint","data-figure":e});return{
element:t,set(n){Q(t,n.length>0),gt(t,n,s=>s,s=>c("li",{},s),()=>{})}}}function Oh(e,t){let n=(s,i,r="")=>c("td",{"data-heading":s,class:r},
i);return c("tr",{},c("th",{scope:"row",class:"path"}),n("State",Qt()),n("Size",null,"size"),n("Free",null,"free"),n("Wear",null,"wear"),n("\
Remarks",null,"remarks"),c("td",{},c("button",{type:"button",class:"quiet",onclick:()=>mc(e,t)},"Take out\u2026")))}function Nh(e,t,n){fe(e,
".path",t.path??`device ${t.number}`);let s=e.querySelector(".badge");s&&Zt(s,rn(t.state),t.state),fe(e,".size",A(t.size_bytes)),fe(e,".free",
`${A(t.segments_free*(n.segment_bytes??0))}`);let i=[gl(t.wear),bl(t.budget)].filter(f=>f!=="");fe(e,".wear",i.join("; ")||"\u2013");let r=t.
shrinking&&`becomes smaller, to ${A(t.shrinking.size_bytes)}: ${me(t.shrinking.segments_left)} segments left`,l=t.kept_size_reason&&`kept it\
s size: ${t.kept_size_reason}`,u=[r,l,t.discards?"discards":null,t.page_cache_reason?`page cache: ${t.page_cache_reason}`:null];fe(e,".remar\
ks",u.filter(f=>f!==null).join("; ")||`${me(t.segments)} segments`)}var xs=c("main",{id:"main",tabindex:-1}),Us=c("p",{class:"loading"},"Asking Forebay\u2026"),_c=c("span"),Sc=c("button",{type:"button",onclick:yo},
"Sign in\u2026"),Tc=c("div",{class:"banner",role:"alert",hidden:!0},_c," ",Sc),pr=c("span",{class:"pulse"}),Ys={host:c("a",{href:"#/"},"Host"),
events:c("a",{href:"#/events"},"Events")},Ec=c("button",{type:"button",class:"quiet",onclick:Bh}),$c=c("span",{class:"host-name","data-figur\
e":"host"}),Mc=c("footer",{},c("span",{"data-figure":"version"}),c("a",{href:"/openapi.json"},"Interface for programs"),c("a",{href:"/metric\
s"},"Metrics")),Dc=c("button",{type:"button",class:"quiet",onclick:yo}),dn=new hi(Rc),un=null,hr=null;function zh(){let e=c("a",{class:"skip",
href:"#main"},"To the content");e.addEventListener("click",s=>{s.preventDefault(),xs.focus()});let t=c("a",{href:"#/",class:"brand"},c("img",
{src:"/assets/icon.svg",alt:"",width:24,height:24}),"Forebay"),n=c("header",{},t,$c,c("nav",{"aria-label":"Views"},Ys.host,Ys.events),c("div",
{class:"header-end"},pr,Ec,Dc));document.body.append(e,n,Tc,xs,Mc,Qr()),xs.append(Us)}function Ac(){let e=hl(window.location.hash);if(!(un!==
null&&hr!==null&&e.disk!==null&&e.disk===hr.disk)){un?.leave();let{disk:n}=e;un=n!==null?yc(n,()=>{dn.look()},s=>dn.show(s)):e.view==="event\
s"?wc():xc(()=>{dn.look()}),xs.replaceChildren(un.element),window.scrollTo(0,0)}hr=e,un?.open?.(e.tab),Pc(),Ys.host.setAttribute("aria-curre\
nt",e.view==="host"?"page":"false"),Ys.events.setAttribute("aria-current",e.view==="events"?"page":"false"),dn.watch(e.disk),Rc()}function Pc(){
let e=dn.known.host?` on ${dn.known.host.name}`:"",t=`${un?.title??""} \u2013 Forebay${e}`;document.title!==t&&(document.title=t)}function Rc(){
let{known:e}=dn;if(Hh(e),Ih(e),!un)return;let t=e.disks!==null;Q(un.element,t),Q(Ys.events,!t||e.events!==null),t?(un.update(e),Us.remove()):
Us.isConnected||xs.append(Us)}function Hh({away:e,answeredAt:t}){xs.classList.toggle("stale",e!==null),Q(Tc,e!==null),G(_c,e?Wh(e,t):""),Q(Sc,
e?.status===401),G(Us,e?"Waiting for Forebay\u2026":"Asking Forebay\u2026"),pr.classList.toggle("pulse-away",e!==null),G(pr,e?"No answer":t===
null?"Connecting":"Live")}function Ih({host:e}){if(!e)return;Xr(e.token_path),G($c,e.name);let t=Mc.firstElementChild;t&&G(t,`Forebay ${e.version}\
 on ${e.name}`),Pc(),!e.may_change&&Ut.get()!==null&&Ut.clear(),qi()}function Wh({status:e,reason:t,since:n},s){let i=s===null?"":` What is \
shown is from ${yn(s)}.`;return e===401?`Seen from here, this host shows its figures to those only who have its token.${i}`:e>0?`${t}.${i}`:
`${t} since ${yn(n)}.${i} On the host, systemctl status forebay says whether it runs. This page goes on by itself.`}function Bh(){dl(),qi()}
function qi(){G(Ec,{auto:"Theme: system",light:"Theme: light",dark:"Theme: dark"}[mi()]),G(Dc,Ut.get()===null?"Sign in":"Signed in")}fl();zh();
qi();document.addEventListener("forebay-token",()=>{qi(),dn.lookAtHost()});window.addEventListener("hashchange",Ac);Ac();dn.look();})();
