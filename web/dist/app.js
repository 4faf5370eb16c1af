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
"use strict";(()=>{var po="forebay-token";var ht=class extends Error{constructor(n,s){super(s);this.status=n}status;get wantsToken(){return this.status===401}},jt={get(){return sessionStorage.
getItem(po)},set(e){sessionStorage.setItem(po,e.trim())},clear(){sessionStorage.removeItem(po)}};async function mo(e){let t="/v1/host",n={method:"\
GET",headers:{authorization:`Bearer ${e.trim()}`}};try{let{host:s}=await go(t,n,8e3);if(!s.may_change)return!1}catch(s){if(s instanceof ht&&
s.wantsToken)return!1;throw s}return jt.set(e),!0}async function tn(e,t){return(await go(e,{method:"GET"},8e3))[t]}async function Gr(e,t){return Kr(
e,t,n=>n.status===404)}async function Ut(e,t){return Kr(e,t,n=>n.status!==0&&!n.wantsToken)}async function Kr(e,t,n){try{return await tn(e,t)}catch(s){
if(s instanceof ht&&n(s))return null;throw s}}async function De(e,t,n){let s={method:e,headers:{"content-type":"application/json"},body:JSON.
stringify(n??null)};return go(t,s,12e4)}function $e(e){return`/v1/disks/${encodeURIComponent(e)}`}function jr(e){return`/v1/pool/devices/${e}`}
function Ur(e,t){return`/v1/history/${encodeURIComponent(e)}?span=${t}`}async function go(e,t,n){let s=AbortSignal.timeout(n),i=new Headers(
t.headers),r=jt.get();r&&!i.has("authorization")&&i.set("authorization",`Bearer ${r}`);let l;try{l=await fetch(e,{...t,headers:i,signal:s,cache:"\
no-store",credentials:"omit",redirect:"error"})}catch{throw new ht(0,"Forebay does not answer")}let u=await l.json().catch(()=>null);if(!l.ok){
let f=typeof u?.detail=="string"?u.detail:`Forebay answered with status ${l.status}`;throw new ht(l.status,f)}if(u===null)throw new ht(0,"Fo\
rebay's answer was cut short");return u}function c(e,t={},...n){let s=document.createElement(e);for(let[i,r]of Object.entries(t))typeof r=="function"?s.addEventListener(i.slice(2),
r):r!=null&&r!==!1&&s.setAttribute(i,r===!0?"":String(r));return s.append(...n.filter(i=>i!=null&&i!==!1)),s}function ii(e,t){let n=document.
createElementNS("http://www.w3.org/2000/svg",e);for(let[s,i]of Object.entries(t))n.setAttribute(s,String(i));return n}function q(e,t){e.textContent!==
t&&(e.textContent=t)}function J(e,t){e.hidden===t&&(e.hidden=!t)}function tu(e){let t=new Set;return e.map(n=>{let s=n;for(let i=1;t.has(s);i+=
1)s=`${n} (${i})`;return t.add(s),s})}function Lt(e,t,n,s,i){let r=new Map([...e.children].map(p=>[p.getAttribute("data-item")??"",p])),l=tu(
t.map(n)),u=new Set(l);for(let[p,b]of r)u.has(p)||b.remove();let f=e.firstElementChild;t.forEach((p,b)=>{let m=l[b]??"",y=r.get(m)??s(p);r.delete(
m),y.setAttribute("data-item",m),i(y,p),y===f?f=y.nextElementSibling:e.insertBefore(y,f)})}var Yr=0;function rt(){return Yr+=1,`e${Yr}`}var rs=null;function Qr(){return rs=c("div",{class:"status",role:"status","aria-live":"polite"}),rs}var Jr=0,nu=8e3;function Ps(e){rs&&(q(rs,
e),rs.classList.add("status-shown"),window.clearTimeout(Jr),Jr=window.setTimeout(()=>rs?.classList.remove("status-shown"),nu))}function Zr(e){
e.addEventListener("close",()=>e.remove()),document.body.append(e),e.showModal()}function pt(e){let t=rt(),n=c("button",{type:"button"},"Can\
cel"),s=c("button",{type:"submit",class:e.isDangerous?"danger":"primary"},e.confirm),i=c("p",{class:"dialog-said","aria-live":"assertive"}),
r=su(),l=c("form",{},c("h2",{id:t},e.title),...e.sentences.map(p=>c("p",{},p)),e.fields??null,r.element,i,c("div",{class:"buttons"},n,s)),u=c(
"dialog",{"aria-labelledby":t},l),f=new AbortController;n.addEventListener("click",()=>u.close()),u.addEventListener("close",()=>f.abort()),
l.addEventListener("submit",p=>{p.preventDefault(),s.disabled=!0,i.className="dialog-said",q(i,"Working\u2026"),r.take().then(()=>e.run(b=>q(
i,b),f.signal)).then(b=>{Ps(b),u.close()}).catch(b=>{let m=b instanceof Error?b.message:String(b);if(!u.open)return Ps(m);s.disabled=!1,i.className=
"dialog-said dialog-failed",q(i,m),b instanceof ht&&b.wantsToken&&r.ask()})}),Zr(u)}function su(){let e=rt(),t=c("input",{id:e,type:"passwor\
d",autocomplete:"off",spellcheck:"false"}),n=c("div",{class:"field"},c("label",{for:e},"Token for changes"),t,el());return n.hidden=!0,{element:n,
ask(){jt.clear(),n.hidden=!1,t.focus(),document.dispatchEvent(new Event("forebay-token"))},async take(){if(!(n.hidden||t.value.trim()==="")){
if(!await mo(t.value))throw new ht(401,"This is not the token of this host");document.dispatchEvent(new Event("forebay-token"))}}}}var Ds=null;
function Xr(e){Ds=e}function el(){return c("p",{class:"hint"},"On the host, as root or the user that runs Forebay: ",c("code",{"data-figure":"\
token_path"},`cat ${Ds??"/var/lib/forebay/token"}`),Ds===null?" (or the folder that serve was given with --dir).":"."," It is kept until thi\
s tab is closed.")}function bo(){let e=rt(),t=rt(),n=c("input",{id:t,type:"password",autocomplete:"off",spellcheck:"false",required:!0}),s=c(
"button",{type:"button"},"Sign out"),i=c("button",{type:"button"},"Cancel"),r=c("button",{type:"submit",class:"primary"},"Sign in"),l=c("p",
{class:"dialog-said","aria-live":"assertive"});s.hidden=jt.get()===null;let u=c("form",{},c("h2",{id:e},"Sign in for changes"),c("p",{},"On \
the host itself, everything can be read without it. Changes need the token of the host, and from other hosts reading does too."),c("div",{class:"\
field"},c("label",{for:t},"Token"),n,el()),l,c("div",{class:"buttons"},s,i,r)),f=c("dialog",{"aria-labelledby":e},u),p=m=>{document.dispatchEvent(
new Event("forebay-token")),Ps(m),f.close()},b=m=>{l.className="dialog-said dialog-failed",q(l,m),r.disabled=!1,n.select()};i.addEventListener(
"click",()=>f.close()),s.addEventListener("click",()=>{jt.clear(),p("Signed out; on the host itself reading goes on")}),u.addEventListener("\
submit",m=>{m.preventDefault(),r.disabled=!0,mo(n.value).then(y=>{y?p("Signed in until this tab is closed"):b(`This is not the token of this\
 host${Ds===null?"":`, which is in ${Ds}`}.`)}).catch(y=>b(y instanceof Error?y.message:String(y)))}),Zr(f)}var iu=[["TiB",1099511627776],["GiB",1073741824],["MiB",1048576],["KiB",1024],["",1]];function nn(e){return typeof e=="number"&&Number.isFinite(
e)}function O(e){if(!nn(e))return"\u2013";let t=Math.round(e),[n,s]=iu.find(([,i])=>t>=i)??["",1];return t%s===0?`${t/s}${n}`:`${(Math.floor(
(t*10+s/2)/s)/10).toFixed(1)}${n}`}var ou=[["PB",1e15],["TB",1e12],["GB",1e9],["MB",1e6],["kB",1e3],[" bytes",1]];function oi(e){if(!nn(e))return"\
\u2013";let t=Math.round(e),[n,s]=ou.find(([,i])=>t>=i)??[" bytes",1];return t%s===0?`${t/s}${n}`:`${(t/s).toFixed(1)}${n}`}function Ct(e){return nn(
e)?`${O(e)}/s`:"\u2013"}function ye(e){return nn(e)?`${(e*100).toFixed(1)}%`:"\u2013"}function ke(e){return nn(e)?Math.round(e).toString().replace(
/\B(?=(\d{3})+$)/g,","):"\u2013"}function je(e){return nn(e)?e>=10||e===0?ke(e):e.toFixed(1):"\u2013"}function yo(e){if(!nn(e))return"";for(let[
t,n]of[["M",1e6],["k",1e3]])if(Math.abs(e)>=n)return`${Number((e/n).toFixed(1))}${t}`;return String(Number(e.toFixed(2)))}function Ye(e){if(!nn(
e))return"\u2013";for(let[t,n]of[["s",1e6],["ms",1e3]])if(e>=n)return`${tl(e/n)} ${t}`;return`${tl(e)} us`}function tl(e){return e>=100||Number.
isInteger(e)?e.toFixed(0):e>=10?e.toFixed(1):e.toFixed(2)}function Ot(e){if(!nn(e))return"\u2013";let t=Math.round(e),n=[[Math.floor(t/86400),
"d"],[Math.floor(t/3600)%24,"h"],[Math.floor(t/60)%60,"min"],[t%60,"s"]],s=n.findIndex(([r])=>r>0);return s<0?"0 s":n.slice(s,s+2).filter(([
r])=>r>0).map(([r,l])=>`${r} ${l}`).join(" ")}function mn(e){let t=new Date(e);return[t.getHours(),t.getMinutes(),t.getSeconds()].map(n=>String(
n).padStart(2,"0")).join(":")}function ri(e){let t=new Date(e);return[t.getMonth()+1,t.getDate()].map(n=>String(n).padStart(2,"0")).join("-")}
function ls(e){let t=new Date(e);return Number.isNaN(t.getTime())?e:`${[t.getFullYear(),t.getMonth()+1,t.getDate()].map(s=>String(s).padStart(
2,"0")).join("-")} ${mn(t.getTime())}`}function wo(e,t){return e.length<=t?e:`\u2026${e.slice(1-t)}`}function gn(...e){return e.filter(t=>t!==
null).join(", ")}var li=["read_hit_ram","read_hit_flash","read_miss","write","flush","destage"],as=["reads","writes","flushes","discards","read_bytes","write\
_bytes","read_hits_ram","read_hits_flash","read_partial_hits","read_misses","reads_bypassed","backing_reads","backing_writes","backing_read_\
bytes","backing_write_bytes","flash_read_bytes","flash_write_bytes","destage_bytes","evictions"];function sl(e){let t=[];for(let[n,s]of Object.
entries(nl(e))){let{unit:i,...r}=nl(s);if(typeof i!="string")continue;let l=Object.entries(r).filter(u=>Array.isArray(u[1]));l.length>0&&t.push(
[n,{unit:i,kinds:l}])}return t}function nl(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)?e:{}}var ai={"5m":300,"1d":86400,"7d":7*86400},vo={seconds:ai["5m"],end:null};function bn(e,t=Date.now()/1e3){if(e.of)return e.of;let n=e.end===null?
e.seconds:t-e.end+e.seconds;return Object.keys(ai).find(i=>ai[i]>=n)??"7d"}function xo(e,t,n){let s=Math.max(Math.min(e,t),n-ai["7d"]),i=Math.
min(Math.max(e,t),n);return i-s>=ru?{seconds:i-s,end:i}:null}var ru=10;function il(e,t){let n=t-e.now,s=[],i=null;return e.time.forEach((r,l)=>{
let u=r-(e.seconds[l]??0),f=lu(e,l,r+n),p=i!==null&&u-i>e.step_seconds;p&&s.push(au((i??0)+n)),(p||i===null)&&u<r&&s.push({...f,at:u+n}),s.push(
f),i=r}),{span:e.span,end:t,points:s}}function lu(e,t,n){let s=e.seconds[t]??0,i=u=>u?.[t]??null,r=i(e.reads)??0,l=u=>r>0&&u!==null?u/r:null;
return{at:n,rates:s>0?Object.fromEntries(as.map(u=>[u,(i(e[u])??0)/s])):null,hitRam:l(i(e.read_hits_ram)),hitFlash:l(i(e.read_hits_flash)),readMicros:i(
e.read_latency_us),writeMicros:i(e.write_latency_us),dirtyBytes:i(e.span==="5m"?e.dirty_bytes:e.dirty_bytes_max),dirtyLimitBytes:i(e.dirty_limit_bytes),
latency:null,readSpread:[i(e.read_p50_us),i(e.read_p95_us),i(e.read_p99_us)],writeSpread:[i(e.write_p50_us),i(e.write_p95_us),i(e.write_p99_us)]}}
function au(e){return{at:e,rates:null,hitRam:null,hitFlash:null,readMicros:null,writeMicros:null,dirtyBytes:null,dirtyLimitBytes:null,latency:null,
readSpread:null,writeSpread:null}}var Rs=300,cu=10,uu=1,du=1e3;function _o(e,t){return as.every(n=>{let[s,i]=[e[n],t[n]];return s!==void 0&&i!==void 0&&i>=s})}function ol(e,t){
let n=t.at-e.at;if(n<=0||!_o(e.statistics,t.statistics))return null;let s=as.map(i=>[i,fu(e,t,i)/n]);return Object.fromEntries(s)}function fu(e,t,n){
return(t.statistics[n]??0)-(e.statistics[n]??0)}var hu=["read_hit_ram","read_hit_flash","read_miss"];function rl(e,t,n){let s=({statistics:l},u)=>n.
reduce((f,p)=>f+(l.latency_us?u(l.latency_us[p]):0),0),i=l=>s(t,l)-s(e,l),r=i(l=>l.count);return r>0?Math.max(0,i(l=>l.count*l.mean))/r:null}
function ui(e){if(e===null)return null;let t=(e.reads??0)+(e.writes??0);return t>0?1-((e.backing_reads??0)+(e.backing_writes??0))/t:null}function Pn(e){
return e===null?null:e.reads+e.writes}function ll(e){let t=e.filter(n=>n!==null);return t.length===0?null:So(t)}function al(e){let{reads:t=0,
read_hits_ram:n=0,read_hits_flash:s=0}=e;return t>0?(n+s)/t:null}function So(e){return Object.fromEntries(as.map(t=>[t,e.reduce((n,s)=>n+(s[t]??
0),0)]))}var ci=class{#n=[];#t=[];get points(){return this.#t}get last(){return this.#t.at(-1)}add(t,n,s){let i={at:t,statistics:n};t<(this.#t.
at(-1)?.at??t)&&([this.#n,this.#t]=[[],[]]);let r=this.#n.at(-1);r&&t-r.at<uu&&_o(r.statistics,n)||(r&&!_o(r.statistics,n)&&(this.#n=[]),this.#t.
push(this.#o(i,s??n)),this.#n.push(i),this.#n=ko(this.#n,t),this.#t=ko(this.#t,t))}fill(t){let n=this.#t[0],s=t.filter(u=>n===void 0||u.at<n.
at),[i,r]=[t.at(-1),n??t.at(-1)];if(r===void 0||i===void 0)return;let l=n?.rates===null?[{...i,...pu(n)},...this.#t.slice(1)]:this.#t;this.#t=
ko([...s,...l],this.#t.at(-1)?.at??r.at)}#o(t,n){let{at:s,statistics:i}=t,r=this.#n.at(-1),l=this.#n.find(p=>s-p.at<=cu)??r,u=l?ol(l,t):null,
f=p=>u&&u.reads>0?p/u.reads:null;return{at:s,rates:r?ol(r,t):null,hitRam:u&&f(u.read_hits_ram),hitFlash:u&&f(u.read_hits_flash),readMicros:u&&
l?rl(l,t,hu):null,writeMicros:u&&l?rl(l,t,["write"]):null,dirtyBytes:i.dirty_bytes??null,dirtyLimitBytes:i.dirty_limit_bytes??null,latency:n.
latency_us??null,readSpread:null,writeSpread:null}}};function lt(e){return(e.dirty_bytes??0)+(e.dirty_zeroes_bytes??0)}function pu(e){return Object.
fromEntries(Object.entries(e).filter(([,t])=>t!==null))}function ko(e,t){return e.filter(n=>t-n.at<=Rs).slice(-du)}var To=2e3,mu=3,gu=15,bu=15,yu=500,di=class{known={disks:null,statistics:new Map,windows:new Map,pool:null,poolProblem:null,series:new Map,events:null,
disk:null,histograms:null,curve:null,advice:null,report:null,period:vo,past:null,host:null,ahead:0,answeredAt:null,away:null};#n=null;#t;#o=0;#s=0;#r=0;#l=0;#e=!1;#i=0;constructor(t){
this.#t=t}watch(t){t!==this.#n&&(this.#n=t,this.known.disk=null,this.known.histograms=null,this.known.curve=null,this.known.advice=null,this.
known.report=null,this.known.period=vo,this.known.past=null,this.#e=!1,this.#s=0,this.look())}show(t){let n=bn(t)!==bn(this.known.period);this.
known.period=t,n&&(this.known.past=null,this.#r=0,this.look()),this.#t()}lookAtHost(){this.#l=0,this.known.host&&(this.known.host={...this.known.
host,may_change:!0}),this.look()}async look(){window.clearTimeout(this.#o);let t=++this.#i;try{await this.#u(t)}catch(n){t===this.#i&&this.#h(
n)}t===this.#i&&(this.#t(),this.#o=window.setTimeout(()=>{this.look()},To))}async#u(t){let n=this.#n,s=this.known.events?.at(-1)?.id??0,[i,r,
l,u,f,p,b]=await Promise.all([tn("/v1/disks","disks"),tn("/v1/stats","disks"),tn("/v1/stats?window=5m","disks"),this.#a(),Ut(`/v1/events?aft\
er=${s}`,"events"),n===null?null:Gr($e(n),"disk"),this.#l++%bu===0?Ut("/v1/host","host"):this.known.host]),m=Date.now(),[y,_,M,L]=n!==null&&
p!==null&&this.#s%mu===0?await Promise.all([Ut(`${$e(n)}/histograms`,"histograms"),Ut(`${$e(n)}/curve`,"curve"),Ut(`${$e(n)}/advice`,"advice"),
Ut(`${$e(n)}/report`,"report")]):[void 0,void 0,void 0,void 0],N=n!==null&&p!==null?await this.#d(n):null;t===this.#i&&(this.#s+=1,this.#r+=
1,this.#e||=p!==null&&bn(this.known.period)==="5m",Object.assign(this.known,{disks:i,...u,host:b,answeredAt:m,away:null}),this.#c(m/1e3,r,l),
this.#f(f),n!==null&&(this.known.disk=p??"missing"),N!==null&&this.#p(N,m/1e3),_!==void 0&&(this.known.curve=_),M!==void 0&&(this.known.advice=
M?.[0]??null),L!==void 0&&(this.known.report=L),y!==void 0&&(this.known.histograms=y===null?null:sl(y)))}async#a(){try{return{pool:await tn(
"/v1/pool","pool"),poolProblem:null}}catch(t){if(!(t instanceof ht)||t.status===0)throw t;return{pool:null,poolProblem:t.message}}}#c(t,n,s){
let i=r=>new Map(r.map(l=>[l.name,l]));this.known.statistics=i(n),this.known.windows=i(s.filter(r=>r.window==="5m"));for(let r of this.known.
series.keys())this.known.statistics.has(r)||this.known.series.delete(r);for(let r of n){let l=this.known.series.get(r.name)??new ci;this.known.
series.set(r.name,l),l.add(t,r,this.known.windows.get(r.name))}}#d(t){let n=bn(this.known.period);return(n==="5m"?!this.#e:this.known.past===
null||this.#r%gu===0)?Ut(Ur(t,n),"history"):null}#p(t,n){let s=il(t,n);this.known.ahead=n-t.now,s.span==="5m"?this.known.series.get(t.name)?.
fill(s.points):this.known.past=s}#f(t){t!==null&&(this.known.events=wu(this.known.events??[],t))}#h(t){let n=t instanceof Error?t.message:String(
t);this.#l=0;let s=t instanceof ht?t.status:0;this.known.away={since:this.known.away?.since??Date.now(),reason:n,status:s}}};function wu(e,t){
let[n,s]=[e.at(-1),t[0]];return[...n===void 0||s===void 0||s.id>n.id?e:[],...t].slice(-yu)}var cl="forebay-theme",fi=["auto","light","dark"],ul=window.matchMedia("(prefers-color-scheme: dark)"),Eo=new Set;function hi(){let e=localStorage.
getItem(cl);return fi.find(t=>t===e)??"auto"}function dl(){let e=fi[(fi.indexOf(hi())+1)%fi.length]??"auto";localStorage.setItem(cl,e),Mo()}
function pi(e){return Eo.add(e),()=>Eo.delete(e)}function fl(){ul.addEventListener("change",Mo),Mo()}function Mo(){let e=hi(),t=ul.matches?"\
dark":"light";document.documentElement.dataset.theme=e==="auto"?t:e;for(let n of Eo)n()}function tt(e){return getComputedStyle(document.documentElement).
getPropertyValue(`--${e}`).trim()}var $o=["overview","sizing","requests","connect","settings"];function Dn(e,t="overview"){let n=`#/disk/${encodeURIComponent(e)}`;return t===
"overview"?n:`${n}/${t}`}function hl(e){let[,t="",n="",s=""]=e.replace(/^#/,"").split("/"),i=$o.find(r=>r===s)??"overview";return t==="disk"&&
n!==""?{view:"disk",disk:vu(n),tab:i}:{view:t==="events"?"events":"host",disk:null,tab:i}}function vu(e){try{return decodeURIComponent(e)}catch{
return e}}var Ao={good:"\u2713",busy:"\u2026",warning:"!",bad:"\u2715"},gi={info:"good",warning:"warning",error:"bad"},xu={serving:"good",attaching:"b\
usy",detaching:"busy",removing:"busy",waiting:"warning",stopped:"bad",failed:"bad",missing:"bad",used:"good",leaving:"busy"};function sn(e){
return xu[e]??"warning"}var ku={waiting:"It is served by itself as soon as it can be; put right what the reason names.",stopped:"It answers \
nothing but errors, so that no guest sees old data. See what it lost, and the log of the daemon.",failed:"It answers errors. Put right what \
the reason names, then restart Forebay."},mi=["good","busy","warning","bad"];function bi(e){return mi[Math.max(0,...e.map(t=>mi.indexOf(t)))]??
"good"}function Ls(e){let t=[],n=(u,f,p=null)=>t.push({tone:u,text:f,advice:p});if(sn(e.state)!=="good"){let u=e.reason?`: ${e.reason}`:"";n(
sn(e.state),`Disk ${e.name} is ${e.state}${u}`,ku[e.state]??null)}let s=e.lost_bytes??0;s>0&&n("bad",`Flash lost ${O(s)} of ${e.name} before\
 its backing had it`,`forebay disk show ${e.name} --lost lists the ranges.`);let i=e.backing_state;if(i&&i.state!=="good"){let u=i.for_seconds===
null?"":` for ${Ot(i.for_seconds)}`;n("bad",`The backing of ${e.name} fails${u}${i.reason?`: ${i.reason}`:""}`,"Hits are answered; the rest \
waits for retry-time.")}e.quiet?.state==="failed"&&n("warning",`${e.name} could not be made quiet: ${e.quiet.reason??"no reason is known"}`,
null);let r=e.segments_uncopied??0;e.mirrored===!0&&r>0&&n("warning",`${ke(r)} segments of ${e.name} lack a second copy`,"They are being cop\
ied; until then one device has that data alone.");let l=e.dirty_bytes??0;return e.dirty_limit_bytes&&l>=e.dirty_limit_bytes*.9&&n("warning",
`Destage of ${e.name} is behind: ${O(l)} of at most ${O(e.dirty_limit_bytes)} is dirty`,"Writes are slowed down to what the backing takes."),
t.sort((u,f)=>mi.indexOf(f.tone)-mi.indexOf(u.tone))}function pl(e){let t=e.warnings.map(n=>({tone:"warning",text:n,advice:null}));return sn(
e.state)!=="good"&&t.unshift({tone:"bad",text:`The pool is ${e.state}${e.reason?`: ${e.reason}`:""}`,advice:"Disks go on from their backings\
; what is dirty waits for the pool."}),e.page_cache_reason&&t.push({tone:"warning",text:`The pool goes through the page cache, because ${e.page_cache_reason}`,
advice:null}),t}function ml(e){if(e===null)return"";let t=e.used_percent===null?null:`${ye(e.used_percent/100)} of its life used`,n=e.days_left===
null?null:`${ke(e.days_left)} days left`,s=e.rated_bytes===null?"":`, rated for ${oi(e.rated_bytes)}`;return gn(t,n,`${oi(e.written_bytes)} \
written${s}`)}function gl(e){if(e===null)return"";let t=`${oi(e.bytes_per_day)} a day`,n=e.used_ratio===null?`at most ${t}`:`${ye(e.used_ratio)}\
 of ${t} written`,s=e.promoted_batches_ratio,i=s>=1?null:s>0?`${ye(s)} of batches of promotions let in`:"no promotions let in";return gn(n,i)}
var yi={read_hit_ram:"Read, RAM hit",read_hit_flash:"Read, flash hit",read_miss:"Read, miss",write:"Write",flush:"Flush",destage:"Destage"};
function Cs(e){return e?`+ ${O(e)} of zeroes`:null}function bl(e){switch(e.quiet?.state){case"coming":return`Being made quiet: ${O(lt(e))} l\
eft to bring home`;case"quiet":return`Quiet for another ${Ot(e.quiet.seconds_left)}`;case"failed":return`Could not be made quiet: ${e.quiet.
reason??"no reason is known"}`;default:return null}}function yl(e){let{load:t}=e;if(!t)return"not known while the disk is not served";if(t.state===
"loading")return"being loaded; reads come from the backing meanwhile";if(t.state==="cold")return`nothing: ${t.reason??"no reason is known"}`;
let n=`${O(t.kept_bytes)} came back`;return t.dropped_bytes>0?`${n}, ${O(t.dropped_bytes)} may have changed and is not believed`:n}var Os=[{
name:"mode",about:"What happens to reads and writes.",choices:["write-through","write-back","write-around","pass-through"]},{name:"block-siz\
e",about:"Unit of the index. A change drops what is cached of the disk.",choices:[4,8,16,32,64,128,256,512,1024].map(e=>O(e*1024))},{name:"r\
eserve",about:"Flash that the disk gets whatever the others do: auto, a size or a share such as 20%."},{name:"limit",about:"Flash that the d\
isk never exceeds: auto, a size or a share."},{name:"ram",about:"RAM in front of the flash, at least 1MiB."},{name:"admission",about:"What m\
ay enter flash: adaptive, adaptive:hits, always or repeated:N."},{name:"sequential-cutoff",about:"Misses of a sequential run longer than thi\
s go past the cache; 0 is off, auto leaves it to admission for reads."},{name:"dirty-limit",about:"Write-back: the most that flash may hold \
and the backing does not have."},{name:"destage-rate-min",about:"Write-back: destage never goes slower than so many bytes a second; 0 is non\
e."},{name:"destage-rate-max",about:"Write-back: destage never goes faster than so many bytes a second; 0 is no limit."},{name:"redundancy",
about:"Write-back: whether dirty data is kept on two devices of the pool.",choices:["mirror","none"]},{name:"unmarked",about:"Write-back whe\
re the backing cannot be marked: nothing then keeps another Forebay from serving it.",choices:["no","yes"]},{name:"retry-time",about:"How lo\
ng a request waits for a backing that fails or hangs, such as 25s, or wait."},{name:"socket-owner",about:"User who owns the sockets that gue\
sts connect to; auto is the daemon's."},{name:"socket-group",about:"Group of the sockets that guests connect to; auto is forebay if the host\
 has it."},{name:"socket-mode",about:"Who may connect, as octal digits."}],_u={"write-through":"Writes go to the backing first, then to the \
cache; the backing is always complete.","write-back":"Writes are acknowledged when flash has them, and the backing gets them later. Until th\
en the newest data is on flash alone.","write-around":"Writes go to the backing only; what they replace in the cache is dropped.","pass-thro\
ugh":"Every request goes to the backing. Guests have no cache until the mode is changed back."};function wi(e,t){return[...Object.entries(t).
map(([s,i])=>Su(e,s,i)).flat(),"Guests stay connected and go on meanwhile."]}function Su(e,t,n){let s=O(e.statistics.cached_bytes);switch(t){case"\
mode":return[_u[n]??`The mode becomes ${n}.`,...Tu(e,n)];case"block-size":return[`What is cached of the disk on flash (${s}) is dropped; it \
is read from the backing again.`];case"limit":return[`Flash that the disk holds above the new limit is evicted; it holds ${O(e.statistics.flash_bytes)}\
 now.`];case"unmarked":return n==="yes"?["Nothing keeps another Forebay from serving this backing while flash has newer data. See to that yo\
urself."]:[];case"redundancy":return[n==="none"?"Dirty data is kept on one device only: if it fails, that data is lost.":"Dirty data is kept\
 on two devices, if the pool has them."];case"socket-owner":case"socket-group":case"socket-mode":return["Who may connect to the disk changes\
 at once."];default:return[]}}function Tu(e,t){return e.mode!=="write-back"||t==="write-back"||lt(e)===0?[]:[`${O(lt(e))} is dirty; it is wr\
itten to the backing while guests go on.`]}function wl(e){let t=lt(e),n=e.connections??0;return[t>0?`${O(t)} is dirty; it is written to the \
backing first. If that cannot be, the disk stays.`:"Nothing is dirty: the backing has everything.",...n>0?[`${ke(n)} ${n===1?"client is":"cl\
ients are"} connected: a guest that uses the disk gets errors from then on.`]:[],...e.guest?["It was taken from a running guest. `forebay vm\
 detach` gives it back to that guest without errors."]:[],"What is cached of it is dropped. The content of the backing stays."]}function cs(e,t){
let n=lt(t),s=n>0?`${O(n)} is dirty: flash has it and the backing does not.`:"Nothing is dirty: the backing has everything.";switch(e){case"\
destage":return[s,"Dirty data is written to the backing at full speed. Guests go on and may notice a busier backing."];case"normal":return[s,
"Destage goes on at the pace that suits guests."];case"quiesce":return[s,"It is brought home first. After that, writes wait for the backing,\
 so that a backup or snapshot of the backing is complete.","This ends by itself after the time below, or when it is resumed."];case"resume":
return["Writes may lie on flash alone again, as the mode says."];case"evict":return[`${O(t.statistics.cached_bytes)} cached on flash and ${O(
t.statistics.ram_bytes)} in RAM are dropped, and no restart brings them back.`,n>0?`${O(n)} is dirty and is brought home first.`:"Nothing is\
 dirty; nothing is lost.","Guests go on from the backing, slower, until the cache is warm again."]}}var Eu=60,Mu=600,$u=300;function xl(e,t){let n=Au.map(i=>{let r=()=>{let l=e();l&&pt(Ru(i.work(l),t))};return[i,c("button",{type:"button","d\
ata-action":i.name,onclick:r},i.label)]}),s=c("p",{class:"hint","data-figure":"quiet"});return{element:c("section",{class:"card","aria-label":"\
Actions"},c("h2",{},"Actions"),c("div",{class:"buttons buttons-start"},...n.map(([,i])=>i)),s),update(){let i=e();for(let[l,u]of n)u.disabled=
i===null||!l.isPossible(i);let r=i&&!Ns(i)?`Nothing can be done while the disk is ${i.state}.`:i?bl(i):null;q(s,r??""),J(s,r!==null)}}}var Ns=e=>e.
state==="serving",Po=e=>e.quiet?.state==="coming"||e.quiet?.state==="quiet",Au=[{name:"destage",label:"Destage now\u2026",isPossible:Ns,work:e=>({
title:`Destage ${e.name} at full speed?`,sentences:cs("destage",e),confirm:"Destage now",run:async()=>(await De("POST",`${$e(e.name)}/destag\
e`),`What is dirty of ${e.name} is on its way to the backing`)})},{name:"normal",label:"Destage at normal pace\u2026",isPossible:Ns,work:e=>({
title:`Let ${e.name} destage at its own pace?`,sentences:cs("normal",e),confirm:"Normal pace",run:async()=>(await De("DELETE",`${$e(e.name)}\
/destage`),`${e.name} is destaged as it suits guests`)})},{name:"quiesce",label:"Quiesce\u2026",isPossible:e=>Ns(e)&&!Po(e),work:Pu},{name:"\
resume",label:"Resume\u2026",isPossible:Po,work:e=>({title:`Let ${e.name} go on as before?`,sentences:cs("resume",e),confirm:"Resume",run:async()=>(await De(
"POST",`${$e(e.name)}/resume`),`${e.name} goes on as before`)})},{name:"evict",label:"Evict\u2026",isPossible:Ns,work:e=>({title:`Drop what \
is cached of ${e.name}?`,sentences:cs("evict",e),confirm:"Evict",run:(t,n)=>Du(e.name,t,n)})}];function Pu(e){let t=rt(),n=c("input",{id:t,type:"\
number",min:1,max:86400,value:Mu,required:!0});return{title:`Hold ${e.name} without dirty data?`,sentences:cs("quiesce",e),confirm:"Quiesce",
fields:c("div",{class:"field"},c("label",{for:t},"For so many seconds"),n),run:async()=>{let s=Number(n.value);return await De("POST",`${$e(
e.name)}/quiesce`,{seconds:s}),`${e.name} is being made quiet, then held so for ${Ot(s)}`}}}async function Du(e,t,n){let s=$e(e),i=await tn(
s,"disk");if(Po(i))await vl(e,t,n),await De("POST",`${s}/evict`);else if(lt(i)>0){let l=(await De("POST",`${s}/quiesce`,{seconds:Eu})).disk.
quiet?.number;try{await vl(e,t,n),await De("POST",`${s}/evict`)}finally{await De("POST",`${s}/resume`,{number:l})}}else await De("POST",`${s}\
/evict`);return`Nothing is cached of ${e} any more, and no restart brings it back`}async function vl(e,t,n){for(;;){if(n.aborted)throw new Error(
"Stopped; the disk is served as before");let s=await tn($e(e),"disk"),i=s.quiet?.state;if(i==="quiet")return;if(i!=="coming")throw new Error(
`Cannot bring home what is dirty: ${s.quiet?.reason??s.reason??"somebody resumed it"}. Nothing was dropped.`);t(`${O(lt(s))} left to bring h\
ome\u2026`),await new Promise(r=>window.setTimeout(r,$u))}}function Ru(e,t){return{...e,run:(n,s)=>e.run(n,s).finally(t)}}function Lu(e){let t=["verdict","latency"];return[...e.sentences.filter(s=>t.includes(s.about)),...e.warnings].map(s=>s.text)}var vi=class{element;#n=c(
"div",{class:"advice-text",role:"status"});#t=c("code",{});#o=c("p",{class:"hint"},"The same on the host: ",this.#t);#s=c("button",{type:"bu\
tton",class:"primary",onclick:()=>this.#u()},"Apply\u2026");#r;#l=null;#e=null;#i="";constructor(t){this.#r=t;let n=c("div",{class:"buttons \
buttons-start"},this.#s);this.element=c("section",{class:"card advice","aria-label":"Advice"},c("h2",{},"Advice"),this.#n,n,this.#o,c("p",{class:"\
hint"},"On the host, forebay advise says why, with all figures.")),this.element.hidden=!0}set(t,n){if(J(this.element,t!==null),this.#l=t,this.#e=
n,!t)return;let s=Lu(t);JSON.stringify(s)!==this.#i&&(this.#i=JSON.stringify(s),this.#n.replaceChildren(...s.map(i=>c("p",{},i)))),q(this.#t,
t.command??""),J(this.#o,t.command!==null),J(this.#s,Object.keys(t.keys??{}).length>0)}#u(){let{keys:t}=this.#l??{keys:{}},n=this.#e;if(!n||
Object.keys(t).length===0)return;let s=Object.entries(t).map(([i,r])=>c("li",{},c("code",{},i),`: ${n.settings[i]??""} \u2192 ${r}`));pt({title:`\
Apply the advice to ${n.name}?`,sentences:wi(n,t),confirm:"Apply",fields:c("ul",{class:"changes"},...s),run:async()=>(await De("PATCH",$e(n.
name),{settings:t}),this.#r(),`${n.name} now has ${Object.entries(t).map(([i,r])=>`${i}=${r}`).join(" ")}`)})}};var Cu="uplot",Ou="u-hz",Nu="u-vt",Fu="u-title",Hu="u-wrap",zu="u-under",Iu="u-over",Wu="u-axis",Cn="u-off",Bu="u-select",Vu="u-cursor-x",qu="\
u-cursor-y",Gu="u-cursor-pt",Ku="u-legend",ju="u-live",Uu="u-inline",Yu="u-series",Ju="u-marker",kl="u-label",Qu="u-value",Hs="width",zs="he\
ight";var _l="bottom",us="left",Do="right",Uo="#000",Sl=Uo+"0",Ro="mousemove",Tl="mousedown",Lo="mouseup",El="mouseenter",Ml="mouseleave",$l="dblc\
lick",Zu="resize",Xu="scroll",Al="change",Ti="dppxchange",Yo="--",bs=typeof window<"u",Ho=bs?document:null,fs=bs?window:null,ed=bs?navigator:
null,ce,xi;function zo(){let e=devicePixelRatio;ce!=e&&(ce=e,xi&&Wo(Al,xi,zo),xi=matchMedia(`(min-resolution: ${ce-.001}dppx) and (max-resol\
ution: ${ce+.001}dppx)`),On(Al,xi,zo),fs.dispatchEvent(new CustomEvent(Ti)))}function mt(e,t){if(t!=null){let n=e.classList;!n.contains(t)&&
n.add(t)}}function Io(e,t){let n=e.classList;n.contains(t)&&n.remove(t)}function _e(e,t,n){e.style[t]=n+"px"}function Nt(e,t,n,s){let i=Ho.createElement(
e);return t!=null&&mt(i,t),n?.insertBefore(i,s),i}function Et(e,t){return Nt("div",e,t)}var Pl=new WeakMap;function Yt(e,t,n,s,i){let r="tra\
nslate("+t+"px,"+n+"px)",l=Pl.get(e);r!=l&&(e.style.transform=r,Pl.set(e,r),t<0||n<0||t>s||n>i?mt(e,Cn):Io(e,Cn))}var Dl=new WeakMap;function Rl(e,t,n){
let s=t+n,i=Dl.get(e);s!=i&&(Dl.set(e,s),e.style.background=t,e.style.borderColor=n)}var Ll=new WeakMap;function Cl(e,t,n,s){let i=t+""+n,r=Ll.
get(e);i!=r&&(Ll.set(e,i),e.style.height=n+"px",e.style.width=t+"px",e.style.marginLeft=s?-t/2+"px":0,e.style.marginTop=s?-n/2+"px":0)}var Jo={
passive:!0},td={...Jo,capture:!0};function On(e,t,n,s){t.addEventListener(e,n,s?td:Jo)}function Wo(e,t,n,s){t.removeEventListener(e,n,Jo)}bs&&
zo();function Ft(e,t,n,s){let i;n=n||0,s=s||t.length-1;let r=s<=2147483647;for(;s-n>1;)i=r?n+s>>1:gt((n+s)/2),t[i]<e?n=i:s=i;return e-t[n]<=
t[s]-e?n:s}function aa(e){return(n,s,i)=>{let r=-1,l=-1;for(let u=s;u<=i;u++)if(e(n[u])){r=u;break}for(let u=i;u>=s;u--)if(e(n[u])){l=u;break}
return[r,l]}}var ca=e=>e!=null,ua=e=>e!=null&&e>0,$i=aa(ca),nd=aa(ua);function sd(e,t,n,s=0,i=!1){let r=i?nd:$i,l=i?ua:ca;[t,n]=r(e,t,n);let u=e[t],
f=e[t];if(t>-1)if(s==1)u=e[t],f=e[n];else if(s==-1)u=e[n],f=e[t];else for(let p=t;p<=n;p++){let b=e[p];l(b)&&(b<u?u=b:b>f&&(f=b))}return[u??
me,f??-me]}function Ai(e,t,n,s){let i=Fl(e),r=Fl(t);e==t&&(i==-1?(e*=n,t/=n):(e/=n,t*=n));let l=n==10?on:da,u=i==1?gt:Mt,f=r==1?Mt:gt,p=u(l(
Fe(e))),b=f(l(Fe(t))),m=hs(n,p),y=hs(n,b);return n==10&&(p<0&&(m=ge(m,-p)),b<0&&(y=ge(y,-b))),s||n==2?(e=m*i,t=y*r):(e=ma(e,m),t=Pi(t,y)),[e,
t]}function Qo(e,t,n,s){let i=Ai(e,t,n,s);return e==0&&(i[0]=0),t==0&&(i[1]=0),i}var Zo=.1,Ol={mode:3,pad:Zo},Ws={pad:0,soft:null,mode:0},id={
min:Ws,max:Ws};function Ei(e,t,n,s){return Di(n)?Nl(e,t,n):(Ws.pad=n,Ws.soft=s?0:null,Ws.mode=s?3:0,Nl(e,t,id))}function le(e,t){return e??t}
function od(e,t,n){for(t=le(t,0),n=le(n,e.length-1);t<=n;){if(e[t]!=null)return!0;t++}return!1}function Nl(e,t,n){let s=n.min,i=n.max,r=le(s.
pad,0),l=le(i.pad,0),u=le(s.hard,-me),f=le(i.hard,me),p=le(s.soft,me),b=le(i.soft,-me),m=le(s.mode,0),y=le(i.mode,0),_=t-e,M=on(_),L=nt(Fe(e),
Fe(t)),N=on(L),B=Fe(N-M);(_<1e-24||B>10)&&(_=0,(e==0||t==0)&&(_=1e-24,m==2&&p!=me&&(r=0),y==2&&b!=-me&&(l=0)));let S=_||L||1e3,C=on(S),E=hs(
10,gt(C)),Q=S*(_==0?e==0?.1:1:r),D=ge(ma(e-Q,E/10),24),Z=e>=p&&(m==1||m==3&&D<=p||m==2&&D>=p)?p:me,j=nt(u,D<Z&&e>=Z?Z:Ht(Z,D)),ee=S*(_==0?t==
0?.1:1:l),Y=ge(Pi(t+ee,E/10),24),x=t<=b&&(y==1||y==3&&Y>=b||y==2&&Y<=b)?b:-me,V=Ht(f,Y>x&&t<=x?x:nt(x,Y));return j==V&&j==0&&(V=100),[j,V]}var rd=new Intl.
NumberFormat(bs?ed.language:"en-US"),Xo=e=>rd.format(e),bt=Math,Si=bt.PI,Fe=bt.abs,gt=bt.floor,Ne=bt.round,Mt=bt.ceil,Ht=bt.min,nt=bt.max,hs=bt.
pow,Fl=bt.sign,on=bt.log10,da=bt.log2,ld=(e,t=1)=>bt.sinh(e)*t,Co=(e,t=1)=>bt.asinh(e/t),me=1/0;function Hl(e){return(on((e^e>>31)-(e>>31))|
0)+1}function Bo(e,t,n){return Ht(nt(e,t),n)}function fa(e){return typeof e=="function"}function se(e){return fa(e)?e:()=>e}var ad=()=>{},ha=e=>e,
pa=(e,t)=>t,cd=e=>null,zl=e=>!0,Il=(e,t)=>e==t,ud=/\.\d*?(?=9{6,}|0{6,})/gm,Nn=e=>{if(ba(e)||wn.has(e))return e;let t=`${e}`,n=t.match(ud);if(n==
null)return e;let s=n[0].length-1;if(t.indexOf("e-")!=-1){let[i,r]=t.split("e");return+`${Nn(i)}e${r}`}return ge(e,s)};function Rn(e,t){return Nn(
ge(Nn(e/t))*t)}function Pi(e,t){return Nn(Mt(Nn(e/t))*t)}function ma(e,t){return Nn(gt(Nn(e/t))*t)}function ge(e,t=0){if(ba(e))return e;let n=10**
t,s=e*n*(1+Number.EPSILON);return Ne(s)/n}var wn=new Map;function ga(e){return((""+e).split(".")[1]||"").length}function Vs(e,t,n,s){let i=[],
r=s.map(ga);for(let l=t;l<n;l++){let u=Fe(l),f=ge(hs(e,l),u);for(let p=0;p<s.length;p++){let b=e==10?+`${s[p]}e${l}`:s[p]*f,m=(l>=0?0:u)+(l>=
r[p]?0:r[p]),y=e==10?b:ge(b,m);i.push(y),wn.set(y,m)}}return i}var Bs={},er=[],ps=[null,null],yn=Array.isArray,ba=Number.isInteger,dd=e=>e===
void 0;function Wl(e){return typeof e=="string"}function Di(e){let t=!1;if(e!=null){let n=e.constructor;t=n==null||n==Object}return t}function fd(e){
return e!=null&&typeof e=="object"}var hd=Object.getPrototypeOf(Uint8Array),ya="__proto__";function ms(e,t=Di){let n;if(yn(e)){let s=e.find(
i=>i!=null);if(yn(s)||t(s)){n=Array(e.length);for(let i=0;i<e.length;i++)n[i]=ms(e[i],t)}else n=e.slice()}else if(e instanceof hd)n=e.slice();else if(t(
e)){n={};for(let s in e)s!=ya&&(n[s]=ms(e[s],t))}else n=e;return n}function Le(e){let t=arguments;for(let n=1;n<t.length;n++){let s=t[n];for(let i in s)
i!=ya&&(Di(e[i])?Le(e[i],ms(s[i])):e[i]=ms(s[i]))}return e}var pd=0,md=1,gd=2;function bd(e,t,n){for(let s=0,i,r=-1;s<t.length;s++){let l=t[s];
if(l>r){for(i=l-1;i>=0&&e[i]==null;)e[i--]=null;for(i=l+1;i<n&&e[i]==null;)e[r=i++]=null}}}function yd(e,t){if(xd(e)){let l=e[0].slice();for(let u=1;u<
e.length;u++)l.push(...e[u].slice(1));return kd(l[0])||(l=vd(l)),l}let n=new Set;for(let l=0;l<e.length;l++){let f=e[l][0],p=f.length;for(let b=0;b<
p;b++)n.add(f[b])}let s=[Array.from(n).sort((l,u)=>l-u)],i=s[0].length,r=new Map;for(let l=0;l<i;l++)r.set(s[0][l],l);for(let l=0;l<e.length;l++){
let u=e[l],f=u[0];for(let p=1;p<u.length;p++){let b=u[p],m=Array(i).fill(void 0),y=t?t[l][p]:md,_=[];for(let M=0;M<b.length;M++){let L=b[M],
N=r.get(f[M]);L===null?y!=pd&&(m[N]=L,y==gd&&_.push(N)):m[N]=L}bd(m,_,i),s.push(m)}}return s}var wd=typeof queueMicrotask>"u"?e=>Promise.resolve().
then(e):queueMicrotask;function vd(e){let t=e[0],n=t.length,s=Array(n);for(let r=0;r<s.length;r++)s[r]=r;s.sort((r,l)=>t[r]-t[l]);let i=[];for(let r=0;r<
e.length;r++){let l=e[r],u=Array(n);for(let f=0;f<n;f++)u[f]=l[s[f]];i.push(u)}return i}function xd(e){let t=e[0][0],n=t.length;for(let s=1;s<
e.length;s++){let i=e[s][0];if(i.length!=n)return!1;if(i!=t){for(let r=0;r<n;r++)if(i[r]!=t[r])return!1}}return!0}function kd(e,t=100){let n=e.
length;if(n<=1)return!0;let s=0,i=n-1;for(;s<=i&&e[s]==null;)s++;for(;i>=s&&e[i]==null;)i--;if(i<=s)return!0;let r=nt(1,gt((i-s+1)/t));for(let l=e[s],
u=s+r;u<=i;u+=r){let f=e[u];if(f!=null){if(f<=l)return!1;l=f}}return!0}var wa=["January","February","March","April","May","June","July","Aug\
ust","September","October","November","December"],va=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function xa(e){
return e.slice(0,3)}var _d=va.map(xa),Sd=wa.map(xa),Td={MMMM:wa,MMM:Sd,WWWW:va,WWW:_d};function Fs(e){return(e<10?"0":"")+e}function Ed(e){return(e<
10?"00":e<100?"0":"")+e}var Md={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.
getMonth()],MM:e=>Fs(e.getMonth()+1),M:e=>e.getMonth()+1,DD:e=>Fs(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.
WWW[e.getDay()],HH:e=>Fs(e.getHours()),H:e=>e.getHours(),h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"A\
M",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>Fs(e.getMinutes()),m:e=>e.getMinutes(),ss:e=>Fs(e.getSeconds()),s:e=>e.
getSeconds(),fff:e=>Ed(e.getMilliseconds())};function tr(e,t){t=t||Td;let n=[],s=/\{([a-z]+)\}|[^{]+/gi,i;for(;i=s.exec(e);)n.push(i[0][0]==
"{"?Md[i[1]]:i[0]);return r=>{let l="";for(let u=0;u<n.length;u++)l+=typeof n[u]=="string"?n[u]:n[u](r,t);return l}}var $d=new Intl.DateTimeFormat().
resolvedOptions().timeZone;function Ad(e,t){let n;return t=="UTC"||t=="Etc/UTC"?n=new Date(+e+e.getTimezoneOffset()*6e4):t==$d?n=e:(n=new Date(
e.toLocaleString("en-US",{timeZone:t})),n.setMilliseconds(e.getMilliseconds())),n}var ka=e=>e%1==0,Mi=[1,2,2.5,5],Pd=Vs(10,-32,0,Mi),_a=Vs(10,
0,32,Mi),Dd=_a.filter(ka),Ln=Pd.concat(_a),nr=`
`,Sa="{YYYY}",Bl=nr+Sa,Ta="{M}/{D}",Is=nr+Ta,ki=Is+"/{YY}",Ea="{aa}",Rd="{h}:{mm}",ds=Rd+Ea,Vl=nr+ds,ql=":{ss}",de=null;function Ma(e){let t=e*
1e3,n=t*60,s=n*60,i=s*24,r=i*30,l=i*365,f=(e==1?Vs(10,0,3,Mi).filter(ka):Vs(10,-3,0,Mi)).concat([t,t*5,t*10,t*15,t*30,n,n*5,n*10,n*15,n*30,s,
s*2,s*3,s*4,s*6,s*8,s*12,i,i*2,i*3,i*4,i*5,i*6,i*7,i*8,i*9,i*10,i*15,r,r*2,r*3,r*4,r*6,l,l*2,l*5,l*10,l*25,l*50,l*100]),p=[[l,Sa,de,de,de,de,
de,de,1],[i*28,"{MMM}",Bl,de,de,de,de,de,1],[i,Ta,Bl,de,de,de,de,de,1],[s,"{h}"+Ea,ki,de,Is,de,de,de,1],[n,ds,ki,de,Is,de,de,de,1],[t,ql,ki+
" "+ds,de,Is+" "+ds,de,Vl,de,1],[e,ql+".{fff}",ki+" "+ds,de,Is+" "+ds,de,Vl,de,1]];function b(m){return(y,_,M,L,N,B)=>{let S=[],C=N>=l,E=N>=
r&&N<l,Q=m(M),D=ge(Q*e,3),Z=Oo(Q.getFullYear(),C?0:Q.getMonth(),E||C?1:Q.getDate()),j=ge(Z*e,3);if(E||C){let ee=E?N/r:0,Y=C?N/l:0,x=D==j?D:ge(
Oo(Z.getFullYear()+Y,Z.getMonth()+ee,1)*e,3),V=new Date(Ne(x/e)),F=V.getFullYear(),K=V.getMonth();for(let W=0;x<=L;W++){let ie=Oo(F+Y*W,K+ee*
W,1),I=ie-m(ge(ie*e,3));x=ge((+ie+I)*e,3),x<=L&&S.push(x)}}else{let ee=N>=i?i:N,Y=gt(M)-gt(D),x=j+Y+Pi(D-j,ee);S.push(x);let V=m(x),F=V.getHours()+
V.getMinutes()/n+V.getSeconds()/s,K=N/s,W=y.axes[_]._space,ie=B/W;for(;x=ge(x+N,e==1?0:3),!(x>L);)if(K>1){let I=gt(ge(F+K,6))%24,oe=m(x).getHours()-
I;oe>1&&(oe=-1),x-=oe*s,F=(F+K)%24;let fe=S[S.length-1];ge((x-fe)/N,3)*ie>=.7&&S.push(x)}else S.push(x)}return S}}return[f,p,b]}var[Ld,Cd,Od]=Ma(
1),[Nd,Fd,Hd]=Ma(.001);Vs(2,-53,53,[1]);function Gl(e,t){return e.map(n=>n.map((s,i)=>i==0||i==8||s==null?s:t(i==1||n[8]==0?s:n[1]+s)))}function Kl(e,t){
return(n,s,i,r,l)=>{let u=t.find(M=>l>=M[0])||t[t.length-1],f,p,b,m,y,_;return s.map(M=>{let L=e(M),N=L.getFullYear(),B=L.getMonth(),S=L.getDate(),
C=L.getHours(),E=L.getMinutes(),Q=L.getSeconds(),D=N!=f&&u[2]||B!=p&&u[3]||S!=b&&u[4]||C!=m&&u[5]||E!=y&&u[6]||Q!=_&&u[7]||u[1];return f=N,p=
B,b=S,m=C,y=E,_=Q,D(L)})}}function zd(e,t){let n=tr(t);return(s,i,r,l,u)=>i.map(f=>n(e(f)))}function Oo(e,t,n){return new Date(e,t,n)}function jl(e,t){
return t(e)}var Id="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function Ul(e,t){return(n,s,i,r)=>r==null?Yo:t(e(s))}function Wd(e,t){let n=e.series[t];return n.
width?n.stroke(e,t):n.points.width?n.points.stroke(e,t):null}function Bd(e,t){return e.series[t].fill(e,t)}var Vd={show:!0,live:!0,isolate:!1,
mount:ad,markers:{show:!0,width:2,stroke:Wd,fill:Bd,dash:"solid"},idx:null,idxs:null,values:[]};function qd(e,t){let n=e.cursor.points,s=Et(),
i=n.size(e,t);_e(s,Hs,i),_e(s,zs,i);let r=i/-2;_e(s,"marginLeft",r),_e(s,"marginTop",r);let l=n.width(e,t,i);return l&&_e(s,"borderWidth",l),
s}function Gd(e,t){let n=e.series[t].points;return n._fill||n._stroke}function Kd(e,t){let n=e.series[t].points;return n._stroke||n._fill}function jd(e,t){
return e.series[t].points.size}var No=[0,0];function Ud(e,t,n){return No[0]=t,No[1]=n,No}function _i(e,t,n,s=!0){return i=>{i.button==0&&(!s||
i.target==t)&&n(i)}}function Fo(e,t,n,s=!0){return i=>{(!s||i.target==t)&&n(i)}}var Yd={show:!0,x:!0,y:!0,lock:!1,move:Ud,points:{one:!1,show:qd,
size:jd,width:0,stroke:Kd,fill:Gd},bind:{mousedown:_i,mouseup:_i,click:_i,dblclick:_i,mousemove:Fo,mouseleave:Fo,mouseenter:Fo},drag:{setScale:!0,
x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(e,t,n,s,i)=>s-i,prox:-1,
bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},$a={show:!0,stroke:"rgba(0,0,0,0\
.07)",width:2},sr=Le({},$a,{filter:pa}),Aa=Le({},sr,{size:10}),Pa=Le({},$a,{show:!1}),ir='12px system-ui, -apple-system, "Segoe UI", Roboto,\
 "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',Da="bold "+
ir,Ra=1.5,Yl={show:!0,scale:"x",stroke:Uo,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Da,side:2,grid:sr,ticks:Aa,border:Pa,
font:ir,lineGap:Ra,rotate:0},Jd="Value",Qd="Time",Jl={show:!0,scale:"x",auto:!1,sorted:1,min:me,max:-me,idxs:[]};function Zd(e,t,n,s,i){return t.
map(r=>r==null?"":Xo(r))}function Xd(e,t,n,s,i,r,l){let u=[],f=wn.get(i)||0;n=l?n:ge(Pi(n,i),f);for(let p=n;p<=s;p=ge(p+i,f))u.push(Object.is(
p,-0)?0:p);return u}function Vo(e,t,n,s,i,r,l){let u=[],f=e.scales[e.axes[t].scale].log,p=f==10?on:da,b=gt(p(n));i=hs(f,b),f==10&&(i=Ln[Ft(i,
Ln)]);let m=n,y=i*f;f==10&&(y=Ln[Ft(y,Ln)]);do u.push(m),m=m+i,f==10&&!wn.has(m)&&(m=ge(m,wn.get(i))),m>=y&&(i=m,y=i*f,f==10&&(y=Ln[Ft(y,Ln)]));while(m<=
s);return u}function ef(e,t,n,s,i,r,l){let f=e.scales[e.axes[t].scale].asinh,p=s>f?Vo(e,t,nt(f,n),s,i):[f],b=s>=0&&n<=0?[0]:[];return(n<-f?Vo(
e,t,nt(f,-s),-n,i):[f]).reverse().map(y=>-y).concat(b,p)}var La=/./,tf=/[12357]/,nf=/[125]/,Ql=/1/,qo=(e,t,n,s)=>e.map((i,r)=>t==4&&i==0||r%
s==0&&n.test(i.toExponential()[i<0?1:0])?i:null);function sf(e,t,n,s,i){let r=e.axes[n],l=r.scale,u=e.scales[l],f=e.valToPos,p=r._space,b=f(
10,l),m=f(9,l)-b>=p?La:f(7,l)-b>=p?tf:f(5,l)-b>=p?nf:Ql;if(m==Ql){let y=Fe(f(1,l)-b);if(y<p)return qo(t.slice().reverse(),u.distr,m,Mt(p/y)).
reverse()}return qo(t,u.distr,m,1)}function of(e,t,n,s,i){let r=e.axes[n],l=r.scale,u=r._space,f=e.valToPos,p=Fe(f(1,l)-f(2,l));return p<u?qo(
t.slice().reverse(),3,La,Mt(u/p)).reverse():t}function rf(e,t,n,s){return s==null?Yo:t==null?"":Xo(t)}var Zl={show:!0,scale:"y",stroke:Uo,space:30,
gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Da,side:3,grid:sr,ticks:Aa,border:Pa,font:ir,lineGap:Ra,rotate:0};function lf(e,t){
let n=3+(e||1)*2;return ge(n*t,3)}function af(e,t){let{scale:n,idxs:s}=e.series[0],i=e._data[0],r=e.valToPos(i[s[0]],n,!0),l=e.valToPos(i[s[1]],
n,!0),u=Fe(l-r),f=e.series[t],p=u/(f.points.space*ce);return s[1]-s[0]<=p}var Xl={scale:null,auto:!0,sorted:0,min:me,max:-me},Ca=(e,t,n,s,i)=>i,
ea={show:!0,auto:!0,sorted:0,gaps:Ca,alpha:1,facets:[Le({},Xl,{scale:"x"}),Le({},Xl,{scale:"y"})]},ta={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:Ca,alpha:1,points:{show:af,filter:null},values:null,min:me,max:-me,idxs:[],path:null,clip:null};function cf(e,t,n,s,i){return n/10}var Oa={
time:!0,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},uf=Le({},Oa,{time:!1,ori:1}),na={};function Na(e,t){let n=na[e];return n||
(n={key:e,plots:[],sub(s){n.plots.push(s)},unsub(s){n.plots=n.plots.filter(i=>i!=s)},pub(s,i,r,l,u,f,p){for(let b=0;b<n.plots.length;b++)n.plots[b]!=
i&&n.plots[b].pub(s,i,r,l,u,f,p)}},e!=null&&(na[e]=n)),n}var gs=1,Go=2;function Fn(e,t,n){let s=e.mode,i=e.series[t],r=s==2?e._data[t]:e._data,
l=e.scales,u=e.bbox,f=r[0],p=s==2?r[1]:r[t],b=s==2?l[i.facets[0].scale]:l[e.series[0].scale],m=s==2?l[i.facets[1].scale]:l[i.scale],y=u.left,
_=u.top,M=u.width,L=u.height,N=e.valToPosH,B=e.valToPosV;return b.ori==0?n(i,f,p,b,m,N,B,y,_,M,L,Li,ys,Oi,Ha,Ia):n(i,f,p,b,m,B,N,_,y,L,M,Ci,
ws,lr,za,Wa)}function or(e,t){let n=0,s=0,i=le(e.bands,er);for(let r=0;r<i.length;r++){let l=i[r];l.series[0]==t?n=l.dir:l.series[1]==t&&(l.
dir==1?s|=1:s|=2)}return[n,s==1?-1:s==2?1:s==3?2:0]}function df(e,t,n,s,i){let r=e.mode,l=e.series[t],u=r==2?l.facets[1].scale:l.scale,f=e.scales[u];
return i==-1?f.min:i==1?f.max:f.distr==3?f.dir==1?f.min:f.max:0}function rn(e,t,n,s,i,r){return Fn(e,t,(l,u,f,p,b,m,y,_,M,L,N)=>{let B=l.pxRound,
S=p.dir*(p.ori==0?1:-1),C=p.ori==0?ys:ws,E,Q;S==1?(E=n,Q=s):(E=s,Q=n);let D=B(m(u[E],p,L,_)),Z=B(y(f[E],b,N,M)),j=B(m(u[Q],p,L,_)),ee=B(y(r==
1?b.max:b.min,b,N,M)),Y=new Path2D(i);return C(Y,j,ee),C(Y,D,ee),C(Y,D,Z),Y})}function Ri(e,t,n,s,i,r){let l=null;if(e.length>0){l=new Path2D;
let u=t==0?Oi:lr,f=n;for(let m=0;m<e.length;m++){let y=e[m];if(y[1]>y[0]){let _=y[0]-f;_>0&&u(l,f,s,_,s+r),f=y[1]}}let p=n+i-f,b=10;p>0&&u(l,
f,s-b/2,p,s+r+b)}return l}function ff(e,t,n){let s=e[e.length-1];s&&s[0]==t?s[1]=n:e.push([t,n])}function rr(e,t,n,s,i,r,l){let u=[],f=e.length;
for(let p=i==1?n:s;p>=n&&p<=s;p+=i)if(t[p]===null){let m=p,y=p;if(i==1)for(;++p<=s&&t[p]===null;)y=p;else for(;--p>=n&&t[p]===null;)y=p;let _=r(
e[m]),M=y==m?_:r(e[y]),L=m-i;_=l<=0&&L>=0&&L<f?r(e[L]):_;let B=y+i;M=l>=0&&B>=0&&B<f?r(e[B]):M,M>=_&&u.push([_,M])}return u}function sa(e){return e==
0?ha:e==1?Ne:t=>Rn(t,e)}function Fa(e){let t=e==0?Li:Ci,n=e==0?(i,r,l,u,f,p)=>{i.arcTo(r,l,u,f,p)}:(i,r,l,u,f,p)=>{i.arcTo(l,r,f,u,p)},s=e==
0?(i,r,l,u,f)=>{i.rect(r,l,u,f)}:(i,r,l,u,f)=>{i.rect(l,r,f,u)};return(i,r,l,u,f,p=0,b=0)=>{p==0&&b==0?s(i,r,l,u,f):(p=Ht(p,u/2,f/2),b=Ht(b,
u/2,f/2),t(i,r+p,l),n(i,r+u,l,r+u,l+f,p),n(i,r+u,l+f,r,l+f,b),n(i,r,l+f,r,l,b),n(i,r,l,r+u,l,p),i.closePath())}}var Li=(e,t,n)=>{e.moveTo(t,
n)},Ci=(e,t,n)=>{e.moveTo(n,t)},ys=(e,t,n)=>{e.lineTo(t,n)},ws=(e,t,n)=>{e.lineTo(n,t)},Oi=Fa(0),lr=Fa(1),Ha=(e,t,n,s,i,r)=>{e.arc(t,n,s,i,r)},
za=(e,t,n,s,i,r)=>{e.arc(n,t,s,i,r)},Ia=(e,t,n,s,i,r,l)=>{e.bezierCurveTo(t,n,s,i,r,l)},Wa=(e,t,n,s,i,r,l)=>{e.bezierCurveTo(n,t,i,s,l,r)};function Ba(e){
return(t,n,s,i,r)=>Fn(t,n,(l,u,f,p,b,m,y,_,M,L,N)=>{let{pxRound:B,points:S}=l,C,E;p.ori==0?(C=Li,E=Ha):(C=Ci,E=za);let Q=ge(S.width*ce,3),D=(S.
size-S.width)/2*ce,Z=ge(D*2,3),j=new Path2D,ee=new Path2D,{left:Y,top:x,width:V,height:F}=t.bbox;Oi(ee,Y-Z,x-Z,V+Z*2,F+Z*2);let K=W=>{if(f[W]!=
null){let ie=B(m(u[W],p,L,_)),I=B(y(f[W],b,N,M));C(j,ie+D,I),E(j,ie,I,D,0,Si*2)}};if(r)r.forEach(K);else for(let W=s;W<=i;W++)K(W);return{stroke:Q>
0?j:null,fill:j,clip:ee,flags:gs|Go}})}function Va(e){return(t,n,s,i,r,l)=>{s!=i&&(r!=s&&l!=s&&e(t,n,s),r!=i&&l!=i&&e(t,n,i),e(t,n,l))}}var hf=Va(
ys),pf=Va(ws);function qa(e){let t=le(e?.alignGaps,0);return(n,s,i,r)=>Fn(n,s,(l,u,f,p,b,m,y,_,M,L,N)=>{[i,r]=$i(f,i,r);let B=l.pxRound,S=F=>B(
m(F,p,L,_)),C=F=>B(y(F,b,N,M)),E,Q;p.ori==0?(E=ys,Q=hf):(E=ws,Q=pf);let D=p.dir*(p.ori==0?1:-1),Z={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:gs},j=Z.stroke,ee=!1;if(r-i>=L*4){let F=H=>n.posToVal(H,p.key,!0),K=null,W=null,ie,I,st,Se=S(u[D==1?i:r]),oe=S(u[i]),fe=S(u[r]),
te=F(D==1?oe+1:fe-1);for(let H=D==1?i:r;H>=i&&H<=r;H+=D){let Ce=u[H],Te=(D==1?Ce<te:Ce>te)?Se:S(Ce),ue=f[H];Te==Se?ue!=null?(I=ue,K==null?(E(
j,Te,C(I)),ie=K=W=I):I<K?K=I:I>W&&(W=I)):ue===null&&(ee=!0):(K!=null&&Q(j,Se,C(K),C(W),C(ie),C(I)),ue!=null?(I=ue,E(j,Te,C(I)),K=W=ie=I):(K=
W=null,ue===null&&(ee=!0)),Se=Te,te=F(Se+D))}K!=null&&K!=W&&st!=Se&&Q(j,Se,C(K),C(W),C(ie),C(I))}else for(let F=D==1?i:r;F>=i&&F<=r;F+=D){let K=f[F];
K===null?ee=!0:K!=null&&E(j,S(u[F]),C(K))}let[x,V]=or(n,s);if(l.fill!=null||x!=0){let F=Z.fill=new Path2D(j),K=l.fillTo(n,s,l.min,l.max,x),W=C(
K),ie=S(u[i]),I=S(u[r]);D==-1&&([I,ie]=[ie,I]),E(F,I,W),E(F,ie,W)}if(!l.spanGaps){let F=[];ee&&F.push(...rr(u,f,i,r,D,S,t)),Z.gaps=F=l.gaps(
n,s,i,r,F),Z.clip=Ri(F,p.ori,_,M,L,N)}return V!=0&&(Z.band=V==2?[rn(n,s,i,r,j,-1),rn(n,s,i,r,j,1)]:rn(n,s,i,r,j,V)),Z})}function mf(e){let t=le(
e.align,1),n=le(e.ascDesc,!1),s=le(e.alignGaps,0),i=le(e.extend,!1);return(r,l,u,f)=>Fn(r,l,(p,b,m,y,_,M,L,N,B,S,C)=>{[u,f]=$i(m,u,f);let E=p.
pxRound,{left:Q,width:D}=r.bbox,Z=oe=>E(M(oe,y,S,N)),j=oe=>E(L(oe,_,C,B)),ee=y.ori==0?ys:ws,Y={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:gs},x=Y.stroke,V=y.dir*(y.ori==0?1:-1),F=j(m[V==1?u:f]),K=Z(b[V==1?u:f]),W=K,ie=K;i&&t==-1&&(ie=Q,ee(x,ie,F)),ee(x,K,F);for(let oe=V==
1?u:f;oe>=u&&oe<=f;oe+=V){let fe=m[oe];if(fe==null)continue;let te=Z(b[oe]),H=j(fe);t==1?ee(x,te,F):ee(x,W,H),ee(x,te,H),F=H,W=te}let I=W;i&&
t==1&&(I=Q+D,ee(x,I,F));let[st,Se]=or(r,l);if(p.fill!=null||st!=0){let oe=Y.fill=new Path2D(x),fe=p.fillTo(r,l,p.min,p.max,st),te=j(fe);ee(oe,
I,te),ee(oe,ie,te)}if(!p.spanGaps){let oe=[];oe.push(...rr(b,m,u,f,V,Z,s));let fe=p.width*ce/2,te=n||t==1?fe:-fe,H=n||t==-1?-fe:fe;oe.forEach(
Ce=>{Ce[0]+=te,Ce[1]+=H}),Y.gaps=oe=p.gaps(r,l,u,f,oe),Y.clip=Ri(oe,y.ori,N,B,S,C)}return Se!=0&&(Y.band=Se==2?[rn(r,l,u,f,x,-1),rn(r,l,u,f,
x,1)]:rn(r,l,u,f,x,Se)),Y})}function ia(e,t,n,s,i,r,l=me){if(e.length>1){let u=null;for(let f=0,p=1/0;f<e.length;f++)if(t[f]!==void 0){if(u!=
null){let b=Fe(e[f]-e[u]);b<p&&(p=b,l=Fe(n(e[f],s,i,r)-n(e[u],s,i,r)))}u=f}}return l}function gf(e){e=e||Bs;let t=le(e.size,[.6,me,1]),n=e.align||
0,s=e.gap||0,i=e.radius;i=i==null?[0,0]:typeof i=="number"?[i,0]:i;let r=se(i),l=1-t[0],u=le(t[1],me),f=le(t[2],1),p=le(e.disp,Bs),b=le(e.each,
_=>{}),{fill:m,stroke:y}=p;return(_,M,L,N)=>Fn(_,M,(B,S,C,E,Q,D,Z,j,ee,Y,x)=>{let V=B.pxRound,F=n,K=s*ce,W=u*ce,ie=f*ce,I,st;E.ori==0?[I,st]=
r(_,M):[st,I]=r(_,M);let Se=E.dir*(E.ori==0?1:-1),oe=E.ori==0?Oi:lr,fe=E.ori==0?b:(P,be,Oe,qn,kn,Wt,_n)=>{b(P,be,Oe,kn,qn,_n,Wt)},te=le(_.bands,
er).find(P=>P.series[0]==M),H=te!=null?te.dir:0,Ce=B.fillTo(_,M,B.min,B.max,H),Je=V(Z(Ce,Q,x,ee)),Te,ue,$t,at=Y,Me=V(B.width*ce),It=!1,Zt=null,
vt=null,cn=null,Wn=null;m!=null&&(Me==0||y!=null)&&(It=!0,Zt=m.values(_,M,L,N),vt=new Map,new Set(Zt).forEach(P=>{P!=null&&vt.set(P,new Path2D)}),
Me>0&&(cn=y.values(_,M,L,N),Wn=new Map,new Set(cn).forEach(P=>{P!=null&&Wn.set(P,new Path2D)})));let{x0:Bn,size:ks}=p;if(Bn!=null&&ks!=null){
F=1,S=Bn.values(_,M,L,N),Bn.unit==2&&(S=S.map(Oe=>_.posToVal(j+Oe*Y,E.key,!0)));let P=ks.values(_,M,L,N);ks.unit==2?ue=P[0]*Y:ue=D(P[0],E,Y,
j)-D(0,E,Y,j),at=ia(S,C,D,E,Y,j,at),$t=at-ue+K}else at=ia(S,C,D,E,Y,j,at),$t=at*l+K,ue=at-$t;$t<1&&($t=0),Me>=ue/2&&(Me=0),$t<5&&(V=ha);let Us=$t>
0,vn=at-$t-(Us?Me:0);ue=V(Bo(vn,ie,W)),Te=(F==0?ue/2:F==Se?0:ue)-F*Se*((F==0?K/2:0)+(Us?Me/2:0));let Qe={stroke:null,fill:null,clip:null,band:null,
gaps:null,flags:0},Vn=It?null:new Path2D,Xt=null;if(te!=null)Xt=_.data[te.series[1]];else{let{y0:P,y1:be}=p;P!=null&&be!=null&&(C=be.values(
_,M,L,N),Xt=P.values(_,M,L,N))}let xn=I*ue,X=st*ue;for(let P=Se==1?L:N;P>=L&&P<=N;P+=Se){let be=C[P];if(be==null)continue;if(Xt!=null){let it=Xt[P]??
0;if(be-it==0)continue;Je=Z(it,Q,x,ee)}let Oe=E.distr!=2||p!=null?S[P]:P,qn=D(Oe,E,Y,j),kn=Z(le(be,Ce),Q,x,ee),Wt=V(qn-Te),_n=V(nt(kn,Je)),ct=V(
Ht(kn,Je)),xt=_n-ct;if(be!=null){let it=be<0?X:xn,At=be<0?xn:X;It?(Me>0&&cn[P]!=null&&oe(Wn.get(cn[P]),Wt,ct+gt(Me/2),ue,nt(0,xt-Me),it,At),
Zt[P]!=null&&oe(vt.get(Zt[P]),Wt,ct+gt(Me/2),ue,nt(0,xt-Me),it,At)):oe(Vn,Wt,ct+gt(Me/2),ue,nt(0,xt-Me),it,At),fe(_,M,P,Wt-Me/2,ct,ue+Me,xt)}}
return Me>0?Qe.stroke=It?Wn:Vn:It||(Qe._fill=B.width==0?B._fill:B._stroke??B._fill,Qe.width=0),Qe.fill=It?vt:Vn,Qe})}function bf(e,t){let n=le(
t?.alignGaps,0);return(s,i,r,l)=>Fn(s,i,(u,f,p,b,m,y,_,M,L,N,B)=>{[r,l]=$i(p,r,l);let S=u.pxRound,C=I=>S(y(I,b,N,M)),E=I=>S(_(I,m,B,L)),Q,D,
Z;b.ori==0?(Q=Li,Z=ys,D=Ia):(Q=Ci,Z=ws,D=Wa);let j=b.dir*(b.ori==0?1:-1),ee=C(f[j==1?r:l]),Y=ee,x=[],V=[];for(let I=j==1?r:l;I>=r&&I<=l;I+=j)
if(p[I]!=null){let Se=f[I],oe=C(Se);x.push(Y=oe),V.push(E(p[I]))}let F={stroke:e(x,V,Q,Z,D,S),fill:null,clip:null,band:null,gaps:null,flags:gs},
K=F.stroke,[W,ie]=or(s,i);if(u.fill!=null||W!=0){let I=F.fill=new Path2D(K),st=u.fillTo(s,i,u.min,u.max,W),Se=E(st);Z(I,Y,Se),Z(I,ee,Se)}if(!u.
spanGaps){let I=[];I.push(...rr(f,p,r,l,j,C,n)),F.gaps=I=u.gaps(s,i,r,l,I),F.clip=Ri(I,b.ori,M,L,N,B)}return ie!=0&&(F.band=ie==2?[rn(s,i,r,
l,K,-1),rn(s,i,r,l,K,1)]:rn(s,i,r,l,K,ie)),F})}function yf(e){return bf(wf,e)}function wf(e,t,n,s,i,r){let l=e.length;if(l<2)return null;let u=new Path2D;
if(n(u,e[0],t[0]),l==2)s(u,e[1],t[1]);else{let f=Array(l),p=Array(l-1),b=Array(l-1),m=Array(l-1);for(let y=0;y<l-1;y++)b[y]=t[y+1]-t[y],m[y]=
e[y+1]-e[y],p[y]=b[y]/m[y];f[0]=p[0];for(let y=1;y<l-1;y++)p[y]===0||p[y-1]===0||p[y-1]>0!=p[y]>0?f[y]=0:(f[y]=3*(m[y-1]+m[y])/((2*m[y]+m[y-
1])/p[y-1]+(m[y]+2*m[y-1])/p[y]),isFinite(f[y])||(f[y]=0));f[l-1]=p[l-2];for(let y=0;y<l-1;y++)i(u,e[y]+m[y]/3,t[y]+f[y]*m[y]/3,e[y+1]-m[y]/
3,t[y+1]-f[y+1]*m[y]/3,e[y+1],t[y+1])}return u}var Ko=new Set;function oa(){for(let e of Ko)e.syncRect(!0)}bs&&(On(Zu,fs,oa),On(Xu,fs,oa,!0),
On(Ti,fs,()=>{He.pxRatio=ce}));var vf=qa(),xf=Ba();function ra(e,t,n,s){return(s?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map(
(r,l)=>jo(r,l,t,n))}function kf(e,t){return e.map((n,s)=>s==0?{}:Le({},t,n))}function jo(e,t,n,s){return Le({},t==0?n:s,e)}function Ga(e,t,n){
return t==null?ps:[t,n]}var _f=Ga;function Sf(e,t,n){return t==null?ps:Ei(t,n,Zo,!0)}function Ka(e,t,n,s){return t==null?ps:Ai(t,n,e.scales[s].
log,!1)}var Tf=Ka;function ja(e,t,n,s){return t==null?ps:Qo(t,n,e.scales[s].log,!1)}var Ef=ja;function Mf(e,t,n,s,i){let r=nt(Hl(e),Hl(t)),l=t-
e,u=Ft(i/s*l,n);do{let f=n[u],p=s*f/l;if(p>=i&&r+(f<5?wn.get(f):0)<=17)return[f,p]}while(++u<n.length);return[0,0]}function la(e){let t,n;return e=
e.replace(/(\d+)px/,(s,i)=>(t=Ne((n=+i)*ce))+"px"),[e,t,n]}function $f(e){e.show&&[e.font,e.labelFont].forEach(t=>{let n=ge(t[2]*ce,1);t[0]=
t[0].replace(/[0-9.]+px/,n+"px"),t[1]=n})}function He(e,t,n){let s={mode:le(e.mode,1)},i=s.mode;function r(o,a,d,h){let g=a.valToPct(o);return h+
d*(a.dir==-1?1-g:g)}function l(o,a,d,h){let g=a.valToPct(o);return h+d*(a.dir==-1?g:1-g)}function u(o,a,d,h){return a.ori==0?r(o,a,d,h):l(o,
a,d,h)}s.valToPosH=r,s.valToPosV=l;let f=!1;s.status=0;let p=s.root=Et(Cu);if(e.id!=null&&(p.id=e.id),mt(p,e.class),e.title){let o=Et(Fu,p);
o.textContent=e.title}let b=Nt("canvas"),m=s.ctx=b.getContext("2d"),y=Et(Hu,p);On("click",y,o=>{o.target===M&&(we!=ts||Ee!=ns)&&Ke.click(s,o)},
!0);let _=s.under=Et(zu,y);y.appendChild(b);let M=s.over=Et(Iu,y);e=ms(e);let L=+le(e.pxAlign,1),N=sa(L);(e.plugins||[]).forEach(o=>{o.opts&&
(e=o.opts(s,e)||e)});let B=e.ms||.001,S=s.series=i==1?ra(e.series||[],Jl,ta,!1):kf(e.series||[null],ea),C=s.axes=ra(e.axes||[],Yl,Zl,!0),E=s.
scales={},Q=s.bands=e.bands||[];Q.forEach(o=>{o.fill=se(o.fill||null),o.dir=le(o.dir,-1)});let D=i==2?S[1].facets[0].scale:S[0].scale,Z={axes:Ic,
series:Oc},j=(e.drawOrder||["axes","series"]).map(o=>Z[o]);function ee(o){let a=o.distr==3?d=>on(d>0?d:o.clamp(s,d,o.min,o.max,o.key)):o.distr==
4?d=>Co(d,o.asinh):o.distr==100?d=>o.fwd(d):d=>d;return d=>{let h=a(d),{_min:g,_max:w}=o,v=w-g;return(h-g)/v}}function Y(o){let a=E[o];if(a==
null){let d=(e.scales||Bs)[o]||Bs;if(d.from!=null){Y(d.from);let h=Le({},E[d.from],d,{key:o});h.valToPct=ee(h),E[o]=h}else{a=E[o]=Le({},o==D?
Oa:uf,d),a.key=o;let h=a.time,g=a.range,w=yn(g);if((o!=D||i==2&&!h)&&(w&&(g[0]==null||g[1]==null)&&(g={min:g[0]==null?Ol:{mode:1,hard:g[0],soft:g[0]},
max:g[1]==null?Ol:{mode:1,hard:g[1],soft:g[1]}},w=!1),!w&&Di(g))){let v=g;g=(k,T,$)=>T==null?ps:Ei(T,$,v)}a.range=se(g||(h?_f:o==D?a.distr==
3?Tf:a.distr==4?Ef:Ga:a.distr==3?Ka:a.distr==4?ja:Sf)),a.auto=se(w?!1:a.auto),a.clamp=se(a.clamp||cf),a._min=a._max=null,a.valToPct=ee(a)}}}
Y("x"),Y("y"),i==1&&S.forEach(o=>{Y(o.scale)}),C.forEach(o=>{Y(o.scale)});for(let o in e.scales)Y(o);let x=E[D],V=x.distr,F,K;x.ori==0?(mt(p,
Ou),F=r,K=l):(mt(p,Nu),F=l,K=r);let W={};for(let o in E){let a=E[o];(a.min!=null||a.max!=null)&&(W[o]={min:a.min,max:a.max},a.min=a.max=null)}
let ie=e.tzDate||(o=>new Date(Ne(o/B))),I=e.fmtDate||tr,st=B==1?Od(ie):Hd(ie),Se=Kl(ie,Gl(B==1?Cd:Fd,I)),oe=Ul(ie,jl(Id,I)),fe=[],te=s.legend=
Le({},Vd,e.legend),H=s.cursor=Le({},Yd,{drag:{y:i==2}},e.cursor),Ce=te.show,Je=H.show,Te=te.markers;te.idxs=fe,Te.width=se(Te.width),Te.dash=
se(Te.dash),Te.stroke=se(Te.stroke),Te.fill=se(Te.fill);let ue,$t,at,Me=[],It=[],Zt,vt=!1,cn={};if(te.live){let o=S[1]?S[1].values:null;vt=o!=
null,Zt=vt?o(s,1,0):{_:0};for(let a in Zt)cn[a]=Yo}if(Ce)if(ue=Nt("table",Ku,p),at=Nt("tbody",null,ue),te.mount(s,ue),vt){$t=Nt("thead",null,
ue,at);let o=Nt("tr",null,$t);Nt("th",null,o);for(var Wn in Zt)Nt("th",kl,o).textContent=Wn}else mt(ue,Uu),te.live&&mt(ue,ju);let Bn={show:!0},
ks={show:!1};function Us(o,a){if(a==0&&(vt||!te.live||i==2))return ps;let d=[],h=Nt("tr",Yu,at,at.childNodes[a]);mt(h,o.class),o.show||mt(h,
Cn);let g=Nt("th",null,h);if(Te.show){let k=Et(Ju,g);if(a>0){let T=Te.width(s,a);T&&(k.style.border=T+"px "+Te.dash(s,a)+" "+Te.stroke(s,a)),
k.style.background=Te.fill(s,a)}}let w=Et(kl,g);o.label instanceof HTMLElement?w.appendChild(o.label):w.textContent=o.label,a>0&&(Te.show||(w.
style.color=o.width>0?Te.stroke(s,a):Te.fill(s,a)),Qe("click",g,k=>{if(H._lock)return;Tn(k);let T=S.indexOf(o);if((k.ctrlKey||k.metaKey)!=te.
isolate){let $=S.some((A,R)=>R>0&&R!=T&&A.show);S.forEach((A,R)=>{R>0&&Vt(R,$?R==T?Bn:ks:Bn,!0,Re.setSeries)})}else Vt(T,{show:!o.show},!0,Re.
setSeries)},!1),Kn&&Qe(El,g,k=>{H._lock||(Tn(k),Vt(S.indexOf(o),is,!0,Re.setSeries))},!1));for(var v in Zt){let k=Nt("td",Qu,h);k.textContent=
"--",d.push(k)}return[h,d]}let vn=new Map;function Qe(o,a,d,h=!0){let g=vn.get(a)||{},w=H.bind[o](s,a,d,h);w&&(On(o,a,g[o]=w),vn.set(a,g))}function Vn(o,a,d){
let h=vn.get(a)||{};for(let g in h)(o==null||g==o)&&(Wo(g,a,h[g]),delete h[g]);o==null&&vn.delete(a)}let Xt=0,xn=0,X=0,P=0,be=0,Oe=0,qn=be,kn=Oe,
Wt=X,_n=P,ct=0,xt=0,it=0,At=0;s.bbox={};let qi=!1,Ys=!1,Gn=!1,Sn=!1,Js=!1,kt=!1;function Gi(o,a,d){(d||o!=s.width||a!=s.height)&&mr(o,a),Qn(
!1),Gn=!0,Ys=!0,Zn()}function mr(o,a){s.width=Xt=X=o,s.height=xn=P=a,be=Oe=0,$c(),Ac();let d=s.bbox;ct=d.left=Rn(be*ce,.5),xt=d.top=Rn(Oe*ce,
.5),it=d.width=Rn(X*ce,.5),At=d.height=Rn(P*ce,.5)}let Tc=3;function Ec(){let o=!1,a=0;for(;!o;){a++;let d=Hc(a),h=zc(a);o=a==Tc||d&&h,o||(mr(
s.width,s.height),Ys=!0)}}function Mc({width:o,height:a}){Gi(o,a)}s.setSize=Mc;function $c(){let o=!1,a=!1,d=!1,h=!1;C.forEach((g,w)=>{if(g.
show&&g._show){let{side:v,_size:k}=g,T=v%2,$=g.label!=null?g.labelSize:0,A=k+$;A>0&&(T?(X-=A,v==3?(be+=A,h=!0):d=!0):(P-=A,v==0?(Oe+=A,o=!0):
a=!0))}}),En[0]=o,En[1]=d,En[2]=a,En[3]=h,X-=un[1]+un[3],be+=un[3],P-=un[2]+un[0],Oe+=un[0]}function Ac(){let o=be+X,a=Oe+P,d=be,h=Oe;function g(w,v){
switch(w){case 1:return o+=v,o-v;case 2:return a+=v,a-v;case 3:return d-=v,d+v;case 0:return h-=v,h+v}}C.forEach((w,v)=>{if(w.show&&w._show){
let k=w.side;w._pos=g(k,w._size),w.label!=null&&(w._lpos=g(k,w.labelSize))}})}if(H.dataIdx==null){let o=H.hover,a=o.skip=new Set(o.skip??[]);
a.add(void 0);let d=o.prox=se(o.prox),h=o.bias??=0;H.dataIdx=(g,w,v,k)=>{if(w==0)return v;let T=v,$=d(g,w,v,k)??me,A=$>=0&&$<me,R=x.ori==0?X:
P,U=H.left,ae=t[0],re=t[w];if(a.has(re[v])){T=null;let ne=null,G=null,z;if(h==0||h==-1)for(z=v;ne==null&&z-- >0;)a.has(re[z])||(ne=z);if(h==
0||h==1)for(z=v;G==null&&z++<re.length;)a.has(re[z])||(G=z);if(ne!=null||G!=null)if(A){let xe=ne==null?-1/0:F(ae[ne],x,R,0),Ae=G==null?1/0:F(
ae[G],x,R,0),qe=U-xe,he=Ae-U;qe<=he?qe<=$&&(T=ne):he<=$&&(T=G)}else T=G==null?ne:ne==null?G:v-ne<=G-v?ne:G}else A&&Fe(U-F(ae[v],x,R,0))>$&&(T=
null);return T}}let Tn=o=>{H.event=o};H.idxs=fe,H._lock=!1;let Ue=H.points;Ue.show=se(Ue.show),Ue.size=se(Ue.size),Ue.stroke=se(Ue.stroke),Ue.
width=se(Ue.width),Ue.fill=se(Ue.fill);let Bt=s.focus=Le({},e.focus||{alpha:.3},H.focus),Kn=Bt.prox>=0,jn=Kn&&Ue.one,_t=[],Un=[],Yn=[];function gr(o,a){
let d=Ue.show(s,a);if(d instanceof HTMLElement)return mt(d,Gu),mt(d,o.class),Yt(d,-10,-10,X,P),M.insertBefore(d,_t[a]),d}function br(o,a){if(i==
1||a>0){let d=i==1&&E[o.scale].time,h=o.value;o.value=d?Wl(h)?Ul(ie,jl(h,I)):h||oe:h||rf,o.label=o.label||(d?Qd:Jd)}if(jn||a>0){o.width=o.width==
null?1:o.width,o.paths=o.paths||vf||cd,o.fillTo=se(o.fillTo||df),o.pxAlign=+le(o.pxAlign,L),o.pxRound=sa(o.pxAlign),o.stroke=se(o.stroke||null),
o.fill=se(o.fill||null),o._stroke=o._fill=o._paths=o._focus=null;let d=lf(nt(1,o.width),1),h=o.points=Le({},{size:d,width:nt(1,d*.2),stroke:o.
stroke,space:d*2,paths:xf,_stroke:null,_fill:null},o.points);h.show=se(h.show),h.filter=se(h.filter),h.fill=se(h.fill),h.stroke=se(h.stroke),
h.paths=se(h.paths),h.pxAlign=o.pxAlign}if(Ce){let d=Us(o,a);Me.splice(a,0,d[0]),It.splice(a,0,d[1]),te.values.push(null)}if(Je){fe.splice(a,
0,null);let d=null;jn?a==0&&(d=gr(o,a)):a>0&&(d=gr(o,a)),_t.splice(a,0,d),Un.splice(a,0,0),Yn.splice(a,0,0)}Ve("addSeries",a)}function Pc(o,a){
a=a??S.length,o=i==1?jo(o,a,Jl,ta):jo(o,a,{},ea),S.splice(a,0,o),br(S[a],a)}s.addSeries=Pc;function Dc(o){if(S.splice(o,1),Ce){te.values.splice(
o,1),It.splice(o,1);let a=Me.splice(o,1)[0];Vn(null,a.firstChild),a.remove()}Je&&(fe.splice(o,1),_t.splice(o,1)[0].remove(),Un.splice(o,1),Yn.
splice(o,1)),Ve("delSeries",o)}s.delSeries=Dc;let En=[!1,!1,!1,!1];function Rc(o,a){if(o._show=o.show,o.show){let d=o.side%2,h=E[o.scale];h==
null&&(o.scale=d?S[1].scale:D,h=E[o.scale]);let g=h.time;o.size=se(o.size),o.space=se(o.space),o.rotate=se(o.rotate),yn(o.incrs)&&o.incrs.forEach(
v=>{!wn.has(v)&&wn.set(v,ga(v))}),o.incrs=se(o.incrs||(h.distr==2?Dd:g?B==1?Ld:Nd:Ln)),o.splits=se(o.splits||(g&&h.distr==1?st:h.distr==3?Vo:
h.distr==4?ef:Xd)),o.stroke=se(o.stroke),o.grid.stroke=se(o.grid.stroke),o.ticks.stroke=se(o.ticks.stroke),o.border.stroke=se(o.border.stroke);
let w=o.values;o.values=yn(w)&&!yn(w[0])?se(w):g?yn(w)?Kl(ie,Gl(w,I)):Wl(w)?zd(ie,w):w||Se:w||Zd,o.filter=se(o.filter||(h.distr>=3&&h.log==10?
sf:h.distr==3&&h.log==2?of:pa)),o.font=la(o.font),o.labelFont=la(o.labelFont),o._size=o.size(s,null,a,0),o._space=o._rotate=o._incrs=o._found=
o._splits=o._values=null,o._size>0&&(En[a]=!0,o._el=Et(Wu,y))}}function _s(o,a,d,h){let[g,w,v,k]=d,T=a%2,$=0;return T==0&&(k||w)&&($=a==0&&!g||
a==2&&!v?Ne(Yl.size/3):0),T==1&&(g||v)&&($=a==1&&!w||a==3&&!k?Ne(Zl.size/2):0),$}let yr=s.padding=(e.padding||[_s,_s,_s,_s]).map(o=>se(le(o,
_s))),un=s._padding=yr.map((o,a)=>o(s,a,En,0)),Ge,ze=null,Ie=null,Qs=i==1?S[0].idxs:null,Pt=null,Ss=!1;function wr(o,a){if(t=o??[],s.data=s.
_data=t,i==2){Ge=0;for(let d=1;d<S.length;d++)Ge+=t[d][0].length}else{t.length==0&&(s.data=s._data=t=[[]]),Pt=t[0],Ge=Pt.length;let d=t;if(V==
2){d=t.slice();let h=d[0]=Array(Ge);for(let g=0;g<Ge;g++)h[g]=g}s._data=t=d}if(Qn(!0),Ve("setData"),V==2&&(Gn=!0),a!==!1){let d=x;d.auto(s,Ss)?
Ki():fn(D,d.min,d.max),Sn=Sn||H.left>=0,kt=!0,Zn()}}s.setData=wr;function Ki(){Ss=!0;let o,a;i==1&&(Ge>0?(ze=Qs[0]=0,Ie=Qs[1]=Ge-1,o=t[0][ze],
a=t[0][Ie],V==2?(o=ze,a=Ie):o==a&&(V==3?[o,a]=Ai(o,o,x.log,!1):V==4?[o,a]=Qo(o,o,x.log,!1):x.time?a=o+Ne(86400/B):[o,a]=Ei(o,a,Zo,!0))):(ze=
Qs[0]=o=null,Ie=Qs[1]=a=null)),fn(D,o,a)}let Zs,Jn,ji,Ui,Yi,Ji,Qi,Zi,Xi,ot;function vr(o,a,d,h,g,w){o??=Sl,d??=er,h??="butt",g??=Sl,w??="rou\
nd",o!=Zs&&(m.strokeStyle=Zs=o),g!=Jn&&(m.fillStyle=Jn=g),a!=ji&&(m.lineWidth=ji=a),w!=Yi&&(m.lineJoin=Yi=w),h!=Ji&&(m.lineCap=Ji=h),d!=Ui&&
m.setLineDash(Ui=d)}function xr(o,a,d,h){a!=Jn&&(m.fillStyle=Jn=a),o!=Qi&&(m.font=Qi=o),d!=Zi&&(m.textAlign=Zi=d),h!=Xi&&(m.textBaseline=Xi=
h)}function eo(o,a,d,h,g=0){if(h.length>0&&o.auto(s,Ss)&&(a==null||a.min==null)){let w=le(ze,0),v=le(Ie,h.length-1),k=d.min==null?sd(h,w,v,g,
o.distr==3):[d.min,d.max];o.min=Ht(o.min,d.min=k[0]),o.max=nt(o.max,d.max=k[1])}}let kr={min:null,max:null};function Lc(){for(let h in E){let g=E[h];
W[h]==null&&(g.min==null||W[D]!=null&&g.auto(s,Ss))&&(W[h]=kr)}for(let h in E){let g=E[h];W[h]==null&&g.from!=null&&W[g.from]!=null&&(W[h]=kr)}
W[D]!=null&&Qn(!0);let o={};for(let h in W){let g=W[h];if(g!=null){let w=o[h]=ms(E[h],fd);if(g.min!=null)Le(w,g);else if(h!=D||i==2)if(Ge==0&&
w.from==null){let v=w.range(s,null,null,h);w.min=v[0],w.max=v[1]}else w.min=me,w.max=-me}}if(Ge>0){S.forEach((h,g)=>{if(i==1){let w=h.scale,
v=W[w];if(v==null)return;let k=o[w];if(g==0){let T=k.range(s,k.min,k.max,w);k.min=T[0],k.max=T[1],ze=Ft(k.min,t[0]),Ie=Ft(k.max,t[0]),Ie-ze>
1&&(t[0][ze]<k.min&&ze++,t[0][Ie]>k.max&&Ie--),h.min=Pt[ze],h.max=Pt[Ie]}else h.show&&h.auto&&eo(k,v,h,t[g],h.sorted);h.idxs[0]=ze,h.idxs[1]=
Ie}else if(g>0&&h.show&&h.auto){let[w,v]=h.facets,k=w.scale,T=v.scale,[$,A]=t[g],R=o[k],U=o[T];R!=null&&eo(R,W[k],w,$,w.sorted),U!=null&&eo(
U,W[T],v,A,v.sorted),h.min=v.min,h.max=v.max}});for(let h in o){let g=o[h],w=W[h];if(g.from==null&&(w==null||w.min==null)){let v=g.range(s,g.
min==me?null:g.min,g.max==-me?null:g.max,h);g.min=v[0],g.max=v[1]}}}for(let h in o){let g=o[h];if(g.from!=null){let w=o[g.from];if(w.min==null)
g.min=g.max=null;else{let v=g.range(s,w.min,w.max,h);g.min=v[0],g.max=v[1]}}}let a={},d=!1;for(let h in o){let g=o[h],w=E[h];if(w.min!=g.min||
w.max!=g.max){w.min=g.min,w.max=g.max;let v=w.distr;w._min=v==3?on(w.min):v==4?Co(w.min,w.asinh):v==100?w.fwd(w.min):w.min,w._max=v==3?on(w.
max):v==4?Co(w.max,w.asinh):v==100?w.fwd(w.max):w.max,a[h]=d=!0}}if(d){S.forEach((h,g)=>{i==2?g>0&&a.y&&(h._paths=null):a[h.scale]&&(h._paths=
null)});for(let h in a)Gn=!0,Ve("setScale",h);Je&&H.left>=0&&(Sn=kt=!0)}for(let h in W)W[h]=null}function Cc(o){let a=Bo(ze-1,0,Ge-1),d=Bo(Ie+
1,0,Ge-1);for(;o[a]==null&&a>0;)a--;for(;o[d]==null&&d<Ge-1;)d++;return[a,d]}function Oc(){if(Ge>0){let o=S.some(a=>a._focus)&&ot!=Bt.alpha;
o&&(m.globalAlpha=ot=Bt.alpha),S.forEach((a,d)=>{if(d>0&&a.show&&(_r(d,!1),_r(d,!0),a._paths==null)){let h=ot;ot!=a.alpha&&(m.globalAlpha=ot=
a.alpha);let g=i==2?[0,t[d][0].length-1]:Cc(t[d]);a._paths=a.paths(s,d,g[0],g[1]),ot!=h&&(m.globalAlpha=ot=h)}}),S.forEach((a,d)=>{if(d>0&&a.
show){let h=ot;ot!=a.alpha&&(m.globalAlpha=ot=a.alpha),a._paths!=null&&Sr(d,!1);{let g=a._paths!=null?a._paths.gaps:null,w=a.points.show(s,d,
ze,Ie,g),v=a.points.filter(s,d,w,g);(w||v)&&(a.points._paths=a.points.paths(s,d,ze,Ie,v),Sr(d,!0))}ot!=h&&(m.globalAlpha=ot=h),Ve("drawSerie\
s",d)}}),o&&(m.globalAlpha=ot=1)}}function _r(o,a){let d=a?S[o].points:S[o];d._stroke=d.stroke(s,o),d._fill=d.fill(s,o)}function Sr(o,a){let d=a?
S[o].points:S[o],{stroke:h,fill:g,clip:w,flags:v,_stroke:k=d._stroke,_fill:T=d._fill,_width:$=d.width}=d._paths;$=ge($*ce,3);let A=null,R=$%
2/2;a&&T==null&&(T=$>0?"#fff":k);let U=d.pxAlign==1&&R>0;if(U&&m.translate(R,R),!a){let ae=ct-$/2,re=xt-$/2,ne=it+$,G=At+$;A=new Path2D,A.rect(
ae,re,ne,G)}a?to(k,$,d.dash,d.cap,T,h,g,v,w):Nc(o,k,$,d.dash,d.cap,T,h,g,v,A,w),U&&m.translate(-R,-R)}function Nc(o,a,d,h,g,w,v,k,T,$,A){let R=!1;
T!=0&&Q.forEach((U,ae)=>{if(U.series[0]==o){let re=S[U.series[1]],ne=t[U.series[1]],G=(re._paths||Bs).band;yn(G)&&(G=U.dir==1?G[0]:G[1]);let z,
xe=null;re.show&&G&&od(ne,ze,Ie)?(xe=U.fill(s,ae)||w,z=re._paths.clip):G=null,to(a,d,h,g,xe,v,k,T,$,A,z,G),R=!0}}),R||to(a,d,h,g,w,v,k,T,$,A)}
let Tr=gs|Go;function to(o,a,d,h,g,w,v,k,T,$,A,R){vr(o,a,d,h,g),(T||$||R)&&(m.save(),T&&m.clip(T),$&&m.clip($)),R?(k&Tr)==Tr?(m.clip(R),A&&m.
clip(A),ei(g,v),Xs(o,w,a)):k&Go?(ei(g,v),m.clip(R),Xs(o,w,a)):k&gs&&(m.save(),m.clip(R),A&&m.clip(A),ei(g,v),m.restore(),Xs(o,w,a)):(ei(g,v),
Xs(o,w,a)),(T||$||R)&&m.restore()}function Xs(o,a,d){d>0&&(a instanceof Map?a.forEach((h,g)=>{m.strokeStyle=Zs=g,m.stroke(h)}):a!=null&&o&&m.
stroke(a))}function ei(o,a){a instanceof Map?a.forEach((d,h)=>{m.fillStyle=Jn=h,m.fill(d)}):a!=null&&o&&m.fill(a)}function Fc(o,a,d,h){let g=C[o],
w;if(h<=0)w=[0,0];else{let v=g._space=g.space(s,o,a,d,h),k=g._incrs=g.incrs(s,o,a,d,h,v);w=Mf(a,d,k,h,v)}return g._found=w}function no(o,a,d,h,g,w,v,k,T,$){
let A=v%2/2;L==1&&m.translate(A,A),vr(k,v,T,$,k),m.beginPath();let R,U,ae,re,ne=g+(h==0||h==3?-w:w);d==0?(U=g,re=ne):(R=g,ae=ne);for(let G=0;G<
o.length;G++)a[G]!=null&&(d==0?R=ae=o[G]:U=re=o[G],m.moveTo(R,U),m.lineTo(ae,re));m.stroke(),L==1&&m.translate(-A,-A)}function Hc(o){let a=!0;
return C.forEach((d,h)=>{if(!d.show)return;let g=E[d.scale];if(g.min==null){d._show&&(a=!1,d._show=!1,Qn(!1));return}else d._show||(a=!1,d._show=
!0,Qn(!1));let w=d.side,v=w%2,{min:k,max:T}=g,[$,A]=Fc(h,k,T,v==0?X:P);if(A==0)return;let R=g.distr==2,U=d._splits=d.splits(s,h,k,T,$,A,R),ae=g.
distr==2?U.map(z=>Pt[z]):U,re=g.distr==2?Pt[U[1]]-Pt[U[0]]:$,ne=d._values=d.values(s,d.filter(s,ae,h,A,re),h,A,re);d._rotate=w==2?d.rotate(s,
ne,h,A):0;let G=d._size;d._size=Mt(d.size(s,ne,h,o)),G!=null&&d._size!=G&&(a=!1)}),a}function zc(o){let a=!0;return yr.forEach((d,h)=>{let g=d(
s,h,En,o);g!=un[h]&&(a=!1),un[h]=g}),a}function Ic(){for(let o=0;o<C.length;o++){let a=C[o];if(!a.show||!a._show)continue;let d=a.side,h=d%2,
g,w,v=a.stroke(s,o),k=d==0||d==3?-1:1,[T,$]=a._found;if(a.label!=null){let Xe=a.labelGap*k,ft=Ne((a._lpos+Xe)*ce);xr(a.labelFont[0],v,"cente\
r",d==2?"top":_l),m.save(),h==1?(g=w=0,m.translate(ft,Ne(xt+At/2)),m.rotate((d==3?-Si:Si)/2)):(g=Ne(ct+it/2),w=ft);let An=fa(a.label)?a.label(
s,o,T,$):a.label;m.fillText(An,g,w),m.restore()}if($==0)continue;let A=E[a.scale],R=h==0?it:At,U=h==0?ct:xt,ae=a._splits,re=A.distr==2?ae.map(
Xe=>Pt[Xe]):ae,ne=A.distr==2?Pt[ae[1]]-Pt[ae[0]]:T,G=a.ticks,z=a.border,xe=G.show?G.size:0,Ae=Ne(xe*ce),qe=Ne((a.alignTo==2?a._size-xe-a.gap:
a.gap)*ce),he=a._rotate*-Si/180,Pe=N(a._pos*ce),ut=(Ae+qe)*k,Ze=Pe+ut;w=h==0?Ze:0,g=h==1?Ze:0;let St=a.font[0],Dt=a.align==1?us:a.align==2?Do:
he>0?us:he<0?Do:h==0?"center":d==3?Do:us,Gt=he||h==1?"middle":d==2?"top":_l;xr(St,v,Dt,Gt);let dt=a.font[1]*a.lineGap,Tt=ae.map(Xe=>N(u(Xe,A,
R,U))),Rt=a._values;for(let Xe=0;Xe<Rt.length;Xe++){let ft=Rt[Xe];if(ft!=null){h==0?g=Tt[Xe]:w=Tt[Xe],ft=""+ft;let An=ft.indexOf(`
`)==-1?[ft]:ft.split(/\n/gm);for(let et=0;et<An.length;et++){let qr=An[et];he?(m.save(),m.translate(g,w+et*dt),m.rotate(he),m.fillText(qr,0,
0),m.restore()):m.fillText(qr,g,w+et*dt)}}}G.show&&no(Tt,G.filter(s,re,o,$,ne),h,d,Pe,Ae,ge(G.width*ce,3),G.stroke(s,o),G.dash,G.cap);let Kt=a.
grid;Kt.show&&no(Tt,Kt.filter(s,re,o,$,ne),h,h==0?2:1,h==0?xt:ct,h==0?At:it,ge(Kt.width*ce,3),Kt.stroke(s,o),Kt.dash,Kt.cap),z.show&&no([Pe],
[1],h==0?1:0,h==0?1:2,h==1?xt:ct,h==1?At:it,ge(z.width*ce,3),z.stroke(s,o),z.dash,z.cap)}Ve("drawAxes")}function Qn(o){S.forEach((a,d)=>{d>0&&
(a._paths=null,o&&(i==1?(a.min=null,a.max=null):a.facets.forEach(h=>{h.min=null,h.max=null})))})}let ti=!1,so=!1,Ts=[];function Wc(){so=!1;for(let o=0;o<
Ts.length;o++)Ve(...Ts[o]);Ts.length=0}function Zn(){ti||(wd(Er),ti=!0)}function Bc(o,a=!1){ti=!0,so=a,o(s),Er(),a&&Ts.length>0&&queueMicrotask(
Wc)}s.batch=Bc;function Er(){if(qi&&(Lc(),qi=!1),Gn&&(Ec(),Gn=!1),Ys){if(_e(_,us,be),_e(_,"top",Oe),_e(_,Hs,X),_e(_,zs,P),_e(M,us,be),_e(M,"\
top",Oe),_e(M,Hs,X),_e(M,zs,P),_e(y,Hs,Xt),_e(y,zs,xn),b.width=Ne(Xt*ce),b.height=Ne(xn*ce),C.forEach(({_el:o,_show:a,_size:d,_pos:h,side:g})=>{
if(o!=null)if(a){let w=g===3||g===0?d:0,v=g%2==1;_e(o,v?"left":"top",h-w),_e(o,v?"width":"height",d),_e(o,v?"top":"left",v?Oe:be),_e(o,v?"he\
ight":"width",v?P:X),Io(o,Cn)}else mt(o,Cn)}),Zs=Jn=ji=Yi=Ji=Qi=Zi=Xi=Ui=null,ot=1,$s(!0),be!=qn||Oe!=kn||X!=Wt||P!=_n){Qn(!1);let o=X/Wt,a=P/
_n;if(Je&&!Sn&&H.left>=0){H.left*=o,H.top*=a,Xn&&Yt(Xn,Ne(H.left),0,X,P),es&&Yt(es,0,Ne(H.top),X,P);for(let d=0;d<_t.length;d++){let h=_t[d];
h!=null&&(Un[d]*=o,Yn[d]*=a,Yt(h,Mt(Un[d]),Mt(Yn[d]),X,P))}}if(ve.show&&!Js&&ve.left>=0&&ve.width>0){ve.left*=o,ve.width*=o,ve.top*=a,ve.height*=
a;for(let d in co)_e(ss,d,ve[d])}qn=be,kn=Oe,Wt=X,_n=P}Ve("setSize"),Ys=!1}Xt>0&&xn>0&&(m.clearRect(0,0,b.width,b.height),Ve("drawClear"),j.
forEach(o=>o()),Ve("draw")),ve.show&&Js&&(ni(ve),Js=!1),Je&&Sn&&($n(null,!0,!1),Sn=!1),te.show&&te.live&&kt&&(lo(),kt=!1),f||(f=!0,s.status=
1,Ve("ready")),Ss=!1,ti=!1}s.redraw=(o,a)=>{Gn=a||!1,o!==!1?fn(D,x.min,x.max):Zn()};function io(o,a){let d=E[o];if(d.from==null){if(Ge==0){let h=d.
range(s,a.min,a.max,o);a.min=h[0],a.max=h[1]}if(a.min>a.max){let h=a.min;a.min=a.max,a.max=h}if(Ge>1&&a.min!=null&&a.max!=null&&a.max-a.min<
1e-16)return;o==D&&d.distr==2&&Ge>0&&(a.min=Ft(a.min,t[0]),a.max=Ft(a.max,t[0]),a.min==a.max&&a.max++),W[o]=a,qi=!0,Zn()}}s.setScale=io;let oo,
ro,Xn,es,Mr,$r,ts,ns,Ar,Pr,we,Ee,dn=!1,Ke=H.drag,We=Ke.x,Be=Ke.y;Je&&(H.x&&(oo=Et(Vu,M)),H.y&&(ro=Et(qu,M)),x.ori==0?(Xn=oo,es=ro):(Xn=ro,es=
oo),we=H.left,Ee=H.top);let ve=s.select=Le({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),ss=ve.show?Et(Bu,ve.over?M:_):null;function ni(o,a){
if(ve.show){for(let d in o)ve[d]=o[d],d in co&&_e(ss,d,o[d]);a!==!1&&Ve("setSelect")}}s.setSelect=ni;function Vc(o){if(S[o].show)Ce&&Io(Me[o],
Cn);else if(Ce&&mt(Me[o],Cn),Je){let d=jn?_t[0]:_t[o];d!=null&&Yt(d,-10,-10,X,P)}}function fn(o,a,d){io(o,{min:a,max:d})}function Vt(o,a,d,h){
a.focus!=null&&Uc(o),a.show!=null&&S.forEach((g,w)=>{w>0&&(o==w||o==null)&&(g.show=a.show,Vc(w),i==2?(fn(g.facets[0].scale,null,null),fn(g.facets[1].
scale,null,null)):fn(g.scale,null,null),Zn())}),d!==!1&&Ve("setSeries",o,a),h&&As("setSeries",s,o,a)}s.setSeries=Vt;function qc(o,a){Le(Q[o],
a)}function Gc(o,a){o.fill=se(o.fill||null),o.dir=le(o.dir,-1),a=a??Q.length,Q.splice(a,0,o)}function Kc(o){o==null?Q.length=0:Q.splice(o,1)}
s.addBand=Gc,s.setBand=qc,s.delBand=Kc;function jc(o,a){S[o].alpha=a,Je&&_t[o]!=null&&(_t[o].style.opacity=a),Ce&&Me[o]&&(Me[o].style.opacity=
a)}let en,hn,Mn,is={focus:!0};function Uc(o){if(o!=Mn){let a=o==null,d=Bt.alpha!=1;S.forEach((h,g)=>{if(i==1||g>0){let w=a||g==0||g==o;h._focus=
a?null:w,d&&jc(g,w?1:Bt.alpha)}}),Mn=o,d&&Zn()}}Ce&&Kn&&Qe(Ml,ue,o=>{H._lock||(Tn(o),Mn!=null&&Vt(null,is,!0,Re.setSeries))});function qt(o,a,d){
let h=E[a];d&&(o=o/ce-(h.ori==1?Oe:be));let g=X;h.ori==1&&(g=P,o=g-o),h.dir==-1&&(o=g-o);let w=h._min,v=h._max,k=o/g,T=w+(v-w)*k,$=h.distr;return $==
3?hs(10,T):$==4?ld(T,h.asinh):$==100?h.bwd(T):T}function Yc(o,a){let d=qt(o,D,a);return Ft(d,t[0],ze,Ie)}s.valToIdx=o=>Ft(o,t[0]),s.posToIdx=
Yc,s.posToVal=qt,s.valToPos=(o,a,d)=>E[a].ori==0?r(o,E[a],d?it:X,d?ct:0):l(o,E[a],d?At:P,d?xt:0),s.setCursor=(o,a,d)=>{we=o.left,Ee=o.top,$n(
null,a,d)};function Dr(o,a){_e(ss,us,ve.left=o),_e(ss,Hs,ve.width=a)}function Rr(o,a){_e(ss,"top",ve.top=o),_e(ss,zs,ve.height=a)}let Es=x.ori==
0?Dr:Rr,Ms=x.ori==1?Dr:Rr;function Jc(){if(Ce&&te.live)for(let o=i==2?1:0;o<S.length;o++){if(o==0&&vt)continue;let a=te.values[o],d=0;for(let h in a)
It[o][d++].firstChild.nodeValue=a[h]}}function lo(o,a){if(o!=null&&(o.idxs?o.idxs.forEach((d,h)=>{fe[h]=d}):dd(o.idx)||fe.fill(o.idx),te.idx=
fe[0]),Ce&&te.live){for(let d=0;d<S.length;d++)(d>0||i==1&&!vt)&&Qc(d,fe[d]);Jc()}kt=!1,a!==!1&&Ve("setLegend")}s.setLegend=lo;function Qc(o,a){
let d=S[o],h=o==0&&V==2?Pt:t[o],g;vt?g=d.values(s,o,a)??cn:(g=d.value(s,a==null?null:h[a],o,a),g=g==null?cn:{_:g}),te.values[o]=g}function $n(o,a,d){
Ar=we,Pr=Ee,[we,Ee]=H.move(s,we,Ee),H.left=we,H.top=Ee,Je&&(Xn&&Yt(Xn,Ne(we),0,X,P),es&&Yt(es,0,Ne(Ee),X,P));let h,g=ze>Ie;en=me,hn=null;let w=x.
ori==0?X:P,v=x.ori==1?X:P;if(we<0||Ge==0||g){h=H.idx=null;for(let k=0;k<S.length;k++){let T=_t[k];T!=null&&Yt(T,-10,-10,X,P)}Kn&&Vt(null,is,
!0,o==null&&Re.setSeries),te.live&&(fe.fill(h),kt=!0)}else{let k,T,$;i==1&&(k=x.ori==0?we:Ee,T=qt(k,D),h=H.idx=Ft(T,t[0],ze,Ie),$=F(t[0][h],
x,w,0));let A=-10,R=-10,U=0,ae=0,re=!0,ne="",G="";for(let z=i==2?1:0;z<S.length;z++){let xe=S[z],Ae=fe[z],qe=Ae==null?null:i==1?t[z][Ae]:t[z][1][Ae],
he=H.dataIdx(s,z,h,T),Pe=he==null?null:i==1?t[z][he]:t[z][1][he];if(kt=kt||Pe!=qe||he!=Ae,fe[z]=he,z>0&&xe.show){let ut=he==null?-10:he==h?$:
F(i==1?t[0][he]:t[z][0][he],x,w,0),Ze=Pe==null?-10:K(Pe,i==1?E[xe.scale]:E[xe.facets[1].scale],v,0);if(Kn&&Pe!=null){let St=x.ori==1?we:Ee,Dt=Fe(
Bt.dist(s,z,he,Ze,St));if(Dt<en){let Gt=Bt.bias;if(Gt!=0){let dt=qt(St,xe.scale),Tt=Pe>=0?1:-1,Rt=dt>=0?1:-1;Rt==Tt&&(Rt==1?Gt==1?Pe>=dt:Pe<=
dt:Gt==1?Pe<=dt:Pe>=dt)&&(en=Dt,hn=z)}else en=Dt,hn=z}}if(kt||jn){let St,Dt;x.ori==0?(St=ut,Dt=Ze):(St=Ze,Dt=ut);let Gt,dt,Tt,Rt,Kt,Xe,ft=!0,
An=Ue.bbox;if(An!=null){ft=!1;let et=An(s,z);Tt=et.left,Rt=et.top,Gt=et.width,dt=et.height}else Tt=St,Rt=Dt,Gt=dt=Ue.size(s,z);if(Xe=Ue.fill(
s,z),Kt=Ue.stroke(s,z),jn)z==hn&&en<=Bt.prox&&(A=Tt,R=Rt,U=Gt,ae=dt,re=ft,ne=Xe,G=Kt);else{let et=_t[z];et!=null&&(Un[z]=Tt,Yn[z]=Rt,Cl(et,Gt,
dt,ft),Rl(et,Xe,Kt),Yt(et,Mt(Tt),Mt(Rt),X,P))}}}}if(jn){let z=Bt.prox,xe=Mn==null?en<=z:en>z||hn!=Mn;if(kt||xe){let Ae=_t[0];Ae!=null&&(Un[0]=
A,Yn[0]=R,Cl(Ae,U,ae,re),Rl(Ae,ne,G),Yt(Ae,Mt(A),Mt(R),X,P))}}}if(ve.show&&dn)if(o!=null){let[k,T]=Re.scales,[$,A]=Re.match,[R,U]=o.cursor.sync.
scales,ae=o.cursor.drag;if(We=ae._x,Be=ae._y,We||Be){let{left:re,top:ne,width:G,height:z}=o.select,xe=o.scales[R].ori,Ae=o.posToVal,qe,he,Pe,
ut,Ze,St=k!=null&&$(k,R),Dt=T!=null&&A(T,U);St&&We?(xe==0?(qe=re,he=G):(qe=ne,he=z),Pe=E[k],ut=F(Ae(qe,R),Pe,w,0),Ze=F(Ae(qe+he,R),Pe,w,0),Es(
Ht(ut,Ze),Fe(Ze-ut))):Es(0,w),Dt&&Be?(xe==1?(qe=re,he=G):(qe=ne,he=z),Pe=E[T],ut=K(Ae(qe,U),Pe,v,0),Ze=K(Ae(qe+he,U),Pe,v,0),Ms(Ht(ut,Ze),Fe(
Ze-ut))):Ms(0,v)}else uo()}else{let k=Fe(Ar-Mr),T=Fe(Pr-$r);if(x.ori==1){let U=k;k=T,T=U}We=Ke.x&&k>=Ke.dist,Be=Ke.y&&T>=Ke.dist;let $=Ke.uni;
$!=null?We&&Be&&(We=k>=$,Be=T>=$,!We&&!Be&&(T>k?Be=!0:We=!0)):Ke.x&&Ke.y&&(We||Be)&&(We=Be=!0);let A,R;We&&(x.ori==0?(A=ts,R=we):(A=ns,R=Ee),
Es(Ht(A,R),Fe(R-A)),Be||Ms(0,v)),Be&&(x.ori==1?(A=ts,R=we):(A=ns,R=Ee),Ms(Ht(A,R),Fe(R-A)),We||Es(0,w)),!We&&!Be&&(Es(0,0),Ms(0,0))}if(Ke._x=
We,Ke._y=Be,o==null){if(d){if(Vr!=null){let[k,T]=Re.scales;Re.values[0]=k!=null?qt(x.ori==0?we:Ee,k):null,Re.values[1]=T!=null?qt(x.ori==1?we:
Ee,T):null}As(Ro,s,we,Ee,X,P,h)}if(Kn){let k=d&&Re.setSeries,T=Bt.prox;Mn==null?en<=T&&Vt(hn,is,!0,k):en>T?Vt(null,is,!0,k):hn!=Mn&&Vt(hn,is,
!0,k)}}kt&&(te.idx=h,lo()),a!==!1&&Ve("setCursor")}let pn=null;Object.defineProperty(s,"rect",{get(){return pn==null&&$s(!1),pn}});function $s(o=!1){
o?pn=null:(pn=M.getBoundingClientRect(),Ve("syncRect",pn))}function Lr(o,a,d,h,g,w,v){H._lock||dn&&o!=null&&o.movementX==0&&o.movementY==0||
(ao(o,a,d,h,g,w,v,!1,o!=null),o!=null?$n(null,!0,!0):$n(a,!0,!1))}function ao(o,a,d,h,g,w,v,k,T){if(pn==null&&$s(!1),Tn(o),o!=null)d=o.clientX-
pn.left,h=o.clientY-pn.top;else{if(d<0||h<0){we=-10,Ee=-10;return}let[$,A]=Re.scales,R=a.cursor.sync,[U,ae]=R.values,[re,ne]=R.scales,[G,z]=Re.
match,xe=a.axes[0].side%2==1,Ae=x.ori==0?X:P,qe=x.ori==1?X:P,he=xe?w:g,Pe=xe?g:w,ut=xe?h:d,Ze=xe?d:h;if(re!=null?d=G($,re)?u(U,E[$],Ae,0):-10:
d=Ae*(ut/he),ne!=null?h=z(A,ne)?u(ae,E[A],qe,0):-10:h=qe*(Ze/Pe),x.ori==1){let St=d;d=h,h=St}}T&&(a==null||a.cursor.event.type==Ro)&&((d<=1||
d>=X-1)&&(d=Rn(d,X)),(h<=1||h>=P-1)&&(h=Rn(h,P))),k?(Mr=d,$r=h,[ts,ns]=H.move(s,d,h)):(we=d,Ee=h)}let co={width:0,height:0,left:0,top:0};function uo(){
ni(co,!1)}let Cr,Or,Nr,Fr;function Hr(o,a,d,h,g,w,v){dn=!0,We=Be=Ke._x=Ke._y=!1,ao(o,a,d,h,g,w,v,!0,!1),o!=null&&(Qe(Lo,Ho,zr,!1),As(Tl,s,ts,
ns,X,P,null));let{left:k,top:T,width:$,height:A}=ve;Cr=k,Or=T,Nr=$,Fr=A}function zr(o,a,d,h,g,w,v){dn=Ke._x=Ke._y=!1,ao(o,a,d,h,g,w,v,!1,!0);
let{left:k,top:T,width:$,height:A}=ve,R=$>0||A>0,U=Cr!=k||Or!=T||Nr!=$||Fr!=A;if(R&&U&&ni(ve),Ke.setScale&&R&&U){let ae=k,re=$,ne=T,G=A;if(x.
ori==1&&(ae=T,re=A,ne=k,G=$),We&&fn(D,qt(ae,D),qt(ae+re,D)),Be)for(let z in E){let xe=E[z];z!=D&&xe.from==null&&xe.min!=me&&fn(z,qt(ne+G,z),
qt(ne,z))}uo()}else H.lock&&(H._lock=!H._lock,$n(a,!0,o!=null));o!=null&&(Vn(Lo,Ho),As(Lo,s,we,Ee,X,P,null))}function Zc(o,a,d,h,g,w,v){if(H.
_lock)return;Tn(o);let k=dn;if(dn){let T=!0,$=!0,A=10,R,U;x.ori==0?(R=We,U=Be):(R=Be,U=We),R&&U&&(T=we<=A||we>=X-A,$=Ee<=A||Ee>=P-A),R&&T&&(we=
we<ts?0:X),U&&$&&(Ee=Ee<ns?0:P),$n(null,!0,!0),dn=!1}we=-10,Ee=-10,fe.fill(null),$n(null,!0,!0),k&&(dn=k)}function Ir(o,a,d,h,g,w,v){H._lock||
(Tn(o),Ki(),uo(),o!=null&&As($l,s,we,Ee,X,P,null))}function Wr(){C.forEach($f),Gi(s.width,s.height,!0)}On(Ti,fs,Wr);let os={};os.mousedown=Hr,
os.mousemove=Lr,os.mouseup=zr,os.dblclick=Ir,os.setSeries=(o,a,d,h)=>{let g=Re.match[2];d=g(s,a,d),d!=-1&&Vt(d,h,!0,!1)},Je&&(Qe(Tl,M,Hr),Qe(
Ro,M,Lr),Qe(El,M,o=>{Tn(o),$s(!1)}),Qe(Ml,M,Zc),Qe($l,M,Ir),Ko.add(s),s.syncRect=$s);let si=s.hooks=e.hooks||{};function Ve(o,a,d){so?Ts.push(
[o,a,d]):o in si&&si[o].forEach(h=>{h.call(null,s,a,d)})}(e.plugins||[]).forEach(o=>{for(let a in o.hooks)si[a]=(si[a]||[]).concat(o.hooks[a])});
let Br=(o,a,d)=>d,Re=Le({key:null,setSeries:!1,filters:{pub:zl,sub:zl},scales:[D,S[1]?S[1].scale:null],match:[Il,Il,Br],values:[null,null]},
H.sync);Re.match.length==2&&Re.match.push(Br),H.sync=Re;let Vr=Re.key,fo=Na(Vr);function As(o,a,d,h,g,w,v){Re.filters.pub(o,a,d,h,g,w,v)&&fo.
pub(o,a,d,h,g,w,v)}fo.sub(s);function Xc(o,a,d,h,g,w,v){Re.filters.sub(o,a,d,h,g,w,v)&&os[o](null,a,d,h,g,w,v)}s.pub=Xc;function eu(){fo.unsub(
s),Ko.delete(s),vn.clear(),Wo(Ti,fs,Wr),p.remove(),ue?.remove(),Ve("destroy")}s.destroy=eu;function ho(){Ve("init",e,t),wr(t||e.data,!1),W[D]?
io(D,W[D]):Ki(),Js=ve.show&&(ve.width>0||ve.height>0),Sn=kt=!0,Gi(e.width,e.height)}return S.forEach(br),C.forEach(Rc),n?n instanceof HTMLElement?
(n.appendChild(p),ho()):n(s,ho):ho(),s}He.assign=Le;He.fmtNum=Xo;He.rangeNum=Ei;He.rangeLog=Ai;He.rangeAsinh=Qo;He.orient=Fn;He.pxRatio=ce;He.
join=yd;He.fmtDate=tr,He.tzDate=Ad;He.sync=Na;{He.addGap=ff,He.clipGaps=Ri;let e=He.paths={points:Ba};e.linear=qa,e.stepped=mf,e.bars=gf,e.spline=
yf}var Hn=[7,4],ar=[2,3],Af=window.matchMedia("(max-width: 720px)"),Ua=()=>Af.matches?140:190,Pf=16,Ya=8,Df=60,Rf=180,Lf=86400,Cf=Array.from({length:50},
(e,t)=>2**t),zt=class{element;#n;#t=c("div",{class:"chart-canvas"});#o=[];#s=c("span",{class:"chart-when"});#r;#l;#e=null;#i=[];#u=[];#a=null;#c=[];#d=0;#p;constructor(t,n,s=null){
this.#n=t,this.#p=n;let i=t.lines.map(r=>{let l=c("span",{class:"figure"});this.#o.push(l);let u=c("span",{class:`sample sample-${r.colour}${r.
dash?` sample-${r.dash[0]===ar[0]?"dot":"dash"}`:""}`,"aria-hidden":"true"});return c("li",{},u,c("span",{},r.label),l)});this.element=c("fi\
gure",{class:"chart card"},c("figcaption",{},c("div",{},c("h3",{},t.title),c("p",{},t.about)),s),this.#t,c("div",{class:"legend"},c("ul",{},
...i),this.#s)),this.#t.setAttribute("role","img"),this.#f(),this.#r=new ResizeObserver(()=>this.#h()),this.#r.observe(this.#t),this.#l=pi(()=>this.#m())}set(t,n,s=null,i=[]){
this.#c=i,this.#t.dataset.marks=String(i.length),this.#i=t,this.#u=n,this.#a=s,this.#f(),this.#t.dataset.points=String(t.length),this.#e?this.#e.
setData(this.#y()):this.#h(),this.#x(null)}#f(){let t=this.#a===null?"the last five minutes":`${Ot(this.#a.seconds)} up to ${ri(this.#a.end*
1e3)} ${mn(this.#a.end*1e3)}`;this.#t.setAttribute("aria-label",`${this.#n.title}: lines over ${t}; the newest figures follow`)}leave(){this.#r.
disconnect(),this.#l(),this.#e?.destroy(),this.#e=null}#h(){let t=Math.floor(this.#t.clientWidth);t!==0&&(this.#e?t!==this.#d&&this.#e.setSize(
{width:t,height:Ua()}):this.#w(t),this.#d=t)}#m(){this.#e&&(this.#e.destroy(),this.#e=null,this.#h())}#y(){let t=[];return this.#n.lines.forEach(
(n,s)=>{let i=this.#u[s]??[],r=n.fill==="stacked"?t[s-1]:void 0;t.push(r?i.map((l,u)=>l===null?null:l+(r[u]??0)):i)}),[this.#i,...t]}#w(t){let{
lines:n,tick:s,figure:i,least:r,most:l,isBinary:u}=this.#n,f={stroke:tt("ink-soft"),font:`12px ${tt("font")}`,ticks:{show:!1},grid:{stroke:tt(
"rule"),width:1}},p={width:t,height:Ua(),legend:{show:!1},cursor:{sync:{key:"forebay"},drag:{x:!0,y:!1,setScale:!1,dist:Ya}},scales:{x:{time:!0,
range:()=>this.#b()},y:{range:(b,m,y)=>[0,l??Math.max((y??0)*1.1,r??1)]}},axes:[{...f,grid:{show:!1},size:26,space:110,values:(b,m)=>m.map(y=>this.#_(
y))},{...f,size:62,space:36,values:(b,m)=>m.map(y=>(s??i)(y)),...u?{incrs:Cf}:{}}],series:[{},...n.map(b=>this.#k(b))],bands:n.flatMap((b,m)=>b.
fill==="stacked"&&m>0?[{series:[m+1,m]}]:[]),hooks:{setCursor:[b=>this.#x(b.cursor.idx??null)],setSelect:[b=>this.#g(b)],draw:[b=>this.#v(b)]}};
this.#e=new He(p,this.#y(),this.#t)}#g(t){let{left:n,width:s}=t.select;if(s<Ya)return;let[i,r]=[t.posToVal(n,"x"),t.posToVal(n+s,"x")];t.setSelect(
{left:0,top:0,width:0,height:0},!1),this.#p(i,r)}#v(t){let{ctx:n,bbox:s}=t,i=window.devicePixelRatio||1;n.save(),n.font=`600 ${11*i}px ${tt(
"font")}`,n.lineWidth=i,n.setLineDash([2*i,3*i]),n.textAlign="center";let r=[];this.#c.forEach((l,u)=>{let f=t.valToPos(l.at,"x",!0);r.push(
l.label);let p=this.#c[u+1];p&&t.valToPos(p.at,"x",!0)-f<Pf*i||(n.strokeStyle=n.fillStyle=tt(l.colour),n.beginPath(),n.moveTo(f,s.top+14*i),
n.lineTo(f,s.top+s.height),n.stroke(),n.fillText(r.length>2?`${r[0]}\u2013${l.label}`:r.join(","),f,s.top+11*i),r=[])}),n.restore()}#k(t){let n=tt(
t.colour);return{label:t.label,stroke:n,width:2,points:{show:!1},...t.dash?{dash:t.dash}:{},...t.fill?{fill:`${n}40`}:{}}}#b(){if(this.#a)return[
this.#a.end-this.#a.seconds,this.#a.end];let t=this.#i.at(-1)??Date.now()/1e3,n=t-(this.#i[0]??t);return[t-Math.min(Rs,Math.max(Df,n)),t]}#_(t){
let[n,s]=this.#b(),i=mn(t*1e3);return s-n>Lf&&i==="00:00:00"?ri(t*1e3):s-n<Rf?i:i.slice(0,5)}#x(t){let n=t??this.#i.length-1,s=this.#i[n];this.#o.
forEach((r,l)=>q(r,this.#n.figure(this.#u[l]?.[n]??null)));let i=s===void 0?"":mn(s*1e3);q(this.#s,t===null||s===void 0?"now":this.#a?`${ri(
s*1e3)} ${i.slice(0,5)}`:i)}};var Of={info:"busy",warning:"warning",error:"bad"};function Ja(e,t,n,s,i){return e.filter(l=>l.disk===null||l.disk===t).map(l=>({event:l,at:new Date(
l.time).getTime()/1e3+n})).filter(({at:l})=>l>=s&&l<=i).slice(-12).map(({event:l,at:u},f)=>({event:l,mark:{at:u,label:String(f+1),colour:Of[l.
level]??"warning"}}))}function Jt(){return c("span",{class:"badge"},c("span",{class:"sign","aria-hidden":"true"}),c("span",{}))}function Qt(e,t,n){e.className=`ba\
dge badge-${t}`;let[s,i]=e.children;s&&q(s,Ao[t]),i&&q(i,n)}function yt(e,t){let n=c("div",{class:"tile-value","data-figure":t}),s=c("div",{
class:"tile-remark"});return{element:c("div",{class:"tile"},c("div",{class:"tile-name"},e),n,s),set(r,l=""){q(n,r),q(s,l)}}}function Ni(){let e=c(
"ul",{class:"findings","aria-live":"polite","aria-label":"Warnings"});return{element:e,set(t){e.hidden=t.length===0,Lt(e,t,n=>`${n.tone} ${n.
text.replace(/\d[\d.]*/g,"#")}`,()=>c("li",{},c("span",{class:"sign","aria-hidden":"true"}),c("div",{},c("div",{class:"finding-text"}),c("di\
v",{class:"finding-advice"}))),(n,s)=>{n.className=`finding finding-${s.tone}`,pe(n,".sign",Ao[s.tone]),pe(n,".finding-text",s.text),pe(n,".\
finding-advice",s.advice??"")})}}}function pe(e,t,n){let s=e.querySelector(t);s&&q(s,n)}var zn={width:120,height:28};function Qa(e){let t=ii(
"svg",{class:"spark",viewBox:`0 0 ${zn.width} ${zn.height}`,role:"img",preserveAspectRatio:"none"}),n=ii("path",{fill:"none","vector-effect":"\
non-scaling-stroke"});return t.append(ii("path",{class:"spark-base",d:`M0 ${zn.height-1}H${zn.width}`,fill:"none"}),n),{element:t,set(s,i){n.
setAttribute("d",Nf(s,i));let r=s.filter(l=>l!==null).at(-1);t.setAttribute("aria-label",r===void 0?`${e}: no reads in the last five minutes`:
`${e} over the last five minutes, ${ye(r)} lately`)}}}function Nf(e,t){let n=zn.width/Math.max(1,t-1),s=zn.width-(e.length-1)*n,i="M",r="";return e.
forEach((l,u)=>{if(l===null){i="M";return}r+=`${i}${(s+u*n).toFixed(1)} ${((1-l)*(zn.height-4)+2).toFixed(1)}`,i="L"}),r}function vs(e){let t=e.
map(([s,i])=>({key:s,name:i,cell:c("dd",{"data-figure":s})}));return{element:c("dl",{class:"facts"},...t.map(({name:s,cell:i})=>c("div",{},c(
"dt",{},s),i))),set(s){for(let{key:i,cell:r}of t)q(r,s[i]??""),r.parentElement&&(r.parentElement.hidden=s[i]===void 0)}}}var Ff=[["5 minutes",300],["1 hour",3600],["6 hours",21600],["1 day",86400],["1 week",7*86400]],Fi=class{element;#n=()=>{};#t=(t,n)=>{let s=xo(
t,n,Date.now()/1e3);s&&this.#n(this.#$()?{...s,of:"5m"}:s)};#o=new zt({title:"Hit ratio",about:"Reads answered from the cache, of all reads.",
lines:[{label:"RAM",colour:"ram",fill:"area"},{label:"Flash",colour:"flash",fill:"stacked",dash:Hn}],figure:ye,tick:t=>`${Math.round(t*100)}\
%`,most:1},this.#t);#s=new zt({title:"Requests a second",about:"What guests asked for.",lines:[{label:"Reads",colour:"read"},{label:"Writes",
colour:"write",dash:Hn}],figure:je,tick:yo,least:10},this.#t);#r;#l=new zt({title:"Mean latency",about:"Of all reads, and of all writes.",lines:[
{label:"Reads",colour:"read"},{label:"Writes",colour:"write",dash:Hn}],figure:Ye,least:10},this.#t);#e;#i=new zt({title:"Dirty data",about:"\
What flash has and the backing does not, without zeroes.",lines:[{label:"Dirty",colour:"dirty",fill:"area"},{label:"Limit",colour:"limit",dash:Hn}],
figure:O,least:64*1024,isBinary:!0},this.#t);#u=new zt({title:"Backing requests saved",about:"What guests asked for, and what reached the ba\
cking.",lines:[{label:"Guests",colour:"read"},{label:"Backing",colour:"limit",dash:Hn,fill:"area"}],figure:je,tick:yo,least:10},this.#t);#a=new zt(
{title:"Written to flash",about:"Bytes a second, headers and second copies included.",lines:[{label:"Flash",colour:"flash",fill:"area"}],figure:Ct,
tick:O,least:64*1024,isBinary:!0},this.#t);#c=c("select",{"aria-label":"Latency of",name:"latency-class"},...li.map(t=>c("option",{value:t},
yi[t])));#d=c("select",{"aria-label":"Percentiles of",name:"latency-spread"},c("option",{value:"readSpread"},"Reads"),c("option",{value:"wri\
teSpread"},"Writes"));#p=c("span",{class:"hint"});#f;#h=c("p",{class:"hint",role:"status"});#m=[];#y=[];#w=null;#g=[];#v=null;#k=!1;#b=c("in\
put",{type:"datetime-local",name:"from",step:1,required:!0,"aria-label":"From"});#_=c("input",{type:"datetime-local",name:"to",step:1,required:!0,
"aria-label":"To"});#x=c("ol",{class:"happened","aria-label":"Events in this time"});constructor(t){this.#n=t;let n=c("div",{class:"chart-co\
ntrols"},this.#c,this.#p);this.#c.value="read_miss",this.#c.addEventListener("change",()=>{this.#k=!0,this.#T()});let s=(l,u)=>({title:l,about:u,
lines:[{label:"Half",colour:"read"},{label:"95 %",colour:"write",dash:Hn},{label:"99 %",colour:"limit",dash:ar}],figure:Ye,least:10});this.#r=
new zt(s("Latency","So many in a hundred were faster."),this.#t,n),this.#d.addEventListener("change",()=>this.#E()),this.#e=new zt(s("Latenc\
y percentiles","Of each step, so many in a hundred were faster."),this.#t,c("div",{class:"chart-controls"},this.#d));let i=([l,u])=>c("butto\
n",{type:"button","data-seconds":u,onclick:()=>t({seconds:u,end:null})},l);this.#f=c("div",{class:"segmented",role:"group","aria-label":"How\
 far back"},...Ff.map(i));let r=c("form",{class:"period","aria-label":"Period"},this.#b,c("span",{},"to"),this.#_,c("button",{type:"submit"},
"Show"));r.addEventListener("submit",l=>{l.preventDefault();let u=[this.#b,this.#_].map(p=>new Date(p.value).getTime()/1e3),f=xo(u[0]??NaN,u[1]??
NaN,Date.now()/1e3);f?t(f):q(this.#h,"The two moments must be within the last week, and at least ten seconds apart.")}),this.element=c("sect\
ion",{class:"did","aria-label":"Charts"},c("div",{class:"section-head"},c("h2",{},"What it did"),this.#f),c("details",{class:"other-period"},
c("summary",{},"Another time"),r),this.#h,c("div",{class:"charts"},...this.#S().map(l=>l.element)),this.#x)}update(t,n,s){let{period:i}=t,r=bn(
i)==="5m",l=Date.now()/1e3,u=r?t.series.get(n)?.points??[]:t.past?.points??[],f=i.end??(r?u.at(-1)?.at??l:t.past?.end??l),p=Ja(t.events??[],
n,t.ahead,f-i.seconds,f);if(this.#w=r&&i.end===null?null:{end:f,seconds:i.seconds},this.#g=p.map(({mark:m})=>m),this.#A(i,r,!r&&t.past===null),
this.#P(p),this.#D(u,s),r){this.#m=u,q(this.#p,t.windows.has(n)?"over 5 minutes each":"since attached"),this.#T();return}let b=m=>u.map(m);this.#l.
set(u.map(m=>m.at),[b(m=>m.readMicros),b(m=>m.writeMicros)],this.#w,this.#g),this.#y=u,this.#E()}leave(){for(let t of this.#S())t.leave()}#S(){
return[this.#o,this.#s,this.#r,this.#l,this.#e,this.#u,this.#i,this.#a]}#$(){return this.#v!==null&&bn(this.#v)==="5m"}#A(t,n,s){let i=t!==this.#v;
this.#v=t;for(let l of this.#f.children)l.setAttribute("aria-pressed",String(t.end===null&&l.getAttribute("data-seconds")===String(t.seconds)));
i&&t.end!==null&&(this.#b.value=Za(t.end-t.seconds),this.#_.value=Za(t.end));let r=n?"":"In steps of five minutes; of dirty data, the most i\
n each. ";i||s?q(this.#h,s?"Asking Forebay\u2026":`${r}Draw over a chart to see a part of it.`):this.#h.textContent==="Asking Forebay\u2026"&&
q(this.#h,`${r}Draw over a chart to see a part of it.`),J(this.#r.element,n),J(this.#l.element,!n),J(this.#e.element,!n),this.#i.element.classList.
toggle("chart-wide",!n)}#P(t){J(this.#x,t.length>0);let n=()=>c("li",{},c("span",{class:"happened-number"}),Jt(),c("time",{}),c("span",{class:"\
happened-text"}));Lt(this.#x,t,({event:s})=>`${s.id} ${s.time}`,n,(s,{event:i,mark:r})=>{pe(s,".happened-number",r.label);let l=s.querySelector(
".badge");l&&Qt(l,gi[i.level]??"warning",i.level),pe(s,"time",ls(i.time)),pe(s,".happened-text",i.message)})}#D(t,n){let s=u=>t.map(u),i=t.map(
u=>u.at),r=(u,...f)=>u.set(i,f,this.#w,this.#g);r(this.#o,s(u=>u.hitRam),s(u=>u.hitFlash)),r(this.#s,s(u=>u.rates?.reads??null),s(u=>u.rates?.
writes??null)),r(this.#u,s(u=>Pn(u.rates)),s(u=>u.rates?u.rates.backing_reads+u.rates.backing_writes:null)),r(this.#a,s(u=>u.rates?.flash_write_bytes??
null));let l=n==="write-back"?s(u=>u.dirtyLimitBytes):t.map(()=>null);r(this.#i,s(u=>u.dirtyBytes),l)}#T(){let t=this.#m.at(-1)?.latency;if(!this.#k&&
t&&t[this.#M()].count===0){let i=li.find(r=>t[r].count>0);i&&(this.#c.value=i)}let n=this.#M(),s=i=>this.#m.map(r=>r.latency&&r.latency[n].count>
0?r.latency[n][i]:null);this.#r.set(this.#m.map(i=>i.at),[s("p50"),s("p95"),s("p99")],this.#w,this.#g)}#E(){let t=this.#d.value==="writeSpre\
ad"?"writeSpread":"readSpread",n=[0,1,2].map(s=>this.#y.map(i=>i[t]?.[s]??null));this.#e.set(this.#y.map(s=>s.at),n,this.#w,this.#g)}#M(){return li.
find(t=>t===this.#c.value)??"read_miss"}};function Za(e){let t=new Date(e*1e3);return new Date(t.getTime()-t.getTimezoneOffset()*6e4).toISOString().
slice(0,19)}var Xa=4;function cr(e){return Math.log2(e)}function ur(e){let t=r=>r?`${O(r.cache_bytes)}: ${ye(r.hit_ratio)}`:"\u2013",n=e.points.findIndex(
r=>r.cache_bytes===e.present.cache_bytes),s=r=>n<0?null:e.points[n+r],i=e.wanted.find(r=>r.hit_ratio===.9)?.cache_bytes;return{present:t(e.present),
half:t(s(-Xa)),double:t(s(Xa)),held:t(e.held),knee:t(e.knee),largest:t(e.largest),wanted:i==null?"no size has it":O(i),working_set:O(e.working_set_bytes)}}
var Hf=2**20;function tc(e,t,n,s){let i=Math.max(0,e.present.cache_bytes-n),l=t.cache_bytes===e.present.cache_bytes?n:Math.round((t.cache_bytes-
i)/2**20)*2**20;return l<Hf?null:{flashBytes:l,hitRatio:t.hit_ratio,readMicros:zf(t.hit_ratio,s)}}function zf(e,t){let n=t?.latency_us;if(!n||
e===null)return null;let s=ec([n.read_hit_ram,n.read_hit_flash]),i=ec([n.read_miss]);return s===null||i===null?null:e*s+(1-e)*i}function ec(e){
let t=e.reduce((n,s)=>n+s.count,0);return t>0?e.reduce((n,s)=>n+s.count*s.mean,0)/t:null}function dr(e){let t=e.readMicros===null?"":`, read\
s ${Ye(e.readMicros)} on average`;return`${O(e.flashBytes)} of flash: ${ye(e.hitRatio)} hits${t}`}var nc=230,If=1e4,Wf=[["present","Present size"],["half","Half of it"],["double","Twice as much"],["held","Held now"],["knee","More gains le\
ss above"],["largest","More gains nothing above"],["wanted","For 90 % hits"],["working_set","Used in 48 active hours"]],Hi=class{element;#n=c(
"div",{class:"curve-canvas",role:"img"});#t=c("p",{class:"hint",role:"status"});#o=c("span",{class:"chart-when"});#s=vs(Wf);#r=new ResizeObserver(
()=>this.#b());#l;#e=null;#i=null;#u=0;#a="";#c;#d=c("output",{class:"chosen","data-figure":"chosen"});#p=c("button",{type:"button",class:"p\
rimary",onclick:()=>this.#v()},"Use this size\u2026");#f=[];#h=!1;#m=null;#y;constructor(t){this.#y=t;let n=rt();this.#c=c("input",{id:n,type:"\
range",min:0,max:0,step:1,value:0,"aria-describedby":`${n}-chosen`}),this.#d.id=`${n}-chosen`,this.#c.addEventListener("input",()=>{this.#h=
!0,this.#g()}),this.element=c("section",{class:"card curve","aria-label":"Curve"},c("div",{class:"section-head"},c("h2",{},"With a cache of \
another size"),this.#o),c("p",{class:"hint"},"The share of reads that flash and RAM of this size would answer, predicted from samples of wha\
t guests lately did."),this.#n,c("div",{class:"slider"},c("label",{for:n},"Try a size"),this.#c,this.#d,this.#p),this.#t,this.#s.element),this.
element.hidden=!0,this.#r.observe(this.#n),this.#l=pi(()=>this.#k())}set(t,n,s){if(this.#m=n,this.#e=t!==null&&t.reads>0?t:null,J(this.element,
this.#e!==null),!this.#e)return;this.#s.set(ur(this.#e)),q(this.#t,this.#e.reads<If?`Read ${ke(this.#e.reads)} times only: this may be chanc\
e.`:""),this.#w(this.#e,n,s),this.#n.setAttribute("aria-label",`Hit ratio by the size of the cache; at the present size of ${ur(this.#e).present}`);
let i=JSON.stringify([this.#e.points,this.#e.present,this.#e.held]);i!==this.#a&&(this.#a=i,this.#n.dataset.points=String(this.#e.points.length),
this.#k(),this.#b())}leave(){this.#r.disconnect(),this.#l(),this.#i?.destroy(),this.#i=null}#w(t,n,s){let i=this.#f[Number(this.#c.value)]?.
flashBytes,r=n.limit_bytes??0,l=t.points.map(p=>tc(t,p,r,s)).filter(p=>p!==null);this.#f=l.filter((p,b)=>b===0||p.flashBytes!==l[b-1]?.flashBytes),
this.#c.max=String(Math.max(0,this.#f.length-1));let u=this.#h&&i!==void 0?i:r,f=this.#f.reduce((p,b,m)=>sc(b,u)<sc(this.#f[p],u)?m:p,0);this.#c.
value=String(f),this.#g()}#g(){let t=this.#f[Number(this.#c.value)],n=t?.flashBytes===this.#m?.limit_bytes;q(this.#d,t?`${dr(t)}${n?" (as it\
 is)":""}`:"No other size can be chosen"),this.#c.setAttribute("aria-valuetext",this.#d.textContent??""),this.#p.disabled=t===void 0||n}#v(){
let t=this.#f[Number(this.#c.value)],n=this.#m;if(!t||!n)return;let s=O(t.flashBytes),i=t.flashBytes<(n.limit_bytes??0);pt({title:`Let ${n.name}\
 have ${s} of flash at most?`,sentences:[`Predicted: ${dr(t)}.`,i?`What it holds above that is evicted; it holds ${O(n.statistics.flash_bytes)}\
 now.`:"It grows into it as guests read, if the pool has room that no other disk reserved.","Guests stay connected and go on meanwhile."],confirm:"\
Change",run:async()=>(await De("PATCH",$e(n.name),{settings:{limit:String(t.flashBytes)}}),this.#h=!1,this.#y(),`${n.name} may have ${s} of \
flash now`)})}#k(){this.#i?.destroy(),this.#i=null,this.#b()}#b(){let t=Math.floor(this.#n.clientWidth);t===0||!this.#e||(this.#i?t!==this.#u&&
this.#i.setSize({width:t,height:nc}):this.#_(t,this.#e),this.#u=t)}#_(t,{points:n}){let s={stroke:tt("ink-soft"),font:`12px ${tt("font")}`,ticks:{
show:!1},grid:{stroke:tt("rule"),width:1}},i=tt("flash"),r=n.map(u=>cr(u.cache_bytes)),l={width:t,height:nc,legend:{show:!1},cursor:{drag:{x:!1,
y:!1}},scales:{x:{time:!1,range:[r[0]??0,r.at(-1)??1]},y:{range:[0,1]}},axes:[{...s,grid:{show:!1},size:26,space:80,incrs:[1,2,4,8],values:(u,f)=>f.
map(p=>O(2**p))},{...s,size:62,space:36,values:(u,f)=>f.map(p=>`${Math.round(p*100)}%`)}],series:[{},{label:"Hit ratio",stroke:i,width:2,points:{
show:!1},fill:`${i}40`}],hooks:{draw:[u=>this.#x(u)],setCursor:[u=>this.#S(u.cursor.idx??null)]}};this.#i=new He(l,[r,n.map(u=>u.hit_ratio)],
this.#n)}#x(t){if(!this.#e)return;let{ctx:n,bbox:s}=t,i=window.devicePixelRatio||1,r=[[this.#e.held,"held",tt("limit"),[4,4]],[this.#e.present,
"present",tt("ink"),[]]];n.save(),n.font=`${12*i}px ${tt("font")}`;for(let[{cache_bytes:l},u,f,p]of r){let b=t.valToPos(cr(l),"x",!0);if(l<=
0||b<s.left||b>s.left+s.width)continue;n.strokeStyle=n.fillStyle=f,n.lineWidth=1.5*i,n.setLineDash(p.map(y=>y*i)),n.beginPath(),n.moveTo(b,s.
top),n.lineTo(b,s.top+s.height),n.stroke();let m=u==="held";n.textAlign=m?"right":"left",n.fillText(u,b+(m?-5:5)*i,s.top+12*i)}n.restore()}#S(t){
let n=t===null?void 0:this.#e?.points[t];q(this.#o,n?`${O(n.cache_bytes)}: ${ye(n.hit_ratio)}`:"")}};function sc(e,t){return e===void 0?1/0:
Math.abs(Math.log(e.flashBytes/t))}var Bf=[["connections","Guests connected"],["nbd_socket","NBD socket"],["vhost_socket","vhost-user socket"]],Vf={"vhost-user":"vhost-user",nbd:"\
NBD","nbd-tcp":"NBD over TCP"},zi=class{element;#n=vs(Bf);#t=c("div",{class:"stack"});#o=c("select",{name:"client","aria-label":"Client"});#s=c(
"label",{class:"inline"},"For ",this.#o);#r;#l=[];#e=!1;constructor(t){this.#r=t,this.element=c("section",{class:"card connect","aria-label":"\
Connect"},c("h2",{},"How guests connect"),this.#n.element,this.#s,this.#t),this.#s.hidden=!0,this.#o.addEventListener("change",()=>this.#u())}update(t){
this.#n.set({connections:t.connections===null?"\u2013":String(t.connections),nbd_socket:t.nbd_socket,vhost_socket:t.vhost_socket}),this.#e||
(this.#e=!0,this.#i())}async#i(){let t=await Ut(`${$e(this.#r)}/connect`,"connect").catch(()=>(this.#e=!1,null));this.#l=t?.forms??[];let n=[
...new Set(this.#l.map(s=>s.client))];this.#o.replaceChildren(...n.map(s=>c("option",{value:s},s))),J(this.#s,n.length>0),this.#u()}#u(){let t=this.#l.
filter(n=>n.client===this.#o.value);Lt(this.#t,t,n=>`${n.client} ${n.door}`,qf,(n,s)=>{pe(n,"h3",`${s.client}, over ${Vf[s.door]??s.door}`),
pe(n,".hint",s.note),pe(n,"code",s.lines.trimEnd())})}};function qf(){let e=c("code",{}),n=c("button",{type:"button",class:"quiet",onclick:()=>{
navigator.clipboard?.writeText(e.textContent??"").then(()=>Ps("Copied"))}},"Copy");return n.hidden=navigator.clipboard===void 0,c("div",{},c(
"div",{class:"section-head"},c("h3",{}),n),c("p",{class:"hint"}),c("pre",{},e))}function In(e,t,n=""){let s=rt();return t.id=s,c("div",{class:"field"},c("label",{for:s},e),t,n===""?null:c("p",{class:"hint"},n))}function fr(e,t){
let n=c("input",{type:"checkbox",name:e});return{element:c("label",{class:"tick"},n,c("span",{},t)),input:n}}function qs(e,t={}){return c("i\
nput",{type:"text",name:e,spellcheck:"false",autocomplete:"off",autocapitalize:"off",...t})}function ic(...e){return c("details",{},c("summa\
ry",{},"More"),c("div",{class:"fields"},...e))}var Gf=["mode","block-size","reserve","limit","ram","dirty-limit"];function oc(e){let t=qs("n\
ame",{required:!0,pattern:"[a-z0-9][a-z0-9._\\-]{0,62}",title:"Small letters, digits, dot, dash and underscore"}),n=qs("backing",{required:!0,
placeholder:"/srv/images/web1.raw"}),s=Os.filter(f=>Gf.includes(f.name)).map(f=>{let p=f.choices?.map(m=>c("option",{value:m},m))??[],b=f.choices?
c("select",{name:f.name},c("option",{value:""},"default"),...p):qs(f.name,{placeholder:"default"});return{key:f,input:b}}),i=fr("read_only",
"Read-only: nothing is ever written to the backing"),r=fr("raw_anyway","Serve it as raw even if it looks like an image of another format"),[
l,...u]=s;pt({title:"Add a disk",sentences:["Forebay serves it from now on, also after a restart. Its content stays as it is, and it must no\
t be open elsewhere."],confirm:"Add",fields:c("div",{class:"stack"},In("Name",t),In("Backing",n,"A raw file or a block device, or nbd://HOST\
/EXPORT, or nbd+unix:///EXPORT?socket=PATH."),l?In(l.key.name,l.input,l.key.about):null,ic(...u.map(({key:f,input:p})=>In(f.name,p,f.about)),
i.element,r.element)),run:async()=>{let f=s.map(({key:m,input:y})=>[m.name,y.value.trim()]).filter(([,m])=>m!==""),p={name:t.value.trim(),backing:n.
value.trim(),read_only:i.input.checked,raw_anyway:r.input.checked,settings:Object.fromEntries(f)},{disk:b}=await De("POST","/v1/disks",p);return e(
b.name),`${b.name} is ${b.state}; its page says how guests connect to it`}})}function rc(e,t){let n=fr("lose_dirty",`Give up what the backin\
g does not have: ${O(lt(e))} is lost for good`);pt({title:`Remove ${e.name}?`,sentences:wl(e),confirm:"Remove",isDangerous:!0,fields:c("div",
{class:"stack"},lt(e)>0?n.element:null),run:async()=>(await De("DELETE",$e(e.name),{lose_dirty:n.input.checked}),t(),`${e.name} is served no\
 more; its backing is complete as far as the dialog said`)})}function lc(e){let t=qs("path",{required:!0,placeholder:"/dev/disk/by-id/..."}),
n=c("input",{type:"number",name:"size",min:1,step:1,placeholder:"whole device"}),s=qs("erase");pt({title:"Add a device to the pool",sentences:[
"What is on it is overwritten. A device that holds anything is refused, and the refusal says what it holds."],confirm:"Add",isDangerous:!0,fields:c(
"div",{class:"stack"},In("Path",t,"A block device under a name that stays, or a file; a file that is not there is made."),In("Size in GiB",n,
"For files. A device is taken whole."),ic(In("Erase",s,"The id of the old pool that a refusal named, if that may be erased."))),run:async()=>{
let i={path:t.value.trim(),size_bytes:n.value===""?null:Number(n.value)*1073741824,erase:s.value.trim()===""?null:s.value.trim()};return await De(
"POST","/v1/pool/devices",i),e(),`${i.path} is a device of the pool`}})}function ac(e,t){let n=e.path??`device ${e.number}`;pt({title:`Take ${n}\
 out of the pool?`,sentences:["Dirty data is written to the backings first. Then what the disks cached, also on the other devices, is droppe\
d.","Guests go on from the backings, slower, until the cache is warm again."],confirm:"Take out",isDangerous:!0,run:async()=>(await De("DELE\
TE",jr(e.number)),t(),`${n} is no device of the pool any more`)})}var Kf={size:"Request size",latency:"Latency",seek:"Seek distance",outstanding:"Outstanding requests",interarrival:"Time between requests"},
cc={...yi,read:"Reads",write:"Writes",all:"All"};function jf(e,t){if(e.upto===null)return"more";switch(t){case"bytes":return e.upto%1024===0?
O(e.upto):ke(e.upto);case"microseconds":return Ye(e.upto);default:return e.upto<0?`\u2212${ke(-e.upto)}`:ke(e.upto)}}function Uf(e){let t=e.
map(([,u])=>u.length),n=u=>e.some(([,f])=>(f[u]?.count??0)>0),s=[...Array(Math.max(0,...t)).keys()],i=s.filter(n),[r,l]=[i[0],i.at(-1)];return r===
void 0||l===void 0?[0,0]:[Math.max(0,r-1),Math.min(s.length,l+2)]}function Yf(e){let t=e.map(([,n])=>n.map(s=>s.upto).join());return t.every(
n=>n===t[0])}var Ii=class{element=c("section",{class:"histograms","aria-label":"Histograms"});#n=c("div",{class:"segmented",role:"group","ar\
ia-label":"What is counted"});#t=c("div",{class:"card histogram-tables"});#o=[];#s="size";#r="";constructor(){this.element.append(c("div",{class:"\
section-head"},c("h2",{},"Histograms"),this.#n),this.#t),this.element.hidden=!0}set(t){if(this.element.hidden=t===null||t.length===0,t===null||
t.length===0)return;this.#o=t,t.some(([s])=>s===this.#s)||(this.#s=t[0]?.[0]??"");let n=t.map(([s])=>s);this.#n.children.length!==n.length&&
this.#n.replaceChildren(...n.map(s=>this.#l(s))),this.#e()}#l(t){return c("button",{type:"button","data-what":t,onclick:()=>{this.#s=t,this.#e()}},
Kf[t]??t)}#e(){for(let l of this.#n.children)l.setAttribute("aria-pressed",String(l.getAttribute("data-what")===this.#s));let t=this.#o.find(
([l])=>l===this.#s)?.[1];if(!t)return;let n=JSON.stringify([this.#s,t]);if(n===this.#r)return;this.#r=n;let{unit:s,kinds:i}=t,r=i.length<=2&&
Yf(i)?[i]:i.map(l=>[l]);this.#t.replaceChildren(...r.map(l=>Jf(s,l)))}};function Jf(e,t){let[n,s]=Uf(t),i=e==="bytes"||e==="microseconds"?"U\
p to":`Up to, ${e}`;if(n===s)return c("p",{class:"hint"},`${t.map(([f])=>cc[f]??f).join(", ")}: nothing was counted yet.`);let r=t.map(([,f])=>f.
reduce((p,b)=>p+b.count,0)),l=c("thead",{},c("tr",{},c("th",{scope:"col"},i),...t.map(([f],p)=>c("th",{scope:"col"},`${cc[f]??f}: ${ke(r[p])}`)))),
u=[...Array(s-n).keys()].map(f=>{let p=n+f,b=t[0]?.[1][p];return c("tr",{},c("th",{scope:"row"},b?jf(b,e):""),...t.map(([,m],y)=>Qf(m[p]?.count??
0,r[y]??0,y)))});return c("table",{class:"histogram"},l,c("tbody",{},...u))}function Qf(e,t,n){let s=t>0?e/t:0,i=c("span",{class:`bar bar-${n%
6}`});i.style.width=`${(s*100).toFixed(2)}%`;let r=c("span",{class:"bar-text"});return q(r,e===0?"":`${ke(e)} (${(s*100).toFixed(1)}%)`),c("\
td",{},c("div",{class:"bar-cell"},c("span",{class:"bar-track"},i),r))}var Zf=[["mean","mean"],["median","p50"],["95 %","p95"],["99 %","p99"]];function Xf(e,t){if(e===null||t===null||e<=0)return"";let n=(t-e)/e*
100;return Math.abs(n)<.05?"0.0%":`${n>0?"+":"\u2212"}${Math.abs(n).toFixed(1)}%`}function eh(e){let t=[],n=(s,i,r,l)=>{let[u,f]=[r(e.without),
r(e.with)];u===null&&f===null||t.push({key:s,name:i,without:l(u),with:l(f),change:Xf(u,f)})};for(let s of["read","write"])for(let[i,r]of Zf)
n(`${s}.${r}`,`${s==="read"?"Read":"Write"} latency, ${i}`,l=>l.latency_us[s]?.[r]??null,Ye);return n("iops","Requests a second, mean",s=>s.
iops,je),n("iops_busiest_minute","Requests a second, busiest minute",s=>s.iops_busiest_minute,je),n("backing_reads","Reads from the backing",
s=>s.backing_reads,ke),n("backing_read_bytes","Bytes from the backing",s=>s.backing_read_bytes,O),n("backing_writes","Writes to the backing",
s=>s.backing_writes,ke),n("backing_write_bytes","Bytes to the backing",s=>s.backing_write_bytes,O),t}function th(e){let{times_faster:t,writes_times_faster:n}=e,
s=[];return t===null?s.push(e.with.reads===0?"Nothing was read with the cache yet, so there is nothing to compare with.":"No read went to th\
e backing yet, so there is nothing to compare with."):t>=1.05?s.push(`The mean read is ${t.toFixed(1)} times faster with the cache.`):s.push(
"The cache gains nothing for reads so far: most of what is read is read for the first time, or the backing is as fast."),n!==null&&n>=1.05&&
s.push(`The mean write is ${n.toFixed(1)} times faster.`),s}function nh(e){let{without:t}=e,n={measured:"measured while the disk was in pass\
-through",concluded:`concluded from the ${ke(e.measured_backing_reads)} that went to the backing`,unknown:"not known"}[t.reads_are],s=t.writes_are===
"measured"?"measured in pass-through":"not known";return`Without the cache: reads are ${n}, writes are ${s}.`}function sh({warm_up:e}){let t=s=>((s??
0)*100).toFixed(1),n=(e.variation_max*100).toFixed(0);switch(e.state){case"warm":return`Warm after ${Ot(e.seconds)}: the next three steps hi\
t ${ye(e.hit_ratio)}, less than ${n} points apart.`;case"warming":return(e.variation??0)<e.variation_max?"Not warm yet: next to nothing hits\
.":`Not warm yet: the last three steps are ${t(e.variation)} points apart, and ${n} are too many.`;default:return`Whether it is warm is not \
known: that takes three steps with ${ke(e.reads_min)} reads each.`}}function ih(e,t){let n=[e.without,e.with].map(p=>p.latency_us[t]?.classes??
null),s=n.find(p=>p!==null)??[],i=n.map(p=>{let b=p?.reduce((m,y)=>m+y.count,0)??0;return s.map((m,y)=>p===null||b===0?null:(p[y]?.count??0)/
b)}),r=s.map((p,b)=>({upto:p.upto===null?"more":Ye(p.upto),without:i[0]?.[b]??null,with:i[1]?.[b]??null})),l=r.flatMap((p,b)=>(p.without??0)>
0||(p.with??0)>0?[b]:[]),[u,f]=[l[0],l.at(-1)];return u===void 0||f===void 0?[]:r.slice(u,f+1)}var Wi=class{element;#n=c("p",{class:"report-\
verdict",role:"status"});#t=c("p",{class:"hint"});#o=c("p",{class:"report-warm"});#s=c("p",{class:"hint"});#r=c("tbody",{});#l=c("tbody",{});#e;#i=c(
"p",{class:"hint","data-figure":"report.share"});#u=c("div",{class:"report-known"});#a="read";#c=null;#d="";constructor(){let t=(s,i)=>c("bu\
tton",{type:"button","data-kind":s,onclick:()=>{this.#a=s,this.#p()}},i);this.#e=c("div",{class:"segmented",role:"group","aria-label":"Class\
es of"},t("read","Reads"),t("write","Writes"));let n=(...s)=>c("thead",{},c("tr",{},...s.map(i=>c("th",{scope:"col"},i))));this.#u.append(c(
"table",{class:"report-figures"},n("","Without","With the cache","Change"),this.#r),this.#i,this.#o,c("div",{class:"section-head"},c("h3",{},
"By latency"),this.#e),c("table",{class:"histogram report-classes"},n("Up to","Without","With the cache"),this.#l)),this.element=c("section",
{class:"card report","aria-label":"Before and after"},c("h2",{},"Before and after"),this.#n,this.#t,this.#u,this.#s),this.element.hidden=!0}set(t){
J(this.element,t!==null),this.#c=t,this.#p()}#p(){let t=this.#c;if(!t)return;let n=JSON.stringify([this.#a,t]);if(n===this.#d)return;this.#d=
n;let s=[t.without,t.with].some(m=>m.reads+m.writes>0);J(this.#u,s),J(this.#t,s);let i=ls(t.compared_since);q(this.#n,s?th(t).join(" "):`Not\
hing was read since ${i}, nor written: there is nothing to report yet.`),q(this.#t,`Since ${i}: ${ke(t.with.reads)} reads and ${ke(t.with.writes)}\
 writes with the cache, ${ke(t.without.reads)} and ${ke(t.without.writes)} in pass-through. ${nh(t)}`),this.#r.replaceChildren(...eh(t).map(
oh));let{reads:r,read_hits_ram:l,read_hits_flash:u}=t.with,f=m=>ye(r>0?m/r:null);q(this.#i,`Of reads with the cache, ${f(l+u)} were answered\
 by it: ${f(l)} from RAM, ${f(u)} from flash. Written to flash: ${O(t.flash_write_bytes)}.`),q(this.#o,sh(t));for(let m of this.#e.children)
m.setAttribute("aria-pressed",String(m.getAttribute("data-kind")===this.#a));let p=ih(t,this.#a);this.#l.replaceChildren(...p.length>0?p.map(
rh):[c("tr",{},c("td",{colspan:3},"Nothing was counted yet."))]);let b=t.without.reads_are==="measured"&&t.without.writes_are==="measured";J(
this.#s,s&&!b),q(this.#s,`To have "without" measured, let the disk run in pass-through for ${ke(t.requests_min)} reads and as many writes: s\
et mode below, and set it back.`)}};function oh(e){let t=n=>c("td",{"data-figure":`report.${e.key}.${n}`},e[n]);return c("tr",{},c("th",{scope:"\
row"},e.name),t("without"),t("with"),t("change"))}function rh(e){let t=(n,s)=>{let i=c("span",{class:`bar bar-${s}`});return i.style.width=`${((n??
0)*100).toFixed(2)}%`,c("td",{},c("div",{class:"bar-cell"},c("span",{class:"bar-track"},i),c("span",{class:"bar-text"},ye(n))))};return c("t\
r",{},c("th",{scope:"row"},e.upto),t(e.without,1),t(e.with,0))}var Bi=class{element;#n=new Map;#t=c("div",{class:"fields"});#o=c("button",{type:"submit",class:"primary"},"Review changes\u2026");#s=c("but\
ton",{type:"reset"},"Undo");#r=c("span",{class:"hint","aria-live":"polite"});#l;#e;constructor(t,n){this.#l=t,this.#e=n;let s=c("form",{"ari\
a-label":"Settings"},this.#t,c("div",{class:"buttons buttons-start"},this.#o,this.#s,this.#r));s.addEventListener("input",()=>this.#a()),s.addEventListener(
"reset",i=>{i.preventDefault();for(let r of this.#n.values())r.input.value=r.now;this.#a()}),s.addEventListener("submit",i=>{i.preventDefault(),
this.#c()}),this.element=c("section",{class:"card","aria-label":"Settings"},c("h2",{},"Settings"),c("p",{class:"hint"},"As forebay disk set \
takes them. They are changed while guests go on."),s)}update(t){let n=Os.filter(i=>i.name in t),s=Object.keys(t).filter(i=>!Os.some(r=>r.name===
i));for(let i of[...n,...s.map(r=>({name:r,about:""}))]){let r=t[i.name]??"",l=this.#n.get(i.name)??this.#i(i,r),u=l.input.value!==l.now;l.now=
r,u||uc(l.input,r)}this.#a()}#i(t,n){let s=rt(),i=rt(),r={id:s,name:t.name,"aria-describedby":i},l=t.choices?c("select",r,...t.choices.map(p=>c(
"option",{value:p},p))):c("input",{...r,type:"text",spellcheck:"false",autocomplete:"off",autocapitalize:"off"}),u=c("div",{class:"field"},c(
"label",{for:s},t.name),l,c("p",{class:"hint",id:i},t.about)),f={key:t.name,now:n,input:l,element:u};return uc(l,n),this.#t.append(u),this.#n.
set(t.name,f),f}#u(){let t=[...this.#n.values()].filter(n=>n.input.value.trim()!==n.now);return Object.fromEntries(t.map(n=>[n.key,n.input.value.
trim()]))}#a(){let t=this.#u();for(let s of this.#n.values())s.element.classList.toggle("changed",s.key in t);let n=Object.keys(t).length;this.#o.
disabled=n===0,J(this.#s,n>0),q(this.#r,n===0?"":n===1?"1 change, not sent yet":`${n} changes, not sent yet`)}#c(){let t=this.#l(),n=this.#u();
if(!t||Object.keys(n).length===0)return;let s=Object.entries(n).map(([i,r])=>c("li",{},c("code",{},i),`: ${this.#n.get(i)?.now??""} \u2192 ${r}`));
pt({title:`Change ${t.name}?`,sentences:wi(t,n),confirm:"Change",fields:c("ul",{class:"changes"},...s),run:async()=>{await De("PATCH",$e(t.name),
{settings:n});for(let[i,r]of Object.entries(n)){let l=this.#n.get(i);l&&(l.now=r)}return this.#e(),`${t.name} now has ${Object.entries(n).map(
([i,r])=>`${i}=${r}`).join(" ")}`}})}};function uc(e,t){e instanceof HTMLSelectElement&&![...e.options].some(n=>n.value===t)&&e.append(c("op\
tion",{value:t},t)),e.value!==t&&(e.value=t)}var lh=[["backing","Backing"],["size_bytes","Size"],["block_bytes","Block"],["reserve_bytes","Reserved flash"],["limit_bytes","Flash at most"],
["cached_bytes","Cached on flash"],["ram_bytes","Cached in RAM"],["load","From last time"],["mirrored","Dirty data"],["guest","Taken from"],
["page_cache","Page cache"],["errors","Errors"]];function dc(e,t,n){let s=null,i=()=>s,r=Jt(),l=c("span",{class:"mode"}),u=Ni(),f={hits:yt("\
Hit ratio","hit_ratio"),operations:yt("Requests","operations"),bytes:yt("Throughput","bytes"),latency:yt("Read latency, mean","latency"),dirty:yt(
"Dirty","dirty_bytes"),saved:yt("Backing requests saved","saved")},p=new Fi(n),b=new Ii,m=new Hi(t),y=new vi(t),_=new Wi,M=c("p",{class:"car\
d empty","data-figure":"no_curve"},"Sizes are predicted from what guests read. Nothing was read since the disk was attached."),L=vs(lh.map(([
x,V])=>[x,V])),N=new Bi(i,t),B=xl(i,t),S=new zi(e),C=c("button",{type:"button",class:"danger","data-action":"remove",onclick:()=>s&&rc(s,t)},
"Remove this disk\u2026"),E={overview:Gs("overview",c("div",{class:"tiles"},...Object.values(f).map(x=>x.element)),p.element,B.element),sizing:Gs(
"sizing",y.element,m.element,M),requests:Gs("requests",_.element,b.element),connect:Gs("connect",S.element),settings:Gs("settings",N.element,
c("section",{class:"card","aria-label":"Facts"},c("h2",{},"About this disk"),L.element),c("section",{class:"card","aria-label":"Removal"},c(
"h2",{},"Removal"),c("p",{class:"hint"},"The disk is served no more; the content of its backing stays."),c("div",{class:"buttons buttons-sta\
rt"},C)))},Q=$o.map(x=>[x,c("a",{href:Dn(e,x)},ah[x])]),D=c("nav",{class:"tabs","aria-label":`Parts of ${e}`},...Q.map(([,x])=>x)),Z=c("div",
{class:"stack"},u.element,D,...Object.values(E)),j=c("div",{class:"card empty"},c("h3",{},"No such disk"),c("p",{},"Forebay serves no disk o\
f this name. It may have been removed: forebay disk list shows all.")),ee=c("p",{class:"loading"},"Asking Forebay\u2026");return{element:c("\
div",{class:"view"},c("p",{class:"crumb"},c("a",{href:"#/"},"\u2190 Host")),c("div",{class:"title"},c("h1",{},e),r,l),j,ee,Z),title:e,open(x){
for(let[V,F]of Q)F.setAttribute("aria-current",V===x?"page":"false"),J(E[V],V===x)},leave:()=>{p.leave(),m.leave()},update(x){let V=x.disk;if(s=
V==="missing"||V===null?null:V,J(j,V==="missing"),J(ee,V===null),J(Z,s!==null),J(r,s!==null),!s)return;let F=Ls(s);Qt(r,bi([sn(s.state),...F.
map(K=>K.tone)]),s.state),q(l,s.read_only?`${s.mode}, read-only`:s.mode),u.set(F),ch(f,s,x),p.update(x,e,s.mode),b.set(x.histograms),m.set(x.
curve,s,x.windows.get(e)??s.statistics),y.set(x.advice,s),J(M,m.element.hidden),S.update(s),_.set(x.report),L.set(dh(s)),N.update(s.settings),
B.update()}}}var ah={overview:"Overview",sizing:"Sizing",requests:"Requests",connect:"Connect",settings:"Settings"};function Gs(e,...t){return c(
"div",{class:"stack","data-tab":e},...t)}function ch(e,t,n){let s=n.windows.get(t.name)??n.statistics.get(t.name),i=n.windows.has(t.name)?"l\
ast 5 minutes":"since attached",r=n.series.get(t.name)?.last,l=r?.rates??null,u=Pn(l);e.hits.set(ye(s?.hit_ratio),`of reads, ${i}`),e.operations.
set(u===null?"\u2013":`${je(u)}/s`,l?`${je(l.reads)} reads, ${je(l.writes)} writes`:""),e.bytes.set(l?Ct(l.read_bytes+l.write_bytes):"\u2013",
l?`${Ct(l.read_bytes)} read, ${Ct(l.write_bytes)} written`:""),e.latency.set(Ye(r?.readMicros),r?.writeMicros==null?"no writes lately":`writ\
es ${Ye(r.writeMicros)}`),e.dirty.set(O(t.dirty_bytes),uh(t)),e.saved.set(ye(s?ui(s):null),i)}function uh(e){let t=e.mode==="write-back"?`of\
 at most ${O(e.dirty_limit_bytes)}`:null;if(lt(e)===0)return t??"the backing is complete";let n=e.statistics.destage_bytes_per_second??0;return gn(
t??`for ${Ot(e.dirty_for_seconds)}`,Cs(e.dirty_zeroes_bytes),n>0?`${Ct(n)} going home`:null)}function dh(e){let{statistics:t}=e,n={backing:e.
backing,size_bytes:O(e.size_bytes),block_bytes:O(e.block_bytes),reserve_bytes:O(e.reserve_bytes),limit_bytes:O(e.limit_bytes),cached_bytes:O(
t.cached_bytes),ram_bytes:O(t.ram_bytes),load:yl(e),mirrored:fh(e),errors:hh(e)};return e.guest&&(n.guest=`QEMU at ${e.guest.qmp}, device ${e.
guest.device}`),e.page_cache_reason&&(n.page_cache=`used, because ${e.page_cache_reason}`),n}function fh(e){return e.mirrored===null?"\u2013":
e.mirrored?"on two devices":"on one device"}function hh(e){let{checksum_errors:t,flash_errors:n,backing_errors:s,backing_retries:i}=e.statistics;
if(t===void 0)return"\u2013";let l=[[t,"checksums"],[n,"flash"],[s,"backing"],[i,"backing, sent again"]].filter(([u])=>(u??0)>0).map(([u,f])=>`${u}\
 ${f}`);return l.length===0?"none":l.join(", ")}function fc(){let e=c("ol",{class:"events","aria-label":"Events, newest first"}),t=c("select",{name:"level"},c("option",{value:"info"},"All"),
c("option",{value:"warning"},"Warnings and errors"),c("option",{value:"error"},"Errors")),n=c("p",{class:"empty"},"Nothing happened that an \
operator must know."),s=c("p",{class:"empty"},"This Forebay keeps no list of events. Its log has them: journalctl --unit forebay"),i=()=>{};
t.addEventListener("change",()=>i());let r=c("label",{class:"inline"},"Show ",t),l=c("section",{class:"card"},r,e,n,s);return{element:c("div",
{class:"view"},c("h1",{},"Events"),l),title:"Events",leave(){},update(u){i=()=>{let f=["info","warning","error"],p=f.indexOf(t.value),b=(u.events??
[]).filter(m=>f.indexOf(m.level)>=p||!f.includes(m.level)).reverse();J(s,u.events===null),J(r,u.events!==null),J(n,u.events!==null&&b.length===
0),Lt(e,b,m=>`${m.id} ${m.time}`,ph,mh)},i()}}}function ph(e){let t=e.disk?c("a",{href:Dn(e.disk),class:"event-disk"},e.disk):null;return c(
"li",{class:"event"},c("div",{class:"event-head"},Jt(),c("time",{datetime:e.time},ls(e.time)),t,c("span",{class:"event-kind"})),c("div",{class:"\
event-message"}),c("div",{class:"finding-advice"}))}function mh(e,t){let n=e.querySelector(".badge");n&&Qt(n,gi[t.level]??"warning",t.level),
pe(e,".event-kind",t.kind),pe(e,".event-message",t.message),pe(e,".finding-advice",t.advice??"")}var gh=Rs*1e3/To,bh=30,hc=new WeakMap;function pc(e){let t=Ni(),n={hits:yt("Hit ratio","host.hit_ratio"),operations:yt("Requests","host.oper\
ations"),bytes:yt("Throughput","host.bytes"),dirty:yt("Dirty","host.dirty_bytes"),saved:yt("Backing requests saved","host.saved")},s=kh(e),i=c(
"tbody",{}),l=c("table",{class:"disks"},c("thead",{},c("tr",{},...["Disk","State","Hit ratio","Requests/s","Read latency, mean","Dirty","Las\
t 5 min"].map(_=>c("th",{scope:"col"},_)))),i),u=xh(),f=_=>{e(),window.location.hash=Dn(_,"connect")},p=c("button",{type:"button","data-acti\
on":"add-disk",onclick:()=>oc(f)},"Add a disk\u2026"),b=c("section",{class:"card","aria-label":"Disks"},c("div",{class:"section-head"},c("h2",
{},"Disks"),p),l,u),m=c("div",{class:"tiles"},...Object.values(n).map(_=>_.element));return{element:c("div",{class:"view"},c("h1",{},"Host"),
t.element,m,b,s.element),title:"Host",leave(){},update(_){let M=_.disks??[],L=[..._.pool?pl(_.pool):[],...M.flatMap(Ls)];_.poolProblem&&L.unshift(
{tone:"bad",text:_.poolProblem,advice:null}),t.set(L),yh(n,_),J(m,M.length>0),J(l,M.length>0),J(u,M.length===0),Lt(i,M,N=>N.name,wh,(N,B)=>vh(
N,B,_)),s.update(_)}}}function yh(e,t){let n=[...t.statistics.values()],s=ll([...t.series.values()].map(m=>m.last?.rates??null)),i=n.map(m=>t.
windows.get(m.name)??m),r=t.windows.size>0?"last 5 minutes":"since attached",l=So(i);e.hits.set(ye(al(l)),`of reads, ${r}`);let u=Pn(s);e.operations.
set(u===null?"\u2013":`${je(u)}/s`,s?`${je(s.reads)} reads, ${je(s.writes)} writes`:""),e.bytes.set(s?Ct(s.read_bytes+s.write_bytes):"\u2013",
s?`${Ct(s.read_bytes)} read, ${Ct(s.write_bytes)} written`:"");let f=n.reduce((m,y)=>m+(y.dirty_bytes??0),0),p=n.reduce((m,y)=>m+(y.dirty_zeroes_bytes??
0),0),b=n.reduce((m,y)=>m+(y.mode==="write-back"?y.dirty_limit_bytes??0:0),0);e.dirty.set(O(f),gn(b>0?`of at most ${O(b)}`:"no disk is in wr\
ite-back",Cs(p))),e.saved.set(ye(ui(l)),r)}function wh(e){let t=Qa(`Hit ratio of ${e.name}`),n=(l,...u)=>c("td",{"data-heading":l},...u),s=l=>c(
"div",{"data-figure":`${e.name}.${l}`}),i=l=>c("div",{class:`sub ${l}`}),r=c("tr",{},c("th",{scope:"row"},c("a",{href:Dn(e.name)},e.name),i(
"backing")),n("State",Jt(),i("mode")),n("Hit ratio",s("hit_ratio"),i("split")),n("Requests/s",s("operations"),i("kinds")),n("Read latency, m\
ean",s("latency"),i("writes")),n("Dirty",s("dirty_bytes"),i("limit")),c("td",{class:"spark-cell"},t.element));return hc.set(r,t),r}function vh(e,t,n){
let s=n.statistics.get(t.name),i=n.windows.get(t.name)??s,r=n.series.get(t.name),l=r?.last,u=Ls(t),f=e.querySelector(".badge"),p=bi([sn(t.state),
...u.map(_=>_.tone)]);f&&Qt(f,p,t.state==="serving"&&p!=="good"?"serving, look":t.state);let b=(_,M)=>pe(e,`[data-figure$=".${_}"]`,M);pe(e,
".backing",t.size_bytes===null?wo(t.backing,34):`${O(t.size_bytes)} at ${wo(t.backing,34)}`),pe(e,".mode",t.read_only?`${t.mode}, read-only`:
t.mode),b("hit_ratio",ye(i?.hit_ratio));let m=i?.reads??0;pe(e,".split",m>0?`RAM ${ye((i?.read_hits_ram??0)/m)}, flash ${ye((i?.read_hits_flash??
0)/m)}`:"no reads yet"),b("operations",je(Pn(l?.rates??null))),pe(e,".kinds",l?.rates?`${je(l.rates.reads)} r, ${je(l.rates.writes)} w`:""),
b("latency",l?.readMicros==null?"\u2013":Ye(l.readMicros)),pe(e,".writes",l?.writeMicros==null?"":`writes ${Ye(l.writeMicros)}`),b("dirty_by\
tes",O(t.dirty_bytes)),pe(e,".limit",gn(t.mode==="write-back"&&t.dirty_limit_bytes?`of ${O(t.dirty_limit_bytes)}`:null,Cs(t.dirty_zeroes_bytes)));
let y=(r?.points??[]).map(_=>_.hitRam===null||_.hitFlash===null?null:_.hitRam+_.hitFlash);hc.get(e)?.set(y,Math.max(bh,Math.min(gh,y.length)))}
function xh(){return c("div",{class:"empty"},c("h3",{},"No disks yet"),c("p",{},"Nothing is cached until Forebay serves a disk. The button a\
bove adds one, and so does this on the host; nothing in the file changes:"),c("pre",{},c("code",{},"forebay disk add web1 --backing /srv/ima\
ges/web1.raw")),c("p",{},"A running QEMU guest's disk is moved behind Forebay without a reboot:"),c("pre",{},c("code",{},"forebay vm attach \
--qmp /run/web.qmp --device vda")),c("p",{class:"hint"},"It appears here by itself."))}function kh(e){let t=Jt(),n=c("span",{class:"meter-us\
ed"}),s=c("div",{class:"meter",role:"img"},n),i=c("p",{class:"meter-words","data-figure":"pool.used"}),r=c("p",{class:"meter-words","data-fi\
gure":"host.ram"}),l=c("tbody",{}),u=["Device","State","Size","Free","Wear","Remarks",""],f=c("button",{type:"button","data-action":"add-dev\
ice",onclick:()=>lc(e)},"Add a device\u2026"),p=c("table",{class:"devices"},c("thead",{},c("tr",{},...u.map(m=>c("th",{scope:"col"},m)))),l),
b=c("section",{class:"card","aria-label":"Pool"},c("div",{class:"section-head"},c("h2",{},"Flash and RAM"),t,f),s,i,r,p);return{element:b,update({
pool:m,statistics:y}){if(J(b,m!==null),!m)return;Qt(t,sn(m.state),m.state);let _=(m.segments-m.segments_free)*m.segment_bytes,M=m.segments_free*
m.segment_bytes;n.style.width=`${m.segments>0?(100*(m.segments-m.segments_free)/m.segments).toFixed(2):0}%`;let L=`Pool of ${O(m.size_bytes)}\
: ${O(_)} in use, ${O(M)} free; ${O(m.reserved_bytes)} reserved by disks`;s.setAttribute("aria-label",L),q(i,L);let N=[...y.values()],B=N.reduce(
(C,E)=>C+(E.ram_bytes??0),0),S=N.reduce((C,E)=>C+(E.index_bytes??0),0);q(r,`RAM: ${O(B)} of content in front of the flash, ${O(S)} for the i\
ndex of what is on it`),Lt(l,m.devices,C=>String(C.number),C=>_h(C,e),(C,E)=>Sh(C,E,m))}}}function _h(e,t){let n=(s,i,r="")=>c("td",{"data-h\
eading":s,class:r},i);return c("tr",{},c("th",{scope:"row",class:"path"}),n("State",Jt()),n("Size",null,"size"),n("Free",null,"free"),n("Wea\
r",null,"wear"),n("Remarks",null,"remarks"),c("td",{},c("button",{type:"button",class:"quiet",onclick:()=>ac(e,t)},"Take out\u2026")))}function Sh(e,t,n){
pe(e,".path",t.path??`device ${t.number}`);let s=e.querySelector(".badge");s&&Qt(s,sn(t.state),t.state),pe(e,".size",O(t.size_bytes)),pe(e,"\
.free",`${O(t.segments_free*n.segment_bytes)}`);let i=[ml(t.wear),gl(t.budget)].filter(l=>l!=="");pe(e,".wear",i.join("; ")||"\u2013");let r=[
t.discards?"discards":null,t.page_cache_reason?`page cache: ${t.page_cache_reason}`:null];pe(e,".remarks",r.filter(l=>l!==null).join("; ")||
`${ke(t.segments)} segments`)}var xs=c("main",{id:"main",tabindex:-1}),Ks=c("p",{class:"loading"},"Asking Forebay\u2026"),mc=c("span"),gc=c("button",{type:"button",onclick:bo},
"Sign in\u2026"),bc=c("div",{class:"banner",role:"alert",hidden:!0},mc," ",gc),pr=c("span",{class:"pulse"}),js={host:c("a",{href:"#/"},"Host"),
events:c("a",{href:"#/events"},"Events")},yc=c("button",{type:"button",class:"quiet",onclick:Ah}),wc=c("span",{class:"host-name","data-figur\
e":"host"}),vc=c("footer",{},c("span",{"data-figure":"version"}),c("a",{href:"/openapi.json"},"Interface for programs"),c("a",{href:"/metric\
s"},"Metrics")),xc=c("button",{type:"button",class:"quiet",onclick:bo}),an=new di(Sc),ln=null,hr=null;function Th(){let e=c("a",{class:"skip",
href:"#main"},"To the content");e.addEventListener("click",s=>{s.preventDefault(),xs.focus()});let t=c("a",{href:"#/",class:"brand"},c("img",
{src:"/assets/icon.svg",alt:"",width:24,height:24}),"Forebay"),n=c("header",{},t,wc,c("nav",{"aria-label":"Views"},js.host,js.events),c("div",
{class:"header-end"},pr,yc,xc));document.body.append(e,n,bc,xs,vc,Qr()),xs.append(Ks)}function kc(){let e=hl(window.location.hash);if(!(ln!==
null&&hr!==null&&e.disk!==null&&e.disk===hr.disk)){ln?.leave();let{disk:n}=e;ln=n!==null?dc(n,()=>{an.look()},s=>an.show(s)):e.view==="event\
s"?fc():pc(()=>{an.look()}),xs.replaceChildren(ln.element),window.scrollTo(0,0)}hr=e,ln?.open?.(e.tab),_c(),js.host.setAttribute("aria-curre\
nt",e.view==="host"?"page":"false"),js.events.setAttribute("aria-current",e.view==="events"?"page":"false"),an.watch(e.disk),Sc()}function _c(){
let e=an.known.host?` on ${an.known.host.name}`:"",t=`${ln?.title??""} \u2013 Forebay${e}`;document.title!==t&&(document.title=t)}function Sc(){
let{known:e}=an;if(Eh(e),Mh(e),!ln)return;let t=e.disks!==null;J(ln.element,t),J(js.events,!t||e.events!==null),t?(ln.update(e),Ks.remove()):
Ks.isConnected||xs.append(Ks)}function Eh({away:e,answeredAt:t}){xs.classList.toggle("stale",e!==null),J(bc,e!==null),q(mc,e?$h(e,t):""),J(gc,
e?.status===401),q(Ks,e?"Waiting for Forebay\u2026":"Asking Forebay\u2026"),pr.classList.toggle("pulse-away",e!==null),q(pr,e?"No answer":t===
null?"Connecting":"Live")}function Mh({host:e}){if(!e)return;Xr(e.token_path),q(wc,e.name);let t=vc.firstElementChild;t&&q(t,`Forebay ${e.version}\
 on ${e.name}`),_c(),!e.may_change&&jt.get()!==null&&jt.clear(),Vi()}function $h({status:e,reason:t,since:n},s){let i=s===null?"":` What is \
shown is from ${mn(s)}.`;return e===401?`Seen from here, this host shows its figures to those only who have its token.${i}`:e>0?`${t}.${i}`:
`${t} since ${mn(n)}.${i} On the host, systemctl status forebay says whether it runs. This page goes on by itself.`}function Ah(){dl(),Vi()}
function Vi(){q(yc,{auto:"Theme: system",light:"Theme: light",dark:"Theme: dark"}[hi()]),q(xc,jt.get()===null?"Sign in":"Signed in")}fl();Th();
Vi();document.addEventListener("forebay-token",()=>{Vi(),an.lookAtHost()});window.addEventListener("hashchange",kc);kc();an.look();})();
