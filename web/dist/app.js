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
t&&(e.textContent=t)}function J(e,t){e.hidden===t&&(e.hidden=!t)}function lu(e){let t=new Set;return e.map(n=>{let s=n;for(let i=1;t.has(s);i+=
1)s=`${n} (${i})`;return t.add(s),s})}function gt(e,t,n,s,i){let r=new Map([...e.children].map(p=>[p.getAttribute("data-item")??"",p])),l=lu(
t.map(n)),u=new Set(l);for(let[p,y]of r)u.has(p)||y.remove();let f=e.firstElementChild;t.forEach((p,y)=>{let m=l[y]??"",b=r.get(m)??s(p);r.delete(
m),b.setAttribute("data-item",m),i(b,p),b===f?f=b.nextElementSibling:e.insertBefore(b,f)})}var Yr=0;function ct(){return Yr+=1,`e${Yr}`}var ls=null;function Qr(){return ls=c("div",{class:"status",role:"status","aria-live":"polite"}),ls}var Jr=0,au=8e3;function Ps(e){ls&&(G(ls,
e),ls.classList.add("status-shown"),window.clearTimeout(Jr),Jr=window.setTimeout(()=>ls?.classList.remove("status-shown"),au))}function Zr(e){
e.addEventListener("close",()=>e.remove()),document.body.append(e),e.showModal()}function tt(e){let t=ct(),n=c("button",{type:"button"},"Can\
cel"),s=c("button",{type:"submit",class:e.isDangerous?"danger":"primary"},e.confirm),i=c("p",{class:"dialog-said","aria-live":"assertive"}),
r=cu(),l=c("form",{},c("h2",{id:t},e.title),...e.sentences.map(p=>c("p",{},p)),e.fields??null,r.element,i,c("div",{class:"buttons"},n,s)),u=c(
"dialog",{"aria-labelledby":t},l),f=new AbortController;n.addEventListener("click",()=>u.close()),u.addEventListener("close",()=>f.abort()),
l.addEventListener("submit",p=>{p.preventDefault(),s.disabled=!0,i.className="dialog-said",G(i,"Working\u2026"),r.take().then(()=>e.run(y=>G(
i,y),f.signal)).then(y=>{Ps(y),u.close()}).catch(y=>{let m=y instanceof Error?y.message:String(y);if(!u.open)return Ps(m);s.disabled=!1,i.className=
"dialog-said dialog-failed",G(i,m),y instanceof mt&&y.wantsToken&&r.ask()})}),Zr(u)}function cu(){let e=ct(),t=c("input",{id:e,type:"passwor\
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
new Event("forebay-token")),Ps(m),f.close()},y=m=>{l.className="dialog-said dialog-failed",G(l,m),r.disabled=!1,n.select()};i.addEventListener(
"click",()=>f.close()),s.addEventListener("click",()=>{Ut.clear(),p("Signed out; on the host itself reading goes on")}),u.addEventListener("\
submit",m=>{m.preventDefault(),r.disabled=!0,go(n.value).then(b=>{b?p("Signed in until this tab is closed"):y(`This is not the token of this\
 host${Rs===null?"":`, which is in ${Rs}`}.`)}).catch(b=>y(b instanceof Error?b.message:String(b)))}),Zr(f)}var uu=[["TiB",1099511627776],["GiB",1073741824],["MiB",1048576],["KiB",1024],["",1]];function sn(e){return typeof e=="number"&&Number.isFinite(
e)}function C(e){if(!sn(e))return"\u2013";let t=Math.round(e),[n,s]=uu.find(([,i])=>t>=i)??["",1];return t%s===0?`${t/s}${n}`:`${(Math.floor(
(t*10+s/2)/s)/10).toFixed(1)}${n}`}var du=[["PB",1e15],["TB",1e12],["GB",1e9],["MB",1e6],["kB",1e3],[" bytes",1]];function li(e){if(!sn(e))return"\
\u2013";let t=Math.round(e),[n,s]=du.find(([,i])=>t>=i)??[" bytes",1];return t%s===0?`${t/s}${n}`:`${(t/s).toFixed(1)}${n}`}function Ct(e){return sn(
e)?`${C(e)}/s`:"\u2013"}function we(e){return sn(e)?`${(e*100).toFixed(1)}%`:"\u2013"}function me(e){return sn(e)?Math.round(e).toString().replace(
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
min(Math.max(e,t),n);return i-s>=fu?{seconds:i-s,end:i}:null}var fu=10;function il(e,t){let n=t-e.now,s=[],i=null;return e.time.forEach((r,l)=>{
let u=r-(e.seconds[l]??0),f=hu(e,l,r+n),p=i!==null&&u-i>e.step_seconds;p&&s.push(pu((i??0)+n)),(p||i===null)&&u<r&&s.push({...f,at:u+n}),s.push(
f),i=r}),{span:e.span,end:t,points:s}}function hu(e,t,n){let s=e.seconds[t]??0,i=u=>u?.[t]??null,r=i(e.reads)??0,l=u=>r>0&&u!==null?u/r:null;
return{at:n,rates:s>0?Object.fromEntries(cs.map(u=>[u,(i(e[u])??0)/s])):null,hitRam:l(i(e.read_hits_ram)),hitFlash:l(i(e.read_hits_flash)),readMicros:i(
e.read_latency_us),writeMicros:i(e.write_latency_us),dirtyBytes:i(e.span==="5m"?e.dirty_bytes:e.dirty_bytes_max),dirtyLimitBytes:i(e.dirty_limit_bytes),
latency:null,readSpread:[i(e.read_p50_us),i(e.read_p95_us),i(e.read_p99_us)],writeSpread:[i(e.write_p50_us),i(e.write_p95_us),i(e.write_p99_us)]}}
function pu(e){return{at:e,rates:null,hitRam:null,hitFlash:null,readMicros:null,writeMicros:null,dirtyBytes:null,dirtyLimitBytes:null,latency:null,
readSpread:null,writeSpread:null}}var Ls=300,mu=10,gu=1,bu=1e3;function So(e,t){return cs.every(n=>{let[s,i]=[e[n],t[n]];return s!==void 0&&i!==void 0&&i>=s})}function ol(e,t){
let n=t.at-e.at;if(n<=0||!So(e.statistics,t.statistics))return null;let s=cs.map(i=>[i,yu(e,t,i)/n]);return Object.fromEntries(s)}function yu(e,t,n){
return(t.statistics[n]??0)-(e.statistics[n]??0)}var wu=["read_hit_ram","read_hit_flash","read_miss"];function rl(e,t,n){let s=({statistics:l},u)=>n.
reduce((f,p)=>f+(l.latency_us?u(l.latency_us[p]):0),0),i=l=>s(t,l)-s(e,l),r=i(l=>l.count);return r>0?Math.max(0,i(l=>l.count*l.mean))/r:null}
function fi(e){if(e===null)return null;let t=(e.reads??0)+(e.writes??0);return t>0?1-((e.backing_reads??0)+(e.backing_writes??0))/t:null}function Rn(e){
return e===null?null:e.reads+e.writes}function ll(e){let t=e.filter(n=>n!==null);return t.length===0?null:To(t)}function al(e){let{reads:t=0,
read_hits_ram:n=0,read_hits_flash:s=0}=e;return t>0?(n+s)/t:null}function To(e){return Object.fromEntries(cs.map(t=>[t,e.reduce((n,s)=>n+(s[t]??
0),0)]))}var di=class{#n=[];#t=[];get points(){return this.#t}get last(){return this.#t.at(-1)}add(t,n,s){let i={at:t,statistics:n};t<(this.#t.
at(-1)?.at??t)&&([this.#n,this.#t]=[[],[]]);let r=this.#n.at(-1);r&&t-r.at<gu&&So(r.statistics,n)||(r&&!So(r.statistics,n)&&(this.#n=[]),this.#t.
push(this.#l(i,s??n)),this.#n.push(i),this.#n=_o(this.#n,t),this.#t=_o(this.#t,t))}fill(t){let n=this.#t[0],s=t.filter(u=>n===void 0||u.at<n.
at),[i,r]=[t.at(-1),n??t.at(-1)];if(r===void 0||i===void 0)return;let l=n?.rates===null?[{...i,...vu(n)},...this.#t.slice(1)]:this.#t;this.#t=
_o([...s,...l],this.#t.at(-1)?.at??r.at)}#l(t,n){let{at:s,statistics:i}=t,r=this.#n.at(-1),l=this.#n.find(p=>s-p.at<=mu)??r,u=l?ol(l,t):null,
f=p=>u&&u.reads>0?p/u.reads:null;return{at:s,rates:r?ol(r,t):null,hitRam:u&&f(u.read_hits_ram),hitFlash:u&&f(u.read_hits_flash),readMicros:u&&
l?rl(l,t,wu):null,writeMicros:u&&l?rl(l,t,["write"]):null,dirtyBytes:i.dirty_bytes??null,dirtyLimitBytes:i.dirty_limit_bytes??null,latency:n.
latency_us??null,readSpread:null,writeSpread:null}}};function nt(e){return(e.dirty_bytes??0)+(e.dirty_zeroes_bytes??0)}function vu(e){return Object.
fromEntries(Object.entries(e).filter(([,t])=>t!==null))}function _o(e,t){return e.filter(n=>t-n.at<=Ls).slice(-bu)}var Eo=2e3,ku=3,xu=15,_u=15,Su=500,hi=class{known={disks:null,statistics:new Map,windows:new Map,pool:null,poolProblem:null,series:new Map,events:null,
disk:null,histograms:null,curve:null,advice:null,report:null,period:ko,past:null,host:null,ahead:0,answeredAt:null,away:null};#n=null;#t;#l=0;#i=0;#o=0;#a=0;#e=!1;#s=0;constructor(t){
this.#t=t}watch(t){t!==this.#n&&(this.#n=t,this.known.disk=null,this.known.histograms=null,this.known.curve=null,this.known.advice=null,this.
known.report=null,this.known.period=ko,this.known.past=null,this.#e=!1,this.#i=0,this.look())}show(t){let n=wn(t)!==wn(this.known.period);this.
known.period=t,n&&(this.known.past=null,this.#o=0,this.look()),this.#t()}lookAtHost(){this.#a=0,this.known.host&&(this.known.host={...this.known.
host,may_change:!0}),this.look()}async look(){window.clearTimeout(this.#l);let t=++this.#s;try{await this.#u(t)}catch(n){t===this.#s&&this.#h(
n)}t===this.#s&&(this.#t(),this.#l=window.setTimeout(()=>{this.look()},Eo))}async#u(t){let n=this.#n,s=this.known.events?.at(-1)?.id??0,[i,r,
l,u,f,p,y]=await Promise.all([nn("/v1/disks","disks"),nn("/v1/stats","disks"),nn("/v1/stats?window=5m","disks"),this.#r(),Yt(`/v1/events?aft\
er=${s}`,"events"),n===null?null:Gr(De(n),"disk"),this.#a++%_u===0?Yt("/v1/host","host"):this.known.host]),m=Date.now(),[b,$,_,P]=n!==null&&
p!==null&&this.#i%ku===0?await Promise.all([Yt(`${De(n)}/histograms`,"histograms"),Yt(`${De(n)}/curve`,"curve"),Yt(`${De(n)}/advice`,"advice"),
Yt(`${De(n)}/report`,"report")]):[void 0,void 0,void 0,void 0],O=n!==null&&p!==null?await this.#d(n):null;t===this.#s&&(this.#i+=1,this.#o+=
1,this.#e||=p!==null&&wn(this.known.period)==="5m",Object.assign(this.known,{disks:i,...u,host:y,answeredAt:m,away:null}),this.#c(m/1e3,r,l),
this.#f(f),n!==null&&(this.known.disk=p??"missing"),O!==null&&this.#p(O,m/1e3),$!==void 0&&(this.known.curve=$),_!==void 0&&(this.known.advice=
_?.[0]??null),P!==void 0&&(this.known.report=P),b!==void 0&&(this.known.histograms=b===null?null:sl(b)))}async#r(){try{return{pool:await nn(
"/v1/pool","pool"),poolProblem:null}}catch(t){if(!(t instanceof mt)||t.status===0)throw t;return{pool:null,poolProblem:t.message}}}#c(t,n,s){
let i=r=>new Map(r.map(l=>[l.name,l]));this.known.statistics=i(n),this.known.windows=i(s.filter(r=>r.window==="5m"));for(let r of this.known.
series.keys())this.known.statistics.has(r)||this.known.series.delete(r);for(let r of n){let l=this.known.series.get(r.name)??new di;this.known.
series.set(r.name,l),l.add(t,r,this.known.windows.get(r.name))}}#d(t){let n=wn(this.known.period);return(n==="5m"?!this.#e:this.known.past===
null||this.#o%xu===0)?Yt(Ur(t,n),"history"):null}#p(t,n){let s=il(t,n);this.known.ahead=n-t.now,s.span==="5m"?this.known.series.get(t.name)?.
fill(s.points):this.known.past=s}#f(t){t!==null&&(this.known.events=Tu(this.known.events??[],t))}#h(t){let n=t instanceof Error?t.message:String(
t);this.#a=0;let s=t instanceof mt?t.status:0;this.known.away={since:this.known.away?.since??Date.now(),reason:n,status:s}}};function Tu(e,t){
let[n,s]=[e.at(-1),t[0]];return[...n===void 0||s===void 0||s.id>n.id?e:[],...t].slice(-Su)}var cl="forebay-theme",pi=["auto","light","dark"],ul=window.matchMedia("(prefers-color-scheme: dark)"),$o=new Set;function mi(){let e=localStorage.
getItem(cl);return pi.find(t=>t===e)??"auto"}function dl(){let e=pi[(pi.indexOf(mi())+1)%pi.length]??"auto";localStorage.setItem(cl,e),Mo()}
function gi(e){return $o.add(e),()=>$o.delete(e)}function fl(){ul.addEventListener("change",Mo),Mo()}function Mo(){let e=mi(),t=ul.matches?"\
dark":"light";document.documentElement.dataset.theme=e==="auto"?t:e;for(let n of $o)n()}function st(e){return getComputedStyle(document.documentElement).
getPropertyValue(`--${e}`).trim()}var Do=["overview","sizing","requests","connect","settings"];function Ln(e,t="overview"){let n=`#/disk/${encodeURIComponent(e)}`;return t===
"overview"?n:`${n}/${t}`}function hl(e){let[,t="",n="",s=""]=e.replace(/^#/,"").split("/"),i=Do.find(r=>r===s)??"overview";return t==="disk"&&
n!==""?{view:"disk",disk:Eu(n),tab:i}:{view:t==="events"?"events":"host",disk:null,tab:i}}function Eu(e){try{return decodeURIComponent(e)}catch{
return e}}var Ao={good:"\u2713",busy:"\u2026",warning:"!",bad:"\u2715"},yi={info:"good",warning:"warning",error:"bad"},$u={serving:"good",attaching:"b\
usy",detaching:"busy",removing:"busy",waiting:"warning",stopped:"bad",failed:"bad",missing:"bad",used:"good",leaving:"busy"};function rn(e){
return $u[e]??"warning"}var Mu={waiting:"It is served by itself as soon as it can be; put right what the reason names.",stopped:"It answers \
nothing but errors, so that no guest sees old data. See what it lost, and the log of the daemon.",failed:"It answers errors. Put right what \
the reason names, then restart Forebay."},bi=["good","busy","warning","bad"];function wi(e){return bi[Math.max(0,...e.map(t=>bi.indexOf(t)))]??
"good"}function Cs(e){let t=[],n=(u,f,p=null)=>t.push({tone:u,text:f,advice:p});if(rn(e.state)!=="good"){let u=e.reason?`: ${e.reason}`:"";n(
rn(e.state),`Disk ${e.name} is ${e.state}${u}`,Mu[e.state]??null)}let s=e.lost_bytes??0;s>0&&n("bad",`Flash lost ${C(s)} of ${e.name} before\
 its backing had it`,`forebay disk show ${e.name} --lost lists the ranges.`);let i=e.backing_state;i&&i.state!=="good"&&n("bad",Au(e.name,i),
Du[i.state]??null),e.quiesce?.state==="failed"&&n("warning",`${e.name} could not be quiesced: ${e.quiesce.reason??"no reason is known"}`,null);
let r=e.segments_uncopied??0;e.mirrored===!0&&r>0&&n("warning",`${me(r)} segments of ${e.name} lack a second copy`,"They are being copied; u\
ntil then one device has that data alone.");let l=e.dirty_bytes??0;return e.dirty_limit_bytes&&l>=e.dirty_limit_bytes*.9&&n("warning",`Desta\
ge of ${e.name} is behind: ${C(l)} of at most ${C(e.dirty_limit_bytes)} is dirty`,"Writes are slowed down to what the backing takes."),t.sort(
(u,f)=>bi.indexOf(f.tone)-bi.indexOf(u.tone))}var Du={failing:"Hits are answered; the rest waits for retry-time.",replaced:"Guests continue \
with the one that was opened. Put it back under its path, or copy it through the disk's NBD socket, before Forebay stops.",missing:"Guests c\
ontinue with the one that was opened. Put it back under its path, or copy it through the disk's NBD socket, before Forebay stops."};function Au(e,t){
let n=t.for_seconds===null?"":` for ${Ft(t.for_seconds)}`,s=t.reason?`: ${t.reason}`:"";return t.state==="replaced"?`Another file or device \
is at the path of ${e}'s backing${s}`:t.state==="missing"?`Nothing is at the path of ${e}'s backing any more${s}`:`The backing of ${e} fails${n}${s}`}
var Pu=["flush","persistence","direct-io"];function pl(e){let t=(e.backing_limitations??[]).map(r=>({tone:"warning",text:r,advice:null})),s=(e.
backing_capabilities??[]).filter(({name:r,able:l})=>!l&&!Pu.includes(r)).map(({title:r,reason:l})=>({tone:"busy",text:`The backing is withou\
t ${r}: ${l??"no reason is known"}`,advice:null})),i=(e.remarks??[]).map(({key:r,text:l})=>({tone:"busy",text:`${r}: ${l}`,advice:null}));return[
...t,...s,...i]}function ml(e){let t=e.warnings.map(n=>({tone:"warning",text:n,advice:null}));return rn(e.state)!=="good"&&t.unshift({tone:"\
bad",text:`The pool is ${e.state}${e.reason?`: ${e.reason}`:""}`,advice:"Disks go on from their backings; what is dirty waits for the pool."}),
e.page_cache_reason&&t.push({tone:"warning",text:`The pool goes through the page cache, because ${e.page_cache_reason}`,advice:null}),t}function gl(e){
if(e===null)return"";let t=e.used_percent===null?null:`${we(e.used_percent/100)} of its life used`,n=e.days_left===null?null:`${me(e.days_left)}\
 days left`,s=e.rated_bytes===null?"":`, rated for ${li(e.rated_bytes)}`;return on(t,n,`${li(e.written_bytes)} written${s}`)}function bl(e){
if(e===null)return"";let t=`${li(e.bytes_per_day)} a day`,n=e.used_ratio===null?`at most ${t}`:`${we(e.used_ratio)} of ${t} written`,s=e.promoted_batches_ratio,
i=s>=1?null:s>0?`${we(s)} of batches of promotions let in`:"no promotions let in";return on(n,i)}function yl(e){return e?[`RAM of all disks:\
 ${C(e.budget_bytes)}${e.setting==="auto"?", as the host has it available":""}`,...e.disks.map(({name:n,ram_bytes:s,reason:i})=>`${n}: ${C(s)}\
, ${i}`)]:[]}var vi={read_hit_ram:"Read, RAM hit",read_hit_flash:"Read, flash hit",read_miss:"Read, miss",write:"Write",flush:"Flush",destage:"\
Destage"};function Fs(e){return e?`+ ${C(e)} of zeroes`:null}function wl(e){switch(e.quiesce?.state){case"destaging":return`Being quiesced: ${C(
nt(e))} left to destage`;case"quiesced":return`Quiesced for another ${Ft(e.quiesce.seconds_left)}`;case"failed":return`Could not be quiesced\
: ${e.quiesce.reason??"no reason is known"}`;default:return null}}function vl(e){let{load:t}=e;if(!t)return"not known while the disk is not \
served";if(t.state==="loading")return"being loaded; reads come from the backing meanwhile";if(t.state==="cold")return`nothing: ${t.reason??"\
no reason is known"}`;let n=`${C(t.kept_bytes)} came back`;return t.dropped_bytes>0?`${n}, ${C(t.dropped_bytes)} may have changed and is not\
 trusted`:n}function kl(e){let{requests_delayed:t,request_delay_ns:n}=e.statistics;return t===void 0||n===void 0?"\u2013":t>0?`${me(t)} requ\
ests, ${Ge(n/t/1e3)} each on average`:["iops-max","bandwidth-max"].some(s=>(e.settings[s]??"off")!=="off")?"nothing":"no limits"}var Os=[{name:"\
mode",about:"What happens to reads and writes.",choices:["write-through","write-back","write-around","pass-through"]},{name:"block-size",about:"\
Unit of the index. A change drops what is cached of the disk.",choices:[4,8,16,32,64,128,256,512,1024].map(e=>C(e*1024))},{name:"reserve",about:"\
Flash that the disk gets whatever the others do: auto, a size or a share such as 20%."},{name:"limit",about:"Flash that the disk never excee\
ds: auto, a size or a share."},{name:"ram",about:"RAM in front of the flash, at least 1MiB: auto is 32MiB, or a part of the pool's ram if th\
at is set."},{name:"ram-min",about:"The least that a disk with ram=auto gets of the pool's ram, at least 1MiB."},{name:"ram-max",about:"The \
most that ram=auto gets of the pool's ram; off: no limit."},{name:"admission",about:"What may enter flash: adaptive, adaptive:hits, always o\
r repeated:N."},{name:"sequential-cutoff",about:"Longer runs of misses go past the cache; 0: off; auto: admission judges reads."},{name:"rea\
d-balance",about:"Whether a faster backing answers reads of clean blocks.",choices:["auto","off"]},{name:"dirty-limit",about:"Write-back: th\
e most that flash may hold and the backing does not have."},{name:"destage-rate-min",about:"Write-back: destage never goes slower than so ma\
ny bytes a second; 0 is none."},{name:"destage-rate-max",about:"Write-back: destage never goes faster than so many bytes a second; 0 is no l\
imit."},{name:"redundancy",about:"Write-back: whether dirty data is kept on two devices of the pool.",choices:["mirror","none"]},{name:"allo\
w-unmarked",about:"Write-back where the backing cannot be marked: nothing then keeps another Forebay from serving it.",choices:["no","yes"]},
{name:"retry-time",about:"How long a request waits for a backing that fails or hangs, such as 25s, or wait."},{name:"iops-max",about:"Reques\
ts a second that guests get at most; off is no limit."},{name:"bandwidth-max",about:"Bytes a second that reads and writes move at most, at l\
east 1MiB; off is no limit."},{name:"burst-time",about:"How long these two are saved up while guests ask for less, such as 1s."},{name:"sect\
or-size",about:"Sector that guests are shown when they connect next; auto follows the backing.",choices:["auto","512","4096"]},{name:"map",about:"\
Whether the disk is made a block device of the host at each start of the service.",choices:["off","on"]},{name:"socket-owner",about:"User wh\
o owns the sockets that guests connect to; auto is the daemon's."},{name:"socket-group",about:"Group of the sockets that guests connect to; \
auto is forebay if the host has it."},{name:"socket-mode",about:"Who may connect, as octal digits."}],Ru={"write-through":"Writes go to the \
backing first, then to the cache; the backing is always complete.","write-back":"Writes are acknowledged when flash has them, and the backin\
g gets them later. Until then the newest data is on flash alone.","write-around":"Writes go to the backing only; what they replace in the ca\
che is dropped.","pass-through":"Every request goes to the backing. Guests have no cache until the mode is changed back."};function ki(e,t){
return[...Object.entries(t).map(([s,i])=>Lu(e,s,i)).flat(),"Guests stay connected and go on meanwhile."]}function Lu(e,t,n){let s=C(e.statistics.
cached_bytes);switch(t){case"mode":return[Ru[n]??`The mode becomes ${n}.`,...Cu(e,n)];case"block-size":return[`What is cached of the disk on\
 flash (${s}) is dropped; it is read from the backing again.`];case"limit":return[`Flash that the disk holds above the new limit is evicted;\
 it holds ${C(e.statistics.flash_bytes)} now.`];case"allow-unmarked":return n==="yes"?["Nothing keeps another Forebay from serving this back\
ing while flash has newer data. See to that yourself."]:[];case"redundancy":return[n==="none"?"Dirty data is kept on one device only: if it \
fails, that data is lost.":"Dirty data is kept on two devices, if the pool has them."];case"sector-size":return["Guests see it when they con\
nect again. A guest that has partitions on the disk does not find them in sectors of another size."];case"iops-max":case"bandwidth-max":return[
n==="off"?"Guests are not held back by it any more.":"Requests of guests beyond it wait, from now on; no error comes of it."];case"socket-ow\
ner":case"socket-group":case"socket-mode":return["Who may connect to the disk changes at once."];default:return[]}}function Cu(e,t){return e.
mode!=="write-back"||t==="write-back"||nt(e)===0?[]:[`${C(nt(e))} is dirty; it is written to the backing while guests go on.`]}function xl(e){
let t=nt(e);return[t>0?`${C(t)} is dirty and is written to the backing first.`:"Nothing is dirty: the backing has everything.","The guest go\
es on meanwhile, and has its disk as it was before. What is cached of it is dropped."]}function _l(e){let t=nt(e),n=e.connections??0;return[
t>0?`${C(t)} is dirty; it is written to the backing first. If that cannot be, the disk stays.`:"Nothing is dirty: the backing has everything\
.",...n>0?[`${me(n)} ${n===1?"client is":"clients are"} connected, so it is refused unless the box below is ticked.`]:[],...e.guest?["It was\
 taken from a running guest. `forebay vm detach` gives it back to that guest without errors."]:[],"What is cached of it is dropped. The cont\
ent of the backing stays."]}function us(e,t){let n=nt(t),s=n>0?`${C(n)} is dirty: flash has it and the backing does not.`:"Nothing is dirty:\
 the backing has everything.";switch(e){case"destage":return[s,"Dirty data is written to the backing at full speed. Guests go on and may not\
ice a busier backing."];case"normal":return[s,"Destage goes on at the pace that suits guests."];case"quiesce":return[s,"It is destaged first\
. After that, writes wait for the backing, so that a backup or snapshot of the backing is complete.","This ends by itself after the time bel\
ow, or when it is resumed."];case"resume":return["Writes may lie on flash alone again, as the mode says."];case"evict":return[`${C(t.statistics.
cached_bytes)} cached on flash and ${C(t.statistics.ram_bytes)} in RAM are dropped, and no restart brings them back.`,n>0?`${C(n)} is dirty \
and is destaged first.`:"Nothing is dirty; nothing is lost.","Guests go on from the backing, slower, until the cache is warm again."]}}var Fu=60,Ou=600,Nu=300;function Tl(e,t){let n=zu.map(i=>{let r=()=>{let l=e();l&&tt(Wu(i.work(l),t))};return[i,c("button",{type:"button","d\
ata-action":i.name,onclick:r},i.label)]}),s=c("p",{class:"hint","data-figure":"quiesce"});return{element:c("section",{class:"card","aria-lab\
el":"Actions"},c("h2",{},"Actions"),c("div",{class:"buttons buttons-start"},...n.map(([,i])=>i)),s),update(){let i=e();for(let[l,u]of n)u.disabled=
i===null||!l.isPossible(i);let r=i&&!Ns(i)?`Nothing can be done while the disk is ${i.state}.`:i?wl(i):null;G(s,r??""),J(s,r!==null)}}}var Ns=e=>e.
state==="serving",Po=e=>e.quiesce?.state==="destaging"||e.quiesce?.state==="quiesced",zu=[{name:"destage",label:"Destage now\u2026",isPossible:Ns,
work:e=>({title:`Destage ${e.name} at full speed?`,sentences:us("destage",e),confirm:"Destage now",run:async()=>(await Me("POST",`${De(e.name)}\
/destage`),`What is dirty of ${e.name} is on its way to the backing`)})},{name:"normal",label:"Destage at normal pace\u2026",isPossible:Ns,work:e=>({
title:`Let ${e.name} destage at its own pace?`,sentences:us("normal",e),confirm:"Normal pace",run:async()=>(await Me("DELETE",`${De(e.name)}\
/destage`),`${e.name} is destaged as it suits guests`)})},{name:"quiesce",label:"Quiesce\u2026",isPossible:e=>Ns(e)&&!Po(e),work:Hu},{name:"\
resume",label:"Resume\u2026",isPossible:Po,work:e=>({title:`Resume ${e.name}?`,sentences:us("resume",e),confirm:"Resume",run:async()=>(await Me(
"POST",`${De(e.name)}/resume`),`${e.name} is resumed`)})},{name:"evict",label:"Evict\u2026",isPossible:Ns,work:e=>({title:`Drop what is cach\
ed of ${e.name}?`,sentences:us("evict",e),confirm:"Evict",run:(t,n)=>Iu(e.name,t,n)})}];function Hu(e){let t=ct(),n=c("input",{id:t,type:"nu\
mber",min:1,max:86400,value:Ou,required:!0});return{title:`Hold ${e.name} without dirty data?`,sentences:us("quiesce",e),confirm:"Quiesce",fields:c(
"div",{class:"field"},c("label",{for:t},"For so many seconds"),n),run:async()=>{let s=Number(n.value);return await Me("POST",`${De(e.name)}/\
quiesce`,{seconds:s}),`${e.name} is being quiesced, then held so for ${Ft(s)}`}}}async function Iu(e,t,n){let s=De(e),i=await nn(s,"disk");if(Po(
i))await Sl(e,t,n),await Me("POST",`${s}/evict`);else if(nt(i)>0){let l=(await Me("POST",`${s}/quiesce`,{seconds:Fu})).disk.quiesce?.number;
try{await Sl(e,t,n),await Me("POST",`${s}/evict`)}finally{await Me("POST",`${s}/resume`,{number:l})}}else await Me("POST",`${s}/evict`);return`\
Nothing is cached of ${e} any more, and no restart brings it back`}async function Sl(e,t,n){for(;;){if(n.aborted)throw new Error("Stopped; t\
he disk is served as before");let s=await nn(De(e),"disk"),i=s.quiesce?.state;if(i==="quiesced")return;if(i!=="destaging")throw new Error(`C\
annot destage dirty data: ${s.quiesce?.reason??s.reason??"it was resumed"}. Nothing was dropped.`);t(`${C(nt(s))} left to destage\u2026`),await new Promise(
r=>window.setTimeout(r,Nu))}}function Wu(e,t){return{...e,run:(n,s)=>e.run(n,s).finally(t)}}function Bu(e){let t=["verdict","latency"];return[...e.sentences.filter(s=>t.includes(s.about)),...e.warnings].map(s=>s.text)}var xi=class{element;#n=c(
"div",{class:"advice-text",role:"status"});#t=c("code",{});#l=c("p",{class:"hint"},"The same on the host: ",this.#t);#i=c("button",{type:"bu\
tton",class:"primary",onclick:()=>this.#u()},"Apply\u2026");#o;#a=null;#e=null;#s="";constructor(t){this.#o=t;let n=c("div",{class:"buttons \
buttons-start"},this.#i);this.element=c("section",{class:"card advice","aria-label":"Advice"},c("h2",{},"Advice"),this.#n,n,this.#l,c("p",{class:"\
hint"},"On the host, forebay advise says why, with all figures.")),this.element.hidden=!0}set(t,n){if(J(this.element,t!==null),this.#a=t,this.#e=
n,!t)return;let s=Bu(t);JSON.stringify(s)!==this.#s&&(this.#s=JSON.stringify(s),this.#n.replaceChildren(...s.map(i=>c("p",{},i)))),G(this.#t,
t.command??""),J(this.#l,t.command!==null),J(this.#i,Object.keys(t.keys??{}).length>0)}#u(){let{keys:t}=this.#a??{keys:{}},n=this.#e;if(!n||
Object.keys(t).length===0)return;let s=Object.entries(t).map(([i,r])=>c("li",{},c("code",{},i),`: ${n.settings[i]??""} \u2192 ${r}`));tt({title:`\
Apply the advice to ${n.name}?`,sentences:ki(n,t),confirm:"Apply",fields:c("ul",{class:"changes"},...s),run:async()=>(await Me("PATCH",De(n.
name),{settings:t,drop_cached:!0}),this.#o(),`${n.name} now has ${Object.entries(t).map(([i,r])=>`${i}=${r}`).join(" ")}`)})}};var Vu="uplot",qu="u-hz",Gu="u-vt",Ku="u-title",ju="u-wrap",Uu="u-under",Yu="u-over",Ju="u-axis",On="u-off",Qu="u-select",Zu="u-cursor-x",Xu="\
u-cursor-y",ed="u-cursor-pt",td="u-legend",nd="u-live",sd="u-inline",id="u-series",od="u-marker",El="u-label",rd="u-value",Hs="width",Is="he\
ight";var $l="bottom",ds="left",Ro="right",Yo="#000",Ml=Yo+"0",Lo="mousemove",Dl="mousedown",Co="mouseup",Al="mouseenter",Pl="mouseleave",Rl="dblc\
lick",ld="resize",ad="scroll",Ll="change",$i="dppxchange",Jo="--",ys=typeof window<"u",Ho=ys?document:null,hs=ys?window:null,cd=ys?navigator:
null,ce,_i;function Io(){let e=devicePixelRatio;ce!=e&&(ce=e,_i&&Bo(Ll,_i,Io),_i=matchMedia(`(min-resolution: ${ce-.001}dppx) and (max-resol\
ution: ${ce+.001}dppx)`),Nn(Ll,_i,Io),hs.dispatchEvent(new CustomEvent($i)))}function bt(e,t){if(t!=null){let n=e.classList;!n.contains(t)&&
n.add(t)}}function Wo(e,t){let n=e.classList;n.contains(t)&&n.remove(t)}function _e(e,t,n){e.style[t]=n+"px"}function Ot(e,t,n,s){let i=Ho.createElement(
e);return t!=null&&bt(i,t),n?.insertBefore(i,s),i}function $t(e,t){return Ot("div",e,t)}var Cl=new WeakMap;function Jt(e,t,n,s,i){let r="tra\
nslate("+t+"px,"+n+"px)",l=Cl.get(e);r!=l&&(e.style.transform=r,Cl.set(e,r),t<0||n<0||t>s||n>i?bt(e,On):Wo(e,On))}var Fl=new WeakMap;function Ol(e,t,n){
let s=t+n,i=Fl.get(e);s!=i&&(Fl.set(e,s),e.style.background=t,e.style.borderColor=n)}var Nl=new WeakMap;function zl(e,t,n,s){let i=t+""+n,r=Nl.
get(e);i!=r&&(Nl.set(e,i),e.style.height=n+"px",e.style.width=t+"px",e.style.marginLeft=s?-t/2+"px":0,e.style.marginTop=s?-n/2+"px":0)}var Qo={
passive:!0},ud={...Qo,capture:!0};function Nn(e,t,n,s){t.addEventListener(e,n,s?ud:Qo)}function Bo(e,t,n,s){t.removeEventListener(e,n,Qo)}ys&&
Io();function Nt(e,t,n,s){let i;n=n||0,s=s||t.length-1;let r=s<=2147483647;for(;s-n>1;)i=r?n+s>>1:yt((n+s)/2),t[i]<e?n=i:s=i;return e-t[n]<=
t[s]-e?n:s}function fa(e){return(n,s,i)=>{let r=-1,l=-1;for(let u=s;u<=i;u++)if(e(n[u])){r=u;break}for(let u=i;u>=s;u--)if(e(n[u])){l=u;break}
return[r,l]}}var ha=e=>e!=null,pa=e=>e!=null&&e>0,Ai=fa(ha),dd=fa(pa);function fd(e,t,n,s=0,i=!1){let r=i?dd:Ai,l=i?pa:ha;[t,n]=r(e,t,n);let u=e[t],
f=e[t];if(t>-1)if(s==1)u=e[t],f=e[n];else if(s==-1)u=e[n],f=e[t];else for(let p=t;p<=n;p++){let y=e[p];l(y)&&(y<u?u=y:y>f&&(f=y))}return[u??
ge,f??-ge]}function Pi(e,t,n,s){let i=Wl(e),r=Wl(t);e==t&&(i==-1?(e*=n,t/=n):(e/=n,t*=n));let l=n==10?ln:ma,u=i==1?yt:Mt,f=r==1?Mt:yt,p=u(l(
Ne(e))),y=f(l(Ne(t))),m=ps(n,p),b=ps(n,y);return n==10&&(p<0&&(m=be(m,-p)),y<0&&(b=be(b,-y))),s||n==2?(e=m*i,t=b*r):(e=wa(e,m),t=Ri(t,b)),[e,
t]}function Zo(e,t,n,s){let i=Pi(e,t,n,s);return e==0&&(i[0]=0),t==0&&(i[1]=0),i}var Xo=.1,Hl={mode:3,pad:Xo},Bs={pad:0,soft:null,mode:0},hd={
min:Bs,max:Bs};function Mi(e,t,n,s){return Li(n)?Il(e,t,n):(Bs.pad=n,Bs.soft=s?0:null,Bs.mode=s?3:0,Il(e,t,hd))}function le(e,t){return e??t}
function pd(e,t,n){for(t=le(t,0),n=le(n,e.length-1);t<=n;){if(e[t]!=null)return!0;t++}return!1}function Il(e,t,n){let s=n.min,i=n.max,r=le(s.
pad,0),l=le(i.pad,0),u=le(s.hard,-ge),f=le(i.hard,ge),p=le(s.soft,ge),y=le(i.soft,-ge),m=le(s.mode,0),b=le(i.mode,0),$=t-e,_=ln($),P=ot(Ne(e),
Ne(t)),O=ln(P),V=Ne(O-_);($<1e-24||V>10)&&($=0,(e==0||t==0)&&($=1e-24,m==2&&p!=ge&&(r=0),b==2&&y!=-ge&&(l=0)));let x=$||P||1e3,N=ln(x),T=ps(
10,yt(N)),Q=x*($==0?e==0?.1:1:r),R=be(wa(e-Q,T/10),24),Z=e>=p&&(m==1||m==3&&R<=p||m==2&&R>=p)?p:ge,H=ot(u,R<Z&&e>=Z?Z:zt(Z,R)),U=x*($==0?t==
0?.1:1:l),j=be(Ri(t+U,T/10),24),E=t<=y&&(b==1||b==3&&j>=y||b==2&&j<=y)?y:-ge,X=zt(f,j>E&&t<=E?E:ot(E,j));return H==X&&H==0&&(X=100),[H,X]}var md=new Intl.
NumberFormat(ys?cd.language:"en-US"),er=e=>md.format(e),wt=Math,Ei=wt.PI,Ne=wt.abs,yt=wt.floor,Oe=wt.round,Mt=wt.ceil,zt=wt.min,ot=wt.max,ps=wt.
pow,Wl=wt.sign,ln=wt.log10,ma=wt.log2,gd=(e,t=1)=>wt.sinh(e)*t,Fo=(e,t=1)=>wt.asinh(e/t),ge=1/0;function Bl(e){return(ln((e^e>>31)-(e>>31))|
0)+1}function Vo(e,t,n){return zt(ot(e,t),n)}function ga(e){return typeof e=="function"}function ie(e){return ga(e)?e:()=>e}var bd=()=>{},ba=e=>e,
ya=(e,t)=>t,yd=e=>null,Vl=e=>!0,ql=(e,t)=>e==t,wd=/\.\d*?(?=9{6,}|0{6,})/gm,zn=e=>{if(ka(e)||kn.has(e))return e;let t=`${e}`,n=t.match(wd);if(n==
null)return e;let s=n[0].length-1;if(t.indexOf("e-")!=-1){let[i,r]=t.split("e");return+`${zn(i)}e${r}`}return be(e,s)};function Cn(e,t){return zn(
be(zn(e/t))*t)}function Ri(e,t){return zn(Mt(zn(e/t))*t)}function wa(e,t){return zn(yt(zn(e/t))*t)}function be(e,t=0){if(ka(e))return e;let n=10**
t,s=e*n*(1+Number.EPSILON);return Oe(s)/n}var kn=new Map;function va(e){return((""+e).split(".")[1]||"").length}function qs(e,t,n,s){let i=[],
r=s.map(va);for(let l=t;l<n;l++){let u=Ne(l),f=be(ps(e,l),u);for(let p=0;p<s.length;p++){let y=e==10?+`${s[p]}e${l}`:s[p]*f,m=(l>=0?0:u)+(l>=
r[p]?0:r[p]),b=e==10?y:be(y,m);i.push(b),kn.set(b,m)}}return i}var Vs={},tr=[],ms=[null,null],vn=Array.isArray,ka=Number.isInteger,vd=e=>e===
void 0;function Gl(e){return typeof e=="string"}function Li(e){let t=!1;if(e!=null){let n=e.constructor;t=n==null||n==Object}return t}function kd(e){
return e!=null&&typeof e=="object"}var xd=Object.getPrototypeOf(Uint8Array),xa="__proto__";function gs(e,t=Li){let n;if(vn(e)){let s=e.find(
i=>i!=null);if(vn(s)||t(s)){n=Array(e.length);for(let i=0;i<e.length;i++)n[i]=gs(e[i],t)}else n=e.slice()}else if(e instanceof xd)n=e.slice();else if(t(
e)){n={};for(let s in e)s!=xa&&(n[s]=gs(e[s],t))}else n=e;return n}function Le(e){let t=arguments;for(let n=1;n<t.length;n++){let s=t[n];for(let i in s)
i!=xa&&(Li(e[i])?Le(e[i],gs(s[i])):e[i]=gs(s[i]))}return e}var _d=0,Sd=1,Td=2;function Ed(e,t,n){for(let s=0,i,r=-1;s<t.length;s++){let l=t[s];
if(l>r){for(i=l-1;i>=0&&e[i]==null;)e[i--]=null;for(i=l+1;i<n&&e[i]==null;)e[r=i++]=null}}}function $d(e,t){if(Ad(e)){let l=e[0].slice();for(let u=1;u<
e.length;u++)l.push(...e[u].slice(1));return Pd(l[0])||(l=Dd(l)),l}let n=new Set;for(let l=0;l<e.length;l++){let f=e[l][0],p=f.length;for(let y=0;y<
p;y++)n.add(f[y])}let s=[Array.from(n).sort((l,u)=>l-u)],i=s[0].length,r=new Map;for(let l=0;l<i;l++)r.set(s[0][l],l);for(let l=0;l<e.length;l++){
let u=e[l],f=u[0];for(let p=1;p<u.length;p++){let y=u[p],m=Array(i).fill(void 0),b=t?t[l][p]:Sd,$=[];for(let _=0;_<y.length;_++){let P=y[_],
O=r.get(f[_]);P===null?b!=_d&&(m[O]=P,b==Td&&$.push(O)):m[O]=P}Ed(m,$,i),s.push(m)}}return s}var Md=typeof queueMicrotask>"u"?e=>Promise.resolve().
then(e):queueMicrotask;function Dd(e){let t=e[0],n=t.length,s=Array(n);for(let r=0;r<s.length;r++)s[r]=r;s.sort((r,l)=>t[r]-t[l]);let i=[];for(let r=0;r<
e.length;r++){let l=e[r],u=Array(n);for(let f=0;f<n;f++)u[f]=l[s[f]];i.push(u)}return i}function Ad(e){let t=e[0][0],n=t.length;for(let s=1;s<
e.length;s++){let i=e[s][0];if(i.length!=n)return!1;if(i!=t){for(let r=0;r<n;r++)if(i[r]!=t[r])return!1}}return!0}function Pd(e,t=100){let n=e.
length;if(n<=1)return!0;let s=0,i=n-1;for(;s<=i&&e[s]==null;)s++;for(;i>=s&&e[i]==null;)i--;if(i<=s)return!0;let r=ot(1,yt((i-s+1)/t));for(let l=e[s],
u=s+r;u<=i;u+=r){let f=e[u];if(f!=null){if(f<=l)return!1;l=f}}return!0}var _a=["January","February","March","April","May","June","July","Aug\
ust","September","October","November","December"],Sa=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function Ta(e){
return e.slice(0,3)}var Rd=Sa.map(Ta),Ld=_a.map(Ta),Cd={MMMM:_a,MMM:Ld,WWWW:Sa,WWW:Rd};function zs(e){return(e<10?"0":"")+e}function Fd(e){return(e<
10?"00":e<100?"0":"")+e}var Od={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.
getMonth()],MM:e=>zs(e.getMonth()+1),M:e=>e.getMonth()+1,DD:e=>zs(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.
WWW[e.getDay()],HH:e=>zs(e.getHours()),H:e=>e.getHours(),h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"A\
M",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>zs(e.getMinutes()),m:e=>e.getMinutes(),ss:e=>zs(e.getSeconds()),s:e=>e.
getSeconds(),fff:e=>Fd(e.getMilliseconds())};function nr(e,t){t=t||Cd;let n=[],s=/\{([a-z]+)\}|[^{]+/gi,i;for(;i=s.exec(e);)n.push(i[0][0]==
"{"?Od[i[1]]:i[0]);return r=>{let l="";for(let u=0;u<n.length;u++)l+=typeof n[u]=="string"?n[u]:n[u](r,t);return l}}var Nd=new Intl.DateTimeFormat().
resolvedOptions().timeZone;function zd(e,t){let n;return t=="UTC"||t=="Etc/UTC"?n=new Date(+e+e.getTimezoneOffset()*6e4):t==Nd?n=e:(n=new Date(
e.toLocaleString("en-US",{timeZone:t})),n.setMilliseconds(e.getMilliseconds())),n}var Ea=e=>e%1==0,Di=[1,2,2.5,5],Hd=qs(10,-32,0,Di),$a=qs(10,
0,32,Di),Id=$a.filter(Ea),Fn=Hd.concat($a),sr=`
`,Ma="{YYYY}",Kl=sr+Ma,Da="{M}/{D}",Ws=sr+Da,Si=Ws+"/{YY}",Aa="{aa}",Wd="{h}:{mm}",fs=Wd+Aa,jl=sr+fs,Ul=":{ss}",de=null;function Pa(e){let t=e*
1e3,n=t*60,s=n*60,i=s*24,r=i*30,l=i*365,f=(e==1?qs(10,0,3,Di).filter(Ea):qs(10,-3,0,Di)).concat([t,t*5,t*10,t*15,t*30,n,n*5,n*10,n*15,n*30,s,
s*2,s*3,s*4,s*6,s*8,s*12,i,i*2,i*3,i*4,i*5,i*6,i*7,i*8,i*9,i*10,i*15,r,r*2,r*3,r*4,r*6,l,l*2,l*5,l*10,l*25,l*50,l*100]),p=[[l,Ma,de,de,de,de,
de,de,1],[i*28,"{MMM}",Kl,de,de,de,de,de,1],[i,Da,Kl,de,de,de,de,de,1],[s,"{h}"+Aa,Si,de,Ws,de,de,de,1],[n,fs,Si,de,Ws,de,de,de,1],[t,Ul,Si+
" "+fs,de,Ws+" "+fs,de,jl,de,1],[e,Ul+".{fff}",Si+" "+fs,de,Ws+" "+fs,de,jl,de,1]];function y(m){return(b,$,_,P,O,V)=>{let x=[],N=O>=l,T=O>=
r&&O<l,Q=m(_),R=be(Q*e,3),Z=Oo(Q.getFullYear(),N?0:Q.getMonth(),T||N?1:Q.getDate()),H=be(Z*e,3);if(T||N){let U=T?O/r:0,j=N?O/l:0,E=R==H?R:be(
Oo(Z.getFullYear()+j,Z.getMonth()+U,1)*e,3),X=new Date(Oe(E/e)),M=X.getFullYear(),I=X.getMonth();for(let z=0;E<=P;z++){let ne=Oo(M+j*z,I+U*z,
1),q=ne-m(be(ne*e,3));E=be((+ne+q)*e,3),E<=P&&x.push(E)}}else{let U=O>=i?i:O,j=yt(_)-yt(R),E=H+j+Ri(R-H,U);x.push(E);let X=m(E),M=X.getHours()+
X.getMinutes()/n+X.getSeconds()/s,I=O/s,z=b.axes[$]._space,ne=V/z;for(;E=be(E+O,e==1?0:3),!(E>P);)if(I>1){let q=yt(be(M+I,6))%24,oe=m(E).getHours()-
q;oe>1&&(oe=-1),E-=oe*s,M=(M+I)%24;let he=x[x.length-1];be((E-he)/O,3)*ne>=.7&&x.push(E)}else x.push(E)}return x}}return[f,p,y]}var[Bd,Vd,qd]=Pa(
1),[Gd,Kd,jd]=Pa(.001);qs(2,-53,53,[1]);function Yl(e,t){return e.map(n=>n.map((s,i)=>i==0||i==8||s==null?s:t(i==1||n[8]==0?s:n[1]+s)))}function Jl(e,t){
return(n,s,i,r,l)=>{let u=t.find(_=>l>=_[0])||t[t.length-1],f,p,y,m,b,$;return s.map(_=>{let P=e(_),O=P.getFullYear(),V=P.getMonth(),x=P.getDate(),
N=P.getHours(),T=P.getMinutes(),Q=P.getSeconds(),R=O!=f&&u[2]||V!=p&&u[3]||x!=y&&u[4]||N!=m&&u[5]||T!=b&&u[6]||Q!=$&&u[7]||u[1];return f=O,p=
V,y=x,m=N,b=T,$=Q,R(P)})}}function Ud(e,t){let n=nr(t);return(s,i,r,l,u)=>i.map(f=>n(e(f)))}function Oo(e,t,n){return new Date(e,t,n)}function Ql(e,t){
return t(e)}var Yd="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function Zl(e,t){return(n,s,i,r)=>r==null?Jo:t(e(s))}function Jd(e,t){let n=e.series[t];return n.
width?n.stroke(e,t):n.points.width?n.points.stroke(e,t):null}function Qd(e,t){return e.series[t].fill(e,t)}var Zd={show:!0,live:!0,isolate:!1,
mount:bd,markers:{show:!0,width:2,stroke:Jd,fill:Qd,dash:"solid"},idx:null,idxs:null,values:[]};function Xd(e,t){let n=e.cursor.points,s=$t(),
i=n.size(e,t);_e(s,Hs,i),_e(s,Is,i);let r=i/-2;_e(s,"marginLeft",r),_e(s,"marginTop",r);let l=n.width(e,t,i);return l&&_e(s,"borderWidth",l),
s}function ef(e,t){let n=e.series[t].points;return n._fill||n._stroke}function tf(e,t){let n=e.series[t].points;return n._stroke||n._fill}function nf(e,t){
return e.series[t].points.size}var No=[0,0];function sf(e,t,n){return No[0]=t,No[1]=n,No}function Ti(e,t,n,s=!0){return i=>{i.button==0&&(!s||
i.target==t)&&n(i)}}function zo(e,t,n,s=!0){return i=>{(!s||i.target==t)&&n(i)}}var of={show:!0,x:!0,y:!0,lock:!1,move:sf,points:{one:!1,show:Xd,
size:nf,width:0,stroke:tf,fill:ef},bind:{mousedown:Ti,mouseup:Ti,click:Ti,dblclick:Ti,mousemove:zo,mouseleave:zo,mouseenter:zo},drag:{setScale:!0,
x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(e,t,n,s,i)=>s-i,prox:-1,
bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},Ra={show:!0,stroke:"rgba(0,0,0,0\
.07)",width:2},ir=Le({},Ra,{filter:ya}),La=Le({},ir,{size:10}),Ca=Le({},Ra,{show:!1}),or='12px system-ui, -apple-system, "Segoe UI", Roboto,\
 "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',Fa="bold "+
or,Oa=1.5,Xl={show:!0,scale:"x",stroke:Yo,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Fa,side:2,grid:ir,ticks:La,border:Ca,
font:or,lineGap:Oa,rotate:0},rf="Value",lf="Time",ea={show:!0,scale:"x",auto:!1,sorted:1,min:ge,max:-ge,idxs:[]};function af(e,t,n,s,i){return t.
map(r=>r==null?"":er(r))}function cf(e,t,n,s,i,r,l){let u=[],f=kn.get(i)||0;n=l?n:be(Ri(n,i),f);for(let p=n;p<=s;p=be(p+i,f))u.push(Object.is(
p,-0)?0:p);return u}function qo(e,t,n,s,i,r,l){let u=[],f=e.scales[e.axes[t].scale].log,p=f==10?ln:ma,y=yt(p(n));i=ps(f,y),f==10&&(i=Fn[Nt(i,
Fn)]);let m=n,b=i*f;f==10&&(b=Fn[Nt(b,Fn)]);do u.push(m),m=m+i,f==10&&!kn.has(m)&&(m=be(m,kn.get(i))),m>=b&&(i=m,b=i*f,f==10&&(b=Fn[Nt(b,Fn)]));while(m<=
s);return u}function uf(e,t,n,s,i,r,l){let f=e.scales[e.axes[t].scale].asinh,p=s>f?qo(e,t,ot(f,n),s,i):[f],y=s>=0&&n<=0?[0]:[];return(n<-f?qo(
e,t,ot(f,-s),-n,i):[f]).reverse().map(b=>-b).concat(y,p)}var Na=/./,df=/[12357]/,ff=/[125]/,ta=/1/,Go=(e,t,n,s)=>e.map((i,r)=>t==4&&i==0||r%
s==0&&n.test(i.toExponential()[i<0?1:0])?i:null);function hf(e,t,n,s,i){let r=e.axes[n],l=r.scale,u=e.scales[l],f=e.valToPos,p=r._space,y=f(
10,l),m=f(9,l)-y>=p?Na:f(7,l)-y>=p?df:f(5,l)-y>=p?ff:ta;if(m==ta){let b=Ne(f(1,l)-y);if(b<p)return Go(t.slice().reverse(),u.distr,m,Mt(p/b)).
reverse()}return Go(t,u.distr,m,1)}function pf(e,t,n,s,i){let r=e.axes[n],l=r.scale,u=r._space,f=e.valToPos,p=Ne(f(1,l)-f(2,l));return p<u?Go(
t.slice().reverse(),3,Na,Mt(u/p)).reverse():t}function mf(e,t,n,s){return s==null?Jo:t==null?"":er(t)}var na={show:!0,scale:"y",stroke:Yo,space:30,
gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Fa,side:3,grid:ir,ticks:La,border:Ca,font:or,lineGap:Oa,rotate:0};function gf(e,t){
let n=3+(e||1)*2;return be(n*t,3)}function bf(e,t){let{scale:n,idxs:s}=e.series[0],i=e._data[0],r=e.valToPos(i[s[0]],n,!0),l=e.valToPos(i[s[1]],
n,!0),u=Ne(l-r),f=e.series[t],p=u/(f.points.space*ce);return s[1]-s[0]<=p}var sa={scale:null,auto:!0,sorted:0,min:ge,max:-ge},za=(e,t,n,s,i)=>i,
ia={show:!0,auto:!0,sorted:0,gaps:za,alpha:1,facets:[Le({},sa,{scale:"x"}),Le({},sa,{scale:"y"})]},oa={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:za,alpha:1,points:{show:bf,filter:null},values:null,min:ge,max:-ge,idxs:[],path:null,clip:null};function yf(e,t,n,s,i){return n/10}var Ha={
time:!0,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},wf=Le({},Ha,{time:!1,ori:1}),ra={};function Ia(e,t){let n=ra[e];return n||
(n={key:e,plots:[],sub(s){n.plots.push(s)},unsub(s){n.plots=n.plots.filter(i=>i!=s)},pub(s,i,r,l,u,f,p){for(let y=0;y<n.plots.length;y++)n.plots[y]!=
i&&n.plots[y].pub(s,i,r,l,u,f,p)}},e!=null&&(ra[e]=n)),n}var bs=1,Ko=2;function Hn(e,t,n){let s=e.mode,i=e.series[t],r=s==2?e._data[t]:e._data,
l=e.scales,u=e.bbox,f=r[0],p=s==2?r[1]:r[t],y=s==2?l[i.facets[0].scale]:l[e.series[0].scale],m=s==2?l[i.facets[1].scale]:l[i.scale],b=u.left,
$=u.top,_=u.width,P=u.height,O=e.valToPosH,V=e.valToPosV;return y.ori==0?n(i,f,p,y,m,O,V,b,$,_,P,Fi,ws,Ni,Ba,qa):n(i,f,p,y,m,V,O,$,b,P,_,Oi,
vs,ar,Va,Ga)}function rr(e,t){let n=0,s=0,i=le(e.bands,tr);for(let r=0;r<i.length;r++){let l=i[r];l.series[0]==t?n=l.dir:l.series[1]==t&&(l.
dir==1?s|=1:s|=2)}return[n,s==1?-1:s==2?1:s==3?2:0]}function vf(e,t,n,s,i){let r=e.mode,l=e.series[t],u=r==2?l.facets[1].scale:l.scale,f=e.scales[u];
return i==-1?f.min:i==1?f.max:f.distr==3?f.dir==1?f.min:f.max:0}function an(e,t,n,s,i,r){return Hn(e,t,(l,u,f,p,y,m,b,$,_,P,O)=>{let V=l.pxRound,
x=p.dir*(p.ori==0?1:-1),N=p.ori==0?ws:vs,T,Q;x==1?(T=n,Q=s):(T=s,Q=n);let R=V(m(u[T],p,P,$)),Z=V(b(f[T],y,O,_)),H=V(m(u[Q],p,P,$)),U=V(b(r==
1?y.max:y.min,y,O,_)),j=new Path2D(i);return N(j,H,U),N(j,R,U),N(j,R,Z),j})}function Ci(e,t,n,s,i,r){let l=null;if(e.length>0){l=new Path2D;
let u=t==0?Ni:ar,f=n;for(let m=0;m<e.length;m++){let b=e[m];if(b[1]>b[0]){let $=b[0]-f;$>0&&u(l,f,s,$,s+r),f=b[1]}}let p=n+i-f,y=10;p>0&&u(l,
f,s-y/2,p,s+r+y)}return l}function kf(e,t,n){let s=e[e.length-1];s&&s[0]==t?s[1]=n:e.push([t,n])}function lr(e,t,n,s,i,r,l){let u=[],f=e.length;
for(let p=i==1?n:s;p>=n&&p<=s;p+=i)if(t[p]===null){let m=p,b=p;if(i==1)for(;++p<=s&&t[p]===null;)b=p;else for(;--p>=n&&t[p]===null;)b=p;let $=r(
e[m]),_=b==m?$:r(e[b]),P=m-i;$=l<=0&&P>=0&&P<f?r(e[P]):$;let V=b+i;_=l>=0&&V>=0&&V<f?r(e[V]):_,_>=$&&u.push([$,_])}return u}function la(e){return e==
0?ba:e==1?Oe:t=>Cn(t,e)}function Wa(e){let t=e==0?Fi:Oi,n=e==0?(i,r,l,u,f,p)=>{i.arcTo(r,l,u,f,p)}:(i,r,l,u,f,p)=>{i.arcTo(l,r,f,u,p)},s=e==
0?(i,r,l,u,f)=>{i.rect(r,l,u,f)}:(i,r,l,u,f)=>{i.rect(l,r,f,u)};return(i,r,l,u,f,p=0,y=0)=>{p==0&&y==0?s(i,r,l,u,f):(p=zt(p,u/2,f/2),y=zt(y,
u/2,f/2),t(i,r+p,l),n(i,r+u,l,r+u,l+f,p),n(i,r+u,l+f,r,l+f,y),n(i,r,l+f,r,l,y),n(i,r,l,r+u,l,p),i.closePath())}}var Fi=(e,t,n)=>{e.moveTo(t,
n)},Oi=(e,t,n)=>{e.moveTo(n,t)},ws=(e,t,n)=>{e.lineTo(t,n)},vs=(e,t,n)=>{e.lineTo(n,t)},Ni=Wa(0),ar=Wa(1),Ba=(e,t,n,s,i,r)=>{e.arc(t,n,s,i,r)},
Va=(e,t,n,s,i,r)=>{e.arc(n,t,s,i,r)},qa=(e,t,n,s,i,r,l)=>{e.bezierCurveTo(t,n,s,i,r,l)},Ga=(e,t,n,s,i,r,l)=>{e.bezierCurveTo(n,t,i,s,l,r)};function Ka(e){
return(t,n,s,i,r)=>Hn(t,n,(l,u,f,p,y,m,b,$,_,P,O)=>{let{pxRound:V,points:x}=l,N,T;p.ori==0?(N=Fi,T=Ba):(N=Oi,T=Va);let Q=be(x.width*ce,3),R=(x.
size-x.width)/2*ce,Z=be(R*2,3),H=new Path2D,U=new Path2D,{left:j,top:E,width:X,height:M}=t.bbox;Ni(U,j-Z,E-Z,X+Z*2,M+Z*2);let I=z=>{if(f[z]!=
null){let ne=V(m(u[z],p,P,$)),q=V(b(f[z],y,O,_));N(H,ne+R,q),T(H,ne,q,R,0,Ei*2)}};if(r)r.forEach(I);else for(let z=s;z<=i;z++)I(z);return{stroke:Q>
0?H:null,fill:H,clip:U,flags:bs|Ko}})}function ja(e){return(t,n,s,i,r,l)=>{s!=i&&(r!=s&&l!=s&&e(t,n,s),r!=i&&l!=i&&e(t,n,i),e(t,n,l))}}var xf=ja(
ws),_f=ja(vs);function Ua(e){let t=le(e?.alignGaps,0);return(n,s,i,r)=>Hn(n,s,(l,u,f,p,y,m,b,$,_,P,O)=>{[i,r]=Ai(f,i,r);let V=l.pxRound,x=M=>V(
m(M,p,P,$)),N=M=>V(b(M,y,O,_)),T,Q;p.ori==0?(T=ws,Q=xf):(T=vs,Q=_f);let R=p.dir*(p.ori==0?1:-1),Z={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:bs},H=Z.stroke,U=!1;if(r-i>=P*4){let M=W=>n.posToVal(W,p.key,!0),I=null,z=null,ne,q,rt,Se=x(u[R==1?i:r]),oe=x(u[i]),he=x(u[r]),
te=M(R==1?oe+1:he-1);for(let W=R==1?i:r;W>=i&&W<=r;W+=R){let Ce=u[W],Te=(R==1?Ce<te:Ce>te)?Se:x(Ce),ue=f[W];Te==Se?ue!=null?(q=ue,I==null?(T(
H,Te,N(q)),ne=I=z=q):q<I?I=q:q>z&&(z=q)):ue===null&&(U=!0):(I!=null&&Q(H,Se,N(I),N(z),N(ne),N(q)),ue!=null?(q=ue,T(H,Te,N(q)),I=z=ne=q):(I=z=
null,ue===null&&(U=!0)),Se=Te,te=M(Se+R))}I!=null&&I!=z&&rt!=Se&&Q(H,Se,N(I),N(z),N(ne),N(q))}else for(let M=R==1?i:r;M>=i&&M<=r;M+=R){let I=f[M];
I===null?U=!0:I!=null&&T(H,x(u[M]),N(I))}let[E,X]=rr(n,s);if(l.fill!=null||E!=0){let M=Z.fill=new Path2D(H),I=l.fillTo(n,s,l.min,l.max,E),z=N(
I),ne=x(u[i]),q=x(u[r]);R==-1&&([q,ne]=[ne,q]),T(M,q,z),T(M,ne,z)}if(!l.spanGaps){let M=[];U&&M.push(...lr(u,f,i,r,R,x,t)),Z.gaps=M=l.gaps(n,
s,i,r,M),Z.clip=Ci(M,p.ori,$,_,P,O)}return X!=0&&(Z.band=X==2?[an(n,s,i,r,H,-1),an(n,s,i,r,H,1)]:an(n,s,i,r,H,X)),Z})}function Sf(e){let t=le(
e.align,1),n=le(e.ascDesc,!1),s=le(e.alignGaps,0),i=le(e.extend,!1);return(r,l,u,f)=>Hn(r,l,(p,y,m,b,$,_,P,O,V,x,N)=>{[u,f]=Ai(m,u,f);let T=p.
pxRound,{left:Q,width:R}=r.bbox,Z=oe=>T(_(oe,b,x,O)),H=oe=>T(P(oe,$,N,V)),U=b.ori==0?ws:vs,j={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:bs},E=j.stroke,X=b.dir*(b.ori==0?1:-1),M=H(m[X==1?u:f]),I=Z(y[X==1?u:f]),z=I,ne=I;i&&t==-1&&(ne=Q,U(E,ne,M)),U(E,I,M);for(let oe=X==
1?u:f;oe>=u&&oe<=f;oe+=X){let he=m[oe];if(he==null)continue;let te=Z(y[oe]),W=H(he);t==1?U(E,te,M):U(E,z,W),U(E,te,W),M=W,z=te}let q=z;i&&t==
1&&(q=Q+R,U(E,q,M));let[rt,Se]=rr(r,l);if(p.fill!=null||rt!=0){let oe=j.fill=new Path2D(E),he=p.fillTo(r,l,p.min,p.max,rt),te=H(he);U(oe,q,te),
U(oe,ne,te)}if(!p.spanGaps){let oe=[];oe.push(...lr(y,m,u,f,X,Z,s));let he=p.width*ce/2,te=n||t==1?he:-he,W=n||t==-1?-he:he;oe.forEach(Ce=>{
Ce[0]+=te,Ce[1]+=W}),j.gaps=oe=p.gaps(r,l,u,f,oe),j.clip=Ci(oe,b.ori,O,V,x,N)}return Se!=0&&(j.band=Se==2?[an(r,l,u,f,E,-1),an(r,l,u,f,E,1)]:
an(r,l,u,f,E,Se)),j})}function aa(e,t,n,s,i,r,l=ge){if(e.length>1){let u=null;for(let f=0,p=1/0;f<e.length;f++)if(t[f]!==void 0){if(u!=null){
let y=Ne(e[f]-e[u]);y<p&&(p=y,l=Ne(n(e[f],s,i,r)-n(e[u],s,i,r)))}u=f}}return l}function Tf(e){e=e||Vs;let t=le(e.size,[.6,ge,1]),n=e.align||
0,s=e.gap||0,i=e.radius;i=i==null?[0,0]:typeof i=="number"?[i,0]:i;let r=ie(i),l=1-t[0],u=le(t[1],ge),f=le(t[2],1),p=le(e.disp,Vs),y=le(e.each,
$=>{}),{fill:m,stroke:b}=p;return($,_,P,O)=>Hn($,_,(V,x,N,T,Q,R,Z,H,U,j,E)=>{let X=V.pxRound,M=n,I=s*ce,z=u*ce,ne=f*ce,q,rt;T.ori==0?[q,rt]=
r($,_):[rt,q]=r($,_);let Se=T.dir*(T.ori==0?1:-1),oe=T.ori==0?Ni:ar,he=T.ori==0?y:(L,ye,Fe,Gn,Sn,Bt,Tn)=>{y(L,ye,Fe,Sn,Gn,Tn,Bt)},te=le($.bands,
tr).find(L=>L.series[0]==_),W=te!=null?te.dir:0,Ce=V.fillTo($,_,V.min,V.max,W),Je=X(Z(Ce,Q,E,U)),Te,ue,Dt,ut=j,$e=X(V.width*ce),Wt=!1,Xt=null,
kt=null,fn=null,Bn=null;m!=null&&($e==0||b!=null)&&(Wt=!0,Xt=m.values($,_,P,O),kt=new Map,new Set(Xt).forEach(L=>{L!=null&&kt.set(L,new Path2D)}),
$e>0&&(fn=b.values($,_,P,O),Bn=new Map,new Set(fn).forEach(L=>{L!=null&&Bn.set(L,new Path2D)})));let{x0:Vn,size:_s}=p;if(Vn!=null&&_s!=null){
M=1,x=Vn.values($,_,P,O),Vn.unit==2&&(x=x.map(Fe=>$.posToVal(H+Fe*j,T.key,!0)));let L=_s.values($,_,P,O);_s.unit==2?ue=L[0]*j:ue=R(L[0],T,j,
H)-R(0,T,j,H),ut=aa(x,N,R,T,j,H,ut),Dt=ut-ue+I}else ut=aa(x,N,R,T,j,H,ut),Dt=ut*l+I,ue=ut-Dt;Dt<1&&(Dt=0),$e>=ue/2&&($e=0),Dt<5&&(X=ba);let Js=Dt>
0,xn=ut-Dt-(Js?$e:0);ue=X(Vo(xn,ne,z)),Te=(M==0?ue/2:M==Se?0:ue)-M*Se*((M==0?I/2:0)+(Js?$e/2:0));let Qe={stroke:null,fill:null,clip:null,band:null,
gaps:null,flags:0},qn=Wt?null:new Path2D,en=null;if(te!=null)en=$.data[te.series[1]];else{let{y0:L,y1:ye}=p;L!=null&&ye!=null&&(N=ye.values(
$,_,P,O),en=L.values($,_,P,O))}let _n=q*ue,ee=rt*ue;for(let L=Se==1?P:O;L>=P&&L<=O;L+=Se){let ye=N[L];if(ye==null)continue;if(en!=null){let lt=en[L]??
0;if(ye-lt==0)continue;Je=Z(lt,Q,E,U)}let Fe=T.distr!=2||p!=null?x[L]:L,Gn=R(Fe,T,j,H),Sn=Z(le(ye,Ce),Q,E,U),Bt=X(Gn-Te),Tn=X(ot(Sn,Je)),dt=X(
zt(Sn,Je)),xt=Tn-dt;if(ye!=null){let lt=ye<0?ee:_n,At=ye<0?_n:ee;Wt?($e>0&&fn[L]!=null&&oe(Bn.get(fn[L]),Bt,dt+yt($e/2),ue,ot(0,xt-$e),lt,At),
Xt[L]!=null&&oe(kt.get(Xt[L]),Bt,dt+yt($e/2),ue,ot(0,xt-$e),lt,At)):oe(qn,Bt,dt+yt($e/2),ue,ot(0,xt-$e),lt,At),he($,_,L,Bt-$e/2,dt,ue+$e,xt)}}
return $e>0?Qe.stroke=Wt?Bn:qn:Wt||(Qe._fill=V.width==0?V._fill:V._stroke??V._fill,Qe.width=0),Qe.fill=Wt?kt:qn,Qe})}function Ef(e,t){let n=le(
t?.alignGaps,0);return(s,i,r,l)=>Hn(s,i,(u,f,p,y,m,b,$,_,P,O,V)=>{[r,l]=Ai(p,r,l);let x=u.pxRound,N=q=>x(b(q,y,O,_)),T=q=>x($(q,m,V,P)),Q,R,
Z;y.ori==0?(Q=Fi,Z=ws,R=qa):(Q=Oi,Z=vs,R=Ga);let H=y.dir*(y.ori==0?1:-1),U=N(f[H==1?r:l]),j=U,E=[],X=[];for(let q=H==1?r:l;q>=r&&q<=l;q+=H)if(p[q]!=
null){let Se=f[q],oe=N(Se);E.push(j=oe),X.push(T(p[q]))}let M={stroke:e(E,X,Q,Z,R,x),fill:null,clip:null,band:null,gaps:null,flags:bs},I=M.stroke,
[z,ne]=rr(s,i);if(u.fill!=null||z!=0){let q=M.fill=new Path2D(I),rt=u.fillTo(s,i,u.min,u.max,z),Se=T(rt);Z(q,j,Se),Z(q,U,Se)}if(!u.spanGaps){
let q=[];q.push(...lr(f,p,r,l,H,N,n)),M.gaps=q=u.gaps(s,i,r,l,q),M.clip=Ci(q,y.ori,_,P,O,V)}return ne!=0&&(M.band=ne==2?[an(s,i,r,l,I,-1),an(
s,i,r,l,I,1)]:an(s,i,r,l,I,ne)),M})}function $f(e){return Ef(Mf,e)}function Mf(e,t,n,s,i,r){let l=e.length;if(l<2)return null;let u=new Path2D;
if(n(u,e[0],t[0]),l==2)s(u,e[1],t[1]);else{let f=Array(l),p=Array(l-1),y=Array(l-1),m=Array(l-1);for(let b=0;b<l-1;b++)y[b]=t[b+1]-t[b],m[b]=
e[b+1]-e[b],p[b]=y[b]/m[b];f[0]=p[0];for(let b=1;b<l-1;b++)p[b]===0||p[b-1]===0||p[b-1]>0!=p[b]>0?f[b]=0:(f[b]=3*(m[b-1]+m[b])/((2*m[b]+m[b-
1])/p[b-1]+(m[b]+2*m[b-1])/p[b]),isFinite(f[b])||(f[b]=0));f[l-1]=p[l-2];for(let b=0;b<l-1;b++)i(u,e[b]+m[b]/3,t[b]+f[b]*m[b]/3,e[b+1]-m[b]/
3,t[b+1]-f[b+1]*m[b]/3,e[b+1],t[b+1])}return u}var jo=new Set;function ca(){for(let e of jo)e.syncRect(!0)}ys&&(Nn(ld,hs,ca),Nn(ad,hs,ca,!0),
Nn($i,hs,()=>{ze.pxRatio=ce}));var Df=Ua(),Af=Ka();function ua(e,t,n,s){return(s?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map(
(r,l)=>Uo(r,l,t,n))}function Pf(e,t){return e.map((n,s)=>s==0?{}:Le({},t,n))}function Uo(e,t,n,s){return Le({},t==0?n:s,e)}function Ya(e,t,n){
return t==null?ms:[t,n]}var Rf=Ya;function Lf(e,t,n){return t==null?ms:Mi(t,n,Xo,!0)}function Ja(e,t,n,s){return t==null?ms:Pi(t,n,e.scales[s].
log,!1)}var Cf=Ja;function Qa(e,t,n,s){return t==null?ms:Zo(t,n,e.scales[s].log,!1)}var Ff=Qa;function Of(e,t,n,s,i){let r=ot(Bl(e),Bl(t)),l=t-
e,u=Nt(i/s*l,n);do{let f=n[u],p=s*f/l;if(p>=i&&r+(f<5?kn.get(f):0)<=17)return[f,p]}while(++u<n.length);return[0,0]}function da(e){let t,n;return e=
e.replace(/(\d+)px/,(s,i)=>(t=Oe((n=+i)*ce))+"px"),[e,t,n]}function Nf(e){e.show&&[e.font,e.labelFont].forEach(t=>{let n=be(t[2]*ce,1);t[0]=
t[0].replace(/[0-9.]+px/,n+"px"),t[1]=n})}function ze(e,t,n){let s={mode:le(e.mode,1)},i=s.mode;function r(o,a,d,h){let g=a.valToPct(o);return h+
d*(a.dir==-1?1-g:g)}function l(o,a,d,h){let g=a.valToPct(o);return h+d*(a.dir==-1?g:1-g)}function u(o,a,d,h){return a.ori==0?r(o,a,d,h):l(o,
a,d,h)}s.valToPosH=r,s.valToPosV=l;let f=!1;s.status=0;let p=s.root=$t(Vu);if(e.id!=null&&(p.id=e.id),bt(p,e.class),e.title){let o=$t(Ku,p);
o.textContent=e.title}let y=Ot("canvas"),m=s.ctx=y.getContext("2d"),b=$t(ju,p);Nn("click",b,o=>{o.target===_&&(ve!=ns||Ee!=ss)&&je.click(s,o)},
!0);let $=s.under=$t(Uu,b);b.appendChild(y);let _=s.over=$t(Yu,b);e=gs(e);let P=+le(e.pxAlign,1),O=la(P);(e.plugins||[]).forEach(o=>{o.opts&&
(e=o.opts(s,e)||e)});let V=e.ms||.001,x=s.series=i==1?ua(e.series||[],ea,oa,!1):Pf(e.series||[null],ia),N=s.axes=ua(e.axes||[],Xl,na,!0),T=s.
scales={},Q=s.bands=e.bands||[];Q.forEach(o=>{o.fill=ie(o.fill||null),o.dir=le(o.dir,-1)});let R=i==2?x[1].facets[0].scale:x[0].scale,Z={axes:Kc,
series:Wc},H=(e.drawOrder||["axes","series"]).map(o=>Z[o]);function U(o){let a=o.distr==3?d=>ln(d>0?d:o.clamp(s,d,o.min,o.max,o.key)):o.distr==
4?d=>Fo(d,o.asinh):o.distr==100?d=>o.fwd(d):d=>d;return d=>{let h=a(d),{_min:g,_max:w}=o,v=w-g;return(h-g)/v}}function j(o){let a=T[o];if(a==
null){let d=(e.scales||Vs)[o]||Vs;if(d.from!=null){j(d.from);let h=Le({},T[d.from],d,{key:o});h.valToPct=U(h),T[o]=h}else{a=T[o]=Le({},o==R?
Ha:wf,d),a.key=o;let h=a.time,g=a.range,w=vn(g);if((o!=R||i==2&&!h)&&(w&&(g[0]==null||g[1]==null)&&(g={min:g[0]==null?Hl:{mode:1,hard:g[0],soft:g[0]},
max:g[1]==null?Hl:{mode:1,hard:g[1],soft:g[1]}},w=!1),!w&&Li(g))){let v=g;g=(k,S,D)=>S==null?ms:Mi(S,D,v)}a.range=ie(g||(h?Rf:o==R?a.distr==
3?Cf:a.distr==4?Ff:Ya:a.distr==3?Ja:a.distr==4?Qa:Lf)),a.auto=ie(w?!1:a.auto),a.clamp=ie(a.clamp||yf),a._min=a._max=null,a.valToPct=U(a)}}}j(
"x"),j("y"),i==1&&x.forEach(o=>{j(o.scale)}),N.forEach(o=>{j(o.scale)});for(let o in e.scales)j(o);let E=T[R],X=E.distr,M,I;E.ori==0?(bt(p,qu),
M=r,I=l):(bt(p,Gu),M=l,I=r);let z={};for(let o in T){let a=T[o];(a.min!=null||a.max!=null)&&(z[o]={min:a.min,max:a.max},a.min=a.max=null)}let ne=e.
tzDate||(o=>new Date(Oe(o/V))),q=e.fmtDate||nr,rt=V==1?qd(ne):jd(ne),Se=Jl(ne,Yl(V==1?Vd:Kd,q)),oe=Zl(ne,Ql(Yd,q)),he=[],te=s.legend=Le({},Zd,
e.legend),W=s.cursor=Le({},of,{drag:{y:i==2}},e.cursor),Ce=te.show,Je=W.show,Te=te.markers;te.idxs=he,Te.width=ie(Te.width),Te.dash=ie(Te.dash),
Te.stroke=ie(Te.stroke),Te.fill=ie(Te.fill);let ue,Dt,ut,$e=[],Wt=[],Xt,kt=!1,fn={};if(te.live){let o=x[1]?x[1].values:null;kt=o!=null,Xt=kt?
o(s,1,0):{_:0};for(let a in Xt)fn[a]=Jo}if(Ce)if(ue=Ot("table",td,p),ut=Ot("tbody",null,ue),te.mount(s,ue),kt){Dt=Ot("thead",null,ue,ut);let o=Ot(
"tr",null,Dt);Ot("th",null,o);for(var Bn in Xt)Ot("th",El,o).textContent=Bn}else bt(ue,sd),te.live&&bt(ue,nd);let Vn={show:!0},_s={show:!1};
function Js(o,a){if(a==0&&(kt||!te.live||i==2))return ms;let d=[],h=Ot("tr",id,ut,ut.childNodes[a]);bt(h,o.class),o.show||bt(h,On);let g=Ot(
"th",null,h);if(Te.show){let k=$t(od,g);if(a>0){let S=Te.width(s,a);S&&(k.style.border=S+"px "+Te.dash(s,a)+" "+Te.stroke(s,a)),k.style.background=
Te.fill(s,a)}}let w=$t(El,g);o.label instanceof HTMLElement?w.appendChild(o.label):w.textContent=o.label,a>0&&(Te.show||(w.style.color=o.width>
0?Te.stroke(s,a):Te.fill(s,a)),Qe("click",g,k=>{if(W._lock)return;$n(k);let S=x.indexOf(o);if((k.ctrlKey||k.metaKey)!=te.isolate){let D=x.some(
(A,F)=>F>0&&F!=S&&A.show);x.forEach((A,F)=>{F>0&&qt(F,D?F==S?Vn:_s:Vn,!0,Re.setSeries)})}else qt(S,{show:!o.show},!0,Re.setSeries)},!1),jn&&
Qe(Al,g,k=>{W._lock||($n(k),qt(x.indexOf(o),os,!0,Re.setSeries))},!1));for(var v in Xt){let k=Ot("td",rd,h);k.textContent="--",d.push(k)}return[
h,d]}let xn=new Map;function Qe(o,a,d,h=!0){let g=xn.get(a)||{},w=W.bind[o](s,a,d,h);w&&(Nn(o,a,g[o]=w),xn.set(a,g))}function qn(o,a,d){let h=xn.
get(a)||{};for(let g in h)(o==null||g==o)&&(Bo(g,a,h[g]),delete h[g]);o==null&&xn.delete(a)}let en=0,_n=0,ee=0,L=0,ye=0,Fe=0,Gn=ye,Sn=Fe,Bt=ee,
Tn=L,dt=0,xt=0,lt=0,At=0;s.bbox={};let Gi=!1,Qs=!1,Kn=!1,En=!1,Zs=!1,_t=!1;function Ki(o,a,d){(d||o!=s.width||a!=s.height)&&mr(o,a),Zn(!1),Kn=
!0,Qs=!0,Xn()}function mr(o,a){s.width=en=ee=o,s.height=_n=L=a,ye=Fe=0,Cc(),Fc();let d=s.bbox;dt=d.left=Cn(ye*ce,.5),xt=d.top=Cn(Fe*ce,.5),lt=
d.width=Cn(ee*ce,.5),At=d.height=Cn(L*ce,.5)}let Pc=3;function Rc(){let o=!1,a=0;for(;!o;){a++;let d=qc(a),h=Gc(a);o=a==Pc||d&&h,o||(mr(s.width,
s.height),Qs=!0)}}function Lc({width:o,height:a}){Ki(o,a)}s.setSize=Lc;function Cc(){let o=!1,a=!1,d=!1,h=!1;N.forEach((g,w)=>{if(g.show&&g.
_show){let{side:v,_size:k}=g,S=v%2,D=g.label!=null?g.labelSize:0,A=k+D;A>0&&(S?(ee-=A,v==3?(ye+=A,h=!0):d=!0):(L-=A,v==0?(Fe+=A,o=!0):a=!0))}}),
Mn[0]=o,Mn[1]=d,Mn[2]=a,Mn[3]=h,ee-=hn[1]+hn[3],ye+=hn[3],L-=hn[2]+hn[0],Fe+=hn[0]}function Fc(){let o=ye+ee,a=Fe+L,d=ye,h=Fe;function g(w,v){
switch(w){case 1:return o+=v,o-v;case 2:return a+=v,a-v;case 3:return d-=v,d+v;case 0:return h-=v,h+v}}N.forEach((w,v)=>{if(w.show&&w._show){
let k=w.side;w._pos=g(k,w._size),w.label!=null&&(w._lpos=g(k,w.labelSize))}})}if(W.dataIdx==null){let o=W.hover,a=o.skip=new Set(o.skip??[]);
a.add(void 0);let d=o.prox=ie(o.prox),h=o.bias??=0;W.dataIdx=(g,w,v,k)=>{if(w==0)return v;let S=v,D=d(g,w,v,k)??ge,A=D>=0&&D<ge,F=E.ori==0?ee:
L,Y=W.left,ae=t[0],re=t[w];if(a.has(re[v])){S=null;let se=null,K=null,B;if(h==0||h==-1)for(B=v;se==null&&B-- >0;)a.has(re[B])||(se=B);if(h==
0||h==1)for(B=v;K==null&&B++<re.length;)a.has(re[B])||(K=B);if(se!=null||K!=null)if(A){let xe=se==null?-1/0:M(ae[se],E,F,0),Ae=K==null?1/0:M(
ae[K],E,F,0),qe=Y-xe,pe=Ae-Y;qe<=pe?qe<=D&&(S=se):pe<=D&&(S=K)}else S=K==null?se:se==null?K:v-se<=K-v?se:K}else A&&Ne(Y-M(ae[v],E,F,0))>D&&(S=
null);return S}}let $n=o=>{W.event=o};W.idxs=he,W._lock=!1;let Ye=W.points;Ye.show=ie(Ye.show),Ye.size=ie(Ye.size),Ye.stroke=ie(Ye.stroke),Ye.
width=ie(Ye.width),Ye.fill=ie(Ye.fill);let Vt=s.focus=Le({},e.focus||{alpha:.3},W.focus),jn=Vt.prox>=0,Un=jn&&Ye.one,St=[],Yn=[],Jn=[];function gr(o,a){
let d=Ye.show(s,a);if(d instanceof HTMLElement)return bt(d,ed),bt(d,o.class),Jt(d,-10,-10,ee,L),_.insertBefore(d,St[a]),d}function br(o,a){if(i==
1||a>0){let d=i==1&&T[o.scale].time,h=o.value;o.value=d?Gl(h)?Zl(ne,Ql(h,q)):h||oe:h||mf,o.label=o.label||(d?lf:rf)}if(Un||a>0){o.width=o.width==
null?1:o.width,o.paths=o.paths||Df||yd,o.fillTo=ie(o.fillTo||vf),o.pxAlign=+le(o.pxAlign,P),o.pxRound=la(o.pxAlign),o.stroke=ie(o.stroke||null),
o.fill=ie(o.fill||null),o._stroke=o._fill=o._paths=o._focus=null;let d=gf(ot(1,o.width),1),h=o.points=Le({},{size:d,width:ot(1,d*.2),stroke:o.
stroke,space:d*2,paths:Af,_stroke:null,_fill:null},o.points);h.show=ie(h.show),h.filter=ie(h.filter),h.fill=ie(h.fill),h.stroke=ie(h.stroke),
h.paths=ie(h.paths),h.pxAlign=o.pxAlign}if(Ce){let d=Js(o,a);$e.splice(a,0,d[0]),Wt.splice(a,0,d[1]),te.values.push(null)}if(Je){he.splice(a,
0,null);let d=null;Un?a==0&&(d=gr(o,a)):a>0&&(d=gr(o,a)),St.splice(a,0,d),Yn.splice(a,0,0),Jn.splice(a,0,0)}Ve("addSeries",a)}function Oc(o,a){
a=a??x.length,o=i==1?Uo(o,a,ea,oa):Uo(o,a,{},ia),x.splice(a,0,o),br(x[a],a)}s.addSeries=Oc;function Nc(o){if(x.splice(o,1),Ce){te.values.splice(
o,1),Wt.splice(o,1);let a=$e.splice(o,1)[0];qn(null,a.firstChild),a.remove()}Je&&(he.splice(o,1),St.splice(o,1)[0].remove(),Yn.splice(o,1),Jn.
splice(o,1)),Ve("delSeries",o)}s.delSeries=Nc;let Mn=[!1,!1,!1,!1];function zc(o,a){if(o._show=o.show,o.show){let d=o.side%2,h=T[o.scale];h==
null&&(o.scale=d?x[1].scale:R,h=T[o.scale]);let g=h.time;o.size=ie(o.size),o.space=ie(o.space),o.rotate=ie(o.rotate),vn(o.incrs)&&o.incrs.forEach(
v=>{!kn.has(v)&&kn.set(v,va(v))}),o.incrs=ie(o.incrs||(h.distr==2?Id:g?V==1?Bd:Gd:Fn)),o.splits=ie(o.splits||(g&&h.distr==1?rt:h.distr==3?qo:
h.distr==4?uf:cf)),o.stroke=ie(o.stroke),o.grid.stroke=ie(o.grid.stroke),o.ticks.stroke=ie(o.ticks.stroke),o.border.stroke=ie(o.border.stroke);
let w=o.values;o.values=vn(w)&&!vn(w[0])?ie(w):g?vn(w)?Jl(ne,Yl(w,q)):Gl(w)?Ud(ne,w):w||Se:w||af,o.filter=ie(o.filter||(h.distr>=3&&h.log==10?
hf:h.distr==3&&h.log==2?pf:ya)),o.font=da(o.font),o.labelFont=da(o.labelFont),o._size=o.size(s,null,a,0),o._space=o._rotate=o._incrs=o._found=
o._splits=o._values=null,o._size>0&&(Mn[a]=!0,o._el=$t(Ju,b))}}function Ss(o,a,d,h){let[g,w,v,k]=d,S=a%2,D=0;return S==0&&(k||w)&&(D=a==0&&!g||
a==2&&!v?Oe(Xl.size/3):0),S==1&&(g||v)&&(D=a==1&&!w||a==3&&!k?Oe(na.size/2):0),D}let yr=s.padding=(e.padding||[Ss,Ss,Ss,Ss]).map(o=>ie(le(o,
Ss))),hn=s._padding=yr.map((o,a)=>o(s,a,Mn,0)),Ke,He=null,Ie=null,Xs=i==1?x[0].idxs:null,Pt=null,Ts=!1;function wr(o,a){if(t=o??[],s.data=s.
_data=t,i==2){Ke=0;for(let d=1;d<x.length;d++)Ke+=t[d][0].length}else{t.length==0&&(s.data=s._data=t=[[]]),Pt=t[0],Ke=Pt.length;let d=t;if(X==
2){d=t.slice();let h=d[0]=Array(Ke);for(let g=0;g<Ke;g++)h[g]=g}s._data=t=d}if(Zn(!0),Ve("setData"),X==2&&(Kn=!0),a!==!1){let d=E;d.auto(s,Ts)?
ji():mn(R,d.min,d.max),En=En||W.left>=0,_t=!0,Xn()}}s.setData=wr;function ji(){Ts=!0;let o,a;i==1&&(Ke>0?(He=Xs[0]=0,Ie=Xs[1]=Ke-1,o=t[0][He],
a=t[0][Ie],X==2?(o=He,a=Ie):o==a&&(X==3?[o,a]=Pi(o,o,E.log,!1):X==4?[o,a]=Zo(o,o,E.log,!1):E.time?a=o+Oe(86400/V):[o,a]=Mi(o,a,Xo,!0))):(He=
Xs[0]=o=null,Ie=Xs[1]=a=null)),mn(R,o,a)}let ei,Qn,Ui,Yi,Ji,Qi,Zi,Xi,eo,at;function vr(o,a,d,h,g,w){o??=Ml,d??=tr,h??="butt",g??=Ml,w??="rou\
nd",o!=ei&&(m.strokeStyle=ei=o),g!=Qn&&(m.fillStyle=Qn=g),a!=Ui&&(m.lineWidth=Ui=a),w!=Ji&&(m.lineJoin=Ji=w),h!=Qi&&(m.lineCap=Qi=h),d!=Yi&&
m.setLineDash(Yi=d)}function kr(o,a,d,h){a!=Qn&&(m.fillStyle=Qn=a),o!=Zi&&(m.font=Zi=o),d!=Xi&&(m.textAlign=Xi=d),h!=eo&&(m.textBaseline=eo=
h)}function to(o,a,d,h,g=0){if(h.length>0&&o.auto(s,Ts)&&(a==null||a.min==null)){let w=le(He,0),v=le(Ie,h.length-1),k=d.min==null?fd(h,w,v,g,
o.distr==3):[d.min,d.max];o.min=zt(o.min,d.min=k[0]),o.max=ot(o.max,d.max=k[1])}}let xr={min:null,max:null};function Hc(){for(let h in T){let g=T[h];
z[h]==null&&(g.min==null||z[R]!=null&&g.auto(s,Ts))&&(z[h]=xr)}for(let h in T){let g=T[h];z[h]==null&&g.from!=null&&z[g.from]!=null&&(z[h]=xr)}
z[R]!=null&&Zn(!0);let o={};for(let h in z){let g=z[h];if(g!=null){let w=o[h]=gs(T[h],kd);if(g.min!=null)Le(w,g);else if(h!=R||i==2)if(Ke==0&&
w.from==null){let v=w.range(s,null,null,h);w.min=v[0],w.max=v[1]}else w.min=ge,w.max=-ge}}if(Ke>0){x.forEach((h,g)=>{if(i==1){let w=h.scale,
v=z[w];if(v==null)return;let k=o[w];if(g==0){let S=k.range(s,k.min,k.max,w);k.min=S[0],k.max=S[1],He=Nt(k.min,t[0]),Ie=Nt(k.max,t[0]),Ie-He>
1&&(t[0][He]<k.min&&He++,t[0][Ie]>k.max&&Ie--),h.min=Pt[He],h.max=Pt[Ie]}else h.show&&h.auto&&to(k,v,h,t[g],h.sorted);h.idxs[0]=He,h.idxs[1]=
Ie}else if(g>0&&h.show&&h.auto){let[w,v]=h.facets,k=w.scale,S=v.scale,[D,A]=t[g],F=o[k],Y=o[S];F!=null&&to(F,z[k],w,D,w.sorted),Y!=null&&to(
Y,z[S],v,A,v.sorted),h.min=v.min,h.max=v.max}});for(let h in o){let g=o[h],w=z[h];if(g.from==null&&(w==null||w.min==null)){let v=g.range(s,g.
min==ge?null:g.min,g.max==-ge?null:g.max,h);g.min=v[0],g.max=v[1]}}}for(let h in o){let g=o[h];if(g.from!=null){let w=o[g.from];if(w.min==null)
g.min=g.max=null;else{let v=g.range(s,w.min,w.max,h);g.min=v[0],g.max=v[1]}}}let a={},d=!1;for(let h in o){let g=o[h],w=T[h];if(w.min!=g.min||
w.max!=g.max){w.min=g.min,w.max=g.max;let v=w.distr;w._min=v==3?ln(w.min):v==4?Fo(w.min,w.asinh):v==100?w.fwd(w.min):w.min,w._max=v==3?ln(w.
max):v==4?Fo(w.max,w.asinh):v==100?w.fwd(w.max):w.max,a[h]=d=!0}}if(d){x.forEach((h,g)=>{i==2?g>0&&a.y&&(h._paths=null):a[h.scale]&&(h._paths=
null)});for(let h in a)Kn=!0,Ve("setScale",h);Je&&W.left>=0&&(En=_t=!0)}for(let h in z)z[h]=null}function Ic(o){let a=Vo(He-1,0,Ke-1),d=Vo(Ie+
1,0,Ke-1);for(;o[a]==null&&a>0;)a--;for(;o[d]==null&&d<Ke-1;)d++;return[a,d]}function Wc(){if(Ke>0){let o=x.some(a=>a._focus)&&at!=Vt.alpha;
o&&(m.globalAlpha=at=Vt.alpha),x.forEach((a,d)=>{if(d>0&&a.show&&(_r(d,!1),_r(d,!0),a._paths==null)){let h=at;at!=a.alpha&&(m.globalAlpha=at=
a.alpha);let g=i==2?[0,t[d][0].length-1]:Ic(t[d]);a._paths=a.paths(s,d,g[0],g[1]),at!=h&&(m.globalAlpha=at=h)}}),x.forEach((a,d)=>{if(d>0&&a.
show){let h=at;at!=a.alpha&&(m.globalAlpha=at=a.alpha),a._paths!=null&&Sr(d,!1);{let g=a._paths!=null?a._paths.gaps:null,w=a.points.show(s,d,
He,Ie,g),v=a.points.filter(s,d,w,g);(w||v)&&(a.points._paths=a.points.paths(s,d,He,Ie,v),Sr(d,!0))}at!=h&&(m.globalAlpha=at=h),Ve("drawSerie\
s",d)}}),o&&(m.globalAlpha=at=1)}}function _r(o,a){let d=a?x[o].points:x[o];d._stroke=d.stroke(s,o),d._fill=d.fill(s,o)}function Sr(o,a){let d=a?
x[o].points:x[o],{stroke:h,fill:g,clip:w,flags:v,_stroke:k=d._stroke,_fill:S=d._fill,_width:D=d.width}=d._paths;D=be(D*ce,3);let A=null,F=D%
2/2;a&&S==null&&(S=D>0?"#fff":k);let Y=d.pxAlign==1&&F>0;if(Y&&m.translate(F,F),!a){let ae=dt-D/2,re=xt-D/2,se=lt+D,K=At+D;A=new Path2D,A.rect(
ae,re,se,K)}a?no(k,D,d.dash,d.cap,S,h,g,v,w):Bc(o,k,D,d.dash,d.cap,S,h,g,v,A,w),Y&&m.translate(-F,-F)}function Bc(o,a,d,h,g,w,v,k,S,D,A){let F=!1;
S!=0&&Q.forEach((Y,ae)=>{if(Y.series[0]==o){let re=x[Y.series[1]],se=t[Y.series[1]],K=(re._paths||Vs).band;vn(K)&&(K=Y.dir==1?K[0]:K[1]);let B,
xe=null;re.show&&K&&pd(se,He,Ie)?(xe=Y.fill(s,ae)||w,B=re._paths.clip):K=null,no(a,d,h,g,xe,v,k,S,D,A,B,K),F=!0}}),F||no(a,d,h,g,w,v,k,S,D,A)}
let Tr=bs|Ko;function no(o,a,d,h,g,w,v,k,S,D,A,F){vr(o,a,d,h,g),(S||D||F)&&(m.save(),S&&m.clip(S),D&&m.clip(D)),F?(k&Tr)==Tr?(m.clip(F),A&&m.
clip(A),ni(g,v),ti(o,w,a)):k&Ko?(ni(g,v),m.clip(F),ti(o,w,a)):k&bs&&(m.save(),m.clip(F),A&&m.clip(A),ni(g,v),m.restore(),ti(o,w,a)):(ni(g,v),
ti(o,w,a)),(S||D||F)&&m.restore()}function ti(o,a,d){d>0&&(a instanceof Map?a.forEach((h,g)=>{m.strokeStyle=ei=g,m.stroke(h)}):a!=null&&o&&m.
stroke(a))}function ni(o,a){a instanceof Map?a.forEach((d,h)=>{m.fillStyle=Qn=h,m.fill(d)}):a!=null&&o&&m.fill(a)}function Vc(o,a,d,h){let g=N[o],
w;if(h<=0)w=[0,0];else{let v=g._space=g.space(s,o,a,d,h),k=g._incrs=g.incrs(s,o,a,d,h,v);w=Of(a,d,k,h,v)}return g._found=w}function so(o,a,d,h,g,w,v,k,S,D){
let A=v%2/2;P==1&&m.translate(A,A),vr(k,v,S,D,k),m.beginPath();let F,Y,ae,re,se=g+(h==0||h==3?-w:w);d==0?(Y=g,re=se):(F=g,ae=se);for(let K=0;K<
o.length;K++)a[K]!=null&&(d==0?F=ae=o[K]:Y=re=o[K],m.moveTo(F,Y),m.lineTo(ae,re));m.stroke(),P==1&&m.translate(-A,-A)}function qc(o){let a=!0;
return N.forEach((d,h)=>{if(!d.show)return;let g=T[d.scale];if(g.min==null){d._show&&(a=!1,d._show=!1,Zn(!1));return}else d._show||(a=!1,d._show=
!0,Zn(!1));let w=d.side,v=w%2,{min:k,max:S}=g,[D,A]=Vc(h,k,S,v==0?ee:L);if(A==0)return;let F=g.distr==2,Y=d._splits=d.splits(s,h,k,S,D,A,F),
ae=g.distr==2?Y.map(B=>Pt[B]):Y,re=g.distr==2?Pt[Y[1]]-Pt[Y[0]]:D,se=d._values=d.values(s,d.filter(s,ae,h,A,re),h,A,re);d._rotate=w==2?d.rotate(
s,se,h,A):0;let K=d._size;d._size=Mt(d.size(s,se,h,o)),K!=null&&d._size!=K&&(a=!1)}),a}function Gc(o){let a=!0;return yr.forEach((d,h)=>{let g=d(
s,h,Mn,o);g!=hn[h]&&(a=!1),hn[h]=g}),a}function Kc(){for(let o=0;o<N.length;o++){let a=N[o];if(!a.show||!a._show)continue;let d=a.side,h=d%2,
g,w,v=a.stroke(s,o),k=d==0||d==3?-1:1,[S,D]=a._found;if(a.label!=null){let Xe=a.labelGap*k,pt=Oe((a._lpos+Xe)*ce);kr(a.labelFont[0],v,"cente\
r",d==2?"top":$l),m.save(),h==1?(g=w=0,m.translate(pt,Oe(xt+At/2)),m.rotate((d==3?-Ei:Ei)/2)):(g=Oe(dt+lt/2),w=pt);let Pn=ga(a.label)?a.label(
s,o,S,D):a.label;m.fillText(Pn,g,w),m.restore()}if(D==0)continue;let A=T[a.scale],F=h==0?lt:At,Y=h==0?dt:xt,ae=a._splits,re=A.distr==2?ae.map(
Xe=>Pt[Xe]):ae,se=A.distr==2?Pt[ae[1]]-Pt[ae[0]]:S,K=a.ticks,B=a.border,xe=K.show?K.size:0,Ae=Oe(xe*ce),qe=Oe((a.alignTo==2?a._size-xe-a.gap:
a.gap)*ce),pe=a._rotate*-Ei/180,Pe=O(a._pos*ce),ft=(Ae+qe)*k,Ze=Pe+ft;w=h==0?Ze:0,g=h==1?Ze:0;let Tt=a.font[0],Rt=a.align==1?ds:a.align==2?Ro:
pe>0?ds:pe<0?Ro:h==0?"center":d==3?Ro:ds,Kt=pe||h==1?"middle":d==2?"top":$l;kr(Tt,v,Rt,Kt);let ht=a.font[1]*a.lineGap,Et=ae.map(Xe=>O(u(Xe,A,
F,Y))),Lt=a._values;for(let Xe=0;Xe<Lt.length;Xe++){let pt=Lt[Xe];if(pt!=null){h==0?g=Et[Xe]:w=Et[Xe],pt=""+pt;let Pn=pt.indexOf(`
`)==-1?[pt]:pt.split(/\n/gm);for(let et=0;et<Pn.length;et++){let qr=Pn[et];pe?(m.save(),m.translate(g,w+et*ht),m.rotate(pe),m.fillText(qr,0,
0),m.restore()):m.fillText(qr,g,w+et*ht)}}}K.show&&so(Et,K.filter(s,re,o,D,se),h,d,Pe,Ae,be(K.width*ce,3),K.stroke(s,o),K.dash,K.cap);let jt=a.
grid;jt.show&&so(Et,jt.filter(s,re,o,D,se),h,h==0?2:1,h==0?xt:dt,h==0?At:lt,be(jt.width*ce,3),jt.stroke(s,o),jt.dash,jt.cap),B.show&&so([Pe],
[1],h==0?1:0,h==0?1:2,h==1?xt:dt,h==1?At:lt,be(B.width*ce,3),B.stroke(s,o),B.dash,B.cap)}Ve("drawAxes")}function Zn(o){x.forEach((a,d)=>{d>0&&
(a._paths=null,o&&(i==1?(a.min=null,a.max=null):a.facets.forEach(h=>{h.min=null,h.max=null})))})}let si=!1,io=!1,Es=[];function jc(){io=!1;for(let o=0;o<
Es.length;o++)Ve(...Es[o]);Es.length=0}function Xn(){si||(Md(Er),si=!0)}function Uc(o,a=!1){si=!0,io=a,o(s),Er(),a&&Es.length>0&&queueMicrotask(
jc)}s.batch=Uc;function Er(){if(Gi&&(Hc(),Gi=!1),Kn&&(Rc(),Kn=!1),Qs){if(_e($,ds,ye),_e($,"top",Fe),_e($,Hs,ee),_e($,Is,L),_e(_,ds,ye),_e(_,
"top",Fe),_e(_,Hs,ee),_e(_,Is,L),_e(b,Hs,en),_e(b,Is,_n),y.width=Oe(en*ce),y.height=Oe(_n*ce),N.forEach(({_el:o,_show:a,_size:d,_pos:h,side:g})=>{
if(o!=null)if(a){let w=g===3||g===0?d:0,v=g%2==1;_e(o,v?"left":"top",h-w),_e(o,v?"width":"height",d),_e(o,v?"top":"left",v?Fe:ye),_e(o,v?"he\
ight":"width",v?L:ee),Wo(o,On)}else bt(o,On)}),ei=Qn=Ui=Ji=Qi=Zi=Xi=eo=Yi=null,at=1,Ds(!0),ye!=Gn||Fe!=Sn||ee!=Bt||L!=Tn){Zn(!1);let o=ee/Bt,
a=L/Tn;if(Je&&!En&&W.left>=0){W.left*=o,W.top*=a,es&&Jt(es,Oe(W.left),0,ee,L),ts&&Jt(ts,0,Oe(W.top),ee,L);for(let d=0;d<St.length;d++){let h=St[d];
h!=null&&(Yn[d]*=o,Jn[d]*=a,Jt(h,Mt(Yn[d]),Mt(Jn[d]),ee,L))}}if(ke.show&&!Zs&&ke.left>=0&&ke.width>0){ke.left*=o,ke.width*=o,ke.top*=a,ke.height*=
a;for(let d in uo)_e(is,d,ke[d])}Gn=ye,Sn=Fe,Bt=ee,Tn=L}Ve("setSize"),Qs=!1}en>0&&_n>0&&(m.clearRect(0,0,y.width,y.height),Ve("drawClear"),H.
forEach(o=>o()),Ve("draw")),ke.show&&Zs&&(ii(ke),Zs=!1),Je&&En&&(An(null,!0,!1),En=!1),te.show&&te.live&&_t&&(ao(),_t=!1),f||(f=!0,s.status=
1,Ve("ready")),Ts=!1,si=!1}s.redraw=(o,a)=>{Kn=a||!1,o!==!1?mn(R,E.min,E.max):Xn()};function oo(o,a){let d=T[o];if(d.from==null){if(Ke==0){let h=d.
range(s,a.min,a.max,o);a.min=h[0],a.max=h[1]}if(a.min>a.max){let h=a.min;a.min=a.max,a.max=h}if(Ke>1&&a.min!=null&&a.max!=null&&a.max-a.min<
1e-16)return;o==R&&d.distr==2&&Ke>0&&(a.min=Nt(a.min,t[0]),a.max=Nt(a.max,t[0]),a.min==a.max&&a.max++),z[o]=a,Gi=!0,Xn()}}s.setScale=oo;let ro,
lo,es,ts,$r,Mr,ns,ss,Dr,Ar,ve,Ee,pn=!1,je=W.drag,We=je.x,Be=je.y;Je&&(W.x&&(ro=$t(Zu,_)),W.y&&(lo=$t(Xu,_)),E.ori==0?(es=ro,ts=lo):(es=lo,ts=
ro),ve=W.left,Ee=W.top);let ke=s.select=Le({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),is=ke.show?$t(Qu,ke.over?_:$):null;function ii(o,a){
if(ke.show){for(let d in o)ke[d]=o[d],d in uo&&_e(is,d,o[d]);a!==!1&&Ve("setSelect")}}s.setSelect=ii;function Yc(o){if(x[o].show)Ce&&Wo($e[o],
On);else if(Ce&&bt($e[o],On),Je){let d=Un?St[0]:St[o];d!=null&&Jt(d,-10,-10,ee,L)}}function mn(o,a,d){oo(o,{min:a,max:d})}function qt(o,a,d,h){
a.focus!=null&&eu(o),a.show!=null&&x.forEach((g,w)=>{w>0&&(o==w||o==null)&&(g.show=a.show,Yc(w),i==2?(mn(g.facets[0].scale,null,null),mn(g.facets[1].
scale,null,null)):mn(g.scale,null,null),Xn())}),d!==!1&&Ve("setSeries",o,a),h&&As("setSeries",s,o,a)}s.setSeries=qt;function Jc(o,a){Le(Q[o],
a)}function Qc(o,a){o.fill=ie(o.fill||null),o.dir=le(o.dir,-1),a=a??Q.length,Q.splice(a,0,o)}function Zc(o){o==null?Q.length=0:Q.splice(o,1)}
s.addBand=Qc,s.setBand=Jc,s.delBand=Zc;function Xc(o,a){x[o].alpha=a,Je&&St[o]!=null&&(St[o].style.opacity=a),Ce&&$e[o]&&($e[o].style.opacity=
a)}let tn,gn,Dn,os={focus:!0};function eu(o){if(o!=Dn){let a=o==null,d=Vt.alpha!=1;x.forEach((h,g)=>{if(i==1||g>0){let w=a||g==0||g==o;h._focus=
a?null:w,d&&Xc(g,w?1:Vt.alpha)}}),Dn=o,d&&Xn()}}Ce&&jn&&Qe(Pl,ue,o=>{W._lock||($n(o),Dn!=null&&qt(null,os,!0,Re.setSeries))});function Gt(o,a,d){
let h=T[a];d&&(o=o/ce-(h.ori==1?Fe:ye));let g=ee;h.ori==1&&(g=L,o=g-o),h.dir==-1&&(o=g-o);let w=h._min,v=h._max,k=o/g,S=w+(v-w)*k,D=h.distr;
return D==3?ps(10,S):D==4?gd(S,h.asinh):D==100?h.bwd(S):S}function tu(o,a){let d=Gt(o,R,a);return Nt(d,t[0],He,Ie)}s.valToIdx=o=>Nt(o,t[0]),
s.posToIdx=tu,s.posToVal=Gt,s.valToPos=(o,a,d)=>T[a].ori==0?r(o,T[a],d?lt:ee,d?dt:0):l(o,T[a],d?At:L,d?xt:0),s.setCursor=(o,a,d)=>{ve=o.left,
Ee=o.top,An(null,a,d)};function Pr(o,a){_e(is,ds,ke.left=o),_e(is,Hs,ke.width=a)}function Rr(o,a){_e(is,"top",ke.top=o),_e(is,Is,ke.height=a)}
let $s=E.ori==0?Pr:Rr,Ms=E.ori==1?Pr:Rr;function nu(){if(Ce&&te.live)for(let o=i==2?1:0;o<x.length;o++){if(o==0&&kt)continue;let a=te.values[o],
d=0;for(let h in a)Wt[o][d++].firstChild.nodeValue=a[h]}}function ao(o,a){if(o!=null&&(o.idxs?o.idxs.forEach((d,h)=>{he[h]=d}):vd(o.idx)||he.
fill(o.idx),te.idx=he[0]),Ce&&te.live){for(let d=0;d<x.length;d++)(d>0||i==1&&!kt)&&su(d,he[d]);nu()}_t=!1,a!==!1&&Ve("setLegend")}s.setLegend=
ao;function su(o,a){let d=x[o],h=o==0&&X==2?Pt:t[o],g;kt?g=d.values(s,o,a)??fn:(g=d.value(s,a==null?null:h[a],o,a),g=g==null?fn:{_:g}),te.values[o]=
g}function An(o,a,d){Dr=ve,Ar=Ee,[ve,Ee]=W.move(s,ve,Ee),W.left=ve,W.top=Ee,Je&&(es&&Jt(es,Oe(ve),0,ee,L),ts&&Jt(ts,0,Oe(Ee),ee,L));let h,g=He>
Ie;tn=ge,gn=null;let w=E.ori==0?ee:L,v=E.ori==1?ee:L;if(ve<0||Ke==0||g){h=W.idx=null;for(let k=0;k<x.length;k++){let S=St[k];S!=null&&Jt(S,-10,
-10,ee,L)}jn&&qt(null,os,!0,o==null&&Re.setSeries),te.live&&(he.fill(h),_t=!0)}else{let k,S,D;i==1&&(k=E.ori==0?ve:Ee,S=Gt(k,R),h=W.idx=Nt(S,
t[0],He,Ie),D=M(t[0][h],E,w,0));let A=-10,F=-10,Y=0,ae=0,re=!0,se="",K="";for(let B=i==2?1:0;B<x.length;B++){let xe=x[B],Ae=he[B],qe=Ae==null?
null:i==1?t[B][Ae]:t[B][1][Ae],pe=W.dataIdx(s,B,h,S),Pe=pe==null?null:i==1?t[B][pe]:t[B][1][pe];if(_t=_t||Pe!=qe||pe!=Ae,he[B]=pe,B>0&&xe.show){
let ft=pe==null?-10:pe==h?D:M(i==1?t[0][pe]:t[B][0][pe],E,w,0),Ze=Pe==null?-10:I(Pe,i==1?T[xe.scale]:T[xe.facets[1].scale],v,0);if(jn&&Pe!=null){
let Tt=E.ori==1?ve:Ee,Rt=Ne(Vt.dist(s,B,pe,Ze,Tt));if(Rt<tn){let Kt=Vt.bias;if(Kt!=0){let ht=Gt(Tt,xe.scale),Et=Pe>=0?1:-1,Lt=ht>=0?1:-1;Lt==
Et&&(Lt==1?Kt==1?Pe>=ht:Pe<=ht:Kt==1?Pe<=ht:Pe>=ht)&&(tn=Rt,gn=B)}else tn=Rt,gn=B}}if(_t||Un){let Tt,Rt;E.ori==0?(Tt=ft,Rt=Ze):(Tt=Ze,Rt=ft);
let Kt,ht,Et,Lt,jt,Xe,pt=!0,Pn=Ye.bbox;if(Pn!=null){pt=!1;let et=Pn(s,B);Et=et.left,Lt=et.top,Kt=et.width,ht=et.height}else Et=Tt,Lt=Rt,Kt=ht=
Ye.size(s,B);if(Xe=Ye.fill(s,B),jt=Ye.stroke(s,B),Un)B==gn&&tn<=Vt.prox&&(A=Et,F=Lt,Y=Kt,ae=ht,re=pt,se=Xe,K=jt);else{let et=St[B];et!=null&&
(Yn[B]=Et,Jn[B]=Lt,zl(et,Kt,ht,pt),Ol(et,Xe,jt),Jt(et,Mt(Et),Mt(Lt),ee,L))}}}}if(Un){let B=Vt.prox,xe=Dn==null?tn<=B:tn>B||gn!=Dn;if(_t||xe){
let Ae=St[0];Ae!=null&&(Yn[0]=A,Jn[0]=F,zl(Ae,Y,ae,re),Ol(Ae,se,K),Jt(Ae,Mt(A),Mt(F),ee,L))}}}if(ke.show&&pn)if(o!=null){let[k,S]=Re.scales,
[D,A]=Re.match,[F,Y]=o.cursor.sync.scales,ae=o.cursor.drag;if(We=ae._x,Be=ae._y,We||Be){let{left:re,top:se,width:K,height:B}=o.select,xe=o.scales[F].
ori,Ae=o.posToVal,qe,pe,Pe,ft,Ze,Tt=k!=null&&D(k,F),Rt=S!=null&&A(S,Y);Tt&&We?(xe==0?(qe=re,pe=K):(qe=se,pe=B),Pe=T[k],ft=M(Ae(qe,F),Pe,w,0),
Ze=M(Ae(qe+pe,F),Pe,w,0),$s(zt(ft,Ze),Ne(Ze-ft))):$s(0,w),Rt&&Be?(xe==1?(qe=re,pe=K):(qe=se,pe=B),Pe=T[S],ft=I(Ae(qe,Y),Pe,v,0),Ze=I(Ae(qe+pe,
Y),Pe,v,0),Ms(zt(ft,Ze),Ne(Ze-ft))):Ms(0,v)}else fo()}else{let k=Ne(Dr-$r),S=Ne(Ar-Mr);if(E.ori==1){let Y=k;k=S,S=Y}We=je.x&&k>=je.dist,Be=je.
y&&S>=je.dist;let D=je.uni;D!=null?We&&Be&&(We=k>=D,Be=S>=D,!We&&!Be&&(S>k?Be=!0:We=!0)):je.x&&je.y&&(We||Be)&&(We=Be=!0);let A,F;We&&(E.ori==
0?(A=ns,F=ve):(A=ss,F=Ee),$s(zt(A,F),Ne(F-A)),Be||Ms(0,v)),Be&&(E.ori==1?(A=ns,F=ve):(A=ss,F=Ee),Ms(zt(A,F),Ne(F-A)),We||$s(0,w)),!We&&!Be&&
($s(0,0),Ms(0,0))}if(je._x=We,je._y=Be,o==null){if(d){if(Vr!=null){let[k,S]=Re.scales;Re.values[0]=k!=null?Gt(E.ori==0?ve:Ee,k):null,Re.values[1]=
S!=null?Gt(E.ori==1?ve:Ee,S):null}As(Lo,s,ve,Ee,ee,L,h)}if(jn){let k=d&&Re.setSeries,S=Vt.prox;Dn==null?tn<=S&&qt(gn,os,!0,k):tn>S?qt(null,os,
!0,k):gn!=Dn&&qt(gn,os,!0,k)}}_t&&(te.idx=h,ao()),a!==!1&&Ve("setCursor")}let bn=null;Object.defineProperty(s,"rect",{get(){return bn==null&&
Ds(!1),bn}});function Ds(o=!1){o?bn=null:(bn=_.getBoundingClientRect(),Ve("syncRect",bn))}function Lr(o,a,d,h,g,w,v){W._lock||pn&&o!=null&&o.
movementX==0&&o.movementY==0||(co(o,a,d,h,g,w,v,!1,o!=null),o!=null?An(null,!0,!0):An(a,!0,!1))}function co(o,a,d,h,g,w,v,k,S){if(bn==null&&
Ds(!1),$n(o),o!=null)d=o.clientX-bn.left,h=o.clientY-bn.top;else{if(d<0||h<0){ve=-10,Ee=-10;return}let[D,A]=Re.scales,F=a.cursor.sync,[Y,ae]=F.
values,[re,se]=F.scales,[K,B]=Re.match,xe=a.axes[0].side%2==1,Ae=E.ori==0?ee:L,qe=E.ori==1?ee:L,pe=xe?w:g,Pe=xe?g:w,ft=xe?h:d,Ze=xe?d:h;if(re!=
null?d=K(D,re)?u(Y,T[D],Ae,0):-10:d=Ae*(ft/pe),se!=null?h=B(A,se)?u(ae,T[A],qe,0):-10:h=qe*(Ze/Pe),E.ori==1){let Tt=d;d=h,h=Tt}}S&&(a==null||
a.cursor.event.type==Lo)&&((d<=1||d>=ee-1)&&(d=Cn(d,ee)),(h<=1||h>=L-1)&&(h=Cn(h,L))),k?($r=d,Mr=h,[ns,ss]=W.move(s,d,h)):(ve=d,Ee=h)}let uo={
width:0,height:0,left:0,top:0};function fo(){ii(uo,!1)}let Cr,Fr,Or,Nr;function zr(o,a,d,h,g,w,v){pn=!0,We=Be=je._x=je._y=!1,co(o,a,d,h,g,w,
v,!0,!1),o!=null&&(Qe(Co,Ho,Hr,!1),As(Dl,s,ns,ss,ee,L,null));let{left:k,top:S,width:D,height:A}=ke;Cr=k,Fr=S,Or=D,Nr=A}function Hr(o,a,d,h,g,w,v){
pn=je._x=je._y=!1,co(o,a,d,h,g,w,v,!1,!0);let{left:k,top:S,width:D,height:A}=ke,F=D>0||A>0,Y=Cr!=k||Fr!=S||Or!=D||Nr!=A;if(F&&Y&&ii(ke),je.setScale&&
F&&Y){let ae=k,re=D,se=S,K=A;if(E.ori==1&&(ae=S,re=A,se=k,K=D),We&&mn(R,Gt(ae,R),Gt(ae+re,R)),Be)for(let B in T){let xe=T[B];B!=R&&xe.from==
null&&xe.min!=ge&&mn(B,Gt(se+K,B),Gt(se,B))}fo()}else W.lock&&(W._lock=!W._lock,An(a,!0,o!=null));o!=null&&(qn(Co,Ho),As(Co,s,ve,Ee,ee,L,null))}
function iu(o,a,d,h,g,w,v){if(W._lock)return;$n(o);let k=pn;if(pn){let S=!0,D=!0,A=10,F,Y;E.ori==0?(F=We,Y=Be):(F=Be,Y=We),F&&Y&&(S=ve<=A||ve>=
ee-A,D=Ee<=A||Ee>=L-A),F&&S&&(ve=ve<ns?0:ee),Y&&D&&(Ee=Ee<ss?0:L),An(null,!0,!0),pn=!1}ve=-10,Ee=-10,he.fill(null),An(null,!0,!0),k&&(pn=k)}
function Ir(o,a,d,h,g,w,v){W._lock||($n(o),ji(),fo(),o!=null&&As(Rl,s,ve,Ee,ee,L,null))}function Wr(){N.forEach(Nf),Ki(s.width,s.height,!0)}
Nn($i,hs,Wr);let rs={};rs.mousedown=zr,rs.mousemove=Lr,rs.mouseup=Hr,rs.dblclick=Ir,rs.setSeries=(o,a,d,h)=>{let g=Re.match[2];d=g(s,a,d),d!=
-1&&qt(d,h,!0,!1)},Je&&(Qe(Dl,_,zr),Qe(Lo,_,Lr),Qe(Al,_,o=>{$n(o),Ds(!1)}),Qe(Pl,_,iu),Qe(Rl,_,Ir),jo.add(s),s.syncRect=Ds);let oi=s.hooks=e.
hooks||{};function Ve(o,a,d){io?Es.push([o,a,d]):o in oi&&oi[o].forEach(h=>{h.call(null,s,a,d)})}(e.plugins||[]).forEach(o=>{for(let a in o.
hooks)oi[a]=(oi[a]||[]).concat(o.hooks[a])});let Br=(o,a,d)=>d,Re=Le({key:null,setSeries:!1,filters:{pub:Vl,sub:Vl},scales:[R,x[1]?x[1].scale:
null],match:[ql,ql,Br],values:[null,null]},W.sync);Re.match.length==2&&Re.match.push(Br),W.sync=Re;let Vr=Re.key,ho=Ia(Vr);function As(o,a,d,h,g,w,v){
Re.filters.pub(o,a,d,h,g,w,v)&&ho.pub(o,a,d,h,g,w,v)}ho.sub(s);function ou(o,a,d,h,g,w,v){Re.filters.sub(o,a,d,h,g,w,v)&&rs[o](null,a,d,h,g,
w,v)}s.pub=ou;function ru(){ho.unsub(s),jo.delete(s),xn.clear(),Bo($i,hs,Wr),p.remove(),ue?.remove(),Ve("destroy")}s.destroy=ru;function po(){
Ve("init",e,t),wr(t||e.data,!1),z[R]?oo(R,z[R]):ji(),Zs=ke.show&&(ke.width>0||ke.height>0),En=_t=!0,Ki(e.width,e.height)}return x.forEach(br),
N.forEach(zc),n?n instanceof HTMLElement?(n.appendChild(p),po()):n(s,po):po(),s}ze.assign=Le;ze.fmtNum=er;ze.rangeNum=Mi;ze.rangeLog=Pi;ze.rangeAsinh=
Zo;ze.orient=Hn;ze.pxRatio=ce;ze.join=$d;ze.fmtDate=nr,ze.tzDate=zd;ze.sync=Ia;{ze.addGap=kf,ze.clipGaps=Ci;let e=ze.paths={points:Ka};e.linear=
Ua,e.stepped=Sf,e.bars=Tf,e.spline=$f}var In=[7,4],cr=[2,3],zf=window.matchMedia("(max-width: 720px)"),Za=()=>zf.matches?140:190,Hf=16,Xa=8,If=60,Wf=180,Bf=86400,Vf=Array.from({length:50},
(e,t)=>2**t),Ht=class{element;#n;#t=c("div",{class:"chart-canvas"});#l=[];#i=c("span",{class:"chart-when"});#o;#a;#e=null;#s=[];#u=[];#r=null;#c=[];#d=0;#p;constructor(t,n,s=null){
this.#n=t,this.#p=n;let i=t.lines.map(r=>{let l=c("span",{class:"figure"});this.#l.push(l);let u=c("span",{class:`sample sample-${r.colour}${r.
dash?` sample-${r.dash[0]===cr[0]?"dot":"dash"}`:""}`,"aria-hidden":"true"});return c("li",{},u,c("span",{},r.label),l)});this.element=c("fi\
gure",{class:"chart card"},c("figcaption",{},c("div",{},c("h3",{},t.title),c("p",{},t.about)),s),this.#t,c("div",{class:"legend"},c("ul",{},
...i),this.#i)),this.#t.setAttribute("role","img"),this.#f(),this.#o=new ResizeObserver(()=>this.#h()),this.#o.observe(this.#t),this.#a=gi(()=>this.#m())}set(t,n,s=null,i=[]){
this.#c=i,this.#t.dataset.marks=String(i.length),this.#s=t,this.#u=n,this.#r=s,this.#f(),this.#t.dataset.points=String(t.length),this.#e?this.#e.
setData(this.#y()):this.#h(),this.#k(null)}#f(){let t=this.#r===null?"the last five minutes":`${Ft(this.#r.seconds)} up to ${ai(this.#r.end*
1e3)} ${yn(this.#r.end*1e3)}`;this.#t.setAttribute("aria-label",`${this.#n.title}: lines over ${t}; the newest figures follow`)}leave(){this.#o.
disconnect(),this.#a(),this.#e?.destroy(),this.#e=null}#h(){let t=Math.floor(this.#t.clientWidth);t!==0&&(this.#e?t!==this.#d&&this.#e.setSize(
{width:t,height:Za()}):this.#w(t),this.#d=t)}#m(){this.#e&&(this.#e.destroy(),this.#e=null,this.#h())}#y(){let t=[];return this.#n.lines.forEach(
(n,s)=>{let i=this.#u[s]??[],r=n.fill==="stacked"?t[s-1]:void 0;t.push(r?i.map((l,u)=>l===null?null:l+(r[u]??0)):i)}),[this.#s,...t]}#w(t){let{
lines:n,tick:s,figure:i,least:r,most:l,isBinary:u}=this.#n,f={stroke:st("ink-soft"),font:`12px ${st("font")}`,ticks:{show:!1},grid:{stroke:st(
"rule"),width:1}},p={width:t,height:Za(),legend:{show:!1},cursor:{sync:{key:"forebay"},drag:{x:!0,y:!1,setScale:!1,dist:Xa}},scales:{x:{time:!0,
range:()=>this.#b()},y:{range:(y,m,b)=>[0,l??Math.max((b??0)*1.1,r??1)]}},axes:[{...f,grid:{show:!1},size:26,space:110,values:(y,m)=>m.map(b=>this.#_(
b))},{...f,size:62,space:36,values:(y,m)=>m.map(b=>(s??i)(b)),...u?{incrs:Vf}:{}}],series:[{},...n.map(y=>this.#x(y))],bands:n.flatMap((y,m)=>y.
fill==="stacked"&&m>0?[{series:[m+1,m]}]:[]),hooks:{setCursor:[y=>this.#k(y.cursor.idx??null)],setSelect:[y=>this.#g(y)],draw:[y=>this.#v(y)]}};
this.#e=new ze(p,this.#y(),this.#t)}#g(t){let{left:n,width:s}=t.select;if(s<Xa)return;let[i,r]=[t.posToVal(n,"x"),t.posToVal(n+s,"x")];t.setSelect(
{left:0,top:0,width:0,height:0},!1),this.#p(i,r)}#v(t){let{ctx:n,bbox:s}=t,i=window.devicePixelRatio||1;n.save(),n.font=`600 ${11*i}px ${st(
"font")}`,n.lineWidth=i,n.setLineDash([2*i,3*i]),n.textAlign="center";let r=[];this.#c.forEach((l,u)=>{let f=t.valToPos(l.at,"x",!0);r.push(
l.label);let p=this.#c[u+1];p&&t.valToPos(p.at,"x",!0)-f<Hf*i||(n.strokeStyle=n.fillStyle=st(l.colour),n.beginPath(),n.moveTo(f,s.top+14*i),
n.lineTo(f,s.top+s.height),n.stroke(),n.fillText(r.length>2?`${r[0]}\u2013${l.label}`:r.join(","),f,s.top+11*i),r=[])}),n.restore()}#x(t){let n=st(
t.colour);return{label:t.label,stroke:n,width:2,points:{show:!1},...t.dash?{dash:t.dash}:{},...t.fill?{fill:`${n}40`}:{}}}#b(){if(this.#r)return[
this.#r.end-this.#r.seconds,this.#r.end];let t=this.#s.at(-1)??Date.now()/1e3,n=t-(this.#s[0]??t);return[t-Math.min(Ls,Math.max(If,n)),t]}#_(t){
let[n,s]=this.#b(),i=yn(t*1e3);return s-n>Bf&&i==="00:00:00"?ai(t*1e3):s-n<Wf?i:i.slice(0,5)}#k(t){let n=t??this.#s.length-1,s=this.#s[n];this.#l.
forEach((r,l)=>G(r,this.#n.figure(this.#u[l]?.[n]??null)));let i=s===void 0?"":yn(s*1e3);G(this.#i,t===null||s===void 0?"now":this.#r?`${ai(
s*1e3)} ${i.slice(0,5)}`:i)}};var qf={info:"busy",warning:"warning",error:"bad"};function ec(e,t,n,s,i){return e.filter(l=>l.disk===null||l.disk===t).map(l=>({event:l,at:new Date(
l.time).getTime()/1e3+n})).filter(({at:l})=>l>=s&&l<=i).slice(-12).map(({event:l,at:u},f)=>({event:l,mark:{at:u,label:String(f+1),colour:qf[l.
level]??"warning"}}))}function Qt(){return c("span",{class:"badge"},c("span",{class:"sign","aria-hidden":"true"}),c("span",{}))}function Zt(e,t,n){e.className=`ba\
dge badge-${t}`;let[s,i]=e.children;s&&G(s,Ao[t]),i&&G(i,n)}function vt(e,t){let n=c("div",{class:"tile-value","data-figure":t}),s=c("div",{
class:"tile-remark"});return{element:c("div",{class:"tile"},c("div",{class:"tile-name"},e),n,s),set(r,l=""){G(n,r),G(s,l)}}}function Gs(){let e=c(
"ul",{class:"findings","aria-live":"polite","aria-label":"Warnings"});return{element:e,set(t){e.hidden=t.length===0,gt(e,t,n=>`${n.tone} ${n.
text.replace(/\d[\d.]*/g,"#")}`,()=>c("li",{},c("span",{class:"sign","aria-hidden":"true"}),c("div",{},c("div",{class:"finding-text"}),c("di\
v",{class:"finding-advice"}))),(n,s)=>{n.className=`finding finding-${s.tone}`,fe(n,".sign",Ao[s.tone]),fe(n,".finding-text",s.text),fe(n,".\
finding-advice",s.advice??"")})}}}function fe(e,t,n){let s=e.querySelector(t);s&&G(s,n)}var Wn={width:120,height:28};function tc(e){let t=ri(
"svg",{class:"spark",viewBox:`0 0 ${Wn.width} ${Wn.height}`,role:"img",preserveAspectRatio:"none"}),n=ri("path",{fill:"none","vector-effect":"\
non-scaling-stroke"});return t.append(ri("path",{class:"spark-base",d:`M0 ${Wn.height-1}H${Wn.width}`,fill:"none"}),n),{element:t,set(s,i){n.
setAttribute("d",Gf(s,i));let r=s.filter(l=>l!==null).at(-1);t.setAttribute("aria-label",r===void 0?`${e}: no reads in the last five minutes`:
`${e} over the last five minutes, ${we(r)} lately`)}}}function Gf(e,t){let n=Wn.width/Math.max(1,t-1),s=Wn.width-(e.length-1)*n,i="M",r="";return e.
forEach((l,u)=>{if(l===null){i="M";return}r+=`${i}${(s+u*n).toFixed(1)} ${((1-l)*(Wn.height-4)+2).toFixed(1)}`,i="L"}),r}function ks(e){let t=e.
map(([s,i])=>({key:s,name:i,cell:c("dd",{"data-figure":s})}));return{element:c("dl",{class:"facts"},...t.map(({name:s,cell:i})=>c("div",{},c(
"dt",{},s),i))),set(s){for(let{key:i,cell:r}of t)G(r,s[i]??""),r.parentElement&&(r.parentElement.hidden=s[i]===void 0)}}}var Kf=[["5 minutes",300],["1 hour",3600],["6 hours",21600],["1 day",86400],["1 week",7*86400]],zi=class{element;#n=()=>{};#t=(t,n)=>{let s=xo(
t,n,Date.now()/1e3);s&&this.#n(this.#M()?{...s,of:"5m"}:s)};#l=new Ht({title:"Hit ratio",about:"Reads answered from the cache, of all reads.",
lines:[{label:"RAM",colour:"ram",fill:"area"},{label:"Flash",colour:"flash",fill:"stacked",dash:In}],figure:we,tick:t=>`${Math.round(t*100)}\
%`,most:1},this.#t);#i=new Ht({title:"Requests a second",about:"What guests asked for.",lines:[{label:"Reads",colour:"read"},{label:"Writes",
colour:"write",dash:In}],figure:Ue,tick:wo,least:10},this.#t);#o;#a=new Ht({title:"Mean latency",about:"Of all reads, and of all writes.",lines:[
{label:"Reads",colour:"read"},{label:"Writes",colour:"write",dash:In}],figure:Ge,least:10},this.#t);#e;#s=new Ht({title:"Dirty data",about:"\
What flash has and the backing does not, without zeroes.",lines:[{label:"Dirty",colour:"dirty",fill:"area"},{label:"Limit",colour:"limit",dash:In}],
figure:C,least:64*1024,isBinary:!0},this.#t);#u=new Ht({title:"Backing requests saved",about:"What guests asked for, and what reached the ba\
cking.",lines:[{label:"Guests",colour:"read"},{label:"Backing",colour:"limit",dash:In,fill:"area"}],figure:Ue,tick:wo,least:10},this.#t);#r=new Ht(
{title:"Written to flash",about:"Bytes a second, headers and second copies included.",lines:[{label:"Flash",colour:"flash",fill:"area"}],figure:Ct,
tick:C,least:64*1024,isBinary:!0},this.#t);#c=c("select",{"aria-label":"Latency of",name:"latency-class"},...ci.map(t=>c("option",{value:t},
vi[t])));#d=c("select",{"aria-label":"Percentiles of",name:"latency-spread"},c("option",{value:"readSpread"},"Reads"),c("option",{value:"wri\
teSpread"},"Writes"));#p=c("span",{class:"hint"});#f;#h=c("p",{class:"hint",role:"status"});#m=[];#y=[];#w=null;#g=[];#v=null;#x=!1;#b=c("in\
put",{type:"datetime-local",name:"from",step:1,required:!0,"aria-label":"From"});#_=c("input",{type:"datetime-local",name:"to",step:1,required:!0,
"aria-label":"To"});#k=c("ol",{class:"happened","aria-label":"Events in this time"});constructor(t){this.#n=t;let n=c("div",{class:"chart-co\
ntrols"},this.#c,this.#p);this.#c.value="read_miss",this.#c.addEventListener("change",()=>{this.#x=!0,this.#T()});let s=(l,u)=>({title:l,about:u,
lines:[{label:"Half",colour:"read"},{label:"95 %",colour:"write",dash:In},{label:"99 %",colour:"limit",dash:cr}],figure:Ge,least:10});this.#o=
new Ht(s("Latency","So many in a hundred were faster."),this.#t,n),this.#d.addEventListener("change",()=>this.#E()),this.#e=new Ht(s("Latenc\
y percentiles","Of each step, so many in a hundred were faster."),this.#t,c("div",{class:"chart-controls"},this.#d));let i=([l,u])=>c("butto\
n",{type:"button","data-seconds":u,onclick:()=>t({seconds:u,end:null})},l);this.#f=c("div",{class:"segmented",role:"group","aria-label":"How\
 far back"},...Kf.map(i));let r=c("form",{class:"period","aria-label":"Period"},this.#b,c("span",{},"to"),this.#_,c("button",{type:"submit"},
"Show"));r.addEventListener("submit",l=>{l.preventDefault();let u=[this.#b,this.#_].map(p=>new Date(p.value).getTime()/1e3),f=xo(u[0]??NaN,u[1]??
NaN,Date.now()/1e3);f?t(f):G(this.#h,"The two moments must be within the last week, and at least ten seconds apart.")}),this.element=c("sect\
ion",{class:"did","aria-label":"Charts"},c("div",{class:"section-head"},c("h2",{},"What it did"),this.#f),c("details",{class:"other-period"},
c("summary",{},"Another time"),r),this.#h,c("div",{class:"charts"},...this.#S().map(l=>l.element)),this.#k)}update(t,n,s){let{period:i}=t,r=wn(
i)==="5m",l=Date.now()/1e3,u=r?t.series.get(n)?.points??[]:t.past?.points??[],f=i.end??(r?u.at(-1)?.at??l:t.past?.end??l),p=ec(t.events??[],
n,t.ahead,f-i.seconds,f);if(this.#w=r&&i.end===null?null:{end:f,seconds:i.seconds},this.#g=p.map(({mark:m})=>m),this.#D(i,r,!r&&t.past===null),
this.#A(p),this.#P(u,s),r){this.#m=u,G(this.#p,t.windows.has(n)?"over 5 minutes each":"since attached"),this.#T();return}let y=m=>u.map(m);this.#a.
set(u.map(m=>m.at),[y(m=>m.readMicros),y(m=>m.writeMicros)],this.#w,this.#g),this.#y=u,this.#E()}leave(){for(let t of this.#S())t.leave()}#S(){
return[this.#l,this.#i,this.#o,this.#a,this.#e,this.#u,this.#s,this.#r]}#M(){return this.#v!==null&&wn(this.#v)==="5m"}#D(t,n,s){let i=t!==this.#v;
this.#v=t;for(let l of this.#f.children)l.setAttribute("aria-pressed",String(t.end===null&&l.getAttribute("data-seconds")===String(t.seconds)));
i&&t.end!==null&&(this.#b.value=nc(t.end-t.seconds),this.#_.value=nc(t.end));let r=n?"":"In steps of five minutes; of dirty data, the most i\
n each. ";i||s?G(this.#h,s?"Asking Forebay\u2026":`${r}Draw over a chart to see a part of it.`):this.#h.textContent==="Asking Forebay\u2026"&&
G(this.#h,`${r}Draw over a chart to see a part of it.`),J(this.#o.element,n),J(this.#a.element,!n),J(this.#e.element,!n),this.#s.element.classList.
toggle("chart-wide",!n)}#A(t){J(this.#k,t.length>0);let n=()=>c("li",{},c("span",{class:"happened-number"}),Qt(),c("time",{}),c("span",{class:"\
happened-text"}));gt(this.#k,t,({event:s})=>`${s.id} ${s.time}`,n,(s,{event:i,mark:r})=>{fe(s,".happened-number",r.label);let l=s.querySelector(
".badge");l&&Zt(l,yi[i.level]??"warning",i.level),fe(s,"time",as(i.time)),fe(s,".happened-text",i.message)})}#P(t,n){let s=u=>t.map(u),i=t.map(
u=>u.at),r=(u,...f)=>u.set(i,f,this.#w,this.#g);r(this.#l,s(u=>u.hitRam),s(u=>u.hitFlash)),r(this.#i,s(u=>u.rates?.reads??null),s(u=>u.rates?.
writes??null)),r(this.#u,s(u=>Rn(u.rates)),s(u=>u.rates?u.rates.backing_reads+u.rates.backing_writes:null)),r(this.#r,s(u=>u.rates?.flash_write_bytes??
null));let l=n==="write-back"?s(u=>u.dirtyLimitBytes):t.map(()=>null);r(this.#s,s(u=>u.dirtyBytes),l)}#T(){let t=this.#m.at(-1)?.latency;if(!this.#x&&
t&&t[this.#$()].count===0){let i=ci.find(r=>t[r].count>0);i&&(this.#c.value=i)}let n=this.#$(),s=i=>this.#m.map(r=>r.latency&&r.latency[n].count>
0?r.latency[n][i]:null);this.#o.set(this.#m.map(i=>i.at),[s("p50"),s("p95"),s("p99")],this.#w,this.#g)}#E(){let t=this.#d.value==="writeSpre\
ad"?"writeSpread":"readSpread",n=[0,1,2].map(s=>this.#y.map(i=>i[t]?.[s]??null));this.#e.set(this.#y.map(s=>s.at),n,this.#w,this.#g)}#$(){return ci.
find(t=>t===this.#c.value)??"read_miss"}};function nc(e){let t=new Date(e*1e3);return new Date(t.getTime()-t.getTimezoneOffset()*6e4).toISOString().
slice(0,19)}var sc=4;function ur(e){return Math.log2(e)}function dr(e){let t=r=>r?`${C(r.cache_bytes)}: ${we(r.hit_ratio)}`:"\u2013",n=e.points.findIndex(
r=>r.cache_bytes===e.present.cache_bytes),s=r=>n<0?null:e.points[n+r],i=e.wanted.find(r=>r.hit_ratio===.9)?.cache_bytes;return{present:t(e.present),
half:t(s(-sc)),double:t(s(sc)),held:t(e.held),knee:t(e.knee),largest:t(e.largest),wanted:i==null?"no size has it":C(i),working_set:C(e.working_set_bytes)}}
var jf=2**20;function oc(e,t,n,s){let i=Math.max(0,e.present.cache_bytes-n),l=t.cache_bytes===e.present.cache_bytes?n:Math.round((t.cache_bytes-
i)/2**20)*2**20;return l<jf?null:{flashBytes:l,hitRatio:t.hit_ratio,readMicros:Uf(t.hit_ratio,s)}}function Uf(e,t){let n=t?.latency_us;if(!n||
e===null)return null;let s=ic([n.read_hit_ram,n.read_hit_flash]),i=ic([n.read_miss]);return s===null||i===null?null:e*s+(1-e)*i}function ic(e){
let t=e.reduce((n,s)=>n+s.count,0);return t>0?e.reduce((n,s)=>n+s.count*s.mean,0)/t:null}function fr(e){let t=e.readMicros===null?"":`, read\
s ${Ge(e.readMicros)} on average`;return`${C(e.flashBytes)} of flash: ${we(e.hitRatio)} hits${t}`}var rc=230,Yf=1e4,Jf=[["present","Present size"],["half","Half of it"],["double","Twice as much"],["held","Held now"],["knee","More gains le\
ss above"],["largest","More gains nothing above"],["wanted","For 90 % hits"],["working_set","Used in 48 active hours"]],Hi=class{element;#n=c(
"div",{class:"curve-canvas",role:"img"});#t=c("p",{class:"hint",role:"status"});#l=c("span",{class:"chart-when"});#i=ks(Jf);#o=new ResizeObserver(
()=>this.#b());#a;#e=null;#s=null;#u=0;#r="";#c;#d=c("output",{class:"chosen","data-figure":"chosen"});#p=c("button",{type:"button",class:"p\
rimary",onclick:()=>this.#v()},"Use this size\u2026");#f=[];#h=!1;#m=null;#y;constructor(t){this.#y=t;let n=ct();this.#c=c("input",{id:n,type:"\
range",min:0,max:0,step:1,value:0,"aria-describedby":`${n}-chosen`}),this.#d.id=`${n}-chosen`,this.#c.addEventListener("input",()=>{this.#h=
!0,this.#g()}),this.element=c("section",{class:"card curve","aria-label":"Curve"},c("div",{class:"section-head"},c("h2",{},"With a cache of \
another size"),this.#l),c("p",{class:"hint"},"The share of reads that flash and RAM of this size would answer, predicted from samples of wha\
t guests lately did."),this.#n,c("div",{class:"slider"},c("label",{for:n},"Try a size"),this.#c,this.#d,this.#p),this.#t,this.#i.element),this.
element.hidden=!0,this.#o.observe(this.#n),this.#a=gi(()=>this.#x())}set(t,n,s){if(this.#m=n,this.#e=t!==null&&t.reads>0?t:null,J(this.element,
this.#e!==null),!this.#e)return;this.#i.set(dr(this.#e)),G(this.#t,this.#e.reads<Yf?`Read ${me(this.#e.reads)} times only: this may be chanc\
e.`:""),this.#w(this.#e,n,s),this.#n.setAttribute("aria-label",`Hit ratio by the size of the cache; at the present size of ${dr(this.#e).present}`);
let i=JSON.stringify([this.#e.points,this.#e.present,this.#e.held]);i!==this.#r&&(this.#r=i,this.#n.dataset.points=String(this.#e.points.length),
this.#x(),this.#b())}leave(){this.#o.disconnect(),this.#a(),this.#s?.destroy(),this.#s=null}#w(t,n,s){let i=this.#f[Number(this.#c.value)]?.
flashBytes,r=n.limit_bytes??0,l=t.points.map(p=>oc(t,p,r,s)).filter(p=>p!==null);this.#f=l.filter((p,y)=>y===0||p.flashBytes!==l[y-1]?.flashBytes),
this.#c.max=String(Math.max(0,this.#f.length-1));let u=this.#h&&i!==void 0?i:r,f=this.#f.reduce((p,y,m)=>lc(y,u)<lc(this.#f[p],u)?m:p,0);this.#c.
value=String(f),this.#g()}#g(){let t=this.#f[Number(this.#c.value)],n=t?.flashBytes===this.#m?.limit_bytes;G(this.#d,t?`${fr(t)}${n?" (as it\
 is)":""}`:"No other size can be chosen"),this.#c.setAttribute("aria-valuetext",this.#d.textContent??""),this.#p.disabled=t===void 0||n}#v(){
let t=this.#f[Number(this.#c.value)],n=this.#m;if(!t||!n)return;let s=C(t.flashBytes),i=t.flashBytes<(n.limit_bytes??0);tt({title:`Let ${n.name}\
 have ${s} of flash at most?`,sentences:[`Predicted: ${fr(t)}.`,i?`What it holds above that is evicted; it holds ${C(n.statistics.flash_bytes)}\
 now.`:"It grows into it as guests read, if the pool has room that no other disk reserved.","Guests stay connected and go on meanwhile."],confirm:"\
Change",run:async()=>(await Me("PATCH",De(n.name),{settings:{limit:String(t.flashBytes)}}),this.#h=!1,this.#y(),`${n.name} may have ${s} of \
flash now`)})}#x(){this.#s?.destroy(),this.#s=null,this.#b()}#b(){let t=Math.floor(this.#n.clientWidth);t===0||!this.#e||(this.#s?t!==this.#u&&
this.#s.setSize({width:t,height:rc}):this.#_(t,this.#e),this.#u=t)}#_(t,{points:n}){let s={stroke:st("ink-soft"),font:`12px ${st("font")}`,ticks:{
show:!1},grid:{stroke:st("rule"),width:1}},i=st("flash"),r=n.map(u=>ur(u.cache_bytes)),l={width:t,height:rc,legend:{show:!1},cursor:{drag:{x:!1,
y:!1}},scales:{x:{time:!1,range:[r[0]??0,r.at(-1)??1]},y:{range:[0,1]}},axes:[{...s,grid:{show:!1},size:26,space:80,incrs:[1,2,4,8],values:(u,f)=>f.
map(p=>C(2**p))},{...s,size:62,space:36,values:(u,f)=>f.map(p=>`${Math.round(p*100)}%`)}],series:[{},{label:"Hit ratio",stroke:i,width:2,points:{
show:!1},fill:`${i}40`}],hooks:{draw:[u=>this.#k(u)],setCursor:[u=>this.#S(u.cursor.idx??null)]}};this.#s=new ze(l,[r,n.map(u=>u.hit_ratio)],
this.#n)}#k(t){if(!this.#e)return;let{ctx:n,bbox:s}=t,i=window.devicePixelRatio||1,r=[[this.#e.held,"held",st("limit"),[4,4]],[this.#e.present,
"present",st("ink"),[]]];n.save(),n.font=`${12*i}px ${st("font")}`;for(let[{cache_bytes:l},u,f,p]of r){let y=t.valToPos(ur(l),"x",!0);if(l<=
0||y<s.left||y>s.left+s.width)continue;n.strokeStyle=n.fillStyle=f,n.lineWidth=1.5*i,n.setLineDash(p.map(b=>b*i)),n.beginPath(),n.moveTo(y,s.
top),n.lineTo(y,s.top+s.height),n.stroke();let m=u==="held";n.textAlign=m?"right":"left",n.fillText(u,y+(m?-5:5)*i,s.top+12*i)}n.restore()}#S(t){
let n=t===null?void 0:this.#e?.points[t];G(this.#l,n?`${C(n.cache_bytes)}: ${we(n.hit_ratio)}`:"")}};function lc(e,t){return e===void 0?1/0:
Math.abs(Math.log(e.flashBytes/t))}var Qf=[["connections","Guests connected"]],Zf={"vhost-user":"vhost-user",nbd:"NBD","nbd-tcp":"NBD over TCP"},Ii=class{element;#n=ks(Qf);#t=c(
"dl",{class:"facts doors"});#l=c("div",{class:"stack"});#i=c("select",{name:"client","aria-label":"Client"});#o=c("label",{class:"inline"},"\
For ",this.#i);#a;#e=[];#s=!1;constructor(t){this.#a=t,this.element=c("section",{class:"card connect","aria-label":"Connect"},c("h2",{},"How\
 guests connect"),this.#n.element,this.#t,this.#o,this.#l),this.#o.hidden=!0,this.#i.addEventListener("change",()=>this.#r())}update(t){this.#n.
set({connections:t.connections===null?"\u2013":String(t.connections)}),gt(this.#t,t.doors??[],n=>n.kind,Xf,(n,s)=>{fe(n,"dt",eh(s)),fe(n,"dd",
s.address)}),this.#s||(this.#s=!0,this.#u())}async#u(){let t=await Yt(`${De(this.#a)}/connect`,"connect").catch(()=>(this.#s=!1,null));this.#e=
t?.forms??[];let n=[...new Set(this.#e.map(s=>s.client))];this.#i.replaceChildren(...n.map(s=>c("option",{value:s},s))),J(this.#o,n.length>0),
this.#r()}#r(){let t=this.#e.filter(n=>n.client===this.#i.value);gt(this.#l,t,n=>`${n.client} ${n.door}`,th,(n,s)=>{fe(n,"h3",`${s.client}, \
over ${Zf[s.door]??s.door}`),fe(n,".hint",s.note),fe(n,"code",s.lines.trimEnd())})}};function Xf(e){return c("div",{},c("dt",{}),c("dd",{"da\
ta-figure":`door-${e.kind}`}))}function eh(e){let t=e.address.startsWith("/")&&e.address.endsWith(".sock")?`${e.title} socket`:e.title;return(e.
connections??0)>0?`${t} (${e.connections} connected)`:t}function th(){let e=c("code",{}),n=c("button",{type:"button",class:"quiet",onclick:()=>{
navigator.clipboard?.writeText(e.textContent??"").then(()=>Ps("Copied"))}},"Copy");return n.hidden=navigator.clipboard===void 0,c("div",{},c(
"div",{class:"section-head"},c("h3",{}),n),c("p",{class:"hint"}),c("pre",{},e))}function It(e,t,n=""){let s=ct();return t.id=s,c("div",{class:"field"},c("label",{for:s},e),t,n===""?null:c("p",{class:"hint"},n))}function Ks(e,t){
let n=c("input",{type:"checkbox",name:e});return{element:c("label",{class:"tick"},n,c("span",{},t)),input:n}}function cn(e,t={}){return c("i\
nput",{type:"text",name:e,spellcheck:"false",autocomplete:"off",autocapitalize:"off",...t})}function ac(...e){return c("details",{},c("summa\
ry",{},"More"),c("div",{class:"fields"},...e))}var nh=["mode","block-size","reserve","limit","ram","dirty-limit"];function cc(e){let t=cn("n\
ame",{required:!0,pattern:"[a-z0-9][a-z0-9._\\-]{0,62}",title:"Small letters, digits, dot, dash and underscore"}),n=cn("backing",{required:!0,
placeholder:"/srv/images/web1.raw"}),s=Os.filter(f=>nh.includes(f.name)).map(f=>{let p=f.choices?.map(m=>c("option",{value:m},m))??[],y=f.choices?
c("select",{name:f.name},c("option",{value:""},"default"),...p):cn(f.name,{placeholder:"default"});return{key:f,input:y}}),i=Ks("read_only",
"Read-only: nothing is ever written to the backing"),r=Ks("force_raw","Serve it as raw even if it looks like an image of another format"),[l,
...u]=s;tt({title:"Add a disk",sentences:["Forebay serves it from now on, also after a restart. Its content stays as it is, and it must not \
be open elsewhere."],confirm:"Add",fields:c("div",{class:"stack"},It("Name",t),It("Backing",n,"A raw file or a block device, or nbd://HOST/E\
XPORT, or nbd+unix:///EXPORT?socket=PATH."),l?It(l.key.name,l.input,l.key.about):null,ac(...u.map(({key:f,input:p})=>It(f.name,p,f.about)),i.
element,r.element)),run:async()=>{let f=s.map(({key:m,input:b})=>[m.name,b.value.trim()]).filter(([,m])=>m!==""),p={name:t.value.trim(),backing:n.
value.trim(),read_only:i.input.checked,force_raw:r.input.checked,settings:Object.fromEntries(f)},{disk:y}=await Me("POST","/v1/disks",p);return e(
y.name),`${y.name} is ${y.state}; its page says how guests connect to it`}})}function uc(e,t){let n=Ks("discard_dirty",`Give up what the bac\
king does not have: ${C(nt(e))} is lost for good`),s=Ks("force","Remove it although a guest uses it: that guest gets errors");tt({title:`Rem\
ove ${e.name}?`,sentences:_l(e),confirm:"Remove",isDangerous:!0,fields:c("div",{class:"stack"},nt(e)>0?n.element:null,(e.connections??0)>0?s.
element:null),run:async()=>(await Me("DELETE",De(e.name),{discard_dirty:n.input.checked,force:s.input.checked}),t(),`${e.name} is served no \
more; its backing is complete as far as the dialog said`)})}function dc(e){let t=cn("qmp",{placeholder:"/run/web.qmp"}),n=cn("libvirt"),s=cn(
"device",{placeholder:"the only one"}),i=cn("name",{placeholder:"from the guest"});tt({title:"Attach a running guest",sentences:["The disk o\
f a running QEMU guest is moved behind Forebay, without a reboot and without a copy. The guest goes on meanwhile."],confirm:"Attach",fields:c(
"div",{class:"stack"},It("QEMU's monitor socket",t,"Made with -qmp unix:SOCKET,server=on,wait=off. Or give the guest's name in libvirt."),It(
"Guest of libvirt",n),It("Device",s,"The id of the guest's -device, or of its -drive, if it has several disks."),It("Name of the disk",i)),run:async()=>{
let r=[t,n,s,i].map(u=>[u.name,u.value.trim()]).filter(([,u])=>u!==""),{moved:l}=await Me("POST","/v1/vms",Object.fromEntries(r));return e(l),
`The running guest has its disk from Forebay now, as ${l}`}})}function fc(e,t){tt({title:`Give ${e.name} back to its guest?`,sentences:xl(e),
confirm:"Give back",run:async()=>(await Me("DELETE",`/v1/vms/${encodeURIComponent(e.name)}`),t(),`The running guest has ${e.name} back as it\
 was; Forebay no longer serves it`)})}function hc(e){let t=cn("path",{required:!0,placeholder:"/dev/disk/by-id/..."}),n=c("input",{type:"num\
ber",name:"size",min:1,step:1,placeholder:"whole device"}),s=cn("erase"),i=Ks("same_drive","It may be on the drive of another device: both c\
opies are lost with that drive");tt({title:"Add a device to the pool",sentences:["What is on it is overwritten. A device that holds anything\
 is refused, and the refusal says what it holds."],confirm:"Add",isDangerous:!0,fields:c("div",{class:"stack"},It("Path",t,"A block device u\
nder a name that stays, or a file; a file that is not there is made."),It("Size in GiB",n,"For files. A device is taken whole."),ac(It("Eras\
e",s,"The id of the old pool that a refusal named, if that may be erased."),i.element)),run:async()=>{let r={path:t.value.trim(),size_bytes:n.
value===""?null:Number(n.value)*1073741824,erase:s.value.trim()===""?null:s.value.trim(),same_drive:i.input.checked};return await Me("POST",
"/v1/pool/devices",r),e(),`${r.path} is a device of the pool`}})}function pc(e,t){let n=e.path??`device ${e.number}`;tt({title:`Take ${n} ou\
t of the pool?`,sentences:["Dirty data is written to the backings first. Then what the disks cached, also on the other devices, is dropped.",
"Guests go on from the backings, slower, until the cache is warm again."],confirm:"Take out",isDangerous:!0,run:async()=>(await Me("DELETE",
jr(e.number)),t(),`${n} is no device of the pool any more`)})}var sh={size:"Request size",latency:"Latency",seek:"Seek distance",outstanding:"Outstanding requests",interarrival:"Time between requests"},
mc={...vi,read:"Reads",write:"Writes",all:"All"};function ih(e,t){if(e.upto===null)return"more";switch(t){case"bytes":return e.upto%1024===0?
C(e.upto):me(e.upto);case"microseconds":return Ge(e.upto);default:return e.upto<0?`\u2212${me(-e.upto)}`:me(e.upto)}}function oh(e){let t=e.
map(([,u])=>u.length),n=u=>e.some(([,f])=>(f[u]?.count??0)>0),s=[...Array(Math.max(0,...t)).keys()],i=s.filter(n),[r,l]=[i[0],i.at(-1)];return r===
void 0||l===void 0?[0,0]:[Math.max(0,r-1),Math.min(s.length,l+2)]}function rh(e){let t=e.map(([,n])=>n.map(s=>s.upto).join());return t.every(
n=>n===t[0])}var Wi=class{element=c("section",{class:"histograms","aria-label":"Histograms"});#n=c("div",{class:"segmented",role:"group","ar\
ia-label":"What is counted"});#t=c("div",{class:"card histogram-tables"});#l=[];#i="size";#o="";constructor(){this.element.append(c("div",{class:"\
section-head"},c("h2",{},"Histograms"),this.#n),this.#t),this.element.hidden=!0}set(t){if(this.element.hidden=t===null||t.length===0,t===null||
t.length===0)return;this.#l=t,t.some(([s])=>s===this.#i)||(this.#i=t[0]?.[0]??"");let n=t.map(([s])=>s);this.#n.children.length!==n.length&&
this.#n.replaceChildren(...n.map(s=>this.#a(s))),this.#e()}#a(t){return c("button",{type:"button","data-what":t,onclick:()=>{this.#i=t,this.#e()}},
sh[t]??t)}#e(){for(let l of this.#n.children)l.setAttribute("aria-pressed",String(l.getAttribute("data-what")===this.#i));let t=this.#l.find(
([l])=>l===this.#i)?.[1];if(!t)return;let n=JSON.stringify([this.#i,t]);if(n===this.#o)return;this.#o=n;let{unit:s,kinds:i}=t,r=i.length<=2&&
rh(i)?[i]:i.map(l=>[l]);this.#t.replaceChildren(...r.map(l=>lh(s,l)))}};function lh(e,t){let[n,s]=oh(t),i=e==="bytes"||e==="microseconds"?"U\
p to":`Up to, ${e}`;if(n===s)return c("p",{class:"hint"},`${t.map(([f])=>mc[f]??f).join(", ")}: nothing was counted yet.`);let r=t.map(([,f])=>f.
reduce((p,y)=>p+y.count,0)),l=c("thead",{},c("tr",{},c("th",{scope:"col"},i),...t.map(([f],p)=>c("th",{scope:"col"},`${mc[f]??f}: ${me(r[p])}`)))),
u=[...Array(s-n).keys()].map(f=>{let p=n+f,y=t[0]?.[1][p];return c("tr",{},c("th",{scope:"row"},y?ih(y,e):""),...t.map(([,m],b)=>ah(m[p]?.count??
0,r[b]??0,b)))});return c("table",{class:"histogram"},l,c("tbody",{},...u))}function ah(e,t,n){let s=t>0?e/t:0,i=c("span",{class:`bar bar-${n%
6}`});i.style.width=`${(s*100).toFixed(2)}%`;let r=c("span",{class:"bar-text"});return G(r,e===0?"":`${me(e)} (${(s*100).toFixed(1)}%)`),c("\
td",{},c("div",{class:"bar-cell"},c("span",{class:"bar-track"},i),r))}var ch=[["mean","mean"],["median","p50"],["95 %","p95"],["99 %","p99"]];function uh(e,t){if(e===null||t===null||e<=0)return"";let n=(t-e)/e*
100;return Math.abs(n)<.05?"0.0%":`${n>0?"+":"\u2212"}${Math.abs(n).toFixed(1)}%`}function dh(e){let t=[],n=(s,i,r,l)=>{let[u,f]=[r(e.without),
r(e.with)];u===null&&f===null||t.push({key:s,name:i,without:l(u),with:l(f),change:uh(u,f)})};for(let s of["read","write"])for(let[i,r]of ch)
n(`${s}.${r}`,`${s==="read"?"Read":"Write"} latency, ${i}`,l=>l.latency_us[s]?.[r]??null,Ge);return n("iops","Requests a second, mean",s=>s.
iops,Ue),n("iops_busiest_minute","Requests a second, busiest minute",s=>s.iops_busiest_minute,Ue),n("backing_reads","Reads from the backing",
s=>s.backing_reads,me),n("backing_read_bytes","Bytes from the backing",s=>s.backing_read_bytes,C),n("backing_writes","Writes to the backing",
s=>s.backing_writes,me),n("backing_write_bytes","Bytes to the backing",s=>s.backing_write_bytes,C),t}function fh(e){let{times_faster:t,writes_times_faster:n}=e,
s=[];return t===null?s.push(e.with.reads===0?"Nothing was read with the cache yet, so there is nothing to compare with.":"No read went to th\
e backing yet, so there is nothing to compare with."):t>=1.05?s.push(`The mean read is ${t.toFixed(1)} times faster with the cache.`):s.push(
"The cache gains nothing for reads so far: most of what is read is read for the first time, or the backing is as fast."),n!==null&&n>=1.05&&
s.push(`The mean write is ${n.toFixed(1)} times faster.`),s}function hh(e){let{without:t}=e,n={measured:"measured while the disk was in pass\
-through",concluded:`concluded from the ${me(e.measured_backing_reads)} that went to the backing`,unknown:"not known"}[t.reads_are],s=t.writes_are===
"measured"?"measured in pass-through":"not known";return`Without the cache: reads are ${n}, writes are ${s}.`}function ph({warm_up:e}){let t=s=>((s??
0)*100).toFixed(1),n=(e.variation_max*100).toFixed(0);switch(e.state){case"warm":return`Warm after ${Ft(e.seconds)}: the next three steps hi\
t ${we(e.hit_ratio)}, less than ${n} points apart.`;case"warming":return(e.variation??0)<e.variation_max?"Not warm yet: next to nothing hits\
.":`Not warm yet: the last three steps are ${t(e.variation)} points apart, and ${n} are too many.`;default:return`Whether it is warm is not \
known: that takes three steps with ${me(e.reads_min)} reads each.`}}function mh(e,t){let n=[e.without,e.with].map(p=>p.latency_us[t]?.classes??
null),s=n.find(p=>p!==null)??[],i=n.map(p=>{let y=p?.reduce((m,b)=>m+b.count,0)??0;return s.map((m,b)=>p===null||y===0?null:(p[b]?.count??0)/
y)}),r=s.map((p,y)=>({upto:p.upto===null?"more":Ge(p.upto),without:i[0]?.[y]??null,with:i[1]?.[y]??null})),l=r.flatMap((p,y)=>(p.without??0)>
0||(p.with??0)>0?[y]:[]),[u,f]=[l[0],l.at(-1)];return u===void 0||f===void 0?[]:r.slice(u,f+1)}var Bi=class{element;#n=c("p",{class:"report-\
verdict",role:"status"});#t=c("p",{class:"hint"});#l=c("p",{class:"report-warm"});#i=c("p",{class:"hint"});#o=c("tbody",{});#a=c("tbody",{});#e;#s=c(
"p",{class:"hint","data-figure":"report.share"});#u=c("div",{class:"report-known"});#r="read";#c=null;#d="";constructor(){let t=(s,i)=>c("bu\
tton",{type:"button","data-kind":s,onclick:()=>{this.#r=s,this.#p()}},i);this.#e=c("div",{class:"segmented",role:"group","aria-label":"Class\
es of"},t("read","Reads"),t("write","Writes"));let n=(...s)=>c("thead",{},c("tr",{},...s.map(i=>c("th",{scope:"col"},i))));this.#u.append(c(
"table",{class:"report-figures"},n("","Without","With the cache","Change"),this.#o),this.#s,this.#l,c("div",{class:"section-head"},c("h3",{},
"By latency"),this.#e),c("table",{class:"histogram report-classes"},n("Up to","Without","With the cache"),this.#a)),this.element=c("section",
{class:"card report","aria-label":"Before and after"},c("h2",{},"Before and after"),this.#n,this.#t,this.#u,this.#i),this.element.hidden=!0}set(t){
J(this.element,t!==null),this.#c=t,this.#p()}#p(){let t=this.#c;if(!t)return;let n=JSON.stringify([this.#r,t]);if(n===this.#d)return;this.#d=
n;let s=[t.without,t.with].some(m=>m.reads+m.writes>0);J(this.#u,s),J(this.#t,s);let i=as(t.compared_since);G(this.#n,s?fh(t).join(" "):`Not\
hing was read since ${i}, nor written: there is nothing to report yet.`),G(this.#t,`Since ${i}: ${me(t.with.reads)} reads and ${me(t.with.writes)}\
 writes with the cache, ${me(t.without.reads)} and ${me(t.without.writes)} in pass-through. ${hh(t)}`),this.#o.replaceChildren(...dh(t).map(
gh));let{reads:r,read_hits_ram:l,read_hits_flash:u}=t.with,f=m=>we(r>0?m/r:null);G(this.#s,`Of reads with the cache, ${f(l+u)} were answered\
 by it: ${f(l)} from RAM, ${f(u)} from flash. Written to flash: ${C(t.flash_write_bytes)}.`),G(this.#l,ph(t));for(let m of this.#e.children)
m.setAttribute("aria-pressed",String(m.getAttribute("data-kind")===this.#r));let p=mh(t,this.#r);this.#a.replaceChildren(...p.length>0?p.map(
bh):[c("tr",{},c("td",{colspan:3},"Nothing was counted yet."))]);let y=t.without.reads_are==="measured"&&t.without.writes_are==="measured";J(
this.#i,s&&!y),G(this.#i,`To have "without" measured, let the disk run in pass-through for ${me(t.requests_min)} reads and as many writes: s\
et mode below, and set it back.`)}};function gh(e){let t=n=>c("td",{"data-figure":`report.${e.key}.${n}`},e[n]);return c("tr",{},c("th",{scope:"\
row"},e.name),t("without"),t("with"),t("change"))}function bh(e){let t=(n,s)=>{let i=c("span",{class:`bar bar-${s}`});return i.style.width=`${((n??
0)*100).toFixed(2)}%`,c("td",{},c("div",{class:"bar-cell"},c("span",{class:"bar-track"},i),c("span",{class:"bar-text"},we(n))))};return c("t\
r",{},c("th",{scope:"row"},e.upto),t(e.without,1),t(e.with,0))}var Vi=class{element;#n=new Map;#t=c("div",{class:"fields"});#l=c("button",{type:"submit",class:"primary"},"Review changes\u2026");#i=c("but\
ton",{type:"reset"},"Undo");#o=c("span",{class:"hint","aria-live":"polite"});#a;#e;constructor(t,n){this.#a=t,this.#e=n;let s=c("form",{"ari\
a-label":"Settings"},this.#t,c("div",{class:"buttons buttons-start"},this.#l,this.#i,this.#o));s.addEventListener("input",()=>this.#r()),s.addEventListener(
"reset",i=>{i.preventDefault();for(let r of this.#n.values())r.input.value=r.now;this.#r()}),s.addEventListener("submit",i=>{i.preventDefault(),
this.#c()}),this.element=c("section",{class:"card","aria-label":"Settings"},c("h2",{},"Settings"),c("p",{class:"hint"},"As forebay disk set \
takes them. They are changed while guests go on."),s)}update(t){let n=Os.filter(i=>i.name in t),s=Object.keys(t).filter(i=>!Os.some(r=>r.name===
i));for(let i of[...n,...s.map(r=>({name:r,about:""}))]){let r=t[i.name]??"",l=this.#n.get(i.name)??this.#s(i,r),u=l.input.value!==l.now;l.now=
r,u||gc(l.input,r)}this.#r()}#s(t,n){let s=ct(),i=ct(),r={id:s,name:t.name,"aria-describedby":i},l=t.choices?c("select",r,...t.choices.map(p=>c(
"option",{value:p},p))):c("input",{...r,type:"text",spellcheck:"false",autocomplete:"off",autocapitalize:"off"}),u=c("div",{class:"field"},c(
"label",{for:s},t.name),l,c("p",{class:"hint",id:i},t.about)),f={key:t.name,now:n,input:l,element:u};return gc(l,n),this.#t.append(u),this.#n.
set(t.name,f),f}#u(){let t=[...this.#n.values()].filter(n=>n.input.value.trim()!==n.now);return Object.fromEntries(t.map(n=>[n.key,n.input.value.
trim()]))}#r(){let t=this.#u();for(let s of this.#n.values())s.element.classList.toggle("changed",s.key in t);let n=Object.keys(t).length;this.#l.
disabled=n===0,J(this.#i,n>0),G(this.#o,n===0?"":n===1?"1 change, not sent yet":`${n} changes, not sent yet`)}#c(){let t=this.#a(),n=this.#u();
if(!t||Object.keys(n).length===0)return;let s=Object.entries(n).map(([i,r])=>c("li",{},c("code",{},i),`: ${this.#n.get(i)?.now??""} \u2192 ${r}`));
tt({title:`Change ${t.name}?`,sentences:ki(t,n),confirm:"Change",fields:c("ul",{class:"changes"},...s),run:async()=>{await Me("PATCH",De(t.name),
{settings:n,drop_cached:!0});for(let[i,r]of Object.entries(n)){let l=this.#n.get(i);l&&(l.now=r)}return this.#e(),`${t.name} now has ${Object.
entries(n).map(([i,r])=>`${i}=${r}`).join(" ")}`}})}};function gc(e,t){e instanceof HTMLSelectElement&&![...e.options].some(n=>n.value===t)&&
e.append(c("option",{value:t},t)),e.value!==t&&(e.value=t)}var yh=[["backing","Backing"],["size_bytes","Size"],["block_bytes","Block"],["reserve_bytes","Reserved flash"],["limit_bytes","Flash at most"],
["cached_bytes","Cached on flash"],["ram_bytes","Cached in RAM"],["load","From last time"],["mirrored","Dirty data"],["guest","Taken from"],
["page_cache","Page cache"],["delayed","Delayed by limits"],["errors","Errors"]];function bc(e,t,n){let s=null,i=()=>s,r=Qt(),l=c("span",{class:"\
mode"}),u=Gs(),f={hits:vt("Hit ratio","hit_ratio"),operations:vt("Requests","operations"),bytes:vt("Throughput","bytes"),latency:vt("Read la\
tency, mean","latency"),dirty:vt("Dirty","dirty_bytes"),saved:vt("Backing requests saved","saved")},p=new zi(n),y=new Wi,m=new Hi(t),b=new xi(
t),$=new Bi,_=c("p",{class:"card empty","data-figure":"no_curve"},"Sizes are predicted from what guests read. Nothing was read since the dis\
k was attached."),P=ks(yh.map(([M,I])=>[M,I])),O=new Vi(i,t),V=Tl(i,t),x=Gs(),N=new Ii(e),T=c("button",{type:"button",class:"danger","data-a\
ction":"remove",onclick:()=>s&&uc(s,t)},"Remove this disk\u2026"),Q=c("button",{type:"button","data-action":"detach",onclick:()=>s&&fc(s,t)},
"Give it back to its guest\u2026"),R={overview:js("overview",c("div",{class:"tiles"},...Object.values(f).map(M=>M.element)),p.element,V.element),
sizing:js("sizing",b.element,m.element,_),requests:js("requests",$.element,y.element),connect:js("connect",N.element),settings:js("settings",
x.element,O.element,c("section",{class:"card","aria-label":"Facts"},c("h2",{},"About this disk"),P.element),c("section",{class:"card","aria-\
label":"Removal"},c("h2",{},"Removal"),c("p",{class:"hint"},"The disk is served no more; the content of its backing stays."),c("div",{class:"\
buttons buttons-start"},T,Q)))},Z=Do.map(M=>[M,c("a",{href:Ln(e,M)},wh[M])]),H=c("nav",{class:"tabs","aria-label":`Parts of ${e}`},...Z.map(
([,M])=>M)),U=c("div",{class:"stack"},u.element,H,...Object.values(R)),j=c("div",{class:"card empty"},c("h3",{},"No such disk"),c("p",{},"Fo\
rebay serves no disk of this name. It may have been removed: forebay disk list shows all.")),E=c("p",{class:"loading"},"Asking Forebay\u2026");
return{element:c("div",{class:"view"},c("p",{class:"crumb"},c("a",{href:"#/"},"\u2190 Host")),c("div",{class:"title"},c("h1",{},e),r,l),j,E,
U),title:e,open(M){for(let[I,z]of Z)z.setAttribute("aria-current",I===M?"page":"false"),J(R[I],I===M)},leave:()=>{p.leave(),m.leave()},update(M){
let I=M.disk;if(s=I==="missing"||I===null?null:I,J(j,I==="missing"),J(E,I===null),J(U,s!==null),J(r,s!==null),!s)return;let z=Cs(s);Zt(r,wi(
[rn(s.state),...z.map(ne=>ne.tone)]),s.state),G(l,s.read_only?`${s.mode}, read-only`:s.mode),u.set(z),vh(f,s,M),p.update(M,e,s.mode),y.set(M.
histograms),m.set(M.curve,s,M.windows.get(e)??s.statistics),b.set(M.advice,s),J(_,m.element.hidden),N.update(s),J(Q,s.guest!==null),$.set(M.
report),P.set(xh(s)),O.update(s.settings),x.set(pl(s)),V.update()}}}var wh={overview:"Overview",sizing:"Sizing",requests:"Requests",connect:"\
Connect",settings:"Settings"};function js(e,...t){return c("div",{class:"stack","data-tab":e},...t)}function vh(e,t,n){let s=n.windows.get(t.
name)??n.statistics.get(t.name),i=n.windows.has(t.name)?"last 5 minutes":"since attached",r=n.series.get(t.name)?.last,l=r?.rates??null,u=Rn(
l);e.hits.set(we(s?.hit_ratio),`of reads, ${i}`),e.operations.set(u===null?"\u2013":`${Ue(u)}/s`,l?`${Ue(l.reads)} reads, ${Ue(l.writes)} wr\
ites`:""),e.bytes.set(l?Ct(l.read_bytes+l.write_bytes):"\u2013",l?`${Ct(l.read_bytes)} read, ${Ct(l.write_bytes)} written`:""),e.latency.set(
Ge(r?.readMicros),r?.writeMicros==null?"no writes lately":`writes ${Ge(r.writeMicros)}`),e.dirty.set(C(t.dirty_bytes),kh(t)),e.saved.set(we(
s?fi(s):null),i)}function kh(e){let t=e.mode==="write-back"?`of at most ${C(e.dirty_limit_bytes)}`:null;if(nt(e)===0)return t??"the backing \
is complete";let n=e.statistics.destage_bytes_per_second??0;return on(t??`for ${Ft(e.dirty_for_seconds)}`,Fs(e.dirty_zeroes_bytes),n>0?`${Ct(
n)} going home`:null)}function xh(e){let{statistics:t}=e,n={backing:e.backing,size_bytes:C(e.size_bytes),block_bytes:C(e.block_bytes),reserve_bytes:C(
e.reserve_bytes),limit_bytes:C(e.limit_bytes),cached_bytes:C(t.cached_bytes),ram_bytes:C(t.ram_bytes),load:vl(e),mirrored:_h(e),delayed:kl(e),
errors:Sh(e)};return e.guest&&(n.guest=`QEMU at ${e.guest.qmp}, device ${e.guest.device}`),e.page_cache_reason&&(n.page_cache=`used, because\
 ${e.page_cache_reason}`),n}function _h(e){return e.mirrored===null?"\u2013":e.mirrored?on("on two devices",e.not_mirrored_reason??null):"on\
 one device"}function Sh(e){let{checksum_errors:t,flash_errors:n,backing_errors:s,backing_retries:i}=e.statistics;if(t===void 0)return"\u2013";
let l=[[t,"checksums"],[n,"flash"],[s,"backing"],[i,"backing, sent again"]].filter(([u])=>(u??0)>0).map(([u,f])=>`${u} ${f}`);return l.length===
0?"none":l.join(", ")}function yc(){let e=c("ol",{class:"events","aria-label":"Events, newest first"}),t=c("select",{name:"level"},c("option",{value:"info"},"All"),
c("option",{value:"warning"},"Warnings and errors"),c("option",{value:"error"},"Errors")),n=c("p",{class:"empty"},"Nothing happened that an \
operator must know."),s=c("p",{class:"empty"},"This Forebay keeps no list of events. Its log has them: journalctl --unit forebay"),i=()=>{};
t.addEventListener("change",()=>i());let r=c("label",{class:"inline"},"Show ",t),l=c("section",{class:"card"},r,e,n,s);return{element:c("div",
{class:"view"},c("h1",{},"Events"),l),title:"Events",leave(){},update(u){i=()=>{let f=["info","warning","error"],p=f.indexOf(t.value),y=(u.events??
[]).filter(m=>f.indexOf(m.level)>=p||!f.includes(m.level)).reverse();J(s,u.events===null),J(r,u.events!==null),J(n,u.events!==null&&y.length===
0),gt(e,y,m=>`${m.id} ${m.time}`,Th,Eh)},i()}}}function Th(e){let t=e.disk?c("a",{href:Ln(e.disk),class:"event-disk"},e.disk):null;return c(
"li",{class:"event"},c("div",{class:"event-head"},Qt(),c("time",{datetime:e.time},as(e.time)),t,c("span",{class:"event-kind"})),c("div",{class:"\
event-message"}),c("div",{class:"finding-advice"}))}function Eh(e,t){let n=e.querySelector(".badge");n&&Zt(n,yi[t.level]??"warning",t.level),
fe(e,".event-kind",t.kind),fe(e,".event-message",t.message),fe(e,".finding-advice",t.advice??"")}var $h=Ls*1e3/Eo,Mh=30,wc=new WeakMap;function vc(e){let t=Gs(),n={hits:vt("Hit ratio","host.hit_ratio"),operations:vt("Requests","host.oper\
ations"),bytes:vt("Throughput","host.bytes"),dirty:vt("Dirty","host.dirty_bytes"),saved:vt("Backing requests saved","host.saved")},s=Lh(e),i=c(
"tbody",{}),l=c("table",{class:"disks"},c("thead",{},c("tr",{},...["Disk","State","Hit ratio","Requests/s","Read latency, mean","Dirty","Las\
t 5 min"].map(_=>c("th",{scope:"col"},_)))),i),u=Rh(),f=_=>{e(),window.location.hash=Ln(_,"connect")},p=c("button",{type:"button","data-acti\
on":"attach-guest",onclick:()=>dc(f)},"Attach a running guest\u2026"),y=c("button",{type:"button","data-action":"add-disk",onclick:()=>cc(f)},
"Add a disk\u2026"),m=c("section",{class:"card","aria-label":"Disks"},c("div",{class:"section-head"},c("h2",{},"Disks"),c("div",{class:"butt\
ons"},p,y)),l,u),b=c("div",{class:"tiles"},...Object.values(n).map(_=>_.element));return{element:c("div",{class:"view"},c("h1",{},"Host"),t.
element,b,m,s.element),title:"Host",leave(){},update(_){let P=_.disks??[],O=[..._.pool?ml(_.pool):[],...P.flatMap(Cs)];_.poolProblem&&O.unshift(
{tone:"bad",text:_.poolProblem,advice:null}),t.set(O),Dh(n,_),J(b,P.length>0),J(l,P.length>0),J(u,P.length===0),gt(i,P,V=>V.name,Ah,(V,x)=>Ph(
V,x,_)),s.update(_)}}}function Dh(e,t){let n=[...t.statistics.values()],s=ll([...t.series.values()].map(m=>m.last?.rates??null)),i=n.map(m=>t.
windows.get(m.name)??m),r=t.windows.size>0?"last 5 minutes":"since attached",l=To(i);e.hits.set(we(al(l)),`of reads, ${r}`);let u=Rn(s);e.operations.
set(u===null?"\u2013":`${Ue(u)}/s`,s?`${Ue(s.reads)} reads, ${Ue(s.writes)} writes`:""),e.bytes.set(s?Ct(s.read_bytes+s.write_bytes):"\u2013",
s?`${Ct(s.read_bytes)} read, ${Ct(s.write_bytes)} written`:"");let f=n.reduce((m,b)=>m+(b.dirty_bytes??0),0),p=n.reduce((m,b)=>m+(b.dirty_zeroes_bytes??
0),0),y=n.reduce((m,b)=>m+(b.mode==="write-back"?b.dirty_limit_bytes??0:0),0);e.dirty.set(C(f),on(y>0?`of at most ${C(y)}`:"no disk is in wr\
ite-back",Fs(p))),e.saved.set(we(fi(l)),r)}function Ah(e){let t=tc(`Hit ratio of ${e.name}`),n=(l,...u)=>c("td",{"data-heading":l},...u),s=l=>c(
"div",{"data-figure":`${e.name}.${l}`}),i=l=>c("div",{class:`sub ${l}`}),r=c("tr",{},c("th",{scope:"row"},c("a",{href:Ln(e.name)},e.name),i(
"backing")),n("State",Qt(),i("mode")),n("Hit ratio",s("hit_ratio"),i("split")),n("Requests/s",s("operations"),i("kinds")),n("Read latency, m\
ean",s("latency"),i("writes")),n("Dirty",s("dirty_bytes"),i("limit")),c("td",{class:"spark-cell"},t.element));return wc.set(r,t),r}function Ph(e,t,n){
let s=n.statistics.get(t.name),i=n.windows.get(t.name)??s,r=n.series.get(t.name),l=r?.last,u=Cs(t),f=e.querySelector(".badge"),p=wi([rn(t.state),
...u.map($=>$.tone)]);f&&Zt(f,p,t.state==="serving"&&p!=="good"?"serving, look":t.state);let y=($,_)=>fe(e,`[data-figure$=".${$}"]`,_);fe(e,
".backing",t.size_bytes===null?vo(t.backing,34):`${C(t.size_bytes)} at ${vo(t.backing,34)}`),fe(e,".mode",t.read_only?`${t.mode}, read-only`:
t.mode),y("hit_ratio",we(i?.hit_ratio));let m=i?.reads??0;fe(e,".split",m>0?`RAM ${we((i?.read_hits_ram??0)/m)}, flash ${we((i?.read_hits_flash??
0)/m)}`:"no reads yet"),y("operations",Ue(Rn(l?.rates??null))),fe(e,".kinds",l?.rates?`${Ue(l.rates.reads)} r, ${Ue(l.rates.writes)} w`:""),
y("latency",l?.readMicros==null?"\u2013":Ge(l.readMicros)),fe(e,".writes",l?.writeMicros==null?"":`writes ${Ge(l.writeMicros)}`),y("dirty_by\
tes",C(t.dirty_bytes)),fe(e,".limit",on(t.mode==="write-back"&&t.dirty_limit_bytes?`of ${C(t.dirty_limit_bytes)}`:null,Fs(t.dirty_zeroes_bytes)));
let b=(r?.points??[]).map($=>$.hitRam===null||$.hitFlash===null?null:$.hitRam+$.hitFlash);wc.get(e)?.set(b,Math.max(Mh,Math.min($h,b.length)))}
function Rh(){return c("div",{class:"empty"},c("h3",{},"No disks yet"),c("p",{},"Nothing is cached until Forebay serves a disk. The button a\
bove adds one, and so does this on the host; nothing in the file changes:"),c("pre",{},c("code",{},"forebay disk add web1 --backing /srv/ima\
ges/web1.raw")),c("p",{},"A running QEMU guest's disk is moved behind Forebay without a reboot:"),c("pre",{},c("code",{},"forebay vm attach \
--qmp /run/web.qmp --device vda")),c("p",{class:"hint"},"It appears here by itself."))}function Lh(e){let t=Qt(),n=c("span",{class:"meter-us\
ed"}),s=c("div",{class:"meter",role:"img"},n),i=c("p",{class:"meter-words","data-figure":"pool.used"}),r=c("p",{class:"meter-words","data-fi\
gure":"host.ram"}),l=c("ul",{class:"hint","data-figure":"pool.ram"}),u=c("tbody",{}),f=["Device","State","Size","Free","Wear","Remarks",""],
p=c("button",{type:"button","data-action":"add-device",onclick:()=>hc(e)},"Add a device\u2026"),y=c("table",{class:"devices"},c("thead",{},c(
"tr",{},...f.map(b=>c("th",{scope:"col"},b)))),u),m=c("section",{class:"card","aria-label":"Pool"},c("div",{class:"section-head"},c("h2",{},
"Flash and RAM"),t,p),s,i,r,l,y);return{element:m,update({pool:b,statistics:$}){if(J(m,b!==null),!b)return;Zt(t,rn(b.state),b.state);let[_,P,
O]=[b.segments??0,b.segments_free??0,b.segment_bytes??0],V=(_-P)*O,x=P*O;n.style.width=`${_>0?(100*(_-P)/_).toFixed(2):0}%`;let N=b.segments===
null?`Disks are served without the pool: ${b.reason??"see the log"}`:`Pool of ${C(b.size_bytes)}: ${C(V)} in use, ${C(x)} free; ${C(b.reserved_bytes)}\
 reserved by disks`;s.setAttribute("aria-label",N),G(i,N);let T=[...$.values()],Q=T.reduce((H,U)=>H+(U.ram_bytes??0),0),R=T.reduce((H,U)=>H+
(U.index_bytes??0),0);G(r,`RAM: ${C(Q)} of content in front of the flash, ${C(R)} for the index of what is on it`);let Z=yl(b.ram);J(l,Z.length>
0),gt(l,Z,H=>H,H=>c("li",{},H),()=>{}),gt(u,b.devices,H=>String(H.number),H=>Ch(H,e),(H,U)=>Fh(H,U,b))}}}function Ch(e,t){let n=(s,i,r="")=>c(
"td",{"data-heading":s,class:r},i);return c("tr",{},c("th",{scope:"row",class:"path"}),n("State",Qt()),n("Size",null,"size"),n("Free",null,"\
free"),n("Wear",null,"wear"),n("Remarks",null,"remarks"),c("td",{},c("button",{type:"button",class:"quiet",onclick:()=>pc(e,t)},"Take out\u2026")))}
function Fh(e,t,n){fe(e,".path",t.path??`device ${t.number}`);let s=e.querySelector(".badge");s&&Zt(s,rn(t.state),t.state),fe(e,".size",C(t.
size_bytes)),fe(e,".free",`${C(t.segments_free*(n.segment_bytes??0))}`);let i=[gl(t.wear),bl(t.budget)].filter(f=>f!=="");fe(e,".wear",i.join(
"; ")||"\u2013");let r=t.shrinking&&`becomes smaller, to ${C(t.shrinking.size_bytes)}: ${me(t.shrinking.segments_left)} segments left`,l=t.kept_size_reason&&
`kept its size: ${t.kept_size_reason}`,u=[r,l,t.discards?"discards":null,t.page_cache_reason?`page cache: ${t.page_cache_reason}`:null];fe(e,
".remarks",u.filter(f=>f!==null).join("; ")||`${me(t.segments)} segments`)}var xs=c("main",{id:"main",tabindex:-1}),Us=c("p",{class:"loading"},"Asking Forebay\u2026"),kc=c("span"),xc=c("button",{type:"button",onclick:yo},
"Sign in\u2026"),_c=c("div",{class:"banner",role:"alert",hidden:!0},kc," ",xc),pr=c("span",{class:"pulse"}),Ys={host:c("a",{href:"#/"},"Host"),
events:c("a",{href:"#/events"},"Events")},Sc=c("button",{type:"button",class:"quiet",onclick:Ih}),Tc=c("span",{class:"host-name","data-figur\
e":"host"}),Ec=c("footer",{},c("span",{"data-figure":"version"}),c("a",{href:"/openapi.json"},"Interface for programs"),c("a",{href:"/metric\
s"},"Metrics")),$c=c("button",{type:"button",class:"quiet",onclick:yo}),dn=new hi(Ac),un=null,hr=null;function Oh(){let e=c("a",{class:"skip",
href:"#main"},"To the content");e.addEventListener("click",s=>{s.preventDefault(),xs.focus()});let t=c("a",{href:"#/",class:"brand"},c("img",
{src:"/assets/icon.svg",alt:"",width:24,height:24}),"Forebay"),n=c("header",{},t,Tc,c("nav",{"aria-label":"Views"},Ys.host,Ys.events),c("div",
{class:"header-end"},pr,Sc,$c));document.body.append(e,n,_c,xs,Ec,Qr()),xs.append(Us)}function Mc(){let e=hl(window.location.hash);if(!(un!==
null&&hr!==null&&e.disk!==null&&e.disk===hr.disk)){un?.leave();let{disk:n}=e;un=n!==null?bc(n,()=>{dn.look()},s=>dn.show(s)):e.view==="event\
s"?yc():vc(()=>{dn.look()}),xs.replaceChildren(un.element),window.scrollTo(0,0)}hr=e,un?.open?.(e.tab),Dc(),Ys.host.setAttribute("aria-curre\
nt",e.view==="host"?"page":"false"),Ys.events.setAttribute("aria-current",e.view==="events"?"page":"false"),dn.watch(e.disk),Ac()}function Dc(){
let e=dn.known.host?` on ${dn.known.host.name}`:"",t=`${un?.title??""} \u2013 Forebay${e}`;document.title!==t&&(document.title=t)}function Ac(){
let{known:e}=dn;if(Nh(e),zh(e),!un)return;let t=e.disks!==null;J(un.element,t),J(Ys.events,!t||e.events!==null),t?(un.update(e),Us.remove()):
Us.isConnected||xs.append(Us)}function Nh({away:e,answeredAt:t}){xs.classList.toggle("stale",e!==null),J(_c,e!==null),G(kc,e?Hh(e,t):""),J(xc,
e?.status===401),G(Us,e?"Waiting for Forebay\u2026":"Asking Forebay\u2026"),pr.classList.toggle("pulse-away",e!==null),G(pr,e?"No answer":t===
null?"Connecting":"Live")}function zh({host:e}){if(!e)return;Xr(e.token_path),G(Tc,e.name);let t=Ec.firstElementChild;t&&G(t,`Forebay ${e.version}\
 on ${e.name}`),Dc(),!e.may_change&&Ut.get()!==null&&Ut.clear(),qi()}function Hh({status:e,reason:t,since:n},s){let i=s===null?"":` What is \
shown is from ${yn(s)}.`;return e===401?`Seen from here, this host shows its figures to those only who have its token.${i}`:e>0?`${t}.${i}`:
`${t} since ${yn(n)}.${i} On the host, systemctl status forebay says whether it runs. This page goes on by itself.`}function Ih(){dl(),qi()}
function qi(){G(Sc,{auto:"Theme: system",light:"Theme: light",dark:"Theme: dark"}[mi()]),G($c,Ut.get()===null?"Sign in":"Signed in")}fl();Oh();
qi();document.addEventListener("forebay-token",()=>{qi(),dn.lookAtHost()});window.addEventListener("hashchange",Mc);Mc();dn.look();})();
