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
"use strict";(()=>{var er="forebay-token";var At=class extends Error{constructor(s,n){super(n);this.status=s}status;get wantsToken(){return this.status===401}},Ut={get(){return sessionStorage.
getItem(er)},set(e){sessionStorage.setItem(er,e.trim())},clear(){sessionStorage.removeItem(er)}};async function Yt(e,t){return(await Lo(e,{method:"\
GET"},8e3))[t]}async function Ao(e,t){return Ro(e,t,s=>s.status===404)}async function kn(e,t){return Ro(e,t,s=>s.status!==0&&!s.wantsToken)}
async function Ro(e,t,s){try{return await Yt(e,t)}catch(n){if(n instanceof At&&s(n))return null;throw n}}async function vt(e,t,s){let n={method:e,
headers:{"content-type":"application/json"},body:JSON.stringify(s??null)};return Lo(t,n,12e4)}function Ze(e){return`/v1/disks/${encodeURIComponent(
e)}`}function Po(e,t){return`/v1/history/${encodeURIComponent(e)}?span=${t}`}async function Lo(e,t,s){let n=AbortSignal.timeout(s),i=new Headers(
t.headers),o=Ut.get();o&&i.set("authorization",`Bearer ${o}`);let l;try{l=await fetch(e,{...t,headers:i,signal:n,cache:"no-store",credentials:"\
omit",redirect:"error"})}catch{throw new At(0,"Forebay does not answer")}let c=await l.json().catch(()=>null);if(!l.ok){let p=typeof c?.detail==
"string"?c.detail:`Forebay answered with status ${l.status}`;throw new At(l.status,p)}if(c===null)throw new At(0,"Forebay's answer was cut s\
hort");return c}function d(e,t={},...s){let n=document.createElement(e);for(let[i,o]of Object.entries(t))typeof o=="function"?n.addEventListener(i.slice(2),
o):o!=null&&o!==!1&&n.setAttribute(i,o===!0?"":String(o));return n.append(...s.filter(i=>i!=null&&i!==!1)),n}function js(e,t){let s=document.
createElementNS("http://www.w3.org/2000/svg",e);for(let[n,i]of Object.entries(t))s.setAttribute(n,String(i));return s}function q(e,t){e.textContent!==
t&&(e.textContent=t)}function te(e,t){e.hidden===t&&(e.hidden=!t)}function Sc(e){let t=new Set;return e.map(s=>{let n=s;for(let i=1;t.has(n);i+=
1)n=`${s} (${i})`;return t.add(n),n})}function Sn(e,t,s,n,i){let o=new Map([...e.children].map(h=>[h.getAttribute("data-item")??"",h])),l=Sc(
t.map(s)),c=new Set(l);for(let[h,b]of o)c.has(h)||b.remove();let p=e.firstElementChild;t.forEach((h,b)=>{let m=l[b]??"",w=o.get(m)??n(h);o.delete(
m),w.setAttribute("data-item",m),i(w,h),w===p?p=w.nextElementSibling:e.insertBefore(w,p)})}var Do=0;function Vt(){return Do+=1,`e${Do}`}var ts=null;function No(){return ts=d("div",{class:"status",role:"status","aria-live":"polite"}),ts}var Co=0,Tc=8e3;function tr(e){ts&&(q(ts,
e),ts.classList.add("status-shown"),window.clearTimeout(Co),Co=window.setTimeout(()=>ts?.classList.remove("status-shown"),Tc))}function Fo(e){
e.addEventListener("close",()=>e.remove()),document.body.append(e),e.showModal()}function Us(e){let t=Vt(),s=d("button",{type:"button"},"Can\
cel"),n=d("button",{type:"submit",class:"primary"},e.confirm),i=d("p",{class:"dialog-said","aria-live":"assertive"}),o=Ec(),l=d("form",{},d(
"h2",{id:t},e.title),...e.sentences.map(h=>d("p",{},h)),e.fields??null,o.element,i,d("div",{class:"buttons"},s,n)),c=d("dialog",{"aria-label\
ledby":t},l),p=new AbortController;s.addEventListener("click",()=>c.close()),c.addEventListener("close",()=>p.abort()),l.addEventListener("s\
ubmit",h=>{h.preventDefault(),o.take(),n.disabled=!0,i.className="dialog-said",q(i,"Working\u2026"),e.run(b=>q(i,b),p.signal).then(b=>{tr(b),
c.close()}).catch(b=>{let m=b instanceof Error?b.message:String(b);if(!c.open)return tr(m);n.disabled=!1,i.className="dialog-said dialog-fai\
led",q(i,m),b instanceof At&&b.wantsToken&&o.ask()})}),Fo(c)}function Ec(){let e=Vt(),t=d("input",{id:e,type:"password",autocomplete:"off",spellcheck:"\
false"}),s=d("div",{class:"field"},d("label",{for:e},"Token for changes"),t,Oo());return s.hidden=!0,{element:s,ask(){Ut.clear(),s.hidden=!1,
t.focus(),document.dispatchEvent(new Event("forebay-token"))},take(){s.hidden||t.value.trim()===""||(Ut.set(t.value),document.dispatchEvent(
new Event("forebay-token")))}}}function Oo(){return d("p",{class:"hint"},"On the host, as root or the user that runs Forebay: ",d("code",{},
"cat /var/lib/forebay/token")," (or the folder that serve was given with --dir). It is kept until this tab is closed.")}function nr(){let e=Vt(),
t=Vt(),s=d("input",{id:t,type:"password",autocomplete:"off",spellcheck:"false",required:!0}),n=d("button",{type:"button"},"Forget it"),i=d("\
button",{type:"button"},"Cancel");n.hidden=Ut.get()===null;let o=d("form",{},d("h2",{id:e},"Sign in for changes"),d("p",{},"On the host itse\
lf, everything can be read without it. Changes need the token of the host, and from other hosts reading does too."),d("div",{class:"field"},
d("label",{for:t},"Token"),s,Oo()),d("div",{class:"buttons"},n,i,d("button",{type:"submit",class:"primary"},"Keep it"))),l=d("dialog",{"aria\
-labelledby":e},o),c=p=>{document.dispatchEvent(new Event("forebay-token")),tr(p),l.close()};i.addEventListener("click",()=>l.close()),n.addEventListener(
"click",()=>{Ut.clear(),c("The token is forgotten; on the host itself reading goes on")}),o.addEventListener("submit",p=>{p.preventDefault(),
Ut.set(s.value),c("The token is kept until this tab is closed; the next change shows whether it is right")}),Fo(l)}var Mc=[["TiB",1099511627776],["GiB",1073741824],["MiB",1048576],["KiB",1024],["",1]];function Jt(e){return typeof e=="number"&&Number.isFinite(
e)}function C(e){if(!Jt(e))return"\u2013";let t=Math.round(e),[s,n]=Mc.find(([,i])=>t>=i)??["",1];return t%n===0?`${t/n}${s}`:`${(Math.floor(
(t*10+n/2)/n)/10).toFixed(1)}${s}`}var $c=[["PB",1e15],["TB",1e12],["GB",1e9],["MB",1e6],["kB",1e3],[" bytes",1]];function Ys(e){if(!Jt(e))return"\
\u2013";let t=Math.round(e),[s,n]=$c.find(([,i])=>t>=i)??[" bytes",1];return t%n===0?`${t/n}${s}`:`${(t/n).toFixed(1)}${s}`}function Rt(e){return Jt(
e)?`${C(e)}/s`:"\u2013"}function ve(e){return Jt(e)?`${(e*100).toFixed(1)}%`:"\u2013"}function Te(e){return Jt(e)?Math.round(e).toString().replace(
/\B(?=(\d{3})+$)/g,","):"\u2013"}function qe(e){return Jt(e)?e>=10||e===0?Te(e):e.toFixed(1):"\u2013"}function sr(e){if(!Jt(e))return"";for(let[
t,s]of[["M",1e6],["k",1e3]])if(Math.abs(e)>=s)return`${Number((e/s).toFixed(1))}${t}`;return String(Number(e.toFixed(2)))}function st(e){if(!Jt(
e))return"\u2013";for(let[t,s]of[["s",1e6],["ms",1e3]])if(e>=s)return`${zo(e/s)} ${t}`;return`${zo(e)} us`}function zo(e){return e>=100||Number.
isInteger(e)?e.toFixed(0):e>=10?e.toFixed(1):e.toFixed(2)}function Qt(e){if(!Jt(e))return"\u2013";let t=Math.round(e),s=[[Math.floor(t/86400),
"d"],[Math.floor(t/3600)%24,"h"],[Math.floor(t/60)%60,"min"],[t%60,"s"]],n=s.findIndex(([o])=>o>0);return n<0?"0 s":s.slice(n,n+2).filter(([
o])=>o>0).map(([o,l])=>`${o} ${l}`).join(" ")}function Tn(e){let t=new Date(e);return[t.getHours(),t.getMinutes(),t.getSeconds()].map(s=>String(
s).padStart(2,"0")).join(":")}function ir(e){let t=new Date(e);return[t.getMonth()+1,t.getDate()].map(s=>String(s).padStart(2,"0")).join("-")}
function Js(e){let t=new Date(e);return Number.isNaN(t.getTime())?e:`${[t.getFullYear(),t.getMonth()+1,t.getDate()].map(n=>String(n).padStart(
2,"0")).join("-")} ${Tn(t.getTime())}`}function rr(e,t){return e.length<=t?e:`\u2026${e.slice(1-t)}`}function an(...e){return e.filter(t=>t!==
null).join(", ")}var Qs=["read_hit_ram","read_hit_flash","read_miss","write","flush","destage"],ns=["reads","writes","flushes","discards","read_bytes","write\
_bytes","read_hits_ram","read_hits_flash","read_partial_hits","read_misses","reads_bypassed","backing_reads","backing_writes","backing_read_\
bytes","backing_write_bytes","flash_read_bytes","flash_write_bytes","destage_bytes","evictions"];function Wo(e){let t=[];for(let[s,n]of Object.
entries(Ho(e))){let{unit:i,...o}=Ho(n);if(typeof i!="string")continue;let l=Object.entries(o).filter(c=>Array.isArray(c[1]));l.length>0&&t.push(
[s,{unit:i,kinds:l}])}return t}function Ho(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)?e:{}}var or={"5m":300,"1d":86400,"7d":7*86400};function Io(e,t){let s=t-e.now,n=[],i=null;return e.time.forEach((o,l)=>{let c=o-(e.seconds[l]??0),
p=Ac(e,l,o+s),h=i!==null&&c-i>e.step_seconds;h&&n.push(Rc((i??0)+s)),(h||i===null)&&c<o&&n.push({...p,at:c+s}),n.push(p),i=o}),{span:e.span,
end:t,points:n}}function Ac(e,t,s){let n=e.seconds[t]??0,i=c=>c?.[t]??null,o=i(e.reads)??0,l=c=>o>0&&c!==null?c/o:null;return{at:s,rates:n>0?
Object.fromEntries(ns.map(c=>[c,(i(e[c])??0)/n])):null,hitRam:l(i(e.read_hits_ram)),hitFlash:l(i(e.read_hits_flash)),readMicros:i(e.read_latency_us),
writeMicros:i(e.write_latency_us),dirtyBytes:i(e.span==="5m"?e.dirty_bytes:e.dirty_bytes_max),dirtyLimitBytes:i(e.dirty_limit_bytes),latency:null,
readSpread:[i(e.read_p50_us),i(e.read_p95_us),i(e.read_p99_us)],writeSpread:[i(e.write_p50_us),i(e.write_p95_us),i(e.write_p99_us)]}}function Rc(e){
return{at:e,rates:null,hitRam:null,hitFlash:null,readMicros:null,writeMicros:null,dirtyBytes:null,dirtyLimitBytes:null,latency:null,readSpread:null,
writeSpread:null}}var Ss=300,Pc=10,Lc=1,Dc=1e3;function ar(e,t){return ns.every(s=>{let[n,i]=[e[s],t[s]];return n!==void 0&&i!==void 0&&i>=n})}function Vo(e,t){
let s=t.at-e.at;if(s<=0||!ar(e.statistics,t.statistics))return null;let n=ns.map(i=>[i,Cc(e,t,i)/s]);return Object.fromEntries(n)}function Cc(e,t,s){
return(t.statistics[s]??0)-(e.statistics[s]??0)}var Nc=["read_hit_ram","read_hit_flash","read_miss"];function Bo(e,t,s){let n=({statistics:l},c)=>s.
reduce((p,h)=>p+(l.latency_us?c(l.latency_us[h]):0),0),i=l=>n(t,l)-n(e,l),o=i(l=>l.count);return o>0?Math.max(0,i(l=>l.count*l.mean))/o:null}
function Xs(e){if(e===null)return null;let t=(e.reads??0)+(e.writes??0);return t>0?1-((e.backing_reads??0)+(e.backing_writes??0))/t:null}function En(e){
return e===null?null:e.reads+e.writes}function Go(e){let t=e.filter(s=>s!==null);return t.length===0?null:cr(t)}function qo(e){let{reads:t=0,
read_hits_ram:s=0,read_hits_flash:n=0}=e;return t>0?(s+n)/t:null}function cr(e){return Object.fromEntries(ns.map(t=>[t,e.reduce((s,n)=>s+(n[t]??
0),0)]))}var Zs=class{#e=[];#n=[];get points(){return this.#n}get last(){return this.#n.at(-1)}add(t,s,n){let i={at:t,statistics:s};t<(this.#n.
at(-1)?.at??t)&&([this.#e,this.#n]=[[],[]]);let o=this.#e.at(-1);o&&t-o.at<Lc&&ar(o.statistics,s)||(o&&!ar(o.statistics,s)&&(this.#e=[]),this.#n.
push(this.#i(i,n??s)),this.#e.push(i),this.#e=lr(this.#e,t),this.#n=lr(this.#n,t))}fill(t){let s=this.#n[0],n=t.filter(c=>s===void 0||c.at<s.
at),[i,o]=[t.at(-1),s??t.at(-1)];if(o===void 0||i===void 0)return;let l=s?.rates===null?[{...i,...Fc(s)},...this.#n.slice(1)]:this.#n;this.#n=
lr([...n,...l],this.#n.at(-1)?.at??o.at)}#i(t,s){let{at:n,statistics:i}=t,o=this.#e.at(-1),l=this.#e.find(h=>n-h.at<=Pc)??o,c=l?Vo(l,t):null,
p=h=>c&&c.reads>0?h/c.reads:null;return{at:n,rates:o?Vo(o,t):null,hitRam:c&&p(c.read_hits_ram),hitFlash:c&&p(c.read_hits_flash),readMicros:c&&
l?Bo(l,t,Nc):null,writeMicros:c&&l?Bo(l,t,["write"]):null,dirtyBytes:i.dirty_bytes??null,dirtyLimitBytes:i.dirty_limit_bytes??null,latency:s.
latency_us??null,readSpread:null,writeSpread:null}}};function Bt(e){return(e.dirty_bytes??0)+(e.dirty_zeroes_bytes??0)}function Fc(e){return Object.
fromEntries(Object.entries(e).filter(([,t])=>t!==null))}function lr(e,t){return e.filter(s=>t-s.at<=Ss).slice(-Dc)}var ur=2e3,Oc=3,zc=15,Hc=500,ei=class{known={disks:null,statistics:new Map,windows:new Map,pool:null,poolProblem:null,series:new Map,events:null,
disk:null,histograms:null,curve:null,advice:null,report:null,span:"5m",past:null,answeredAt:null,away:null};#e=null;#n;#i=0;#s=0;#o=0;#a=!1;#t=0;constructor(t){
this.#n=t}watch(t){t!==this.#e&&(this.#e=t,this.known.disk=null,this.known.histograms=null,this.known.curve=null,this.known.advice=null,this.
known.report=null,this.known.span="5m",this.known.past=null,this.#a=!1,this.#s=0,this.look())}show(t){this.known.span=t,this.known.past=null,
this.#o=0,this.look()}async look(){window.clearTimeout(this.#i);let t=++this.#t;try{await this.#l(t)}catch(s){t===this.#t&&this.#h(s)}t===this.#t&&
(this.#n(),this.#i=window.setTimeout(()=>{this.look()},ur))}async#l(t){let s=this.#e,n=this.known.events?.at(-1)?.id??0,[i,o,l,c,p,h]=await Promise.
all([Yt("/v1/disks","disks"),Yt("/v1/stats","disks"),Yt("/v1/stats?window=5m","disks"),this.#c(),kn(`/v1/events?after=${n}`,"events"),s===null?
null:Ao(Ze(s),"disk")]),b=Date.now(),[m,w,S,M]=s!==null&&h!==null&&this.#s%Oc===0?await Promise.all([kn(`${Ze(s)}/histograms`,"histograms"),
kn(`${Ze(s)}/curve`,"curve"),kn(`${Ze(s)}/advice`,"advice"),kn(`${Ze(s)}/report`,"report")]):[void 0,void 0,void 0,void 0],D=s!==null&&h!==null?
await this.#u(s):null;t===this.#t&&(this.#s+=1,this.#o+=1,this.#a||=h!==null&&this.known.span==="5m",Object.assign(this.known,{disks:i,...c,
answeredAt:b,away:null}),this.#r(b/1e3,o,l),this.#f(p),s!==null&&(this.known.disk=h??"missing"),D!==null&&this.#d(D,b/1e3),w!==void 0&&(this.
known.curve=w),S!==void 0&&(this.known.advice=S?.[0]??null),M!==void 0&&(this.known.report=M),m!==void 0&&(this.known.histograms=m===null?null:
Wo(m)))}async#c(){try{return{pool:await Yt("/v1/pool","pool"),poolProblem:null}}catch(t){if(!(t instanceof At)||t.status===0)throw t;return{
pool:null,poolProblem:t.message}}}#r(t,s,n){let i=o=>new Map(o.map(l=>[l.name,l]));this.known.statistics=i(s),this.known.windows=i(n.filter(
o=>o.window==="5m"));for(let o of this.known.series.keys())this.known.statistics.has(o)||this.known.series.delete(o);for(let o of s){let l=this.
known.series.get(o.name)??new Zs;this.known.series.set(o.name,l),l.add(t,o,this.known.windows.get(o.name))}}#u(t){let{span:s}=this.known;return(s===
"5m"?!this.#a:this.#o%zc===0)?kn(Po(t,s),"history"):null}#d(t,s){let n=Io(t,s);n.span==="5m"?this.known.series.get(t.name)?.fill(n.points):this.
known.past=n}#f(t){t!==null&&(this.known.events=Wc(this.known.events??[],t))}#h(t){let s=t instanceof Error?t.message:String(t),n=t instanceof
At?t.status:0;this.known.away={since:this.known.away?.since??Date.now(),reason:s,status:n}}};function Wc(e,t){let[s,n]=[e.at(-1),t[0]];return[
...s===void 0||n===void 0||n.id>s.id?e:[],...t].slice(-Hc)}var Ko="forebay-theme",ti=["auto","light","dark"],jo=window.matchMedia("(prefers-color-scheme: dark)"),dr=new Set;function ni(){let e=localStorage.
getItem(Ko);return ti.find(t=>t===e)??"auto"}function Uo(){let e=ti[(ti.indexOf(ni())+1)%ti.length]??"auto";localStorage.setItem(Ko,e),fr()}
function si(e){return dr.add(e),()=>dr.delete(e)}function Yo(){jo.addEventListener("change",fr),fr()}function fr(){let e=ni(),t=jo.matches?"\
dark":"light";document.documentElement.dataset.theme=e==="auto"?t:e;for(let s of dr)s()}function ct(e){return getComputedStyle(document.documentElement).
getPropertyValue(`--${e}`).trim()}var hr={good:"\u2713",busy:"\u2026",warning:"!",bad:"\u2715"},Ic={serving:"good",attaching:"busy",detaching:"busy",removing:"busy",waiting:"\
warning",stopped:"bad",failed:"bad",missing:"bad",used:"good",leaving:"busy"};function Zt(e){return Ic[e]??"warning"}var Vc={waiting:"It is \
served by itself as soon as it can be; put right what the reason names.",stopped:"It answers nothing but errors, so that no guest sees old d\
ata. See what it lost, and the log of the daemon.",failed:"It answers errors. Put right what the reason names, then restart Forebay."},ii=["\
good","busy","warning","bad"];function ri(e){return ii[Math.max(0,...e.map(t=>ii.indexOf(t)))]??"good"}function Ts(e){let t=[],s=(c,p,h=null)=>t.
push({tone:c,text:p,advice:h});if(Zt(e.state)!=="good"){let c=e.reason?`: ${e.reason}`:"";s(Zt(e.state),`Disk ${e.name} is ${e.state}${c}`,Vc[e.
state]??null)}let n=e.lost_bytes??0;n>0&&s("bad",`Flash lost ${C(n)} of ${e.name} before its backing had it`,`forebay disk show ${e.name} --\
lost lists the ranges.`);let i=e.backing_state;if(i&&i.state!=="good"){let c=i.for_seconds===null?"":` for ${Qt(i.for_seconds)}`;s("bad",`Th\
e backing of ${e.name} fails${c}${i.reason?`: ${i.reason}`:""}`,"Hits are answered; the rest waits for retry-time.")}e.quiet?.state==="faile\
d"&&s("warning",`${e.name} could not be made quiet: ${e.quiet.reason??"no reason is known"}`,null);let o=e.segments_uncopied??0;e.mirrored===
!0&&o>0&&s("warning",`${Te(o)} segments of ${e.name} lack a second copy`,"They are being copied; until then one device has that data alone.");
let l=e.dirty_bytes??0;return e.dirty_limit_bytes&&l>=e.dirty_limit_bytes*.9&&s("warning",`Destage of ${e.name} is behind: ${C(l)} of at mos\
t ${C(e.dirty_limit_bytes)} is dirty`,"Writes are slowed down to what the backing takes."),t.sort((c,p)=>ii.indexOf(p.tone)-ii.indexOf(c.tone))}
function Jo(e){let t=e.warnings.map(s=>({tone:"warning",text:s,advice:null}));return Zt(e.state)!=="good"&&t.unshift({tone:"bad",text:`The p\
ool is ${e.state}${e.reason?`: ${e.reason}`:""}`,advice:"Disks go on from their backings; what is dirty waits for the pool."}),e.page_cache_reason&&
t.push({tone:"warning",text:`The pool goes through the page cache, because ${e.page_cache_reason}`,advice:null}),t}function Qo(e){if(e===null)
return"";let t=e.used_percent===null?null:`${ve(e.used_percent/100)} of its life used`,s=e.days_left===null?null:`${Te(e.days_left)} days le\
ft`,n=e.rated_bytes===null?"":`, rated for ${Ys(e.rated_bytes)}`;return an(t,s,`${Ys(e.written_bytes)} written${n}`)}function Zo(e){if(e===null)
return"";let t=`${Ys(e.bytes_per_day)} a day`,s=e.used_ratio===null?`at most ${t}`:`${ve(e.used_ratio)} of ${t} written`,n=e.promoted_batches_ratio,
i=n>=1?null:n>0?`${ve(n)} of batches of promotions let in`:"no promotions let in";return an(s,i)}var oi={read_hit_ram:"Read, RAM hit",read_hit_flash:"\
Read, flash hit",read_miss:"Read, miss",write:"Write",flush:"Flush",destage:"Destage"};function Es(e){return e?`+ ${C(e)} of zeroes`:null}function Xo(e){
switch(e.quiet?.state){case"coming":return`Being made quiet: ${C(Bt(e))} left to bring home`;case"quiet":return`Quiet for another ${Qt(e.quiet.
seconds_left)}`;case"failed":return`Could not be made quiet: ${e.quiet.reason??"no reason is known"}`;default:return null}}function el(e){let{
load:t}=e;if(!t)return"not known while the disk is not served";if(t.state==="loading")return"being loaded; reads come from the backing meanw\
hile";if(t.state==="cold")return`nothing: ${t.reason??"no reason is known"}`;let s=`${C(t.kept_bytes)} came back`;return t.dropped_bytes>0?`${s}\
, ${C(t.dropped_bytes)} may have changed and is not believed`:s}var pr=[{name:"mode",about:"What happens to reads and writes.",choices:["wri\
te-through","write-back","write-around","pass-through"]},{name:"block-size",about:"Unit of the index. A change drops what is cached of the d\
isk.",choices:[4,8,16,32,64,128,256,512,1024].map(e=>C(e*1024))},{name:"reserve",about:"Flash that the disk gets whatever the others do: aut\
o, a size or a share such as 20%."},{name:"limit",about:"Flash that the disk never exceeds: auto, a size or a share."},{name:"ram",about:"RA\
M in front of the flash, at least 1MiB."},{name:"admission",about:"What may enter flash: adaptive, adaptive:hits, always or repeated:N."},{name:"\
sequential-cutoff",about:"Misses of a sequential run longer than this go past the cache; 0 is off, auto leaves it to admission for reads."},
{name:"dirty-limit",about:"Write-back: the most that flash may hold and the backing does not have."},{name:"destage-rate-min",about:"Write-b\
ack: destage never goes slower than so many bytes a second; 0 is none."},{name:"destage-rate-max",about:"Write-back: destage never goes fast\
er than so many bytes a second; 0 is no limit."},{name:"redundancy",about:"Write-back: whether dirty data is kept on two devices of the pool\
.",choices:["mirror","none"]},{name:"unmarked",about:"Write-back where the backing cannot be marked: nothing then keeps another Forebay from\
 serving it.",choices:["no","yes"]},{name:"retry-time",about:"How long a request waits for a backing that fails or hangs, such as 25s, or wa\
it."},{name:"socket-owner",about:"User who owns the sockets that guests connect to; auto is the daemon's."},{name:"socket-group",about:"Grou\
p of the sockets that guests connect to; auto is forebay if the host has it."},{name:"socket-mode",about:"Who may connect, as octal digits."}],
Bc={"write-through":"Writes go to the backing first, then to the cache; the backing is always complete.","write-back":"Writes are acknowledg\
ed when flash has them, and the backing gets them later. Until then the newest data is on flash alone.","write-around":"Writes go to the bac\
king only; what they replace in the cache is dropped.","pass-through":"Every request goes to the backing. Guests have no cache until the mod\
e is changed back."};function tl(e,t){return[...Object.entries(t).map(([n,i])=>Gc(e,n,i)).flat(),"Guests stay connected and go on meanwhile."]}
function Gc(e,t,s){let n=C(e.statistics.cached_bytes);switch(t){case"mode":return[Bc[s]??`The mode becomes ${s}.`,...qc(e,s)];case"block-siz\
e":return[`What is cached of the disk on flash (${n}) is dropped; it is read from the backing again.`];case"limit":return[`Flash that the di\
sk holds above the new limit is evicted; it holds ${C(e.statistics.flash_bytes)} now.`];case"unmarked":return s==="yes"?["Nothing keeps anot\
her Forebay from serving this backing while flash has newer data. See to that yourself."]:[];case"redundancy":return[s==="none"?"Dirty data \
is kept on one device only: if it fails, that data is lost.":"Dirty data is kept on two devices, if the pool has them."];case"socket-owner":case"\
socket-group":case"socket-mode":return["Who may connect to the disk changes at once."];default:return[]}}function qc(e,t){return e.mode!=="w\
rite-back"||t==="write-back"||Bt(e)===0?[]:[`${C(Bt(e))} is dirty; it is written to the backing while guests go on.`]}function ss(e,t){let s=Bt(
t),n=s>0?`${C(s)} is dirty: flash has it and the backing does not.`:"Nothing is dirty: the backing has everything.";switch(e){case"destage":
return[n,"Dirty data is written to the backing at full speed. Guests go on and may notice a busier backing."];case"normal":return[n,"Destage\
 goes on at the pace that suits guests."];case"quiesce":return[n,"It is brought home first. After that, writes wait for the backing, so that\
 a backup or snapshot of the backing is complete.","This ends by itself after the time below, or when it is resumed."];case"resume":return["\
Writes may lie on flash alone again, as the mode says."];case"evict":return[`${C(t.statistics.cached_bytes)} cached on flash and ${C(t.statistics.
ram_bytes)} in RAM are dropped, and no restart brings them back.`,s>0?`${C(s)} is dirty and is brought home first.`:"Nothing is dirty; nothi\
ng is lost.","Guests go on from the backing, slower, until the cache is warm again."]}}var Kc=60,jc=600,Uc=300;function sl(e,t){let s=Yc.map(i=>{let o=()=>{let l=e();l&&Us(Zc(i.work(l),t))};return[i,d("button",{type:"button","d\
ata-action":i.name,onclick:o},i.label)]}),n=d("p",{class:"hint","data-figure":"quiet"});return{element:d("section",{class:"card","aria-label":"\
Actions"},d("h2",{},"Actions"),d("div",{class:"buttons buttons-start"},...s.map(([,i])=>i)),n),update(){let i=e();for(let[l,c]of s)c.disabled=
i===null||!l.isPossible(i);let o=i&&!Ms(i)?`Nothing can be done while the disk is ${i.state}.`:i?Xo(i):null;q(n,o??""),te(n,o!==null)}}}var Ms=e=>e.
state==="serving",mr=e=>e.quiet?.state==="coming"||e.quiet?.state==="quiet",Yc=[{name:"destage",label:"Destage now\u2026",isPossible:Ms,work:e=>({
title:`Destage ${e.name} at full speed?`,sentences:ss("destage",e),confirm:"Destage now",run:async()=>(await vt("POST",`${Ze(e.name)}/destag\
e`),`What is dirty of ${e.name} is on its way to the backing`)})},{name:"normal",label:"Destage at normal pace\u2026",isPossible:Ms,work:e=>({
title:`Let ${e.name} destage at its own pace?`,sentences:ss("normal",e),confirm:"Normal pace",run:async()=>(await vt("DELETE",`${Ze(e.name)}\
/destage`),`${e.name} is destaged as it suits guests`)})},{name:"quiesce",label:"Quiesce\u2026",isPossible:e=>Ms(e)&&!mr(e),work:Jc},{name:"\
resume",label:"Resume\u2026",isPossible:mr,work:e=>({title:`Let ${e.name} go on as before?`,sentences:ss("resume",e),confirm:"Resume",run:async()=>(await vt(
"POST",`${Ze(e.name)}/resume`),`${e.name} goes on as before`)})},{name:"evict",label:"Evict\u2026",isPossible:Ms,work:e=>({title:`Drop what \
is cached of ${e.name}?`,sentences:ss("evict",e),confirm:"Evict",run:(t,s)=>Qc(e.name,t,s)})}];function Jc(e){let t=Vt(),s=d("input",{id:t,type:"\
number",min:1,max:86400,value:jc,required:!0});return{title:`Hold ${e.name} without dirty data?`,sentences:ss("quiesce",e),confirm:"Quiesce",
fields:d("div",{class:"field"},d("label",{for:t},"For so many seconds"),s),run:async()=>{let n=Number(s.value);return await vt("POST",`${Ze(
e.name)}/quiesce`,{seconds:n}),`${e.name} is being made quiet, then held so for ${Qt(n)}`}}}async function Qc(e,t,s){let n=Ze(e),i=await Yt(
n,"disk");if(mr(i))await nl(e,t,s),await vt("POST",`${n}/evict`);else if(Bt(i)>0){let l=(await vt("POST",`${n}/quiesce`,{seconds:Kc})).disk.
quiet?.number;try{await nl(e,t,s),await vt("POST",`${n}/evict`)}finally{await vt("POST",`${n}/resume`,{number:l})}}else await vt("POST",`${n}\
/evict`);return`Nothing is cached of ${e} any more, and no restart brings it back`}async function nl(e,t,s){for(;;){if(s.aborted)throw new Error(
"Stopped; the disk is served as before");let n=await Yt(Ze(e),"disk"),i=n.quiet?.state;if(i==="quiet")return;if(i!=="coming")throw new Error(
`Cannot bring home what is dirty: ${n.quiet?.reason??n.reason??"somebody resumed it"}. Nothing was dropped.`);t(`${C(Bt(n))} left to bring h\
ome\u2026`),await new Promise(o=>window.setTimeout(o,Uc))}}function Zc(e,t){return{...e,run:(s,n)=>e.run(s,n).finally(t)}}function Xc(e){let t=["verdict","latency"];return[...e.sentences.filter(n=>t.includes(n.about)),...e.warnings].map(n=>n.text)}var li=class{element;#e=d(
"div",{class:"advice-text",role:"status"});#n=d("code",{});#i=d("p",{class:"hint"},"To set it: ",this.#n);#s="";constructor(){this.element=d(
"section",{class:"card advice","aria-label":"Advice"},d("h2",{},"Advice"),this.#e,this.#i,d("p",{class:"hint"},"On the host, forebay advise \
says why, with all figures.")),this.element.hidden=!0}set(t){if(te(this.element,t!==null),!t)return;let s=Xc(t);JSON.stringify(s)!==this.#s&&
(this.#s=JSON.stringify(s),this.#e.replaceChildren(...s.map(n=>d("p",{},n)))),q(this.#n,t.command??""),te(this.#i,t.command!==null)}};var eu="uplot",tu="u-hz",nu="u-vt",su="u-title",iu="u-wrap",ru="u-under",ou="u-over",lu="u-axis",An="u-off",au="u-select",cu="u-cursor-x",uu="\
u-cursor-y",du="u-cursor-pt",fu="u-legend",hu="u-live",pu="u-inline",mu="u-series",gu="u-marker",il="u-label",bu="u-value",As="width",Rs="he\
ight";var rl="bottom",is="left",gr="right",Dr="#000",ol=Dr+"0",br="mousemove",ll="mousedown",wr="mouseup",al="mouseenter",cl="mouseleave",ul="dblc\
lick",wu="resize",yu="scroll",dl="change",fi="dppxchange",Cr="--",ds=typeof window<"u",kr=ds?document:null,os=ds?window:null,vu=ds?navigator:
null,ce,ai;function Sr(){let e=devicePixelRatio;ce!=e&&(ce=e,ai&&Er(dl,ai,Sr),ai=matchMedia(`(min-resolution: ${ce-.001}dppx) and (max-resol\
ution: ${ce+.001}dppx)`),Rn(dl,ai,Sr),os.dispatchEvent(new CustomEvent(fi)))}function ut(e,t){if(t!=null){let s=e.classList;!s.contains(t)&&
s.add(t)}}function Tr(e,t){let s=e.classList;s.contains(t)&&s.remove(t)}function xe(e,t,s){e.style[t]=s+"px"}function Pt(e,t,s,n){let i=kr.createElement(
e);return t!=null&&ut(i,t),s?.insertBefore(i,n),i}function xt(e,t){return Pt("div",e,t)}var fl=new WeakMap;function Gt(e,t,s,n,i){let o="tra\
nslate("+t+"px,"+s+"px)",l=fl.get(e);o!=l&&(e.style.transform=o,fl.set(e,o),t<0||s<0||t>n||s>i?ut(e,An):Tr(e,An))}var hl=new WeakMap;function pl(e,t,s){
let n=t+s,i=hl.get(e);n!=i&&(hl.set(e,n),e.style.background=t,e.style.borderColor=s)}var ml=new WeakMap;function gl(e,t,s,n){let i=t+""+s,o=ml.
get(e);i!=o&&(ml.set(e,i),e.style.height=s+"px",e.style.width=t+"px",e.style.marginLeft=n?-t/2+"px":0,e.style.marginTop=n?-s/2+"px":0)}var Nr={
passive:!0},xu={...Nr,capture:!0};function Rn(e,t,s,n){t.addEventListener(e,s,n?xu:Nr)}function Er(e,t,s,n){t.removeEventListener(e,s,Nr)}ds&&
Sr();function Lt(e,t,s,n){let i;s=s||0,n=n||t.length-1;let o=n<=2147483647;for(;n-s>1;)i=o?s+n>>1:dt((s+n)/2),t[i]<e?s=i:n=i;return e-t[s]<=
t[n]-e?s:n}function Gl(e){return(s,n,i)=>{let o=-1,l=-1;for(let c=n;c<=i;c++)if(e(s[c])){o=c;break}for(let c=i;c>=n;c--)if(e(s[c])){l=c;break}
return[o,l]}}var ql=e=>e!=null,Kl=e=>e!=null&&e>0,mi=Gl(ql),_u=Gl(Kl);function ku(e,t,s,n=0,i=!1){let o=i?_u:mi,l=i?Kl:ql;[t,s]=o(e,t,s);let c=e[t],
p=e[t];if(t>-1)if(n==1)c=e[t],p=e[s];else if(n==-1)c=e[s],p=e[t];else for(let h=t;h<=s;h++){let b=e[h];l(b)&&(b<c?c=b:b>p&&(p=b))}return[c??
pe,p??-pe]}function gi(e,t,s,n){let i=yl(e),o=yl(t);e==t&&(i==-1?(e*=s,t/=s):(e/=s,t*=s));let l=s==10?Xt:jl,c=i==1?dt:_t,p=o==1?_t:dt,h=c(l(
Ne(e))),b=p(l(Ne(t))),m=ls(s,h),w=ls(s,b);return s==10&&(h<0&&(m=me(m,-h)),b<0&&(w=me(w,-b))),n||s==2?(e=m*i,t=w*o):(e=Ql(e,m),t=bi(t,w)),[e,
t]}function Fr(e,t,s,n){let i=gi(e,t,s,n);return e==0&&(i[0]=0),t==0&&(i[1]=0),i}var Or=.1,bl={mode:3,pad:Or},Ls={pad:0,soft:null,mode:0},Su={
min:Ls,max:Ls};function hi(e,t,s,n){return wi(s)?wl(e,t,s):(Ls.pad=s,Ls.soft=n?0:null,Ls.mode=n?3:0,wl(e,t,Su))}function le(e,t){return e??t}
function Tu(e,t,s){for(t=le(t,0),s=le(s,e.length-1);t<=s;){if(e[t]!=null)return!0;t++}return!1}function wl(e,t,s){let n=s.min,i=s.max,o=le(n.
pad,0),l=le(i.pad,0),c=le(n.hard,-pe),p=le(i.hard,pe),h=le(n.soft,pe),b=le(i.soft,-pe),m=le(n.mode,0),w=le(i.mode,0),S=t-e,M=Xt(S),D=Xe(Ne(e),
Ne(t)),V=Xt(D),N=Ne(V-M);(S<1e-24||N>10)&&(S=0,(e==0||t==0)&&(S=1e-24,m==2&&h!=pe&&(o=0),w==2&&b!=-pe&&(l=0)));let _=S||D||1e3,H=Xt(_),T=ls(
10,dt(H)),W=_*(S==0?e==0?.1:1:o),$=me(Ql(e-W,T/10),24),J=e>=h&&(m==1||m==3&&$<=h||m==2&&$>=h)?h:pe,U=Xe(c,$<J&&e>=J?J:Dt(J,$)),ne=_*(S==0?t==
0?.1:1:l),Y=me(bi(t+ne,T/10),24),E=t<=b&&(w==1||w==3&&Y>=b||w==2&&Y<=b)?b:-pe,Z=Dt(p,Y>E&&t<=E?E:Xe(E,Y));return U==Z&&U==0&&(Z=100),[U,Z]}var Eu=new Intl.
NumberFormat(ds?vu.language:"en-US"),zr=e=>Eu.format(e),ft=Math,di=ft.PI,Ne=ft.abs,dt=ft.floor,Ce=ft.round,_t=ft.ceil,Dt=ft.min,Xe=ft.max,ls=ft.
pow,yl=ft.sign,Xt=ft.log10,jl=ft.log2,Mu=(e,t=1)=>ft.sinh(e)*t,yr=(e,t=1)=>ft.asinh(e/t),pe=1/0;function vl(e){return(Xt((e^e>>31)-(e>>31))|
0)+1}function Mr(e,t,s){return Dt(Xe(e,t),s)}function Ul(e){return typeof e=="function"}function se(e){return Ul(e)?e:()=>e}var $u=()=>{},Yl=e=>e,
Jl=(e,t)=>t,Au=e=>null,xl=e=>!0,_l=(e,t)=>e==t,Ru=/\.\d*?(?=9{6,}|0{6,})/gm,Pn=e=>{if(Xl(e)||un.has(e))return e;let t=`${e}`,s=t.match(Ru);if(s==
null)return e;let n=s[0].length-1;if(t.indexOf("e-")!=-1){let[i,o]=t.split("e");return+`${Pn(i)}e${o}`}return me(e,n)};function Mn(e,t){return Pn(
me(Pn(e/t))*t)}function bi(e,t){return Pn(_t(Pn(e/t))*t)}function Ql(e,t){return Pn(dt(Pn(e/t))*t)}function me(e,t=0){if(Xl(e))return e;let s=10**
t,n=e*s*(1+Number.EPSILON);return Ce(n)/s}var un=new Map;function Zl(e){return((""+e).split(".")[1]||"").length}function Cs(e,t,s,n){let i=[],
o=n.map(Zl);for(let l=t;l<s;l++){let c=Ne(l),p=me(ls(e,l),c);for(let h=0;h<n.length;h++){let b=e==10?+`${n[h]}e${l}`:n[h]*p,m=(l>=0?0:c)+(l>=
o[h]?0:o[h]),w=e==10?b:me(b,m);i.push(w),un.set(w,m)}}return i}var Ds={},Hr=[],as=[null,null],cn=Array.isArray,Xl=Number.isInteger,Pu=e=>e===
void 0;function kl(e){return typeof e=="string"}function wi(e){let t=!1;if(e!=null){let s=e.constructor;t=s==null||s==Object}return t}function Lu(e){
return e!=null&&typeof e=="object"}var Du=Object.getPrototypeOf(Uint8Array),ea="__proto__";function cs(e,t=wi){let s;if(cn(e)){let n=e.find(
i=>i!=null);if(cn(n)||t(n)){s=Array(e.length);for(let i=0;i<e.length;i++)s[i]=cs(e[i],t)}else s=e.slice()}else if(e instanceof Du)s=e.slice();else if(t(
e)){s={};for(let n in e)n!=ea&&(s[n]=cs(e[n],t))}else s=e;return s}function Re(e){let t=arguments;for(let s=1;s<t.length;s++){let n=t[s];for(let i in n)
i!=ea&&(wi(e[i])?Re(e[i],cs(n[i])):e[i]=cs(n[i]))}return e}var Cu=0,Nu=1,Fu=2;function Ou(e,t,s){for(let n=0,i,o=-1;n<t.length;n++){let l=t[n];
if(l>o){for(i=l-1;i>=0&&e[i]==null;)e[i--]=null;for(i=l+1;i<s&&e[i]==null;)e[o=i++]=null}}}function zu(e,t){if(Iu(e)){let l=e[0].slice();for(let c=1;c<
e.length;c++)l.push(...e[c].slice(1));return Vu(l[0])||(l=Wu(l)),l}let s=new Set;for(let l=0;l<e.length;l++){let p=e[l][0],h=p.length;for(let b=0;b<
h;b++)s.add(p[b])}let n=[Array.from(s).sort((l,c)=>l-c)],i=n[0].length,o=new Map;for(let l=0;l<i;l++)o.set(n[0][l],l);for(let l=0;l<e.length;l++){
let c=e[l],p=c[0];for(let h=1;h<c.length;h++){let b=c[h],m=Array(i).fill(void 0),w=t?t[l][h]:Nu,S=[];for(let M=0;M<b.length;M++){let D=b[M],
V=o.get(p[M]);D===null?w!=Cu&&(m[V]=D,w==Fu&&S.push(V)):m[V]=D}Ou(m,S,i),n.push(m)}}return n}var Hu=typeof queueMicrotask>"u"?e=>Promise.resolve().
then(e):queueMicrotask;function Wu(e){let t=e[0],s=t.length,n=Array(s);for(let o=0;o<n.length;o++)n[o]=o;n.sort((o,l)=>t[o]-t[l]);let i=[];for(let o=0;o<
e.length;o++){let l=e[o],c=Array(s);for(let p=0;p<s;p++)c[p]=l[n[p]];i.push(c)}return i}function Iu(e){let t=e[0][0],s=t.length;for(let n=1;n<
e.length;n++){let i=e[n][0];if(i.length!=s)return!1;if(i!=t){for(let o=0;o<s;o++)if(i[o]!=t[o])return!1}}return!0}function Vu(e,t=100){let s=e.
length;if(s<=1)return!0;let n=0,i=s-1;for(;n<=i&&e[n]==null;)n++;for(;i>=n&&e[i]==null;)i--;if(i<=n)return!0;let o=Xe(1,dt((i-n+1)/t));for(let l=e[n],
c=n+o;c<=i;c+=o){let p=e[c];if(p!=null){if(p<=l)return!1;l=p}}return!0}var ta=["January","February","March","April","May","June","July","Aug\
ust","September","October","November","December"],na=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function sa(e){
return e.slice(0,3)}var Bu=na.map(sa),Gu=ta.map(sa),qu={MMMM:ta,MMM:Gu,WWWW:na,WWW:Bu};function $s(e){return(e<10?"0":"")+e}function Ku(e){return(e<
10?"00":e<100?"0":"")+e}var ju={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.
getMonth()],MM:e=>$s(e.getMonth()+1),M:e=>e.getMonth()+1,DD:e=>$s(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.
WWW[e.getDay()],HH:e=>$s(e.getHours()),H:e=>e.getHours(),h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"A\
M",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>$s(e.getMinutes()),m:e=>e.getMinutes(),ss:e=>$s(e.getSeconds()),s:e=>e.
getSeconds(),fff:e=>Ku(e.getMilliseconds())};function Wr(e,t){t=t||qu;let s=[],n=/\{([a-z]+)\}|[^{]+/gi,i;for(;i=n.exec(e);)s.push(i[0][0]==
"{"?ju[i[1]]:i[0]);return o=>{let l="";for(let c=0;c<s.length;c++)l+=typeof s[c]=="string"?s[c]:s[c](o,t);return l}}var Uu=new Intl.DateTimeFormat().
resolvedOptions().timeZone;function Yu(e,t){let s;return t=="UTC"||t=="Etc/UTC"?s=new Date(+e+e.getTimezoneOffset()*6e4):t==Uu?s=e:(s=new Date(
e.toLocaleString("en-US",{timeZone:t})),s.setMilliseconds(e.getMilliseconds())),s}var ia=e=>e%1==0,pi=[1,2,2.5,5],Ju=Cs(10,-32,0,pi),ra=Cs(10,
0,32,pi),Qu=ra.filter(ia),$n=Ju.concat(ra),Ir=`
`,oa="{YYYY}",Sl=Ir+oa,la="{M}/{D}",Ps=Ir+la,ci=Ps+"/{YY}",aa="{aa}",Zu="{h}:{mm}",rs=Zu+aa,Tl=Ir+rs,El=":{ss}",de=null;function ca(e){let t=e*
1e3,s=t*60,n=s*60,i=n*24,o=i*30,l=i*365,p=(e==1?Cs(10,0,3,pi).filter(ia):Cs(10,-3,0,pi)).concat([t,t*5,t*10,t*15,t*30,s,s*5,s*10,s*15,s*30,n,
n*2,n*3,n*4,n*6,n*8,n*12,i,i*2,i*3,i*4,i*5,i*6,i*7,i*8,i*9,i*10,i*15,o,o*2,o*3,o*4,o*6,l,l*2,l*5,l*10,l*25,l*50,l*100]),h=[[l,oa,de,de,de,de,
de,de,1],[i*28,"{MMM}",Sl,de,de,de,de,de,1],[i,la,Sl,de,de,de,de,de,1],[n,"{h}"+aa,ci,de,Ps,de,de,de,1],[s,rs,ci,de,Ps,de,de,de,1],[t,El,ci+
" "+rs,de,Ps+" "+rs,de,Tl,de,1],[e,El+".{fff}",ci+" "+rs,de,Ps+" "+rs,de,Tl,de,1]];function b(m){return(w,S,M,D,V,N)=>{let _=[],H=V>=l,T=V>=
o&&V<l,W=m(M),$=me(W*e,3),J=vr(W.getFullYear(),H?0:W.getMonth(),T||H?1:W.getDate()),U=me(J*e,3);if(T||H){let ne=T?V/o:0,Y=H?V/l:0,E=$==U?$:me(
vr(J.getFullYear()+Y,J.getMonth()+ne,1)*e,3),Z=new Date(Ce(E/e)),F=Z.getFullYear(),K=Z.getMonth();for(let B=0;E<=D;B++){let ie=vr(F+Y*B,K+ne*
B,1),I=ie-m(me(ie*e,3));E=me((+ie+I)*e,3),E<=D&&_.push(E)}}else{let ne=V>=i?i:V,Y=dt(M)-dt($),E=U+Y+bi($-U,ne);_.push(E);let Z=m(E),F=Z.getHours()+
Z.getMinutes()/s+Z.getSeconds()/n,K=V/n,B=w.axes[S]._space,ie=N/B;for(;E=me(E+V,e==1?0:3),!(E>D);)if(K>1){let I=dt(me(F+K,6))%24,re=m(E).getHours()-
I;re>1&&(re=-1),E-=re*n,F=(F+K)%24;let fe=_[_.length-1];me((E-fe)/V,3)*ie>=.7&&_.push(E)}else _.push(E)}return _}}return[p,h,b]}var[Xu,ed,td]=ca(
1),[nd,sd,id]=ca(.001);Cs(2,-53,53,[1]);function Ml(e,t){return e.map(s=>s.map((n,i)=>i==0||i==8||n==null?n:t(i==1||s[8]==0?n:s[1]+n)))}function $l(e,t){
return(s,n,i,o,l)=>{let c=t.find(M=>l>=M[0])||t[t.length-1],p,h,b,m,w,S;return n.map(M=>{let D=e(M),V=D.getFullYear(),N=D.getMonth(),_=D.getDate(),
H=D.getHours(),T=D.getMinutes(),W=D.getSeconds(),$=V!=p&&c[2]||N!=h&&c[3]||_!=b&&c[4]||H!=m&&c[5]||T!=w&&c[6]||W!=S&&c[7]||c[1];return p=V,h=
N,b=_,m=H,w=T,S=W,$(D)})}}function rd(e,t){let s=Wr(t);return(n,i,o,l,c)=>i.map(p=>s(e(p)))}function vr(e,t,s){return new Date(e,t,s)}function Al(e,t){
return t(e)}var od="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function Rl(e,t){return(s,n,i,o)=>o==null?Cr:t(e(n))}function ld(e,t){let s=e.series[t];return s.
width?s.stroke(e,t):s.points.width?s.points.stroke(e,t):null}function ad(e,t){return e.series[t].fill(e,t)}var cd={show:!0,live:!0,isolate:!1,
mount:$u,markers:{show:!0,width:2,stroke:ld,fill:ad,dash:"solid"},idx:null,idxs:null,values:[]};function ud(e,t){let s=e.cursor.points,n=xt(),
i=s.size(e,t);xe(n,As,i),xe(n,Rs,i);let o=i/-2;xe(n,"marginLeft",o),xe(n,"marginTop",o);let l=s.width(e,t,i);return l&&xe(n,"borderWidth",l),
n}function dd(e,t){let s=e.series[t].points;return s._fill||s._stroke}function fd(e,t){let s=e.series[t].points;return s._stroke||s._fill}function hd(e,t){
return e.series[t].points.size}var xr=[0,0];function pd(e,t,s){return xr[0]=t,xr[1]=s,xr}function ui(e,t,s,n=!0){return i=>{i.button==0&&(!n||
i.target==t)&&s(i)}}function _r(e,t,s,n=!0){return i=>{(!n||i.target==t)&&s(i)}}var md={show:!0,x:!0,y:!0,lock:!1,move:pd,points:{one:!1,show:ud,
size:hd,width:0,stroke:fd,fill:dd},bind:{mousedown:ui,mouseup:ui,click:ui,dblclick:ui,mousemove:_r,mouseleave:_r,mouseenter:_r},drag:{setScale:!0,
x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(e,t,s,n,i)=>n-i,prox:-1,
bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},ua={show:!0,stroke:"rgba(0,0,0,0\
.07)",width:2},Vr=Re({},ua,{filter:Jl}),da=Re({},Vr,{size:10}),fa=Re({},ua,{show:!1}),Br='12px system-ui, -apple-system, "Segoe UI", Roboto,\
 "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',ha="bold "+
Br,pa=1.5,Pl={show:!0,scale:"x",stroke:Dr,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:ha,side:2,grid:Vr,ticks:da,border:fa,
font:Br,lineGap:pa,rotate:0},gd="Value",bd="Time",Ll={show:!0,scale:"x",auto:!1,sorted:1,min:pe,max:-pe,idxs:[]};function wd(e,t,s,n,i){return t.
map(o=>o==null?"":zr(o))}function yd(e,t,s,n,i,o,l){let c=[],p=un.get(i)||0;s=l?s:me(bi(s,i),p);for(let h=s;h<=n;h=me(h+i,p))c.push(Object.is(
h,-0)?0:h);return c}function $r(e,t,s,n,i,o,l){let c=[],p=e.scales[e.axes[t].scale].log,h=p==10?Xt:jl,b=dt(h(s));i=ls(p,b),p==10&&(i=$n[Lt(i,
$n)]);let m=s,w=i*p;p==10&&(w=$n[Lt(w,$n)]);do c.push(m),m=m+i,p==10&&!un.has(m)&&(m=me(m,un.get(i))),m>=w&&(i=m,w=i*p,p==10&&(w=$n[Lt(w,$n)]));while(m<=
n);return c}function vd(e,t,s,n,i,o,l){let p=e.scales[e.axes[t].scale].asinh,h=n>p?$r(e,t,Xe(p,s),n,i):[p],b=n>=0&&s<=0?[0]:[];return(s<-p?$r(
e,t,Xe(p,-n),-s,i):[p]).reverse().map(w=>-w).concat(b,h)}var ma=/./,xd=/[12357]/,_d=/[125]/,Dl=/1/,Ar=(e,t,s,n)=>e.map((i,o)=>t==4&&i==0||o%
n==0&&s.test(i.toExponential()[i<0?1:0])?i:null);function kd(e,t,s,n,i){let o=e.axes[s],l=o.scale,c=e.scales[l],p=e.valToPos,h=o._space,b=p(
10,l),m=p(9,l)-b>=h?ma:p(7,l)-b>=h?xd:p(5,l)-b>=h?_d:Dl;if(m==Dl){let w=Ne(p(1,l)-b);if(w<h)return Ar(t.slice().reverse(),c.distr,m,_t(h/w)).
reverse()}return Ar(t,c.distr,m,1)}function Sd(e,t,s,n,i){let o=e.axes[s],l=o.scale,c=o._space,p=e.valToPos,h=Ne(p(1,l)-p(2,l));return h<c?Ar(
t.slice().reverse(),3,ma,_t(c/h)).reverse():t}function Td(e,t,s,n){return n==null?Cr:t==null?"":zr(t)}var Cl={show:!0,scale:"y",stroke:Dr,space:30,
gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:ha,side:3,grid:Vr,ticks:da,border:fa,font:Br,lineGap:pa,rotate:0};function Ed(e,t){
let s=3+(e||1)*2;return me(s*t,3)}function Md(e,t){let{scale:s,idxs:n}=e.series[0],i=e._data[0],o=e.valToPos(i[n[0]],s,!0),l=e.valToPos(i[n[1]],
s,!0),c=Ne(l-o),p=e.series[t],h=c/(p.points.space*ce);return n[1]-n[0]<=h}var Nl={scale:null,auto:!0,sorted:0,min:pe,max:-pe},ga=(e,t,s,n,i)=>i,
Fl={show:!0,auto:!0,sorted:0,gaps:ga,alpha:1,facets:[Re({},Nl,{scale:"x"}),Re({},Nl,{scale:"y"})]},Ol={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:ga,alpha:1,points:{show:Md,filter:null},values:null,min:pe,max:-pe,idxs:[],path:null,clip:null};function $d(e,t,s,n,i){return s/10}var ba={
time:!0,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},Ad=Re({},ba,{time:!1,ori:1}),zl={};function wa(e,t){let s=zl[e];return s||
(s={key:e,plots:[],sub(n){s.plots.push(n)},unsub(n){s.plots=s.plots.filter(i=>i!=n)},pub(n,i,o,l,c,p,h){for(let b=0;b<s.plots.length;b++)s.plots[b]!=
i&&s.plots[b].pub(n,i,o,l,c,p,h)}},e!=null&&(zl[e]=s)),s}var us=1,Rr=2;function Ln(e,t,s){let n=e.mode,i=e.series[t],o=n==2?e._data[t]:e._data,
l=e.scales,c=e.bbox,p=o[0],h=n==2?o[1]:o[t],b=n==2?l[i.facets[0].scale]:l[e.series[0].scale],m=n==2?l[i.facets[1].scale]:l[i.scale],w=c.left,
S=c.top,M=c.width,D=c.height,V=e.valToPosH,N=e.valToPosV;return b.ori==0?s(i,p,h,b,m,V,N,w,S,M,D,vi,fs,_i,va,_a):s(i,p,h,b,m,N,V,S,w,D,M,xi,
hs,Kr,xa,ka)}function Gr(e,t){let s=0,n=0,i=le(e.bands,Hr);for(let o=0;o<i.length;o++){let l=i[o];l.series[0]==t?s=l.dir:l.series[1]==t&&(l.
dir==1?n|=1:n|=2)}return[s,n==1?-1:n==2?1:n==3?2:0]}function Rd(e,t,s,n,i){let o=e.mode,l=e.series[t],c=o==2?l.facets[1].scale:l.scale,p=e.scales[c];
return i==-1?p.min:i==1?p.max:p.distr==3?p.dir==1?p.min:p.max:0}function en(e,t,s,n,i,o){return Ln(e,t,(l,c,p,h,b,m,w,S,M,D,V)=>{let N=l.pxRound,
_=h.dir*(h.ori==0?1:-1),H=h.ori==0?fs:hs,T,W;_==1?(T=s,W=n):(T=n,W=s);let $=N(m(c[T],h,D,S)),J=N(w(p[T],b,V,M)),U=N(m(c[W],h,D,S)),ne=N(w(o==
1?b.max:b.min,b,V,M)),Y=new Path2D(i);return H(Y,U,ne),H(Y,$,ne),H(Y,$,J),Y})}function yi(e,t,s,n,i,o){let l=null;if(e.length>0){l=new Path2D;
let c=t==0?_i:Kr,p=s;for(let m=0;m<e.length;m++){let w=e[m];if(w[1]>w[0]){let S=w[0]-p;S>0&&c(l,p,n,S,n+o),p=w[1]}}let h=s+i-p,b=10;h>0&&c(l,
p,n-b/2,h,n+o+b)}return l}function Pd(e,t,s){let n=e[e.length-1];n&&n[0]==t?n[1]=s:e.push([t,s])}function qr(e,t,s,n,i,o,l){let c=[],p=e.length;
for(let h=i==1?s:n;h>=s&&h<=n;h+=i)if(t[h]===null){let m=h,w=h;if(i==1)for(;++h<=n&&t[h]===null;)w=h;else for(;--h>=s&&t[h]===null;)w=h;let S=o(
e[m]),M=w==m?S:o(e[w]),D=m-i;S=l<=0&&D>=0&&D<p?o(e[D]):S;let N=w+i;M=l>=0&&N>=0&&N<p?o(e[N]):M,M>=S&&c.push([S,M])}return c}function Hl(e){return e==
0?Yl:e==1?Ce:t=>Mn(t,e)}function ya(e){let t=e==0?vi:xi,s=e==0?(i,o,l,c,p,h)=>{i.arcTo(o,l,c,p,h)}:(i,o,l,c,p,h)=>{i.arcTo(l,o,p,c,h)},n=e==
0?(i,o,l,c,p)=>{i.rect(o,l,c,p)}:(i,o,l,c,p)=>{i.rect(l,o,p,c)};return(i,o,l,c,p,h=0,b=0)=>{h==0&&b==0?n(i,o,l,c,p):(h=Dt(h,c/2,p/2),b=Dt(b,
c/2,p/2),t(i,o+h,l),s(i,o+c,l,o+c,l+p,h),s(i,o+c,l+p,o,l+p,b),s(i,o,l+p,o,l,b),s(i,o,l,o+c,l,h),i.closePath())}}var vi=(e,t,s)=>{e.moveTo(t,
s)},xi=(e,t,s)=>{e.moveTo(s,t)},fs=(e,t,s)=>{e.lineTo(t,s)},hs=(e,t,s)=>{e.lineTo(s,t)},_i=ya(0),Kr=ya(1),va=(e,t,s,n,i,o)=>{e.arc(t,s,n,i,o)},
xa=(e,t,s,n,i,o)=>{e.arc(s,t,n,i,o)},_a=(e,t,s,n,i,o,l)=>{e.bezierCurveTo(t,s,n,i,o,l)},ka=(e,t,s,n,i,o,l)=>{e.bezierCurveTo(s,t,i,n,l,o)};function Sa(e){
return(t,s,n,i,o)=>Ln(t,s,(l,c,p,h,b,m,w,S,M,D,V)=>{let{pxRound:N,points:_}=l,H,T;h.ori==0?(H=vi,T=va):(H=xi,T=xa);let W=me(_.width*ce,3),$=(_.
size-_.width)/2*ce,J=me($*2,3),U=new Path2D,ne=new Path2D,{left:Y,top:E,width:Z,height:F}=t.bbox;_i(ne,Y-J,E-J,Z+J*2,F+J*2);let K=B=>{if(p[B]!=
null){let ie=N(m(c[B],h,D,S)),I=N(w(p[B],b,V,M));H(U,ie+$,I),T(U,ie,I,$,0,di*2)}};if(o)o.forEach(K);else for(let B=n;B<=i;B++)K(B);return{stroke:W>
0?U:null,fill:U,clip:ne,flags:us|Rr}})}function Ta(e){return(t,s,n,i,o,l)=>{n!=i&&(o!=n&&l!=n&&e(t,s,n),o!=i&&l!=i&&e(t,s,i),e(t,s,l))}}var Ld=Ta(
fs),Dd=Ta(hs);function Ea(e){let t=le(e?.alignGaps,0);return(s,n,i,o)=>Ln(s,n,(l,c,p,h,b,m,w,S,M,D,V)=>{[i,o]=mi(p,i,o);let N=l.pxRound,_=F=>N(
m(F,h,D,S)),H=F=>N(w(F,b,V,M)),T,W;h.ori==0?(T=fs,W=Ld):(T=hs,W=Dd);let $=h.dir*(h.ori==0?1:-1),J={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:us},U=J.stroke,ne=!1;if(o-i>=D*4){let F=O=>s.posToVal(O,h.key,!0),K=null,B=null,ie,I,et,_e=_(c[$==1?i:o]),re=_(c[i]),fe=_(c[o]),
X=F($==1?re+1:fe-1);for(let O=$==1?i:o;O>=i&&O<=o;O+=$){let Le=c[O],ke=($==1?Le<X:Le>X)?_e:_(Le),ue=p[O];ke==_e?ue!=null?(I=ue,K==null?(T(U,
ke,H(I)),ie=K=B=I):I<K?K=I:I>B&&(B=I)):ue===null&&(ne=!0):(K!=null&&W(U,_e,H(K),H(B),H(ie),H(I)),ue!=null?(I=ue,T(U,ke,H(I)),K=B=ie=I):(K=B=
null,ue===null&&(ne=!0)),_e=ke,X=F(_e+$))}K!=null&&K!=B&&et!=_e&&W(U,_e,H(K),H(B),H(ie),H(I))}else for(let F=$==1?i:o;F>=i&&F<=o;F+=$){let K=p[F];
K===null?ne=!0:K!=null&&T(U,_(c[F]),H(K))}let[E,Z]=Gr(s,n);if(l.fill!=null||E!=0){let F=J.fill=new Path2D(U),K=l.fillTo(s,n,l.min,l.max,E),B=H(
K),ie=_(c[i]),I=_(c[o]);$==-1&&([I,ie]=[ie,I]),T(F,I,B),T(F,ie,B)}if(!l.spanGaps){let F=[];ne&&F.push(...qr(c,p,i,o,$,_,t)),J.gaps=F=l.gaps(
s,n,i,o,F),J.clip=yi(F,h.ori,S,M,D,V)}return Z!=0&&(J.band=Z==2?[en(s,n,i,o,U,-1),en(s,n,i,o,U,1)]:en(s,n,i,o,U,Z)),J})}function Cd(e){let t=le(
e.align,1),s=le(e.ascDesc,!1),n=le(e.alignGaps,0),i=le(e.extend,!1);return(o,l,c,p)=>Ln(o,l,(h,b,m,w,S,M,D,V,N,_,H)=>{[c,p]=mi(m,c,p);let T=h.
pxRound,{left:W,width:$}=o.bbox,J=re=>T(M(re,w,_,V)),U=re=>T(D(re,S,H,N)),ne=w.ori==0?fs:hs,Y={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:us},E=Y.stroke,Z=w.dir*(w.ori==0?1:-1),F=U(m[Z==1?c:p]),K=J(b[Z==1?c:p]),B=K,ie=K;i&&t==-1&&(ie=W,ne(E,ie,F)),ne(E,K,F);for(let re=Z==
1?c:p;re>=c&&re<=p;re+=Z){let fe=m[re];if(fe==null)continue;let X=J(b[re]),O=U(fe);t==1?ne(E,X,F):ne(E,B,O),ne(E,X,O),F=O,B=X}let I=B;i&&t==
1&&(I=W+$,ne(E,I,F));let[et,_e]=Gr(o,l);if(h.fill!=null||et!=0){let re=Y.fill=new Path2D(E),fe=h.fillTo(o,l,h.min,h.max,et),X=U(fe);ne(re,I,
X),ne(re,ie,X)}if(!h.spanGaps){let re=[];re.push(...qr(b,m,c,p,Z,J,n));let fe=h.width*ce/2,X=s||t==1?fe:-fe,O=s||t==-1?-fe:fe;re.forEach(Le=>{
Le[0]+=X,Le[1]+=O}),Y.gaps=re=h.gaps(o,l,c,p,re),Y.clip=yi(re,w.ori,V,N,_,H)}return _e!=0&&(Y.band=_e==2?[en(o,l,c,p,E,-1),en(o,l,c,p,E,1)]:
en(o,l,c,p,E,_e)),Y})}function Wl(e,t,s,n,i,o,l=pe){if(e.length>1){let c=null;for(let p=0,h=1/0;p<e.length;p++)if(t[p]!==void 0){if(c!=null){
let b=Ne(e[p]-e[c]);b<h&&(h=b,l=Ne(s(e[p],n,i,o)-s(e[c],n,i,o)))}c=p}}return l}function Nd(e){e=e||Ds;let t=le(e.size,[.6,pe,1]),s=e.align||
0,n=e.gap||0,i=e.radius;i=i==null?[0,0]:typeof i=="number"?[i,0]:i;let o=se(i),l=1-t[0],c=le(t[1],pe),p=le(t[2],1),h=le(e.disp,Ds),b=le(e.each,
S=>{}),{fill:m,stroke:w}=h;return(S,M,D,V)=>Ln(S,M,(N,_,H,T,W,$,J,U,ne,Y,E)=>{let Z=N.pxRound,F=s,K=n*ce,B=c*ce,ie=p*ce,I,et;T.ori==0?[I,et]=
o(S,M):[et,I]=o(S,M);let _e=T.dir*(T.ori==0?1:-1),re=T.ori==0?_i:Kr,fe=T.ori==0?b:(P,ge,De,Hn,mn,Ft,gn)=>{b(P,ge,De,mn,Hn,gn,Ft)},X=le(S.bands,
Hr).find(P=>P.series[0]==M),O=X!=null?X.dir:0,Le=N.fillTo(S,M,N.min,N.max,O),je=Z(J(Le,W,E,ne)),ke,ue,St,it=Y,Ee=Z(N.width*ce),Nt=!1,qt=null,
pt=null,tn=null,Fn=null;m!=null&&(Ee==0||w!=null)&&(Nt=!0,qt=m.values(S,M,D,V),pt=new Map,new Set(qt).forEach(P=>{P!=null&&pt.set(P,new Path2D)}),
Ee>0&&(tn=w.values(S,M,D,V),Fn=new Map,new Set(tn).forEach(P=>{P!=null&&Fn.set(P,new Path2D)})));let{x0:On,size:gs}=h;if(On!=null&&gs!=null){
F=1,_=On.values(S,M,D,V),On.unit==2&&(_=_.map(De=>S.posToVal(U+De*Y,T.key,!0)));let P=gs.values(S,M,D,V);gs.unit==2?ue=P[0]*Y:ue=$(P[0],T,Y,
U)-$(0,T,Y,U),it=Wl(_,H,$,T,Y,U,it),St=it-ue+K}else it=Wl(_,H,$,T,Y,U,it),St=it*l+K,ue=it-St;St<1&&(St=0),Ee>=ue/2&&(Ee=0),St<5&&(Z=Yl);let Os=St>
0,hn=it-St-(Os?Ee:0);ue=Z(Mr(hn,ie,B)),ke=(F==0?ue/2:F==_e?0:ue)-F*_e*((F==0?K/2:0)+(Os?Ee/2:0));let Ue={stroke:null,fill:null,clip:null,band:null,
gaps:null,flags:0},zn=Nt?null:new Path2D,Kt=null;if(X!=null)Kt=S.data[X.series[1]];else{let{y0:P,y1:ge}=h;P!=null&&ge!=null&&(H=ge.values(S,
M,D,V),Kt=P.values(S,M,D,V))}let pn=I*ue,Q=et*ue;for(let P=_e==1?D:V;P>=D&&P<=V;P+=_e){let ge=H[P];if(ge==null)continue;if(Kt!=null){let tt=Kt[P]??
0;if(ge-tt==0)continue;je=J(tt,W,E,ne)}let De=T.distr!=2||h!=null?_[P]:P,Hn=$(De,T,Y,U),mn=J(le(ge,Le),W,E,ne),Ft=Z(Hn-ke),gn=Z(Xe(mn,je)),rt=Z(
Dt(mn,je)),mt=gn-rt;if(ge!=null){let tt=ge<0?Q:pn,Tt=ge<0?pn:Q;Nt?(Ee>0&&tn[P]!=null&&re(Fn.get(tn[P]),Ft,rt+dt(Ee/2),ue,Xe(0,mt-Ee),tt,Tt),
qt[P]!=null&&re(pt.get(qt[P]),Ft,rt+dt(Ee/2),ue,Xe(0,mt-Ee),tt,Tt)):re(zn,Ft,rt+dt(Ee/2),ue,Xe(0,mt-Ee),tt,Tt),fe(S,M,P,Ft-Ee/2,rt,ue+Ee,mt)}}
return Ee>0?Ue.stroke=Nt?Fn:zn:Nt||(Ue._fill=N.width==0?N._fill:N._stroke??N._fill,Ue.width=0),Ue.fill=Nt?pt:zn,Ue})}function Fd(e,t){let s=le(
t?.alignGaps,0);return(n,i,o,l)=>Ln(n,i,(c,p,h,b,m,w,S,M,D,V,N)=>{[o,l]=mi(h,o,l);let _=c.pxRound,H=I=>_(w(I,b,V,M)),T=I=>_(S(I,m,N,D)),W,$,
J;b.ori==0?(W=vi,J=fs,$=_a):(W=xi,J=hs,$=ka);let U=b.dir*(b.ori==0?1:-1),ne=H(p[U==1?o:l]),Y=ne,E=[],Z=[];for(let I=U==1?o:l;I>=o&&I<=l;I+=U)
if(h[I]!=null){let _e=p[I],re=H(_e);E.push(Y=re),Z.push(T(h[I]))}let F={stroke:e(E,Z,W,J,$,_),fill:null,clip:null,band:null,gaps:null,flags:us},
K=F.stroke,[B,ie]=Gr(n,i);if(c.fill!=null||B!=0){let I=F.fill=new Path2D(K),et=c.fillTo(n,i,c.min,c.max,B),_e=T(et);J(I,Y,_e),J(I,ne,_e)}if(!c.
spanGaps){let I=[];I.push(...qr(p,h,o,l,U,H,s)),F.gaps=I=c.gaps(n,i,o,l,I),F.clip=yi(I,b.ori,M,D,V,N)}return ie!=0&&(F.band=ie==2?[en(n,i,o,
l,K,-1),en(n,i,o,l,K,1)]:en(n,i,o,l,K,ie)),F})}function Od(e){return Fd(zd,e)}function zd(e,t,s,n,i,o){let l=e.length;if(l<2)return null;let c=new Path2D;
if(s(c,e[0],t[0]),l==2)n(c,e[1],t[1]);else{let p=Array(l),h=Array(l-1),b=Array(l-1),m=Array(l-1);for(let w=0;w<l-1;w++)b[w]=t[w+1]-t[w],m[w]=
e[w+1]-e[w],h[w]=b[w]/m[w];p[0]=h[0];for(let w=1;w<l-1;w++)h[w]===0||h[w-1]===0||h[w-1]>0!=h[w]>0?p[w]=0:(p[w]=3*(m[w-1]+m[w])/((2*m[w]+m[w-
1])/h[w-1]+(m[w]+2*m[w-1])/h[w]),isFinite(p[w])||(p[w]=0));p[l-1]=h[l-2];for(let w=0;w<l-1;w++)i(c,e[w]+m[w]/3,t[w]+p[w]*m[w]/3,e[w+1]-m[w]/
3,t[w+1]-p[w+1]*m[w]/3,e[w+1],t[w+1])}return c}var Pr=new Set;function Il(){for(let e of Pr)e.syncRect(!0)}ds&&(Rn(wu,os,Il),Rn(yu,os,Il,!0),
Rn(fi,os,()=>{Fe.pxRatio=ce}));var Hd=Ea(),Wd=Sa();function Vl(e,t,s,n){return(n?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map(
(o,l)=>Lr(o,l,t,s))}function Id(e,t){return e.map((s,n)=>n==0?{}:Re({},t,s))}function Lr(e,t,s,n){return Re({},t==0?s:n,e)}function Ma(e,t,s){
return t==null?as:[t,s]}var Vd=Ma;function Bd(e,t,s){return t==null?as:hi(t,s,Or,!0)}function $a(e,t,s,n){return t==null?as:gi(t,s,e.scales[n].
log,!1)}var Gd=$a;function Aa(e,t,s,n){return t==null?as:Fr(t,s,e.scales[n].log,!1)}var qd=Aa;function Kd(e,t,s,n,i){let o=Xe(vl(e),vl(t)),l=t-
e,c=Lt(i/n*l,s);do{let p=s[c],h=n*p/l;if(h>=i&&o+(p<5?un.get(p):0)<=17)return[p,h]}while(++c<s.length);return[0,0]}function Bl(e){let t,s;return e=
e.replace(/(\d+)px/,(n,i)=>(t=Ce((s=+i)*ce))+"px"),[e,t,s]}function jd(e){e.show&&[e.font,e.labelFont].forEach(t=>{let s=me(t[2]*ce,1);t[0]=
t[0].replace(/[0-9.]+px/,s+"px"),t[1]=s})}function Fe(e,t,s){let n={mode:le(e.mode,1)},i=n.mode;function o(r,a,u,f){let g=a.valToPct(r);return f+
u*(a.dir==-1?1-g:g)}function l(r,a,u,f){let g=a.valToPct(r);return f+u*(a.dir==-1?g:1-g)}function c(r,a,u,f){return a.ori==0?o(r,a,u,f):l(r,
a,u,f)}n.valToPosH=o,n.valToPosV=l;let p=!1;n.status=0;let h=n.root=xt(eu);if(e.id!=null&&(h.id=e.id),ut(h,e.class),e.title){let r=xt(su,h);
r.textContent=e.title}let b=Pt("canvas"),m=n.ctx=b.getContext("2d"),w=xt(iu,h);Rn("click",w,r=>{r.target===M&&(be!=Jn||Se!=Qn)&&Ge.click(n,r)},
!0);let S=n.under=xt(ru,w);w.appendChild(b);let M=n.over=xt(ou,w);e=cs(e);let D=+le(e.pxAlign,1),V=Hl(D);(e.plugins||[]).forEach(r=>{r.opts&&
(e=r.opts(n,e)||e)});let N=e.ms||.001,_=n.series=i==1?Vl(e.series||[],Ll,Ol,!1):Id(e.series||[null],Fl),H=n.axes=Vl(e.axes||[],Pl,Cl,!0),T=n.
scales={},W=n.bands=e.bands||[];W.forEach(r=>{r.fill=se(r.fill||null),r.dir=le(r.dir,-1)});let $=i==2?_[1].facets[0].scale:_[0].scale,J={axes:cc,
series:ic},U=(e.drawOrder||["axes","series"]).map(r=>J[r]);function ne(r){let a=r.distr==3?u=>Xt(u>0?u:r.clamp(n,u,r.min,r.max,r.key)):r.distr==
4?u=>yr(u,r.asinh):r.distr==100?u=>r.fwd(u):u=>u;return u=>{let f=a(u),{_min:g,_max:y}=r,v=y-g;return(f-g)/v}}function Y(r){let a=T[r];if(a==
null){let u=(e.scales||Ds)[r]||Ds;if(u.from!=null){Y(u.from);let f=Re({},T[u.from],u,{key:r});f.valToPct=ne(f),T[r]=f}else{a=T[r]=Re({},r==$?
ba:Ad,u),a.key=r;let f=a.time,g=a.range,y=cn(g);if((r!=$||i==2&&!f)&&(y&&(g[0]==null||g[1]==null)&&(g={min:g[0]==null?bl:{mode:1,hard:g[0],soft:g[0]},
max:g[1]==null?bl:{mode:1,hard:g[1],soft:g[1]}},y=!1),!y&&wi(g))){let v=g;g=(x,k,A)=>k==null?as:hi(k,A,v)}a.range=se(g||(f?Vd:r==$?a.distr==
3?Gd:a.distr==4?qd:Ma:a.distr==3?$a:a.distr==4?Aa:Bd)),a.auto=se(y?!1:a.auto),a.clamp=se(a.clamp||$d),a._min=a._max=null,a.valToPct=ne(a)}}}
Y("x"),Y("y"),i==1&&_.forEach(r=>{Y(r.scale)}),H.forEach(r=>{Y(r.scale)});for(let r in e.scales)Y(r);let E=T[$],Z=E.distr,F,K;E.ori==0?(ut(h,
tu),F=o,K=l):(ut(h,nu),F=l,K=o);let B={};for(let r in T){let a=T[r];(a.min!=null||a.max!=null)&&(B[r]={min:a.min,max:a.max},a.min=a.max=null)}
let ie=e.tzDate||(r=>new Date(Ce(r/N))),I=e.fmtDate||Wr,et=N==1?td(ie):id(ie),_e=$l(ie,Ml(N==1?ed:sd,I)),re=Rl(ie,Al(od,I)),fe=[],X=n.legend=
Re({},cd,e.legend),O=n.cursor=Re({},md,{drag:{y:i==2}},e.cursor),Le=X.show,je=O.show,ke=X.markers;X.idxs=fe,ke.width=se(ke.width),ke.dash=se(
ke.dash),ke.stroke=se(ke.stroke),ke.fill=se(ke.fill);let ue,St,it,Ee=[],Nt=[],qt,pt=!1,tn={};if(X.live){let r=_[1]?_[1].values:null;pt=r!=null,
qt=pt?r(n,1,0):{_:0};for(let a in qt)tn[a]=Cr}if(Le)if(ue=Pt("table",fu,h),it=Pt("tbody",null,ue),X.mount(n,ue),pt){St=Pt("thead",null,ue,it);
let r=Pt("tr",null,St);Pt("th",null,r);for(var Fn in qt)Pt("th",il,r).textContent=Fn}else ut(ue,pu),X.live&&ut(ue,hu);let On={show:!0},gs={show:!1};
function Os(r,a){if(a==0&&(pt||!X.live||i==2))return as;let u=[],f=Pt("tr",mu,it,it.childNodes[a]);ut(f,r.class),r.show||ut(f,An);let g=Pt("\
th",null,f);if(ke.show){let x=xt(gu,g);if(a>0){let k=ke.width(n,a);k&&(x.style.border=k+"px "+ke.dash(n,a)+" "+ke.stroke(n,a)),x.style.background=
ke.fill(n,a)}}let y=xt(il,g);r.label instanceof HTMLElement?y.appendChild(r.label):y.textContent=r.label,a>0&&(ke.show||(y.style.color=r.width>
0?ke.stroke(n,a):ke.fill(n,a)),Ue("click",g,x=>{if(O._lock)return;wn(x);let k=_.indexOf(r);if((x.ctrlKey||x.metaKey)!=X.isolate){let A=_.some(
(R,L)=>L>0&&L!=k&&R.show);_.forEach((R,L)=>{L>0&&zt(L,A?L==k?On:gs:On,!0,Ae.setSeries)})}else zt(k,{show:!r.show},!0,Ae.setSeries)},!1),In&&
Ue(al,g,x=>{O._lock||(wn(x),zt(_.indexOf(r),Xn,!0,Ae.setSeries))},!1));for(var v in qt){let x=Pt("td",bu,f);x.textContent="--",u.push(x)}return[
f,u]}let hn=new Map;function Ue(r,a,u,f=!0){let g=hn.get(a)||{},y=O.bind[r](n,a,u,f);y&&(Rn(r,a,g[r]=y),hn.set(a,g))}function zn(r,a,u){let f=hn.
get(a)||{};for(let g in f)(r==null||g==r)&&(Er(g,a,f[g]),delete f[g]);r==null&&hn.delete(a)}let Kt=0,pn=0,Q=0,P=0,ge=0,De=0,Hn=ge,mn=De,Ft=Q,
gn=P,rt=0,mt=0,tt=0,Tt=0;n.bbox={};let Pi=!1,zs=!1,Wn=!1,bn=!1,Hs=!1,gt=!1;function Li(r,a,u){(u||r!=n.width||a!=n.height)&&Zr(r,a),Kn(!1),Wn=
!0,zs=!0,jn()}function Zr(r,a){n.width=Kt=Q=r,n.height=pn=P=a,ge=De=0,Qa(),Za();let u=n.bbox;rt=u.left=Mn(ge*ce,.5),mt=u.top=Mn(De*ce,.5),tt=
u.width=Mn(Q*ce,.5),Tt=u.height=Mn(P*ce,.5)}let Ua=3;function Ya(){let r=!1,a=0;for(;!r;){a++;let u=lc(a),f=ac(a);r=a==Ua||u&&f,r||(Zr(n.width,
n.height),zs=!0)}}function Ja({width:r,height:a}){Li(r,a)}n.setSize=Ja;function Qa(){let r=!1,a=!1,u=!1,f=!1;H.forEach((g,y)=>{if(g.show&&g.
_show){let{side:v,_size:x}=g,k=v%2,A=g.label!=null?g.labelSize:0,R=x+A;R>0&&(k?(Q-=R,v==3?(ge+=R,f=!0):u=!0):(P-=R,v==0?(De+=R,r=!0):a=!0))}}),
yn[0]=r,yn[1]=u,yn[2]=a,yn[3]=f,Q-=nn[1]+nn[3],ge+=nn[3],P-=nn[2]+nn[0],De+=nn[0]}function Za(){let r=ge+Q,a=De+P,u=ge,f=De;function g(y,v){
switch(y){case 1:return r+=v,r-v;case 2:return a+=v,a-v;case 3:return u-=v,u+v;case 0:return f-=v,f+v}}H.forEach((y,v)=>{if(y.show&&y._show){
let x=y.side;y._pos=g(x,y._size),y.label!=null&&(y._lpos=g(x,y.labelSize))}})}if(O.dataIdx==null){let r=O.hover,a=r.skip=new Set(r.skip??[]);
a.add(void 0);let u=r.prox=se(r.prox),f=r.bias??=0;O.dataIdx=(g,y,v,x)=>{if(y==0)return v;let k=v,A=u(g,y,v,x)??pe,R=A>=0&&A<pe,L=E.ori==0?Q:
P,j=O.left,ae=t[0],oe=t[y];if(a.has(oe[v])){k=null;let ee=null,G=null,z;if(f==0||f==-1)for(z=v;ee==null&&z-- >0;)a.has(oe[z])||(ee=z);if(f==
0||f==1)for(z=v;G==null&&z++<oe.length;)a.has(oe[z])||(G=z);if(ee!=null||G!=null)if(R){let ye=ee==null?-1/0:F(ae[ee],E,L,0),Me=G==null?1/0:F(
ae[G],E,L,0),Ve=j-ye,he=Me-j;Ve<=he?Ve<=A&&(k=ee):he<=A&&(k=G)}else k=G==null?ee:ee==null?G:v-ee<=G-v?ee:G}else R&&Ne(j-F(ae[v],E,L,0))>A&&(k=
null);return k}}let wn=r=>{O.event=r};O.idxs=fe,O._lock=!1;let Ke=O.points;Ke.show=se(Ke.show),Ke.size=se(Ke.size),Ke.stroke=se(Ke.stroke),Ke.
width=se(Ke.width),Ke.fill=se(Ke.fill);let Ot=n.focus=Re({},e.focus||{alpha:.3},O.focus),In=Ot.prox>=0,Vn=In&&Ke.one,bt=[],Bn=[],Gn=[];function Xr(r,a){
let u=Ke.show(n,a);if(u instanceof HTMLElement)return ut(u,du),ut(u,r.class),Gt(u,-10,-10,Q,P),M.insertBefore(u,bt[a]),u}function eo(r,a){if(i==
1||a>0){let u=i==1&&T[r.scale].time,f=r.value;r.value=u?kl(f)?Rl(ie,Al(f,I)):f||re:f||Td,r.label=r.label||(u?bd:gd)}if(Vn||a>0){r.width=r.width==
null?1:r.width,r.paths=r.paths||Hd||Au,r.fillTo=se(r.fillTo||Rd),r.pxAlign=+le(r.pxAlign,D),r.pxRound=Hl(r.pxAlign),r.stroke=se(r.stroke||null),
r.fill=se(r.fill||null),r._stroke=r._fill=r._paths=r._focus=null;let u=Ed(Xe(1,r.width),1),f=r.points=Re({},{size:u,width:Xe(1,u*.2),stroke:r.
stroke,space:u*2,paths:Wd,_stroke:null,_fill:null},r.points);f.show=se(f.show),f.filter=se(f.filter),f.fill=se(f.fill),f.stroke=se(f.stroke),
f.paths=se(f.paths),f.pxAlign=r.pxAlign}if(Le){let u=Os(r,a);Ee.splice(a,0,u[0]),Nt.splice(a,0,u[1]),X.values.push(null)}if(je){fe.splice(a,
0,null);let u=null;Vn?a==0&&(u=Xr(r,a)):a>0&&(u=Xr(r,a)),bt.splice(a,0,u),Bn.splice(a,0,0),Gn.splice(a,0,0)}Ie("addSeries",a)}function Xa(r,a){
a=a??_.length,r=i==1?Lr(r,a,Ll,Ol):Lr(r,a,{},Fl),_.splice(a,0,r),eo(_[a],a)}n.addSeries=Xa;function ec(r){if(_.splice(r,1),Le){X.values.splice(
r,1),Nt.splice(r,1);let a=Ee.splice(r,1)[0];zn(null,a.firstChild),a.remove()}je&&(fe.splice(r,1),bt.splice(r,1)[0].remove(),Bn.splice(r,1),Gn.
splice(r,1)),Ie("delSeries",r)}n.delSeries=ec;let yn=[!1,!1,!1,!1];function tc(r,a){if(r._show=r.show,r.show){let u=r.side%2,f=T[r.scale];f==
null&&(r.scale=u?_[1].scale:$,f=T[r.scale]);let g=f.time;r.size=se(r.size),r.space=se(r.space),r.rotate=se(r.rotate),cn(r.incrs)&&r.incrs.forEach(
v=>{!un.has(v)&&un.set(v,Zl(v))}),r.incrs=se(r.incrs||(f.distr==2?Qu:g?N==1?Xu:nd:$n)),r.splits=se(r.splits||(g&&f.distr==1?et:f.distr==3?$r:
f.distr==4?vd:yd)),r.stroke=se(r.stroke),r.grid.stroke=se(r.grid.stroke),r.ticks.stroke=se(r.ticks.stroke),r.border.stroke=se(r.border.stroke);
let y=r.values;r.values=cn(y)&&!cn(y[0])?se(y):g?cn(y)?$l(ie,Ml(y,I)):kl(y)?rd(ie,y):y||_e:y||wd,r.filter=se(r.filter||(f.distr>=3&&f.log==10?
kd:f.distr==3&&f.log==2?Sd:Jl)),r.font=Bl(r.font),r.labelFont=Bl(r.labelFont),r._size=r.size(n,null,a,0),r._space=r._rotate=r._incrs=r._found=
r._splits=r._values=null,r._size>0&&(yn[a]=!0,r._el=xt(lu,w))}}function bs(r,a,u,f){let[g,y,v,x]=u,k=a%2,A=0;return k==0&&(x||y)&&(A=a==0&&!g||
a==2&&!v?Ce(Pl.size/3):0),k==1&&(g||v)&&(A=a==1&&!y||a==3&&!x?Ce(Cl.size/2):0),A}let to=n.padding=(e.padding||[bs,bs,bs,bs]).map(r=>se(le(r,
bs))),nn=n._padding=to.map((r,a)=>r(n,a,yn,0)),Be,Oe=null,ze=null,Ws=i==1?_[0].idxs:null,Et=null,ws=!1;function no(r,a){if(t=r??[],n.data=n.
_data=t,i==2){Be=0;for(let u=1;u<_.length;u++)Be+=t[u][0].length}else{t.length==0&&(n.data=n._data=t=[[]]),Et=t[0],Be=Et.length;let u=t;if(Z==
2){u=t.slice();let f=u[0]=Array(Be);for(let g=0;g<Be;g++)f[g]=g}n._data=t=u}if(Kn(!0),Ie("setData"),Z==2&&(Wn=!0),a!==!1){let u=E;u.auto(n,ws)?
Di():rn($,u.min,u.max),bn=bn||O.left>=0,gt=!0,jn()}}n.setData=no;function Di(){ws=!0;let r,a;i==1&&(Be>0?(Oe=Ws[0]=0,ze=Ws[1]=Be-1,r=t[0][Oe],
a=t[0][ze],Z==2?(r=Oe,a=ze):r==a&&(Z==3?[r,a]=gi(r,r,E.log,!1):Z==4?[r,a]=Fr(r,r,E.log,!1):E.time?a=r+Ce(86400/N):[r,a]=hi(r,a,Or,!0))):(Oe=
Ws[0]=r=null,ze=Ws[1]=a=null)),rn($,r,a)}let Is,qn,Ci,Ni,Fi,Oi,zi,Hi,Wi,nt;function so(r,a,u,f,g,y){r??=ol,u??=Hr,f??="butt",g??=ol,y??="rou\
nd",r!=Is&&(m.strokeStyle=Is=r),g!=qn&&(m.fillStyle=qn=g),a!=Ci&&(m.lineWidth=Ci=a),y!=Fi&&(m.lineJoin=Fi=y),f!=Oi&&(m.lineCap=Oi=f),u!=Ni&&
m.setLineDash(Ni=u)}function io(r,a,u,f){a!=qn&&(m.fillStyle=qn=a),r!=zi&&(m.font=zi=r),u!=Hi&&(m.textAlign=Hi=u),f!=Wi&&(m.textBaseline=Wi=
f)}function Ii(r,a,u,f,g=0){if(f.length>0&&r.auto(n,ws)&&(a==null||a.min==null)){let y=le(Oe,0),v=le(ze,f.length-1),x=u.min==null?ku(f,y,v,g,
r.distr==3):[u.min,u.max];r.min=Dt(r.min,u.min=x[0]),r.max=Xe(r.max,u.max=x[1])}}let ro={min:null,max:null};function nc(){for(let f in T){let g=T[f];
B[f]==null&&(g.min==null||B[$]!=null&&g.auto(n,ws))&&(B[f]=ro)}for(let f in T){let g=T[f];B[f]==null&&g.from!=null&&B[g.from]!=null&&(B[f]=ro)}
B[$]!=null&&Kn(!0);let r={};for(let f in B){let g=B[f];if(g!=null){let y=r[f]=cs(T[f],Lu);if(g.min!=null)Re(y,g);else if(f!=$||i==2)if(Be==0&&
y.from==null){let v=y.range(n,null,null,f);y.min=v[0],y.max=v[1]}else y.min=pe,y.max=-pe}}if(Be>0){_.forEach((f,g)=>{if(i==1){let y=f.scale,
v=B[y];if(v==null)return;let x=r[y];if(g==0){let k=x.range(n,x.min,x.max,y);x.min=k[0],x.max=k[1],Oe=Lt(x.min,t[0]),ze=Lt(x.max,t[0]),ze-Oe>
1&&(t[0][Oe]<x.min&&Oe++,t[0][ze]>x.max&&ze--),f.min=Et[Oe],f.max=Et[ze]}else f.show&&f.auto&&Ii(x,v,f,t[g],f.sorted);f.idxs[0]=Oe,f.idxs[1]=
ze}else if(g>0&&f.show&&f.auto){let[y,v]=f.facets,x=y.scale,k=v.scale,[A,R]=t[g],L=r[x],j=r[k];L!=null&&Ii(L,B[x],y,A,y.sorted),j!=null&&Ii(
j,B[k],v,R,v.sorted),f.min=v.min,f.max=v.max}});for(let f in r){let g=r[f],y=B[f];if(g.from==null&&(y==null||y.min==null)){let v=g.range(n,g.
min==pe?null:g.min,g.max==-pe?null:g.max,f);g.min=v[0],g.max=v[1]}}}for(let f in r){let g=r[f];if(g.from!=null){let y=r[g.from];if(y.min==null)
g.min=g.max=null;else{let v=g.range(n,y.min,y.max,f);g.min=v[0],g.max=v[1]}}}let a={},u=!1;for(let f in r){let g=r[f],y=T[f];if(y.min!=g.min||
y.max!=g.max){y.min=g.min,y.max=g.max;let v=y.distr;y._min=v==3?Xt(y.min):v==4?yr(y.min,y.asinh):v==100?y.fwd(y.min):y.min,y._max=v==3?Xt(y.
max):v==4?yr(y.max,y.asinh):v==100?y.fwd(y.max):y.max,a[f]=u=!0}}if(u){_.forEach((f,g)=>{i==2?g>0&&a.y&&(f._paths=null):a[f.scale]&&(f._paths=
null)});for(let f in a)Wn=!0,Ie("setScale",f);je&&O.left>=0&&(bn=gt=!0)}for(let f in B)B[f]=null}function sc(r){let a=Mr(Oe-1,0,Be-1),u=Mr(ze+
1,0,Be-1);for(;r[a]==null&&a>0;)a--;for(;r[u]==null&&u<Be-1;)u++;return[a,u]}function ic(){if(Be>0){let r=_.some(a=>a._focus)&&nt!=Ot.alpha;
r&&(m.globalAlpha=nt=Ot.alpha),_.forEach((a,u)=>{if(u>0&&a.show&&(oo(u,!1),oo(u,!0),a._paths==null)){let f=nt;nt!=a.alpha&&(m.globalAlpha=nt=
a.alpha);let g=i==2?[0,t[u][0].length-1]:sc(t[u]);a._paths=a.paths(n,u,g[0],g[1]),nt!=f&&(m.globalAlpha=nt=f)}}),_.forEach((a,u)=>{if(u>0&&a.
show){let f=nt;nt!=a.alpha&&(m.globalAlpha=nt=a.alpha),a._paths!=null&&lo(u,!1);{let g=a._paths!=null?a._paths.gaps:null,y=a.points.show(n,u,
Oe,ze,g),v=a.points.filter(n,u,y,g);(y||v)&&(a.points._paths=a.points.paths(n,u,Oe,ze,v),lo(u,!0))}nt!=f&&(m.globalAlpha=nt=f),Ie("drawSerie\
s",u)}}),r&&(m.globalAlpha=nt=1)}}function oo(r,a){let u=a?_[r].points:_[r];u._stroke=u.stroke(n,r),u._fill=u.fill(n,r)}function lo(r,a){let u=a?
_[r].points:_[r],{stroke:f,fill:g,clip:y,flags:v,_stroke:x=u._stroke,_fill:k=u._fill,_width:A=u.width}=u._paths;A=me(A*ce,3);let R=null,L=A%
2/2;a&&k==null&&(k=A>0?"#fff":x);let j=u.pxAlign==1&&L>0;if(j&&m.translate(L,L),!a){let ae=rt-A/2,oe=mt-A/2,ee=tt+A,G=Tt+A;R=new Path2D,R.rect(
ae,oe,ee,G)}a?Vi(x,A,u.dash,u.cap,k,f,g,v,y):rc(r,x,A,u.dash,u.cap,k,f,g,v,R,y),j&&m.translate(-L,-L)}function rc(r,a,u,f,g,y,v,x,k,A,R){let L=!1;
k!=0&&W.forEach((j,ae)=>{if(j.series[0]==r){let oe=_[j.series[1]],ee=t[j.series[1]],G=(oe._paths||Ds).band;cn(G)&&(G=j.dir==1?G[0]:G[1]);let z,
ye=null;oe.show&&G&&Tu(ee,Oe,ze)?(ye=j.fill(n,ae)||y,z=oe._paths.clip):G=null,Vi(a,u,f,g,ye,v,x,k,A,R,z,G),L=!0}}),L||Vi(a,u,f,g,y,v,x,k,A,R)}
let ao=us|Rr;function Vi(r,a,u,f,g,y,v,x,k,A,R,L){so(r,a,u,f,g),(k||A||L)&&(m.save(),k&&m.clip(k),A&&m.clip(A)),L?(x&ao)==ao?(m.clip(L),R&&m.
clip(R),Bs(g,v),Vs(r,y,a)):x&Rr?(Bs(g,v),m.clip(L),Vs(r,y,a)):x&us&&(m.save(),m.clip(L),R&&m.clip(R),Bs(g,v),m.restore(),Vs(r,y,a)):(Bs(g,v),
Vs(r,y,a)),(k||A||L)&&m.restore()}function Vs(r,a,u){u>0&&(a instanceof Map?a.forEach((f,g)=>{m.strokeStyle=Is=g,m.stroke(f)}):a!=null&&r&&m.
stroke(a))}function Bs(r,a){a instanceof Map?a.forEach((u,f)=>{m.fillStyle=qn=f,m.fill(u)}):a!=null&&r&&m.fill(a)}function oc(r,a,u,f){let g=H[r],
y;if(f<=0)y=[0,0];else{let v=g._space=g.space(n,r,a,u,f),x=g._incrs=g.incrs(n,r,a,u,f,v);y=Kd(a,u,x,f,v)}return g._found=y}function Bi(r,a,u,f,g,y,v,x,k,A){
let R=v%2/2;D==1&&m.translate(R,R),so(x,v,k,A,x),m.beginPath();let L,j,ae,oe,ee=g+(f==0||f==3?-y:y);u==0?(j=g,oe=ee):(L=g,ae=ee);for(let G=0;G<
r.length;G++)a[G]!=null&&(u==0?L=ae=r[G]:j=oe=r[G],m.moveTo(L,j),m.lineTo(ae,oe));m.stroke(),D==1&&m.translate(-R,-R)}function lc(r){let a=!0;
return H.forEach((u,f)=>{if(!u.show)return;let g=T[u.scale];if(g.min==null){u._show&&(a=!1,u._show=!1,Kn(!1));return}else u._show||(a=!1,u._show=
!0,Kn(!1));let y=u.side,v=y%2,{min:x,max:k}=g,[A,R]=oc(f,x,k,v==0?Q:P);if(R==0)return;let L=g.distr==2,j=u._splits=u.splits(n,f,x,k,A,R,L),ae=g.
distr==2?j.map(z=>Et[z]):j,oe=g.distr==2?Et[j[1]]-Et[j[0]]:A,ee=u._values=u.values(n,u.filter(n,ae,f,R,oe),f,R,oe);u._rotate=y==2?u.rotate(n,
ee,f,R):0;let G=u._size;u._size=_t(u.size(n,ee,f,r)),G!=null&&u._size!=G&&(a=!1)}),a}function ac(r){let a=!0;return to.forEach((u,f)=>{let g=u(
n,f,yn,r);g!=nn[f]&&(a=!1),nn[f]=g}),a}function cc(){for(let r=0;r<H.length;r++){let a=H[r];if(!a.show||!a._show)continue;let u=a.side,f=u%2,
g,y,v=a.stroke(n,r),x=u==0||u==3?-1:1,[k,A]=a._found;if(a.label!=null){let Je=a.labelGap*x,at=Ce((a._lpos+Je)*ce);io(a.labelFont[0],v,"cente\
r",u==2?"top":rl),m.save(),f==1?(g=y=0,m.translate(at,Ce(mt+Tt/2)),m.rotate((u==3?-di:di)/2)):(g=Ce(rt+tt/2),y=at);let _n=Ul(a.label)?a.label(
n,r,k,A):a.label;m.fillText(_n,g,y),m.restore()}if(A==0)continue;let R=T[a.scale],L=f==0?tt:Tt,j=f==0?rt:mt,ae=a._splits,oe=R.distr==2?ae.map(
Je=>Et[Je]):ae,ee=R.distr==2?Et[ae[1]]-Et[ae[0]]:k,G=a.ticks,z=a.border,ye=G.show?G.size:0,Me=Ce(ye*ce),Ve=Ce((a.alignTo==2?a._size-ye-a.gap:
a.gap)*ce),he=a._rotate*-di/180,$e=V(a._pos*ce),ot=(Me+Ve)*x,Ye=$e+ot;y=f==0?Ye:0,g=f==1?Ye:0;let wt=a.font[0],Mt=a.align==1?is:a.align==2?gr:
he>0?is:he<0?gr:f==0?"center":u==3?gr:is,Wt=he||f==1?"middle":u==2?"top":rl;io(wt,v,Mt,Wt);let lt=a.font[1]*a.lineGap,yt=ae.map(Je=>V(c(Je,R,
L,j))),$t=a._values;for(let Je=0;Je<$t.length;Je++){let at=$t[Je];if(at!=null){f==0?g=yt[Je]:y=yt[Je],at=""+at;let _n=at.indexOf(`
`)==-1?[at]:at.split(/\n/gm);for(let Qe=0;Qe<_n.length;Qe++){let $o=_n[Qe];he?(m.save(),m.translate(g,y+Qe*lt),m.rotate(he),m.fillText($o,0,
0),m.restore()):m.fillText($o,g,y+Qe*lt)}}}G.show&&Bi(yt,G.filter(n,oe,r,A,ee),f,u,$e,Me,me(G.width*ce,3),G.stroke(n,r),G.dash,G.cap);let It=a.
grid;It.show&&Bi(yt,It.filter(n,oe,r,A,ee),f,f==0?2:1,f==0?mt:rt,f==0?Tt:tt,me(It.width*ce,3),It.stroke(n,r),It.dash,It.cap),z.show&&Bi([$e],
[1],f==0?1:0,f==0?1:2,f==1?mt:rt,f==1?Tt:tt,me(z.width*ce,3),z.stroke(n,r),z.dash,z.cap)}Ie("drawAxes")}function Kn(r){_.forEach((a,u)=>{u>0&&
(a._paths=null,r&&(i==1?(a.min=null,a.max=null):a.facets.forEach(f=>{f.min=null,f.max=null})))})}let Gs=!1,Gi=!1,ys=[];function uc(){Gi=!1;for(let r=0;r<
ys.length;r++)Ie(...ys[r]);ys.length=0}function jn(){Gs||(Hu(co),Gs=!0)}function dc(r,a=!1){Gs=!0,Gi=a,r(n),co(),a&&ys.length>0&&queueMicrotask(
uc)}n.batch=dc;function co(){if(Pi&&(nc(),Pi=!1),Wn&&(Ya(),Wn=!1),zs){if(xe(S,is,ge),xe(S,"top",De),xe(S,As,Q),xe(S,Rs,P),xe(M,is,ge),xe(M,"\
top",De),xe(M,As,Q),xe(M,Rs,P),xe(w,As,Kt),xe(w,Rs,pn),b.width=Ce(Kt*ce),b.height=Ce(pn*ce),H.forEach(({_el:r,_show:a,_size:u,_pos:f,side:g})=>{
if(r!=null)if(a){let y=g===3||g===0?u:0,v=g%2==1;xe(r,v?"left":"top",f-y),xe(r,v?"width":"height",u),xe(r,v?"top":"left",v?De:ge),xe(r,v?"he\
ight":"width",v?P:Q),Tr(r,An)}else ut(r,An)}),Is=qn=Ci=Fi=Oi=zi=Hi=Wi=Ni=null,nt=1,_s(!0),ge!=Hn||De!=mn||Q!=Ft||P!=gn){Kn(!1);let r=Q/Ft,a=P/
gn;if(je&&!bn&&O.left>=0){O.left*=r,O.top*=a,Un&&Gt(Un,Ce(O.left),0,Q,P),Yn&&Gt(Yn,0,Ce(O.top),Q,P);for(let u=0;u<bt.length;u++){let f=bt[u];
f!=null&&(Bn[u]*=r,Gn[u]*=a,Gt(f,_t(Bn[u]),_t(Gn[u]),Q,P))}}if(we.show&&!Hs&&we.left>=0&&we.width>0){we.left*=r,we.width*=r,we.top*=a,we.height*=
a;for(let u in Ji)xe(Zn,u,we[u])}Hn=ge,mn=De,Ft=Q,gn=P}Ie("setSize"),zs=!1}Kt>0&&pn>0&&(m.clearRect(0,0,b.width,b.height),Ie("drawClear"),U.
forEach(r=>r()),Ie("draw")),we.show&&Hs&&(qs(we),Hs=!1),je&&bn&&(xn(null,!0,!1),bn=!1),X.show&&X.live&&gt&&(Ui(),gt=!1),p||(p=!0,n.status=1,
Ie("ready")),ws=!1,Gs=!1}n.redraw=(r,a)=>{Wn=a||!1,r!==!1?rn($,E.min,E.max):jn()};function qi(r,a){let u=T[r];if(u.from==null){if(Be==0){let f=u.
range(n,a.min,a.max,r);a.min=f[0],a.max=f[1]}if(a.min>a.max){let f=a.min;a.min=a.max,a.max=f}if(Be>1&&a.min!=null&&a.max!=null&&a.max-a.min<
1e-16)return;r==$&&u.distr==2&&Be>0&&(a.min=Lt(a.min,t[0]),a.max=Lt(a.max,t[0]),a.min==a.max&&a.max++),B[r]=a,Pi=!0,jn()}}n.setScale=qi;let Ki,
ji,Un,Yn,uo,fo,Jn,Qn,ho,po,be,Se,sn=!1,Ge=O.drag,He=Ge.x,We=Ge.y;je&&(O.x&&(Ki=xt(cu,M)),O.y&&(ji=xt(uu,M)),E.ori==0?(Un=Ki,Yn=ji):(Un=ji,Yn=
Ki),be=O.left,Se=O.top);let we=n.select=Re({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),Zn=we.show?xt(au,we.over?M:S):null;function qs(r,a){
if(we.show){for(let u in r)we[u]=r[u],u in Ji&&xe(Zn,u,r[u]);a!==!1&&Ie("setSelect")}}n.setSelect=qs;function fc(r){if(_[r].show)Le&&Tr(Ee[r],
An);else if(Le&&ut(Ee[r],An),je){let u=Vn?bt[0]:bt[r];u!=null&&Gt(u,-10,-10,Q,P)}}function rn(r,a,u){qi(r,{min:a,max:u})}function zt(r,a,u,f){
a.focus!=null&&bc(r),a.show!=null&&_.forEach((g,y)=>{y>0&&(r==y||r==null)&&(g.show=a.show,fc(y),i==2?(rn(g.facets[0].scale,null,null),rn(g.facets[1].
scale,null,null)):rn(g.scale,null,null),jn())}),u!==!1&&Ie("setSeries",r,a),f&&ks("setSeries",n,r,a)}n.setSeries=zt;function hc(r,a){Re(W[r],
a)}function pc(r,a){r.fill=se(r.fill||null),r.dir=le(r.dir,-1),a=a??W.length,W.splice(a,0,r)}function mc(r){r==null?W.length=0:W.splice(r,1)}
n.addBand=pc,n.setBand=hc,n.delBand=mc;function gc(r,a){_[r].alpha=a,je&&bt[r]!=null&&(bt[r].style.opacity=a),Le&&Ee[r]&&(Ee[r].style.opacity=
a)}let jt,on,vn,Xn={focus:!0};function bc(r){if(r!=vn){let a=r==null,u=Ot.alpha!=1;_.forEach((f,g)=>{if(i==1||g>0){let y=a||g==0||g==r;f._focus=
a?null:y,u&&gc(g,y?1:Ot.alpha)}}),vn=r,u&&jn()}}Le&&In&&Ue(cl,ue,r=>{O._lock||(wn(r),vn!=null&&zt(null,Xn,!0,Ae.setSeries))});function Ht(r,a,u){
let f=T[a];u&&(r=r/ce-(f.ori==1?De:ge));let g=Q;f.ori==1&&(g=P,r=g-r),f.dir==-1&&(r=g-r);let y=f._min,v=f._max,x=r/g,k=y+(v-y)*x,A=f.distr;return A==
3?ls(10,k):A==4?Mu(k,f.asinh):A==100?f.bwd(k):k}function wc(r,a){let u=Ht(r,$,a);return Lt(u,t[0],Oe,ze)}n.valToIdx=r=>Lt(r,t[0]),n.posToIdx=
wc,n.posToVal=Ht,n.valToPos=(r,a,u)=>T[a].ori==0?o(r,T[a],u?tt:Q,u?rt:0):l(r,T[a],u?Tt:P,u?mt:0),n.setCursor=(r,a,u)=>{be=r.left,Se=r.top,xn(
null,a,u)};function mo(r,a){xe(Zn,is,we.left=r),xe(Zn,As,we.width=a)}function go(r,a){xe(Zn,"top",we.top=r),xe(Zn,Rs,we.height=a)}let vs=E.ori==
0?mo:go,xs=E.ori==1?mo:go;function yc(){if(Le&&X.live)for(let r=i==2?1:0;r<_.length;r++){if(r==0&&pt)continue;let a=X.values[r],u=0;for(let f in a)
Nt[r][u++].firstChild.nodeValue=a[f]}}function Ui(r,a){if(r!=null&&(r.idxs?r.idxs.forEach((u,f)=>{fe[f]=u}):Pu(r.idx)||fe.fill(r.idx),X.idx=
fe[0]),Le&&X.live){for(let u=0;u<_.length;u++)(u>0||i==1&&!pt)&&vc(u,fe[u]);yc()}gt=!1,a!==!1&&Ie("setLegend")}n.setLegend=Ui;function vc(r,a){
let u=_[r],f=r==0&&Z==2?Et:t[r],g;pt?g=u.values(n,r,a)??tn:(g=u.value(n,a==null?null:f[a],r,a),g=g==null?tn:{_:g}),X.values[r]=g}function xn(r,a,u){
ho=be,po=Se,[be,Se]=O.move(n,be,Se),O.left=be,O.top=Se,je&&(Un&&Gt(Un,Ce(be),0,Q,P),Yn&&Gt(Yn,0,Ce(Se),Q,P));let f,g=Oe>ze;jt=pe,on=null;let y=E.
ori==0?Q:P,v=E.ori==1?Q:P;if(be<0||Be==0||g){f=O.idx=null;for(let x=0;x<_.length;x++){let k=bt[x];k!=null&&Gt(k,-10,-10,Q,P)}In&&zt(null,Xn,
!0,r==null&&Ae.setSeries),X.live&&(fe.fill(f),gt=!0)}else{let x,k,A;i==1&&(x=E.ori==0?be:Se,k=Ht(x,$),f=O.idx=Lt(k,t[0],Oe,ze),A=F(t[0][f],E,
y,0));let R=-10,L=-10,j=0,ae=0,oe=!0,ee="",G="";for(let z=i==2?1:0;z<_.length;z++){let ye=_[z],Me=fe[z],Ve=Me==null?null:i==1?t[z][Me]:t[z][1][Me],
he=O.dataIdx(n,z,f,k),$e=he==null?null:i==1?t[z][he]:t[z][1][he];if(gt=gt||$e!=Ve||he!=Me,fe[z]=he,z>0&&ye.show){let ot=he==null?-10:he==f?A:
F(i==1?t[0][he]:t[z][0][he],E,y,0),Ye=$e==null?-10:K($e,i==1?T[ye.scale]:T[ye.facets[1].scale],v,0);if(In&&$e!=null){let wt=E.ori==1?be:Se,Mt=Ne(
Ot.dist(n,z,he,Ye,wt));if(Mt<jt){let Wt=Ot.bias;if(Wt!=0){let lt=Ht(wt,ye.scale),yt=$e>=0?1:-1,$t=lt>=0?1:-1;$t==yt&&($t==1?Wt==1?$e>=lt:$e<=
lt:Wt==1?$e<=lt:$e>=lt)&&(jt=Mt,on=z)}else jt=Mt,on=z}}if(gt||Vn){let wt,Mt;E.ori==0?(wt=ot,Mt=Ye):(wt=Ye,Mt=ot);let Wt,lt,yt,$t,It,Je,at=!0,
_n=Ke.bbox;if(_n!=null){at=!1;let Qe=_n(n,z);yt=Qe.left,$t=Qe.top,Wt=Qe.width,lt=Qe.height}else yt=wt,$t=Mt,Wt=lt=Ke.size(n,z);if(Je=Ke.fill(
n,z),It=Ke.stroke(n,z),Vn)z==on&&jt<=Ot.prox&&(R=yt,L=$t,j=Wt,ae=lt,oe=at,ee=Je,G=It);else{let Qe=bt[z];Qe!=null&&(Bn[z]=yt,Gn[z]=$t,gl(Qe,Wt,
lt,at),pl(Qe,Je,It),Gt(Qe,_t(yt),_t($t),Q,P))}}}}if(Vn){let z=Ot.prox,ye=vn==null?jt<=z:jt>z||on!=vn;if(gt||ye){let Me=bt[0];Me!=null&&(Bn[0]=
R,Gn[0]=L,gl(Me,j,ae,oe),pl(Me,ee,G),Gt(Me,_t(R),_t(L),Q,P))}}}if(we.show&&sn)if(r!=null){let[x,k]=Ae.scales,[A,R]=Ae.match,[L,j]=r.cursor.sync.
scales,ae=r.cursor.drag;if(He=ae._x,We=ae._y,He||We){let{left:oe,top:ee,width:G,height:z}=r.select,ye=r.scales[L].ori,Me=r.posToVal,Ve,he,$e,
ot,Ye,wt=x!=null&&A(x,L),Mt=k!=null&&R(k,j);wt&&He?(ye==0?(Ve=oe,he=G):(Ve=ee,he=z),$e=T[x],ot=F(Me(Ve,L),$e,y,0),Ye=F(Me(Ve+he,L),$e,y,0),vs(
Dt(ot,Ye),Ne(Ye-ot))):vs(0,y),Mt&&We?(ye==1?(Ve=oe,he=G):(Ve=ee,he=z),$e=T[k],ot=K(Me(Ve,j),$e,v,0),Ye=K(Me(Ve+he,j),$e,v,0),xs(Dt(ot,Ye),Ne(
Ye-ot))):xs(0,v)}else Qi()}else{let x=Ne(ho-uo),k=Ne(po-fo);if(E.ori==1){let j=x;x=k,k=j}He=Ge.x&&x>=Ge.dist,We=Ge.y&&k>=Ge.dist;let A=Ge.uni;
A!=null?He&&We&&(He=x>=A,We=k>=A,!He&&!We&&(k>x?We=!0:He=!0)):Ge.x&&Ge.y&&(He||We)&&(He=We=!0);let R,L;He&&(E.ori==0?(R=Jn,L=be):(R=Qn,L=Se),
vs(Dt(R,L),Ne(L-R)),We||xs(0,v)),We&&(E.ori==1?(R=Jn,L=be):(R=Qn,L=Se),xs(Dt(R,L),Ne(L-R)),He||vs(0,y)),!He&&!We&&(vs(0,0),xs(0,0))}if(Ge._x=
He,Ge._y=We,r==null){if(u){if(Mo!=null){let[x,k]=Ae.scales;Ae.values[0]=x!=null?Ht(E.ori==0?be:Se,x):null,Ae.values[1]=k!=null?Ht(E.ori==1?be:
Se,k):null}ks(br,n,be,Se,Q,P,f)}if(In){let x=u&&Ae.setSeries,k=Ot.prox;vn==null?jt<=k&&zt(on,Xn,!0,x):jt>k?zt(null,Xn,!0,x):on!=vn&&zt(on,Xn,
!0,x)}}gt&&(X.idx=f,Ui()),a!==!1&&Ie("setCursor")}let ln=null;Object.defineProperty(n,"rect",{get(){return ln==null&&_s(!1),ln}});function _s(r=!1){
r?ln=null:(ln=M.getBoundingClientRect(),Ie("syncRect",ln))}function bo(r,a,u,f,g,y,v){O._lock||sn&&r!=null&&r.movementX==0&&r.movementY==0||
(Yi(r,a,u,f,g,y,v,!1,r!=null),r!=null?xn(null,!0,!0):xn(a,!0,!1))}function Yi(r,a,u,f,g,y,v,x,k){if(ln==null&&_s(!1),wn(r),r!=null)u=r.clientX-
ln.left,f=r.clientY-ln.top;else{if(u<0||f<0){be=-10,Se=-10;return}let[A,R]=Ae.scales,L=a.cursor.sync,[j,ae]=L.values,[oe,ee]=L.scales,[G,z]=Ae.
match,ye=a.axes[0].side%2==1,Me=E.ori==0?Q:P,Ve=E.ori==1?Q:P,he=ye?y:g,$e=ye?g:y,ot=ye?f:u,Ye=ye?u:f;if(oe!=null?u=G(A,oe)?c(j,T[A],Me,0):-10:
u=Me*(ot/he),ee!=null?f=z(R,ee)?c(ae,T[R],Ve,0):-10:f=Ve*(Ye/$e),E.ori==1){let wt=u;u=f,f=wt}}k&&(a==null||a.cursor.event.type==br)&&((u<=1||
u>=Q-1)&&(u=Mn(u,Q)),(f<=1||f>=P-1)&&(f=Mn(f,P))),x?(uo=u,fo=f,[Jn,Qn]=O.move(n,u,f)):(be=u,Se=f)}let Ji={width:0,height:0,left:0,top:0};function Qi(){
qs(Ji,!1)}let wo,yo,vo,xo;function _o(r,a,u,f,g,y,v){sn=!0,He=We=Ge._x=Ge._y=!1,Yi(r,a,u,f,g,y,v,!0,!1),r!=null&&(Ue(wr,kr,ko,!1),ks(ll,n,Jn,
Qn,Q,P,null));let{left:x,top:k,width:A,height:R}=we;wo=x,yo=k,vo=A,xo=R}function ko(r,a,u,f,g,y,v){sn=Ge._x=Ge._y=!1,Yi(r,a,u,f,g,y,v,!1,!0);
let{left:x,top:k,width:A,height:R}=we,L=A>0||R>0,j=wo!=x||yo!=k||vo!=A||xo!=R;if(L&&j&&qs(we),Ge.setScale&&L&&j){let ae=x,oe=A,ee=k,G=R;if(E.
ori==1&&(ae=k,oe=R,ee=x,G=A),He&&rn($,Ht(ae,$),Ht(ae+oe,$)),We)for(let z in T){let ye=T[z];z!=$&&ye.from==null&&ye.min!=pe&&rn(z,Ht(ee+G,z),
Ht(ee,z))}Qi()}else O.lock&&(O._lock=!O._lock,xn(a,!0,r!=null));r!=null&&(zn(wr,kr),ks(wr,n,be,Se,Q,P,null))}function xc(r,a,u,f,g,y,v){if(O.
_lock)return;wn(r);let x=sn;if(sn){let k=!0,A=!0,R=10,L,j;E.ori==0?(L=He,j=We):(L=We,j=He),L&&j&&(k=be<=R||be>=Q-R,A=Se<=R||Se>=P-R),L&&k&&(be=
be<Jn?0:Q),j&&A&&(Se=Se<Qn?0:P),xn(null,!0,!0),sn=!1}be=-10,Se=-10,fe.fill(null),xn(null,!0,!0),x&&(sn=x)}function So(r,a,u,f,g,y,v){O._lock||
(wn(r),Di(),Qi(),r!=null&&ks(ul,n,be,Se,Q,P,null))}function To(){H.forEach(jd),Li(n.width,n.height,!0)}Rn(fi,os,To);let es={};es.mousedown=_o,
es.mousemove=bo,es.mouseup=ko,es.dblclick=So,es.setSeries=(r,a,u,f)=>{let g=Ae.match[2];u=g(n,a,u),u!=-1&&zt(u,f,!0,!1)},je&&(Ue(ll,M,_o),Ue(
br,M,bo),Ue(al,M,r=>{wn(r),_s(!1)}),Ue(cl,M,xc),Ue(ul,M,So),Pr.add(n),n.syncRect=_s);let Ks=n.hooks=e.hooks||{};function Ie(r,a,u){Gi?ys.push(
[r,a,u]):r in Ks&&Ks[r].forEach(f=>{f.call(null,n,a,u)})}(e.plugins||[]).forEach(r=>{for(let a in r.hooks)Ks[a]=(Ks[a]||[]).concat(r.hooks[a])});
let Eo=(r,a,u)=>u,Ae=Re({key:null,setSeries:!1,filters:{pub:xl,sub:xl},scales:[$,_[1]?_[1].scale:null],match:[_l,_l,Eo],values:[null,null]},
O.sync);Ae.match.length==2&&Ae.match.push(Eo),O.sync=Ae;let Mo=Ae.key,Zi=wa(Mo);function ks(r,a,u,f,g,y,v){Ae.filters.pub(r,a,u,f,g,y,v)&&Zi.
pub(r,a,u,f,g,y,v)}Zi.sub(n);function _c(r,a,u,f,g,y,v){Ae.filters.sub(r,a,u,f,g,y,v)&&es[r](null,a,u,f,g,y,v)}n.pub=_c;function kc(){Zi.unsub(
n),Pr.delete(n),hn.clear(),Er(fi,os,To),h.remove(),ue?.remove(),Ie("destroy")}n.destroy=kc;function Xi(){Ie("init",e,t),no(t||e.data,!1),B[$]?
qi($,B[$]):Di(),Hs=we.show&&(we.width>0||we.height>0),bn=gt=!0,Li(e.width,e.height)}return _.forEach(eo),H.forEach(tc),s?s instanceof HTMLElement?
(s.appendChild(h),Xi()):s(n,Xi):Xi(),n}Fe.assign=Re;Fe.fmtNum=zr;Fe.rangeNum=hi;Fe.rangeLog=gi;Fe.rangeAsinh=Fr;Fe.orient=Ln;Fe.pxRatio=ce;Fe.
join=zu;Fe.fmtDate=Wr,Fe.tzDate=Yu;Fe.sync=wa;{Fe.addGap=Pd,Fe.clipGaps=yi;let e=Fe.paths={points:Sa};e.linear=Ea,e.stepped=Cd,e.bars=Nd,e.spline=
Od}var Dn=[7,4],jr=[2,3],Ra=190,Ud=60,Yd=180,Pa=86400,Jd=Array.from({length:50},(e,t)=>2**t),Ct=class{element;#e;#n=d("div",{class:"chart-canva\
s"});#i=[];#s=d("span",{class:"chart-when"});#o;#a;#t=null;#l=[];#c=[];#r=null;#u=0;constructor(t,s=null){this.#e=t;let n=t.lines.map(i=>{let o=d(
"span",{class:"figure"});this.#i.push(o);let l=d("span",{class:`sample sample-${i.colour}${i.dash?` sample-${i.dash[0]===jr[0]?"dot":"dash"}`:
""}`,"aria-hidden":"true"});return d("li",{},l,d("span",{},i.label),o)});this.element=d("figure",{class:"chart card"},d("figcaption",{},d("d\
iv",{},d("h3",{},t.title),d("p",{},t.about)),s),this.#n,d("div",{class:"legend"},d("ul",{},...n),this.#s)),this.#n.setAttribute("role","img"),
this.#d(),this.#o=new ResizeObserver(()=>this.#f()),this.#o.observe(this.#n),this.#a=si(()=>this.#h())}set(t,s,n=null){this.#l=t,this.#c=s,this.#r=
n,this.#d(),this.#n.dataset.points=String(t.length),this.#t?this.#t.setData(this.#p()):this.#f(),this.#b(null)}#d(){let t=this.#r===null?"th\
e last five minutes":this.#r.seconds>Pa?"the last week":"the last day";this.#n.setAttribute("aria-label",`${this.#e.title}: lines over ${t};\
 the newest figures follow`)}leave(){this.#o.disconnect(),this.#a(),this.#t?.destroy(),this.#t=null}#f(){let t=Math.floor(this.#n.clientWidth);
t!==0&&(this.#t?t!==this.#u&&this.#t.setSize({width:t,height:Ra}):this.#w(t),this.#u=t)}#h(){this.#t&&(this.#t.destroy(),this.#t=null,this.#f())}#p(){
let t=[];return this.#e.lines.forEach((s,n)=>{let i=this.#c[n]??[],o=s.fill==="stacked"?t[n-1]:void 0;t.push(o?i.map((l,c)=>l===null?null:l+
(o[c]??0)):i)}),[this.#l,...t]}#w(t){let{lines:s,tick:n,figure:i,least:o,most:l,isBinary:c}=this.#e,p={stroke:ct("ink-soft"),font:`12px ${ct(
"font")}`,ticks:{show:!1},grid:{stroke:ct("rule"),width:1}},h={width:t,height:Ra,legend:{show:!1},cursor:{sync:{key:"forebay"},drag:{x:!1,y:!1}},
scales:{x:{time:!0,range:()=>this.#m()},y:{range:(b,m,w)=>[0,l??Math.max((w??0)*1.1,o??1)]}},axes:[{...p,grid:{show:!1},size:26,space:110,values:(b,m)=>m.
map(w=>this.#g(w))},{...p,size:62,space:36,values:(b,m)=>m.map(w=>(n??i)(w)),...c?{incrs:Jd}:{}}],series:[{},...s.map(b=>this.#y(b))],bands:s.
flatMap((b,m)=>b.fill==="stacked"&&m>0?[{series:[m+1,m]}]:[]),hooks:{setCursor:[b=>this.#b(b.cursor.idx??null)]}};this.#t=new Fe(h,this.#p(),
this.#n)}#y(t){let s=ct(t.colour);return{label:t.label,stroke:s,width:2,points:{show:!1},...t.dash?{dash:t.dash}:{},...t.fill?{fill:`${s}40`}:
{}}}#m(){if(this.#r)return[this.#r.end-this.#r.seconds,this.#r.end];let t=this.#l.at(-1)??Date.now()/1e3,s=t-(this.#l[0]??t);return[t-Math.min(
Ss,Math.max(Ud,s)),t]}#g(t){let[s,n]=this.#m(),i=Tn(t*1e3);return n-s>Pa&&i==="00:00:00"?ir(t*1e3):n-s<Yd?i:i.slice(0,5)}#b(t){let s=t??this.#l.
length-1,n=this.#l[s];this.#i.forEach((o,l)=>q(o,this.#e.figure(this.#c[l]?.[s]??null)));let i=n===void 0?"":Tn(n*1e3);q(this.#s,t===null||n===
void 0?"now":this.#r?`${ir(n*1e3)} ${i.slice(0,5)}`:i)}};var Qd={"5m":"5 minutes","1d":"1 day","7d":"1 week"},ki=class{element;#e=new Ct({title:"Hit ratio",about:"Reads answered from the cache, of \
all reads.",lines:[{label:"RAM",colour:"ram",fill:"area"},{label:"Flash",colour:"flash",fill:"stacked",dash:Dn}],figure:ve,tick:t=>`${Math.round(
t*100)}%`,most:1});#n=new Ct({title:"Requests a second",about:"What guests asked for.",lines:[{label:"Reads",colour:"read"},{label:"Writes",
colour:"write",dash:Dn}],figure:qe,tick:sr,least:10});#i;#s=new Ct({title:"Mean latency",about:"Of all reads, and of all writes.",lines:[{label:"\
Reads",colour:"read"},{label:"Writes",colour:"write",dash:Dn}],figure:st,least:10});#o;#a=new Ct({title:"Dirty data",about:"What flash has a\
nd the backing does not, without zeroes.",lines:[{label:"Dirty",colour:"dirty",fill:"area"},{label:"Limit",colour:"limit",dash:Dn}],figure:C,
least:64*1024,isBinary:!0});#t=new Ct({title:"Backing requests saved",about:"What guests asked for, and what reached the backing.",lines:[{label:"\
Guests",colour:"read"},{label:"Backing",colour:"limit",dash:Dn,fill:"area"}],figure:qe,tick:sr,least:10});#l=new Ct({title:"Written to flash",
about:"Bytes a second, headers and second copies included.",lines:[{label:"Flash",colour:"flash",fill:"area"}],figure:Rt,tick:C,least:64*1024,
isBinary:!0});#c=d("select",{"aria-label":"Latency of",name:"latency-class"},...Qs.map(t=>d("option",{value:t},oi[t])));#r=d("select",{"aria\
-label":"Percentiles of",name:"latency-spread"},d("option",{value:"readSpread"},"Reads"),d("option",{value:"writeSpread"},"Writes"));#u=d("s\
pan",{class:"hint"});#d;#f=d("p",{class:"hint",role:"status"});#h=[];#p=[];#w=null;#y=!1;constructor(t){let s=d("div",{class:"chart-controls"},
this.#c,this.#u);this.#c.value="read_miss",this.#c.addEventListener("change",()=>{this.#y=!0,this.#v()});let n=(l,c)=>({title:l,about:c,lines:[
{label:"Half",colour:"read"},{label:"95 %",colour:"write",dash:Dn},{label:"99 %",colour:"limit",dash:jr}],figure:st,least:10});this.#i=new Ct(
n("Latency","So many in a hundred were faster."),s),this.#r.addEventListener("change",()=>this.#x()),this.#o=new Ct(n("Latency percentiles",
"Of each step, so many in a hundred were faster."),d("div",{class:"chart-controls"},this.#r));let i=Object.keys(or),o=l=>d("button",{type:"b\
utton","data-span":l,onclick:()=>t(l)},Qd[l]);this.#d=d("div",{class:"segmented",role:"group","aria-label":"How far back"},...i.map(o)),this.
element=d("section",{class:"did","aria-label":"Charts"},d("div",{class:"section-head"},d("h2",{},"What it did"),this.#f,this.#d),d("div",{class:"\
charts"},...this.#m().map(l=>l.element))),this.#g("5m",!1)}set(t,s,n){this.#g("5m",!1),this.#h=t,q(this.#u,s?"over 5 minutes each":"since at\
tached"),this.#b(t,n,null),this.#v()}setPast(t,s,n){let i={end:s?.end??Date.now()/1e3,seconds:or[t]},o=s?.points??[];this.#g(t,s===null),this.#b(
o,n,i);let l=c=>o.map(c);this.#s.set(o.map(c=>c.at),[l(c=>c.readMicros),l(c=>c.writeMicros)],i),[this.#p,this.#w]=[o,i],this.#x()}leave(){for(let t of this.#m())
t.leave()}#m(){return[this.#e,this.#n,this.#i,this.#s,this.#o,this.#t,this.#a,this.#l]}#g(t,s){for(let n of this.#d.children)n.setAttribute(
"aria-pressed",String(n.getAttribute("data-span")===t));q(this.#f,s?"Asking Forebay\u2026":t==="5m"?"":"In steps of five minutes; of dirty d\
ata, the most in each."),te(this.#i.element,t==="5m"),te(this.#s.element,t!=="5m"),te(this.#o.element,t!=="5m"),this.#a.element.classList.toggle(
"chart-wide",t!=="5m")}#b(t,s,n){let i=c=>t.map(c),o=t.map(c=>c.at);this.#e.set(o,[i(c=>c.hitRam),i(c=>c.hitFlash)],n),this.#n.set(o,[i(c=>c.
rates?.reads??null),i(c=>c.rates?.writes??null)],n),this.#t.set(o,[i(c=>En(c.rates)),i(c=>c.rates?c.rates.backing_reads+c.rates.backing_writes:
null)],n),this.#l.set(o,[i(c=>c.rates?.flash_write_bytes??null)],n);let l=s==="write-back"?i(c=>c.dirtyLimitBytes):t.map(()=>null);this.#a.set(
o,[i(c=>c.dirtyBytes),l],n)}#v(){let t=this.#h.at(-1)?.latency;if(!this.#y&&t&&t[this.#_()].count===0){let i=Qs.find(o=>t[o].count>0);i&&(this.#c.
value=i)}let s=this.#_(),n=i=>this.#h.map(o=>o.latency&&o.latency[s].count>0?o.latency[s][i]:null);this.#i.set(this.#h.map(i=>i.at),[n("p50"),
n("p95"),n("p99")])}#x(){let t=this.#r.value==="writeSpread"?"writeSpread":"readSpread",s=[0,1,2].map(n=>this.#p.map(i=>i[t]?.[n]??null));this.#o.
set(this.#p.map(n=>n.at),s,this.#w)}#_(){return Qs.find(t=>t===this.#c.value)??"read_miss"}};function dn(){return d("span",{class:"badge"},d("span",{class:"sign","aria-hidden":"true"}),d("span",{}))}function fn(e,t,s){e.className=`ba\
dge badge-${t}`;let[n,i]=e.children;n&&q(n,hr[t]),i&&q(i,s)}function ht(e,t){let s=d("div",{class:"tile-value","data-figure":t}),n=d("div",{
class:"tile-remark"});return{element:d("div",{class:"tile"},d("div",{class:"tile-name"},e),s,n),set(o,l=""){q(s,o),q(n,l)}}}function Si(){let e=d(
"ul",{class:"findings","aria-live":"polite","aria-label":"Warnings"});return{element:e,set(t){e.hidden=t.length===0,Sn(e,t,s=>`${s.tone} ${s.
text.replace(/\d[\d.]*/g,"#")}`,()=>d("li",{},d("span",{class:"sign","aria-hidden":"true"}),d("div",{},d("div",{class:"finding-text"}),d("di\
v",{class:"finding-advice"}))),(s,n)=>{s.className=`finding finding-${n.tone}`,Pe(s,".sign",hr[n.tone]),Pe(s,".finding-text",n.text),Pe(s,".\
finding-advice",n.advice??"")})}}}function Pe(e,t,s){let n=e.querySelector(t);n&&q(n,s)}var Cn={width:120,height:28};function La(e){let t=js(
"svg",{class:"spark",viewBox:`0 0 ${Cn.width} ${Cn.height}`,role:"img",preserveAspectRatio:"none"}),s=js("path",{fill:"none","vector-effect":"\
non-scaling-stroke"});return t.append(js("path",{class:"spark-base",d:`M0 ${Cn.height-1}H${Cn.width}`,fill:"none"}),s),{element:t,set(n,i){s.
setAttribute("d",Zd(n,i));let o=n.filter(l=>l!==null).at(-1);t.setAttribute("aria-label",o===void 0?`${e}: no reads in the last five minutes`:
`${e} over the last five minutes, ${ve(o)} lately`)}}}function Zd(e,t){let s=Cn.width/Math.max(1,t-1),n=Cn.width-(e.length-1)*s,i="M",o="";return e.
forEach((l,c)=>{if(l===null){i="M";return}o+=`${i}${(n+c*s).toFixed(1)} ${((1-l)*(Cn.height-4)+2).toFixed(1)}`,i="L"}),o}function Ti(e){let t=e.
map(([n,i])=>({key:n,name:i,cell:d("dd",{"data-figure":n})}));return{element:d("dl",{class:"facts"},...t.map(({name:n,cell:i})=>d("div",{},d(
"dt",{},n),i))),set(n){for(let{key:i,cell:o}of t)q(o,n[i]??""),o.parentElement&&(o.parentElement.hidden=n[i]===void 0)}}}var Da=4;function Ur(e){return Math.log2(e)}function Yr(e){let t=o=>o?`${C(o.cache_bytes)}: ${ve(o.hit_ratio)}`:"\u2013",s=e.points.findIndex(
o=>o.cache_bytes===e.present.cache_bytes),n=o=>s<0?null:e.points[s+o],i=e.wanted.find(o=>o.hit_ratio===.9)?.cache_bytes;return{present:t(e.present),
half:t(n(-Da)),double:t(n(Da)),held:t(e.held),knee:t(e.knee),largest:t(e.largest),wanted:i==null?"no size has it":C(i),working_set:C(e.working_set_bytes)}}var Ca=230,Xd=1e4,ef=[["present","Present size"],["half","Half of it"],["double","Twice as much"],["held","Held now"],["knee","More gains le\
ss above"],["largest","More gains nothing above"],["wanted","For 90 % hits"],["working_set","Used in 48 active hours"]],Ei=class{element;#e=d(
"div",{class:"curve-canvas",role:"img"});#n=d("p",{class:"hint",role:"status"});#i=d("span",{class:"chart-when"});#s=Ti(ef);#o=new ResizeObserver(
()=>this.#d());#a;#t=null;#l=null;#c=0;#r="";constructor(){this.element=d("section",{class:"card curve","aria-label":"Curve"},d("div",{class:"\
section-head"},d("h2",{},"With a cache of another size"),this.#i),d("p",{class:"hint"},"The share of reads that flash and RAM of this size w\
ould answer, predicted from samples of what guests lately did."),this.#e,this.#n,this.#s.element),this.element.hidden=!0,this.#o.observe(this.#e),
this.#a=si(()=>this.#u())}set(t){if(this.#t=t!==null&&t.reads>0?t:null,te(this.element,this.#t!==null),!this.#t)return;this.#s.set(Yr(this.#t)),
q(this.#n,this.#t.reads<Xd?`Read ${Te(this.#t.reads)} times only: this may be chance.`:""),this.#e.setAttribute("aria-label",`Hit ratio by t\
he size of the cache; at the present size of ${Yr(this.#t).present}`);let s=JSON.stringify([this.#t.points,this.#t.present,this.#t.held]);s!==
this.#r&&(this.#r=s,this.#e.dataset.points=String(this.#t.points.length),this.#u(),this.#d())}leave(){this.#o.disconnect(),this.#a(),this.#l?.
destroy(),this.#l=null}#u(){this.#l?.destroy(),this.#l=null,this.#d()}#d(){let t=Math.floor(this.#e.clientWidth);t===0||!this.#t||(this.#l?t!==
this.#c&&this.#l.setSize({width:t,height:Ca}):this.#f(t,this.#t),this.#c=t)}#f(t,{points:s}){let n={stroke:ct("ink-soft"),font:`12px ${ct("f\
ont")}`,ticks:{show:!1},grid:{stroke:ct("rule"),width:1}},i=ct("flash"),o=s.map(c=>Ur(c.cache_bytes)),l={width:t,height:Ca,legend:{show:!1},
cursor:{drag:{x:!1,y:!1}},scales:{x:{time:!1,range:[o[0]??0,o.at(-1)??1]},y:{range:[0,1]}},axes:[{...n,grid:{show:!1},size:26,space:80,incrs:[
1,2,4,8],values:(c,p)=>p.map(h=>C(2**h))},{...n,size:62,space:36,values:(c,p)=>p.map(h=>`${Math.round(h*100)}%`)}],series:[{},{label:"Hit ra\
tio",stroke:i,width:2,points:{show:!1},fill:`${i}40`}],hooks:{draw:[c=>this.#h(c)],setCursor:[c=>this.#p(c.cursor.idx??null)]}};this.#l=new Fe(
l,[o,s.map(c=>c.hit_ratio)],this.#e)}#h(t){if(!this.#t)return;let{ctx:s,bbox:n}=t,i=window.devicePixelRatio||1,o=[[this.#t.held,"held",ct("l\
imit"),[4,4]],[this.#t.present,"present",ct("ink"),[]]];s.save(),s.font=`${12*i}px ${ct("font")}`;for(let[{cache_bytes:l},c,p,h]of o){let b=t.
valToPos(Ur(l),"x",!0);if(l<=0||b<n.left||b>n.left+n.width)continue;s.strokeStyle=s.fillStyle=p,s.lineWidth=1.5*i,s.setLineDash(h.map(w=>w*i)),
s.beginPath(),s.moveTo(b,n.top),s.lineTo(b,n.top+n.height),s.stroke();let m=c==="held";s.textAlign=m?"right":"left",s.fillText(c,b+(m?-5:5)*
i,n.top+12*i)}s.restore()}#p(t){let s=t===null?void 0:this.#t?.points[t];q(this.#i,s?`${C(s.cache_bytes)}: ${ve(s.hit_ratio)}`:"")}};var tf={size:"Request size",latency:"Latency",seek:"Seek distance",outstanding:"Outstanding requests",interarrival:"Time between requests"},
Na={...oi,read:"Reads",write:"Writes",all:"All"};function nf(e,t){if(e.upto===null)return"more";switch(t){case"bytes":return e.upto%1024===0?
C(e.upto):Te(e.upto);case"microseconds":return st(e.upto);default:return e.upto<0?`\u2212${Te(-e.upto)}`:Te(e.upto)}}function sf(e){let t=e.
map(([,c])=>c.length),s=c=>e.some(([,p])=>(p[c]?.count??0)>0),n=[...Array(Math.max(0,...t)).keys()],i=n.filter(s),[o,l]=[i[0],i.at(-1)];return o===
void 0||l===void 0?[0,0]:[Math.max(0,o-1),Math.min(n.length,l+2)]}function rf(e){let t=e.map(([,s])=>s.map(n=>n.upto).join());return t.every(
s=>s===t[0])}var Mi=class{element=d("section",{class:"histograms","aria-label":"Histograms"});#e=d("div",{class:"segmented",role:"group","ar\
ia-label":"What is counted"});#n=d("div",{class:"card histogram-tables"});#i=[];#s="size";#o="";constructor(){this.element.append(d("div",{class:"\
section-head"},d("h2",{},"Histograms"),this.#e),this.#n),this.element.hidden=!0}set(t){if(this.element.hidden=t===null||t.length===0,t===null||
t.length===0)return;this.#i=t,t.some(([n])=>n===this.#s)||(this.#s=t[0]?.[0]??"");let s=t.map(([n])=>n);this.#e.children.length!==s.length&&
this.#e.replaceChildren(...s.map(n=>this.#a(n))),this.#t()}#a(t){return d("button",{type:"button","data-what":t,onclick:()=>{this.#s=t,this.#t()}},
tf[t]??t)}#t(){for(let l of this.#e.children)l.setAttribute("aria-pressed",String(l.getAttribute("data-what")===this.#s));let t=this.#i.find(
([l])=>l===this.#s)?.[1];if(!t)return;let s=JSON.stringify([this.#s,t]);if(s===this.#o)return;this.#o=s;let{unit:n,kinds:i}=t,o=i.length<=2&&
rf(i)?[i]:i.map(l=>[l]);this.#n.replaceChildren(...o.map(l=>of(n,l)))}};function of(e,t){let[s,n]=sf(t),i=e==="bytes"||e==="microseconds"?"U\
p to":`Up to, ${e}`;if(s===n)return d("p",{class:"hint"},`${t.map(([p])=>Na[p]??p).join(", ")}: nothing was counted yet.`);let o=t.map(([,p])=>p.
reduce((h,b)=>h+b.count,0)),l=d("thead",{},d("tr",{},d("th",{scope:"col"},i),...t.map(([p],h)=>d("th",{scope:"col"},`${Na[p]??p}: ${Te(o[h])}`)))),
c=[...Array(n-s).keys()].map(p=>{let h=s+p,b=t[0]?.[1][h];return d("tr",{},d("th",{scope:"row"},b?nf(b,e):""),...t.map(([,m],w)=>lf(m[h]?.count??
0,o[w]??0,w)))});return d("table",{class:"histogram"},l,d("tbody",{},...c))}function lf(e,t,s){let n=t>0?e/t:0,i=d("span",{class:`bar bar-${s%
6}`});i.style.width=`${(n*100).toFixed(2)}%`;let o=d("span",{class:"bar-text"});return q(o,e===0?"":`${Te(e)} (${(n*100).toFixed(1)}%)`),d("\
td",{},d("div",{class:"bar-cell"},d("span",{class:"bar-track"},i),o))}var af=[["mean","mean"],["median","p50"],["95 %","p95"],["99 %","p99"]];function cf(e,t){if(e===null||t===null||e<=0)return"";let s=(t-e)/e*
100;return Math.abs(s)<.05?"0.0%":`${s>0?"+":"\u2212"}${Math.abs(s).toFixed(1)}%`}function uf(e){let t=[],s=(n,i,o,l)=>{let[c,p]=[o(e.without),
o(e.with)];c===null&&p===null||t.push({key:n,name:i,without:l(c),with:l(p),change:cf(c,p)})};for(let n of["read","write"])for(let[i,o]of af)
s(`${n}.${o}`,`${n==="read"?"Read":"Write"} latency, ${i}`,l=>l.latency_us[n]?.[o]??null,st);return s("iops","Requests a second, mean",n=>n.
iops,qe),s("iops_busiest_minute","Requests a second, busiest minute",n=>n.iops_busiest_minute,qe),s("backing_reads","Reads from the backing",
n=>n.backing_reads,Te),s("backing_read_bytes","Bytes from the backing",n=>n.backing_read_bytes,C),s("backing_writes","Writes to the backing",
n=>n.backing_writes,Te),s("backing_write_bytes","Bytes to the backing",n=>n.backing_write_bytes,C),t}function df(e){let{times_faster:t,writes_times_faster:s}=e,
n=[];return t===null?n.push(e.with.reads===0?"Nothing was read with the cache yet, so there is nothing to compare with.":"No read went to th\
e backing yet, so there is nothing to compare with."):t>=1.05?n.push(`The mean read is ${t.toFixed(1)} times faster with the cache.`):n.push(
"The cache gains nothing for reads so far: most of what is read is read for the first time, or the backing is as fast."),s!==null&&s>=1.05&&
n.push(`The mean write is ${s.toFixed(1)} times faster.`),n}function ff(e){let{without:t}=e,s={measured:"measured while the disk was in pass\
-through",concluded:`concluded from the ${Te(e.measured_backing_reads)} that went to the backing`,unknown:"not known"}[t.reads_are],n=t.writes_are===
"measured"?"measured in pass-through":"not known";return`Without the cache: reads are ${s}, writes are ${n}.`}function hf({warm_up:e}){let t=n=>((n??
0)*100).toFixed(1),s=(e.variation_max*100).toFixed(0);switch(e.state){case"warm":return`Warm after ${Qt(e.seconds)}: the next three steps hi\
t ${ve(e.hit_ratio)}, less than ${s} points apart.`;case"warming":return(e.variation??0)<e.variation_max?"Not warm yet: next to nothing hits\
.":`Not warm yet: the last three steps are ${t(e.variation)} points apart, and ${s} are too many.`;default:return`Whether it is warm is not \
known: that takes three steps with ${Te(e.reads_min)} reads each.`}}function pf(e,t){let s=[e.without,e.with].map(h=>h.latency_us[t]?.classes??
null),n=s.find(h=>h!==null)??[],i=s.map(h=>{let b=h?.reduce((m,w)=>m+w.count,0)??0;return n.map((m,w)=>h===null||b===0?null:(h[w]?.count??0)/
b)}),o=n.map((h,b)=>({upto:h.upto===null?"more":st(h.upto),without:i[0]?.[b]??null,with:i[1]?.[b]??null})),l=o.flatMap((h,b)=>(h.without??0)>
0||(h.with??0)>0?[b]:[]),[c,p]=[l[0],l.at(-1)];return c===void 0||p===void 0?[]:o.slice(c,p+1)}var $i=class{element;#e=d("p",{class:"report-\
verdict",role:"status"});#n=d("p",{class:"hint"});#i=d("p",{class:"report-warm"});#s=d("p",{class:"hint"});#o=d("tbody",{});#a=d("tbody",{});#t;#l=d(
"p",{class:"hint","data-figure":"report.share"});#c=d("div",{class:"report-known"});#r="read";#u=null;#d="";constructor(){let t=(n,i)=>d("bu\
tton",{type:"button","data-kind":n,onclick:()=>{this.#r=n,this.#f()}},i);this.#t=d("div",{class:"segmented",role:"group","aria-label":"Class\
es of"},t("read","Reads"),t("write","Writes"));let s=(...n)=>d("thead",{},d("tr",{},...n.map(i=>d("th",{scope:"col"},i))));this.#c.append(d(
"table",{class:"report-figures"},s("","Without","With the cache","Change"),this.#o),this.#l,this.#i,d("div",{class:"section-head"},d("h3",{},
"By latency"),this.#t),d("table",{class:"histogram report-classes"},s("Up to","Without","With the cache"),this.#a)),this.element=d("section",
{class:"card report","aria-label":"Before and after"},d("h2",{},"Before and after"),this.#e,this.#n,this.#c,this.#s),this.element.hidden=!0}set(t){
te(this.element,t!==null),this.#u=t,this.#f()}#f(){let t=this.#u;if(!t)return;let s=JSON.stringify([this.#r,t]);if(s===this.#d)return;this.#d=
s;let n=[t.without,t.with].some(m=>m.reads+m.writes>0);te(this.#c,n),te(this.#n,n);let i=Js(t.compared_since);q(this.#e,n?df(t).join(" "):`N\
othing was read since ${i}, nor written: there is nothing to report yet.`),q(this.#n,`Since ${i}: ${Te(t.with.reads)} reads and ${Te(t.with.
writes)} writes with the cache, ${Te(t.without.reads)} and ${Te(t.without.writes)} in pass-through. ${ff(t)}`),this.#o.replaceChildren(...uf(
t).map(mf));let{reads:o,read_hits_ram:l,read_hits_flash:c}=t.with,p=m=>ve(o>0?m/o:null);q(this.#l,`Of reads with the cache, ${p(l+c)} were a\
nswered by it: ${p(l)} from RAM, ${p(c)} from flash. Written to flash: ${C(t.flash_write_bytes)}.`),q(this.#i,hf(t));for(let m of this.#t.children)
m.setAttribute("aria-pressed",String(m.getAttribute("data-kind")===this.#r));let h=pf(t,this.#r);this.#a.replaceChildren(...h.length>0?h.map(
gf):[d("tr",{},d("td",{colspan:3},"Nothing was counted yet."))]);let b=t.without.reads_are==="measured"&&t.without.writes_are==="measured";te(
this.#s,n&&!b),q(this.#s,`To have "without" measured, let the disk run in pass-through for ${Te(t.requests_min)} reads and as many writes: s\
et mode below, and set it back.`)}};function mf(e){let t=s=>d("td",{"data-figure":`report.${e.key}.${s}`},e[s]);return d("tr",{},d("th",{scope:"\
row"},e.name),t("without"),t("with"),t("change"))}function gf(e){let t=(s,n)=>{let i=d("span",{class:`bar bar-${n}`});return i.style.width=`${((s??
0)*100).toFixed(2)}%`,d("td",{},d("div",{class:"bar-cell"},d("span",{class:"bar-track"},i),d("span",{class:"bar-text"},ve(s))))};return d("t\
r",{},d("th",{scope:"row"},e.upto),t(e.without,1),t(e.with,0))}var Ai=class{element;#e=new Map;#n=d("div",{class:"fields"});#i=d("button",{type:"submit",class:"primary"},"Review changes\u2026");#s=d("but\
ton",{type:"reset"},"Undo");#o=d("span",{class:"hint","aria-live":"polite"});#a;#t;constructor(t,s){this.#a=t,this.#t=s;let n=d("form",{"ari\
a-label":"Settings"},this.#n,d("div",{class:"buttons buttons-start"},this.#i,this.#s,this.#o));n.addEventListener("input",()=>this.#r()),n.addEventListener(
"reset",i=>{i.preventDefault();for(let o of this.#e.values())o.input.value=o.now;this.#r()}),n.addEventListener("submit",i=>{i.preventDefault(),
this.#u()}),this.element=d("section",{class:"card","aria-label":"Settings"},d("h2",{},"Settings"),d("p",{class:"hint"},"As forebay disk set \
takes them. They are changed while guests go on."),n)}update(t){let s=pr.filter(i=>i.name in t),n=Object.keys(t).filter(i=>!pr.some(o=>o.name===
i));for(let i of[...s,...n.map(o=>({name:o,about:""}))]){let o=t[i.name]??"",l=this.#e.get(i.name)??this.#l(i,o),c=l.input.value!==l.now;l.now=
o,c||Fa(l.input,o)}this.#r()}#l(t,s){let n=Vt(),i=Vt(),o={id:n,name:t.name,"aria-describedby":i},l=t.choices?d("select",o,...t.choices.map(h=>d(
"option",{value:h},h))):d("input",{...o,type:"text",spellcheck:"false",autocomplete:"off",autocapitalize:"off"}),c=d("div",{class:"field"},d(
"label",{for:n},t.name),l,d("p",{class:"hint",id:i},t.about)),p={key:t.name,now:s,input:l,element:c};return Fa(l,s),this.#n.append(c),this.#e.
set(t.name,p),p}#c(){let t=[...this.#e.values()].filter(s=>s.input.value.trim()!==s.now);return Object.fromEntries(t.map(s=>[s.key,s.input.value.
trim()]))}#r(){let t=this.#c();for(let n of this.#e.values())n.element.classList.toggle("changed",n.key in t);let s=Object.keys(t).length;this.#i.
disabled=s===0,te(this.#s,s>0),q(this.#o,s===0?"":s===1?"1 change, not sent yet":`${s} changes, not sent yet`)}#u(){let t=this.#a(),s=this.#c();
if(!t||Object.keys(s).length===0)return;let n=Object.entries(s).map(([i,o])=>d("li",{},d("code",{},i),`: ${this.#e.get(i)?.now??""} \u2192 ${o}`));
Us({title:`Change ${t.name}?`,sentences:tl(t,s),confirm:"Change",fields:d("ul",{class:"changes"},...n),run:async()=>{await vt("PATCH",Ze(t.name),
{settings:s});for(let[i,o]of Object.entries(s)){let l=this.#e.get(i);l&&(l.now=o)}return this.#t(),`${t.name} now has ${Object.entries(s).map(
([i,o])=>`${i}=${o}`).join(" ")}`}})}};function Fa(e,t){e instanceof HTMLSelectElement&&![...e.options].some(s=>s.value===t)&&e.append(d("op\
tion",{value:t},t)),e.value!==t&&(e.value=t)}var bf=[["backing","Backing"],["size_bytes","Size"],["block_bytes","Block"],["reserve_bytes","Reserved flash"],["limit_bytes","Flash at most"],
["cached_bytes","Cached on flash"],["ram_bytes","Cached in RAM"],["load","From last time"],["mirrored","Dirty data"],["connections","Guests \
connected"],["nbd_socket","NBD socket"],["vhost_socket","vhost-user socket"],["guest","Taken from"],["page_cache","Page cache"],["errors","E\
rrors"]];function Oa(e,t,s){let n=null,i=()=>n,o=dn(),l=d("span",{class:"mode"}),c=Si(),p={hits:ht("Hit ratio","hit_ratio"),operations:ht("R\
equests","operations"),bytes:ht("Throughput","bytes"),latency:ht("Read latency, mean","latency"),dirty:ht("Dirty","dirty_bytes"),saved:ht("B\
acking requests saved","saved")},h=new ki(s),b=new Mi,m=new Ei,w=new li,S=new $i,M=Ti(bf.map(([W,$])=>[W,$])),D=new Ai(i,t),V=sl(i,t),N=d("d\
iv",{class:"stack"},c.element,d("div",{class:"tiles"},...Object.values(p).map(W=>W.element)),h.element,V.element,S.element,w.element,m.element,
b.element,d("section",{class:"card","aria-label":"Facts"},d("h2",{},"About this disk"),M.element),D.element),_=d("div",{class:"card empty"},
d("h3",{},"No such disk"),d("p",{},"Forebay serves no disk of this name. It may have been removed: forebay disk list shows all.")),H=d("p",{
class:"loading"},"Asking Forebay\u2026");return{element:d("div",{class:"view"},d("p",{class:"crumb"},d("a",{href:"#/"},"\u2190 Host")),d("di\
v",{class:"title"},d("h1",{},e),o,l),_,H,N),title:e,leave:()=>{h.leave(),m.leave()},update(W){let $=W.disk;if(n=$==="missing"||$===null?null:
$,te(_,$==="missing"),te(H,$===null),te(N,n!==null),te(o,n!==null),!n)return;let J=Ts(n);fn(o,ri([Zt(n.state),...J.map(U=>U.tone)]),n.state),
q(l,n.read_only?`${n.mode}, read-only`:n.mode),c.set(J),wf(p,n,W),W.span==="5m"?h.set(W.series.get(e)?.points??[],W.windows.has(e),n.mode):h.
setPast(W.span,W.past,n.mode),b.set(W.histograms),m.set(W.curve),w.set(W.advice),S.set(W.report),M.set(vf(n)),D.update(n.settings),V.update()}}}
function wf(e,t,s){let n=s.windows.get(t.name)??s.statistics.get(t.name),i=s.windows.has(t.name)?"last 5 minutes":"since attached",o=s.series.
get(t.name)?.last,l=o?.rates??null,c=En(l);e.hits.set(ve(n?.hit_ratio),`of reads, ${i}`),e.operations.set(c===null?"\u2013":`${qe(c)}/s`,l?`${qe(
l.reads)} reads, ${qe(l.writes)} writes`:""),e.bytes.set(l?Rt(l.read_bytes+l.write_bytes):"\u2013",l?`${Rt(l.read_bytes)} read, ${Rt(l.write_bytes)}\
 written`:""),e.latency.set(st(o?.readMicros),o?.writeMicros==null?"no writes lately":`writes ${st(o.writeMicros)}`),e.dirty.set(C(t.dirty_bytes),
yf(t)),e.saved.set(ve(n?Xs(n):null),i)}function yf(e){let t=e.mode==="write-back"?`of at most ${C(e.dirty_limit_bytes)}`:null;if(Bt(e)===0)return t??
"the backing is complete";let s=e.statistics.destage_bytes_per_second??0;return an(t??`for ${Qt(e.dirty_for_seconds)}`,Es(e.dirty_zeroes_bytes),
s>0?`${Rt(s)} going home`:null)}function vf(e){let{statistics:t}=e,s={backing:e.backing,size_bytes:C(e.size_bytes),block_bytes:C(e.block_bytes),
reserve_bytes:C(e.reserve_bytes),limit_bytes:C(e.limit_bytes),cached_bytes:C(t.cached_bytes),ram_bytes:C(t.ram_bytes),load:el(e),mirrored:xf(
e),connections:e.connections===null?"\u2013":String(e.connections),nbd_socket:e.nbd_socket,vhost_socket:e.vhost_socket,errors:_f(e)};return e.
guest&&(s.guest=`QEMU at ${e.guest.qmp}, device ${e.guest.device}`),e.page_cache_reason&&(s.page_cache=`used, because ${e.page_cache_reason}`),
s}function xf(e){return e.mirrored===null?"\u2013":e.mirrored?"on two devices":"on one device"}function _f(e){let{checksum_errors:t,flash_errors:s,
backing_errors:n,backing_retries:i}=e.statistics;if(t===void 0)return"\u2013";let l=[[t,"checksums"],[s,"flash"],[n,"backing"],[i,"backing, \
sent again"]].filter(([c])=>(c??0)>0).map(([c,p])=>`${c} ${p}`);return l.length===0?"none":l.join(", ")}function Ri(e){return`#/disk/${encodeURIComponent(e)}`}var kf={info:"good",warning:"warning",error:"bad"};function za(){let e=d("ol",{class:"events","aria-label":"Events, newest first"}),t=d("sel\
ect",{name:"level"},d("option",{value:"info"},"All"),d("option",{value:"warning"},"Warnings and errors"),d("option",{value:"error"},"Errors")),
s=d("p",{class:"empty"},"Nothing happened that an operator must know."),n=d("p",{class:"empty"},"This Forebay keeps no list of events. Its l\
og has them: journalctl --unit forebay"),i=()=>{};t.addEventListener("change",()=>i());let o=d("label",{class:"inline"},"Show ",t),l=d("sect\
ion",{class:"card"},o,e,s,n);return{element:d("div",{class:"view"},d("h1",{},"Events"),l),title:"Events",leave(){},update(c){i=()=>{let p=["\
info","warning","error"],h=p.indexOf(t.value),b=(c.events??[]).filter(m=>p.indexOf(m.level)>=h||!p.includes(m.level)).reverse();te(n,c.events===
null),te(o,c.events!==null),te(s,c.events!==null&&b.length===0),Sn(e,b,m=>`${m.id} ${m.time}`,Sf,Tf)},i()}}}function Sf(e){let t=e.disk?d("a",
{href:Ri(e.disk),class:"event-disk"},e.disk):null;return d("li",{class:"event"},d("div",{class:"event-head"},dn(),d("time",{datetime:e.time},
Js(e.time)),t,d("span",{class:"event-kind"})),d("div",{class:"event-message"}),d("div",{class:"finding-advice"}))}function Tf(e,t){let s=e.querySelector(
".badge");s&&fn(s,kf[t.level]??"warning",t.level),Pe(e,".event-kind",t.kind),Pe(e,".event-message",t.message),Pe(e,".finding-advice",t.advice??
"")}var Ef=Ss*1e3/ur,Mf=30,Ha=new WeakMap;function Wa(){let e=Si(),t={hits:ht("Hit ratio","host.hit_ratio"),operations:ht("Requests","host.opera\
tions"),bytes:ht("Throughput","host.bytes"),dirty:ht("Dirty","host.dirty_bytes"),saved:ht("Backing requests saved","host.saved")},s=Lf(),n=d(
"tbody",{}),o=d("table",{class:"disks"},d("thead",{},d("tr",{},...["Disk","State","Hit ratio","Requests/s","Read latency, mean","Dirty","Las\
t 5 min"].map(b=>d("th",{scope:"col"},b)))),n),l=Pf(),c=d("section",{class:"card","aria-label":"Disks"},d("h2",{},"Disks"),o,l),p=d("div",{class:"\
tiles"},...Object.values(t).map(b=>b.element));return{element:d("div",{class:"view"},d("h1",{},"Host"),e.element,p,c,s.element),title:"Host",
leave(){},update(b){let m=b.disks??[],w=[...b.pool?Jo(b.pool):[],...m.flatMap(Ts)];b.poolProblem&&w.unshift({tone:"bad",text:b.poolProblem,advice:null}),
e.set(w),$f(t,b),te(p,m.length>0),te(o,m.length>0),te(l,m.length===0),Sn(n,m,S=>S.name,Af,(S,M)=>Rf(S,M,b)),s.update(b)}}}function $f(e,t){let s=[
...t.statistics.values()],n=Go([...t.series.values()].map(m=>m.last?.rates??null)),i=s.map(m=>t.windows.get(m.name)??m),o=t.windows.size>0?"\
last 5 minutes":"since attached",l=cr(i);e.hits.set(ve(qo(l)),`of reads, ${o}`);let c=En(n);e.operations.set(c===null?"\u2013":`${qe(c)}/s`,
n?`${qe(n.reads)} reads, ${qe(n.writes)} writes`:""),e.bytes.set(n?Rt(n.read_bytes+n.write_bytes):"\u2013",n?`${Rt(n.read_bytes)} read, ${Rt(
n.write_bytes)} written`:"");let p=s.reduce((m,w)=>m+(w.dirty_bytes??0),0),h=s.reduce((m,w)=>m+(w.dirty_zeroes_bytes??0),0),b=s.reduce((m,w)=>m+
(w.mode==="write-back"?w.dirty_limit_bytes??0:0),0);e.dirty.set(C(p),an(b>0?`of at most ${C(b)}`:"no disk is in write-back",Es(h))),e.saved.
set(ve(Xs(l)),o)}function Af(e){let t=La(`Hit ratio of ${e.name}`),s=(l,...c)=>d("td",{"data-heading":l},...c),n=l=>d("div",{"data-figure":`${e.
name}.${l}`}),i=l=>d("div",{class:`sub ${l}`}),o=d("tr",{},d("th",{scope:"row"},d("a",{href:Ri(e.name)},e.name),i("backing")),s("State",dn(),
i("mode")),s("Hit ratio",n("hit_ratio"),i("split")),s("Requests/s",n("operations"),i("kinds")),s("Read latency, mean",n("latency"),i("writes")),
s("Dirty",n("dirty_bytes"),i("limit")),d("td",{class:"spark-cell"},t.element));return Ha.set(o,t),o}function Rf(e,t,s){let n=s.statistics.get(
t.name),i=s.windows.get(t.name)??n,o=s.series.get(t.name),l=o?.last,c=Ts(t),p=e.querySelector(".badge"),h=ri([Zt(t.state),...c.map(S=>S.tone)]);
p&&fn(p,h,t.state==="serving"&&h!=="good"?"serving, look":t.state);let b=(S,M)=>Pe(e,`[data-figure$=".${S}"]`,M);Pe(e,".backing",t.size_bytes===
null?rr(t.backing,34):`${C(t.size_bytes)} at ${rr(t.backing,34)}`),Pe(e,".mode",t.read_only?`${t.mode}, read-only`:t.mode),b("hit_ratio",ve(
i?.hit_ratio));let m=i?.reads??0;Pe(e,".split",m>0?`RAM ${ve((i?.read_hits_ram??0)/m)}, flash ${ve((i?.read_hits_flash??0)/m)}`:"no reads ye\
t"),b("operations",qe(En(l?.rates??null))),Pe(e,".kinds",l?.rates?`${qe(l.rates.reads)} r, ${qe(l.rates.writes)} w`:""),b("latency",l?.readMicros==
null?"\u2013":st(l.readMicros)),Pe(e,".writes",l?.writeMicros==null?"":`writes ${st(l.writeMicros)}`),b("dirty_bytes",C(t.dirty_bytes)),Pe(e,
".limit",an(t.mode==="write-back"&&t.dirty_limit_bytes?`of ${C(t.dirty_limit_bytes)}`:null,Es(t.dirty_zeroes_bytes)));let w=(o?.points??[]).
map(S=>S.hitRam===null||S.hitFlash===null?null:S.hitRam+S.hitFlash);Ha.get(e)?.set(w,Math.max(Mf,Math.min(Ef,w.length)))}function Pf(){return d(
"div",{class:"empty"},d("h3",{},"No disks yet"),d("p",{},"Nothing is cached until Forebay serves a disk. On the host, this adds one; nothing\
 in the file changes:"),d("pre",{},d("code",{},"forebay disk add web1 --backing /srv/images/web1.raw")),d("p",{},"A running QEMU guest's dis\
k is moved behind Forebay without a reboot:"),d("pre",{},d("code",{},"forebay vm attach --qmp /run/web.qmp --device vda")),d("p",{class:"hin\
t"},"It appears here by itself."))}function Lf(){let e=dn(),t=d("span",{class:"meter-used"}),s=d("div",{class:"meter",role:"img"},t),n=d("p",
{class:"meter-words","data-figure":"pool.used"}),i=d("p",{class:"meter-words","data-figure":"host.ram"}),o=d("tbody",{}),c=d("table",{class:"\
devices"},d("thead",{},d("tr",{},...["Device","State","Size","Free","Wear","Remarks"].map(h=>d("th",{scope:"col"},h)))),o),p=d("section",{class:"\
card","aria-label":"Pool"},d("div",{class:"section-head"},d("h2",{},"Flash and RAM"),e),s,n,i,c);return{element:p,update({pool:h,statistics:b}){
if(te(p,h!==null),!h)return;fn(e,Zt(h.state),h.state);let m=(h.segments-h.segments_free)*h.segment_bytes,w=h.segments_free*h.segment_bytes;t.
style.width=`${h.segments>0?(100*(h.segments-h.segments_free)/h.segments).toFixed(2):0}%`;let S=`Pool of ${C(h.size_bytes)}: ${C(m)} in use,\
 ${C(w)} free; ${C(h.reserved_bytes)} reserved by disks`;s.setAttribute("aria-label",S),q(n,S);let M=[...b.values()],D=M.reduce((N,_)=>N+(_.
ram_bytes??0),0),V=M.reduce((N,_)=>N+(_.index_bytes??0),0);q(i,`RAM: ${C(D)} of content in front of the flash, ${C(V)} for the index of what\
 is on it`),Sn(o,h.devices,N=>String(N.number),Df,(N,_)=>Cf(N,_,h))}}}function Df(){let e=(t,s,n="")=>d("td",{"data-heading":t,class:n},s);return d(
"tr",{},d("th",{scope:"row",class:"path"}),e("State",dn()),e("Size",null,"size"),e("Free",null,"free"),e("Wear",null,"wear"),e("Remarks",null,
"remarks"))}function Cf(e,t,s){Pe(e,".path",t.path??`device ${t.number}`);let n=e.querySelector(".badge");n&&fn(n,Zt(t.state),t.state),Pe(e,
".size",C(t.size_bytes)),Pe(e,".free",`${C(t.segments_free*s.segment_bytes)}`);let i=[Qo(t.wear),Zo(t.budget)].filter(l=>l!=="");Pe(e,".wear",
i.join("; ")||"\u2013");let o=[t.discards?"discards":null,t.page_cache_reason?`page cache: ${t.page_cache_reason}`:null];Pe(e,".remarks",o.filter(
l=>l!==null).join("; ")||`${Te(t.segments)} segments`)}var ps=d("main",{id:"main",tabindex:-1}),Ns=d("p",{class:"loading"},"Asking Forebay\u2026"),Ia=d("span"),Va=d("button",{type:"button",onclick:nr},
"Sign in\u2026"),Ba=d("div",{class:"banner",role:"alert",hidden:!0},Ia," ",Va),Jr=d("span",{class:"pulse"}),Fs={host:d("a",{href:"#/"},"Host"),
events:d("a",{href:"#/events"},"Events")},Ga=d("button",{type:"button",class:"quiet",onclick:Hf}),qa=d("button",{type:"button",class:"quiet",
onclick:nr}),ms=new ei(ja),Nn=null;function Nf(){let e=d("a",{class:"skip",href:"#main"},"To the content");e.addEventListener("click",n=>{n.
preventDefault(),ps.focus()});let t=d("a",{href:"#/",class:"brand"},d("img",{src:"/assets/icon.svg",alt:"",width:24,height:24}),"Forebay"),s=d(
"header",{},t,d("nav",{"aria-label":"Views"},Fs.host,Fs.events),d("div",{class:"header-end"},Jr,Ga,qa));document.body.append(e,s,Ba,ps,No()),
ps.append(Ns)}function Ka(){let e=window.location.hash.replace(/^#/,"")||"/",t=/^\/disk\/([^/]+)$/.exec(e)?.[1],s=t===void 0?null:Ff(t);Nn?.
leave(),Nn=s!==null?Oa(s,()=>{ms.look()},n=>ms.show(n)):e==="/events"?za():Wa(),document.title=`${Nn.title} \u2013 Forebay`,Fs.host.setAttribute(
"aria-current",e==="/"?"page":"false"),Fs.events.setAttribute("aria-current",e==="/events"?"page":"false"),ps.replaceChildren(Nn.element),window.
scrollTo(0,0),ms.watch(s),ja()}function Ff(e){try{return decodeURIComponent(e)}catch{return e}}function ja(){let{known:e}=ms;if(Of(e),!Nn)return;
let t=e.disks!==null;te(Nn.element,t),te(Fs.events,!t||e.events!==null),t?(Nn.update(e),Ns.remove()):Ns.isConnected||ps.append(Ns)}function Of({
away:e,answeredAt:t}){ps.classList.toggle("stale",e!==null),te(Ba,e!==null),q(Ia,e?zf(e,t):""),te(Va,e?.status===401),q(Ns,e?"Waiting for Fo\
rebay\u2026":"Asking Forebay\u2026"),Jr.classList.toggle("pulse-away",e!==null),q(Jr,e?"No answer":t===null?"Connecting":"Live")}function zf({
status:e,reason:t,since:s},n){let i=n===null?"":` What is shown is from ${Tn(n)}.`;return e===401?`Seen from here, this host shows its figur\
es to those only who have its token.${i}`:e>0?`${t}.${i}`:`${t} since ${Tn(s)}.${i} On the host, systemctl status forebay says whether it ru\
ns. This page goes on by itself.`}function Hf(){Uo(),Qr()}function Qr(){q(Ga,{auto:"Theme: system",light:"Theme: light",dark:"Theme: dark"}[ni()]),
q(qa,Ut.get()===null?"Sign in":"Signed in")}Yo();Nf();Qr();document.addEventListener("forebay-token",()=>{Qr(),ms.look()});window.addEventListener(
"hashchange",Ka);Ka();ms.look();})();
