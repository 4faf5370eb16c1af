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
"use strict";(()=>{var mo="forebay-token";var pt=class extends Error{constructor(n,s){super(s);this.status=n}status;get wantsToken(){return this.status===401}},Ut={get(){return sessionStorage.
getItem(mo)},set(e){sessionStorage.setItem(mo,e.trim())},clear(){sessionStorage.removeItem(mo)}};async function go(e){let t="/v1/host",n={method:"\
GET",headers:{authorization:`Bearer ${e.trim()}`}};try{let{host:s}=await bo(t,n,8e3);if(!s.may_change)return!1}catch(s){if(s instanceof pt&&
s.wantsToken)return!1;throw s}return Ut.set(e),!0}async function nn(e,t){return(await bo(e,{method:"GET"},8e3))[t]}async function Gr(e,t){return Kr(
e,t,n=>n.status===404)}async function Yt(e,t){return Kr(e,t,n=>n.status!==0&&!n.wantsToken)}async function Kr(e,t,n){try{return await nn(e,t)}catch(s){
if(s instanceof pt&&n(s))return null;throw s}}async function $e(e,t,n){let s={method:e,headers:{"content-type":"application/json"},body:JSON.
stringify(n??null)};return bo(t,s,12e4)}function Ae(e){return`/v1/disks/${encodeURIComponent(e)}`}function jr(e){return`/v1/pool/devices/${e}`}
function Ur(e,t){return`/v1/history/${encodeURIComponent(e)}?span=${t}`}async function bo(e,t,n){let s=AbortSignal.timeout(n),i=new Headers(
t.headers),r=Ut.get();r&&!i.has("authorization")&&i.set("authorization",`Bearer ${r}`);let l;try{l=await fetch(e,{...t,headers:i,signal:s,cache:"\
no-store",credentials:"omit",redirect:"error"})}catch{throw new pt(0,"Forebay does not answer")}let u=await l.json().catch(()=>null);if(!l.ok){
let f=typeof u?.detail=="string"?u.detail:`Forebay answered with status ${l.status}`;throw new pt(l.status,f)}if(u===null)throw new pt(0,"Fo\
rebay's answer was cut short");return u}function c(e,t={},...n){let s=document.createElement(e);for(let[i,r]of Object.entries(t))typeof r=="function"?s.addEventListener(i.slice(2),
r):r!=null&&r!==!1&&s.setAttribute(i,r===!0?"":String(r));return s.append(...n.filter(i=>i!=null&&i!==!1)),s}function ii(e,t){let n=document.
createElementNS("http://www.w3.org/2000/svg",e);for(let[s,i]of Object.entries(t))n.setAttribute(s,String(i));return n}function q(e,t){e.textContent!==
t&&(e.textContent=t)}function J(e,t){e.hidden===t&&(e.hidden=!t)}function iu(e){let t=new Set;return e.map(n=>{let s=n;for(let i=1;t.has(s);i+=
1)s=`${n} (${i})`;return t.add(s),s})}function Lt(e,t,n,s,i){let r=new Map([...e.children].map(p=>[p.getAttribute("data-item")??"",p])),l=iu(
t.map(n)),u=new Set(l);for(let[p,b]of r)u.has(p)||b.remove();let f=e.firstElementChild;t.forEach((p,b)=>{let m=l[b]??"",y=r.get(m)??s(p);r.delete(
m),y.setAttribute("data-item",m),i(y,p),y===f?f=y.nextElementSibling:e.insertBefore(y,f)})}var Yr=0;function at(){return Yr+=1,`e${Yr}`}var ls=null;function Qr(){return ls=c("div",{class:"status",role:"status","aria-live":"polite"}),ls}var Jr=0,ou=8e3;function Ds(e){ls&&(q(ls,
e),ls.classList.add("status-shown"),window.clearTimeout(Jr),Jr=window.setTimeout(()=>ls?.classList.remove("status-shown"),ou))}function Zr(e){
e.addEventListener("close",()=>e.remove()),document.body.append(e),e.showModal()}function tt(e){let t=at(),n=c("button",{type:"button"},"Can\
cel"),s=c("button",{type:"submit",class:e.isDangerous?"danger":"primary"},e.confirm),i=c("p",{class:"dialog-said","aria-live":"assertive"}),
r=ru(),l=c("form",{},c("h2",{id:t},e.title),...e.sentences.map(p=>c("p",{},p)),e.fields??null,r.element,i,c("div",{class:"buttons"},n,s)),u=c(
"dialog",{"aria-labelledby":t},l),f=new AbortController;n.addEventListener("click",()=>u.close()),u.addEventListener("close",()=>f.abort()),
l.addEventListener("submit",p=>{p.preventDefault(),s.disabled=!0,i.className="dialog-said",q(i,"Working\u2026"),r.take().then(()=>e.run(b=>q(
i,b),f.signal)).then(b=>{Ds(b),u.close()}).catch(b=>{let m=b instanceof Error?b.message:String(b);if(!u.open)return Ds(m);s.disabled=!1,i.className=
"dialog-said dialog-failed",q(i,m),b instanceof pt&&b.wantsToken&&r.ask()})}),Zr(u)}function ru(){let e=at(),t=c("input",{id:e,type:"passwor\
d",autocomplete:"off",spellcheck:"false"}),n=c("div",{class:"field"},c("label",{for:e},"Token for changes"),t,el());return n.hidden=!0,{element:n,
ask(){Ut.clear(),n.hidden=!1,t.focus(),document.dispatchEvent(new Event("forebay-token"))},async take(){if(!(n.hidden||t.value.trim()==="")){
if(!await go(t.value))throw new pt(401,"This is not the token of this host");document.dispatchEvent(new Event("forebay-token"))}}}}var Rs=null;
function Xr(e){Rs=e}function el(){return c("p",{class:"hint"},"On the host, as root or the user that runs Forebay: ",c("code",{"data-figure":"\
token_path"},`cat ${Rs??"/var/lib/forebay/token"}`),Rs===null?" (or the folder that serve was given with --dir).":"."," It is kept until thi\
s tab is closed.")}function yo(){let e=at(),t=at(),n=c("input",{id:t,type:"password",autocomplete:"off",spellcheck:"false",required:!0}),s=c(
"button",{type:"button"},"Sign out"),i=c("button",{type:"button"},"Cancel"),r=c("button",{type:"submit",class:"primary"},"Sign in"),l=c("p",
{class:"dialog-said","aria-live":"assertive"});s.hidden=Ut.get()===null;let u=c("form",{},c("h2",{id:e},"Sign in for changes"),c("p",{},"On \
the host itself, everything can be read without it. Changes need the token of the host, and from other hosts reading does too."),c("div",{class:"\
field"},c("label",{for:t},"Token"),n,el()),l,c("div",{class:"buttons"},s,i,r)),f=c("dialog",{"aria-labelledby":e},u),p=m=>{document.dispatchEvent(
new Event("forebay-token")),Ds(m),f.close()},b=m=>{l.className="dialog-said dialog-failed",q(l,m),r.disabled=!1,n.select()};i.addEventListener(
"click",()=>f.close()),s.addEventListener("click",()=>{Ut.clear(),p("Signed out; on the host itself reading goes on")}),u.addEventListener("\
submit",m=>{m.preventDefault(),r.disabled=!0,go(n.value).then(y=>{y?p("Signed in until this tab is closed"):b(`This is not the token of this\
 host${Rs===null?"":`, which is in ${Rs}`}.`)}).catch(y=>b(y instanceof Error?y.message:String(y)))}),Zr(f)}var lu=[["TiB",1099511627776],["GiB",1073741824],["MiB",1048576],["KiB",1024],["",1]];function sn(e){return typeof e=="number"&&Number.isFinite(
e)}function F(e){if(!sn(e))return"\u2013";let t=Math.round(e),[n,s]=lu.find(([,i])=>t>=i)??["",1];return t%s===0?`${t/s}${n}`:`${(Math.floor(
(t*10+s/2)/s)/10).toFixed(1)}${n}`}var au=[["PB",1e15],["TB",1e12],["GB",1e9],["MB",1e6],["kB",1e3],[" bytes",1]];function oi(e){if(!sn(e))return"\
\u2013";let t=Math.round(e),[n,s]=au.find(([,i])=>t>=i)??[" bytes",1];return t%s===0?`${t/s}${n}`:`${(t/s).toFixed(1)}${n}`}function Ct(e){return sn(
e)?`${F(e)}/s`:"\u2013"}function ye(e){return sn(e)?`${(e*100).toFixed(1)}%`:"\u2013"}function ke(e){return sn(e)?Math.round(e).toString().replace(
/\B(?=(\d{3})+$)/g,","):"\u2013"}function je(e){return sn(e)?e>=10||e===0?ke(e):e.toFixed(1):"\u2013"}function wo(e){if(!sn(e))return"";for(let[
t,n]of[["M",1e6],["k",1e3]])if(Math.abs(e)>=n)return`${Number((e/n).toFixed(1))}${t}`;return String(Number(e.toFixed(2)))}function Ye(e){if(!sn(
e))return"\u2013";for(let[t,n]of[["s",1e6],["ms",1e3]])if(e>=n)return`${tl(e/n)} ${t}`;return`${tl(e)} us`}function tl(e){return e>=100||Number.
isInteger(e)?e.toFixed(0):e>=10?e.toFixed(1):e.toFixed(2)}function Ot(e){if(!sn(e))return"\u2013";let t=Math.round(e),n=[[Math.floor(t/86400),
"d"],[Math.floor(t/3600)%24,"h"],[Math.floor(t/60)%60,"min"],[t%60,"s"]],s=n.findIndex(([r])=>r>0);return s<0?"0 s":n.slice(s,s+2).filter(([
r])=>r>0).map(([r,l])=>`${r} ${l}`).join(" ")}function bn(e){let t=new Date(e);return[t.getHours(),t.getMinutes(),t.getSeconds()].map(n=>String(
n).padStart(2,"0")).join(":")}function ri(e){let t=new Date(e);return[t.getMonth()+1,t.getDate()].map(n=>String(n).padStart(2,"0")).join("-")}
function as(e){let t=new Date(e);return Number.isNaN(t.getTime())?e:`${[t.getFullYear(),t.getMonth()+1,t.getDate()].map(s=>String(s).padStart(
2,"0")).join("-")} ${bn(t.getTime())}`}function vo(e,t){return e.length<=t?e:`\u2026${e.slice(1-t)}`}function yn(...e){return e.filter(t=>t!==
null).join(", ")}var li=["read_hit_ram","read_hit_flash","read_miss","write","flush","destage"],cs=["reads","writes","flushes","discards","read_bytes","write\
_bytes","read_hits_ram","read_hits_flash","read_partial_hits","read_misses","reads_bypassed","backing_reads","backing_writes","backing_read_\
bytes","backing_write_bytes","flash_read_bytes","flash_write_bytes","destage_bytes","evictions"];function sl(e){let t=[];for(let[n,s]of Object.
entries(nl(e))){let{unit:i,...r}=nl(s);if(typeof i!="string")continue;let l=Object.entries(r).filter(u=>Array.isArray(u[1]));l.length>0&&t.push(
[n,{unit:i,kinds:l}])}return t}function nl(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)?e:{}}var ai={"5m":300,"1d":86400,"7d":7*86400},xo={seconds:ai["5m"],end:null};function wn(e,t=Date.now()/1e3){if(e.of)return e.of;let n=e.end===null?
e.seconds:t-e.end+e.seconds;return Object.keys(ai).find(i=>ai[i]>=n)??"7d"}function ko(e,t,n){let s=Math.max(Math.min(e,t),n-ai["7d"]),i=Math.
min(Math.max(e,t),n);return i-s>=cu?{seconds:i-s,end:i}:null}var cu=10;function il(e,t){let n=t-e.now,s=[],i=null;return e.time.forEach((r,l)=>{
let u=r-(e.seconds[l]??0),f=uu(e,l,r+n),p=i!==null&&u-i>e.step_seconds;p&&s.push(du((i??0)+n)),(p||i===null)&&u<r&&s.push({...f,at:u+n}),s.push(
f),i=r}),{span:e.span,end:t,points:s}}function uu(e,t,n){let s=e.seconds[t]??0,i=u=>u?.[t]??null,r=i(e.reads)??0,l=u=>r>0&&u!==null?u/r:null;
return{at:n,rates:s>0?Object.fromEntries(cs.map(u=>[u,(i(e[u])??0)/s])):null,hitRam:l(i(e.read_hits_ram)),hitFlash:l(i(e.read_hits_flash)),readMicros:i(
e.read_latency_us),writeMicros:i(e.write_latency_us),dirtyBytes:i(e.span==="5m"?e.dirty_bytes:e.dirty_bytes_max),dirtyLimitBytes:i(e.dirty_limit_bytes),
latency:null,readSpread:[i(e.read_p50_us),i(e.read_p95_us),i(e.read_p99_us)],writeSpread:[i(e.write_p50_us),i(e.write_p95_us),i(e.write_p99_us)]}}
function du(e){return{at:e,rates:null,hitRam:null,hitFlash:null,readMicros:null,writeMicros:null,dirtyBytes:null,dirtyLimitBytes:null,latency:null,
readSpread:null,writeSpread:null}}var Ls=300,fu=10,hu=1,pu=1e3;function So(e,t){return cs.every(n=>{let[s,i]=[e[n],t[n]];return s!==void 0&&i!==void 0&&i>=s})}function ol(e,t){
let n=t.at-e.at;if(n<=0||!So(e.statistics,t.statistics))return null;let s=cs.map(i=>[i,mu(e,t,i)/n]);return Object.fromEntries(s)}function mu(e,t,n){
return(t.statistics[n]??0)-(e.statistics[n]??0)}var gu=["read_hit_ram","read_hit_flash","read_miss"];function rl(e,t,n){let s=({statistics:l},u)=>n.
reduce((f,p)=>f+(l.latency_us?u(l.latency_us[p]):0),0),i=l=>s(t,l)-s(e,l),r=i(l=>l.count);return r>0?Math.max(0,i(l=>l.count*l.mean))/r:null}
function ui(e){if(e===null)return null;let t=(e.reads??0)+(e.writes??0);return t>0?1-((e.backing_reads??0)+(e.backing_writes??0))/t:null}function Rn(e){
return e===null?null:e.reads+e.writes}function ll(e){let t=e.filter(n=>n!==null);return t.length===0?null:To(t)}function al(e){let{reads:t=0,
read_hits_ram:n=0,read_hits_flash:s=0}=e;return t>0?(n+s)/t:null}function To(e){return Object.fromEntries(cs.map(t=>[t,e.reduce((n,s)=>n+(s[t]??
0),0)]))}var ci=class{#n=[];#t=[];get points(){return this.#t}get last(){return this.#t.at(-1)}add(t,n,s){let i={at:t,statistics:n};t<(this.#t.
at(-1)?.at??t)&&([this.#n,this.#t]=[[],[]]);let r=this.#n.at(-1);r&&t-r.at<hu&&So(r.statistics,n)||(r&&!So(r.statistics,n)&&(this.#n=[]),this.#t.
push(this.#o(i,s??n)),this.#n.push(i),this.#n=_o(this.#n,t),this.#t=_o(this.#t,t))}fill(t){let n=this.#t[0],s=t.filter(u=>n===void 0||u.at<n.
at),[i,r]=[t.at(-1),n??t.at(-1)];if(r===void 0||i===void 0)return;let l=n?.rates===null?[{...i,...bu(n)},...this.#t.slice(1)]:this.#t;this.#t=
_o([...s,...l],this.#t.at(-1)?.at??r.at)}#o(t,n){let{at:s,statistics:i}=t,r=this.#n.at(-1),l=this.#n.find(p=>s-p.at<=fu)??r,u=l?ol(l,t):null,
f=p=>u&&u.reads>0?p/u.reads:null;return{at:s,rates:r?ol(r,t):null,hitRam:u&&f(u.read_hits_ram),hitFlash:u&&f(u.read_hits_flash),readMicros:u&&
l?rl(l,t,gu):null,writeMicros:u&&l?rl(l,t,["write"]):null,dirtyBytes:i.dirty_bytes??null,dirtyLimitBytes:i.dirty_limit_bytes??null,latency:n.
latency_us??null,readSpread:null,writeSpread:null}}};function nt(e){return(e.dirty_bytes??0)+(e.dirty_zeroes_bytes??0)}function bu(e){return Object.
fromEntries(Object.entries(e).filter(([,t])=>t!==null))}function _o(e,t){return e.filter(n=>t-n.at<=Ls).slice(-pu)}var Eo=2e3,yu=3,wu=15,vu=15,xu=500,di=class{known={disks:null,statistics:new Map,windows:new Map,pool:null,poolProblem:null,series:new Map,events:null,
disk:null,histograms:null,curve:null,advice:null,report:null,period:xo,past:null,host:null,ahead:0,answeredAt:null,away:null};#n=null;#t;#o=0;#s=0;#r=0;#l=0;#e=!1;#i=0;constructor(t){
this.#t=t}watch(t){t!==this.#n&&(this.#n=t,this.known.disk=null,this.known.histograms=null,this.known.curve=null,this.known.advice=null,this.
known.report=null,this.known.period=xo,this.known.past=null,this.#e=!1,this.#s=0,this.look())}show(t){let n=wn(t)!==wn(this.known.period);this.
known.period=t,n&&(this.known.past=null,this.#r=0,this.look()),this.#t()}lookAtHost(){this.#l=0,this.known.host&&(this.known.host={...this.known.
host,may_change:!0}),this.look()}async look(){window.clearTimeout(this.#o);let t=++this.#i;try{await this.#u(t)}catch(n){t===this.#i&&this.#h(
n)}t===this.#i&&(this.#t(),this.#o=window.setTimeout(()=>{this.look()},Eo))}async#u(t){let n=this.#n,s=this.known.events?.at(-1)?.id??0,[i,r,
l,u,f,p,b]=await Promise.all([nn("/v1/disks","disks"),nn("/v1/stats","disks"),nn("/v1/stats?window=5m","disks"),this.#a(),Yt(`/v1/events?aft\
er=${s}`,"events"),n===null?null:Gr(Ae(n),"disk"),this.#l++%vu===0?Yt("/v1/host","host"):this.known.host]),m=Date.now(),[y,E,_,D]=n!==null&&
p!==null&&this.#s%yu===0?await Promise.all([Yt(`${Ae(n)}/histograms`,"histograms"),Yt(`${Ae(n)}/curve`,"curve"),Yt(`${Ae(n)}/advice`,"advice"),
Yt(`${Ae(n)}/report`,"report")]):[void 0,void 0,void 0,void 0],z=n!==null&&p!==null?await this.#d(n):null;t===this.#i&&(this.#s+=1,this.#r+=
1,this.#e||=p!==null&&wn(this.known.period)==="5m",Object.assign(this.known,{disks:i,...u,host:b,answeredAt:m,away:null}),this.#c(m/1e3,r,l),
this.#f(f),n!==null&&(this.known.disk=p??"missing"),z!==null&&this.#p(z,m/1e3),E!==void 0&&(this.known.curve=E),_!==void 0&&(this.known.advice=
_?.[0]??null),D!==void 0&&(this.known.report=D),y!==void 0&&(this.known.histograms=y===null?null:sl(y)))}async#a(){try{return{pool:await nn(
"/v1/pool","pool"),poolProblem:null}}catch(t){if(!(t instanceof pt)||t.status===0)throw t;return{pool:null,poolProblem:t.message}}}#c(t,n,s){
let i=r=>new Map(r.map(l=>[l.name,l]));this.known.statistics=i(n),this.known.windows=i(s.filter(r=>r.window==="5m"));for(let r of this.known.
series.keys())this.known.statistics.has(r)||this.known.series.delete(r);for(let r of n){let l=this.known.series.get(r.name)??new ci;this.known.
series.set(r.name,l),l.add(t,r,this.known.windows.get(r.name))}}#d(t){let n=wn(this.known.period);return(n==="5m"?!this.#e:this.known.past===
null||this.#r%wu===0)?Yt(Ur(t,n),"history"):null}#p(t,n){let s=il(t,n);this.known.ahead=n-t.now,s.span==="5m"?this.known.series.get(t.name)?.
fill(s.points):this.known.past=s}#f(t){t!==null&&(this.known.events=ku(this.known.events??[],t))}#h(t){let n=t instanceof Error?t.message:String(
t);this.#l=0;let s=t instanceof pt?t.status:0;this.known.away={since:this.known.away?.since??Date.now(),reason:n,status:s}}};function ku(e,t){
let[n,s]=[e.at(-1),t[0]];return[...n===void 0||s===void 0||s.id>n.id?e:[],...t].slice(-xu)}var cl="forebay-theme",fi=["auto","light","dark"],ul=window.matchMedia("(prefers-color-scheme: dark)"),Mo=new Set;function hi(){let e=localStorage.
getItem(cl);return fi.find(t=>t===e)??"auto"}function dl(){let e=fi[(fi.indexOf(hi())+1)%fi.length]??"auto";localStorage.setItem(cl,e),$o()}
function pi(e){return Mo.add(e),()=>Mo.delete(e)}function fl(){ul.addEventListener("change",$o),$o()}function $o(){let e=hi(),t=ul.matches?"\
dark":"light";document.documentElement.dataset.theme=e==="auto"?t:e;for(let n of Mo)n()}function st(e){return getComputedStyle(document.documentElement).
getPropertyValue(`--${e}`).trim()}var Ao=["overview","sizing","requests","connect","settings"];function Ln(e,t="overview"){let n=`#/disk/${encodeURIComponent(e)}`;return t===
"overview"?n:`${n}/${t}`}function hl(e){let[,t="",n="",s=""]=e.replace(/^#/,"").split("/"),i=Ao.find(r=>r===s)??"overview";return t==="disk"&&
n!==""?{view:"disk",disk:_u(n),tab:i}:{view:t==="events"?"events":"host",disk:null,tab:i}}function _u(e){try{return decodeURIComponent(e)}catch{
return e}}var Po={good:"\u2713",busy:"\u2026",warning:"!",bad:"\u2715"},gi={info:"good",warning:"warning",error:"bad"},Su={serving:"good",attaching:"b\
usy",detaching:"busy",removing:"busy",waiting:"warning",stopped:"bad",failed:"bad",missing:"bad",used:"good",leaving:"busy"};function on(e){
return Su[e]??"warning"}var Tu={waiting:"It is served by itself as soon as it can be; put right what the reason names.",stopped:"It answers \
nothing but errors, so that no guest sees old data. See what it lost, and the log of the daemon.",failed:"It answers errors. Put right what \
the reason names, then restart Forebay."},mi=["good","busy","warning","bad"];function bi(e){return mi[Math.max(0,...e.map(t=>mi.indexOf(t)))]??
"good"}function Cs(e){let t=[],n=(u,f,p=null)=>t.push({tone:u,text:f,advice:p});if(on(e.state)!=="good"){let u=e.reason?`: ${e.reason}`:"";n(
on(e.state),`Disk ${e.name} is ${e.state}${u}`,Tu[e.state]??null)}let s=e.lost_bytes??0;s>0&&n("bad",`Flash lost ${F(s)} of ${e.name} before\
 its backing had it`,`forebay disk show ${e.name} --lost lists the ranges.`);let i=e.backing_state;if(i&&i.state!=="good"){let u=i.for_seconds===
null?"":` for ${Ot(i.for_seconds)}`;n("bad",`The backing of ${e.name} fails${u}${i.reason?`: ${i.reason}`:""}`,"Hits are answered; the rest \
waits for retry-time.")}e.quiet?.state==="failed"&&n("warning",`${e.name} could not be made quiet: ${e.quiet.reason??"no reason is known"}`,
null);let r=e.segments_uncopied??0;e.mirrored===!0&&r>0&&n("warning",`${ke(r)} segments of ${e.name} lack a second copy`,"They are being cop\
ied; until then one device has that data alone.");let l=e.dirty_bytes??0;return e.dirty_limit_bytes&&l>=e.dirty_limit_bytes*.9&&n("warning",
`Destage of ${e.name} is behind: ${F(l)} of at most ${F(e.dirty_limit_bytes)} is dirty`,"Writes are slowed down to what the backing takes."),
t.sort((u,f)=>mi.indexOf(f.tone)-mi.indexOf(u.tone))}function pl(e){let t=e.warnings.map(n=>({tone:"warning",text:n,advice:null}));return on(
e.state)!=="good"&&t.unshift({tone:"bad",text:`The pool is ${e.state}${e.reason?`: ${e.reason}`:""}`,advice:"Disks go on from their backings\
; what is dirty waits for the pool."}),e.page_cache_reason&&t.push({tone:"warning",text:`The pool goes through the page cache, because ${e.page_cache_reason}`,
advice:null}),t}function ml(e){if(e===null)return"";let t=e.used_percent===null?null:`${ye(e.used_percent/100)} of its life used`,n=e.days_left===
null?null:`${ke(e.days_left)} days left`,s=e.rated_bytes===null?"":`, rated for ${oi(e.rated_bytes)}`;return yn(t,n,`${oi(e.written_bytes)} \
written${s}`)}function gl(e){if(e===null)return"";let t=`${oi(e.bytes_per_day)} a day`,n=e.used_ratio===null?`at most ${t}`:`${ye(e.used_ratio)}\
 of ${t} written`,s=e.promoted_batches_ratio,i=s>=1?null:s>0?`${ye(s)} of batches of promotions let in`:"no promotions let in";return yn(n,i)}
var yi={read_hit_ram:"Read, RAM hit",read_hit_flash:"Read, flash hit",read_miss:"Read, miss",write:"Write",flush:"Flush",destage:"Destage"};
function Os(e){return e?`+ ${F(e)} of zeroes`:null}function bl(e){switch(e.quiet?.state){case"coming":return`Being made quiet: ${F(nt(e))} l\
eft to bring home`;case"quiet":return`Quiet for another ${Ot(e.quiet.seconds_left)}`;case"failed":return`Could not be made quiet: ${e.quiet.
reason??"no reason is known"}`;default:return null}}function yl(e){let{load:t}=e;if(!t)return"not known while the disk is not served";if(t.state===
"loading")return"being loaded; reads come from the backing meanwhile";if(t.state==="cold")return`nothing: ${t.reason??"no reason is known"}`;
let n=`${F(t.kept_bytes)} came back`;return t.dropped_bytes>0?`${n}, ${F(t.dropped_bytes)} may have changed and is not believed`:n}var Fs=[{
name:"mode",about:"What happens to reads and writes.",choices:["write-through","write-back","write-around","pass-through"]},{name:"block-siz\
e",about:"Unit of the index. A change drops what is cached of the disk.",choices:[4,8,16,32,64,128,256,512,1024].map(e=>F(e*1024))},{name:"r\
eserve",about:"Flash that the disk gets whatever the others do: auto, a size or a share such as 20%."},{name:"limit",about:"Flash that the d\
isk never exceeds: auto, a size or a share."},{name:"ram",about:"RAM in front of the flash, at least 1MiB."},{name:"admission",about:"What m\
ay enter flash: adaptive, adaptive:hits, always or repeated:N."},{name:"sequential-cutoff",about:"Misses of a sequential run longer than thi\
s go past the cache; 0 is off, auto leaves it to admission for reads."},{name:"dirty-limit",about:"Write-back: the most that flash may hold \
and the backing does not have."},{name:"destage-rate-min",about:"Write-back: destage never goes slower than so many bytes a second; 0 is non\
e."},{name:"destage-rate-max",about:"Write-back: destage never goes faster than so many bytes a second; 0 is no limit."},{name:"redundancy",
about:"Write-back: whether dirty data is kept on two devices of the pool.",choices:["mirror","none"]},{name:"unmarked",about:"Write-back whe\
re the backing cannot be marked: nothing then keeps another Forebay from serving it.",choices:["no","yes"]},{name:"retry-time",about:"How lo\
ng a request waits for a backing that fails or hangs, such as 25s, or wait."},{name:"sector-size",about:"Sector size that guests are shown f\
rom their next connection on.",choices:["auto","512","4096"]},{name:"socket-owner",about:"User who owns the sockets that guests connect to; \
auto is the daemon's."},{name:"socket-group",about:"Group of the sockets that guests connect to; auto is forebay if the host has it."},{name:"\
socket-mode",about:"Who may connect, as octal digits."}],Eu={"write-through":"Writes go to the backing first, then to the cache; the backing\
 is always complete.","write-back":"Writes are acknowledged when flash has them, and the backing gets them later. Until then the newest data\
 is on flash alone.","write-around":"Writes go to the backing only; what they replace in the cache is dropped.","pass-through":"Every reques\
t goes to the backing. Guests have no cache until the mode is changed back."};function wi(e,t){return[...Object.entries(t).map(([s,i])=>Mu(e,
s,i)).flat(),"Guests stay connected and go on meanwhile."]}function Mu(e,t,n){let s=F(e.statistics.cached_bytes);switch(t){case"mode":return[
Eu[n]??`The mode becomes ${n}.`,...$u(e,n)];case"block-size":return[`What is cached of the disk on flash (${s}) is dropped; it is read from \
the backing again.`];case"limit":return[`Flash that the disk holds above the new limit is evicted; it holds ${F(e.statistics.flash_bytes)} n\
ow.`];case"unmarked":return n==="yes"?["Nothing keeps another Forebay from serving this backing while flash has newer data. See to that your\
self."]:[];case"redundancy":return[n==="none"?"Dirty data is kept on one device only: if it fails, that data is lost.":"Dirty data is kept o\
n two devices, if the pool has them."];case"sector-size":return["Guests see it when they connect again. A guest that has partitions on the d\
isk does not find them in sectors of another size."];case"socket-owner":case"socket-group":case"socket-mode":return["Who may connect to the \
disk changes at once."];default:return[]}}function $u(e,t){return e.mode!=="write-back"||t==="write-back"||nt(e)===0?[]:[`${F(nt(e))} is dir\
ty; it is written to the backing while guests go on.`]}function wl(e){let t=nt(e);return[t>0?`${F(t)} is dirty and is written to the backing\
 first.`:"Nothing is dirty: the backing has everything.","The guest goes on meanwhile, and has its disk as it was before. What is cached of \
it is dropped."]}function vl(e){let t=nt(e),n=e.connections??0;return[t>0?`${F(t)} is dirty; it is written to the backing first. If that can\
not be, the disk stays.`:"Nothing is dirty: the backing has everything.",...n>0?[`${ke(n)} ${n===1?"client is":"clients are"} connected, so \
it is refused unless the box below is ticked.`]:[],...e.guest?["It was taken from a running guest. `forebay vm detach` gives it back to that\
 guest without errors."]:[],"What is cached of it is dropped. The content of the backing stays."]}function us(e,t){let n=nt(t),s=n>0?`${F(n)}\
 is dirty: flash has it and the backing does not.`:"Nothing is dirty: the backing has everything.";switch(e){case"destage":return[s,"Dirty d\
ata is written to the backing at full speed. Guests go on and may notice a busier backing."];case"normal":return[s,"Destage goes on at the p\
ace that suits guests."];case"quiesce":return[s,"It is brought home first. After that, writes wait for the backing, so that a backup or snap\
shot of the backing is complete.","This ends by itself after the time below, or when it is resumed."];case"resume":return["Writes may lie on\
 flash alone again, as the mode says."];case"evict":return[`${F(t.statistics.cached_bytes)} cached on flash and ${F(t.statistics.ram_bytes)}\
 in RAM are dropped, and no restart brings them back.`,n>0?`${F(n)} is dirty and is brought home first.`:"Nothing is dirty; nothing is lost.",
"Guests go on from the backing, slower, until the cache is warm again."]}}var Au=60,Pu=600,Du=300;function kl(e,t){let n=Ru.map(i=>{let r=()=>{let l=e();l&&tt(Ou(i.work(l),t))};return[i,c("button",{type:"button","d\
ata-action":i.name,onclick:r},i.label)]}),s=c("p",{class:"hint","data-figure":"quiet"});return{element:c("section",{class:"card","aria-label":"\
Actions"},c("h2",{},"Actions"),c("div",{class:"buttons buttons-start"},...n.map(([,i])=>i)),s),update(){let i=e();for(let[l,u]of n)u.disabled=
i===null||!l.isPossible(i);let r=i&&!Ns(i)?`Nothing can be done while the disk is ${i.state}.`:i?bl(i):null;q(s,r??""),J(s,r!==null)}}}var Ns=e=>e.
state==="serving",Do=e=>e.quiet?.state==="coming"||e.quiet?.state==="quiet",Ru=[{name:"destage",label:"Destage now\u2026",isPossible:Ns,work:e=>({
title:`Destage ${e.name} at full speed?`,sentences:us("destage",e),confirm:"Destage now",run:async()=>(await $e("POST",`${Ae(e.name)}/destag\
e`),`What is dirty of ${e.name} is on its way to the backing`)})},{name:"normal",label:"Destage at normal pace\u2026",isPossible:Ns,work:e=>({
title:`Let ${e.name} destage at its own pace?`,sentences:us("normal",e),confirm:"Normal pace",run:async()=>(await $e("DELETE",`${Ae(e.name)}\
/destage`),`${e.name} is destaged as it suits guests`)})},{name:"quiesce",label:"Quiesce\u2026",isPossible:e=>Ns(e)&&!Do(e),work:Lu},{name:"\
resume",label:"Resume\u2026",isPossible:Do,work:e=>({title:`Let ${e.name} go on as before?`,sentences:us("resume",e),confirm:"Resume",run:async()=>(await $e(
"POST",`${Ae(e.name)}/resume`),`${e.name} goes on as before`)})},{name:"evict",label:"Evict\u2026",isPossible:Ns,work:e=>({title:`Drop what \
is cached of ${e.name}?`,sentences:us("evict",e),confirm:"Evict",run:(t,n)=>Cu(e.name,t,n)})}];function Lu(e){let t=at(),n=c("input",{id:t,type:"\
number",min:1,max:86400,value:Pu,required:!0});return{title:`Hold ${e.name} without dirty data?`,sentences:us("quiesce",e),confirm:"Quiesce",
fields:c("div",{class:"field"},c("label",{for:t},"For so many seconds"),n),run:async()=>{let s=Number(n.value);return await $e("POST",`${Ae(
e.name)}/quiesce`,{seconds:s}),`${e.name} is being made quiet, then held so for ${Ot(s)}`}}}async function Cu(e,t,n){let s=Ae(e),i=await nn(
s,"disk");if(Do(i))await xl(e,t,n),await $e("POST",`${s}/evict`);else if(nt(i)>0){let l=(await $e("POST",`${s}/quiesce`,{seconds:Au})).disk.
quiet?.number;try{await xl(e,t,n),await $e("POST",`${s}/evict`)}finally{await $e("POST",`${s}/resume`,{number:l})}}else await $e("POST",`${s}\
/evict`);return`Nothing is cached of ${e} any more, and no restart brings it back`}async function xl(e,t,n){for(;;){if(n.aborted)throw new Error(
"Stopped; the disk is served as before");let s=await nn(Ae(e),"disk"),i=s.quiet?.state;if(i==="quiet")return;if(i!=="coming")throw new Error(
`Cannot bring home what is dirty: ${s.quiet?.reason??s.reason??"somebody resumed it"}. Nothing was dropped.`);t(`${F(nt(s))} left to bring h\
ome\u2026`),await new Promise(r=>window.setTimeout(r,Du))}}function Ou(e,t){return{...e,run:(n,s)=>e.run(n,s).finally(t)}}function Fu(e){let t=["verdict","latency"];return[...e.sentences.filter(s=>t.includes(s.about)),...e.warnings].map(s=>s.text)}var vi=class{element;#n=c(
"div",{class:"advice-text",role:"status"});#t=c("code",{});#o=c("p",{class:"hint"},"The same on the host: ",this.#t);#s=c("button",{type:"bu\
tton",class:"primary",onclick:()=>this.#u()},"Apply\u2026");#r;#l=null;#e=null;#i="";constructor(t){this.#r=t;let n=c("div",{class:"buttons \
buttons-start"},this.#s);this.element=c("section",{class:"card advice","aria-label":"Advice"},c("h2",{},"Advice"),this.#n,n,this.#o,c("p",{class:"\
hint"},"On the host, forebay advise says why, with all figures.")),this.element.hidden=!0}set(t,n){if(J(this.element,t!==null),this.#l=t,this.#e=
n,!t)return;let s=Fu(t);JSON.stringify(s)!==this.#i&&(this.#i=JSON.stringify(s),this.#n.replaceChildren(...s.map(i=>c("p",{},i)))),q(this.#t,
t.command??""),J(this.#o,t.command!==null),J(this.#s,Object.keys(t.keys??{}).length>0)}#u(){let{keys:t}=this.#l??{keys:{}},n=this.#e;if(!n||
Object.keys(t).length===0)return;let s=Object.entries(t).map(([i,r])=>c("li",{},c("code",{},i),`: ${n.settings[i]??""} \u2192 ${r}`));tt({title:`\
Apply the advice to ${n.name}?`,sentences:wi(n,t),confirm:"Apply",fields:c("ul",{class:"changes"},...s),run:async()=>(await $e("PATCH",Ae(n.
name),{settings:t}),this.#r(),`${n.name} now has ${Object.entries(t).map(([i,r])=>`${i}=${r}`).join(" ")}`)})}};var Nu="uplot",zu="u-hz",Hu="u-vt",Iu="u-title",Wu="u-wrap",Bu="u-under",Vu="u-over",qu="u-axis",Fn="u-off",Gu="u-select",Ku="u-cursor-x",ju="\
u-cursor-y",Uu="u-cursor-pt",Yu="u-legend",Ju="u-live",Qu="u-inline",Zu="u-series",Xu="u-marker",_l="u-label",ed="u-value",Hs="width",Is="he\
ight";var Sl="bottom",ds="left",Ro="right",Yo="#000",Tl=Yo+"0",Lo="mousemove",El="mousedown",Co="mouseup",Ml="mouseenter",$l="mouseleave",Al="dblc\
lick",td="resize",nd="scroll",Pl="change",Ti="dppxchange",Jo="--",ys=typeof window<"u",Ho=ys?document:null,hs=ys?window:null,sd=ys?navigator:
null,ce,xi;function Io(){let e=devicePixelRatio;ce!=e&&(ce=e,xi&&Bo(Pl,xi,Io),xi=matchMedia(`(min-resolution: ${ce-.001}dppx) and (max-resol\
ution: ${ce+.001}dppx)`),Nn(Pl,xi,Io),hs.dispatchEvent(new CustomEvent(Ti)))}function mt(e,t){if(t!=null){let n=e.classList;!n.contains(t)&&
n.add(t)}}function Wo(e,t){let n=e.classList;n.contains(t)&&n.remove(t)}function _e(e,t,n){e.style[t]=n+"px"}function Ft(e,t,n,s){let i=Ho.createElement(
e);return t!=null&&mt(i,t),n?.insertBefore(i,s),i}function Et(e,t){return Ft("div",e,t)}var Dl=new WeakMap;function Jt(e,t,n,s,i){let r="tra\
nslate("+t+"px,"+n+"px)",l=Dl.get(e);r!=l&&(e.style.transform=r,Dl.set(e,r),t<0||n<0||t>s||n>i?mt(e,Fn):Wo(e,Fn))}var Rl=new WeakMap;function Ll(e,t,n){
let s=t+n,i=Rl.get(e);s!=i&&(Rl.set(e,s),e.style.background=t,e.style.borderColor=n)}var Cl=new WeakMap;function Ol(e,t,n,s){let i=t+""+n,r=Cl.
get(e);i!=r&&(Cl.set(e,i),e.style.height=n+"px",e.style.width=t+"px",e.style.marginLeft=s?-t/2+"px":0,e.style.marginTop=s?-n/2+"px":0)}var Qo={
passive:!0},id={...Qo,capture:!0};function Nn(e,t,n,s){t.addEventListener(e,n,s?id:Qo)}function Bo(e,t,n,s){t.removeEventListener(e,n,Qo)}ys&&
Io();function Nt(e,t,n,s){let i;n=n||0,s=s||t.length-1;let r=s<=2147483647;for(;s-n>1;)i=r?n+s>>1:gt((n+s)/2),t[i]<e?n=i:s=i;return e-t[n]<=
t[s]-e?n:s}function ca(e){return(n,s,i)=>{let r=-1,l=-1;for(let u=s;u<=i;u++)if(e(n[u])){r=u;break}for(let u=i;u>=s;u--)if(e(n[u])){l=u;break}
return[r,l]}}var ua=e=>e!=null,da=e=>e!=null&&e>0,$i=ca(ua),od=ca(da);function rd(e,t,n,s=0,i=!1){let r=i?od:$i,l=i?da:ua;[t,n]=r(e,t,n);let u=e[t],
f=e[t];if(t>-1)if(s==1)u=e[t],f=e[n];else if(s==-1)u=e[n],f=e[t];else for(let p=t;p<=n;p++){let b=e[p];l(b)&&(b<u?u=b:b>f&&(f=b))}return[u??
me,f??-me]}function Ai(e,t,n,s){let i=zl(e),r=zl(t);e==t&&(i==-1?(e*=n,t/=n):(e/=n,t*=n));let l=n==10?rn:fa,u=i==1?gt:Mt,f=r==1?Mt:gt,p=u(l(
Ne(e))),b=f(l(Ne(t))),m=ps(n,p),y=ps(n,b);return n==10&&(p<0&&(m=ge(m,-p)),b<0&&(y=ge(y,-b))),s||n==2?(e=m*i,t=y*r):(e=ga(e,m),t=Pi(t,y)),[e,
t]}function Zo(e,t,n,s){let i=Ai(e,t,n,s);return e==0&&(i[0]=0),t==0&&(i[1]=0),i}var Xo=.1,Fl={mode:3,pad:Xo},Bs={pad:0,soft:null,mode:0},ld={
min:Bs,max:Bs};function Ei(e,t,n,s){return Di(n)?Nl(e,t,n):(Bs.pad=n,Bs.soft=s?0:null,Bs.mode=s?3:0,Nl(e,t,ld))}function le(e,t){return e??t}
function ad(e,t,n){for(t=le(t,0),n=le(n,e.length-1);t<=n;){if(e[t]!=null)return!0;t++}return!1}function Nl(e,t,n){let s=n.min,i=n.max,r=le(s.
pad,0),l=le(i.pad,0),u=le(s.hard,-me),f=le(i.hard,me),p=le(s.soft,me),b=le(i.soft,-me),m=le(s.mode,0),y=le(i.mode,0),E=t-e,_=rn(E),D=it(Ne(e),
Ne(t)),z=rn(D),B=Ne(z-_);(E<1e-24||B>10)&&(E=0,(e==0||t==0)&&(E=1e-24,m==2&&p!=me&&(r=0),y==2&&b!=-me&&(l=0)));let k=E||D||1e3,O=rn(k),T=ps(
10,gt(O)),Q=k*(E==0?e==0?.1:1:r),L=ge(ga(e-Q,T/10),24),X=e>=p&&(m==1||m==3&&L<=p||m==2&&L>=p)?p:me,U=it(u,L<X&&e>=X?X:zt(X,L)),ee=k*(E==0?t==
0?.1:1:l),j=ge(Pi(t+ee,T/10),24),M=t<=b&&(y==1||y==3&&j>=b||y==2&&j<=b)?b:-me,N=zt(f,j>M&&t<=M?M:it(M,j));return U==N&&U==0&&(N=100),[U,N]}var cd=new Intl.
NumberFormat(ys?sd.language:"en-US"),er=e=>cd.format(e),bt=Math,Si=bt.PI,Ne=bt.abs,gt=bt.floor,Fe=bt.round,Mt=bt.ceil,zt=bt.min,it=bt.max,ps=bt.
pow,zl=bt.sign,rn=bt.log10,fa=bt.log2,ud=(e,t=1)=>bt.sinh(e)*t,Oo=(e,t=1)=>bt.asinh(e/t),me=1/0;function Hl(e){return(rn((e^e>>31)-(e>>31))|
0)+1}function Vo(e,t,n){return zt(it(e,t),n)}function ha(e){return typeof e=="function"}function se(e){return ha(e)?e:()=>e}var dd=()=>{},pa=e=>e,
ma=(e,t)=>t,fd=e=>null,Il=e=>!0,Wl=(e,t)=>e==t,hd=/\.\d*?(?=9{6,}|0{6,})/gm,zn=e=>{if(ya(e)||xn.has(e))return e;let t=`${e}`,n=t.match(hd);if(n==
null)return e;let s=n[0].length-1;if(t.indexOf("e-")!=-1){let[i,r]=t.split("e");return+`${zn(i)}e${r}`}return ge(e,s)};function Cn(e,t){return zn(
ge(zn(e/t))*t)}function Pi(e,t){return zn(Mt(zn(e/t))*t)}function ga(e,t){return zn(gt(zn(e/t))*t)}function ge(e,t=0){if(ya(e))return e;let n=10**
t,s=e*n*(1+Number.EPSILON);return Fe(s)/n}var xn=new Map;function ba(e){return((""+e).split(".")[1]||"").length}function qs(e,t,n,s){let i=[],
r=s.map(ba);for(let l=t;l<n;l++){let u=Ne(l),f=ge(ps(e,l),u);for(let p=0;p<s.length;p++){let b=e==10?+`${s[p]}e${l}`:s[p]*f,m=(l>=0?0:u)+(l>=
r[p]?0:r[p]),y=e==10?b:ge(b,m);i.push(y),xn.set(y,m)}}return i}var Vs={},tr=[],ms=[null,null],vn=Array.isArray,ya=Number.isInteger,pd=e=>e===
void 0;function Bl(e){return typeof e=="string"}function Di(e){let t=!1;if(e!=null){let n=e.constructor;t=n==null||n==Object}return t}function md(e){
return e!=null&&typeof e=="object"}var gd=Object.getPrototypeOf(Uint8Array),wa="__proto__";function gs(e,t=Di){let n;if(vn(e)){let s=e.find(
i=>i!=null);if(vn(s)||t(s)){n=Array(e.length);for(let i=0;i<e.length;i++)n[i]=gs(e[i],t)}else n=e.slice()}else if(e instanceof gd)n=e.slice();else if(t(
e)){n={};for(let s in e)s!=wa&&(n[s]=gs(e[s],t))}else n=e;return n}function Le(e){let t=arguments;for(let n=1;n<t.length;n++){let s=t[n];for(let i in s)
i!=wa&&(Di(e[i])?Le(e[i],gs(s[i])):e[i]=gs(s[i]))}return e}var bd=0,yd=1,wd=2;function vd(e,t,n){for(let s=0,i,r=-1;s<t.length;s++){let l=t[s];
if(l>r){for(i=l-1;i>=0&&e[i]==null;)e[i--]=null;for(i=l+1;i<n&&e[i]==null;)e[r=i++]=null}}}function xd(e,t){if(Sd(e)){let l=e[0].slice();for(let u=1;u<
e.length;u++)l.push(...e[u].slice(1));return Td(l[0])||(l=_d(l)),l}let n=new Set;for(let l=0;l<e.length;l++){let f=e[l][0],p=f.length;for(let b=0;b<
p;b++)n.add(f[b])}let s=[Array.from(n).sort((l,u)=>l-u)],i=s[0].length,r=new Map;for(let l=0;l<i;l++)r.set(s[0][l],l);for(let l=0;l<e.length;l++){
let u=e[l],f=u[0];for(let p=1;p<u.length;p++){let b=u[p],m=Array(i).fill(void 0),y=t?t[l][p]:yd,E=[];for(let _=0;_<b.length;_++){let D=b[_],
z=r.get(f[_]);D===null?y!=bd&&(m[z]=D,y==wd&&E.push(z)):m[z]=D}vd(m,E,i),s.push(m)}}return s}var kd=typeof queueMicrotask>"u"?e=>Promise.resolve().
then(e):queueMicrotask;function _d(e){let t=e[0],n=t.length,s=Array(n);for(let r=0;r<s.length;r++)s[r]=r;s.sort((r,l)=>t[r]-t[l]);let i=[];for(let r=0;r<
e.length;r++){let l=e[r],u=Array(n);for(let f=0;f<n;f++)u[f]=l[s[f]];i.push(u)}return i}function Sd(e){let t=e[0][0],n=t.length;for(let s=1;s<
e.length;s++){let i=e[s][0];if(i.length!=n)return!1;if(i!=t){for(let r=0;r<n;r++)if(i[r]!=t[r])return!1}}return!0}function Td(e,t=100){let n=e.
length;if(n<=1)return!0;let s=0,i=n-1;for(;s<=i&&e[s]==null;)s++;for(;i>=s&&e[i]==null;)i--;if(i<=s)return!0;let r=it(1,gt((i-s+1)/t));for(let l=e[s],
u=s+r;u<=i;u+=r){let f=e[u];if(f!=null){if(f<=l)return!1;l=f}}return!0}var va=["January","February","March","April","May","June","July","Aug\
ust","September","October","November","December"],xa=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function ka(e){
return e.slice(0,3)}var Ed=xa.map(ka),Md=va.map(ka),$d={MMMM:va,MMM:Md,WWWW:xa,WWW:Ed};function zs(e){return(e<10?"0":"")+e}function Ad(e){return(e<
10?"00":e<100?"0":"")+e}var Pd={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.
getMonth()],MM:e=>zs(e.getMonth()+1),M:e=>e.getMonth()+1,DD:e=>zs(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.
WWW[e.getDay()],HH:e=>zs(e.getHours()),H:e=>e.getHours(),h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"A\
M",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>zs(e.getMinutes()),m:e=>e.getMinutes(),ss:e=>zs(e.getSeconds()),s:e=>e.
getSeconds(),fff:e=>Ad(e.getMilliseconds())};function nr(e,t){t=t||$d;let n=[],s=/\{([a-z]+)\}|[^{]+/gi,i;for(;i=s.exec(e);)n.push(i[0][0]==
"{"?Pd[i[1]]:i[0]);return r=>{let l="";for(let u=0;u<n.length;u++)l+=typeof n[u]=="string"?n[u]:n[u](r,t);return l}}var Dd=new Intl.DateTimeFormat().
resolvedOptions().timeZone;function Rd(e,t){let n;return t=="UTC"||t=="Etc/UTC"?n=new Date(+e+e.getTimezoneOffset()*6e4):t==Dd?n=e:(n=new Date(
e.toLocaleString("en-US",{timeZone:t})),n.setMilliseconds(e.getMilliseconds())),n}var _a=e=>e%1==0,Mi=[1,2,2.5,5],Ld=qs(10,-32,0,Mi),Sa=qs(10,
0,32,Mi),Cd=Sa.filter(_a),On=Ld.concat(Sa),sr=`
`,Ta="{YYYY}",Vl=sr+Ta,Ea="{M}/{D}",Ws=sr+Ea,ki=Ws+"/{YY}",Ma="{aa}",Od="{h}:{mm}",fs=Od+Ma,ql=sr+fs,Gl=":{ss}",de=null;function $a(e){let t=e*
1e3,n=t*60,s=n*60,i=s*24,r=i*30,l=i*365,f=(e==1?qs(10,0,3,Mi).filter(_a):qs(10,-3,0,Mi)).concat([t,t*5,t*10,t*15,t*30,n,n*5,n*10,n*15,n*30,s,
s*2,s*3,s*4,s*6,s*8,s*12,i,i*2,i*3,i*4,i*5,i*6,i*7,i*8,i*9,i*10,i*15,r,r*2,r*3,r*4,r*6,l,l*2,l*5,l*10,l*25,l*50,l*100]),p=[[l,Ta,de,de,de,de,
de,de,1],[i*28,"{MMM}",Vl,de,de,de,de,de,1],[i,Ea,Vl,de,de,de,de,de,1],[s,"{h}"+Ma,ki,de,Ws,de,de,de,1],[n,fs,ki,de,Ws,de,de,de,1],[t,Gl,ki+
" "+fs,de,Ws+" "+fs,de,ql,de,1],[e,Gl+".{fff}",ki+" "+fs,de,Ws+" "+fs,de,ql,de,1]];function b(m){return(y,E,_,D,z,B)=>{let k=[],O=z>=l,T=z>=
r&&z<l,Q=m(_),L=ge(Q*e,3),X=Fo(Q.getFullYear(),O?0:Q.getMonth(),T||O?1:Q.getDate()),U=ge(X*e,3);if(T||O){let ee=T?z/r:0,j=O?z/l:0,M=L==U?L:ge(
Fo(X.getFullYear()+j,X.getMonth()+ee,1)*e,3),N=new Date(Fe(M/e)),P=N.getFullYear(),G=N.getMonth();for(let W=0;M<=D;W++){let ie=Fo(P+j*W,G+ee*
W,1),V=ie-m(ge(ie*e,3));M=ge((+ie+V)*e,3),M<=D&&k.push(M)}}else{let ee=z>=i?i:z,j=gt(_)-gt(L),M=U+j+Pi(L-U,ee);k.push(M);let N=m(M),P=N.getHours()+
N.getMinutes()/n+N.getSeconds()/s,G=z/s,W=y.axes[E]._space,ie=B/W;for(;M=ge(M+z,e==1?0:3),!(M>D);)if(G>1){let V=gt(ge(P+G,6))%24,oe=m(M).getHours()-
V;oe>1&&(oe=-1),M-=oe*s,P=(P+G)%24;let fe=k[k.length-1];ge((M-fe)/z,3)*ie>=.7&&k.push(M)}else k.push(M)}return k}}return[f,p,b]}var[Fd,Nd,zd]=$a(
1),[Hd,Id,Wd]=$a(.001);qs(2,-53,53,[1]);function Kl(e,t){return e.map(n=>n.map((s,i)=>i==0||i==8||s==null?s:t(i==1||n[8]==0?s:n[1]+s)))}function jl(e,t){
return(n,s,i,r,l)=>{let u=t.find(_=>l>=_[0])||t[t.length-1],f,p,b,m,y,E;return s.map(_=>{let D=e(_),z=D.getFullYear(),B=D.getMonth(),k=D.getDate(),
O=D.getHours(),T=D.getMinutes(),Q=D.getSeconds(),L=z!=f&&u[2]||B!=p&&u[3]||k!=b&&u[4]||O!=m&&u[5]||T!=y&&u[6]||Q!=E&&u[7]||u[1];return f=z,p=
B,b=k,m=O,y=T,E=Q,L(D)})}}function Bd(e,t){let n=nr(t);return(s,i,r,l,u)=>i.map(f=>n(e(f)))}function Fo(e,t,n){return new Date(e,t,n)}function Ul(e,t){
return t(e)}var Vd="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function Yl(e,t){return(n,s,i,r)=>r==null?Jo:t(e(s))}function qd(e,t){let n=e.series[t];return n.
width?n.stroke(e,t):n.points.width?n.points.stroke(e,t):null}function Gd(e,t){return e.series[t].fill(e,t)}var Kd={show:!0,live:!0,isolate:!1,
mount:dd,markers:{show:!0,width:2,stroke:qd,fill:Gd,dash:"solid"},idx:null,idxs:null,values:[]};function jd(e,t){let n=e.cursor.points,s=Et(),
i=n.size(e,t);_e(s,Hs,i),_e(s,Is,i);let r=i/-2;_e(s,"marginLeft",r),_e(s,"marginTop",r);let l=n.width(e,t,i);return l&&_e(s,"borderWidth",l),
s}function Ud(e,t){let n=e.series[t].points;return n._fill||n._stroke}function Yd(e,t){let n=e.series[t].points;return n._stroke||n._fill}function Jd(e,t){
return e.series[t].points.size}var No=[0,0];function Qd(e,t,n){return No[0]=t,No[1]=n,No}function _i(e,t,n,s=!0){return i=>{i.button==0&&(!s||
i.target==t)&&n(i)}}function zo(e,t,n,s=!0){return i=>{(!s||i.target==t)&&n(i)}}var Zd={show:!0,x:!0,y:!0,lock:!1,move:Qd,points:{one:!1,show:jd,
size:Jd,width:0,stroke:Yd,fill:Ud},bind:{mousedown:_i,mouseup:_i,click:_i,dblclick:_i,mousemove:zo,mouseleave:zo,mouseenter:zo},drag:{setScale:!0,
x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(e,t,n,s,i)=>s-i,prox:-1,
bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},Aa={show:!0,stroke:"rgba(0,0,0,0\
.07)",width:2},ir=Le({},Aa,{filter:ma}),Pa=Le({},ir,{size:10}),Da=Le({},Aa,{show:!1}),or='12px system-ui, -apple-system, "Segoe UI", Roboto,\
 "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',Ra="bold "+
or,La=1.5,Jl={show:!0,scale:"x",stroke:Yo,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Ra,side:2,grid:ir,ticks:Pa,border:Da,
font:or,lineGap:La,rotate:0},Xd="Value",ef="Time",Ql={show:!0,scale:"x",auto:!1,sorted:1,min:me,max:-me,idxs:[]};function tf(e,t,n,s,i){return t.
map(r=>r==null?"":er(r))}function nf(e,t,n,s,i,r,l){let u=[],f=xn.get(i)||0;n=l?n:ge(Pi(n,i),f);for(let p=n;p<=s;p=ge(p+i,f))u.push(Object.is(
p,-0)?0:p);return u}function qo(e,t,n,s,i,r,l){let u=[],f=e.scales[e.axes[t].scale].log,p=f==10?rn:fa,b=gt(p(n));i=ps(f,b),f==10&&(i=On[Nt(i,
On)]);let m=n,y=i*f;f==10&&(y=On[Nt(y,On)]);do u.push(m),m=m+i,f==10&&!xn.has(m)&&(m=ge(m,xn.get(i))),m>=y&&(i=m,y=i*f,f==10&&(y=On[Nt(y,On)]));while(m<=
s);return u}function sf(e,t,n,s,i,r,l){let f=e.scales[e.axes[t].scale].asinh,p=s>f?qo(e,t,it(f,n),s,i):[f],b=s>=0&&n<=0?[0]:[];return(n<-f?qo(
e,t,it(f,-s),-n,i):[f]).reverse().map(y=>-y).concat(b,p)}var Ca=/./,of=/[12357]/,rf=/[125]/,Zl=/1/,Go=(e,t,n,s)=>e.map((i,r)=>t==4&&i==0||r%
s==0&&n.test(i.toExponential()[i<0?1:0])?i:null);function lf(e,t,n,s,i){let r=e.axes[n],l=r.scale,u=e.scales[l],f=e.valToPos,p=r._space,b=f(
10,l),m=f(9,l)-b>=p?Ca:f(7,l)-b>=p?of:f(5,l)-b>=p?rf:Zl;if(m==Zl){let y=Ne(f(1,l)-b);if(y<p)return Go(t.slice().reverse(),u.distr,m,Mt(p/y)).
reverse()}return Go(t,u.distr,m,1)}function af(e,t,n,s,i){let r=e.axes[n],l=r.scale,u=r._space,f=e.valToPos,p=Ne(f(1,l)-f(2,l));return p<u?Go(
t.slice().reverse(),3,Ca,Mt(u/p)).reverse():t}function cf(e,t,n,s){return s==null?Jo:t==null?"":er(t)}var Xl={show:!0,scale:"y",stroke:Yo,space:30,
gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Ra,side:3,grid:ir,ticks:Pa,border:Da,font:or,lineGap:La,rotate:0};function uf(e,t){
let n=3+(e||1)*2;return ge(n*t,3)}function df(e,t){let{scale:n,idxs:s}=e.series[0],i=e._data[0],r=e.valToPos(i[s[0]],n,!0),l=e.valToPos(i[s[1]],
n,!0),u=Ne(l-r),f=e.series[t],p=u/(f.points.space*ce);return s[1]-s[0]<=p}var ea={scale:null,auto:!0,sorted:0,min:me,max:-me},Oa=(e,t,n,s,i)=>i,
ta={show:!0,auto:!0,sorted:0,gaps:Oa,alpha:1,facets:[Le({},ea,{scale:"x"}),Le({},ea,{scale:"y"})]},na={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:Oa,alpha:1,points:{show:df,filter:null},values:null,min:me,max:-me,idxs:[],path:null,clip:null};function ff(e,t,n,s,i){return n/10}var Fa={
time:!0,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},hf=Le({},Fa,{time:!1,ori:1}),sa={};function Na(e,t){let n=sa[e];return n||
(n={key:e,plots:[],sub(s){n.plots.push(s)},unsub(s){n.plots=n.plots.filter(i=>i!=s)},pub(s,i,r,l,u,f,p){for(let b=0;b<n.plots.length;b++)n.plots[b]!=
i&&n.plots[b].pub(s,i,r,l,u,f,p)}},e!=null&&(sa[e]=n)),n}var bs=1,Ko=2;function Hn(e,t,n){let s=e.mode,i=e.series[t],r=s==2?e._data[t]:e._data,
l=e.scales,u=e.bbox,f=r[0],p=s==2?r[1]:r[t],b=s==2?l[i.facets[0].scale]:l[e.series[0].scale],m=s==2?l[i.facets[1].scale]:l[i.scale],y=u.left,
E=u.top,_=u.width,D=u.height,z=e.valToPosH,B=e.valToPosV;return b.ori==0?n(i,f,p,b,m,z,B,y,E,_,D,Li,ws,Oi,Ha,Wa):n(i,f,p,b,m,B,z,E,y,D,_,Ci,
vs,ar,Ia,Ba)}function rr(e,t){let n=0,s=0,i=le(e.bands,tr);for(let r=0;r<i.length;r++){let l=i[r];l.series[0]==t?n=l.dir:l.series[1]==t&&(l.
dir==1?s|=1:s|=2)}return[n,s==1?-1:s==2?1:s==3?2:0]}function pf(e,t,n,s,i){let r=e.mode,l=e.series[t],u=r==2?l.facets[1].scale:l.scale,f=e.scales[u];
return i==-1?f.min:i==1?f.max:f.distr==3?f.dir==1?f.min:f.max:0}function ln(e,t,n,s,i,r){return Hn(e,t,(l,u,f,p,b,m,y,E,_,D,z)=>{let B=l.pxRound,
k=p.dir*(p.ori==0?1:-1),O=p.ori==0?ws:vs,T,Q;k==1?(T=n,Q=s):(T=s,Q=n);let L=B(m(u[T],p,D,E)),X=B(y(f[T],b,z,_)),U=B(m(u[Q],p,D,E)),ee=B(y(r==
1?b.max:b.min,b,z,_)),j=new Path2D(i);return O(j,U,ee),O(j,L,ee),O(j,L,X),j})}function Ri(e,t,n,s,i,r){let l=null;if(e.length>0){l=new Path2D;
let u=t==0?Oi:ar,f=n;for(let m=0;m<e.length;m++){let y=e[m];if(y[1]>y[0]){let E=y[0]-f;E>0&&u(l,f,s,E,s+r),f=y[1]}}let p=n+i-f,b=10;p>0&&u(l,
f,s-b/2,p,s+r+b)}return l}function mf(e,t,n){let s=e[e.length-1];s&&s[0]==t?s[1]=n:e.push([t,n])}function lr(e,t,n,s,i,r,l){let u=[],f=e.length;
for(let p=i==1?n:s;p>=n&&p<=s;p+=i)if(t[p]===null){let m=p,y=p;if(i==1)for(;++p<=s&&t[p]===null;)y=p;else for(;--p>=n&&t[p]===null;)y=p;let E=r(
e[m]),_=y==m?E:r(e[y]),D=m-i;E=l<=0&&D>=0&&D<f?r(e[D]):E;let B=y+i;_=l>=0&&B>=0&&B<f?r(e[B]):_,_>=E&&u.push([E,_])}return u}function ia(e){return e==
0?pa:e==1?Fe:t=>Cn(t,e)}function za(e){let t=e==0?Li:Ci,n=e==0?(i,r,l,u,f,p)=>{i.arcTo(r,l,u,f,p)}:(i,r,l,u,f,p)=>{i.arcTo(l,r,f,u,p)},s=e==
0?(i,r,l,u,f)=>{i.rect(r,l,u,f)}:(i,r,l,u,f)=>{i.rect(l,r,f,u)};return(i,r,l,u,f,p=0,b=0)=>{p==0&&b==0?s(i,r,l,u,f):(p=zt(p,u/2,f/2),b=zt(b,
u/2,f/2),t(i,r+p,l),n(i,r+u,l,r+u,l+f,p),n(i,r+u,l+f,r,l+f,b),n(i,r,l+f,r,l,b),n(i,r,l,r+u,l,p),i.closePath())}}var Li=(e,t,n)=>{e.moveTo(t,
n)},Ci=(e,t,n)=>{e.moveTo(n,t)},ws=(e,t,n)=>{e.lineTo(t,n)},vs=(e,t,n)=>{e.lineTo(n,t)},Oi=za(0),ar=za(1),Ha=(e,t,n,s,i,r)=>{e.arc(t,n,s,i,r)},
Ia=(e,t,n,s,i,r)=>{e.arc(n,t,s,i,r)},Wa=(e,t,n,s,i,r,l)=>{e.bezierCurveTo(t,n,s,i,r,l)},Ba=(e,t,n,s,i,r,l)=>{e.bezierCurveTo(n,t,i,s,l,r)};function Va(e){
return(t,n,s,i,r)=>Hn(t,n,(l,u,f,p,b,m,y,E,_,D,z)=>{let{pxRound:B,points:k}=l,O,T;p.ori==0?(O=Li,T=Ha):(O=Ci,T=Ia);let Q=ge(k.width*ce,3),L=(k.
size-k.width)/2*ce,X=ge(L*2,3),U=new Path2D,ee=new Path2D,{left:j,top:M,width:N,height:P}=t.bbox;Oi(ee,j-X,M-X,N+X*2,P+X*2);let G=W=>{if(f[W]!=
null){let ie=B(m(u[W],p,D,E)),V=B(y(f[W],b,z,_));O(U,ie+L,V),T(U,ie,V,L,0,Si*2)}};if(r)r.forEach(G);else for(let W=s;W<=i;W++)G(W);return{stroke:Q>
0?U:null,fill:U,clip:ee,flags:bs|Ko}})}function qa(e){return(t,n,s,i,r,l)=>{s!=i&&(r!=s&&l!=s&&e(t,n,s),r!=i&&l!=i&&e(t,n,i),e(t,n,l))}}var gf=qa(
ws),bf=qa(vs);function Ga(e){let t=le(e?.alignGaps,0);return(n,s,i,r)=>Hn(n,s,(l,u,f,p,b,m,y,E,_,D,z)=>{[i,r]=$i(f,i,r);let B=l.pxRound,k=P=>B(
m(P,p,D,E)),O=P=>B(y(P,b,z,_)),T,Q;p.ori==0?(T=ws,Q=gf):(T=vs,Q=bf);let L=p.dir*(p.ori==0?1:-1),X={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:bs},U=X.stroke,ee=!1;if(r-i>=D*4){let P=H=>n.posToVal(H,p.key,!0),G=null,W=null,ie,V,ot,Se=k(u[L==1?i:r]),oe=k(u[i]),fe=k(u[r]),
te=P(L==1?oe+1:fe-1);for(let H=L==1?i:r;H>=i&&H<=r;H+=L){let Ce=u[H],Te=(L==1?Ce<te:Ce>te)?Se:k(Ce),ue=f[H];Te==Se?ue!=null?(V=ue,G==null?(T(
U,Te,O(V)),ie=G=W=V):V<G?G=V:V>W&&(W=V)):ue===null&&(ee=!0):(G!=null&&Q(U,Se,O(G),O(W),O(ie),O(V)),ue!=null?(V=ue,T(U,Te,O(V)),G=W=ie=V):(G=
W=null,ue===null&&(ee=!0)),Se=Te,te=P(Se+L))}G!=null&&G!=W&&ot!=Se&&Q(U,Se,O(G),O(W),O(ie),O(V))}else for(let P=L==1?i:r;P>=i&&P<=r;P+=L){let G=f[P];
G===null?ee=!0:G!=null&&T(U,k(u[P]),O(G))}let[M,N]=rr(n,s);if(l.fill!=null||M!=0){let P=X.fill=new Path2D(U),G=l.fillTo(n,s,l.min,l.max,M),W=O(
G),ie=k(u[i]),V=k(u[r]);L==-1&&([V,ie]=[ie,V]),T(P,V,W),T(P,ie,W)}if(!l.spanGaps){let P=[];ee&&P.push(...lr(u,f,i,r,L,k,t)),X.gaps=P=l.gaps(
n,s,i,r,P),X.clip=Ri(P,p.ori,E,_,D,z)}return N!=0&&(X.band=N==2?[ln(n,s,i,r,U,-1),ln(n,s,i,r,U,1)]:ln(n,s,i,r,U,N)),X})}function yf(e){let t=le(
e.align,1),n=le(e.ascDesc,!1),s=le(e.alignGaps,0),i=le(e.extend,!1);return(r,l,u,f)=>Hn(r,l,(p,b,m,y,E,_,D,z,B,k,O)=>{[u,f]=$i(m,u,f);let T=p.
pxRound,{left:Q,width:L}=r.bbox,X=oe=>T(_(oe,y,k,z)),U=oe=>T(D(oe,E,O,B)),ee=y.ori==0?ws:vs,j={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:bs},M=j.stroke,N=y.dir*(y.ori==0?1:-1),P=U(m[N==1?u:f]),G=X(b[N==1?u:f]),W=G,ie=G;i&&t==-1&&(ie=Q,ee(M,ie,P)),ee(M,G,P);for(let oe=N==
1?u:f;oe>=u&&oe<=f;oe+=N){let fe=m[oe];if(fe==null)continue;let te=X(b[oe]),H=U(fe);t==1?ee(M,te,P):ee(M,W,H),ee(M,te,H),P=H,W=te}let V=W;i&&
t==1&&(V=Q+L,ee(M,V,P));let[ot,Se]=rr(r,l);if(p.fill!=null||ot!=0){let oe=j.fill=new Path2D(M),fe=p.fillTo(r,l,p.min,p.max,ot),te=U(fe);ee(oe,
V,te),ee(oe,ie,te)}if(!p.spanGaps){let oe=[];oe.push(...lr(b,m,u,f,N,X,s));let fe=p.width*ce/2,te=n||t==1?fe:-fe,H=n||t==-1?-fe:fe;oe.forEach(
Ce=>{Ce[0]+=te,Ce[1]+=H}),j.gaps=oe=p.gaps(r,l,u,f,oe),j.clip=Ri(oe,y.ori,z,B,k,O)}return Se!=0&&(j.band=Se==2?[ln(r,l,u,f,M,-1),ln(r,l,u,f,
M,1)]:ln(r,l,u,f,M,Se)),j})}function oa(e,t,n,s,i,r,l=me){if(e.length>1){let u=null;for(let f=0,p=1/0;f<e.length;f++)if(t[f]!==void 0){if(u!=
null){let b=Ne(e[f]-e[u]);b<p&&(p=b,l=Ne(n(e[f],s,i,r)-n(e[u],s,i,r)))}u=f}}return l}function wf(e){e=e||Vs;let t=le(e.size,[.6,me,1]),n=e.align||
0,s=e.gap||0,i=e.radius;i=i==null?[0,0]:typeof i=="number"?[i,0]:i;let r=se(i),l=1-t[0],u=le(t[1],me),f=le(t[2],1),p=le(e.disp,Vs),b=le(e.each,
E=>{}),{fill:m,stroke:y}=p;return(E,_,D,z)=>Hn(E,_,(B,k,O,T,Q,L,X,U,ee,j,M)=>{let N=B.pxRound,P=n,G=s*ce,W=u*ce,ie=f*ce,V,ot;T.ori==0?[V,ot]=
r(E,_):[ot,V]=r(E,_);let Se=T.dir*(T.ori==0?1:-1),oe=T.ori==0?Oi:ar,fe=T.ori==0?b:(R,be,Oe,Gn,Sn,Bt,Tn)=>{b(R,be,Oe,Sn,Gn,Tn,Bt)},te=le(E.bands,
tr).find(R=>R.series[0]==_),H=te!=null?te.dir:0,Ce=B.fillTo(E,_,B.min,B.max,H),Je=N(X(Ce,Q,M,ee)),Te,ue,$t,ct=j,Me=N(B.width*ce),Wt=!1,Xt=null,
vt=null,dn=null,Bn=null;m!=null&&(Me==0||y!=null)&&(Wt=!0,Xt=m.values(E,_,D,z),vt=new Map,new Set(Xt).forEach(R=>{R!=null&&vt.set(R,new Path2D)}),
Me>0&&(dn=y.values(E,_,D,z),Bn=new Map,new Set(dn).forEach(R=>{R!=null&&Bn.set(R,new Path2D)})));let{x0:Vn,size:_s}=p;if(Vn!=null&&_s!=null){
P=1,k=Vn.values(E,_,D,z),Vn.unit==2&&(k=k.map(Oe=>E.posToVal(U+Oe*j,T.key,!0)));let R=_s.values(E,_,D,z);_s.unit==2?ue=R[0]*j:ue=L(R[0],T,j,
U)-L(0,T,j,U),ct=oa(k,O,L,T,j,U,ct),$t=ct-ue+G}else ct=oa(k,O,L,T,j,U,ct),$t=ct*l+G,ue=ct-$t;$t<1&&($t=0),Me>=ue/2&&(Me=0),$t<5&&(N=pa);let Us=$t>
0,kn=ct-$t-(Us?Me:0);ue=N(Vo(kn,ie,W)),Te=(P==0?ue/2:P==Se?0:ue)-P*Se*((P==0?G/2:0)+(Us?Me/2:0));let Qe={stroke:null,fill:null,clip:null,band:null,
gaps:null,flags:0},qn=Wt?null:new Path2D,en=null;if(te!=null)en=E.data[te.series[1]];else{let{y0:R,y1:be}=p;R!=null&&be!=null&&(O=be.values(
E,_,D,z),en=R.values(E,_,D,z))}let _n=V*ue,Z=ot*ue;for(let R=Se==1?D:z;R>=D&&R<=z;R+=Se){let be=O[R];if(be==null)continue;if(en!=null){let rt=en[R]??
0;if(be-rt==0)continue;Je=X(rt,Q,M,ee)}let Oe=T.distr!=2||p!=null?k[R]:R,Gn=L(Oe,T,j,U),Sn=X(le(be,Ce),Q,M,ee),Bt=N(Gn-Te),Tn=N(it(Sn,Je)),ut=N(
zt(Sn,Je)),xt=Tn-ut;if(be!=null){let rt=be<0?Z:_n,At=be<0?_n:Z;Wt?(Me>0&&dn[R]!=null&&oe(Bn.get(dn[R]),Bt,ut+gt(Me/2),ue,it(0,xt-Me),rt,At),
Xt[R]!=null&&oe(vt.get(Xt[R]),Bt,ut+gt(Me/2),ue,it(0,xt-Me),rt,At)):oe(qn,Bt,ut+gt(Me/2),ue,it(0,xt-Me),rt,At),fe(E,_,R,Bt-Me/2,ut,ue+Me,xt)}}
return Me>0?Qe.stroke=Wt?Bn:qn:Wt||(Qe._fill=B.width==0?B._fill:B._stroke??B._fill,Qe.width=0),Qe.fill=Wt?vt:qn,Qe})}function vf(e,t){let n=le(
t?.alignGaps,0);return(s,i,r,l)=>Hn(s,i,(u,f,p,b,m,y,E,_,D,z,B)=>{[r,l]=$i(p,r,l);let k=u.pxRound,O=V=>k(y(V,b,z,_)),T=V=>k(E(V,m,B,D)),Q,L,
X;b.ori==0?(Q=Li,X=ws,L=Wa):(Q=Ci,X=vs,L=Ba);let U=b.dir*(b.ori==0?1:-1),ee=O(f[U==1?r:l]),j=ee,M=[],N=[];for(let V=U==1?r:l;V>=r&&V<=l;V+=U)
if(p[V]!=null){let Se=f[V],oe=O(Se);M.push(j=oe),N.push(T(p[V]))}let P={stroke:e(M,N,Q,X,L,k),fill:null,clip:null,band:null,gaps:null,flags:bs},
G=P.stroke,[W,ie]=rr(s,i);if(u.fill!=null||W!=0){let V=P.fill=new Path2D(G),ot=u.fillTo(s,i,u.min,u.max,W),Se=T(ot);X(V,j,Se),X(V,ee,Se)}if(!u.
spanGaps){let V=[];V.push(...lr(f,p,r,l,U,O,n)),P.gaps=V=u.gaps(s,i,r,l,V),P.clip=Ri(V,b.ori,_,D,z,B)}return ie!=0&&(P.band=ie==2?[ln(s,i,r,
l,G,-1),ln(s,i,r,l,G,1)]:ln(s,i,r,l,G,ie)),P})}function xf(e){return vf(kf,e)}function kf(e,t,n,s,i,r){let l=e.length;if(l<2)return null;let u=new Path2D;
if(n(u,e[0],t[0]),l==2)s(u,e[1],t[1]);else{let f=Array(l),p=Array(l-1),b=Array(l-1),m=Array(l-1);for(let y=0;y<l-1;y++)b[y]=t[y+1]-t[y],m[y]=
e[y+1]-e[y],p[y]=b[y]/m[y];f[0]=p[0];for(let y=1;y<l-1;y++)p[y]===0||p[y-1]===0||p[y-1]>0!=p[y]>0?f[y]=0:(f[y]=3*(m[y-1]+m[y])/((2*m[y]+m[y-
1])/p[y-1]+(m[y]+2*m[y-1])/p[y]),isFinite(f[y])||(f[y]=0));f[l-1]=p[l-2];for(let y=0;y<l-1;y++)i(u,e[y]+m[y]/3,t[y]+f[y]*m[y]/3,e[y+1]-m[y]/
3,t[y+1]-f[y+1]*m[y]/3,e[y+1],t[y+1])}return u}var jo=new Set;function ra(){for(let e of jo)e.syncRect(!0)}ys&&(Nn(td,hs,ra),Nn(nd,hs,ra,!0),
Nn(Ti,hs,()=>{ze.pxRatio=ce}));var _f=Ga(),Sf=Va();function la(e,t,n,s){return(s?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map(
(r,l)=>Uo(r,l,t,n))}function Tf(e,t){return e.map((n,s)=>s==0?{}:Le({},t,n))}function Uo(e,t,n,s){return Le({},t==0?n:s,e)}function Ka(e,t,n){
return t==null?ms:[t,n]}var Ef=Ka;function Mf(e,t,n){return t==null?ms:Ei(t,n,Xo,!0)}function ja(e,t,n,s){return t==null?ms:Ai(t,n,e.scales[s].
log,!1)}var $f=ja;function Ua(e,t,n,s){return t==null?ms:Zo(t,n,e.scales[s].log,!1)}var Af=Ua;function Pf(e,t,n,s,i){let r=it(Hl(e),Hl(t)),l=t-
e,u=Nt(i/s*l,n);do{let f=n[u],p=s*f/l;if(p>=i&&r+(f<5?xn.get(f):0)<=17)return[f,p]}while(++u<n.length);return[0,0]}function aa(e){let t,n;return e=
e.replace(/(\d+)px/,(s,i)=>(t=Fe((n=+i)*ce))+"px"),[e,t,n]}function Df(e){e.show&&[e.font,e.labelFont].forEach(t=>{let n=ge(t[2]*ce,1);t[0]=
t[0].replace(/[0-9.]+px/,n+"px"),t[1]=n})}function ze(e,t,n){let s={mode:le(e.mode,1)},i=s.mode;function r(o,a,d,h){let g=a.valToPct(o);return h+
d*(a.dir==-1?1-g:g)}function l(o,a,d,h){let g=a.valToPct(o);return h+d*(a.dir==-1?g:1-g)}function u(o,a,d,h){return a.ori==0?r(o,a,d,h):l(o,
a,d,h)}s.valToPosH=r,s.valToPosV=l;let f=!1;s.status=0;let p=s.root=Et(Nu);if(e.id!=null&&(p.id=e.id),mt(p,e.class),e.title){let o=Et(Iu,p);
o.textContent=e.title}let b=Ft("canvas"),m=s.ctx=b.getContext("2d"),y=Et(Wu,p);Nn("click",y,o=>{o.target===_&&(we!=ns||Ee!=ss)&&Ke.click(s,o)},
!0);let E=s.under=Et(Bu,y);y.appendChild(b);let _=s.over=Et(Vu,y);e=gs(e);let D=+le(e.pxAlign,1),z=ia(D);(e.plugins||[]).forEach(o=>{o.opts&&
(e=o.opts(s,e)||e)});let B=e.ms||.001,k=s.series=i==1?la(e.series||[],Ql,na,!1):Tf(e.series||[null],ta),O=s.axes=la(e.axes||[],Jl,Xl,!0),T=s.
scales={},Q=s.bands=e.bands||[];Q.forEach(o=>{o.fill=se(o.fill||null),o.dir=le(o.dir,-1)});let L=i==2?k[1].facets[0].scale:k[0].scale,X={axes:Vc,
series:zc},U=(e.drawOrder||["axes","series"]).map(o=>X[o]);function ee(o){let a=o.distr==3?d=>rn(d>0?d:o.clamp(s,d,o.min,o.max,o.key)):o.distr==
4?d=>Oo(d,o.asinh):o.distr==100?d=>o.fwd(d):d=>d;return d=>{let h=a(d),{_min:g,_max:w}=o,v=w-g;return(h-g)/v}}function j(o){let a=T[o];if(a==
null){let d=(e.scales||Vs)[o]||Vs;if(d.from!=null){j(d.from);let h=Le({},T[d.from],d,{key:o});h.valToPct=ee(h),T[o]=h}else{a=T[o]=Le({},o==L?
Fa:hf,d),a.key=o;let h=a.time,g=a.range,w=vn(g);if((o!=L||i==2&&!h)&&(w&&(g[0]==null||g[1]==null)&&(g={min:g[0]==null?Fl:{mode:1,hard:g[0],soft:g[0]},
max:g[1]==null?Fl:{mode:1,hard:g[1],soft:g[1]}},w=!1),!w&&Di(g))){let v=g;g=(x,S,$)=>S==null?ms:Ei(S,$,v)}a.range=se(g||(h?Ef:o==L?a.distr==
3?$f:a.distr==4?Af:Ka:a.distr==3?ja:a.distr==4?Ua:Mf)),a.auto=se(w?!1:a.auto),a.clamp=se(a.clamp||ff),a._min=a._max=null,a.valToPct=ee(a)}}}
j("x"),j("y"),i==1&&k.forEach(o=>{j(o.scale)}),O.forEach(o=>{j(o.scale)});for(let o in e.scales)j(o);let M=T[L],N=M.distr,P,G;M.ori==0?(mt(p,
zu),P=r,G=l):(mt(p,Hu),P=l,G=r);let W={};for(let o in T){let a=T[o];(a.min!=null||a.max!=null)&&(W[o]={min:a.min,max:a.max},a.min=a.max=null)}
let ie=e.tzDate||(o=>new Date(Fe(o/B))),V=e.fmtDate||nr,ot=B==1?zd(ie):Wd(ie),Se=jl(ie,Kl(B==1?Nd:Id,V)),oe=Yl(ie,Ul(Vd,V)),fe=[],te=s.legend=
Le({},Kd,e.legend),H=s.cursor=Le({},Zd,{drag:{y:i==2}},e.cursor),Ce=te.show,Je=H.show,Te=te.markers;te.idxs=fe,Te.width=se(Te.width),Te.dash=
se(Te.dash),Te.stroke=se(Te.stroke),Te.fill=se(Te.fill);let ue,$t,ct,Me=[],Wt=[],Xt,vt=!1,dn={};if(te.live){let o=k[1]?k[1].values:null;vt=o!=
null,Xt=vt?o(s,1,0):{_:0};for(let a in Xt)dn[a]=Jo}if(Ce)if(ue=Ft("table",Yu,p),ct=Ft("tbody",null,ue),te.mount(s,ue),vt){$t=Ft("thead",null,
ue,ct);let o=Ft("tr",null,$t);Ft("th",null,o);for(var Bn in Xt)Ft("th",_l,o).textContent=Bn}else mt(ue,Qu),te.live&&mt(ue,Ju);let Vn={show:!0},
_s={show:!1};function Us(o,a){if(a==0&&(vt||!te.live||i==2))return ms;let d=[],h=Ft("tr",Zu,ct,ct.childNodes[a]);mt(h,o.class),o.show||mt(h,
Fn);let g=Ft("th",null,h);if(Te.show){let x=Et(Xu,g);if(a>0){let S=Te.width(s,a);S&&(x.style.border=S+"px "+Te.dash(s,a)+" "+Te.stroke(s,a)),
x.style.background=Te.fill(s,a)}}let w=Et(_l,g);o.label instanceof HTMLElement?w.appendChild(o.label):w.textContent=o.label,a>0&&(Te.show||(w.
style.color=o.width>0?Te.stroke(s,a):Te.fill(s,a)),Qe("click",g,x=>{if(H._lock)return;Mn(x);let S=k.indexOf(o);if((x.ctrlKey||x.metaKey)!=te.
isolate){let $=k.some((A,C)=>C>0&&C!=S&&A.show);k.forEach((A,C)=>{C>0&&qt(C,$?C==S?Vn:_s:Vn,!0,Re.setSeries)})}else qt(S,{show:!o.show},!0,Re.
setSeries)},!1),jn&&Qe(Ml,g,x=>{H._lock||(Mn(x),qt(k.indexOf(o),os,!0,Re.setSeries))},!1));for(var v in Xt){let x=Ft("td",ed,h);x.textContent=
"--",d.push(x)}return[h,d]}let kn=new Map;function Qe(o,a,d,h=!0){let g=kn.get(a)||{},w=H.bind[o](s,a,d,h);w&&(Nn(o,a,g[o]=w),kn.set(a,g))}function qn(o,a,d){
let h=kn.get(a)||{};for(let g in h)(o==null||g==o)&&(Bo(g,a,h[g]),delete h[g]);o==null&&kn.delete(a)}let en=0,_n=0,Z=0,R=0,be=0,Oe=0,Gn=be,Sn=Oe,
Bt=Z,Tn=R,ut=0,xt=0,rt=0,At=0;s.bbox={};let Gi=!1,Ys=!1,Kn=!1,En=!1,Js=!1,kt=!1;function Ki(o,a,d){(d||o!=s.width||a!=s.height)&&mr(o,a),Zn(
!1),Kn=!0,Ys=!0,Xn()}function mr(o,a){s.width=en=Z=o,s.height=_n=R=a,be=Oe=0,Dc(),Rc();let d=s.bbox;ut=d.left=Cn(be*ce,.5),xt=d.top=Cn(Oe*ce,
.5),rt=d.width=Cn(Z*ce,.5),At=d.height=Cn(R*ce,.5)}let $c=3;function Ac(){let o=!1,a=0;for(;!o;){a++;let d=Wc(a),h=Bc(a);o=a==$c||d&&h,o||(mr(
s.width,s.height),Ys=!0)}}function Pc({width:o,height:a}){Ki(o,a)}s.setSize=Pc;function Dc(){let o=!1,a=!1,d=!1,h=!1;O.forEach((g,w)=>{if(g.
show&&g._show){let{side:v,_size:x}=g,S=v%2,$=g.label!=null?g.labelSize:0,A=x+$;A>0&&(S?(Z-=A,v==3?(be+=A,h=!0):d=!0):(R-=A,v==0?(Oe+=A,o=!0):
a=!0))}}),$n[0]=o,$n[1]=d,$n[2]=a,$n[3]=h,Z-=fn[1]+fn[3],be+=fn[3],R-=fn[2]+fn[0],Oe+=fn[0]}function Rc(){let o=be+Z,a=Oe+R,d=be,h=Oe;function g(w,v){
switch(w){case 1:return o+=v,o-v;case 2:return a+=v,a-v;case 3:return d-=v,d+v;case 0:return h-=v,h+v}}O.forEach((w,v)=>{if(w.show&&w._show){
let x=w.side;w._pos=g(x,w._size),w.label!=null&&(w._lpos=g(x,w.labelSize))}})}if(H.dataIdx==null){let o=H.hover,a=o.skip=new Set(o.skip??[]);
a.add(void 0);let d=o.prox=se(o.prox),h=o.bias??=0;H.dataIdx=(g,w,v,x)=>{if(w==0)return v;let S=v,$=d(g,w,v,x)??me,A=$>=0&&$<me,C=M.ori==0?Z:
R,Y=H.left,ae=t[0],re=t[w];if(a.has(re[v])){S=null;let ne=null,K=null,I;if(h==0||h==-1)for(I=v;ne==null&&I-- >0;)a.has(re[I])||(ne=I);if(h==
0||h==1)for(I=v;K==null&&I++<re.length;)a.has(re[I])||(K=I);if(ne!=null||K!=null)if(A){let xe=ne==null?-1/0:P(ae[ne],M,C,0),Pe=K==null?1/0:P(
ae[K],M,C,0),qe=Y-xe,he=Pe-Y;qe<=he?qe<=$&&(S=ne):he<=$&&(S=K)}else S=K==null?ne:ne==null?K:v-ne<=K-v?ne:K}else A&&Ne(Y-P(ae[v],M,C,0))>$&&(S=
null);return S}}let Mn=o=>{H.event=o};H.idxs=fe,H._lock=!1;let Ue=H.points;Ue.show=se(Ue.show),Ue.size=se(Ue.size),Ue.stroke=se(Ue.stroke),Ue.
width=se(Ue.width),Ue.fill=se(Ue.fill);let Vt=s.focus=Le({},e.focus||{alpha:.3},H.focus),jn=Vt.prox>=0,Un=jn&&Ue.one,_t=[],Yn=[],Jn=[];function gr(o,a){
let d=Ue.show(s,a);if(d instanceof HTMLElement)return mt(d,Uu),mt(d,o.class),Jt(d,-10,-10,Z,R),_.insertBefore(d,_t[a]),d}function br(o,a){if(i==
1||a>0){let d=i==1&&T[o.scale].time,h=o.value;o.value=d?Bl(h)?Yl(ie,Ul(h,V)):h||oe:h||cf,o.label=o.label||(d?ef:Xd)}if(Un||a>0){o.width=o.width==
null?1:o.width,o.paths=o.paths||_f||fd,o.fillTo=se(o.fillTo||pf),o.pxAlign=+le(o.pxAlign,D),o.pxRound=ia(o.pxAlign),o.stroke=se(o.stroke||null),
o.fill=se(o.fill||null),o._stroke=o._fill=o._paths=o._focus=null;let d=uf(it(1,o.width),1),h=o.points=Le({},{size:d,width:it(1,d*.2),stroke:o.
stroke,space:d*2,paths:Sf,_stroke:null,_fill:null},o.points);h.show=se(h.show),h.filter=se(h.filter),h.fill=se(h.fill),h.stroke=se(h.stroke),
h.paths=se(h.paths),h.pxAlign=o.pxAlign}if(Ce){let d=Us(o,a);Me.splice(a,0,d[0]),Wt.splice(a,0,d[1]),te.values.push(null)}if(Je){fe.splice(a,
0,null);let d=null;Un?a==0&&(d=gr(o,a)):a>0&&(d=gr(o,a)),_t.splice(a,0,d),Yn.splice(a,0,0),Jn.splice(a,0,0)}Ve("addSeries",a)}function Lc(o,a){
a=a??k.length,o=i==1?Uo(o,a,Ql,na):Uo(o,a,{},ta),k.splice(a,0,o),br(k[a],a)}s.addSeries=Lc;function Cc(o){if(k.splice(o,1),Ce){te.values.splice(
o,1),Wt.splice(o,1);let a=Me.splice(o,1)[0];qn(null,a.firstChild),a.remove()}Je&&(fe.splice(o,1),_t.splice(o,1)[0].remove(),Yn.splice(o,1),Jn.
splice(o,1)),Ve("delSeries",o)}s.delSeries=Cc;let $n=[!1,!1,!1,!1];function Oc(o,a){if(o._show=o.show,o.show){let d=o.side%2,h=T[o.scale];h==
null&&(o.scale=d?k[1].scale:L,h=T[o.scale]);let g=h.time;o.size=se(o.size),o.space=se(o.space),o.rotate=se(o.rotate),vn(o.incrs)&&o.incrs.forEach(
v=>{!xn.has(v)&&xn.set(v,ba(v))}),o.incrs=se(o.incrs||(h.distr==2?Cd:g?B==1?Fd:Hd:On)),o.splits=se(o.splits||(g&&h.distr==1?ot:h.distr==3?qo:
h.distr==4?sf:nf)),o.stroke=se(o.stroke),o.grid.stroke=se(o.grid.stroke),o.ticks.stroke=se(o.ticks.stroke),o.border.stroke=se(o.border.stroke);
let w=o.values;o.values=vn(w)&&!vn(w[0])?se(w):g?vn(w)?jl(ie,Kl(w,V)):Bl(w)?Bd(ie,w):w||Se:w||tf,o.filter=se(o.filter||(h.distr>=3&&h.log==10?
lf:h.distr==3&&h.log==2?af:ma)),o.font=aa(o.font),o.labelFont=aa(o.labelFont),o._size=o.size(s,null,a,0),o._space=o._rotate=o._incrs=o._found=
o._splits=o._values=null,o._size>0&&($n[a]=!0,o._el=Et(qu,y))}}function Ss(o,a,d,h){let[g,w,v,x]=d,S=a%2,$=0;return S==0&&(x||w)&&($=a==0&&!g||
a==2&&!v?Fe(Jl.size/3):0),S==1&&(g||v)&&($=a==1&&!w||a==3&&!x?Fe(Xl.size/2):0),$}let yr=s.padding=(e.padding||[Ss,Ss,Ss,Ss]).map(o=>se(le(o,
Ss))),fn=s._padding=yr.map((o,a)=>o(s,a,$n,0)),Ge,He=null,Ie=null,Qs=i==1?k[0].idxs:null,Pt=null,Ts=!1;function wr(o,a){if(t=o??[],s.data=s.
_data=t,i==2){Ge=0;for(let d=1;d<k.length;d++)Ge+=t[d][0].length}else{t.length==0&&(s.data=s._data=t=[[]]),Pt=t[0],Ge=Pt.length;let d=t;if(N==
2){d=t.slice();let h=d[0]=Array(Ge);for(let g=0;g<Ge;g++)h[g]=g}s._data=t=d}if(Zn(!0),Ve("setData"),N==2&&(Kn=!0),a!==!1){let d=M;d.auto(s,Ts)?
ji():pn(L,d.min,d.max),En=En||H.left>=0,kt=!0,Xn()}}s.setData=wr;function ji(){Ts=!0;let o,a;i==1&&(Ge>0?(He=Qs[0]=0,Ie=Qs[1]=Ge-1,o=t[0][He],
a=t[0][Ie],N==2?(o=He,a=Ie):o==a&&(N==3?[o,a]=Ai(o,o,M.log,!1):N==4?[o,a]=Zo(o,o,M.log,!1):M.time?a=o+Fe(86400/B):[o,a]=Ei(o,a,Xo,!0))):(He=
Qs[0]=o=null,Ie=Qs[1]=a=null)),pn(L,o,a)}let Zs,Qn,Ui,Yi,Ji,Qi,Zi,Xi,eo,lt;function vr(o,a,d,h,g,w){o??=Tl,d??=tr,h??="butt",g??=Tl,w??="rou\
nd",o!=Zs&&(m.strokeStyle=Zs=o),g!=Qn&&(m.fillStyle=Qn=g),a!=Ui&&(m.lineWidth=Ui=a),w!=Ji&&(m.lineJoin=Ji=w),h!=Qi&&(m.lineCap=Qi=h),d!=Yi&&
m.setLineDash(Yi=d)}function xr(o,a,d,h){a!=Qn&&(m.fillStyle=Qn=a),o!=Zi&&(m.font=Zi=o),d!=Xi&&(m.textAlign=Xi=d),h!=eo&&(m.textBaseline=eo=
h)}function to(o,a,d,h,g=0){if(h.length>0&&o.auto(s,Ts)&&(a==null||a.min==null)){let w=le(He,0),v=le(Ie,h.length-1),x=d.min==null?rd(h,w,v,g,
o.distr==3):[d.min,d.max];o.min=zt(o.min,d.min=x[0]),o.max=it(o.max,d.max=x[1])}}let kr={min:null,max:null};function Fc(){for(let h in T){let g=T[h];
W[h]==null&&(g.min==null||W[L]!=null&&g.auto(s,Ts))&&(W[h]=kr)}for(let h in T){let g=T[h];W[h]==null&&g.from!=null&&W[g.from]!=null&&(W[h]=kr)}
W[L]!=null&&Zn(!0);let o={};for(let h in W){let g=W[h];if(g!=null){let w=o[h]=gs(T[h],md);if(g.min!=null)Le(w,g);else if(h!=L||i==2)if(Ge==0&&
w.from==null){let v=w.range(s,null,null,h);w.min=v[0],w.max=v[1]}else w.min=me,w.max=-me}}if(Ge>0){k.forEach((h,g)=>{if(i==1){let w=h.scale,
v=W[w];if(v==null)return;let x=o[w];if(g==0){let S=x.range(s,x.min,x.max,w);x.min=S[0],x.max=S[1],He=Nt(x.min,t[0]),Ie=Nt(x.max,t[0]),Ie-He>
1&&(t[0][He]<x.min&&He++,t[0][Ie]>x.max&&Ie--),h.min=Pt[He],h.max=Pt[Ie]}else h.show&&h.auto&&to(x,v,h,t[g],h.sorted);h.idxs[0]=He,h.idxs[1]=
Ie}else if(g>0&&h.show&&h.auto){let[w,v]=h.facets,x=w.scale,S=v.scale,[$,A]=t[g],C=o[x],Y=o[S];C!=null&&to(C,W[x],w,$,w.sorted),Y!=null&&to(
Y,W[S],v,A,v.sorted),h.min=v.min,h.max=v.max}});for(let h in o){let g=o[h],w=W[h];if(g.from==null&&(w==null||w.min==null)){let v=g.range(s,g.
min==me?null:g.min,g.max==-me?null:g.max,h);g.min=v[0],g.max=v[1]}}}for(let h in o){let g=o[h];if(g.from!=null){let w=o[g.from];if(w.min==null)
g.min=g.max=null;else{let v=g.range(s,w.min,w.max,h);g.min=v[0],g.max=v[1]}}}let a={},d=!1;for(let h in o){let g=o[h],w=T[h];if(w.min!=g.min||
w.max!=g.max){w.min=g.min,w.max=g.max;let v=w.distr;w._min=v==3?rn(w.min):v==4?Oo(w.min,w.asinh):v==100?w.fwd(w.min):w.min,w._max=v==3?rn(w.
max):v==4?Oo(w.max,w.asinh):v==100?w.fwd(w.max):w.max,a[h]=d=!0}}if(d){k.forEach((h,g)=>{i==2?g>0&&a.y&&(h._paths=null):a[h.scale]&&(h._paths=
null)});for(let h in a)Kn=!0,Ve("setScale",h);Je&&H.left>=0&&(En=kt=!0)}for(let h in W)W[h]=null}function Nc(o){let a=Vo(He-1,0,Ge-1),d=Vo(Ie+
1,0,Ge-1);for(;o[a]==null&&a>0;)a--;for(;o[d]==null&&d<Ge-1;)d++;return[a,d]}function zc(){if(Ge>0){let o=k.some(a=>a._focus)&&lt!=Vt.alpha;
o&&(m.globalAlpha=lt=Vt.alpha),k.forEach((a,d)=>{if(d>0&&a.show&&(_r(d,!1),_r(d,!0),a._paths==null)){let h=lt;lt!=a.alpha&&(m.globalAlpha=lt=
a.alpha);let g=i==2?[0,t[d][0].length-1]:Nc(t[d]);a._paths=a.paths(s,d,g[0],g[1]),lt!=h&&(m.globalAlpha=lt=h)}}),k.forEach((a,d)=>{if(d>0&&a.
show){let h=lt;lt!=a.alpha&&(m.globalAlpha=lt=a.alpha),a._paths!=null&&Sr(d,!1);{let g=a._paths!=null?a._paths.gaps:null,w=a.points.show(s,d,
He,Ie,g),v=a.points.filter(s,d,w,g);(w||v)&&(a.points._paths=a.points.paths(s,d,He,Ie,v),Sr(d,!0))}lt!=h&&(m.globalAlpha=lt=h),Ve("drawSerie\
s",d)}}),o&&(m.globalAlpha=lt=1)}}function _r(o,a){let d=a?k[o].points:k[o];d._stroke=d.stroke(s,o),d._fill=d.fill(s,o)}function Sr(o,a){let d=a?
k[o].points:k[o],{stroke:h,fill:g,clip:w,flags:v,_stroke:x=d._stroke,_fill:S=d._fill,_width:$=d.width}=d._paths;$=ge($*ce,3);let A=null,C=$%
2/2;a&&S==null&&(S=$>0?"#fff":x);let Y=d.pxAlign==1&&C>0;if(Y&&m.translate(C,C),!a){let ae=ut-$/2,re=xt-$/2,ne=rt+$,K=At+$;A=new Path2D,A.rect(
ae,re,ne,K)}a?no(x,$,d.dash,d.cap,S,h,g,v,w):Hc(o,x,$,d.dash,d.cap,S,h,g,v,A,w),Y&&m.translate(-C,-C)}function Hc(o,a,d,h,g,w,v,x,S,$,A){let C=!1;
S!=0&&Q.forEach((Y,ae)=>{if(Y.series[0]==o){let re=k[Y.series[1]],ne=t[Y.series[1]],K=(re._paths||Vs).band;vn(K)&&(K=Y.dir==1?K[0]:K[1]);let I,
xe=null;re.show&&K&&ad(ne,He,Ie)?(xe=Y.fill(s,ae)||w,I=re._paths.clip):K=null,no(a,d,h,g,xe,v,x,S,$,A,I,K),C=!0}}),C||no(a,d,h,g,w,v,x,S,$,A)}
let Tr=bs|Ko;function no(o,a,d,h,g,w,v,x,S,$,A,C){vr(o,a,d,h,g),(S||$||C)&&(m.save(),S&&m.clip(S),$&&m.clip($)),C?(x&Tr)==Tr?(m.clip(C),A&&m.
clip(A),ei(g,v),Xs(o,w,a)):x&Ko?(ei(g,v),m.clip(C),Xs(o,w,a)):x&bs&&(m.save(),m.clip(C),A&&m.clip(A),ei(g,v),m.restore(),Xs(o,w,a)):(ei(g,v),
Xs(o,w,a)),(S||$||C)&&m.restore()}function Xs(o,a,d){d>0&&(a instanceof Map?a.forEach((h,g)=>{m.strokeStyle=Zs=g,m.stroke(h)}):a!=null&&o&&m.
stroke(a))}function ei(o,a){a instanceof Map?a.forEach((d,h)=>{m.fillStyle=Qn=h,m.fill(d)}):a!=null&&o&&m.fill(a)}function Ic(o,a,d,h){let g=O[o],
w;if(h<=0)w=[0,0];else{let v=g._space=g.space(s,o,a,d,h),x=g._incrs=g.incrs(s,o,a,d,h,v);w=Pf(a,d,x,h,v)}return g._found=w}function so(o,a,d,h,g,w,v,x,S,$){
let A=v%2/2;D==1&&m.translate(A,A),vr(x,v,S,$,x),m.beginPath();let C,Y,ae,re,ne=g+(h==0||h==3?-w:w);d==0?(Y=g,re=ne):(C=g,ae=ne);for(let K=0;K<
o.length;K++)a[K]!=null&&(d==0?C=ae=o[K]:Y=re=o[K],m.moveTo(C,Y),m.lineTo(ae,re));m.stroke(),D==1&&m.translate(-A,-A)}function Wc(o){let a=!0;
return O.forEach((d,h)=>{if(!d.show)return;let g=T[d.scale];if(g.min==null){d._show&&(a=!1,d._show=!1,Zn(!1));return}else d._show||(a=!1,d._show=
!0,Zn(!1));let w=d.side,v=w%2,{min:x,max:S}=g,[$,A]=Ic(h,x,S,v==0?Z:R);if(A==0)return;let C=g.distr==2,Y=d._splits=d.splits(s,h,x,S,$,A,C),ae=g.
distr==2?Y.map(I=>Pt[I]):Y,re=g.distr==2?Pt[Y[1]]-Pt[Y[0]]:$,ne=d._values=d.values(s,d.filter(s,ae,h,A,re),h,A,re);d._rotate=w==2?d.rotate(s,
ne,h,A):0;let K=d._size;d._size=Mt(d.size(s,ne,h,o)),K!=null&&d._size!=K&&(a=!1)}),a}function Bc(o){let a=!0;return yr.forEach((d,h)=>{let g=d(
s,h,$n,o);g!=fn[h]&&(a=!1),fn[h]=g}),a}function Vc(){for(let o=0;o<O.length;o++){let a=O[o];if(!a.show||!a._show)continue;let d=a.side,h=d%2,
g,w,v=a.stroke(s,o),x=d==0||d==3?-1:1,[S,$]=a._found;if(a.label!=null){let Xe=a.labelGap*x,ht=Fe((a._lpos+Xe)*ce);xr(a.labelFont[0],v,"cente\
r",d==2?"top":Sl),m.save(),h==1?(g=w=0,m.translate(ht,Fe(xt+At/2)),m.rotate((d==3?-Si:Si)/2)):(g=Fe(ut+rt/2),w=ht);let Dn=ha(a.label)?a.label(
s,o,S,$):a.label;m.fillText(Dn,g,w),m.restore()}if($==0)continue;let A=T[a.scale],C=h==0?rt:At,Y=h==0?ut:xt,ae=a._splits,re=A.distr==2?ae.map(
Xe=>Pt[Xe]):ae,ne=A.distr==2?Pt[ae[1]]-Pt[ae[0]]:S,K=a.ticks,I=a.border,xe=K.show?K.size:0,Pe=Fe(xe*ce),qe=Fe((a.alignTo==2?a._size-xe-a.gap:
a.gap)*ce),he=a._rotate*-Si/180,De=z(a._pos*ce),dt=(Pe+qe)*x,Ze=De+dt;w=h==0?Ze:0,g=h==1?Ze:0;let St=a.font[0],Dt=a.align==1?ds:a.align==2?Ro:
he>0?ds:he<0?Ro:h==0?"center":d==3?Ro:ds,Kt=he||h==1?"middle":d==2?"top":Sl;xr(St,v,Dt,Kt);let ft=a.font[1]*a.lineGap,Tt=ae.map(Xe=>z(u(Xe,A,
C,Y))),Rt=a._values;for(let Xe=0;Xe<Rt.length;Xe++){let ht=Rt[Xe];if(ht!=null){h==0?g=Tt[Xe]:w=Tt[Xe],ht=""+ht;let Dn=ht.indexOf(`
`)==-1?[ht]:ht.split(/\n/gm);for(let et=0;et<Dn.length;et++){let qr=Dn[et];he?(m.save(),m.translate(g,w+et*ft),m.rotate(he),m.fillText(qr,0,
0),m.restore()):m.fillText(qr,g,w+et*ft)}}}K.show&&so(Tt,K.filter(s,re,o,$,ne),h,d,De,Pe,ge(K.width*ce,3),K.stroke(s,o),K.dash,K.cap);let jt=a.
grid;jt.show&&so(Tt,jt.filter(s,re,o,$,ne),h,h==0?2:1,h==0?xt:ut,h==0?At:rt,ge(jt.width*ce,3),jt.stroke(s,o),jt.dash,jt.cap),I.show&&so([De],
[1],h==0?1:0,h==0?1:2,h==1?xt:ut,h==1?At:rt,ge(I.width*ce,3),I.stroke(s,o),I.dash,I.cap)}Ve("drawAxes")}function Zn(o){k.forEach((a,d)=>{d>0&&
(a._paths=null,o&&(i==1?(a.min=null,a.max=null):a.facets.forEach(h=>{h.min=null,h.max=null})))})}let ti=!1,io=!1,Es=[];function qc(){io=!1;for(let o=0;o<
Es.length;o++)Ve(...Es[o]);Es.length=0}function Xn(){ti||(kd(Er),ti=!0)}function Gc(o,a=!1){ti=!0,io=a,o(s),Er(),a&&Es.length>0&&queueMicrotask(
qc)}s.batch=Gc;function Er(){if(Gi&&(Fc(),Gi=!1),Kn&&(Ac(),Kn=!1),Ys){if(_e(E,ds,be),_e(E,"top",Oe),_e(E,Hs,Z),_e(E,Is,R),_e(_,ds,be),_e(_,"\
top",Oe),_e(_,Hs,Z),_e(_,Is,R),_e(y,Hs,en),_e(y,Is,_n),b.width=Fe(en*ce),b.height=Fe(_n*ce),O.forEach(({_el:o,_show:a,_size:d,_pos:h,side:g})=>{
if(o!=null)if(a){let w=g===3||g===0?d:0,v=g%2==1;_e(o,v?"left":"top",h-w),_e(o,v?"width":"height",d),_e(o,v?"top":"left",v?Oe:be),_e(o,v?"he\
ight":"width",v?R:Z),Wo(o,Fn)}else mt(o,Fn)}),Zs=Qn=Ui=Ji=Qi=Zi=Xi=eo=Yi=null,lt=1,As(!0),be!=Gn||Oe!=Sn||Z!=Bt||R!=Tn){Zn(!1);let o=Z/Bt,a=R/
Tn;if(Je&&!En&&H.left>=0){H.left*=o,H.top*=a,es&&Jt(es,Fe(H.left),0,Z,R),ts&&Jt(ts,0,Fe(H.top),Z,R);for(let d=0;d<_t.length;d++){let h=_t[d];
h!=null&&(Yn[d]*=o,Jn[d]*=a,Jt(h,Mt(Yn[d]),Mt(Jn[d]),Z,R))}}if(ve.show&&!Js&&ve.left>=0&&ve.width>0){ve.left*=o,ve.width*=o,ve.top*=a,ve.height*=
a;for(let d in uo)_e(is,d,ve[d])}Gn=be,Sn=Oe,Bt=Z,Tn=R}Ve("setSize"),Ys=!1}en>0&&_n>0&&(m.clearRect(0,0,b.width,b.height),Ve("drawClear"),U.
forEach(o=>o()),Ve("draw")),ve.show&&Js&&(ni(ve),Js=!1),Je&&En&&(Pn(null,!0,!1),En=!1),te.show&&te.live&&kt&&(ao(),kt=!1),f||(f=!0,s.status=
1,Ve("ready")),Ts=!1,ti=!1}s.redraw=(o,a)=>{Kn=a||!1,o!==!1?pn(L,M.min,M.max):Xn()};function oo(o,a){let d=T[o];if(d.from==null){if(Ge==0){let h=d.
range(s,a.min,a.max,o);a.min=h[0],a.max=h[1]}if(a.min>a.max){let h=a.min;a.min=a.max,a.max=h}if(Ge>1&&a.min!=null&&a.max!=null&&a.max-a.min<
1e-16)return;o==L&&d.distr==2&&Ge>0&&(a.min=Nt(a.min,t[0]),a.max=Nt(a.max,t[0]),a.min==a.max&&a.max++),W[o]=a,Gi=!0,Xn()}}s.setScale=oo;let ro,
lo,es,ts,Mr,$r,ns,ss,Ar,Pr,we,Ee,hn=!1,Ke=H.drag,We=Ke.x,Be=Ke.y;Je&&(H.x&&(ro=Et(Ku,_)),H.y&&(lo=Et(ju,_)),M.ori==0?(es=ro,ts=lo):(es=lo,ts=
ro),we=H.left,Ee=H.top);let ve=s.select=Le({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),is=ve.show?Et(Gu,ve.over?_:E):null;function ni(o,a){
if(ve.show){for(let d in o)ve[d]=o[d],d in uo&&_e(is,d,o[d]);a!==!1&&Ve("setSelect")}}s.setSelect=ni;function Kc(o){if(k[o].show)Ce&&Wo(Me[o],
Fn);else if(Ce&&mt(Me[o],Fn),Je){let d=Un?_t[0]:_t[o];d!=null&&Jt(d,-10,-10,Z,R)}}function pn(o,a,d){oo(o,{min:a,max:d})}function qt(o,a,d,h){
a.focus!=null&&Qc(o),a.show!=null&&k.forEach((g,w)=>{w>0&&(o==w||o==null)&&(g.show=a.show,Kc(w),i==2?(pn(g.facets[0].scale,null,null),pn(g.facets[1].
scale,null,null)):pn(g.scale,null,null),Xn())}),d!==!1&&Ve("setSeries",o,a),h&&Ps("setSeries",s,o,a)}s.setSeries=qt;function jc(o,a){Le(Q[o],
a)}function Uc(o,a){o.fill=se(o.fill||null),o.dir=le(o.dir,-1),a=a??Q.length,Q.splice(a,0,o)}function Yc(o){o==null?Q.length=0:Q.splice(o,1)}
s.addBand=Uc,s.setBand=jc,s.delBand=Yc;function Jc(o,a){k[o].alpha=a,Je&&_t[o]!=null&&(_t[o].style.opacity=a),Ce&&Me[o]&&(Me[o].style.opacity=
a)}let tn,mn,An,os={focus:!0};function Qc(o){if(o!=An){let a=o==null,d=Vt.alpha!=1;k.forEach((h,g)=>{if(i==1||g>0){let w=a||g==0||g==o;h._focus=
a?null:w,d&&Jc(g,w?1:Vt.alpha)}}),An=o,d&&Xn()}}Ce&&jn&&Qe($l,ue,o=>{H._lock||(Mn(o),An!=null&&qt(null,os,!0,Re.setSeries))});function Gt(o,a,d){
let h=T[a];d&&(o=o/ce-(h.ori==1?Oe:be));let g=Z;h.ori==1&&(g=R,o=g-o),h.dir==-1&&(o=g-o);let w=h._min,v=h._max,x=o/g,S=w+(v-w)*x,$=h.distr;return $==
3?ps(10,S):$==4?ud(S,h.asinh):$==100?h.bwd(S):S}function Zc(o,a){let d=Gt(o,L,a);return Nt(d,t[0],He,Ie)}s.valToIdx=o=>Nt(o,t[0]),s.posToIdx=
Zc,s.posToVal=Gt,s.valToPos=(o,a,d)=>T[a].ori==0?r(o,T[a],d?rt:Z,d?ut:0):l(o,T[a],d?At:R,d?xt:0),s.setCursor=(o,a,d)=>{we=o.left,Ee=o.top,Pn(
null,a,d)};function Dr(o,a){_e(is,ds,ve.left=o),_e(is,Hs,ve.width=a)}function Rr(o,a){_e(is,"top",ve.top=o),_e(is,Is,ve.height=a)}let Ms=M.ori==
0?Dr:Rr,$s=M.ori==1?Dr:Rr;function Xc(){if(Ce&&te.live)for(let o=i==2?1:0;o<k.length;o++){if(o==0&&vt)continue;let a=te.values[o],d=0;for(let h in a)
Wt[o][d++].firstChild.nodeValue=a[h]}}function ao(o,a){if(o!=null&&(o.idxs?o.idxs.forEach((d,h)=>{fe[h]=d}):pd(o.idx)||fe.fill(o.idx),te.idx=
fe[0]),Ce&&te.live){for(let d=0;d<k.length;d++)(d>0||i==1&&!vt)&&eu(d,fe[d]);Xc()}kt=!1,a!==!1&&Ve("setLegend")}s.setLegend=ao;function eu(o,a){
let d=k[o],h=o==0&&N==2?Pt:t[o],g;vt?g=d.values(s,o,a)??dn:(g=d.value(s,a==null?null:h[a],o,a),g=g==null?dn:{_:g}),te.values[o]=g}function Pn(o,a,d){
Ar=we,Pr=Ee,[we,Ee]=H.move(s,we,Ee),H.left=we,H.top=Ee,Je&&(es&&Jt(es,Fe(we),0,Z,R),ts&&Jt(ts,0,Fe(Ee),Z,R));let h,g=He>Ie;tn=me,mn=null;let w=M.
ori==0?Z:R,v=M.ori==1?Z:R;if(we<0||Ge==0||g){h=H.idx=null;for(let x=0;x<k.length;x++){let S=_t[x];S!=null&&Jt(S,-10,-10,Z,R)}jn&&qt(null,os,
!0,o==null&&Re.setSeries),te.live&&(fe.fill(h),kt=!0)}else{let x,S,$;i==1&&(x=M.ori==0?we:Ee,S=Gt(x,L),h=H.idx=Nt(S,t[0],He,Ie),$=P(t[0][h],
M,w,0));let A=-10,C=-10,Y=0,ae=0,re=!0,ne="",K="";for(let I=i==2?1:0;I<k.length;I++){let xe=k[I],Pe=fe[I],qe=Pe==null?null:i==1?t[I][Pe]:t[I][1][Pe],
he=H.dataIdx(s,I,h,S),De=he==null?null:i==1?t[I][he]:t[I][1][he];if(kt=kt||De!=qe||he!=Pe,fe[I]=he,I>0&&xe.show){let dt=he==null?-10:he==h?$:
P(i==1?t[0][he]:t[I][0][he],M,w,0),Ze=De==null?-10:G(De,i==1?T[xe.scale]:T[xe.facets[1].scale],v,0);if(jn&&De!=null){let St=M.ori==1?we:Ee,Dt=Ne(
Vt.dist(s,I,he,Ze,St));if(Dt<tn){let Kt=Vt.bias;if(Kt!=0){let ft=Gt(St,xe.scale),Tt=De>=0?1:-1,Rt=ft>=0?1:-1;Rt==Tt&&(Rt==1?Kt==1?De>=ft:De<=
ft:Kt==1?De<=ft:De>=ft)&&(tn=Dt,mn=I)}else tn=Dt,mn=I}}if(kt||Un){let St,Dt;M.ori==0?(St=dt,Dt=Ze):(St=Ze,Dt=dt);let Kt,ft,Tt,Rt,jt,Xe,ht=!0,
Dn=Ue.bbox;if(Dn!=null){ht=!1;let et=Dn(s,I);Tt=et.left,Rt=et.top,Kt=et.width,ft=et.height}else Tt=St,Rt=Dt,Kt=ft=Ue.size(s,I);if(Xe=Ue.fill(
s,I),jt=Ue.stroke(s,I),Un)I==mn&&tn<=Vt.prox&&(A=Tt,C=Rt,Y=Kt,ae=ft,re=ht,ne=Xe,K=jt);else{let et=_t[I];et!=null&&(Yn[I]=Tt,Jn[I]=Rt,Ol(et,Kt,
ft,ht),Ll(et,Xe,jt),Jt(et,Mt(Tt),Mt(Rt),Z,R))}}}}if(Un){let I=Vt.prox,xe=An==null?tn<=I:tn>I||mn!=An;if(kt||xe){let Pe=_t[0];Pe!=null&&(Yn[0]=
A,Jn[0]=C,Ol(Pe,Y,ae,re),Ll(Pe,ne,K),Jt(Pe,Mt(A),Mt(C),Z,R))}}}if(ve.show&&hn)if(o!=null){let[x,S]=Re.scales,[$,A]=Re.match,[C,Y]=o.cursor.sync.
scales,ae=o.cursor.drag;if(We=ae._x,Be=ae._y,We||Be){let{left:re,top:ne,width:K,height:I}=o.select,xe=o.scales[C].ori,Pe=o.posToVal,qe,he,De,
dt,Ze,St=x!=null&&$(x,C),Dt=S!=null&&A(S,Y);St&&We?(xe==0?(qe=re,he=K):(qe=ne,he=I),De=T[x],dt=P(Pe(qe,C),De,w,0),Ze=P(Pe(qe+he,C),De,w,0),Ms(
zt(dt,Ze),Ne(Ze-dt))):Ms(0,w),Dt&&Be?(xe==1?(qe=re,he=K):(qe=ne,he=I),De=T[S],dt=G(Pe(qe,Y),De,v,0),Ze=G(Pe(qe+he,Y),De,v,0),$s(zt(dt,Ze),Ne(
Ze-dt))):$s(0,v)}else fo()}else{let x=Ne(Ar-Mr),S=Ne(Pr-$r);if(M.ori==1){let Y=x;x=S,S=Y}We=Ke.x&&x>=Ke.dist,Be=Ke.y&&S>=Ke.dist;let $=Ke.uni;
$!=null?We&&Be&&(We=x>=$,Be=S>=$,!We&&!Be&&(S>x?Be=!0:We=!0)):Ke.x&&Ke.y&&(We||Be)&&(We=Be=!0);let A,C;We&&(M.ori==0?(A=ns,C=we):(A=ss,C=Ee),
Ms(zt(A,C),Ne(C-A)),Be||$s(0,v)),Be&&(M.ori==1?(A=ns,C=we):(A=ss,C=Ee),$s(zt(A,C),Ne(C-A)),We||Ms(0,w)),!We&&!Be&&(Ms(0,0),$s(0,0))}if(Ke._x=
We,Ke._y=Be,o==null){if(d){if(Vr!=null){let[x,S]=Re.scales;Re.values[0]=x!=null?Gt(M.ori==0?we:Ee,x):null,Re.values[1]=S!=null?Gt(M.ori==1?we:
Ee,S):null}Ps(Lo,s,we,Ee,Z,R,h)}if(jn){let x=d&&Re.setSeries,S=Vt.prox;An==null?tn<=S&&qt(mn,os,!0,x):tn>S?qt(null,os,!0,x):mn!=An&&qt(mn,os,
!0,x)}}kt&&(te.idx=h,ao()),a!==!1&&Ve("setCursor")}let gn=null;Object.defineProperty(s,"rect",{get(){return gn==null&&As(!1),gn}});function As(o=!1){
o?gn=null:(gn=_.getBoundingClientRect(),Ve("syncRect",gn))}function Lr(o,a,d,h,g,w,v){H._lock||hn&&o!=null&&o.movementX==0&&o.movementY==0||
(co(o,a,d,h,g,w,v,!1,o!=null),o!=null?Pn(null,!0,!0):Pn(a,!0,!1))}function co(o,a,d,h,g,w,v,x,S){if(gn==null&&As(!1),Mn(o),o!=null)d=o.clientX-
gn.left,h=o.clientY-gn.top;else{if(d<0||h<0){we=-10,Ee=-10;return}let[$,A]=Re.scales,C=a.cursor.sync,[Y,ae]=C.values,[re,ne]=C.scales,[K,I]=Re.
match,xe=a.axes[0].side%2==1,Pe=M.ori==0?Z:R,qe=M.ori==1?Z:R,he=xe?w:g,De=xe?g:w,dt=xe?h:d,Ze=xe?d:h;if(re!=null?d=K($,re)?u(Y,T[$],Pe,0):-10:
d=Pe*(dt/he),ne!=null?h=I(A,ne)?u(ae,T[A],qe,0):-10:h=qe*(Ze/De),M.ori==1){let St=d;d=h,h=St}}S&&(a==null||a.cursor.event.type==Lo)&&((d<=1||
d>=Z-1)&&(d=Cn(d,Z)),(h<=1||h>=R-1)&&(h=Cn(h,R))),x?(Mr=d,$r=h,[ns,ss]=H.move(s,d,h)):(we=d,Ee=h)}let uo={width:0,height:0,left:0,top:0};function fo(){
ni(uo,!1)}let Cr,Or,Fr,Nr;function zr(o,a,d,h,g,w,v){hn=!0,We=Be=Ke._x=Ke._y=!1,co(o,a,d,h,g,w,v,!0,!1),o!=null&&(Qe(Co,Ho,Hr,!1),Ps(El,s,ns,
ss,Z,R,null));let{left:x,top:S,width:$,height:A}=ve;Cr=x,Or=S,Fr=$,Nr=A}function Hr(o,a,d,h,g,w,v){hn=Ke._x=Ke._y=!1,co(o,a,d,h,g,w,v,!1,!0);
let{left:x,top:S,width:$,height:A}=ve,C=$>0||A>0,Y=Cr!=x||Or!=S||Fr!=$||Nr!=A;if(C&&Y&&ni(ve),Ke.setScale&&C&&Y){let ae=x,re=$,ne=S,K=A;if(M.
ori==1&&(ae=S,re=A,ne=x,K=$),We&&pn(L,Gt(ae,L),Gt(ae+re,L)),Be)for(let I in T){let xe=T[I];I!=L&&xe.from==null&&xe.min!=me&&pn(I,Gt(ne+K,I),
Gt(ne,I))}fo()}else H.lock&&(H._lock=!H._lock,Pn(a,!0,o!=null));o!=null&&(qn(Co,Ho),Ps(Co,s,we,Ee,Z,R,null))}function tu(o,a,d,h,g,w,v){if(H.
_lock)return;Mn(o);let x=hn;if(hn){let S=!0,$=!0,A=10,C,Y;M.ori==0?(C=We,Y=Be):(C=Be,Y=We),C&&Y&&(S=we<=A||we>=Z-A,$=Ee<=A||Ee>=R-A),C&&S&&(we=
we<ns?0:Z),Y&&$&&(Ee=Ee<ss?0:R),Pn(null,!0,!0),hn=!1}we=-10,Ee=-10,fe.fill(null),Pn(null,!0,!0),x&&(hn=x)}function Ir(o,a,d,h,g,w,v){H._lock||
(Mn(o),ji(),fo(),o!=null&&Ps(Al,s,we,Ee,Z,R,null))}function Wr(){O.forEach(Df),Ki(s.width,s.height,!0)}Nn(Ti,hs,Wr);let rs={};rs.mousedown=zr,
rs.mousemove=Lr,rs.mouseup=Hr,rs.dblclick=Ir,rs.setSeries=(o,a,d,h)=>{let g=Re.match[2];d=g(s,a,d),d!=-1&&qt(d,h,!0,!1)},Je&&(Qe(El,_,zr),Qe(
Lo,_,Lr),Qe(Ml,_,o=>{Mn(o),As(!1)}),Qe($l,_,tu),Qe(Al,_,Ir),jo.add(s),s.syncRect=As);let si=s.hooks=e.hooks||{};function Ve(o,a,d){io?Es.push(
[o,a,d]):o in si&&si[o].forEach(h=>{h.call(null,s,a,d)})}(e.plugins||[]).forEach(o=>{for(let a in o.hooks)si[a]=(si[a]||[]).concat(o.hooks[a])});
let Br=(o,a,d)=>d,Re=Le({key:null,setSeries:!1,filters:{pub:Il,sub:Il},scales:[L,k[1]?k[1].scale:null],match:[Wl,Wl,Br],values:[null,null]},
H.sync);Re.match.length==2&&Re.match.push(Br),H.sync=Re;let Vr=Re.key,ho=Na(Vr);function Ps(o,a,d,h,g,w,v){Re.filters.pub(o,a,d,h,g,w,v)&&ho.
pub(o,a,d,h,g,w,v)}ho.sub(s);function nu(o,a,d,h,g,w,v){Re.filters.sub(o,a,d,h,g,w,v)&&rs[o](null,a,d,h,g,w,v)}s.pub=nu;function su(){ho.unsub(
s),jo.delete(s),kn.clear(),Bo(Ti,hs,Wr),p.remove(),ue?.remove(),Ve("destroy")}s.destroy=su;function po(){Ve("init",e,t),wr(t||e.data,!1),W[L]?
oo(L,W[L]):ji(),Js=ve.show&&(ve.width>0||ve.height>0),En=kt=!0,Ki(e.width,e.height)}return k.forEach(br),O.forEach(Oc),n?n instanceof HTMLElement?
(n.appendChild(p),po()):n(s,po):po(),s}ze.assign=Le;ze.fmtNum=er;ze.rangeNum=Ei;ze.rangeLog=Ai;ze.rangeAsinh=Zo;ze.orient=Hn;ze.pxRatio=ce;ze.
join=xd;ze.fmtDate=nr,ze.tzDate=Rd;ze.sync=Na;{ze.addGap=mf,ze.clipGaps=Ri;let e=ze.paths={points:Va};e.linear=Ga,e.stepped=yf,e.bars=wf,e.spline=
xf}var In=[7,4],cr=[2,3],Rf=window.matchMedia("(max-width: 720px)"),Ya=()=>Rf.matches?140:190,Lf=16,Ja=8,Cf=60,Of=180,Ff=86400,Nf=Array.from({length:50},
(e,t)=>2**t),Ht=class{element;#n;#t=c("div",{class:"chart-canvas"});#o=[];#s=c("span",{class:"chart-when"});#r;#l;#e=null;#i=[];#u=[];#a=null;#c=[];#d=0;#p;constructor(t,n,s=null){
this.#n=t,this.#p=n;let i=t.lines.map(r=>{let l=c("span",{class:"figure"});this.#o.push(l);let u=c("span",{class:`sample sample-${r.colour}${r.
dash?` sample-${r.dash[0]===cr[0]?"dot":"dash"}`:""}`,"aria-hidden":"true"});return c("li",{},u,c("span",{},r.label),l)});this.element=c("fi\
gure",{class:"chart card"},c("figcaption",{},c("div",{},c("h3",{},t.title),c("p",{},t.about)),s),this.#t,c("div",{class:"legend"},c("ul",{},
...i),this.#s)),this.#t.setAttribute("role","img"),this.#f(),this.#r=new ResizeObserver(()=>this.#h()),this.#r.observe(this.#t),this.#l=pi(()=>this.#m())}set(t,n,s=null,i=[]){
this.#c=i,this.#t.dataset.marks=String(i.length),this.#i=t,this.#u=n,this.#a=s,this.#f(),this.#t.dataset.points=String(t.length),this.#e?this.#e.
setData(this.#y()):this.#h(),this.#x(null)}#f(){let t=this.#a===null?"the last five minutes":`${Ot(this.#a.seconds)} up to ${ri(this.#a.end*
1e3)} ${bn(this.#a.end*1e3)}`;this.#t.setAttribute("aria-label",`${this.#n.title}: lines over ${t}; the newest figures follow`)}leave(){this.#r.
disconnect(),this.#l(),this.#e?.destroy(),this.#e=null}#h(){let t=Math.floor(this.#t.clientWidth);t!==0&&(this.#e?t!==this.#d&&this.#e.setSize(
{width:t,height:Ya()}):this.#w(t),this.#d=t)}#m(){this.#e&&(this.#e.destroy(),this.#e=null,this.#h())}#y(){let t=[];return this.#n.lines.forEach(
(n,s)=>{let i=this.#u[s]??[],r=n.fill==="stacked"?t[s-1]:void 0;t.push(r?i.map((l,u)=>l===null?null:l+(r[u]??0)):i)}),[this.#i,...t]}#w(t){let{
lines:n,tick:s,figure:i,least:r,most:l,isBinary:u}=this.#n,f={stroke:st("ink-soft"),font:`12px ${st("font")}`,ticks:{show:!1},grid:{stroke:st(
"rule"),width:1}},p={width:t,height:Ya(),legend:{show:!1},cursor:{sync:{key:"forebay"},drag:{x:!0,y:!1,setScale:!1,dist:Ja}},scales:{x:{time:!0,
range:()=>this.#b()},y:{range:(b,m,y)=>[0,l??Math.max((y??0)*1.1,r??1)]}},axes:[{...f,grid:{show:!1},size:26,space:110,values:(b,m)=>m.map(y=>this.#_(
y))},{...f,size:62,space:36,values:(b,m)=>m.map(y=>(s??i)(y)),...u?{incrs:Nf}:{}}],series:[{},...n.map(b=>this.#k(b))],bands:n.flatMap((b,m)=>b.
fill==="stacked"&&m>0?[{series:[m+1,m]}]:[]),hooks:{setCursor:[b=>this.#x(b.cursor.idx??null)],setSelect:[b=>this.#g(b)],draw:[b=>this.#v(b)]}};
this.#e=new ze(p,this.#y(),this.#t)}#g(t){let{left:n,width:s}=t.select;if(s<Ja)return;let[i,r]=[t.posToVal(n,"x"),t.posToVal(n+s,"x")];t.setSelect(
{left:0,top:0,width:0,height:0},!1),this.#p(i,r)}#v(t){let{ctx:n,bbox:s}=t,i=window.devicePixelRatio||1;n.save(),n.font=`600 ${11*i}px ${st(
"font")}`,n.lineWidth=i,n.setLineDash([2*i,3*i]),n.textAlign="center";let r=[];this.#c.forEach((l,u)=>{let f=t.valToPos(l.at,"x",!0);r.push(
l.label);let p=this.#c[u+1];p&&t.valToPos(p.at,"x",!0)-f<Lf*i||(n.strokeStyle=n.fillStyle=st(l.colour),n.beginPath(),n.moveTo(f,s.top+14*i),
n.lineTo(f,s.top+s.height),n.stroke(),n.fillText(r.length>2?`${r[0]}\u2013${l.label}`:r.join(","),f,s.top+11*i),r=[])}),n.restore()}#k(t){let n=st(
t.colour);return{label:t.label,stroke:n,width:2,points:{show:!1},...t.dash?{dash:t.dash}:{},...t.fill?{fill:`${n}40`}:{}}}#b(){if(this.#a)return[
this.#a.end-this.#a.seconds,this.#a.end];let t=this.#i.at(-1)??Date.now()/1e3,n=t-(this.#i[0]??t);return[t-Math.min(Ls,Math.max(Cf,n)),t]}#_(t){
let[n,s]=this.#b(),i=bn(t*1e3);return s-n>Ff&&i==="00:00:00"?ri(t*1e3):s-n<Of?i:i.slice(0,5)}#x(t){let n=t??this.#i.length-1,s=this.#i[n];this.#o.
forEach((r,l)=>q(r,this.#n.figure(this.#u[l]?.[n]??null)));let i=s===void 0?"":bn(s*1e3);q(this.#s,t===null||s===void 0?"now":this.#a?`${ri(
s*1e3)} ${i.slice(0,5)}`:i)}};var zf={info:"busy",warning:"warning",error:"bad"};function Qa(e,t,n,s,i){return e.filter(l=>l.disk===null||l.disk===t).map(l=>({event:l,at:new Date(
l.time).getTime()/1e3+n})).filter(({at:l})=>l>=s&&l<=i).slice(-12).map(({event:l,at:u},f)=>({event:l,mark:{at:u,label:String(f+1),colour:zf[l.
level]??"warning"}}))}function Qt(){return c("span",{class:"badge"},c("span",{class:"sign","aria-hidden":"true"}),c("span",{}))}function Zt(e,t,n){e.className=`ba\
dge badge-${t}`;let[s,i]=e.children;s&&q(s,Po[t]),i&&q(i,n)}function yt(e,t){let n=c("div",{class:"tile-value","data-figure":t}),s=c("div",{
class:"tile-remark"});return{element:c("div",{class:"tile"},c("div",{class:"tile-name"},e),n,s),set(r,l=""){q(n,r),q(s,l)}}}function Fi(){let e=c(
"ul",{class:"findings","aria-live":"polite","aria-label":"Warnings"});return{element:e,set(t){e.hidden=t.length===0,Lt(e,t,n=>`${n.tone} ${n.
text.replace(/\d[\d.]*/g,"#")}`,()=>c("li",{},c("span",{class:"sign","aria-hidden":"true"}),c("div",{},c("div",{class:"finding-text"}),c("di\
v",{class:"finding-advice"}))),(n,s)=>{n.className=`finding finding-${s.tone}`,pe(n,".sign",Po[s.tone]),pe(n,".finding-text",s.text),pe(n,".\
finding-advice",s.advice??"")})}}}function pe(e,t,n){let s=e.querySelector(t);s&&q(s,n)}var Wn={width:120,height:28};function Za(e){let t=ii(
"svg",{class:"spark",viewBox:`0 0 ${Wn.width} ${Wn.height}`,role:"img",preserveAspectRatio:"none"}),n=ii("path",{fill:"none","vector-effect":"\
non-scaling-stroke"});return t.append(ii("path",{class:"spark-base",d:`M0 ${Wn.height-1}H${Wn.width}`,fill:"none"}),n),{element:t,set(s,i){n.
setAttribute("d",Hf(s,i));let r=s.filter(l=>l!==null).at(-1);t.setAttribute("aria-label",r===void 0?`${e}: no reads in the last five minutes`:
`${e} over the last five minutes, ${ye(r)} lately`)}}}function Hf(e,t){let n=Wn.width/Math.max(1,t-1),s=Wn.width-(e.length-1)*n,i="M",r="";return e.
forEach((l,u)=>{if(l===null){i="M";return}r+=`${i}${(s+u*n).toFixed(1)} ${((1-l)*(Wn.height-4)+2).toFixed(1)}`,i="L"}),r}function xs(e){let t=e.
map(([s,i])=>({key:s,name:i,cell:c("dd",{"data-figure":s})}));return{element:c("dl",{class:"facts"},...t.map(({name:s,cell:i})=>c("div",{},c(
"dt",{},s),i))),set(s){for(let{key:i,cell:r}of t)q(r,s[i]??""),r.parentElement&&(r.parentElement.hidden=s[i]===void 0)}}}var If=[["5 minutes",300],["1 hour",3600],["6 hours",21600],["1 day",86400],["1 week",7*86400]],Ni=class{element;#n=()=>{};#t=(t,n)=>{let s=ko(
t,n,Date.now()/1e3);s&&this.#n(this.#$()?{...s,of:"5m"}:s)};#o=new Ht({title:"Hit ratio",about:"Reads answered from the cache, of all reads.",
lines:[{label:"RAM",colour:"ram",fill:"area"},{label:"Flash",colour:"flash",fill:"stacked",dash:In}],figure:ye,tick:t=>`${Math.round(t*100)}\
%`,most:1},this.#t);#s=new Ht({title:"Requests a second",about:"What guests asked for.",lines:[{label:"Reads",colour:"read"},{label:"Writes",
colour:"write",dash:In}],figure:je,tick:wo,least:10},this.#t);#r;#l=new Ht({title:"Mean latency",about:"Of all reads, and of all writes.",lines:[
{label:"Reads",colour:"read"},{label:"Writes",colour:"write",dash:In}],figure:Ye,least:10},this.#t);#e;#i=new Ht({title:"Dirty data",about:"\
What flash has and the backing does not, without zeroes.",lines:[{label:"Dirty",colour:"dirty",fill:"area"},{label:"Limit",colour:"limit",dash:In}],
figure:F,least:64*1024,isBinary:!0},this.#t);#u=new Ht({title:"Backing requests saved",about:"What guests asked for, and what reached the ba\
cking.",lines:[{label:"Guests",colour:"read"},{label:"Backing",colour:"limit",dash:In,fill:"area"}],figure:je,tick:wo,least:10},this.#t);#a=new Ht(
{title:"Written to flash",about:"Bytes a second, headers and second copies included.",lines:[{label:"Flash",colour:"flash",fill:"area"}],figure:Ct,
tick:F,least:64*1024,isBinary:!0},this.#t);#c=c("select",{"aria-label":"Latency of",name:"latency-class"},...li.map(t=>c("option",{value:t},
yi[t])));#d=c("select",{"aria-label":"Percentiles of",name:"latency-spread"},c("option",{value:"readSpread"},"Reads"),c("option",{value:"wri\
teSpread"},"Writes"));#p=c("span",{class:"hint"});#f;#h=c("p",{class:"hint",role:"status"});#m=[];#y=[];#w=null;#g=[];#v=null;#k=!1;#b=c("in\
put",{type:"datetime-local",name:"from",step:1,required:!0,"aria-label":"From"});#_=c("input",{type:"datetime-local",name:"to",step:1,required:!0,
"aria-label":"To"});#x=c("ol",{class:"happened","aria-label":"Events in this time"});constructor(t){this.#n=t;let n=c("div",{class:"chart-co\
ntrols"},this.#c,this.#p);this.#c.value="read_miss",this.#c.addEventListener("change",()=>{this.#k=!0,this.#T()});let s=(l,u)=>({title:l,about:u,
lines:[{label:"Half",colour:"read"},{label:"95 %",colour:"write",dash:In},{label:"99 %",colour:"limit",dash:cr}],figure:Ye,least:10});this.#r=
new Ht(s("Latency","So many in a hundred were faster."),this.#t,n),this.#d.addEventListener("change",()=>this.#E()),this.#e=new Ht(s("Latenc\
y percentiles","Of each step, so many in a hundred were faster."),this.#t,c("div",{class:"chart-controls"},this.#d));let i=([l,u])=>c("butto\
n",{type:"button","data-seconds":u,onclick:()=>t({seconds:u,end:null})},l);this.#f=c("div",{class:"segmented",role:"group","aria-label":"How\
 far back"},...If.map(i));let r=c("form",{class:"period","aria-label":"Period"},this.#b,c("span",{},"to"),this.#_,c("button",{type:"submit"},
"Show"));r.addEventListener("submit",l=>{l.preventDefault();let u=[this.#b,this.#_].map(p=>new Date(p.value).getTime()/1e3),f=ko(u[0]??NaN,u[1]??
NaN,Date.now()/1e3);f?t(f):q(this.#h,"The two moments must be within the last week, and at least ten seconds apart.")}),this.element=c("sect\
ion",{class:"did","aria-label":"Charts"},c("div",{class:"section-head"},c("h2",{},"What it did"),this.#f),c("details",{class:"other-period"},
c("summary",{},"Another time"),r),this.#h,c("div",{class:"charts"},...this.#S().map(l=>l.element)),this.#x)}update(t,n,s){let{period:i}=t,r=wn(
i)==="5m",l=Date.now()/1e3,u=r?t.series.get(n)?.points??[]:t.past?.points??[],f=i.end??(r?u.at(-1)?.at??l:t.past?.end??l),p=Qa(t.events??[],
n,t.ahead,f-i.seconds,f);if(this.#w=r&&i.end===null?null:{end:f,seconds:i.seconds},this.#g=p.map(({mark:m})=>m),this.#A(i,r,!r&&t.past===null),
this.#P(p),this.#D(u,s),r){this.#m=u,q(this.#p,t.windows.has(n)?"over 5 minutes each":"since attached"),this.#T();return}let b=m=>u.map(m);this.#l.
set(u.map(m=>m.at),[b(m=>m.readMicros),b(m=>m.writeMicros)],this.#w,this.#g),this.#y=u,this.#E()}leave(){for(let t of this.#S())t.leave()}#S(){
return[this.#o,this.#s,this.#r,this.#l,this.#e,this.#u,this.#i,this.#a]}#$(){return this.#v!==null&&wn(this.#v)==="5m"}#A(t,n,s){let i=t!==this.#v;
this.#v=t;for(let l of this.#f.children)l.setAttribute("aria-pressed",String(t.end===null&&l.getAttribute("data-seconds")===String(t.seconds)));
i&&t.end!==null&&(this.#b.value=Xa(t.end-t.seconds),this.#_.value=Xa(t.end));let r=n?"":"In steps of five minutes; of dirty data, the most i\
n each. ";i||s?q(this.#h,s?"Asking Forebay\u2026":`${r}Draw over a chart to see a part of it.`):this.#h.textContent==="Asking Forebay\u2026"&&
q(this.#h,`${r}Draw over a chart to see a part of it.`),J(this.#r.element,n),J(this.#l.element,!n),J(this.#e.element,!n),this.#i.element.classList.
toggle("chart-wide",!n)}#P(t){J(this.#x,t.length>0);let n=()=>c("li",{},c("span",{class:"happened-number"}),Qt(),c("time",{}),c("span",{class:"\
happened-text"}));Lt(this.#x,t,({event:s})=>`${s.id} ${s.time}`,n,(s,{event:i,mark:r})=>{pe(s,".happened-number",r.label);let l=s.querySelector(
".badge");l&&Zt(l,gi[i.level]??"warning",i.level),pe(s,"time",as(i.time)),pe(s,".happened-text",i.message)})}#D(t,n){let s=u=>t.map(u),i=t.map(
u=>u.at),r=(u,...f)=>u.set(i,f,this.#w,this.#g);r(this.#o,s(u=>u.hitRam),s(u=>u.hitFlash)),r(this.#s,s(u=>u.rates?.reads??null),s(u=>u.rates?.
writes??null)),r(this.#u,s(u=>Rn(u.rates)),s(u=>u.rates?u.rates.backing_reads+u.rates.backing_writes:null)),r(this.#a,s(u=>u.rates?.flash_write_bytes??
null));let l=n==="write-back"?s(u=>u.dirtyLimitBytes):t.map(()=>null);r(this.#i,s(u=>u.dirtyBytes),l)}#T(){let t=this.#m.at(-1)?.latency;if(!this.#k&&
t&&t[this.#M()].count===0){let i=li.find(r=>t[r].count>0);i&&(this.#c.value=i)}let n=this.#M(),s=i=>this.#m.map(r=>r.latency&&r.latency[n].count>
0?r.latency[n][i]:null);this.#r.set(this.#m.map(i=>i.at),[s("p50"),s("p95"),s("p99")],this.#w,this.#g)}#E(){let t=this.#d.value==="writeSpre\
ad"?"writeSpread":"readSpread",n=[0,1,2].map(s=>this.#y.map(i=>i[t]?.[s]??null));this.#e.set(this.#y.map(s=>s.at),n,this.#w,this.#g)}#M(){return li.
find(t=>t===this.#c.value)??"read_miss"}};function Xa(e){let t=new Date(e*1e3);return new Date(t.getTime()-t.getTimezoneOffset()*6e4).toISOString().
slice(0,19)}var ec=4;function ur(e){return Math.log2(e)}function dr(e){let t=r=>r?`${F(r.cache_bytes)}: ${ye(r.hit_ratio)}`:"\u2013",n=e.points.findIndex(
r=>r.cache_bytes===e.present.cache_bytes),s=r=>n<0?null:e.points[n+r],i=e.wanted.find(r=>r.hit_ratio===.9)?.cache_bytes;return{present:t(e.present),
half:t(s(-ec)),double:t(s(ec)),held:t(e.held),knee:t(e.knee),largest:t(e.largest),wanted:i==null?"no size has it":F(i),working_set:F(e.working_set_bytes)}}
var Wf=2**20;function nc(e,t,n,s){let i=Math.max(0,e.present.cache_bytes-n),l=t.cache_bytes===e.present.cache_bytes?n:Math.round((t.cache_bytes-
i)/2**20)*2**20;return l<Wf?null:{flashBytes:l,hitRatio:t.hit_ratio,readMicros:Bf(t.hit_ratio,s)}}function Bf(e,t){let n=t?.latency_us;if(!n||
e===null)return null;let s=tc([n.read_hit_ram,n.read_hit_flash]),i=tc([n.read_miss]);return s===null||i===null?null:e*s+(1-e)*i}function tc(e){
let t=e.reduce((n,s)=>n+s.count,0);return t>0?e.reduce((n,s)=>n+s.count*s.mean,0)/t:null}function fr(e){let t=e.readMicros===null?"":`, read\
s ${Ye(e.readMicros)} on average`;return`${F(e.flashBytes)} of flash: ${ye(e.hitRatio)} hits${t}`}var sc=230,Vf=1e4,qf=[["present","Present size"],["half","Half of it"],["double","Twice as much"],["held","Held now"],["knee","More gains le\
ss above"],["largest","More gains nothing above"],["wanted","For 90 % hits"],["working_set","Used in 48 active hours"]],zi=class{element;#n=c(
"div",{class:"curve-canvas",role:"img"});#t=c("p",{class:"hint",role:"status"});#o=c("span",{class:"chart-when"});#s=xs(qf);#r=new ResizeObserver(
()=>this.#b());#l;#e=null;#i=null;#u=0;#a="";#c;#d=c("output",{class:"chosen","data-figure":"chosen"});#p=c("button",{type:"button",class:"p\
rimary",onclick:()=>this.#v()},"Use this size\u2026");#f=[];#h=!1;#m=null;#y;constructor(t){this.#y=t;let n=at();this.#c=c("input",{id:n,type:"\
range",min:0,max:0,step:1,value:0,"aria-describedby":`${n}-chosen`}),this.#d.id=`${n}-chosen`,this.#c.addEventListener("input",()=>{this.#h=
!0,this.#g()}),this.element=c("section",{class:"card curve","aria-label":"Curve"},c("div",{class:"section-head"},c("h2",{},"With a cache of \
another size"),this.#o),c("p",{class:"hint"},"The share of reads that flash and RAM of this size would answer, predicted from samples of wha\
t guests lately did."),this.#n,c("div",{class:"slider"},c("label",{for:n},"Try a size"),this.#c,this.#d,this.#p),this.#t,this.#s.element),this.
element.hidden=!0,this.#r.observe(this.#n),this.#l=pi(()=>this.#k())}set(t,n,s){if(this.#m=n,this.#e=t!==null&&t.reads>0?t:null,J(this.element,
this.#e!==null),!this.#e)return;this.#s.set(dr(this.#e)),q(this.#t,this.#e.reads<Vf?`Read ${ke(this.#e.reads)} times only: this may be chanc\
e.`:""),this.#w(this.#e,n,s),this.#n.setAttribute("aria-label",`Hit ratio by the size of the cache; at the present size of ${dr(this.#e).present}`);
let i=JSON.stringify([this.#e.points,this.#e.present,this.#e.held]);i!==this.#a&&(this.#a=i,this.#n.dataset.points=String(this.#e.points.length),
this.#k(),this.#b())}leave(){this.#r.disconnect(),this.#l(),this.#i?.destroy(),this.#i=null}#w(t,n,s){let i=this.#f[Number(this.#c.value)]?.
flashBytes,r=n.limit_bytes??0,l=t.points.map(p=>nc(t,p,r,s)).filter(p=>p!==null);this.#f=l.filter((p,b)=>b===0||p.flashBytes!==l[b-1]?.flashBytes),
this.#c.max=String(Math.max(0,this.#f.length-1));let u=this.#h&&i!==void 0?i:r,f=this.#f.reduce((p,b,m)=>ic(b,u)<ic(this.#f[p],u)?m:p,0);this.#c.
value=String(f),this.#g()}#g(){let t=this.#f[Number(this.#c.value)],n=t?.flashBytes===this.#m?.limit_bytes;q(this.#d,t?`${fr(t)}${n?" (as it\
 is)":""}`:"No other size can be chosen"),this.#c.setAttribute("aria-valuetext",this.#d.textContent??""),this.#p.disabled=t===void 0||n}#v(){
let t=this.#f[Number(this.#c.value)],n=this.#m;if(!t||!n)return;let s=F(t.flashBytes),i=t.flashBytes<(n.limit_bytes??0);tt({title:`Let ${n.name}\
 have ${s} of flash at most?`,sentences:[`Predicted: ${fr(t)}.`,i?`What it holds above that is evicted; it holds ${F(n.statistics.flash_bytes)}\
 now.`:"It grows into it as guests read, if the pool has room that no other disk reserved.","Guests stay connected and go on meanwhile."],confirm:"\
Change",run:async()=>(await $e("PATCH",Ae(n.name),{settings:{limit:String(t.flashBytes)}}),this.#h=!1,this.#y(),`${n.name} may have ${s} of \
flash now`)})}#k(){this.#i?.destroy(),this.#i=null,this.#b()}#b(){let t=Math.floor(this.#n.clientWidth);t===0||!this.#e||(this.#i?t!==this.#u&&
this.#i.setSize({width:t,height:sc}):this.#_(t,this.#e),this.#u=t)}#_(t,{points:n}){let s={stroke:st("ink-soft"),font:`12px ${st("font")}`,ticks:{
show:!1},grid:{stroke:st("rule"),width:1}},i=st("flash"),r=n.map(u=>ur(u.cache_bytes)),l={width:t,height:sc,legend:{show:!1},cursor:{drag:{x:!1,
y:!1}},scales:{x:{time:!1,range:[r[0]??0,r.at(-1)??1]},y:{range:[0,1]}},axes:[{...s,grid:{show:!1},size:26,space:80,incrs:[1,2,4,8],values:(u,f)=>f.
map(p=>F(2**p))},{...s,size:62,space:36,values:(u,f)=>f.map(p=>`${Math.round(p*100)}%`)}],series:[{},{label:"Hit ratio",stroke:i,width:2,points:{
show:!1},fill:`${i}40`}],hooks:{draw:[u=>this.#x(u)],setCursor:[u=>this.#S(u.cursor.idx??null)]}};this.#i=new ze(l,[r,n.map(u=>u.hit_ratio)],
this.#n)}#x(t){if(!this.#e)return;let{ctx:n,bbox:s}=t,i=window.devicePixelRatio||1,r=[[this.#e.held,"held",st("limit"),[4,4]],[this.#e.present,
"present",st("ink"),[]]];n.save(),n.font=`${12*i}px ${st("font")}`;for(let[{cache_bytes:l},u,f,p]of r){let b=t.valToPos(ur(l),"x",!0);if(l<=
0||b<s.left||b>s.left+s.width)continue;n.strokeStyle=n.fillStyle=f,n.lineWidth=1.5*i,n.setLineDash(p.map(y=>y*i)),n.beginPath(),n.moveTo(b,s.
top),n.lineTo(b,s.top+s.height),n.stroke();let m=u==="held";n.textAlign=m?"right":"left",n.fillText(u,b+(m?-5:5)*i,s.top+12*i)}n.restore()}#S(t){
let n=t===null?void 0:this.#e?.points[t];q(this.#o,n?`${F(n.cache_bytes)}: ${ye(n.hit_ratio)}`:"")}};function ic(e,t){return e===void 0?1/0:
Math.abs(Math.log(e.flashBytes/t))}var Gf=[["connections","Guests connected"],["nbd_socket","NBD socket"],["vhost_socket","vhost-user socket"]],Kf={"vhost-user":"vhost-user",nbd:"\
NBD","nbd-tcp":"NBD over TCP"},Hi=class{element;#n=xs(Gf);#t=c("div",{class:"stack"});#o=c("select",{name:"client","aria-label":"Client"});#s=c(
"label",{class:"inline"},"For ",this.#o);#r;#l=[];#e=!1;constructor(t){this.#r=t,this.element=c("section",{class:"card connect","aria-label":"\
Connect"},c("h2",{},"How guests connect"),this.#n.element,this.#s,this.#t),this.#s.hidden=!0,this.#o.addEventListener("change",()=>this.#u())}update(t){
this.#n.set({connections:t.connections===null?"\u2013":String(t.connections),nbd_socket:t.nbd_socket,vhost_socket:t.vhost_socket}),this.#e||
(this.#e=!0,this.#i())}async#i(){let t=await Yt(`${Ae(this.#r)}/connect`,"connect").catch(()=>(this.#e=!1,null));this.#l=t?.forms??[];let n=[
...new Set(this.#l.map(s=>s.client))];this.#o.replaceChildren(...n.map(s=>c("option",{value:s},s))),J(this.#s,n.length>0),this.#u()}#u(){let t=this.#l.
filter(n=>n.client===this.#o.value);Lt(this.#t,t,n=>`${n.client} ${n.door}`,jf,(n,s)=>{pe(n,"h3",`${s.client}, over ${Kf[s.door]??s.door}`),
pe(n,".hint",s.note),pe(n,"code",s.lines.trimEnd())})}};function jf(){let e=c("code",{}),n=c("button",{type:"button",class:"quiet",onclick:()=>{
navigator.clipboard?.writeText(e.textContent??"").then(()=>Ds("Copied"))}},"Copy");return n.hidden=navigator.clipboard===void 0,c("div",{},c(
"div",{class:"section-head"},c("h3",{}),n),c("p",{class:"hint"}),c("pre",{},e))}function It(e,t,n=""){let s=at();return t.id=s,c("div",{class:"field"},c("label",{for:s},e),t,n===""?null:c("p",{class:"hint"},n))}function Ii(e,t){
let n=c("input",{type:"checkbox",name:e});return{element:c("label",{class:"tick"},n,c("span",{},t)),input:n}}function an(e,t={}){return c("i\
nput",{type:"text",name:e,spellcheck:"false",autocomplete:"off",autocapitalize:"off",...t})}function oc(...e){return c("details",{},c("summa\
ry",{},"More"),c("div",{class:"fields"},...e))}var Uf=["mode","block-size","reserve","limit","ram","dirty-limit"];function rc(e){let t=an("n\
ame",{required:!0,pattern:"[a-z0-9][a-z0-9._\\-]{0,62}",title:"Small letters, digits, dot, dash and underscore"}),n=an("backing",{required:!0,
placeholder:"/srv/images/web1.raw"}),s=Fs.filter(f=>Uf.includes(f.name)).map(f=>{let p=f.choices?.map(m=>c("option",{value:m},m))??[],b=f.choices?
c("select",{name:f.name},c("option",{value:""},"default"),...p):an(f.name,{placeholder:"default"});return{key:f,input:b}}),i=Ii("read_only",
"Read-only: nothing is ever written to the backing"),r=Ii("raw_anyway","Serve it as raw even if it looks like an image of another format"),[
l,...u]=s;tt({title:"Add a disk",sentences:["Forebay serves it from now on, also after a restart. Its content stays as it is, and it must no\
t be open elsewhere."],confirm:"Add",fields:c("div",{class:"stack"},It("Name",t),It("Backing",n,"A raw file or a block device, or nbd://HOST\
/EXPORT, or nbd+unix:///EXPORT?socket=PATH."),l?It(l.key.name,l.input,l.key.about):null,oc(...u.map(({key:f,input:p})=>It(f.name,p,f.about)),
i.element,r.element)),run:async()=>{let f=s.map(({key:m,input:y})=>[m.name,y.value.trim()]).filter(([,m])=>m!==""),p={name:t.value.trim(),backing:n.
value.trim(),read_only:i.input.checked,raw_anyway:r.input.checked,settings:Object.fromEntries(f)},{disk:b}=await $e("POST","/v1/disks",p);return e(
b.name),`${b.name} is ${b.state}; its page says how guests connect to it`}})}function lc(e,t){let n=Ii("lose_dirty",`Give up what the backin\
g does not have: ${F(nt(e))} is lost for good`),s=Ii("force","Remove it although a guest uses it: that guest gets errors");tt({title:`Remove\
 ${e.name}?`,sentences:vl(e),confirm:"Remove",isDangerous:!0,fields:c("div",{class:"stack"},nt(e)>0?n.element:null,(e.connections??0)>0?s.element:
null),run:async()=>(await $e("DELETE",Ae(e.name),{lose_dirty:n.input.checked,force:s.input.checked}),t(),`${e.name} is served no more; its b\
acking is complete as far as the dialog said`)})}function ac(e){let t=an("qmp",{placeholder:"/run/web.qmp"}),n=an("libvirt"),s=an("device",{
placeholder:"the only one"}),i=an("name",{placeholder:"from the guest"});tt({title:"Attach a running guest",sentences:["The disk of a runnin\
g QEMU guest is moved behind Forebay, without a reboot and without a copy. The guest goes on meanwhile."],confirm:"Attach",fields:c("div",{class:"\
stack"},It("QEMU's monitor socket",t,"Made with -qmp unix:SOCKET,server=on,wait=off. Or give the guest's name in libvirt."),It("Guest of lib\
virt",n),It("Device",s,"The id of the guest's -device, or of its -drive, if it has several disks."),It("Name of the disk",i)),run:async()=>{
let r=[t,n,s,i].map(u=>[u.name,u.value.trim()]).filter(([,u])=>u!==""),{moved:l}=await $e("POST","/v1/vms",Object.fromEntries(r));return e(l),
`The running guest has its disk from Forebay now, as ${l}`}})}function cc(e,t){tt({title:`Give ${e.name} back to its guest?`,sentences:wl(e),
confirm:"Give back",run:async()=>(await $e("DELETE",`/v1/vms/${encodeURIComponent(e.name)}`),t(),`The running guest has ${e.name} back as it\
 was; Forebay no longer serves it`)})}function uc(e){let t=an("path",{required:!0,placeholder:"/dev/disk/by-id/..."}),n=c("input",{type:"num\
ber",name:"size",min:1,step:1,placeholder:"whole device"}),s=an("erase");tt({title:"Add a device to the pool",sentences:["What is on it is o\
verwritten. A device that holds anything is refused, and the refusal says what it holds."],confirm:"Add",isDangerous:!0,fields:c("div",{class:"\
stack"},It("Path",t,"A block device under a name that stays, or a file; a file that is not there is made."),It("Size in GiB",n,"For files. A\
 device is taken whole."),oc(It("Erase",s,"The id of the old pool that a refusal named, if that may be erased."))),run:async()=>{let i={path:t.
value.trim(),size_bytes:n.value===""?null:Number(n.value)*1073741824,erase:s.value.trim()===""?null:s.value.trim()};return await $e("POST","\
/v1/pool/devices",i),e(),`${i.path} is a device of the pool`}})}function dc(e,t){let n=e.path??`device ${e.number}`;tt({title:`Take ${n} out\
 of the pool?`,sentences:["Dirty data is written to the backings first. Then what the disks cached, also on the other devices, is dropped.",
"Guests go on from the backings, slower, until the cache is warm again."],confirm:"Take out",isDangerous:!0,run:async()=>(await $e("DELETE",
jr(e.number)),t(),`${n} is no device of the pool any more`)})}var Yf={size:"Request size",latency:"Latency",seek:"Seek distance",outstanding:"Outstanding requests",interarrival:"Time between requests"},
fc={...yi,read:"Reads",write:"Writes",all:"All"};function Jf(e,t){if(e.upto===null)return"more";switch(t){case"bytes":return e.upto%1024===0?
F(e.upto):ke(e.upto);case"microseconds":return Ye(e.upto);default:return e.upto<0?`\u2212${ke(-e.upto)}`:ke(e.upto)}}function Qf(e){let t=e.
map(([,u])=>u.length),n=u=>e.some(([,f])=>(f[u]?.count??0)>0),s=[...Array(Math.max(0,...t)).keys()],i=s.filter(n),[r,l]=[i[0],i.at(-1)];return r===
void 0||l===void 0?[0,0]:[Math.max(0,r-1),Math.min(s.length,l+2)]}function Zf(e){let t=e.map(([,n])=>n.map(s=>s.upto).join());return t.every(
n=>n===t[0])}var Wi=class{element=c("section",{class:"histograms","aria-label":"Histograms"});#n=c("div",{class:"segmented",role:"group","ar\
ia-label":"What is counted"});#t=c("div",{class:"card histogram-tables"});#o=[];#s="size";#r="";constructor(){this.element.append(c("div",{class:"\
section-head"},c("h2",{},"Histograms"),this.#n),this.#t),this.element.hidden=!0}set(t){if(this.element.hidden=t===null||t.length===0,t===null||
t.length===0)return;this.#o=t,t.some(([s])=>s===this.#s)||(this.#s=t[0]?.[0]??"");let n=t.map(([s])=>s);this.#n.children.length!==n.length&&
this.#n.replaceChildren(...n.map(s=>this.#l(s))),this.#e()}#l(t){return c("button",{type:"button","data-what":t,onclick:()=>{this.#s=t,this.#e()}},
Yf[t]??t)}#e(){for(let l of this.#n.children)l.setAttribute("aria-pressed",String(l.getAttribute("data-what")===this.#s));let t=this.#o.find(
([l])=>l===this.#s)?.[1];if(!t)return;let n=JSON.stringify([this.#s,t]);if(n===this.#r)return;this.#r=n;let{unit:s,kinds:i}=t,r=i.length<=2&&
Zf(i)?[i]:i.map(l=>[l]);this.#t.replaceChildren(...r.map(l=>Xf(s,l)))}};function Xf(e,t){let[n,s]=Qf(t),i=e==="bytes"||e==="microseconds"?"U\
p to":`Up to, ${e}`;if(n===s)return c("p",{class:"hint"},`${t.map(([f])=>fc[f]??f).join(", ")}: nothing was counted yet.`);let r=t.map(([,f])=>f.
reduce((p,b)=>p+b.count,0)),l=c("thead",{},c("tr",{},c("th",{scope:"col"},i),...t.map(([f],p)=>c("th",{scope:"col"},`${fc[f]??f}: ${ke(r[p])}`)))),
u=[...Array(s-n).keys()].map(f=>{let p=n+f,b=t[0]?.[1][p];return c("tr",{},c("th",{scope:"row"},b?Jf(b,e):""),...t.map(([,m],y)=>eh(m[p]?.count??
0,r[y]??0,y)))});return c("table",{class:"histogram"},l,c("tbody",{},...u))}function eh(e,t,n){let s=t>0?e/t:0,i=c("span",{class:`bar bar-${n%
6}`});i.style.width=`${(s*100).toFixed(2)}%`;let r=c("span",{class:"bar-text"});return q(r,e===0?"":`${ke(e)} (${(s*100).toFixed(1)}%)`),c("\
td",{},c("div",{class:"bar-cell"},c("span",{class:"bar-track"},i),r))}var th=[["mean","mean"],["median","p50"],["95 %","p95"],["99 %","p99"]];function nh(e,t){if(e===null||t===null||e<=0)return"";let n=(t-e)/e*
100;return Math.abs(n)<.05?"0.0%":`${n>0?"+":"\u2212"}${Math.abs(n).toFixed(1)}%`}function sh(e){let t=[],n=(s,i,r,l)=>{let[u,f]=[r(e.without),
r(e.with)];u===null&&f===null||t.push({key:s,name:i,without:l(u),with:l(f),change:nh(u,f)})};for(let s of["read","write"])for(let[i,r]of th)
n(`${s}.${r}`,`${s==="read"?"Read":"Write"} latency, ${i}`,l=>l.latency_us[s]?.[r]??null,Ye);return n("iops","Requests a second, mean",s=>s.
iops,je),n("iops_busiest_minute","Requests a second, busiest minute",s=>s.iops_busiest_minute,je),n("backing_reads","Reads from the backing",
s=>s.backing_reads,ke),n("backing_read_bytes","Bytes from the backing",s=>s.backing_read_bytes,F),n("backing_writes","Writes to the backing",
s=>s.backing_writes,ke),n("backing_write_bytes","Bytes to the backing",s=>s.backing_write_bytes,F),t}function ih(e){let{times_faster:t,writes_times_faster:n}=e,
s=[];return t===null?s.push(e.with.reads===0?"Nothing was read with the cache yet, so there is nothing to compare with.":"No read went to th\
e backing yet, so there is nothing to compare with."):t>=1.05?s.push(`The mean read is ${t.toFixed(1)} times faster with the cache.`):s.push(
"The cache gains nothing for reads so far: most of what is read is read for the first time, or the backing is as fast."),n!==null&&n>=1.05&&
s.push(`The mean write is ${n.toFixed(1)} times faster.`),s}function oh(e){let{without:t}=e,n={measured:"measured while the disk was in pass\
-through",concluded:`concluded from the ${ke(e.measured_backing_reads)} that went to the backing`,unknown:"not known"}[t.reads_are],s=t.writes_are===
"measured"?"measured in pass-through":"not known";return`Without the cache: reads are ${n}, writes are ${s}.`}function rh({warm_up:e}){let t=s=>((s??
0)*100).toFixed(1),n=(e.variation_max*100).toFixed(0);switch(e.state){case"warm":return`Warm after ${Ot(e.seconds)}: the next three steps hi\
t ${ye(e.hit_ratio)}, less than ${n} points apart.`;case"warming":return(e.variation??0)<e.variation_max?"Not warm yet: next to nothing hits\
.":`Not warm yet: the last three steps are ${t(e.variation)} points apart, and ${n} are too many.`;default:return`Whether it is warm is not \
known: that takes three steps with ${ke(e.reads_min)} reads each.`}}function lh(e,t){let n=[e.without,e.with].map(p=>p.latency_us[t]?.classes??
null),s=n.find(p=>p!==null)??[],i=n.map(p=>{let b=p?.reduce((m,y)=>m+y.count,0)??0;return s.map((m,y)=>p===null||b===0?null:(p[y]?.count??0)/
b)}),r=s.map((p,b)=>({upto:p.upto===null?"more":Ye(p.upto),without:i[0]?.[b]??null,with:i[1]?.[b]??null})),l=r.flatMap((p,b)=>(p.without??0)>
0||(p.with??0)>0?[b]:[]),[u,f]=[l[0],l.at(-1)];return u===void 0||f===void 0?[]:r.slice(u,f+1)}var Bi=class{element;#n=c("p",{class:"report-\
verdict",role:"status"});#t=c("p",{class:"hint"});#o=c("p",{class:"report-warm"});#s=c("p",{class:"hint"});#r=c("tbody",{});#l=c("tbody",{});#e;#i=c(
"p",{class:"hint","data-figure":"report.share"});#u=c("div",{class:"report-known"});#a="read";#c=null;#d="";constructor(){let t=(s,i)=>c("bu\
tton",{type:"button","data-kind":s,onclick:()=>{this.#a=s,this.#p()}},i);this.#e=c("div",{class:"segmented",role:"group","aria-label":"Class\
es of"},t("read","Reads"),t("write","Writes"));let n=(...s)=>c("thead",{},c("tr",{},...s.map(i=>c("th",{scope:"col"},i))));this.#u.append(c(
"table",{class:"report-figures"},n("","Without","With the cache","Change"),this.#r),this.#i,this.#o,c("div",{class:"section-head"},c("h3",{},
"By latency"),this.#e),c("table",{class:"histogram report-classes"},n("Up to","Without","With the cache"),this.#l)),this.element=c("section",
{class:"card report","aria-label":"Before and after"},c("h2",{},"Before and after"),this.#n,this.#t,this.#u,this.#s),this.element.hidden=!0}set(t){
J(this.element,t!==null),this.#c=t,this.#p()}#p(){let t=this.#c;if(!t)return;let n=JSON.stringify([this.#a,t]);if(n===this.#d)return;this.#d=
n;let s=[t.without,t.with].some(m=>m.reads+m.writes>0);J(this.#u,s),J(this.#t,s);let i=as(t.compared_since);q(this.#n,s?ih(t).join(" "):`Not\
hing was read since ${i}, nor written: there is nothing to report yet.`),q(this.#t,`Since ${i}: ${ke(t.with.reads)} reads and ${ke(t.with.writes)}\
 writes with the cache, ${ke(t.without.reads)} and ${ke(t.without.writes)} in pass-through. ${oh(t)}`),this.#r.replaceChildren(...sh(t).map(
ah));let{reads:r,read_hits_ram:l,read_hits_flash:u}=t.with,f=m=>ye(r>0?m/r:null);q(this.#i,`Of reads with the cache, ${f(l+u)} were answered\
 by it: ${f(l)} from RAM, ${f(u)} from flash. Written to flash: ${F(t.flash_write_bytes)}.`),q(this.#o,rh(t));for(let m of this.#e.children)
m.setAttribute("aria-pressed",String(m.getAttribute("data-kind")===this.#a));let p=lh(t,this.#a);this.#l.replaceChildren(...p.length>0?p.map(
ch):[c("tr",{},c("td",{colspan:3},"Nothing was counted yet."))]);let b=t.without.reads_are==="measured"&&t.without.writes_are==="measured";J(
this.#s,s&&!b),q(this.#s,`To have "without" measured, let the disk run in pass-through for ${ke(t.requests_min)} reads and as many writes: s\
et mode below, and set it back.`)}};function ah(e){let t=n=>c("td",{"data-figure":`report.${e.key}.${n}`},e[n]);return c("tr",{},c("th",{scope:"\
row"},e.name),t("without"),t("with"),t("change"))}function ch(e){let t=(n,s)=>{let i=c("span",{class:`bar bar-${s}`});return i.style.width=`${((n??
0)*100).toFixed(2)}%`,c("td",{},c("div",{class:"bar-cell"},c("span",{class:"bar-track"},i),c("span",{class:"bar-text"},ye(n))))};return c("t\
r",{},c("th",{scope:"row"},e.upto),t(e.without,1),t(e.with,0))}var Vi=class{element;#n=new Map;#t=c("div",{class:"fields"});#o=c("button",{type:"submit",class:"primary"},"Review changes\u2026");#s=c("but\
ton",{type:"reset"},"Undo");#r=c("span",{class:"hint","aria-live":"polite"});#l;#e;constructor(t,n){this.#l=t,this.#e=n;let s=c("form",{"ari\
a-label":"Settings"},this.#t,c("div",{class:"buttons buttons-start"},this.#o,this.#s,this.#r));s.addEventListener("input",()=>this.#a()),s.addEventListener(
"reset",i=>{i.preventDefault();for(let r of this.#n.values())r.input.value=r.now;this.#a()}),s.addEventListener("submit",i=>{i.preventDefault(),
this.#c()}),this.element=c("section",{class:"card","aria-label":"Settings"},c("h2",{},"Settings"),c("p",{class:"hint"},"As forebay disk set \
takes them. They are changed while guests go on."),s)}update(t){let n=Fs.filter(i=>i.name in t),s=Object.keys(t).filter(i=>!Fs.some(r=>r.name===
i));for(let i of[...n,...s.map(r=>({name:r,about:""}))]){let r=t[i.name]??"",l=this.#n.get(i.name)??this.#i(i,r),u=l.input.value!==l.now;l.now=
r,u||hc(l.input,r)}this.#a()}#i(t,n){let s=at(),i=at(),r={id:s,name:t.name,"aria-describedby":i},l=t.choices?c("select",r,...t.choices.map(p=>c(
"option",{value:p},p))):c("input",{...r,type:"text",spellcheck:"false",autocomplete:"off",autocapitalize:"off"}),u=c("div",{class:"field"},c(
"label",{for:s},t.name),l,c("p",{class:"hint",id:i},t.about)),f={key:t.name,now:n,input:l,element:u};return hc(l,n),this.#t.append(u),this.#n.
set(t.name,f),f}#u(){let t=[...this.#n.values()].filter(n=>n.input.value.trim()!==n.now);return Object.fromEntries(t.map(n=>[n.key,n.input.value.
trim()]))}#a(){let t=this.#u();for(let s of this.#n.values())s.element.classList.toggle("changed",s.key in t);let n=Object.keys(t).length;this.#o.
disabled=n===0,J(this.#s,n>0),q(this.#r,n===0?"":n===1?"1 change, not sent yet":`${n} changes, not sent yet`)}#c(){let t=this.#l(),n=this.#u();
if(!t||Object.keys(n).length===0)return;let s=Object.entries(n).map(([i,r])=>c("li",{},c("code",{},i),`: ${this.#n.get(i)?.now??""} \u2192 ${r}`));
tt({title:`Change ${t.name}?`,sentences:wi(t,n),confirm:"Change",fields:c("ul",{class:"changes"},...s),run:async()=>{await $e("PATCH",Ae(t.name),
{settings:n});for(let[i,r]of Object.entries(n)){let l=this.#n.get(i);l&&(l.now=r)}return this.#e(),`${t.name} now has ${Object.entries(n).map(
([i,r])=>`${i}=${r}`).join(" ")}`}})}};function hc(e,t){e instanceof HTMLSelectElement&&![...e.options].some(n=>n.value===t)&&e.append(c("op\
tion",{value:t},t)),e.value!==t&&(e.value=t)}var uh=[["backing","Backing"],["size_bytes","Size"],["block_bytes","Block"],["reserve_bytes","Reserved flash"],["limit_bytes","Flash at most"],
["cached_bytes","Cached on flash"],["ram_bytes","Cached in RAM"],["load","From last time"],["mirrored","Dirty data"],["guest","Taken from"],
["page_cache","Page cache"],["errors","Errors"]];function pc(e,t,n){let s=null,i=()=>s,r=Qt(),l=c("span",{class:"mode"}),u=Fi(),f={hits:yt("\
Hit ratio","hit_ratio"),operations:yt("Requests","operations"),bytes:yt("Throughput","bytes"),latency:yt("Read latency, mean","latency"),dirty:yt(
"Dirty","dirty_bytes"),saved:yt("Backing requests saved","saved")},p=new Ni(n),b=new Wi,m=new zi(t),y=new vi(t),E=new Bi,_=c("p",{class:"car\
d empty","data-figure":"no_curve"},"Sizes are predicted from what guests read. Nothing was read since the disk was attached."),D=xs(uh.map(([
N,P])=>[N,P])),z=new Vi(i,t),B=kl(i,t),k=new Hi(e),O=c("button",{type:"button",class:"danger","data-action":"remove",onclick:()=>s&&lc(s,t)},
"Remove this disk\u2026"),T=c("button",{type:"button","data-action":"detach",onclick:()=>s&&cc(s,t)},"Give it back to its guest\u2026"),Q={overview:Gs(
"overview",c("div",{class:"tiles"},...Object.values(f).map(N=>N.element)),p.element,B.element),sizing:Gs("sizing",y.element,m.element,_),requests:Gs(
"requests",E.element,b.element),connect:Gs("connect",k.element),settings:Gs("settings",z.element,c("section",{class:"card","aria-label":"Fac\
ts"},c("h2",{},"About this disk"),D.element),c("section",{class:"card","aria-label":"Removal"},c("h2",{},"Removal"),c("p",{class:"hint"},"Th\
e disk is served no more; the content of its backing stays."),c("div",{class:"buttons buttons-start"},O,T)))},L=Ao.map(N=>[N,c("a",{href:Ln(
e,N)},dh[N])]),X=c("nav",{class:"tabs","aria-label":`Parts of ${e}`},...L.map(([,N])=>N)),U=c("div",{class:"stack"},u.element,X,...Object.values(
Q)),ee=c("div",{class:"card empty"},c("h3",{},"No such disk"),c("p",{},"Forebay serves no disk of this name. It may have been removed: foreb\
ay disk list shows all.")),j=c("p",{class:"loading"},"Asking Forebay\u2026");return{element:c("div",{class:"view"},c("p",{class:"crumb"},c("\
a",{href:"#/"},"\u2190 Host")),c("div",{class:"title"},c("h1",{},e),r,l),ee,j,U),title:e,open(N){for(let[P,G]of L)G.setAttribute("aria-curre\
nt",P===N?"page":"false"),J(Q[P],P===N)},leave:()=>{p.leave(),m.leave()},update(N){let P=N.disk;if(s=P==="missing"||P===null?null:P,J(ee,P===
"missing"),J(j,P===null),J(U,s!==null),J(r,s!==null),!s)return;let G=Cs(s);Zt(r,bi([on(s.state),...G.map(W=>W.tone)]),s.state),q(l,s.read_only?
`${s.mode}, read-only`:s.mode),u.set(G),fh(f,s,N),p.update(N,e,s.mode),b.set(N.histograms),m.set(N.curve,s,N.windows.get(e)??s.statistics),y.
set(N.advice,s),J(_,m.element.hidden),k.update(s),J(T,s.guest!==null),E.set(N.report),D.set(ph(s)),z.update(s.settings),B.update()}}}var dh={
overview:"Overview",sizing:"Sizing",requests:"Requests",connect:"Connect",settings:"Settings"};function Gs(e,...t){return c("div",{class:"st\
ack","data-tab":e},...t)}function fh(e,t,n){let s=n.windows.get(t.name)??n.statistics.get(t.name),i=n.windows.has(t.name)?"last 5 minutes":"\
since attached",r=n.series.get(t.name)?.last,l=r?.rates??null,u=Rn(l);e.hits.set(ye(s?.hit_ratio),`of reads, ${i}`),e.operations.set(u===null?
"\u2013":`${je(u)}/s`,l?`${je(l.reads)} reads, ${je(l.writes)} writes`:""),e.bytes.set(l?Ct(l.read_bytes+l.write_bytes):"\u2013",l?`${Ct(l.read_bytes)}\
 read, ${Ct(l.write_bytes)} written`:""),e.latency.set(Ye(r?.readMicros),r?.writeMicros==null?"no writes lately":`writes ${Ye(r.writeMicros)}`),
e.dirty.set(F(t.dirty_bytes),hh(t)),e.saved.set(ye(s?ui(s):null),i)}function hh(e){let t=e.mode==="write-back"?`of at most ${F(e.dirty_limit_bytes)}`:
null;if(nt(e)===0)return t??"the backing is complete";let n=e.statistics.destage_bytes_per_second??0;return yn(t??`for ${Ot(e.dirty_for_seconds)}`,
Os(e.dirty_zeroes_bytes),n>0?`${Ct(n)} going home`:null)}function ph(e){let{statistics:t}=e,n={backing:e.backing,size_bytes:F(e.size_bytes),
block_bytes:F(e.block_bytes),reserve_bytes:F(e.reserve_bytes),limit_bytes:F(e.limit_bytes),cached_bytes:F(t.cached_bytes),ram_bytes:F(t.ram_bytes),
load:yl(e),mirrored:mh(e),errors:gh(e)};return e.guest&&(n.guest=`QEMU at ${e.guest.qmp}, device ${e.guest.device}`),e.page_cache_reason&&(n.
page_cache=`used, because ${e.page_cache_reason}`),n}function mh(e){return e.mirrored===null?"\u2013":e.mirrored?"on two devices":"on one de\
vice"}function gh(e){let{checksum_errors:t,flash_errors:n,backing_errors:s,backing_retries:i}=e.statistics;if(t===void 0)return"\u2013";let l=[
[t,"checksums"],[n,"flash"],[s,"backing"],[i,"backing, sent again"]].filter(([u])=>(u??0)>0).map(([u,f])=>`${u} ${f}`);return l.length===0?"\
none":l.join(", ")}function mc(){let e=c("ol",{class:"events","aria-label":"Events, newest first"}),t=c("select",{name:"level"},c("option",{value:"info"},"All"),
c("option",{value:"warning"},"Warnings and errors"),c("option",{value:"error"},"Errors")),n=c("p",{class:"empty"},"Nothing happened that an \
operator must know."),s=c("p",{class:"empty"},"This Forebay keeps no list of events. Its log has them: journalctl --unit forebay"),i=()=>{};
t.addEventListener("change",()=>i());let r=c("label",{class:"inline"},"Show ",t),l=c("section",{class:"card"},r,e,n,s);return{element:c("div",
{class:"view"},c("h1",{},"Events"),l),title:"Events",leave(){},update(u){i=()=>{let f=["info","warning","error"],p=f.indexOf(t.value),b=(u.events??
[]).filter(m=>f.indexOf(m.level)>=p||!f.includes(m.level)).reverse();J(s,u.events===null),J(r,u.events!==null),J(n,u.events!==null&&b.length===
0),Lt(e,b,m=>`${m.id} ${m.time}`,bh,yh)},i()}}}function bh(e){let t=e.disk?c("a",{href:Ln(e.disk),class:"event-disk"},e.disk):null;return c(
"li",{class:"event"},c("div",{class:"event-head"},Qt(),c("time",{datetime:e.time},as(e.time)),t,c("span",{class:"event-kind"})),c("div",{class:"\
event-message"}),c("div",{class:"finding-advice"}))}function yh(e,t){let n=e.querySelector(".badge");n&&Zt(n,gi[t.level]??"warning",t.level),
pe(e,".event-kind",t.kind),pe(e,".event-message",t.message),pe(e,".finding-advice",t.advice??"")}var wh=Ls*1e3/Eo,vh=30,gc=new WeakMap;function bc(e){let t=Fi(),n={hits:yt("Hit ratio","host.hit_ratio"),operations:yt("Requests","host.oper\
ations"),bytes:yt("Throughput","host.bytes"),dirty:yt("Dirty","host.dirty_bytes"),saved:yt("Backing requests saved","host.saved")},s=Th(e),i=c(
"tbody",{}),l=c("table",{class:"disks"},c("thead",{},c("tr",{},...["Disk","State","Hit ratio","Requests/s","Read latency, mean","Dirty","Las\
t 5 min"].map(_=>c("th",{scope:"col"},_)))),i),u=Sh(),f=_=>{e(),window.location.hash=Ln(_,"connect")},p=c("button",{type:"button","data-acti\
on":"attach-guest",onclick:()=>ac(f)},"Attach a running guest\u2026"),b=c("button",{type:"button","data-action":"add-disk",onclick:()=>rc(f)},
"Add a disk\u2026"),m=c("section",{class:"card","aria-label":"Disks"},c("div",{class:"section-head"},c("h2",{},"Disks"),c("div",{class:"butt\
ons"},p,b)),l,u),y=c("div",{class:"tiles"},...Object.values(n).map(_=>_.element));return{element:c("div",{class:"view"},c("h1",{},"Host"),t.
element,y,m,s.element),title:"Host",leave(){},update(_){let D=_.disks??[],z=[..._.pool?pl(_.pool):[],...D.flatMap(Cs)];_.poolProblem&&z.unshift(
{tone:"bad",text:_.poolProblem,advice:null}),t.set(z),xh(n,_),J(y,D.length>0),J(l,D.length>0),J(u,D.length===0),Lt(i,D,B=>B.name,kh,(B,k)=>_h(
B,k,_)),s.update(_)}}}function xh(e,t){let n=[...t.statistics.values()],s=ll([...t.series.values()].map(m=>m.last?.rates??null)),i=n.map(m=>t.
windows.get(m.name)??m),r=t.windows.size>0?"last 5 minutes":"since attached",l=To(i);e.hits.set(ye(al(l)),`of reads, ${r}`);let u=Rn(s);e.operations.
set(u===null?"\u2013":`${je(u)}/s`,s?`${je(s.reads)} reads, ${je(s.writes)} writes`:""),e.bytes.set(s?Ct(s.read_bytes+s.write_bytes):"\u2013",
s?`${Ct(s.read_bytes)} read, ${Ct(s.write_bytes)} written`:"");let f=n.reduce((m,y)=>m+(y.dirty_bytes??0),0),p=n.reduce((m,y)=>m+(y.dirty_zeroes_bytes??
0),0),b=n.reduce((m,y)=>m+(y.mode==="write-back"?y.dirty_limit_bytes??0:0),0);e.dirty.set(F(f),yn(b>0?`of at most ${F(b)}`:"no disk is in wr\
ite-back",Os(p))),e.saved.set(ye(ui(l)),r)}function kh(e){let t=Za(`Hit ratio of ${e.name}`),n=(l,...u)=>c("td",{"data-heading":l},...u),s=l=>c(
"div",{"data-figure":`${e.name}.${l}`}),i=l=>c("div",{class:`sub ${l}`}),r=c("tr",{},c("th",{scope:"row"},c("a",{href:Ln(e.name)},e.name),i(
"backing")),n("State",Qt(),i("mode")),n("Hit ratio",s("hit_ratio"),i("split")),n("Requests/s",s("operations"),i("kinds")),n("Read latency, m\
ean",s("latency"),i("writes")),n("Dirty",s("dirty_bytes"),i("limit")),c("td",{class:"spark-cell"},t.element));return gc.set(r,t),r}function _h(e,t,n){
let s=n.statistics.get(t.name),i=n.windows.get(t.name)??s,r=n.series.get(t.name),l=r?.last,u=Cs(t),f=e.querySelector(".badge"),p=bi([on(t.state),
...u.map(E=>E.tone)]);f&&Zt(f,p,t.state==="serving"&&p!=="good"?"serving, look":t.state);let b=(E,_)=>pe(e,`[data-figure$=".${E}"]`,_);pe(e,
".backing",t.size_bytes===null?vo(t.backing,34):`${F(t.size_bytes)} at ${vo(t.backing,34)}`),pe(e,".mode",t.read_only?`${t.mode}, read-only`:
t.mode),b("hit_ratio",ye(i?.hit_ratio));let m=i?.reads??0;pe(e,".split",m>0?`RAM ${ye((i?.read_hits_ram??0)/m)}, flash ${ye((i?.read_hits_flash??
0)/m)}`:"no reads yet"),b("operations",je(Rn(l?.rates??null))),pe(e,".kinds",l?.rates?`${je(l.rates.reads)} r, ${je(l.rates.writes)} w`:""),
b("latency",l?.readMicros==null?"\u2013":Ye(l.readMicros)),pe(e,".writes",l?.writeMicros==null?"":`writes ${Ye(l.writeMicros)}`),b("dirty_by\
tes",F(t.dirty_bytes)),pe(e,".limit",yn(t.mode==="write-back"&&t.dirty_limit_bytes?`of ${F(t.dirty_limit_bytes)}`:null,Os(t.dirty_zeroes_bytes)));
let y=(r?.points??[]).map(E=>E.hitRam===null||E.hitFlash===null?null:E.hitRam+E.hitFlash);gc.get(e)?.set(y,Math.max(vh,Math.min(wh,y.length)))}
function Sh(){return c("div",{class:"empty"},c("h3",{},"No disks yet"),c("p",{},"Nothing is cached until Forebay serves a disk. The button a\
bove adds one, and so does this on the host; nothing in the file changes:"),c("pre",{},c("code",{},"forebay disk add web1 --backing /srv/ima\
ges/web1.raw")),c("p",{},"A running QEMU guest's disk is moved behind Forebay without a reboot:"),c("pre",{},c("code",{},"forebay vm attach \
--qmp /run/web.qmp --device vda")),c("p",{class:"hint"},"It appears here by itself."))}function Th(e){let t=Qt(),n=c("span",{class:"meter-us\
ed"}),s=c("div",{class:"meter",role:"img"},n),i=c("p",{class:"meter-words","data-figure":"pool.used"}),r=c("p",{class:"meter-words","data-fi\
gure":"host.ram"}),l=c("tbody",{}),u=["Device","State","Size","Free","Wear","Remarks",""],f=c("button",{type:"button","data-action":"add-dev\
ice",onclick:()=>uc(e)},"Add a device\u2026"),p=c("table",{class:"devices"},c("thead",{},c("tr",{},...u.map(m=>c("th",{scope:"col"},m)))),l),
b=c("section",{class:"card","aria-label":"Pool"},c("div",{class:"section-head"},c("h2",{},"Flash and RAM"),t,f),s,i,r,p);return{element:b,update({
pool:m,statistics:y}){if(J(b,m!==null),!m)return;Zt(t,on(m.state),m.state);let E=(m.segments-m.segments_free)*m.segment_bytes,_=m.segments_free*
m.segment_bytes;n.style.width=`${m.segments>0?(100*(m.segments-m.segments_free)/m.segments).toFixed(2):0}%`;let D=`Pool of ${F(m.size_bytes)}\
: ${F(E)} in use, ${F(_)} free; ${F(m.reserved_bytes)} reserved by disks`;s.setAttribute("aria-label",D),q(i,D);let z=[...y.values()],B=z.reduce(
(O,T)=>O+(T.ram_bytes??0),0),k=z.reduce((O,T)=>O+(T.index_bytes??0),0);q(r,`RAM: ${F(B)} of content in front of the flash, ${F(k)} for the i\
ndex of what is on it`),Lt(l,m.devices,O=>String(O.number),O=>Eh(O,e),(O,T)=>Mh(O,T,m))}}}function Eh(e,t){let n=(s,i,r="")=>c("td",{"data-h\
eading":s,class:r},i);return c("tr",{},c("th",{scope:"row",class:"path"}),n("State",Qt()),n("Size",null,"size"),n("Free",null,"free"),n("Wea\
r",null,"wear"),n("Remarks",null,"remarks"),c("td",{},c("button",{type:"button",class:"quiet",onclick:()=>dc(e,t)},"Take out\u2026")))}function Mh(e,t,n){
pe(e,".path",t.path??`device ${t.number}`);let s=e.querySelector(".badge");s&&Zt(s,on(t.state),t.state),pe(e,".size",F(t.size_bytes)),pe(e,"\
.free",`${F(t.segments_free*n.segment_bytes)}`);let i=[ml(t.wear),gl(t.budget)].filter(l=>l!=="");pe(e,".wear",i.join("; ")||"\u2013");let r=[
t.discards?"discards":null,t.page_cache_reason?`page cache: ${t.page_cache_reason}`:null];pe(e,".remarks",r.filter(l=>l!==null).join("; ")||
`${ke(t.segments)} segments`)}var ks=c("main",{id:"main",tabindex:-1}),Ks=c("p",{class:"loading"},"Asking Forebay\u2026"),yc=c("span"),wc=c("button",{type:"button",onclick:yo},
"Sign in\u2026"),vc=c("div",{class:"banner",role:"alert",hidden:!0},yc," ",wc),pr=c("span",{class:"pulse"}),js={host:c("a",{href:"#/"},"Host"),
events:c("a",{href:"#/events"},"Events")},xc=c("button",{type:"button",class:"quiet",onclick:Rh}),kc=c("span",{class:"host-name","data-figur\
e":"host"}),_c=c("footer",{},c("span",{"data-figure":"version"}),c("a",{href:"/openapi.json"},"Interface for programs"),c("a",{href:"/metric\
s"},"Metrics")),Sc=c("button",{type:"button",class:"quiet",onclick:yo}),un=new di(Mc),cn=null,hr=null;function $h(){let e=c("a",{class:"skip",
href:"#main"},"To the content");e.addEventListener("click",s=>{s.preventDefault(),ks.focus()});let t=c("a",{href:"#/",class:"brand"},c("img",
{src:"/assets/icon.svg",alt:"",width:24,height:24}),"Forebay"),n=c("header",{},t,kc,c("nav",{"aria-label":"Views"},js.host,js.events),c("div",
{class:"header-end"},pr,xc,Sc));document.body.append(e,n,vc,ks,_c,Qr()),ks.append(Ks)}function Tc(){let e=hl(window.location.hash);if(!(cn!==
null&&hr!==null&&e.disk!==null&&e.disk===hr.disk)){cn?.leave();let{disk:n}=e;cn=n!==null?pc(n,()=>{un.look()},s=>un.show(s)):e.view==="event\
s"?mc():bc(()=>{un.look()}),ks.replaceChildren(cn.element),window.scrollTo(0,0)}hr=e,cn?.open?.(e.tab),Ec(),js.host.setAttribute("aria-curre\
nt",e.view==="host"?"page":"false"),js.events.setAttribute("aria-current",e.view==="events"?"page":"false"),un.watch(e.disk),Mc()}function Ec(){
let e=un.known.host?` on ${un.known.host.name}`:"",t=`${cn?.title??""} \u2013 Forebay${e}`;document.title!==t&&(document.title=t)}function Mc(){
let{known:e}=un;if(Ah(e),Ph(e),!cn)return;let t=e.disks!==null;J(cn.element,t),J(js.events,!t||e.events!==null),t?(cn.update(e),Ks.remove()):
Ks.isConnected||ks.append(Ks)}function Ah({away:e,answeredAt:t}){ks.classList.toggle("stale",e!==null),J(vc,e!==null),q(yc,e?Dh(e,t):""),J(wc,
e?.status===401),q(Ks,e?"Waiting for Forebay\u2026":"Asking Forebay\u2026"),pr.classList.toggle("pulse-away",e!==null),q(pr,e?"No answer":t===
null?"Connecting":"Live")}function Ph({host:e}){if(!e)return;Xr(e.token_path),q(kc,e.name);let t=_c.firstElementChild;t&&q(t,`Forebay ${e.version}\
 on ${e.name}`),Ec(),!e.may_change&&Ut.get()!==null&&Ut.clear(),qi()}function Dh({status:e,reason:t,since:n},s){let i=s===null?"":` What is \
shown is from ${bn(s)}.`;return e===401?`Seen from here, this host shows its figures to those only who have its token.${i}`:e>0?`${t}.${i}`:
`${t} since ${bn(n)}.${i} On the host, systemctl status forebay says whether it runs. This page goes on by itself.`}function Rh(){dl(),qi()}
function qi(){q(xc,{auto:"Theme: system",light:"Theme: light",dark:"Theme: dark"}[hi()]),q(Sc,Ut.get()===null?"Sign in":"Signed in")}fl();$h();
qi();document.addEventListener("forebay-token",()=>{qi(),un.lookAtHost()});window.addEventListener("hashchange",Tc);Tc();un.look();})();
