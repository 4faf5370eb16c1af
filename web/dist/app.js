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
"use strict";(()=>{var Zi="forebay-token";var At=class extends Error{constructor(s,n){super(n);this.status=s}status;get wantsToken(){return this.status===401}},Ut={get(){return sessionStorage.
getItem(Zi)},set(e){sessionStorage.setItem(Zi,e.trim())},clear(){sessionStorage.removeItem(Zi)}};async function Yt(e,t){return(await Do(e,{method:"\
GET"},8e3))[t]}async function Mo(e,t){return Ao(e,t,s=>s.status===404)}async function es(e,t){return Ao(e,t,s=>s.status!==0&&!s.wantsToken)}
async function Ao(e,t,s){try{return await Yt(e,t)}catch(n){if(n instanceof At&&s(n))return null;throw n}}async function wt(e,t,s){let n={method:e,
headers:{"content-type":"application/json"},body:JSON.stringify(s??null)};return Do(t,n,12e4)}function et(e){return`/v1/disks/${encodeURIComponent(
e)}`}function Po(e,t){return`/v1/history/${encodeURIComponent(e)}?span=${t}`}async function Do(e,t,s){let n=AbortSignal.timeout(s),i=new Headers(
t.headers),o=Ut.get();o&&i.set("authorization",`Bearer ${o}`);let a;try{a=await fetch(e,{...t,headers:i,signal:n,cache:"no-store",credentials:"\
omit",redirect:"error"})}catch{throw new At(0,"Forebay does not answer")}let c=await a.json().catch(()=>null);if(!a.ok){let p=typeof c?.detail==
"string"?c.detail:`Forebay answered with status ${a.status}`;throw new At(a.status,p)}if(c===null)throw new At(0,"Forebay's answer was cut s\
hort");return c}function f(e,t={},...s){let n=document.createElement(e);for(let[i,o]of Object.entries(t))typeof o=="function"?n.addEventListener(i.slice(2),
o):o!=null&&o!==!1&&n.setAttribute(i,o===!0?"":String(o));return n.append(...s.filter(i=>i!=null&&i!==!1)),n}function js(e,t){let s=document.
createElementNS("http://www.w3.org/2000/svg",e);for(let[n,i]of Object.entries(t))s.setAttribute(n,String(i));return s}function Z(e,t){e.textContent!==
t&&(e.textContent=t)}function ae(e,t){e.hidden===t&&(e.hidden=!t)}function _c(e){let t=new Set;return e.map(s=>{let n=s;for(let i=1;t.has(n);i+=
1)n=`${s} (${i})`;return t.add(n),n})}function kn(e,t,s,n,i){let o=new Map([...e.children].map(h=>[h.getAttribute("data-item")??"",h])),a=_c(
t.map(s)),c=new Set(a);for(let[h,b]of o)c.has(h)||b.remove();let p=e.firstElementChild;t.forEach((h,b)=>{let g=a[b]??"",w=o.get(g)??n(h);o.delete(
g),w.setAttribute("data-item",g),i(w,h),w===p?p=w.nextElementSibling:e.insertBefore(w,p)})}var $o=0;function Wt(){return $o+=1,`e${$o}`}var ts=null;function Ro(){return ts=f("div",{class:"status",role:"status","aria-live":"polite"}),ts}var Lo=0,Sc=8e3;function Xi(e){ts&&(Z(ts,
e),ts.classList.add("status-shown"),window.clearTimeout(Lo),Lo=window.setTimeout(()=>ts?.classList.remove("status-shown"),Sc))}function Co(e){
e.addEventListener("close",()=>e.remove()),document.body.append(e),e.showModal()}function Us(e){let t=Wt(),s=f("button",{type:"button"},"Can\
cel"),n=f("button",{type:"submit",class:"primary"},e.confirm),i=f("p",{class:"dialog-said","aria-live":"assertive"}),o=Tc(),a=f("form",{},f(
"h2",{id:t},e.title),...e.sentences.map(h=>f("p",{},h)),e.fields??null,o.element,i,f("div",{class:"buttons"},s,n)),c=f("dialog",{"aria-label\
ledby":t},a),p=new AbortController;s.addEventListener("click",()=>c.close()),c.addEventListener("close",()=>p.abort()),a.addEventListener("s\
ubmit",h=>{h.preventDefault(),o.take(),n.disabled=!0,i.className="dialog-said",Z(i,"Working\u2026"),e.run(b=>Z(i,b),p.signal).then(b=>{Xi(b),
c.close()}).catch(b=>{let g=b instanceof Error?b.message:String(b);if(!c.open)return Xi(g);n.disabled=!1,i.className="dialog-said dialog-fai\
led",Z(i,g),b instanceof At&&b.wantsToken&&o.ask()})}),Co(c)}function Tc(){let e=Wt(),t=f("input",{id:e,type:"password",autocomplete:"off",spellcheck:"\
false"}),s=f("div",{class:"field"},f("label",{for:e},"Token for changes"),t,No());return s.hidden=!0,{element:s,ask(){Ut.clear(),s.hidden=!1,
t.focus(),document.dispatchEvent(new Event("forebay-token"))},take(){s.hidden||t.value.trim()===""||(Ut.set(t.value),document.dispatchEvent(
new Event("forebay-token")))}}}function No(){return f("p",{class:"hint"},"On the host, as root or the user that runs Forebay: ",f("code",{},
"cat /var/lib/forebay/token")," (or the folder that serve was given with --dir). It is kept until this tab is closed.")}function el(){let e=Wt(),
t=Wt(),s=f("input",{id:t,type:"password",autocomplete:"off",spellcheck:"false",required:!0}),n=f("button",{type:"button"},"Forget it"),i=f("\
button",{type:"button"},"Cancel");n.hidden=Ut.get()===null;let o=f("form",{},f("h2",{id:e},"Sign in for changes"),f("p",{},"On the host itse\
lf, everything can be read without it. Changes need the token of the host, and from other hosts reading does too."),f("div",{class:"field"},
f("label",{for:t},"Token"),s,No()),f("div",{class:"buttons"},n,i,f("button",{type:"submit",class:"primary"},"Keep it"))),a=f("dialog",{"aria\
-labelledby":e},o),c=p=>{document.dispatchEvent(new Event("forebay-token")),Xi(p),a.close()};i.addEventListener("click",()=>a.close()),n.addEventListener(
"click",()=>{Ut.clear(),c("The token is forgotten; on the host itself reading goes on")}),o.addEventListener("submit",p=>{p.preventDefault(),
Ut.set(s.value),c("The token is kept until this tab is closed; the next change shows whether it is right")}),Co(a)}var Ec=[["TiB",1099511627776],["GiB",1073741824],["MiB",1048576],["KiB",1024],["",1]];function Jt(e){return typeof e=="number"&&Number.isFinite(
e)}function V(e){if(!Jt(e))return"\u2013";let t=Math.round(e),[s,n]=Ec.find(([,i])=>t>=i)??["",1];return t%n===0?`${t/n}${s}`:`${(Math.floor(
(t*10+n/2)/n)/10).toFixed(1)}${s}`}var Mc=[["PB",1e15],["TB",1e12],["GB",1e9],["MB",1e6],["kB",1e3],[" bytes",1]];function Ys(e){if(!Jt(e))return"\
\u2013";let t=Math.round(e),[s,n]=Mc.find(([,i])=>t>=i)??[" bytes",1];return t%n===0?`${t/n}${s}`:`${(t/n).toFixed(1)}${s}`}function Pt(e){return Jt(
e)?`${V(e)}/s`:"\u2013"}function Me(e){return Jt(e)?`${(e*100).toFixed(1)}%`:"\u2013"}function tt(e){return Jt(e)?Math.round(e).toString().replace(
/\B(?=(\d{3})+$)/g,","):"\u2013"}function nt(e){return Jt(e)?e>=10||e===0?tt(e):e.toFixed(1):"\u2013"}function tl(e){if(!Jt(e))return"";for(let[
t,s]of[["M",1e6],["k",1e3]])if(Math.abs(e)>=s)return`${Number((e/s).toFixed(1))}${t}`;return String(Number(e.toFixed(2)))}function Dt(e){if(!Jt(
e))return"\u2013";for(let[t,s]of[["s",1e6],["ms",1e3]])if(e>=s)return`${Fo(e/s)} ${t}`;return`${Fo(e)} us`}function Fo(e){return e>=100||Number.
isInteger(e)?e.toFixed(0):e>=10?e.toFixed(1):e.toFixed(2)}function _n(e){if(!Jt(e))return"\u2013";let t=Math.round(e),s=[[Math.floor(t/86400),
"d"],[Math.floor(t/3600)%24,"h"],[Math.floor(t/60)%60,"min"],[t%60,"s"]],n=s.findIndex(([o])=>o>0);return n<0?"0 s":s.slice(n,n+2).filter(([
o])=>o>0).map(([o,a])=>`${o} ${a}`).join(" ")}function Sn(e){let t=new Date(e);return[t.getHours(),t.getMinutes(),t.getSeconds()].map(s=>String(
s).padStart(2,"0")).join(":")}function nl(e){let t=new Date(e);return[t.getMonth()+1,t.getDate()].map(s=>String(s).padStart(2,"0")).join("-")}
function Oo(e){let t=new Date(e);return Number.isNaN(t.getTime())?e:`${[t.getFullYear(),t.getMonth()+1,t.getDate()].map(n=>String(n).padStart(
2,"0")).join("-")} ${Sn(t.getTime())}`}function sl(e,t){return e.length<=t?e:`\u2026${e.slice(1-t)}`}function rn(...e){return e.filter(t=>t!==
null).join(", ")}var Js=["read_hit_ram","read_hit_flash","read_miss","write","flush","destage"],ns=["reads","writes","flushes","discards","read_bytes","write\
_bytes","read_hits_ram","read_hits_flash","read_partial_hits","read_misses","reads_bypassed","backing_reads","backing_writes","backing_read_\
bytes","backing_write_bytes","flash_read_bytes","flash_write_bytes","destage_bytes","evictions"];function Ho(e){let t=[];for(let[s,n]of Object.
entries(zo(e))){let{unit:i,...o}=zo(n);if(typeof i!="string")continue;let a=Object.entries(o).filter(c=>Array.isArray(c[1]));a.length>0&&t.push(
[s,{unit:i,kinds:a}])}return t}function zo(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)?e:{}}var il={"5m":300,"1d":86400,"7d":7*86400};function Io(e,t){let s=t-e.now,n=[],i=null;return e.time.forEach((o,a)=>{let c=o-(e.seconds[a]??0),
p=Ac(e,a,o+s),h=i!==null&&c-i>e.step_seconds;h&&n.push(Pc((i??0)+s)),(h||i===null)&&c<o&&n.push({...p,at:c+s}),n.push(p),i=o}),{span:e.span,
end:t,points:n}}function Ac(e,t,s){let n=e.seconds[t]??0,i=c=>c?.[t]??null,o=i(e.reads)??0,a=c=>o>0&&c!==null?c/o:null;return{at:s,rates:n>0?
Object.fromEntries(ns.map(c=>[c,(i(e[c])??0)/n])):null,hitRam:a(i(e.read_hits_ram)),hitFlash:a(i(e.read_hits_flash)),readMicros:i(e.read_latency_us),
writeMicros:i(e.write_latency_us),dirtyBytes:i(e.span==="5m"?e.dirty_bytes:e.dirty_bytes_max),dirtyLimitBytes:i(e.dirty_limit_bytes),latency:null}}
function Pc(e){return{at:e,rates:null,hitRam:null,hitFlash:null,readMicros:null,writeMicros:null,dirtyBytes:null,dirtyLimitBytes:null,latency:null}}var Ss=300,Dc=10,$c=1,Lc=1e3;function ol(e,t){return ns.every(s=>{let[n,i]=[e[s],t[s]];return n!==void 0&&i!==void 0&&i>=n})}function Wo(e,t){
let s=t.at-e.at;if(s<=0||!ol(e.statistics,t.statistics))return null;let n=ns.map(i=>[i,Rc(e,t,i)/s]);return Object.fromEntries(n)}function Rc(e,t,s){
return(t.statistics[s]??0)-(e.statistics[s]??0)}var Cc=["read_hit_ram","read_hit_flash","read_miss"];function Vo(e,t,s){let n=({statistics:a},c)=>s.
reduce((p,h)=>p+(a.latency_us?c(a.latency_us[h]):0),0),i=a=>n(t,a)-n(e,a),o=i(a=>a.count);return o>0?Math.max(0,i(a=>a.count*a.mean))/o:null}
function Zs(e){if(e===null)return null;let t=(e.reads??0)+(e.writes??0);return t>0?1-((e.backing_reads??0)+(e.backing_writes??0))/t:null}function Tn(e){
return e===null?null:e.reads+e.writes}function Bo(e){let t=e.filter(s=>s!==null);return t.length===0?null:rl(t)}function Go(e){let{reads:t=0,
read_hits_ram:s=0,read_hits_flash:n=0}=e;return t>0?(s+n)/t:null}function rl(e){return Object.fromEntries(ns.map(t=>[t,e.reduce((s,n)=>s+(n[t]??
0),0)]))}var Qs=class{#e=[];#n=[];get points(){return this.#n}get last(){return this.#n.at(-1)}add(t,s,n){let i={at:t,statistics:s};t<(this.#n.
at(-1)?.at??t)&&([this.#e,this.#n]=[[],[]]);let o=this.#e.at(-1);o&&t-o.at<$c&&ol(o.statistics,s)||(o&&!ol(o.statistics,s)&&(this.#e=[]),this.#n.
push(this.#i(i,n??s)),this.#e.push(i),this.#e=ll(this.#e,t),this.#n=ll(this.#n,t))}fill(t){let s=this.#n[0],n=t.filter(c=>s===void 0||c.at<s.
at),[i,o]=[t.at(-1),s??t.at(-1)];if(o===void 0||i===void 0)return;let a=s?.rates===null?[{...i,...Nc(s)},...this.#n.slice(1)]:this.#n;this.#n=
ll([...n,...a],this.#n.at(-1)?.at??o.at)}#i(t,s){let{at:n,statistics:i}=t,o=this.#e.at(-1),a=this.#e.find(h=>n-h.at<=Dc)??o,c=a?Wo(a,t):null,
p=h=>c&&c.reads>0?h/c.reads:null;return{at:n,rates:o?Wo(o,t):null,hitRam:c&&p(c.read_hits_ram),hitFlash:c&&p(c.read_hits_flash),readMicros:c&&
a?Vo(a,t,Cc):null,writeMicros:c&&a?Vo(a,t,["write"]):null,dirtyBytes:i.dirty_bytes??null,dirtyLimitBytes:i.dirty_limit_bytes??null,latency:s.
latency_us??null}}};function Vt(e){return(e.dirty_bytes??0)+(e.dirty_zeroes_bytes??0)}function Nc(e){return Object.fromEntries(Object.entries(
e).filter(([,t])=>t!==null))}function ll(e,t){return e.filter(s=>t-s.at<=Ss).slice(-Lc)}var al=2e3,Fc=3,Oc=15,zc=500,Xs=class{known={disks:null,statistics:new Map,windows:new Map,pool:null,poolProblem:null,series:new Map,events:null,
disk:null,histograms:null,curve:null,advice:null,span:"5m",past:null,answeredAt:null,away:null};#e=null;#n;#i=0;#s=0;#r=0;#a=!1;#t=0;constructor(t){
this.#n=t}watch(t){t!==this.#e&&(this.#e=t,this.known.disk=null,this.known.histograms=null,this.known.curve=null,this.known.advice=null,this.
known.span="5m",this.known.past=null,this.#a=!1,this.#s=0,this.look())}show(t){this.known.span=t,this.known.past=null,this.#r=0,this.look()}async look(){
window.clearTimeout(this.#i);let t=++this.#t;try{await this.#l(t)}catch(s){t===this.#t&&this.#h(s)}t===this.#t&&(this.#n(),this.#i=window.setTimeout(
()=>{this.look()},al))}async#l(t){let s=this.#e,n=this.known.events?.at(-1)?.id??0,[i,o,a,c,p,h]=await Promise.all([Yt("/v1/disks","disks"),
Yt("/v1/stats","disks"),Yt("/v1/stats?window=5m","disks"),this.#c(),es(`/v1/events?after=${n}`,"events"),s===null?null:Mo(et(s),"disk")]),b=Date.
now(),[g,w,T]=s!==null&&h!==null&&this.#s%Fc===0?await Promise.all([es(`${et(s)}/histograms`,"histograms"),es(`${et(s)}/curve`,"curve"),es(`${et(
s)}/advice`,"advice")]):[void 0,void 0,void 0],M=s!==null&&h!==null?await this.#d(s):null;t===this.#t&&(this.#s+=1,this.#r+=1,this.#a||=h!==
null&&this.known.span==="5m",Object.assign(this.known,{disks:i,...c,answeredAt:b,away:null}),this.#o(b/1e3,o,a),this.#f(p),s!==null&&(this.known.
disk=h??"missing"),M!==null&&this.#u(M,b/1e3),w!==void 0&&(this.known.curve=w),T!==void 0&&(this.known.advice=T?.[0]??null),g!==void 0&&(this.
known.histograms=g===null?null:Ho(g)))}async#c(){try{return{pool:await Yt("/v1/pool","pool"),poolProblem:null}}catch(t){if(!(t instanceof At)||
t.status===0)throw t;return{pool:null,poolProblem:t.message}}}#o(t,s,n){let i=o=>new Map(o.map(a=>[a.name,a]));this.known.statistics=i(s),this.
known.windows=i(n.filter(o=>o.window==="5m"));for(let o of this.known.series.keys())this.known.statistics.has(o)||this.known.series.delete(o);
for(let o of s){let a=this.known.series.get(o.name)??new Qs;this.known.series.set(o.name,a),a.add(t,o,this.known.windows.get(o.name))}}#d(t){
let{span:s}=this.known;return(s==="5m"?!this.#a:this.#r%Oc===0)?es(Po(t,s),"history"):null}#u(t,s){let n=Io(t,s);n.span==="5m"?this.known.series.
get(t.name)?.fill(n.points):this.known.past=n}#f(t){t!==null&&(this.known.events=Hc(this.known.events??[],t))}#h(t){let s=t instanceof Error?
t.message:String(t),n=t instanceof At?t.status:0;this.known.away={since:this.known.away?.since??Date.now(),reason:s,status:n}}};function Hc(e,t){
let[s,n]=[e.at(-1),t[0]];return[...s===void 0||n===void 0||n.id>s.id?e:[],...t].slice(-zc)}var qo="forebay-theme",ei=["auto","light","dark"],Ko=window.matchMedia("(prefers-color-scheme: dark)"),cl=new Set;function ti(){let e=localStorage.
getItem(qo);return ei.find(t=>t===e)??"auto"}function jo(){let e=ei[(ei.indexOf(ti())+1)%ei.length]??"auto";localStorage.setItem(qo,e),ul()}
function ni(e){return cl.add(e),()=>cl.delete(e)}function Uo(){Ko.addEventListener("change",ul),ul()}function ul(){let e=ti(),t=Ko.matches?"\
dark":"light";document.documentElement.dataset.theme=e==="auto"?t:e;for(let s of cl)s()}function at(e){return getComputedStyle(document.documentElement).
getPropertyValue(`--${e}`).trim()}var dl={good:"\u2713",busy:"\u2026",warning:"!",bad:"\u2715"},Ic={serving:"good",attaching:"busy",detaching:"busy",removing:"busy",waiting:"\
warning",stopped:"bad",failed:"bad",missing:"bad",used:"good",leaving:"busy"};function Qt(e){return Ic[e]??"warning"}var Wc={waiting:"It is \
served by itself as soon as it can be; put right what the reason names.",stopped:"It answers nothing but errors, so that no guest sees old d\
ata. See what it lost, and the log of the daemon.",failed:"It answers errors. Put right what the reason names, then restart Forebay."},si=["\
good","busy","warning","bad"];function ii(e){return si[Math.max(0,...e.map(t=>si.indexOf(t)))]??"good"}function Ts(e){let t=[],s=(c,p,h=null)=>t.
push({tone:c,text:p,advice:h});if(Qt(e.state)!=="good"){let c=e.reason?`: ${e.reason}`:"";s(Qt(e.state),`Disk ${e.name} is ${e.state}${c}`,Wc[e.
state]??null)}let n=e.lost_bytes??0;n>0&&s("bad",`Flash lost ${V(n)} of ${e.name} before its backing had it`,`forebay disk show ${e.name} --\
lost lists the ranges.`);let i=e.backing_state;if(i&&i.state!=="good"){let c=i.for_seconds===null?"":` for ${_n(i.for_seconds)}`;s("bad",`Th\
e backing of ${e.name} fails${c}${i.reason?`: ${i.reason}`:""}`,"Hits are answered; the rest waits for retry-time.")}e.quiet?.state==="faile\
d"&&s("warning",`${e.name} could not be made quiet: ${e.quiet.reason??"no reason is known"}`,null);let o=e.segments_uncopied??0;e.mirrored===
!0&&o>0&&s("warning",`${tt(o)} segments of ${e.name} lack a second copy`,"They are being copied; until then one device has that data alone.");
let a=e.dirty_bytes??0;return e.dirty_limit_bytes&&a>=e.dirty_limit_bytes*.9&&s("warning",`Destage of ${e.name} is behind: ${V(a)} of at mos\
t ${V(e.dirty_limit_bytes)} is dirty`,"Writes are slowed down to what the backing takes."),t.sort((c,p)=>si.indexOf(p.tone)-si.indexOf(c.tone))}
function Yo(e){let t=e.warnings.map(s=>({tone:"warning",text:s,advice:null}));return Qt(e.state)!=="good"&&t.unshift({tone:"bad",text:`The p\
ool is ${e.state}${e.reason?`: ${e.reason}`:""}`,advice:"Disks go on from their backings; what is dirty waits for the pool."}),e.page_cache_reason&&
t.push({tone:"warning",text:`The pool goes through the page cache, because ${e.page_cache_reason}`,advice:null}),t}function Jo(e){if(e===null)
return"";let t=e.used_percent===null?null:`${Me(e.used_percent/100)} of its life used`,s=e.days_left===null?null:`${tt(e.days_left)} days le\
ft`,n=e.rated_bytes===null?"":`, rated for ${Ys(e.rated_bytes)}`;return rn(t,s,`${Ys(e.written_bytes)} written${n}`)}function Qo(e){if(e===null)
return"";let t=`${Ys(e.bytes_per_day)} a day`,s=e.used_ratio===null?`at most ${t}`:`${Me(e.used_ratio)} of ${t} written`,n=e.promoted_batches_ratio,
i=n>=1?null:n>0?`${Me(n)} of batches of promotions let in`:"no promotions let in";return rn(s,i)}var li={read_hit_ram:"Read, RAM hit",read_hit_flash:"\
Read, flash hit",read_miss:"Read, miss",write:"Write",flush:"Flush",destage:"Destage"};function Es(e){return e?`+ ${V(e)} of zeroes`:null}function Zo(e){
switch(e.quiet?.state){case"coming":return`Being made quiet: ${V(Vt(e))} left to bring home`;case"quiet":return`Quiet for another ${_n(e.quiet.
seconds_left)}`;case"failed":return`Could not be made quiet: ${e.quiet.reason??"no reason is known"}`;default:return null}}function Xo(e){let{
load:t}=e;if(!t)return"not known while the disk is not served";if(t.state==="loading")return"being loaded; reads come from the backing meanw\
hile";if(t.state==="cold")return`nothing: ${t.reason??"no reason is known"}`;let s=`${V(t.kept_bytes)} came back`;return t.dropped_bytes>0?`${s}\
, ${V(t.dropped_bytes)} may have changed and is not believed`:s}var fl=[{name:"mode",about:"What happens to reads and writes.",choices:["wri\
te-through","write-back","write-around","pass-through"]},{name:"block-size",about:"Unit of the index. A change drops what is cached of the d\
isk.",choices:[4,8,16,32,64,128,256,512,1024].map(e=>V(e*1024))},{name:"reserve",about:"Flash that the disk gets whatever the others do: aut\
o, a size or a share such as 20%."},{name:"limit",about:"Flash that the disk never exceeds: auto, a size or a share."},{name:"ram",about:"RA\
M in front of the flash, at least 1MiB."},{name:"admission",about:"What may enter flash: adaptive, adaptive:hits, always or repeated:N."},{name:"\
sequential-cutoff",about:"Misses of a sequential run longer than this go past the cache; 0 is off."},{name:"dirty-limit",about:"Write-back: \
the most that flash may hold and the backing does not have."},{name:"destage-rate-min",about:"Write-back: destage never goes slower than so \
many bytes a second; 0 is none."},{name:"destage-rate-max",about:"Write-back: destage never goes faster than so many bytes a second; 0 is no\
 limit."},{name:"redundancy",about:"Write-back: whether dirty data is kept on two devices of the pool.",choices:["mirror","none"]},{name:"un\
marked",about:"Write-back where the backing cannot be marked: nothing then keeps another Forebay from serving it.",choices:["no","yes"]},{name:"\
retry-time",about:"How long a request waits for a backing that fails or hangs, such as 25s, or wait."},{name:"socket-owner",about:"User who \
owns the NBD socket; auto is the daemon's."},{name:"socket-group",about:"Group of the NBD socket; auto is forebay if the host has it."},{name:"\
socket-mode",about:"Who may connect, as octal digits."}],Vc={"write-through":"Writes go to the backing first, then to the cache; the backing\
 is always complete.","write-back":"Writes are acknowledged when flash has them, and the backing gets them later. Until then the newest data\
 is on flash alone.","write-around":"Writes go to the backing only; what they replace in the cache is dropped.","pass-through":"Every reques\
t goes to the backing. Guests have no cache until the mode is changed back."};function er(e,t){return[...Object.entries(t).map(([n,i])=>Bc(e,
n,i)).flat(),"Guests stay connected and go on meanwhile."]}function Bc(e,t,s){let n=V(e.statistics.cached_bytes);switch(t){case"mode":return[
Vc[s]??`The mode becomes ${s}.`,...Gc(e,s)];case"block-size":return[`What is cached of the disk on flash (${n}) is dropped; it is read from \
the backing again.`];case"limit":return[`Flash that the disk holds above the new limit is evicted; it holds ${V(e.statistics.flash_bytes)} n\
ow.`];case"unmarked":return s==="yes"?["Nothing keeps another Forebay from serving this backing while flash has newer data. See to that your\
self."]:[];case"redundancy":return[s==="none"?"Dirty data is kept on one device only: if it fails, that data is lost.":"Dirty data is kept o\
n two devices, if the pool has them."];case"socket-owner":case"socket-group":case"socket-mode":return["Who may connect to the disk changes a\
t once."];default:return[]}}function Gc(e,t){return e.mode!=="write-back"||t==="write-back"||Vt(e)===0?[]:[`${V(Vt(e))} is dirty; it is writ\
ten to the backing while guests go on.`]}function ss(e,t){let s=Vt(t),n=s>0?`${V(s)} is dirty: flash has it and the backing does not.`:"Noth\
ing is dirty: the backing has everything.";switch(e){case"destage":return[n,"Dirty data is written to the backing at full speed. Guests go o\
n and may notice a busier backing."];case"normal":return[n,"Destage goes on at the pace that suits guests."];case"quiesce":return[n,"It is b\
rought home first. After that, writes wait for the backing, so that a backup or snapshot of the backing is complete.","This ends by itself a\
fter the time below, or when it is resumed."];case"resume":return["Writes may lie on flash alone again, as the mode says."];case"evict":return[
`${V(t.statistics.cached_bytes)} cached on flash and ${V(t.statistics.ram_bytes)} in RAM are dropped, and no restart brings them back.`,s>0?
`${V(s)} is dirty and is brought home first.`:"Nothing is dirty; nothing is lost.","Guests go on from the backing, slower, until the cache i\
s warm again."]}}var qc=60,Kc=600,jc=300;function nr(e,t){let s=Uc.map(i=>{let o=()=>{let a=e();a&&Us(Qc(i.work(a),t))};return[i,f("button",{type:"button","d\
ata-action":i.name,onclick:o},i.label)]}),n=f("p",{class:"hint","data-figure":"quiet"});return{element:f("section",{class:"card","aria-label":"\
Actions"},f("h2",{},"Actions"),f("div",{class:"buttons buttons-start"},...s.map(([,i])=>i)),n),update(){let i=e();for(let[a,c]of s)c.disabled=
i===null||!a.isPossible(i);let o=i&&!Ms(i)?`Nothing can be done while the disk is ${i.state}.`:i?Zo(i):null;Z(n,o??""),ae(n,o!==null)}}}var Ms=e=>e.
state==="serving",hl=e=>e.quiet?.state==="coming"||e.quiet?.state==="quiet",Uc=[{name:"destage",label:"Destage now\u2026",isPossible:Ms,work:e=>({
title:`Destage ${e.name} at full speed?`,sentences:ss("destage",e),confirm:"Destage now",run:async()=>(await wt("POST",`${et(e.name)}/destag\
e`),`What is dirty of ${e.name} is on its way to the backing`)})},{name:"normal",label:"Destage at normal pace\u2026",isPossible:Ms,work:e=>({
title:`Let ${e.name} destage at its own pace?`,sentences:ss("normal",e),confirm:"Normal pace",run:async()=>(await wt("DELETE",`${et(e.name)}\
/destage`),`${e.name} is destaged as it suits guests`)})},{name:"quiesce",label:"Quiesce\u2026",isPossible:e=>Ms(e)&&!hl(e),work:Yc},{name:"\
resume",label:"Resume\u2026",isPossible:hl,work:e=>({title:`Let ${e.name} go on as before?`,sentences:ss("resume",e),confirm:"Resume",run:async()=>(await wt(
"POST",`${et(e.name)}/resume`),`${e.name} goes on as before`)})},{name:"evict",label:"Evict\u2026",isPossible:Ms,work:e=>({title:`Drop what \
is cached of ${e.name}?`,sentences:ss("evict",e),confirm:"Evict",run:(t,s)=>Jc(e.name,t,s)})}];function Yc(e){let t=Wt(),s=f("input",{id:t,type:"\
number",min:1,max:86400,value:Kc,required:!0});return{title:`Hold ${e.name} without dirty data?`,sentences:ss("quiesce",e),confirm:"Quiesce",
fields:f("div",{class:"field"},f("label",{for:t},"For so many seconds"),s),run:async()=>{let n=Number(s.value);return await wt("POST",`${et(
e.name)}/quiesce`,{seconds:n}),`${e.name} is being made quiet, then held so for ${_n(n)}`}}}async function Jc(e,t,s){let n=et(e),i=await Yt(
n,"disk");if(hl(i))await tr(e,t,s),await wt("POST",`${n}/evict`);else if(Vt(i)>0){let a=(await wt("POST",`${n}/quiesce`,{seconds:qc})).disk.
quiet?.number;try{await tr(e,t,s),await wt("POST",`${n}/evict`)}finally{await wt("POST",`${n}/resume`,{number:a})}}else await wt("POST",`${n}\
/evict`);return`Nothing is cached of ${e} any more, and no restart brings it back`}async function tr(e,t,s){for(;;){if(s.aborted)throw new Error(
"Stopped; the disk is served as before");let n=await Yt(et(e),"disk"),i=n.quiet?.state;if(i==="quiet")return;if(i!=="coming")throw new Error(
`Cannot bring home what is dirty: ${n.quiet?.reason??n.reason??"somebody resumed it"}. Nothing was dropped.`);t(`${V(Vt(n))} left to bring h\
ome\u2026`),await new Promise(o=>window.setTimeout(o,jc))}}function Qc(e,t){return{...e,run:(s,n)=>e.run(s,n).finally(t)}}function Zc(e){let t=["verdict","latency"];return[...e.sentences.filter(n=>t.includes(n.about)),...e.warnings].map(n=>n.text)}var oi=class{element;#e=f(
"div",{class:"advice-text",role:"status"});#n=f("code",{});#i=f("p",{class:"hint"},"To set it: ",this.#n);#s="";constructor(){this.element=f(
"section",{class:"card advice","aria-label":"Advice"},f("h2",{},"Advice"),this.#e,this.#i,f("p",{class:"hint"},"On the host, forebay advise \
says why, with all figures.")),this.element.hidden=!0}set(t){if(ae(this.element,t!==null),!t)return;let s=Zc(t);JSON.stringify(s)!==this.#s&&
(this.#s=JSON.stringify(s),this.#e.replaceChildren(...s.map(n=>f("p",{},n)))),Z(this.#n,t.command??""),ae(this.#i,t.command!==null)}};var Xc="uplot",eu="u-hz",tu="u-vt",nu="u-title",su="u-wrap",iu="u-under",lu="u-over",ou="u-axis",An="u-off",ru="u-select",au="u-cursor-x",cu="\
u-cursor-y",uu="u-cursor-pt",du="u-legend",fu="u-live",hu="u-inline",pu="u-series",mu="u-marker",sr="u-label",gu="u-value",Ps="width",Ds="he\
ight";var ir="bottom",is="left",pl="right",$l="#000",lr=$l+"0",ml="mousemove",or="mousedown",gl="mouseup",rr="mouseenter",ar="mouseleave",cr="dblc\
lick",bu="resize",yu="scroll",ur="change",di="dppxchange",Ll="--",ds=typeof window<"u",xl=ds?document:null,os=ds?window:null,wu=ds?navigator:
null,ce,ri;function kl(){let e=devicePixelRatio;ce!=e&&(ce=e,ri&&Sl(ur,ri,kl),ri=matchMedia(`(min-resolution: ${ce-.001}dppx) and (max-resol\
ution: ${ce+.001}dppx)`),Pn(ur,ri,kl),os.dispatchEvent(new CustomEvent(di)))}function ct(e,t){if(t!=null){let s=e.classList;!s.contains(t)&&
s.add(t)}}function _l(e,t){let s=e.classList;s.contains(t)&&s.remove(t)}function ve(e,t,s){e.style[t]=s+"px"}function $t(e,t,s,n){let i=xl.createElement(
e);return t!=null&&ct(i,t),s?.insertBefore(i,n),i}function vt(e,t){return $t("div",e,t)}var dr=new WeakMap;function Bt(e,t,s,n,i){let o="tra\
nslate("+t+"px,"+s+"px)",a=dr.get(e);o!=a&&(e.style.transform=o,dr.set(e,o),t<0||s<0||t>n||s>i?ct(e,An):_l(e,An))}var fr=new WeakMap;function hr(e,t,s){
let n=t+s,i=fr.get(e);n!=i&&(fr.set(e,n),e.style.background=t,e.style.borderColor=s)}var pr=new WeakMap;function mr(e,t,s,n){let i=t+""+s,o=pr.
get(e);i!=o&&(pr.set(e,i),e.style.height=s+"px",e.style.width=t+"px",e.style.marginLeft=n?-t/2+"px":0,e.style.marginTop=n?-s/2+"px":0)}var Rl={
passive:!0},vu={...Rl,capture:!0};function Pn(e,t,s,n){t.addEventListener(e,s,n?vu:Rl)}function Sl(e,t,s,n){t.removeEventListener(e,s,Rl)}ds&&
kl();function Lt(e,t,s,n){let i;s=s||0,n=n||t.length-1;let o=n<=2147483647;for(;n-s>1;)i=o?s+n>>1:ut((s+n)/2),t[i]<e?s=i:n=i;return e-t[s]<=
t[n]-e?s:n}function Br(e){return(s,n,i)=>{let o=-1,a=-1;for(let c=n;c<=i;c++)if(e(s[c])){o=c;break}for(let c=i;c>=n;c--)if(e(s[c])){a=c;break}
return[o,a]}}var Gr=e=>e!=null,qr=e=>e!=null&&e>0,pi=Br(Gr),xu=Br(qr);function ku(e,t,s,n=0,i=!1){let o=i?xu:pi,a=i?qr:Gr;[t,s]=o(e,t,s);let c=e[t],
p=e[t];if(t>-1)if(n==1)c=e[t],p=e[s];else if(n==-1)c=e[s],p=e[t];else for(let h=t;h<=s;h++){let b=e[h];a(b)&&(b<c?c=b:b>p&&(p=b))}return[c??
pe,p??-pe]}function mi(e,t,s,n){let i=yr(e),o=yr(t);e==t&&(i==-1?(e*=s,t/=s):(e/=s,t*=s));let a=s==10?Zt:Kr,c=i==1?ut:xt,p=o==1?xt:ut,h=c(a(
Ce(e))),b=p(a(Ce(t))),g=rs(s,h),w=rs(s,b);return s==10&&(h<0&&(g=me(g,-h)),b<0&&(w=me(w,-b))),n||s==2?(e=g*i,t=w*o):(e=Jr(e,g),t=gi(t,w)),[e,
t]}function Cl(e,t,s,n){let i=mi(e,t,s,n);return e==0&&(i[0]=0),t==0&&(i[1]=0),i}var Nl=.1,gr={mode:3,pad:Nl},Ls={pad:0,soft:null,mode:0},_u={
min:Ls,max:Ls};function fi(e,t,s,n){return bi(s)?br(e,t,s):(Ls.pad=s,Ls.soft=n?0:null,Ls.mode=n?3:0,br(e,t,_u))}function oe(e,t){return e??t}
function Su(e,t,s){for(t=oe(t,0),s=oe(s,e.length-1);t<=s;){if(e[t]!=null)return!0;t++}return!1}function br(e,t,s){let n=s.min,i=s.max,o=oe(n.
pad,0),a=oe(i.pad,0),c=oe(n.hard,-pe),p=oe(i.hard,pe),h=oe(n.soft,pe),b=oe(i.soft,-pe),g=oe(n.mode,0),w=oe(i.mode,0),T=t-e,M=Zt(T),R=Je(Ce(e),
Ce(t)),H=Zt(R),C=Ce(H-M);(T<1e-24||C>10)&&(T=0,(e==0||t==0)&&(T=1e-24,g==2&&h!=pe&&(o=0),w==2&&b!=-pe&&(a=0)));let k=T||R||1e3,I=Zt(k),_=rs(
10,ut(I)),G=k*(T==0?e==0?.1:1:o),$=me(Jr(e-G,_/10),24),J=e>=h&&(g==1||g==3&&$<=h||g==2&&$>=h)?h:pe,U=Je(c,$<J&&e>=J?J:Rt(J,$)),te=k*(T==0?t==
0?.1:1:a),j=me(gi(t+te,_/10),24),E=t<=b&&(w==1||w==3&&j>=b||w==2&&j<=b)?b:-pe,Q=Rt(p,j>E&&t<=E?E:Je(E,j));return U==Q&&U==0&&(Q=100),[U,Q]}var Tu=new Intl.
NumberFormat(ds?wu.language:"en-US"),Fl=e=>Tu.format(e),dt=Math,ui=dt.PI,Ce=dt.abs,ut=dt.floor,Re=dt.round,xt=dt.ceil,Rt=dt.min,Je=dt.max,rs=dt.
pow,yr=dt.sign,Zt=dt.log10,Kr=dt.log2,Eu=(e,t=1)=>dt.sinh(e)*t,bl=(e,t=1)=>dt.asinh(e/t),pe=1/0;function wr(e){return(Zt((e^e>>31)-(e>>31))|
0)+1}function Tl(e,t,s){return Rt(Je(e,t),s)}function jr(e){return typeof e=="function"}function ne(e){return jr(e)?e:()=>e}var Mu=()=>{},Ur=e=>e,
Yr=(e,t)=>t,Au=e=>null,vr=e=>!0,xr=(e,t)=>e==t,Pu=/\.\d*?(?=9{6,}|0{6,})/gm,Dn=e=>{if(Zr(e)||cn.has(e))return e;let t=`${e}`,s=t.match(Pu);if(s==
null)return e;let n=s[0].length-1;if(t.indexOf("e-")!=-1){let[i,o]=t.split("e");return+`${Dn(i)}e${o}`}return me(e,n)};function En(e,t){return Dn(
me(Dn(e/t))*t)}function gi(e,t){return Dn(xt(Dn(e/t))*t)}function Jr(e,t){return Dn(ut(Dn(e/t))*t)}function me(e,t=0){if(Zr(e))return e;let s=10**
t,n=e*s*(1+Number.EPSILON);return Re(n)/s}var cn=new Map;function Qr(e){return((""+e).split(".")[1]||"").length}function Cs(e,t,s,n){let i=[],
o=n.map(Qr);for(let a=t;a<s;a++){let c=Ce(a),p=me(rs(e,a),c);for(let h=0;h<n.length;h++){let b=e==10?+`${n[h]}e${a}`:n[h]*p,g=(a>=0?0:c)+(a>=
o[h]?0:o[h]),w=e==10?b:me(b,g);i.push(w),cn.set(w,g)}}return i}var Rs={},Ol=[],as=[null,null],an=Array.isArray,Zr=Number.isInteger,Du=e=>e===
void 0;function kr(e){return typeof e=="string"}function bi(e){let t=!1;if(e!=null){let s=e.constructor;t=s==null||s==Object}return t}function $u(e){
return e!=null&&typeof e=="object"}var Lu=Object.getPrototypeOf(Uint8Array),Xr="__proto__";function cs(e,t=bi){let s;if(an(e)){let n=e.find(
i=>i!=null);if(an(n)||t(n)){s=Array(e.length);for(let i=0;i<e.length;i++)s[i]=cs(e[i],t)}else s=e.slice()}else if(e instanceof Lu)s=e.slice();else if(t(
e)){s={};for(let n in e)n!=Xr&&(s[n]=cs(e[n],t))}else s=e;return s}function Pe(e){let t=arguments;for(let s=1;s<t.length;s++){let n=t[s];for(let i in n)
i!=Xr&&(bi(e[i])?Pe(e[i],cs(n[i])):e[i]=cs(n[i]))}return e}var Ru=0,Cu=1,Nu=2;function Fu(e,t,s){for(let n=0,i,o=-1;n<t.length;n++){let a=t[n];
if(a>o){for(i=a-1;i>=0&&e[i]==null;)e[i--]=null;for(i=a+1;i<s&&e[i]==null;)e[o=i++]=null}}}function Ou(e,t){if(Iu(e)){let a=e[0].slice();for(let c=1;c<
e.length;c++)a.push(...e[c].slice(1));return Wu(a[0])||(a=Hu(a)),a}let s=new Set;for(let a=0;a<e.length;a++){let p=e[a][0],h=p.length;for(let b=0;b<
h;b++)s.add(p[b])}let n=[Array.from(s).sort((a,c)=>a-c)],i=n[0].length,o=new Map;for(let a=0;a<i;a++)o.set(n[0][a],a);for(let a=0;a<e.length;a++){
let c=e[a],p=c[0];for(let h=1;h<c.length;h++){let b=c[h],g=Array(i).fill(void 0),w=t?t[a][h]:Cu,T=[];for(let M=0;M<b.length;M++){let R=b[M],
H=o.get(p[M]);R===null?w!=Ru&&(g[H]=R,w==Nu&&T.push(H)):g[H]=R}Fu(g,T,i),n.push(g)}}return n}var zu=typeof queueMicrotask>"u"?e=>Promise.resolve().
then(e):queueMicrotask;function Hu(e){let t=e[0],s=t.length,n=Array(s);for(let o=0;o<n.length;o++)n[o]=o;n.sort((o,a)=>t[o]-t[a]);let i=[];for(let o=0;o<
e.length;o++){let a=e[o],c=Array(s);for(let p=0;p<s;p++)c[p]=a[n[p]];i.push(c)}return i}function Iu(e){let t=e[0][0],s=t.length;for(let n=1;n<
e.length;n++){let i=e[n][0];if(i.length!=s)return!1;if(i!=t){for(let o=0;o<s;o++)if(i[o]!=t[o])return!1}}return!0}function Wu(e,t=100){let s=e.
length;if(s<=1)return!0;let n=0,i=s-1;for(;n<=i&&e[n]==null;)n++;for(;i>=n&&e[i]==null;)i--;if(i<=n)return!0;let o=Je(1,ut((i-n+1)/t));for(let a=e[n],
c=n+o;c<=i;c+=o){let p=e[c];if(p!=null){if(p<=a)return!1;a=p}}return!0}var ea=["January","February","March","April","May","June","July","Aug\
ust","September","October","November","December"],ta=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function na(e){
return e.slice(0,3)}var Vu=ta.map(na),Bu=ea.map(na),Gu={MMMM:ea,MMM:Bu,WWWW:ta,WWW:Vu};function As(e){return(e<10?"0":"")+e}function qu(e){return(e<
10?"00":e<100?"0":"")+e}var Ku={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.
getMonth()],MM:e=>As(e.getMonth()+1),M:e=>e.getMonth()+1,DD:e=>As(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.
WWW[e.getDay()],HH:e=>As(e.getHours()),H:e=>e.getHours(),h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"A\
M",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>As(e.getMinutes()),m:e=>e.getMinutes(),ss:e=>As(e.getSeconds()),s:e=>e.
getSeconds(),fff:e=>qu(e.getMilliseconds())};function zl(e,t){t=t||Gu;let s=[],n=/\{([a-z]+)\}|[^{]+/gi,i;for(;i=n.exec(e);)s.push(i[0][0]==
"{"?Ku[i[1]]:i[0]);return o=>{let a="";for(let c=0;c<s.length;c++)a+=typeof s[c]=="string"?s[c]:s[c](o,t);return a}}var ju=new Intl.DateTimeFormat().
resolvedOptions().timeZone;function Uu(e,t){let s;return t=="UTC"||t=="Etc/UTC"?s=new Date(+e+e.getTimezoneOffset()*6e4):t==ju?s=e:(s=new Date(
e.toLocaleString("en-US",{timeZone:t})),s.setMilliseconds(e.getMilliseconds())),s}var sa=e=>e%1==0,hi=[1,2,2.5,5],Yu=Cs(10,-32,0,hi),ia=Cs(10,
0,32,hi),Ju=ia.filter(sa),Mn=Yu.concat(ia),Hl=`
`,la="{YYYY}",_r=Hl+la,oa="{M}/{D}",$s=Hl+oa,ai=$s+"/{YY}",ra="{aa}",Qu="{h}:{mm}",ls=Qu+ra,Sr=Hl+ls,Tr=":{ss}",de=null;function aa(e){let t=e*
1e3,s=t*60,n=s*60,i=n*24,o=i*30,a=i*365,p=(e==1?Cs(10,0,3,hi).filter(sa):Cs(10,-3,0,hi)).concat([t,t*5,t*10,t*15,t*30,s,s*5,s*10,s*15,s*30,n,
n*2,n*3,n*4,n*6,n*8,n*12,i,i*2,i*3,i*4,i*5,i*6,i*7,i*8,i*9,i*10,i*15,o,o*2,o*3,o*4,o*6,a,a*2,a*5,a*10,a*25,a*50,a*100]),h=[[a,la,de,de,de,de,
de,de,1],[i*28,"{MMM}",_r,de,de,de,de,de,1],[i,oa,_r,de,de,de,de,de,1],[n,"{h}"+ra,ai,de,$s,de,de,de,1],[s,ls,ai,de,$s,de,de,de,1],[t,Tr,ai+
" "+ls,de,$s+" "+ls,de,Sr,de,1],[e,Tr+".{fff}",ai+" "+ls,de,$s+" "+ls,de,Sr,de,1]];function b(g){return(w,T,M,R,H,C)=>{let k=[],I=H>=a,_=H>=
o&&H<a,G=g(M),$=me(G*e,3),J=yl(G.getFullYear(),I?0:G.getMonth(),_||I?1:G.getDate()),U=me(J*e,3);if(_||I){let te=_?H/o:0,j=I?H/a:0,E=$==U?$:me(
yl(J.getFullYear()+j,J.getMonth()+te,1)*e,3),Q=new Date(Re(E/e)),N=Q.getFullYear(),q=Q.getMonth();for(let W=0;E<=R;W++){let se=yl(N+j*W,q+te*
W,1),z=se-g(me(se*e,3));E=me((+se+z)*e,3),E<=R&&k.push(E)}}else{let te=H>=i?i:H,j=ut(M)-ut($),E=U+j+gi($-U,te);k.push(E);let Q=g(E),N=Q.getHours()+
Q.getMinutes()/s+Q.getSeconds()/n,q=H/n,W=w.axes[T]._space,se=C/W;for(;E=me(E+H,e==1?0:3),!(E>R);)if(q>1){let z=ut(me(N+q,6))%24,ie=g(E).getHours()-
z;ie>1&&(ie=-1),E-=ie*n,N=(N+q)%24;let fe=k[k.length-1];me((E-fe)/H,3)*se>=.7&&k.push(E)}else k.push(E)}return k}}return[p,h,b]}var[Zu,Xu,ed]=aa(
1),[td,nd,sd]=aa(.001);Cs(2,-53,53,[1]);function Er(e,t){return e.map(s=>s.map((n,i)=>i==0||i==8||n==null?n:t(i==1||s[8]==0?n:s[1]+n)))}function Mr(e,t){
return(s,n,i,o,a)=>{let c=t.find(M=>a>=M[0])||t[t.length-1],p,h,b,g,w,T;return n.map(M=>{let R=e(M),H=R.getFullYear(),C=R.getMonth(),k=R.getDate(),
I=R.getHours(),_=R.getMinutes(),G=R.getSeconds(),$=H!=p&&c[2]||C!=h&&c[3]||k!=b&&c[4]||I!=g&&c[5]||_!=w&&c[6]||G!=T&&c[7]||c[1];return p=H,h=
C,b=k,g=I,w=_,T=G,$(R)})}}function id(e,t){let s=zl(t);return(n,i,o,a,c)=>i.map(p=>s(e(p)))}function yl(e,t,s){return new Date(e,t,s)}function Ar(e,t){
return t(e)}var ld="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function Pr(e,t){return(s,n,i,o)=>o==null?Ll:t(e(n))}function od(e,t){let s=e.series[t];return s.
width?s.stroke(e,t):s.points.width?s.points.stroke(e,t):null}function rd(e,t){return e.series[t].fill(e,t)}var ad={show:!0,live:!0,isolate:!1,
mount:Mu,markers:{show:!0,width:2,stroke:od,fill:rd,dash:"solid"},idx:null,idxs:null,values:[]};function cd(e,t){let s=e.cursor.points,n=vt(),
i=s.size(e,t);ve(n,Ps,i),ve(n,Ds,i);let o=i/-2;ve(n,"marginLeft",o),ve(n,"marginTop",o);let a=s.width(e,t,i);return a&&ve(n,"borderWidth",a),
n}function ud(e,t){let s=e.series[t].points;return s._fill||s._stroke}function dd(e,t){let s=e.series[t].points;return s._stroke||s._fill}function fd(e,t){
return e.series[t].points.size}var wl=[0,0];function hd(e,t,s){return wl[0]=t,wl[1]=s,wl}function ci(e,t,s,n=!0){return i=>{i.button==0&&(!n||
i.target==t)&&s(i)}}function vl(e,t,s,n=!0){return i=>{(!n||i.target==t)&&s(i)}}var pd={show:!0,x:!0,y:!0,lock:!1,move:hd,points:{one:!1,show:cd,
size:fd,width:0,stroke:dd,fill:ud},bind:{mousedown:ci,mouseup:ci,click:ci,dblclick:ci,mousemove:vl,mouseleave:vl,mouseenter:vl},drag:{setScale:!0,
x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(e,t,s,n,i)=>n-i,prox:-1,
bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},ca={show:!0,stroke:"rgba(0,0,0,0\
.07)",width:2},Il=Pe({},ca,{filter:Yr}),ua=Pe({},Il,{size:10}),da=Pe({},ca,{show:!1}),Wl='12px system-ui, -apple-system, "Segoe UI", Roboto,\
 "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',fa="bold "+
Wl,ha=1.5,Dr={show:!0,scale:"x",stroke:$l,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:fa,side:2,grid:Il,ticks:ua,border:da,
font:Wl,lineGap:ha,rotate:0},md="Value",gd="Time",$r={show:!0,scale:"x",auto:!1,sorted:1,min:pe,max:-pe,idxs:[]};function bd(e,t,s,n,i){return t.
map(o=>o==null?"":Fl(o))}function yd(e,t,s,n,i,o,a){let c=[],p=cn.get(i)||0;s=a?s:me(gi(s,i),p);for(let h=s;h<=n;h=me(h+i,p))c.push(Object.is(
h,-0)?0:h);return c}function El(e,t,s,n,i,o,a){let c=[],p=e.scales[e.axes[t].scale].log,h=p==10?Zt:Kr,b=ut(h(s));i=rs(p,b),p==10&&(i=Mn[Lt(i,
Mn)]);let g=s,w=i*p;p==10&&(w=Mn[Lt(w,Mn)]);do c.push(g),g=g+i,p==10&&!cn.has(g)&&(g=me(g,cn.get(i))),g>=w&&(i=g,w=i*p,p==10&&(w=Mn[Lt(w,Mn)]));while(g<=
n);return c}function wd(e,t,s,n,i,o,a){let p=e.scales[e.axes[t].scale].asinh,h=n>p?El(e,t,Je(p,s),n,i):[p],b=n>=0&&s<=0?[0]:[];return(s<-p?El(
e,t,Je(p,-n),-s,i):[p]).reverse().map(w=>-w).concat(b,h)}var pa=/./,vd=/[12357]/,xd=/[125]/,Lr=/1/,Ml=(e,t,s,n)=>e.map((i,o)=>t==4&&i==0||o%
n==0&&s.test(i.toExponential()[i<0?1:0])?i:null);function kd(e,t,s,n,i){let o=e.axes[s],a=o.scale,c=e.scales[a],p=e.valToPos,h=o._space,b=p(
10,a),g=p(9,a)-b>=h?pa:p(7,a)-b>=h?vd:p(5,a)-b>=h?xd:Lr;if(g==Lr){let w=Ce(p(1,a)-b);if(w<h)return Ml(t.slice().reverse(),c.distr,g,xt(h/w)).
reverse()}return Ml(t,c.distr,g,1)}function _d(e,t,s,n,i){let o=e.axes[s],a=o.scale,c=o._space,p=e.valToPos,h=Ce(p(1,a)-p(2,a));return h<c?Ml(
t.slice().reverse(),3,pa,xt(c/h)).reverse():t}function Sd(e,t,s,n){return n==null?Ll:t==null?"":Fl(t)}var Rr={show:!0,scale:"y",stroke:$l,space:30,
gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:fa,side:3,grid:Il,ticks:ua,border:da,font:Wl,lineGap:ha,rotate:0};function Td(e,t){
let s=3+(e||1)*2;return me(s*t,3)}function Ed(e,t){let{scale:s,idxs:n}=e.series[0],i=e._data[0],o=e.valToPos(i[n[0]],s,!0),a=e.valToPos(i[n[1]],
s,!0),c=Ce(a-o),p=e.series[t],h=c/(p.points.space*ce);return n[1]-n[0]<=h}var Cr={scale:null,auto:!0,sorted:0,min:pe,max:-pe},ma=(e,t,s,n,i)=>i,
Nr={show:!0,auto:!0,sorted:0,gaps:ma,alpha:1,facets:[Pe({},Cr,{scale:"x"}),Pe({},Cr,{scale:"y"})]},Fr={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:ma,alpha:1,points:{show:Ed,filter:null},values:null,min:pe,max:-pe,idxs:[],path:null,clip:null};function Md(e,t,s,n,i){return s/10}var ga={
time:!0,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},Ad=Pe({},ga,{time:!1,ori:1}),Or={};function ba(e,t){let s=Or[e];return s||
(s={key:e,plots:[],sub(n){s.plots.push(n)},unsub(n){s.plots=s.plots.filter(i=>i!=n)},pub(n,i,o,a,c,p,h){for(let b=0;b<s.plots.length;b++)s.plots[b]!=
i&&s.plots[b].pub(n,i,o,a,c,p,h)}},e!=null&&(Or[e]=s)),s}var us=1,Al=2;function $n(e,t,s){let n=e.mode,i=e.series[t],o=n==2?e._data[t]:e._data,
a=e.scales,c=e.bbox,p=o[0],h=n==2?o[1]:o[t],b=n==2?a[i.facets[0].scale]:a[e.series[0].scale],g=n==2?a[i.facets[1].scale]:a[i.scale],w=c.left,
T=c.top,M=c.width,R=c.height,H=e.valToPosH,C=e.valToPosV;return b.ori==0?s(i,p,h,b,g,H,C,w,T,M,R,wi,fs,xi,wa,xa):s(i,p,h,b,g,C,H,T,w,R,M,vi,
hs,Gl,va,ka)}function Vl(e,t){let s=0,n=0,i=oe(e.bands,Ol);for(let o=0;o<i.length;o++){let a=i[o];a.series[0]==t?s=a.dir:a.series[1]==t&&(a.
dir==1?n|=1:n|=2)}return[s,n==1?-1:n==2?1:n==3?2:0]}function Pd(e,t,s,n,i){let o=e.mode,a=e.series[t],c=o==2?a.facets[1].scale:a.scale,p=e.scales[c];
return i==-1?p.min:i==1?p.max:p.distr==3?p.dir==1?p.min:p.max:0}function Xt(e,t,s,n,i,o){return $n(e,t,(a,c,p,h,b,g,w,T,M,R,H)=>{let C=a.pxRound,
k=h.dir*(h.ori==0?1:-1),I=h.ori==0?fs:hs,_,G;k==1?(_=s,G=n):(_=n,G=s);let $=C(g(c[_],h,R,T)),J=C(w(p[_],b,H,M)),U=C(g(c[G],h,R,T)),te=C(w(o==
1?b.max:b.min,b,H,M)),j=new Path2D(i);return I(j,U,te),I(j,$,te),I(j,$,J),j})}function yi(e,t,s,n,i,o){let a=null;if(e.length>0){a=new Path2D;
let c=t==0?xi:Gl,p=s;for(let g=0;g<e.length;g++){let w=e[g];if(w[1]>w[0]){let T=w[0]-p;T>0&&c(a,p,n,T,n+o),p=w[1]}}let h=s+i-p,b=10;h>0&&c(a,
p,n-b/2,h,n+o+b)}return a}function Dd(e,t,s){let n=e[e.length-1];n&&n[0]==t?n[1]=s:e.push([t,s])}function Bl(e,t,s,n,i,o,a){let c=[],p=e.length;
for(let h=i==1?s:n;h>=s&&h<=n;h+=i)if(t[h]===null){let g=h,w=h;if(i==1)for(;++h<=n&&t[h]===null;)w=h;else for(;--h>=s&&t[h]===null;)w=h;let T=o(
e[g]),M=w==g?T:o(e[w]),R=g-i;T=a<=0&&R>=0&&R<p?o(e[R]):T;let C=w+i;M=a>=0&&C>=0&&C<p?o(e[C]):M,M>=T&&c.push([T,M])}return c}function zr(e){return e==
0?Ur:e==1?Re:t=>En(t,e)}function ya(e){let t=e==0?wi:vi,s=e==0?(i,o,a,c,p,h)=>{i.arcTo(o,a,c,p,h)}:(i,o,a,c,p,h)=>{i.arcTo(a,o,p,c,h)},n=e==
0?(i,o,a,c,p)=>{i.rect(o,a,c,p)}:(i,o,a,c,p)=>{i.rect(a,o,p,c)};return(i,o,a,c,p,h=0,b=0)=>{h==0&&b==0?n(i,o,a,c,p):(h=Rt(h,c/2,p/2),b=Rt(b,
c/2,p/2),t(i,o+h,a),s(i,o+c,a,o+c,a+p,h),s(i,o+c,a+p,o,a+p,b),s(i,o,a+p,o,a,b),s(i,o,a,o+c,a,h),i.closePath())}}var wi=(e,t,s)=>{e.moveTo(t,
s)},vi=(e,t,s)=>{e.moveTo(s,t)},fs=(e,t,s)=>{e.lineTo(t,s)},hs=(e,t,s)=>{e.lineTo(s,t)},xi=ya(0),Gl=ya(1),wa=(e,t,s,n,i,o)=>{e.arc(t,s,n,i,o)},
va=(e,t,s,n,i,o)=>{e.arc(s,t,n,i,o)},xa=(e,t,s,n,i,o,a)=>{e.bezierCurveTo(t,s,n,i,o,a)},ka=(e,t,s,n,i,o,a)=>{e.bezierCurveTo(s,t,i,n,a,o)};function _a(e){
return(t,s,n,i,o)=>$n(t,s,(a,c,p,h,b,g,w,T,M,R,H)=>{let{pxRound:C,points:k}=a,I,_;h.ori==0?(I=wi,_=wa):(I=vi,_=va);let G=me(k.width*ce,3),$=(k.
size-k.width)/2*ce,J=me($*2,3),U=new Path2D,te=new Path2D,{left:j,top:E,width:Q,height:N}=t.bbox;xi(te,j-J,E-J,Q+J*2,N+J*2);let q=W=>{if(p[W]!=
null){let se=C(g(c[W],h,R,T)),z=C(w(p[W],b,H,M));I(U,se+$,z),_(U,se,z,$,0,ui*2)}};if(o)o.forEach(q);else for(let W=n;W<=i;W++)q(W);return{stroke:G>
0?U:null,fill:U,clip:te,flags:us|Al}})}function Sa(e){return(t,s,n,i,o,a)=>{n!=i&&(o!=n&&a!=n&&e(t,s,n),o!=i&&a!=i&&e(t,s,i),e(t,s,a))}}var $d=Sa(
fs),Ld=Sa(hs);function Ta(e){let t=oe(e?.alignGaps,0);return(s,n,i,o)=>$n(s,n,(a,c,p,h,b,g,w,T,M,R,H)=>{[i,o]=pi(p,i,o);let C=a.pxRound,k=N=>C(
g(N,h,R,T)),I=N=>C(w(N,b,H,M)),_,G;h.ori==0?(_=fs,G=$d):(_=hs,G=Ld);let $=h.dir*(h.ori==0?1:-1),J={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:us},U=J.stroke,te=!1;if(o-i>=R*4){let N=F=>s.posToVal(F,h.key,!0),q=null,W=null,se,z,Qe,xe=k(c[$==1?i:o]),ie=k(c[i]),fe=k(c[o]),
X=N($==1?ie+1:fe-1);for(let F=$==1?i:o;F>=i&&F<=o;F+=$){let $e=c[F],ke=($==1?$e<X:$e>X)?xe:k($e),ue=p[F];ke==xe?ue!=null?(z=ue,q==null?(_(U,
ke,I(z)),se=q=W=z):z<q?q=z:z>W&&(W=z)):ue===null&&(te=!0):(q!=null&&G(U,xe,I(q),I(W),I(se),I(z)),ue!=null?(z=ue,_(U,ke,I(z)),q=W=se=z):(q=W=
null,ue===null&&(te=!0)),xe=ke,X=N(xe+$))}q!=null&&q!=W&&Qe!=xe&&G(U,xe,I(q),I(W),I(se),I(z))}else for(let N=$==1?i:o;N>=i&&N<=o;N+=$){let q=p[N];
q===null?te=!0:q!=null&&_(U,k(c[N]),I(q))}let[E,Q]=Vl(s,n);if(a.fill!=null||E!=0){let N=J.fill=new Path2D(U),q=a.fillTo(s,n,a.min,a.max,E),W=I(
q),se=k(c[i]),z=k(c[o]);$==-1&&([z,se]=[se,z]),_(N,z,W),_(N,se,W)}if(!a.spanGaps){let N=[];te&&N.push(...Bl(c,p,i,o,$,k,t)),J.gaps=N=a.gaps(
s,n,i,o,N),J.clip=yi(N,h.ori,T,M,R,H)}return Q!=0&&(J.band=Q==2?[Xt(s,n,i,o,U,-1),Xt(s,n,i,o,U,1)]:Xt(s,n,i,o,U,Q)),J})}function Rd(e){let t=oe(
e.align,1),s=oe(e.ascDesc,!1),n=oe(e.alignGaps,0),i=oe(e.extend,!1);return(o,a,c,p)=>$n(o,a,(h,b,g,w,T,M,R,H,C,k,I)=>{[c,p]=pi(g,c,p);let _=h.
pxRound,{left:G,width:$}=o.bbox,J=ie=>_(M(ie,w,k,H)),U=ie=>_(R(ie,T,I,C)),te=w.ori==0?fs:hs,j={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:us},E=j.stroke,Q=w.dir*(w.ori==0?1:-1),N=U(g[Q==1?c:p]),q=J(b[Q==1?c:p]),W=q,se=q;i&&t==-1&&(se=G,te(E,se,N)),te(E,q,N);for(let ie=Q==
1?c:p;ie>=c&&ie<=p;ie+=Q){let fe=g[ie];if(fe==null)continue;let X=J(b[ie]),F=U(fe);t==1?te(E,X,N):te(E,W,F),te(E,X,F),N=F,W=X}let z=W;i&&t==
1&&(z=G+$,te(E,z,N));let[Qe,xe]=Vl(o,a);if(h.fill!=null||Qe!=0){let ie=j.fill=new Path2D(E),fe=h.fillTo(o,a,h.min,h.max,Qe),X=U(fe);te(ie,z,
X),te(ie,se,X)}if(!h.spanGaps){let ie=[];ie.push(...Bl(b,g,c,p,Q,J,n));let fe=h.width*ce/2,X=s||t==1?fe:-fe,F=s||t==-1?-fe:fe;ie.forEach($e=>{
$e[0]+=X,$e[1]+=F}),j.gaps=ie=h.gaps(o,a,c,p,ie),j.clip=yi(ie,w.ori,H,C,k,I)}return xe!=0&&(j.band=xe==2?[Xt(o,a,c,p,E,-1),Xt(o,a,c,p,E,1)]:
Xt(o,a,c,p,E,xe)),j})}function Hr(e,t,s,n,i,o,a=pe){if(e.length>1){let c=null;for(let p=0,h=1/0;p<e.length;p++)if(t[p]!==void 0){if(c!=null){
let b=Ce(e[p]-e[c]);b<h&&(h=b,a=Ce(s(e[p],n,i,o)-s(e[c],n,i,o)))}c=p}}return a}function Cd(e){e=e||Rs;let t=oe(e.size,[.6,pe,1]),s=e.align||
0,n=e.gap||0,i=e.radius;i=i==null?[0,0]:typeof i=="number"?[i,0]:i;let o=ne(i),a=1-t[0],c=oe(t[1],pe),p=oe(t[2],1),h=oe(e.disp,Rs),b=oe(e.each,
T=>{}),{fill:g,stroke:w}=h;return(T,M,R,H)=>$n(T,M,(C,k,I,_,G,$,J,U,te,j,E)=>{let Q=C.pxRound,N=s,q=n*ce,W=c*ce,se=p*ce,z,Qe;_.ori==0?[z,Qe]=
o(T,M):[Qe,z]=o(T,M);let xe=_.dir*(_.ori==0?1:-1),ie=_.ori==0?xi:Gl,fe=_.ori==0?b:(D,ge,Le,zn,pn,Nt,mn)=>{b(D,ge,Le,pn,zn,mn,Nt)},X=oe(T.bands,
Ol).find(D=>D.series[0]==M),F=X!=null?X.dir:0,$e=C.fillTo(T,M,C.min,C.max,F),qe=Q(J($e,G,E,te)),ke,ue,_t,st=j,Se=Q(C.width*ce),Ct=!1,qt=null,
ht=null,en=null,Nn=null;g!=null&&(Se==0||w!=null)&&(Ct=!0,qt=g.values(T,M,R,H),ht=new Map,new Set(qt).forEach(D=>{D!=null&&ht.set(D,new Path2D)}),
Se>0&&(en=w.values(T,M,R,H),Nn=new Map,new Set(en).forEach(D=>{D!=null&&Nn.set(D,new Path2D)})));let{x0:Fn,size:gs}=h;if(Fn!=null&&gs!=null){
N=1,k=Fn.values(T,M,R,H),Fn.unit==2&&(k=k.map(Le=>T.posToVal(U+Le*j,_.key,!0)));let D=gs.values(T,M,R,H);gs.unit==2?ue=D[0]*j:ue=$(D[0],_,j,
U)-$(0,_,j,U),st=Hr(k,I,$,_,j,U,st),_t=st-ue+q}else st=Hr(k,I,$,_,j,U,st),_t=st*a+q,ue=st-_t;_t<1&&(_t=0),Se>=ue/2&&(Se=0),_t<5&&(Q=Ur);let Os=_t>
0,fn=st-_t-(Os?Se:0);ue=Q(Tl(fn,se,W)),ke=(N==0?ue/2:N==xe?0:ue)-N*xe*((N==0?q/2:0)+(Os?Se/2:0));let Ke={stroke:null,fill:null,clip:null,band:null,
gaps:null,flags:0},On=Ct?null:new Path2D,Kt=null;if(X!=null)Kt=T.data[X.series[1]];else{let{y0:D,y1:ge}=h;D!=null&&ge!=null&&(I=ge.values(T,
M,R,H),Kt=D.values(T,M,R,H))}let hn=z*ue,Y=Qe*ue;for(let D=xe==1?R:H;D>=R&&D<=H;D+=xe){let ge=I[D];if(ge==null)continue;if(Kt!=null){let Ze=Kt[D]??
0;if(ge-Ze==0)continue;qe=J(Ze,G,E,te)}let Le=_.distr!=2||h!=null?k[D]:D,zn=$(Le,_,j,U),pn=J(oe(ge,$e),G,E,te),Nt=Q(zn-ke),mn=Q(Je(pn,qe)),it=Q(
Rt(pn,qe)),pt=mn-it;if(ge!=null){let Ze=ge<0?Y:hn,St=ge<0?hn:Y;Ct?(Se>0&&en[D]!=null&&ie(Nn.get(en[D]),Nt,it+ut(Se/2),ue,Je(0,pt-Se),Ze,St),
qt[D]!=null&&ie(ht.get(qt[D]),Nt,it+ut(Se/2),ue,Je(0,pt-Se),Ze,St)):ie(On,Nt,it+ut(Se/2),ue,Je(0,pt-Se),Ze,St),fe(T,M,D,Nt-Se/2,it,ue+Se,pt)}}
return Se>0?Ke.stroke=Ct?Nn:On:Ct||(Ke._fill=C.width==0?C._fill:C._stroke??C._fill,Ke.width=0),Ke.fill=Ct?ht:On,Ke})}function Nd(e,t){let s=oe(
t?.alignGaps,0);return(n,i,o,a)=>$n(n,i,(c,p,h,b,g,w,T,M,R,H,C)=>{[o,a]=pi(h,o,a);let k=c.pxRound,I=z=>k(w(z,b,H,M)),_=z=>k(T(z,g,C,R)),G,$,
J;b.ori==0?(G=wi,J=fs,$=xa):(G=vi,J=hs,$=ka);let U=b.dir*(b.ori==0?1:-1),te=I(p[U==1?o:a]),j=te,E=[],Q=[];for(let z=U==1?o:a;z>=o&&z<=a;z+=U)
if(h[z]!=null){let xe=p[z],ie=I(xe);E.push(j=ie),Q.push(_(h[z]))}let N={stroke:e(E,Q,G,J,$,k),fill:null,clip:null,band:null,gaps:null,flags:us},
q=N.stroke,[W,se]=Vl(n,i);if(c.fill!=null||W!=0){let z=N.fill=new Path2D(q),Qe=c.fillTo(n,i,c.min,c.max,W),xe=_(Qe);J(z,j,xe),J(z,te,xe)}if(!c.
spanGaps){let z=[];z.push(...Bl(p,h,o,a,U,I,s)),N.gaps=z=c.gaps(n,i,o,a,z),N.clip=yi(z,b.ori,M,R,H,C)}return se!=0&&(N.band=se==2?[Xt(n,i,o,
a,q,-1),Xt(n,i,o,a,q,1)]:Xt(n,i,o,a,q,se)),N})}function Fd(e){return Nd(Od,e)}function Od(e,t,s,n,i,o){let a=e.length;if(a<2)return null;let c=new Path2D;
if(s(c,e[0],t[0]),a==2)n(c,e[1],t[1]);else{let p=Array(a),h=Array(a-1),b=Array(a-1),g=Array(a-1);for(let w=0;w<a-1;w++)b[w]=t[w+1]-t[w],g[w]=
e[w+1]-e[w],h[w]=b[w]/g[w];p[0]=h[0];for(let w=1;w<a-1;w++)h[w]===0||h[w-1]===0||h[w-1]>0!=h[w]>0?p[w]=0:(p[w]=3*(g[w-1]+g[w])/((2*g[w]+g[w-
1])/h[w-1]+(g[w]+2*g[w-1])/h[w]),isFinite(p[w])||(p[w]=0));p[a-1]=h[a-2];for(let w=0;w<a-1;w++)i(c,e[w]+g[w]/3,t[w]+p[w]*g[w]/3,e[w+1]-g[w]/
3,t[w+1]-p[w+1]*g[w]/3,e[w+1],t[w+1])}return c}var Pl=new Set;function Ir(){for(let e of Pl)e.syncRect(!0)}ds&&(Pn(bu,os,Ir),Pn(yu,os,Ir,!0),
Pn(di,os,()=>{Ne.pxRatio=ce}));var zd=Ta(),Hd=_a();function Wr(e,t,s,n){return(n?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map(
(o,a)=>Dl(o,a,t,s))}function Id(e,t){return e.map((s,n)=>n==0?{}:Pe({},t,s))}function Dl(e,t,s,n){return Pe({},t==0?s:n,e)}function Ea(e,t,s){
return t==null?as:[t,s]}var Wd=Ea;function Vd(e,t,s){return t==null?as:fi(t,s,Nl,!0)}function Ma(e,t,s,n){return t==null?as:mi(t,s,e.scales[n].
log,!1)}var Bd=Ma;function Aa(e,t,s,n){return t==null?as:Cl(t,s,e.scales[n].log,!1)}var Gd=Aa;function qd(e,t,s,n,i){let o=Je(wr(e),wr(t)),a=t-
e,c=Lt(i/n*a,s);do{let p=s[c],h=n*p/a;if(h>=i&&o+(p<5?cn.get(p):0)<=17)return[p,h]}while(++c<s.length);return[0,0]}function Vr(e){let t,s;return e=
e.replace(/(\d+)px/,(n,i)=>(t=Re((s=+i)*ce))+"px"),[e,t,s]}function Kd(e){e.show&&[e.font,e.labelFont].forEach(t=>{let s=me(t[2]*ce,1);t[0]=
t[0].replace(/[0-9.]+px/,s+"px"),t[1]=s})}function Ne(e,t,s){let n={mode:oe(e.mode,1)},i=n.mode;function o(l,r,u,d){let m=r.valToPct(l);return d+
u*(r.dir==-1?1-m:m)}function a(l,r,u,d){let m=r.valToPct(l);return d+u*(r.dir==-1?m:1-m)}function c(l,r,u,d){return r.ori==0?o(l,r,u,d):a(l,
r,u,d)}n.valToPosH=o,n.valToPosV=a;let p=!1;n.status=0;let h=n.root=vt(Xc);if(e.id!=null&&(h.id=e.id),ct(h,e.class),e.title){let l=vt(nu,h);
l.textContent=e.title}let b=$t("canvas"),g=n.ctx=b.getContext("2d"),w=vt(su,h);Pn("click",w,l=>{l.target===M&&(be!=Yn||_e!=Jn)&&Be.click(n,l)},
!0);let T=n.under=vt(iu,w);w.appendChild(b);let M=n.over=vt(lu,w);e=cs(e);let R=+oe(e.pxAlign,1),H=zr(R);(e.plugins||[]).forEach(l=>{l.opts&&
(e=l.opts(n,e)||e)});let C=e.ms||.001,k=n.series=i==1?Wr(e.series||[],$r,Fr,!1):Id(e.series||[null],Nr),I=n.axes=Wr(e.axes||[],Dr,Rr,!0),_=n.
scales={},G=n.bands=e.bands||[];G.forEach(l=>{l.fill=ne(l.fill||null),l.dir=oe(l.dir,-1)});let $=i==2?k[1].facets[0].scale:k[0].scale,J={axes:ac,
series:sc},U=(e.drawOrder||["axes","series"]).map(l=>J[l]);function te(l){let r=l.distr==3?u=>Zt(u>0?u:l.clamp(n,u,l.min,l.max,l.key)):l.distr==
4?u=>bl(u,l.asinh):l.distr==100?u=>l.fwd(u):u=>u;return u=>{let d=r(u),{_min:m,_max:y}=l,v=y-m;return(d-m)/v}}function j(l){let r=_[l];if(r==
null){let u=(e.scales||Rs)[l]||Rs;if(u.from!=null){j(u.from);let d=Pe({},_[u.from],u,{key:l});d.valToPct=te(d),_[l]=d}else{r=_[l]=Pe({},l==$?
ga:Ad,u),r.key=l;let d=r.time,m=r.range,y=an(m);if((l!=$||i==2&&!d)&&(y&&(m[0]==null||m[1]==null)&&(m={min:m[0]==null?gr:{mode:1,hard:m[0],soft:m[0]},
max:m[1]==null?gr:{mode:1,hard:m[1],soft:m[1]}},y=!1),!y&&bi(m))){let v=m;m=(x,S,A)=>S==null?as:fi(S,A,v)}r.range=ne(m||(d?Wd:l==$?r.distr==
3?Bd:r.distr==4?Gd:Ea:r.distr==3?Ma:r.distr==4?Aa:Vd)),r.auto=ne(y?!1:r.auto),r.clamp=ne(r.clamp||Md),r._min=r._max=null,r.valToPct=te(r)}}}
j("x"),j("y"),i==1&&k.forEach(l=>{j(l.scale)}),I.forEach(l=>{j(l.scale)});for(let l in e.scales)j(l);let E=_[$],Q=E.distr,N,q;E.ori==0?(ct(h,
eu),N=o,q=a):(ct(h,tu),N=a,q=o);let W={};for(let l in _){let r=_[l];(r.min!=null||r.max!=null)&&(W[l]={min:r.min,max:r.max},r.min=r.max=null)}
let se=e.tzDate||(l=>new Date(Re(l/C))),z=e.fmtDate||zl,Qe=C==1?ed(se):sd(se),xe=Mr(se,Er(C==1?Xu:nd,z)),ie=Pr(se,Ar(ld,z)),fe=[],X=n.legend=
Pe({},ad,e.legend),F=n.cursor=Pe({},pd,{drag:{y:i==2}},e.cursor),$e=X.show,qe=F.show,ke=X.markers;X.idxs=fe,ke.width=ne(ke.width),ke.dash=ne(
ke.dash),ke.stroke=ne(ke.stroke),ke.fill=ne(ke.fill);let ue,_t,st,Se=[],Ct=[],qt,ht=!1,en={};if(X.live){let l=k[1]?k[1].values:null;ht=l!=null,
qt=ht?l(n,1,0):{_:0};for(let r in qt)en[r]=Ll}if($e)if(ue=$t("table",du,h),st=$t("tbody",null,ue),X.mount(n,ue),ht){_t=$t("thead",null,ue,st);
let l=$t("tr",null,_t);$t("th",null,l);for(var Nn in qt)$t("th",sr,l).textContent=Nn}else ct(ue,hu),X.live&&ct(ue,fu);let Fn={show:!0},gs={show:!1};
function Os(l,r){if(r==0&&(ht||!X.live||i==2))return as;let u=[],d=$t("tr",pu,st,st.childNodes[r]);ct(d,l.class),l.show||ct(d,An);let m=$t("\
th",null,d);if(ke.show){let x=vt(mu,m);if(r>0){let S=ke.width(n,r);S&&(x.style.border=S+"px "+ke.dash(n,r)+" "+ke.stroke(n,r)),x.style.background=
ke.fill(n,r)}}let y=vt(sr,m);l.label instanceof HTMLElement?y.appendChild(l.label):y.textContent=l.label,r>0&&(ke.show||(y.style.color=l.width>
0?ke.stroke(n,r):ke.fill(n,r)),Ke("click",m,x=>{if(F._lock)return;bn(x);let S=k.indexOf(l);if((x.ctrlKey||x.metaKey)!=X.isolate){let A=k.some(
(P,L)=>L>0&&L!=S&&P.show);k.forEach((P,L)=>{L>0&&Ot(L,A?L==S?Fn:gs:Fn,!0,Ae.setSeries)})}else Ot(S,{show:!l.show},!0,Ae.setSeries)},!1),In&&
Ke(rr,m,x=>{F._lock||(bn(x),Ot(k.indexOf(l),Zn,!0,Ae.setSeries))},!1));for(var v in qt){let x=$t("td",gu,d);x.textContent="--",u.push(x)}return[
d,u]}let fn=new Map;function Ke(l,r,u,d=!0){let m=fn.get(r)||{},y=F.bind[l](n,r,u,d);y&&(Pn(l,r,m[l]=y),fn.set(r,m))}function On(l,r,u){let d=fn.
get(r)||{};for(let m in d)(l==null||m==l)&&(Sl(m,r,d[m]),delete d[m]);l==null&&fn.delete(r)}let Kt=0,hn=0,Y=0,D=0,ge=0,Le=0,zn=ge,pn=Le,Nt=Y,
mn=D,it=0,pt=0,Ze=0,St=0;n.bbox={};let Pi=!1,zs=!1,Hn=!1,gn=!1,Hs=!1,mt=!1;function Di(l,r,u){(u||l!=n.width||r!=n.height)&&Jl(l,r),qn(!1),Hn=
!0,zs=!0,Kn()}function Jl(l,r){n.width=Kt=Y=l,n.height=hn=D=r,ge=Le=0,Ja(),Qa();let u=n.bbox;it=u.left=En(ge*ce,.5),pt=u.top=En(Le*ce,.5),Ze=
u.width=En(Y*ce,.5),St=u.height=En(D*ce,.5)}let ja=3;function Ua(){let l=!1,r=0;for(;!l;){r++;let u=oc(r),d=rc(r);l=r==ja||u&&d,l||(Jl(n.width,
n.height),zs=!0)}}function Ya({width:l,height:r}){Di(l,r)}n.setSize=Ya;function Ja(){let l=!1,r=!1,u=!1,d=!1;I.forEach((m,y)=>{if(m.show&&m.
_show){let{side:v,_size:x}=m,S=v%2,A=m.label!=null?m.labelSize:0,P=x+A;P>0&&(S?(Y-=P,v==3?(ge+=P,d=!0):u=!0):(D-=P,v==0?(Le+=P,l=!0):r=!0))}}),
yn[0]=l,yn[1]=u,yn[2]=r,yn[3]=d,Y-=tn[1]+tn[3],ge+=tn[3],D-=tn[2]+tn[0],Le+=tn[0]}function Qa(){let l=ge+Y,r=Le+D,u=ge,d=Le;function m(y,v){
switch(y){case 1:return l+=v,l-v;case 2:return r+=v,r-v;case 3:return u-=v,u+v;case 0:return d-=v,d+v}}I.forEach((y,v)=>{if(y.show&&y._show){
let x=y.side;y._pos=m(x,y._size),y.label!=null&&(y._lpos=m(x,y.labelSize))}})}if(F.dataIdx==null){let l=F.hover,r=l.skip=new Set(l.skip??[]);
r.add(void 0);let u=l.prox=ne(l.prox),d=l.bias??=0;F.dataIdx=(m,y,v,x)=>{if(y==0)return v;let S=v,A=u(m,y,v,x)??pe,P=A>=0&&A<pe,L=E.ori==0?Y:
D,K=F.left,re=t[0],le=t[y];if(r.has(le[v])){S=null;let ee=null,B=null,O;if(d==0||d==-1)for(O=v;ee==null&&O-- >0;)r.has(le[O])||(ee=O);if(d==
0||d==1)for(O=v;B==null&&O++<le.length;)r.has(le[O])||(B=O);if(ee!=null||B!=null)if(P){let we=ee==null?-1/0:N(re[ee],E,L,0),Te=B==null?1/0:N(
re[B],E,L,0),We=K-we,he=Te-K;We<=he?We<=A&&(S=ee):he<=A&&(S=B)}else S=B==null?ee:ee==null?B:v-ee<=B-v?ee:B}else P&&Ce(K-N(re[v],E,L,0))>A&&(S=
null);return S}}let bn=l=>{F.event=l};F.idxs=fe,F._lock=!1;let Ge=F.points;Ge.show=ne(Ge.show),Ge.size=ne(Ge.size),Ge.stroke=ne(Ge.stroke),Ge.
width=ne(Ge.width),Ge.fill=ne(Ge.fill);let Ft=n.focus=Pe({},e.focus||{alpha:.3},F.focus),In=Ft.prox>=0,Wn=In&&Ge.one,gt=[],Vn=[],Bn=[];function Ql(l,r){
let u=Ge.show(n,r);if(u instanceof HTMLElement)return ct(u,uu),ct(u,l.class),Bt(u,-10,-10,Y,D),M.insertBefore(u,gt[r]),u}function Zl(l,r){if(i==
1||r>0){let u=i==1&&_[l.scale].time,d=l.value;l.value=u?kr(d)?Pr(se,Ar(d,z)):d||ie:d||Sd,l.label=l.label||(u?gd:md)}if(Wn||r>0){l.width=l.width==
null?1:l.width,l.paths=l.paths||zd||Au,l.fillTo=ne(l.fillTo||Pd),l.pxAlign=+oe(l.pxAlign,R),l.pxRound=zr(l.pxAlign),l.stroke=ne(l.stroke||null),
l.fill=ne(l.fill||null),l._stroke=l._fill=l._paths=l._focus=null;let u=Td(Je(1,l.width),1),d=l.points=Pe({},{size:u,width:Je(1,u*.2),stroke:l.
stroke,space:u*2,paths:Hd,_stroke:null,_fill:null},l.points);d.show=ne(d.show),d.filter=ne(d.filter),d.fill=ne(d.fill),d.stroke=ne(d.stroke),
d.paths=ne(d.paths),d.pxAlign=l.pxAlign}if($e){let u=Os(l,r);Se.splice(r,0,u[0]),Ct.splice(r,0,u[1]),X.values.push(null)}if(qe){fe.splice(r,
0,null);let u=null;Wn?r==0&&(u=Ql(l,r)):r>0&&(u=Ql(l,r)),gt.splice(r,0,u),Vn.splice(r,0,0),Bn.splice(r,0,0)}Ie("addSeries",r)}function Za(l,r){
r=r??k.length,l=i==1?Dl(l,r,$r,Fr):Dl(l,r,{},Nr),k.splice(r,0,l),Zl(k[r],r)}n.addSeries=Za;function Xa(l){if(k.splice(l,1),$e){X.values.splice(
l,1),Ct.splice(l,1);let r=Se.splice(l,1)[0];On(null,r.firstChild),r.remove()}qe&&(fe.splice(l,1),gt.splice(l,1)[0].remove(),Vn.splice(l,1),Bn.
splice(l,1)),Ie("delSeries",l)}n.delSeries=Xa;let yn=[!1,!1,!1,!1];function ec(l,r){if(l._show=l.show,l.show){let u=l.side%2,d=_[l.scale];d==
null&&(l.scale=u?k[1].scale:$,d=_[l.scale]);let m=d.time;l.size=ne(l.size),l.space=ne(l.space),l.rotate=ne(l.rotate),an(l.incrs)&&l.incrs.forEach(
v=>{!cn.has(v)&&cn.set(v,Qr(v))}),l.incrs=ne(l.incrs||(d.distr==2?Ju:m?C==1?Zu:td:Mn)),l.splits=ne(l.splits||(m&&d.distr==1?Qe:d.distr==3?El:
d.distr==4?wd:yd)),l.stroke=ne(l.stroke),l.grid.stroke=ne(l.grid.stroke),l.ticks.stroke=ne(l.ticks.stroke),l.border.stroke=ne(l.border.stroke);
let y=l.values;l.values=an(y)&&!an(y[0])?ne(y):m?an(y)?Mr(se,Er(y,z)):kr(y)?id(se,y):y||xe:y||bd,l.filter=ne(l.filter||(d.distr>=3&&d.log==10?
kd:d.distr==3&&d.log==2?_d:Yr)),l.font=Vr(l.font),l.labelFont=Vr(l.labelFont),l._size=l.size(n,null,r,0),l._space=l._rotate=l._incrs=l._found=
l._splits=l._values=null,l._size>0&&(yn[r]=!0,l._el=vt(ou,w))}}function bs(l,r,u,d){let[m,y,v,x]=u,S=r%2,A=0;return S==0&&(x||y)&&(A=r==0&&!m||
r==2&&!v?Re(Dr.size/3):0),S==1&&(m||v)&&(A=r==1&&!y||r==3&&!x?Re(Rr.size/2):0),A}let Xl=n.padding=(e.padding||[bs,bs,bs,bs]).map(l=>ne(oe(l,
bs))),tn=n._padding=Xl.map((l,r)=>l(n,r,yn,0)),Ve,Fe=null,Oe=null,Is=i==1?k[0].idxs:null,Tt=null,ys=!1;function eo(l,r){if(t=l??[],n.data=n.
_data=t,i==2){Ve=0;for(let u=1;u<k.length;u++)Ve+=t[u][0].length}else{t.length==0&&(n.data=n._data=t=[[]]),Tt=t[0],Ve=Tt.length;let u=t;if(Q==
2){u=t.slice();let d=u[0]=Array(Ve);for(let m=0;m<Ve;m++)d[m]=m}n._data=t=u}if(qn(!0),Ie("setData"),Q==2&&(Hn=!0),r!==!1){let u=E;u.auto(n,ys)?
$i():sn($,u.min,u.max),gn=gn||F.left>=0,mt=!0,Kn()}}n.setData=eo;function $i(){ys=!0;let l,r;i==1&&(Ve>0?(Fe=Is[0]=0,Oe=Is[1]=Ve-1,l=t[0][Fe],
r=t[0][Oe],Q==2?(l=Fe,r=Oe):l==r&&(Q==3?[l,r]=mi(l,l,E.log,!1):Q==4?[l,r]=Cl(l,l,E.log,!1):E.time?r=l+Re(86400/C):[l,r]=fi(l,r,Nl,!0))):(Fe=
Is[0]=l=null,Oe=Is[1]=r=null)),sn($,l,r)}let Ws,Gn,Li,Ri,Ci,Ni,Fi,Oi,zi,Xe;function to(l,r,u,d,m,y){l??=lr,u??=Ol,d??="butt",m??=lr,y??="rou\
nd",l!=Ws&&(g.strokeStyle=Ws=l),m!=Gn&&(g.fillStyle=Gn=m),r!=Li&&(g.lineWidth=Li=r),y!=Ci&&(g.lineJoin=Ci=y),d!=Ni&&(g.lineCap=Ni=d),u!=Ri&&
g.setLineDash(Ri=u)}function no(l,r,u,d){r!=Gn&&(g.fillStyle=Gn=r),l!=Fi&&(g.font=Fi=l),u!=Oi&&(g.textAlign=Oi=u),d!=zi&&(g.textBaseline=zi=
d)}function Hi(l,r,u,d,m=0){if(d.length>0&&l.auto(n,ys)&&(r==null||r.min==null)){let y=oe(Fe,0),v=oe(Oe,d.length-1),x=u.min==null?ku(d,y,v,m,
l.distr==3):[u.min,u.max];l.min=Rt(l.min,u.min=x[0]),l.max=Je(l.max,u.max=x[1])}}let so={min:null,max:null};function tc(){for(let d in _){let m=_[d];
W[d]==null&&(m.min==null||W[$]!=null&&m.auto(n,ys))&&(W[d]=so)}for(let d in _){let m=_[d];W[d]==null&&m.from!=null&&W[m.from]!=null&&(W[d]=so)}
W[$]!=null&&qn(!0);let l={};for(let d in W){let m=W[d];if(m!=null){let y=l[d]=cs(_[d],$u);if(m.min!=null)Pe(y,m);else if(d!=$||i==2)if(Ve==0&&
y.from==null){let v=y.range(n,null,null,d);y.min=v[0],y.max=v[1]}else y.min=pe,y.max=-pe}}if(Ve>0){k.forEach((d,m)=>{if(i==1){let y=d.scale,
v=W[y];if(v==null)return;let x=l[y];if(m==0){let S=x.range(n,x.min,x.max,y);x.min=S[0],x.max=S[1],Fe=Lt(x.min,t[0]),Oe=Lt(x.max,t[0]),Oe-Fe>
1&&(t[0][Fe]<x.min&&Fe++,t[0][Oe]>x.max&&Oe--),d.min=Tt[Fe],d.max=Tt[Oe]}else d.show&&d.auto&&Hi(x,v,d,t[m],d.sorted);d.idxs[0]=Fe,d.idxs[1]=
Oe}else if(m>0&&d.show&&d.auto){let[y,v]=d.facets,x=y.scale,S=v.scale,[A,P]=t[m],L=l[x],K=l[S];L!=null&&Hi(L,W[x],y,A,y.sorted),K!=null&&Hi(
K,W[S],v,P,v.sorted),d.min=v.min,d.max=v.max}});for(let d in l){let m=l[d],y=W[d];if(m.from==null&&(y==null||y.min==null)){let v=m.range(n,m.
min==pe?null:m.min,m.max==-pe?null:m.max,d);m.min=v[0],m.max=v[1]}}}for(let d in l){let m=l[d];if(m.from!=null){let y=l[m.from];if(y.min==null)
m.min=m.max=null;else{let v=m.range(n,y.min,y.max,d);m.min=v[0],m.max=v[1]}}}let r={},u=!1;for(let d in l){let m=l[d],y=_[d];if(y.min!=m.min||
y.max!=m.max){y.min=m.min,y.max=m.max;let v=y.distr;y._min=v==3?Zt(y.min):v==4?bl(y.min,y.asinh):v==100?y.fwd(y.min):y.min,y._max=v==3?Zt(y.
max):v==4?bl(y.max,y.asinh):v==100?y.fwd(y.max):y.max,r[d]=u=!0}}if(u){k.forEach((d,m)=>{i==2?m>0&&r.y&&(d._paths=null):r[d.scale]&&(d._paths=
null)});for(let d in r)Hn=!0,Ie("setScale",d);qe&&F.left>=0&&(gn=mt=!0)}for(let d in W)W[d]=null}function nc(l){let r=Tl(Fe-1,0,Ve-1),u=Tl(Oe+
1,0,Ve-1);for(;l[r]==null&&r>0;)r--;for(;l[u]==null&&u<Ve-1;)u++;return[r,u]}function sc(){if(Ve>0){let l=k.some(r=>r._focus)&&Xe!=Ft.alpha;
l&&(g.globalAlpha=Xe=Ft.alpha),k.forEach((r,u)=>{if(u>0&&r.show&&(io(u,!1),io(u,!0),r._paths==null)){let d=Xe;Xe!=r.alpha&&(g.globalAlpha=Xe=
r.alpha);let m=i==2?[0,t[u][0].length-1]:nc(t[u]);r._paths=r.paths(n,u,m[0],m[1]),Xe!=d&&(g.globalAlpha=Xe=d)}}),k.forEach((r,u)=>{if(u>0&&r.
show){let d=Xe;Xe!=r.alpha&&(g.globalAlpha=Xe=r.alpha),r._paths!=null&&lo(u,!1);{let m=r._paths!=null?r._paths.gaps:null,y=r.points.show(n,u,
Fe,Oe,m),v=r.points.filter(n,u,y,m);(y||v)&&(r.points._paths=r.points.paths(n,u,Fe,Oe,v),lo(u,!0))}Xe!=d&&(g.globalAlpha=Xe=d),Ie("drawSerie\
s",u)}}),l&&(g.globalAlpha=Xe=1)}}function io(l,r){let u=r?k[l].points:k[l];u._stroke=u.stroke(n,l),u._fill=u.fill(n,l)}function lo(l,r){let u=r?
k[l].points:k[l],{stroke:d,fill:m,clip:y,flags:v,_stroke:x=u._stroke,_fill:S=u._fill,_width:A=u.width}=u._paths;A=me(A*ce,3);let P=null,L=A%
2/2;r&&S==null&&(S=A>0?"#fff":x);let K=u.pxAlign==1&&L>0;if(K&&g.translate(L,L),!r){let re=it-A/2,le=pt-A/2,ee=Ze+A,B=St+A;P=new Path2D,P.rect(
re,le,ee,B)}r?Ii(x,A,u.dash,u.cap,S,d,m,v,y):ic(l,x,A,u.dash,u.cap,S,d,m,v,P,y),K&&g.translate(-L,-L)}function ic(l,r,u,d,m,y,v,x,S,A,P){let L=!1;
S!=0&&G.forEach((K,re)=>{if(K.series[0]==l){let le=k[K.series[1]],ee=t[K.series[1]],B=(le._paths||Rs).band;an(B)&&(B=K.dir==1?B[0]:B[1]);let O,
we=null;le.show&&B&&Su(ee,Fe,Oe)?(we=K.fill(n,re)||y,O=le._paths.clip):B=null,Ii(r,u,d,m,we,v,x,S,A,P,O,B),L=!0}}),L||Ii(r,u,d,m,y,v,x,S,A,P)}
let oo=us|Al;function Ii(l,r,u,d,m,y,v,x,S,A,P,L){to(l,r,u,d,m),(S||A||L)&&(g.save(),S&&g.clip(S),A&&g.clip(A)),L?(x&oo)==oo?(g.clip(L),P&&g.
clip(P),Bs(m,v),Vs(l,y,r)):x&Al?(Bs(m,v),g.clip(L),Vs(l,y,r)):x&us&&(g.save(),g.clip(L),P&&g.clip(P),Bs(m,v),g.restore(),Vs(l,y,r)):(Bs(m,v),
Vs(l,y,r)),(S||A||L)&&g.restore()}function Vs(l,r,u){u>0&&(r instanceof Map?r.forEach((d,m)=>{g.strokeStyle=Ws=m,g.stroke(d)}):r!=null&&l&&g.
stroke(r))}function Bs(l,r){r instanceof Map?r.forEach((u,d)=>{g.fillStyle=Gn=d,g.fill(u)}):r!=null&&l&&g.fill(r)}function lc(l,r,u,d){let m=I[l],
y;if(d<=0)y=[0,0];else{let v=m._space=m.space(n,l,r,u,d),x=m._incrs=m.incrs(n,l,r,u,d,v);y=qd(r,u,x,d,v)}return m._found=y}function Wi(l,r,u,d,m,y,v,x,S,A){
let P=v%2/2;R==1&&g.translate(P,P),to(x,v,S,A,x),g.beginPath();let L,K,re,le,ee=m+(d==0||d==3?-y:y);u==0?(K=m,le=ee):(L=m,re=ee);for(let B=0;B<
l.length;B++)r[B]!=null&&(u==0?L=re=l[B]:K=le=l[B],g.moveTo(L,K),g.lineTo(re,le));g.stroke(),R==1&&g.translate(-P,-P)}function oc(l){let r=!0;
return I.forEach((u,d)=>{if(!u.show)return;let m=_[u.scale];if(m.min==null){u._show&&(r=!1,u._show=!1,qn(!1));return}else u._show||(r=!1,u._show=
!0,qn(!1));let y=u.side,v=y%2,{min:x,max:S}=m,[A,P]=lc(d,x,S,v==0?Y:D);if(P==0)return;let L=m.distr==2,K=u._splits=u.splits(n,d,x,S,A,P,L),re=m.
distr==2?K.map(O=>Tt[O]):K,le=m.distr==2?Tt[K[1]]-Tt[K[0]]:A,ee=u._values=u.values(n,u.filter(n,re,d,P,le),d,P,le);u._rotate=y==2?u.rotate(n,
ee,d,P):0;let B=u._size;u._size=xt(u.size(n,ee,d,l)),B!=null&&u._size!=B&&(r=!1)}),r}function rc(l){let r=!0;return Xl.forEach((u,d)=>{let m=u(
n,d,yn,l);m!=tn[d]&&(r=!1),tn[d]=m}),r}function ac(){for(let l=0;l<I.length;l++){let r=I[l];if(!r.show||!r._show)continue;let u=r.side,d=u%2,
m,y,v=r.stroke(n,l),x=u==0||u==3?-1:1,[S,A]=r._found;if(r.label!=null){let Ue=r.labelGap*x,rt=Re((r._lpos+Ue)*ce);no(r.labelFont[0],v,"cente\
r",u==2?"top":ir),g.save(),d==1?(m=y=0,g.translate(rt,Re(pt+St/2)),g.rotate((u==3?-ui:ui)/2)):(m=Re(it+Ze/2),y=rt);let xn=jr(r.label)?r.label(
n,l,S,A):r.label;g.fillText(xn,m,y),g.restore()}if(A==0)continue;let P=_[r.scale],L=d==0?Ze:St,K=d==0?it:pt,re=r._splits,le=P.distr==2?re.map(
Ue=>Tt[Ue]):re,ee=P.distr==2?Tt[re[1]]-Tt[re[0]]:S,B=r.ticks,O=r.border,we=B.show?B.size:0,Te=Re(we*ce),We=Re((r.alignTo==2?r._size-we-r.gap:
r.gap)*ce),he=r._rotate*-ui/180,Ee=H(r._pos*ce),lt=(Te+We)*x,je=Ee+lt;y=d==0?je:0,m=d==1?je:0;let bt=r.font[0],Et=r.align==1?is:r.align==2?pl:
he>0?is:he<0?pl:d==0?"center":u==3?pl:is,Ht=he||d==1?"middle":u==2?"top":ir;no(bt,v,Et,Ht);let ot=r.font[1]*r.lineGap,yt=re.map(Ue=>H(c(Ue,P,
L,K))),Mt=r._values;for(let Ue=0;Ue<Mt.length;Ue++){let rt=Mt[Ue];if(rt!=null){d==0?m=yt[Ue]:y=yt[Ue],rt=""+rt;let xn=rt.indexOf(`
`)==-1?[rt]:rt.split(/\n/gm);for(let Ye=0;Ye<xn.length;Ye++){let Eo=xn[Ye];he?(g.save(),g.translate(m,y+Ye*ot),g.rotate(he),g.fillText(Eo,0,
0),g.restore()):g.fillText(Eo,m,y+Ye*ot)}}}B.show&&Wi(yt,B.filter(n,le,l,A,ee),d,u,Ee,Te,me(B.width*ce,3),B.stroke(n,l),B.dash,B.cap);let It=r.
grid;It.show&&Wi(yt,It.filter(n,le,l,A,ee),d,d==0?2:1,d==0?pt:it,d==0?St:Ze,me(It.width*ce,3),It.stroke(n,l),It.dash,It.cap),O.show&&Wi([Ee],
[1],d==0?1:0,d==0?1:2,d==1?pt:it,d==1?St:Ze,me(O.width*ce,3),O.stroke(n,l),O.dash,O.cap)}Ie("drawAxes")}function qn(l){k.forEach((r,u)=>{u>0&&
(r._paths=null,l&&(i==1?(r.min=null,r.max=null):r.facets.forEach(d=>{d.min=null,d.max=null})))})}let Gs=!1,Vi=!1,ws=[];function cc(){Vi=!1;for(let l=0;l<
ws.length;l++)Ie(...ws[l]);ws.length=0}function Kn(){Gs||(zu(ro),Gs=!0)}function uc(l,r=!1){Gs=!0,Vi=r,l(n),ro(),r&&ws.length>0&&queueMicrotask(
cc)}n.batch=uc;function ro(){if(Pi&&(tc(),Pi=!1),Hn&&(Ua(),Hn=!1),zs){if(ve(T,is,ge),ve(T,"top",Le),ve(T,Ps,Y),ve(T,Ds,D),ve(M,is,ge),ve(M,"\
top",Le),ve(M,Ps,Y),ve(M,Ds,D),ve(w,Ps,Kt),ve(w,Ds,hn),b.width=Re(Kt*ce),b.height=Re(hn*ce),I.forEach(({_el:l,_show:r,_size:u,_pos:d,side:m})=>{
if(l!=null)if(r){let y=m===3||m===0?u:0,v=m%2==1;ve(l,v?"left":"top",d-y),ve(l,v?"width":"height",u),ve(l,v?"top":"left",v?Le:ge),ve(l,v?"he\
ight":"width",v?D:Y),_l(l,An)}else ct(l,An)}),Ws=Gn=Li=Ci=Ni=Fi=Oi=zi=Ri=null,Xe=1,ks(!0),ge!=zn||Le!=pn||Y!=Nt||D!=mn){qn(!1);let l=Y/Nt,r=D/
mn;if(qe&&!gn&&F.left>=0){F.left*=l,F.top*=r,jn&&Bt(jn,Re(F.left),0,Y,D),Un&&Bt(Un,0,Re(F.top),Y,D);for(let u=0;u<gt.length;u++){let d=gt[u];
d!=null&&(Vn[u]*=l,Bn[u]*=r,Bt(d,xt(Vn[u]),xt(Bn[u]),Y,D))}}if(ye.show&&!Hs&&ye.left>=0&&ye.width>0){ye.left*=l,ye.width*=l,ye.top*=r,ye.height*=
r;for(let u in Ui)ve(Qn,u,ye[u])}zn=ge,pn=Le,Nt=Y,mn=D}Ie("setSize"),zs=!1}Kt>0&&hn>0&&(g.clearRect(0,0,b.width,b.height),Ie("drawClear"),U.
forEach(l=>l()),Ie("draw")),ye.show&&Hs&&(qs(ye),Hs=!1),qe&&gn&&(vn(null,!0,!1),gn=!1),X.show&&X.live&&mt&&(Ki(),mt=!1),p||(p=!0,n.status=1,
Ie("ready")),ys=!1,Gs=!1}n.redraw=(l,r)=>{Hn=r||!1,l!==!1?sn($,E.min,E.max):Kn()};function Bi(l,r){let u=_[l];if(u.from==null){if(Ve==0){let d=u.
range(n,r.min,r.max,l);r.min=d[0],r.max=d[1]}if(r.min>r.max){let d=r.min;r.min=r.max,r.max=d}if(Ve>1&&r.min!=null&&r.max!=null&&r.max-r.min<
1e-16)return;l==$&&u.distr==2&&Ve>0&&(r.min=Lt(r.min,t[0]),r.max=Lt(r.max,t[0]),r.min==r.max&&r.max++),W[l]=r,Pi=!0,Kn()}}n.setScale=Bi;let Gi,
qi,jn,Un,ao,co,Yn,Jn,uo,fo,be,_e,nn=!1,Be=F.drag,ze=Be.x,He=Be.y;qe&&(F.x&&(Gi=vt(au,M)),F.y&&(qi=vt(cu,M)),E.ori==0?(jn=Gi,Un=qi):(jn=qi,Un=
Gi),be=F.left,_e=F.top);let ye=n.select=Pe({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),Qn=ye.show?vt(ru,ye.over?M:T):null;function qs(l,r){
if(ye.show){for(let u in l)ye[u]=l[u],u in Ui&&ve(Qn,u,l[u]);r!==!1&&Ie("setSelect")}}n.setSelect=qs;function dc(l){if(k[l].show)$e&&_l(Se[l],
An);else if($e&&ct(Se[l],An),qe){let u=Wn?gt[0]:gt[l];u!=null&&Bt(u,-10,-10,Y,D)}}function sn(l,r,u){Bi(l,{min:r,max:u})}function Ot(l,r,u,d){
r.focus!=null&&gc(l),r.show!=null&&k.forEach((m,y)=>{y>0&&(l==y||l==null)&&(m.show=r.show,dc(y),i==2?(sn(m.facets[0].scale,null,null),sn(m.facets[1].
scale,null,null)):sn(m.scale,null,null),Kn())}),u!==!1&&Ie("setSeries",l,r),d&&_s("setSeries",n,l,r)}n.setSeries=Ot;function fc(l,r){Pe(G[l],
r)}function hc(l,r){l.fill=ne(l.fill||null),l.dir=oe(l.dir,-1),r=r??G.length,G.splice(r,0,l)}function pc(l){l==null?G.length=0:G.splice(l,1)}
n.addBand=hc,n.setBand=fc,n.delBand=pc;function mc(l,r){k[l].alpha=r,qe&&gt[l]!=null&&(gt[l].style.opacity=r),$e&&Se[l]&&(Se[l].style.opacity=
r)}let jt,ln,wn,Zn={focus:!0};function gc(l){if(l!=wn){let r=l==null,u=Ft.alpha!=1;k.forEach((d,m)=>{if(i==1||m>0){let y=r||m==0||m==l;d._focus=
r?null:y,u&&mc(m,y?1:Ft.alpha)}}),wn=l,u&&Kn()}}$e&&In&&Ke(ar,ue,l=>{F._lock||(bn(l),wn!=null&&Ot(null,Zn,!0,Ae.setSeries))});function zt(l,r,u){
let d=_[r];u&&(l=l/ce-(d.ori==1?Le:ge));let m=Y;d.ori==1&&(m=D,l=m-l),d.dir==-1&&(l=m-l);let y=d._min,v=d._max,x=l/m,S=y+(v-y)*x,A=d.distr;return A==
3?rs(10,S):A==4?Eu(S,d.asinh):A==100?d.bwd(S):S}function bc(l,r){let u=zt(l,$,r);return Lt(u,t[0],Fe,Oe)}n.valToIdx=l=>Lt(l,t[0]),n.posToIdx=
bc,n.posToVal=zt,n.valToPos=(l,r,u)=>_[r].ori==0?o(l,_[r],u?Ze:Y,u?it:0):a(l,_[r],u?St:D,u?pt:0),n.setCursor=(l,r,u)=>{be=l.left,_e=l.top,vn(
null,r,u)};function ho(l,r){ve(Qn,is,ye.left=l),ve(Qn,Ps,ye.width=r)}function po(l,r){ve(Qn,"top",ye.top=l),ve(Qn,Ds,ye.height=r)}let vs=E.ori==
0?ho:po,xs=E.ori==1?ho:po;function yc(){if($e&&X.live)for(let l=i==2?1:0;l<k.length;l++){if(l==0&&ht)continue;let r=X.values[l],u=0;for(let d in r)
Ct[l][u++].firstChild.nodeValue=r[d]}}function Ki(l,r){if(l!=null&&(l.idxs?l.idxs.forEach((u,d)=>{fe[d]=u}):Du(l.idx)||fe.fill(l.idx),X.idx=
fe[0]),$e&&X.live){for(let u=0;u<k.length;u++)(u>0||i==1&&!ht)&&wc(u,fe[u]);yc()}mt=!1,r!==!1&&Ie("setLegend")}n.setLegend=Ki;function wc(l,r){
let u=k[l],d=l==0&&Q==2?Tt:t[l],m;ht?m=u.values(n,l,r)??en:(m=u.value(n,r==null?null:d[r],l,r),m=m==null?en:{_:m}),X.values[l]=m}function vn(l,r,u){
uo=be,fo=_e,[be,_e]=F.move(n,be,_e),F.left=be,F.top=_e,qe&&(jn&&Bt(jn,Re(be),0,Y,D),Un&&Bt(Un,0,Re(_e),Y,D));let d,m=Fe>Oe;jt=pe,ln=null;let y=E.
ori==0?Y:D,v=E.ori==1?Y:D;if(be<0||Ve==0||m){d=F.idx=null;for(let x=0;x<k.length;x++){let S=gt[x];S!=null&&Bt(S,-10,-10,Y,D)}In&&Ot(null,Zn,
!0,l==null&&Ae.setSeries),X.live&&(fe.fill(d),mt=!0)}else{let x,S,A;i==1&&(x=E.ori==0?be:_e,S=zt(x,$),d=F.idx=Lt(S,t[0],Fe,Oe),A=N(t[0][d],E,
y,0));let P=-10,L=-10,K=0,re=0,le=!0,ee="",B="";for(let O=i==2?1:0;O<k.length;O++){let we=k[O],Te=fe[O],We=Te==null?null:i==1?t[O][Te]:t[O][1][Te],
he=F.dataIdx(n,O,d,S),Ee=he==null?null:i==1?t[O][he]:t[O][1][he];if(mt=mt||Ee!=We||he!=Te,fe[O]=he,O>0&&we.show){let lt=he==null?-10:he==d?A:
N(i==1?t[0][he]:t[O][0][he],E,y,0),je=Ee==null?-10:q(Ee,i==1?_[we.scale]:_[we.facets[1].scale],v,0);if(In&&Ee!=null){let bt=E.ori==1?be:_e,Et=Ce(
Ft.dist(n,O,he,je,bt));if(Et<jt){let Ht=Ft.bias;if(Ht!=0){let ot=zt(bt,we.scale),yt=Ee>=0?1:-1,Mt=ot>=0?1:-1;Mt==yt&&(Mt==1?Ht==1?Ee>=ot:Ee<=
ot:Ht==1?Ee<=ot:Ee>=ot)&&(jt=Et,ln=O)}else jt=Et,ln=O}}if(mt||Wn){let bt,Et;E.ori==0?(bt=lt,Et=je):(bt=je,Et=lt);let Ht,ot,yt,Mt,It,Ue,rt=!0,
xn=Ge.bbox;if(xn!=null){rt=!1;let Ye=xn(n,O);yt=Ye.left,Mt=Ye.top,Ht=Ye.width,ot=Ye.height}else yt=bt,Mt=Et,Ht=ot=Ge.size(n,O);if(Ue=Ge.fill(
n,O),It=Ge.stroke(n,O),Wn)O==ln&&jt<=Ft.prox&&(P=yt,L=Mt,K=Ht,re=ot,le=rt,ee=Ue,B=It);else{let Ye=gt[O];Ye!=null&&(Vn[O]=yt,Bn[O]=Mt,mr(Ye,Ht,
ot,rt),hr(Ye,Ue,It),Bt(Ye,xt(yt),xt(Mt),Y,D))}}}}if(Wn){let O=Ft.prox,we=wn==null?jt<=O:jt>O||ln!=wn;if(mt||we){let Te=gt[0];Te!=null&&(Vn[0]=
P,Bn[0]=L,mr(Te,K,re,le),hr(Te,ee,B),Bt(Te,xt(P),xt(L),Y,D))}}}if(ye.show&&nn)if(l!=null){let[x,S]=Ae.scales,[A,P]=Ae.match,[L,K]=l.cursor.sync.
scales,re=l.cursor.drag;if(ze=re._x,He=re._y,ze||He){let{left:le,top:ee,width:B,height:O}=l.select,we=l.scales[L].ori,Te=l.posToVal,We,he,Ee,
lt,je,bt=x!=null&&A(x,L),Et=S!=null&&P(S,K);bt&&ze?(we==0?(We=le,he=B):(We=ee,he=O),Ee=_[x],lt=N(Te(We,L),Ee,y,0),je=N(Te(We+he,L),Ee,y,0),vs(
Rt(lt,je),Ce(je-lt))):vs(0,y),Et&&He?(we==1?(We=le,he=B):(We=ee,he=O),Ee=_[S],lt=q(Te(We,K),Ee,v,0),je=q(Te(We+he,K),Ee,v,0),xs(Rt(lt,je),Ce(
je-lt))):xs(0,v)}else Yi()}else{let x=Ce(uo-ao),S=Ce(fo-co);if(E.ori==1){let K=x;x=S,S=K}ze=Be.x&&x>=Be.dist,He=Be.y&&S>=Be.dist;let A=Be.uni;
A!=null?ze&&He&&(ze=x>=A,He=S>=A,!ze&&!He&&(S>x?He=!0:ze=!0)):Be.x&&Be.y&&(ze||He)&&(ze=He=!0);let P,L;ze&&(E.ori==0?(P=Yn,L=be):(P=Jn,L=_e),
vs(Rt(P,L),Ce(L-P)),He||xs(0,v)),He&&(E.ori==1?(P=Yn,L=be):(P=Jn,L=_e),xs(Rt(P,L),Ce(L-P)),ze||vs(0,y)),!ze&&!He&&(vs(0,0),xs(0,0))}if(Be._x=
ze,Be._y=He,l==null){if(u){if(To!=null){let[x,S]=Ae.scales;Ae.values[0]=x!=null?zt(E.ori==0?be:_e,x):null,Ae.values[1]=S!=null?zt(E.ori==1?be:
_e,S):null}_s(ml,n,be,_e,Y,D,d)}if(In){let x=u&&Ae.setSeries,S=Ft.prox;wn==null?jt<=S&&Ot(ln,Zn,!0,x):jt>S?Ot(null,Zn,!0,x):ln!=wn&&Ot(ln,Zn,
!0,x)}}mt&&(X.idx=d,Ki()),r!==!1&&Ie("setCursor")}let on=null;Object.defineProperty(n,"rect",{get(){return on==null&&ks(!1),on}});function ks(l=!1){
l?on=null:(on=M.getBoundingClientRect(),Ie("syncRect",on))}function mo(l,r,u,d,m,y,v){F._lock||nn&&l!=null&&l.movementX==0&&l.movementY==0||
(ji(l,r,u,d,m,y,v,!1,l!=null),l!=null?vn(null,!0,!0):vn(r,!0,!1))}function ji(l,r,u,d,m,y,v,x,S){if(on==null&&ks(!1),bn(l),l!=null)u=l.clientX-
on.left,d=l.clientY-on.top;else{if(u<0||d<0){be=-10,_e=-10;return}let[A,P]=Ae.scales,L=r.cursor.sync,[K,re]=L.values,[le,ee]=L.scales,[B,O]=Ae.
match,we=r.axes[0].side%2==1,Te=E.ori==0?Y:D,We=E.ori==1?Y:D,he=we?y:m,Ee=we?m:y,lt=we?d:u,je=we?u:d;if(le!=null?u=B(A,le)?c(K,_[A],Te,0):-10:
u=Te*(lt/he),ee!=null?d=O(P,ee)?c(re,_[P],We,0):-10:d=We*(je/Ee),E.ori==1){let bt=u;u=d,d=bt}}S&&(r==null||r.cursor.event.type==ml)&&((u<=1||
u>=Y-1)&&(u=En(u,Y)),(d<=1||d>=D-1)&&(d=En(d,D))),x?(ao=u,co=d,[Yn,Jn]=F.move(n,u,d)):(be=u,_e=d)}let Ui={width:0,height:0,left:0,top:0};function Yi(){
qs(Ui,!1)}let go,bo,yo,wo;function vo(l,r,u,d,m,y,v){nn=!0,ze=He=Be._x=Be._y=!1,ji(l,r,u,d,m,y,v,!0,!1),l!=null&&(Ke(gl,xl,xo,!1),_s(or,n,Yn,
Jn,Y,D,null));let{left:x,top:S,width:A,height:P}=ye;go=x,bo=S,yo=A,wo=P}function xo(l,r,u,d,m,y,v){nn=Be._x=Be._y=!1,ji(l,r,u,d,m,y,v,!1,!0);
let{left:x,top:S,width:A,height:P}=ye,L=A>0||P>0,K=go!=x||bo!=S||yo!=A||wo!=P;if(L&&K&&qs(ye),Be.setScale&&L&&K){let re=x,le=A,ee=S,B=P;if(E.
ori==1&&(re=S,le=P,ee=x,B=A),ze&&sn($,zt(re,$),zt(re+le,$)),He)for(let O in _){let we=_[O];O!=$&&we.from==null&&we.min!=pe&&sn(O,zt(ee+B,O),
zt(ee,O))}Yi()}else F.lock&&(F._lock=!F._lock,vn(r,!0,l!=null));l!=null&&(On(gl,xl),_s(gl,n,be,_e,Y,D,null))}function vc(l,r,u,d,m,y,v){if(F.
_lock)return;bn(l);let x=nn;if(nn){let S=!0,A=!0,P=10,L,K;E.ori==0?(L=ze,K=He):(L=He,K=ze),L&&K&&(S=be<=P||be>=Y-P,A=_e<=P||_e>=D-P),L&&S&&(be=
be<Yn?0:Y),K&&A&&(_e=_e<Jn?0:D),vn(null,!0,!0),nn=!1}be=-10,_e=-10,fe.fill(null),vn(null,!0,!0),x&&(nn=x)}function ko(l,r,u,d,m,y,v){F._lock||
(bn(l),$i(),Yi(),l!=null&&_s(cr,n,be,_e,Y,D,null))}function _o(){I.forEach(Kd),Di(n.width,n.height,!0)}Pn(di,os,_o);let Xn={};Xn.mousedown=vo,
Xn.mousemove=mo,Xn.mouseup=xo,Xn.dblclick=ko,Xn.setSeries=(l,r,u,d)=>{let m=Ae.match[2];u=m(n,r,u),u!=-1&&Ot(u,d,!0,!1)},qe&&(Ke(or,M,vo),Ke(
ml,M,mo),Ke(rr,M,l=>{bn(l),ks(!1)}),Ke(ar,M,vc),Ke(cr,M,ko),Pl.add(n),n.syncRect=ks);let Ks=n.hooks=e.hooks||{};function Ie(l,r,u){Vi?ws.push(
[l,r,u]):l in Ks&&Ks[l].forEach(d=>{d.call(null,n,r,u)})}(e.plugins||[]).forEach(l=>{for(let r in l.hooks)Ks[r]=(Ks[r]||[]).concat(l.hooks[r])});
let So=(l,r,u)=>u,Ae=Pe({key:null,setSeries:!1,filters:{pub:vr,sub:vr},scales:[$,k[1]?k[1].scale:null],match:[xr,xr,So],values:[null,null]},
F.sync);Ae.match.length==2&&Ae.match.push(So),F.sync=Ae;let To=Ae.key,Ji=ba(To);function _s(l,r,u,d,m,y,v){Ae.filters.pub(l,r,u,d,m,y,v)&&Ji.
pub(l,r,u,d,m,y,v)}Ji.sub(n);function xc(l,r,u,d,m,y,v){Ae.filters.sub(l,r,u,d,m,y,v)&&Xn[l](null,r,u,d,m,y,v)}n.pub=xc;function kc(){Ji.unsub(
n),Pl.delete(n),fn.clear(),Sl(di,os,_o),h.remove(),ue?.remove(),Ie("destroy")}n.destroy=kc;function Qi(){Ie("init",e,t),eo(t||e.data,!1),W[$]?
Bi($,W[$]):$i(),Hs=ye.show&&(ye.width>0||ye.height>0),gn=mt=!0,Di(e.width,e.height)}return k.forEach(Zl),I.forEach(ec),s?s instanceof HTMLElement?
(s.appendChild(h),Qi()):s(n,Qi):Qi(),n}Ne.assign=Pe;Ne.fmtNum=Fl;Ne.rangeNum=fi;Ne.rangeLog=mi;Ne.rangeAsinh=Cl;Ne.orient=$n;Ne.pxRatio=ce;Ne.
join=Ou;Ne.fmtDate=zl,Ne.tzDate=Uu;Ne.sync=ba;{Ne.addGap=Dd,Ne.clipGaps=yi;let e=Ne.paths={points:_a};e.linear=Ta,e.stepped=Rd,e.bars=Cd,e.spline=
Fd}var Ln=[7,4],ql=[2,3],Pa=190,jd=60,Ud=180,Da=86400,Yd=Array.from({length:50},(e,t)=>2**t),Gt=class{element;#e;#n=f("div",{class:"chart-canva\
s"});#i=[];#s=f("span",{class:"chart-when"});#r;#a;#t=null;#l=[];#c=[];#o=null;#d=0;constructor(t,s=null){this.#e=t;let n=t.lines.map(i=>{let o=f(
"span",{class:"figure"});this.#i.push(o);let a=f("span",{class:`sample sample-${i.colour}${i.dash?` sample-${i.dash[0]===ql[0]?"dot":"dash"}`:
""}`,"aria-hidden":"true"});return f("li",{},a,f("span",{},i.label),o)});this.element=f("figure",{class:"chart card"},f("figcaption",{},f("d\
iv",{},f("h3",{},t.title),f("p",{},t.about)),s),this.#n,f("div",{class:"legend"},f("ul",{},...n),this.#s)),this.#n.setAttribute("role","img"),
this.#u(),this.#r=new ResizeObserver(()=>this.#f()),this.#r.observe(this.#n),this.#a=ni(()=>this.#h())}set(t,s,n=null){this.#l=t,this.#c=s,this.#o=
n,this.#u(),this.#n.dataset.points=String(t.length),this.#t?this.#t.setData(this.#p()):this.#f(),this.#y(null)}#u(){let t=this.#o===null?"th\
e last five minutes":this.#o.seconds>Da?"the last week":"the last day";this.#n.setAttribute("aria-label",`${this.#e.title}: lines over ${t};\
 the newest figures follow`)}leave(){this.#r.disconnect(),this.#a(),this.#t?.destroy(),this.#t=null}#f(){let t=Math.floor(this.#n.clientWidth);
t!==0&&(this.#t?t!==this.#d&&this.#t.setSize({width:t,height:Pa}):this.#g(t),this.#d=t)}#h(){this.#t&&(this.#t.destroy(),this.#t=null,this.#f())}#p(){
let t=[];return this.#e.lines.forEach((s,n)=>{let i=this.#c[n]??[],o=s.fill==="stacked"?t[n-1]:void 0;t.push(o?i.map((a,c)=>a===null?null:a+
(o[c]??0)):i)}),[this.#l,...t]}#g(t){let{lines:s,tick:n,figure:i,least:o,most:a,isBinary:c}=this.#e,p={stroke:at("ink-soft"),font:`12px ${at(
"font")}`,ticks:{show:!1},grid:{stroke:at("rule"),width:1}},h={width:t,height:Pa,legend:{show:!1},cursor:{sync:{key:"forebay"},drag:{x:!1,y:!1}},
scales:{x:{time:!0,range:()=>this.#m()},y:{range:(b,g,w)=>[0,a??Math.max((w??0)*1.1,o??1)]}},axes:[{...p,grid:{show:!1},size:26,space:110,values:(b,g)=>g.
map(w=>this.#w(w))},{...p,size:62,space:36,values:(b,g)=>g.map(w=>(n??i)(w)),...c?{incrs:Yd}:{}}],series:[{},...s.map(b=>this.#b(b))],bands:s.
flatMap((b,g)=>b.fill==="stacked"&&g>0?[{series:[g+1,g]}]:[]),hooks:{setCursor:[b=>this.#y(b.cursor.idx??null)]}};this.#t=new Ne(h,this.#p(),
this.#n)}#b(t){let s=at(t.colour);return{label:t.label,stroke:s,width:2,points:{show:!1},...t.dash?{dash:t.dash}:{},...t.fill?{fill:`${s}40`}:
{}}}#m(){if(this.#o)return[this.#o.end-this.#o.seconds,this.#o.end];let t=this.#l.at(-1)??Date.now()/1e3,s=t-(this.#l[0]??t);return[t-Math.min(
Ss,Math.max(jd,s)),t]}#w(t){let[s,n]=this.#m(),i=Sn(t*1e3);return n-s>Da&&i==="00:00:00"?nl(t*1e3):n-s<Ud?i:i.slice(0,5)}#y(t){let s=t??this.#l.
length-1,n=this.#l[s];this.#i.forEach((o,a)=>Z(o,this.#e.figure(this.#c[a]?.[s]??null)));let i=n===void 0?"":Sn(n*1e3);Z(this.#s,t===null||n===
void 0?"now":this.#o?`${nl(n*1e3)} ${i.slice(0,5)}`:i)}};var Jd={"5m":"5 minutes","1d":"1 day","7d":"1 week"},ki=class{element;#e=new Gt({title:"Hit ratio",about:"Reads answered from the cache, of \
all reads.",lines:[{label:"RAM",colour:"ram",fill:"area"},{label:"Flash",colour:"flash",fill:"stacked",dash:Ln}],figure:Me,tick:t=>`${Math.round(
t*100)}%`,most:1});#n=new Gt({title:"Requests a second",about:"What guests asked for.",lines:[{label:"Reads",colour:"read"},{label:"Writes",
colour:"write",dash:Ln}],figure:nt,tick:tl,least:10});#i;#s=new Gt({title:"Mean latency",about:"Of all reads, and of all writes.",lines:[{label:"\
Reads",colour:"read"},{label:"Writes",colour:"write",dash:Ln}],figure:Dt,least:10});#r=new Gt({title:"Dirty data",about:"What flash has and \
the backing does not, without zeroes.",lines:[{label:"Dirty",colour:"dirty",fill:"area"},{label:"Limit",colour:"limit",dash:Ln}],figure:V,least:64*
1024,isBinary:!0});#a=new Gt({title:"Backing requests saved",about:"What guests asked for, and what reached the backing.",lines:[{label:"Gue\
sts",colour:"read"},{label:"Backing",colour:"limit",dash:Ln,fill:"area"}],figure:nt,tick:tl,least:10});#t=new Gt({title:"Written to flash",about:"\
Bytes a second, headers and second copies included.",lines:[{label:"Flash",colour:"flash",fill:"area"}],figure:Pt,tick:V,least:64*1024,isBinary:!0});#l=f(
"select",{"aria-label":"Latency of",name:"latency-class"},...Js.map(t=>f("option",{value:t},li[t])));#c=f("span",{class:"hint"});#o;#d=f("p",
{class:"hint",role:"status"});#u=[];#f=!1;constructor(t){let s=f("div",{class:"chart-controls"},this.#l,this.#c);this.#l.value="read_miss",this.#l.
addEventListener("change",()=>{this.#f=!0,this.#b()}),this.#i=new Gt({title:"Latency",about:"So many in a hundred were faster.",lines:[{label:"\
Half",colour:"read"},{label:"95 %",colour:"write",dash:Ln},{label:"99 %",colour:"limit",dash:ql}],figure:Dt,least:10},s);let n=Object.keys(il),
i=o=>f("button",{type:"button","data-span":o,onclick:()=>t(o)},Jd[o]);this.#o=f("div",{class:"segmented",role:"group","aria-label":"How far \
back"},...n.map(i)),this.element=f("section",{class:"did","aria-label":"Charts"},f("div",{class:"section-head"},f("h2",{},"What it did"),this.#d,
this.#o),f("div",{class:"charts"},...this.#h().map(o=>o.element))),this.#p("5m",!1)}set(t,s,n){this.#p("5m",!1),this.#u=t,Z(this.#c,s?"over \
5 minutes each":"since attached"),this.#g(t,n,null),this.#b()}setPast(t,s,n){let i={end:s?.end??Date.now()/1e3,seconds:il[t]},o=s?.points??[];
this.#p(t,s===null),this.#g(o,n,i);let a=c=>o.map(c);this.#s.set(o.map(c=>c.at),[a(c=>c.readMicros),a(c=>c.writeMicros)],i)}leave(){for(let t of this.#h())
t.leave()}#h(){return[this.#e,this.#n,this.#i,this.#s,this.#a,this.#r,this.#t]}#p(t,s){for(let n of this.#o.children)n.setAttribute("aria-pr\
essed",String(n.getAttribute("data-span")===t));Z(this.#d,s?"Asking Forebay\u2026":t==="5m"?"":"In steps of five minutes; of dirty data, the\
 most in each."),ae(this.#i.element,t==="5m"),ae(this.#s.element,t!=="5m")}#g(t,s,n){let i=c=>t.map(c),o=t.map(c=>c.at);this.#e.set(o,[i(c=>c.
hitRam),i(c=>c.hitFlash)],n),this.#n.set(o,[i(c=>c.rates?.reads??null),i(c=>c.rates?.writes??null)],n),this.#a.set(o,[i(c=>Tn(c.rates)),i(c=>c.
rates?c.rates.backing_reads+c.rates.backing_writes:null)],n),this.#t.set(o,[i(c=>c.rates?.flash_write_bytes??null)],n);let a=s==="write-back"?
i(c=>c.dirtyLimitBytes):t.map(()=>null);this.#r.set(o,[i(c=>c.dirtyBytes),a],n)}#b(){let t=this.#u.at(-1)?.latency;if(!this.#f&&t&&t[this.#m()].
count===0){let i=Js.find(o=>t[o].count>0);i&&(this.#l.value=i)}let s=this.#m(),n=i=>this.#u.map(o=>o.latency&&o.latency[s].count>0?o.latency[s][i]:
null);this.#i.set(this.#u.map(i=>i.at),[n("p50"),n("p95"),n("p99")])}#m(){return Js.find(t=>t===this.#l.value)??"read_miss"}};function un(){return f("span",{class:"badge"},f("span",{class:"sign","aria-hidden":"true"}),f("span",{}))}function dn(e,t,s){e.className=`ba\
dge badge-${t}`;let[n,i]=e.children;n&&Z(n,dl[t]),i&&Z(i,s)}function ft(e,t){let s=f("div",{class:"tile-value","data-figure":t}),n=f("div",{
class:"tile-remark"});return{element:f("div",{class:"tile"},f("div",{class:"tile-name"},e),s,n),set(o,a=""){Z(s,o),Z(n,a)}}}function _i(){let e=f(
"ul",{class:"findings","aria-live":"polite","aria-label":"Warnings"});return{element:e,set(t){e.hidden=t.length===0,kn(e,t,s=>`${s.tone} ${s.
text.replace(/\d[\d.]*/g,"#")}`,()=>f("li",{},f("span",{class:"sign","aria-hidden":"true"}),f("div",{},f("div",{class:"finding-text"}),f("di\
v",{class:"finding-advice"}))),(s,n)=>{s.className=`finding finding-${n.tone}`,De(s,".sign",dl[n.tone]),De(s,".finding-text",n.text),De(s,".\
finding-advice",n.advice??"")})}}}function De(e,t,s){let n=e.querySelector(t);n&&Z(n,s)}var Rn={width:120,height:28};function $a(e){let t=js(
"svg",{class:"spark",viewBox:`0 0 ${Rn.width} ${Rn.height}`,role:"img",preserveAspectRatio:"none"}),s=js("path",{fill:"none","vector-effect":"\
non-scaling-stroke"});return t.append(js("path",{class:"spark-base",d:`M0 ${Rn.height-1}H${Rn.width}`,fill:"none"}),s),{element:t,set(n,i){s.
setAttribute("d",Qd(n,i));let o=n.filter(a=>a!==null).at(-1);t.setAttribute("aria-label",o===void 0?`${e}: no reads in the last five minutes`:
`${e} over the last five minutes, ${Me(o)} lately`)}}}function Qd(e,t){let s=Rn.width/Math.max(1,t-1),n=Rn.width-(e.length-1)*s,i="M",o="";return e.
forEach((a,c)=>{if(a===null){i="M";return}o+=`${i}${(n+c*s).toFixed(1)} ${((1-a)*(Rn.height-4)+2).toFixed(1)}`,i="L"}),o}function Si(e){let t=e.
map(([n,i])=>({key:n,name:i,cell:f("dd",{"data-figure":n})}));return{element:f("dl",{class:"facts"},...t.map(({name:n,cell:i})=>f("div",{},f(
"dt",{},n),i))),set(n){for(let{key:i,cell:o}of t)Z(o,n[i]??""),o.parentElement&&(o.parentElement.hidden=n[i]===void 0)}}}var La=4;function Kl(e){return Math.log2(e)}function jl(e){let t=o=>o?`${V(o.cache_bytes)}: ${Me(o.hit_ratio)}`:"\u2013",s=e.points.findIndex(
o=>o.cache_bytes===e.present.cache_bytes),n=o=>s<0?null:e.points[s+o],i=e.wanted.find(o=>o.hit_ratio===.9)?.cache_bytes;return{present:t(e.present),
half:t(n(-La)),double:t(n(La)),held:t(e.held),knee:t(e.knee),largest:t(e.largest),wanted:i==null?"no size has it":V(i),working_set:V(e.working_set_bytes)}}var Ra=230,Zd=1e4,Xd=[["present","Present size"],["half","Half of it"],["double","Twice as much"],["held","Held now"],["knee","More gains le\
ss above"],["largest","More gains nothing above"],["wanted","For 90 % hits"],["working_set","Used in 48 active hours"]],Ti=class{element;#e=f(
"div",{class:"curve-canvas",role:"img"});#n=f("p",{class:"hint",role:"status"});#i=f("span",{class:"chart-when"});#s=Si(Xd);#r=new ResizeObserver(
()=>this.#u());#a;#t=null;#l=null;#c=0;#o="";constructor(){this.element=f("section",{class:"card curve","aria-label":"Curve"},f("div",{class:"\
section-head"},f("h2",{},"With a cache of another size"),this.#i),f("p",{class:"hint"},"The share of reads that flash and RAM of this size w\
ould answer, predicted from samples of what guests lately did."),this.#e,this.#n,this.#s.element),this.element.hidden=!0,this.#r.observe(this.#e),
this.#a=ni(()=>this.#d())}set(t){if(this.#t=t!==null&&t.reads>0?t:null,ae(this.element,this.#t!==null),!this.#t)return;this.#s.set(jl(this.#t)),
Z(this.#n,this.#t.reads<Zd?`Read ${tt(this.#t.reads)} times only: this may be chance.`:""),this.#e.setAttribute("aria-label",`Hit ratio by t\
he size of the cache; at the present size of ${jl(this.#t).present}`);let s=JSON.stringify([this.#t.points,this.#t.present,this.#t.held]);s!==
this.#o&&(this.#o=s,this.#e.dataset.points=String(this.#t.points.length),this.#d(),this.#u())}leave(){this.#r.disconnect(),this.#a(),this.#l?.
destroy(),this.#l=null}#d(){this.#l?.destroy(),this.#l=null,this.#u()}#u(){let t=Math.floor(this.#e.clientWidth);t===0||!this.#t||(this.#l?t!==
this.#c&&this.#l.setSize({width:t,height:Ra}):this.#f(t,this.#t),this.#c=t)}#f(t,{points:s}){let n={stroke:at("ink-soft"),font:`12px ${at("f\
ont")}`,ticks:{show:!1},grid:{stroke:at("rule"),width:1}},i=at("flash"),o=s.map(c=>Kl(c.cache_bytes)),a={width:t,height:Ra,legend:{show:!1},
cursor:{drag:{x:!1,y:!1}},scales:{x:{time:!1,range:[o[0]??0,o.at(-1)??1]},y:{range:[0,1]}},axes:[{...n,grid:{show:!1},size:26,space:80,incrs:[
1,2,4,8],values:(c,p)=>p.map(h=>V(2**h))},{...n,size:62,space:36,values:(c,p)=>p.map(h=>`${Math.round(h*100)}%`)}],series:[{},{label:"Hit ra\
tio",stroke:i,width:2,points:{show:!1},fill:`${i}40`}],hooks:{draw:[c=>this.#h(c)],setCursor:[c=>this.#p(c.cursor.idx??null)]}};this.#l=new Ne(
a,[o,s.map(c=>c.hit_ratio)],this.#e)}#h(t){if(!this.#t)return;let{ctx:s,bbox:n}=t,i=window.devicePixelRatio||1,o=[[this.#t.held,"held",at("l\
imit"),[4,4]],[this.#t.present,"present",at("ink"),[]]];s.save(),s.font=`${12*i}px ${at("font")}`;for(let[{cache_bytes:a},c,p,h]of o){let b=t.
valToPos(Kl(a),"x",!0);if(a<=0||b<n.left||b>n.left+n.width)continue;s.strokeStyle=s.fillStyle=p,s.lineWidth=1.5*i,s.setLineDash(h.map(w=>w*i)),
s.beginPath(),s.moveTo(b,n.top),s.lineTo(b,n.top+n.height),s.stroke();let g=c==="held";s.textAlign=g?"right":"left",s.fillText(c,b+(g?-5:5)*
i,n.top+12*i)}s.restore()}#p(t){let s=t===null?void 0:this.#t?.points[t];Z(this.#i,s?`${V(s.cache_bytes)}: ${Me(s.hit_ratio)}`:"")}};var ef={size:"Request size",latency:"Latency",seek:"Seek distance",outstanding:"Outstanding requests",interarrival:"Time between requests"},
Ca={...li,read:"Reads",write:"Writes",all:"All"};function tf(e,t){if(e.upto===null)return"more";switch(t){case"bytes":return e.upto%1024===0?
V(e.upto):tt(e.upto);case"microseconds":return Dt(e.upto);default:return e.upto<0?`\u2212${tt(-e.upto)}`:tt(e.upto)}}function nf(e){let t=e.
map(([,c])=>c.length),s=c=>e.some(([,p])=>(p[c]?.count??0)>0),n=[...Array(Math.max(0,...t)).keys()],i=n.filter(s),[o,a]=[i[0],i.at(-1)];return o===
void 0||a===void 0?[0,0]:[Math.max(0,o-1),Math.min(n.length,a+2)]}function sf(e){let t=e.map(([,s])=>s.map(n=>n.upto).join());return t.every(
s=>s===t[0])}var Ei=class{element=f("section",{class:"histograms","aria-label":"Histograms"});#e=f("div",{class:"segmented",role:"group","ar\
ia-label":"What is counted"});#n=f("div",{class:"card histogram-tables"});#i=[];#s="size";#r="";constructor(){this.element.append(f("div",{class:"\
section-head"},f("h2",{},"Histograms"),this.#e),this.#n),this.element.hidden=!0}set(t){if(this.element.hidden=t===null||t.length===0,t===null||
t.length===0)return;this.#i=t,t.some(([n])=>n===this.#s)||(this.#s=t[0]?.[0]??"");let s=t.map(([n])=>n);this.#e.children.length!==s.length&&
this.#e.replaceChildren(...s.map(n=>this.#a(n))),this.#t()}#a(t){return f("button",{type:"button","data-what":t,onclick:()=>{this.#s=t,this.#t()}},
ef[t]??t)}#t(){for(let a of this.#e.children)a.setAttribute("aria-pressed",String(a.getAttribute("data-what")===this.#s));let t=this.#i.find(
([a])=>a===this.#s)?.[1];if(!t)return;let s=JSON.stringify([this.#s,t]);if(s===this.#r)return;this.#r=s;let{unit:n,kinds:i}=t,o=i.length<=2&&
sf(i)?[i]:i.map(a=>[a]);this.#n.replaceChildren(...o.map(a=>lf(n,a)))}};function lf(e,t){let[s,n]=nf(t),i=e==="bytes"||e==="microseconds"?"U\
p to":`Up to, ${e}`;if(s===n)return f("p",{class:"hint"},`${t.map(([p])=>Ca[p]??p).join(", ")}: nothing was counted yet.`);let o=t.map(([,p])=>p.
reduce((h,b)=>h+b.count,0)),a=f("thead",{},f("tr",{},f("th",{scope:"col"},i),...t.map(([p],h)=>f("th",{scope:"col"},`${Ca[p]??p}: ${tt(o[h])}`)))),
c=[...Array(n-s).keys()].map(p=>{let h=s+p,b=t[0]?.[1][h];return f("tr",{},f("th",{scope:"row"},b?tf(b,e):""),...t.map(([,g],w)=>of(g[h]?.count??
0,o[w]??0,w)))});return f("table",{class:"histogram"},a,f("tbody",{},...c))}function of(e,t,s){let n=t>0?e/t:0,i=f("span",{class:`bar bar-${s%
6}`});i.style.width=`${(n*100).toFixed(2)}%`;let o=f("span",{class:"bar-text"});return Z(o,e===0?"":`${tt(e)} (${(n*100).toFixed(1)}%)`),f("\
td",{},f("div",{class:"bar-cell"},f("span",{class:"bar-track"},i),o))}var Mi=class{element;#e=new Map;#n=f("div",{class:"fields"});#i=f("button",{type:"submit",class:"primary"},"Review changes\u2026");#s=f("but\
ton",{type:"reset"},"Undo");#r=f("span",{class:"hint","aria-live":"polite"});#a;#t;constructor(t,s){this.#a=t,this.#t=s;let n=f("form",{"ari\
a-label":"Settings"},this.#n,f("div",{class:"buttons buttons-start"},this.#i,this.#s,this.#r));n.addEventListener("input",()=>this.#o()),n.addEventListener(
"reset",i=>{i.preventDefault();for(let o of this.#e.values())o.input.value=o.now;this.#o()}),n.addEventListener("submit",i=>{i.preventDefault(),
this.#d()}),this.element=f("section",{class:"card","aria-label":"Settings"},f("h2",{},"Settings"),f("p",{class:"hint"},"As forebay disk set \
takes them. They are changed while guests go on."),n)}update(t){let s=fl.filter(i=>i.name in t),n=Object.keys(t).filter(i=>!fl.some(o=>o.name===
i));for(let i of[...s,...n.map(o=>({name:o,about:""}))]){let o=t[i.name]??"",a=this.#e.get(i.name)??this.#l(i,o),c=a.input.value!==a.now;a.now=
o,c||Na(a.input,o)}this.#o()}#l(t,s){let n=Wt(),i=Wt(),o={id:n,name:t.name,"aria-describedby":i},a=t.choices?f("select",o,...t.choices.map(h=>f(
"option",{value:h},h))):f("input",{...o,type:"text",spellcheck:"false",autocomplete:"off",autocapitalize:"off"}),c=f("div",{class:"field"},f(
"label",{for:n},t.name),a,f("p",{class:"hint",id:i},t.about)),p={key:t.name,now:s,input:a,element:c};return Na(a,s),this.#n.append(c),this.#e.
set(t.name,p),p}#c(){let t=[...this.#e.values()].filter(s=>s.input.value.trim()!==s.now);return Object.fromEntries(t.map(s=>[s.key,s.input.value.
trim()]))}#o(){let t=this.#c();for(let n of this.#e.values())n.element.classList.toggle("changed",n.key in t);let s=Object.keys(t).length;this.#i.
disabled=s===0,ae(this.#s,s>0),Z(this.#r,s===0?"":s===1?"1 change, not sent yet":`${s} changes, not sent yet`)}#d(){let t=this.#a(),s=this.#c();
if(!t||Object.keys(s).length===0)return;let n=Object.entries(s).map(([i,o])=>f("li",{},f("code",{},i),`: ${this.#e.get(i)?.now??""} \u2192 ${o}`));
Us({title:`Change ${t.name}?`,sentences:er(t,s),confirm:"Change",fields:f("ul",{class:"changes"},...n),run:async()=>{await wt("PATCH",et(t.name),
{settings:s});for(let[i,o]of Object.entries(s)){let a=this.#e.get(i);a&&(a.now=o)}return this.#t(),`${t.name} now has ${Object.entries(s).map(
([i,o])=>`${i}=${o}`).join(" ")}`}})}};function Na(e,t){e instanceof HTMLSelectElement&&![...e.options].some(s=>s.value===t)&&e.append(f("op\
tion",{value:t},t)),e.value!==t&&(e.value=t)}var rf=[["backing","Backing"],["size_bytes","Size"],["block_bytes","Block"],["reserve_bytes","Reserved flash"],["limit_bytes","Flash at most"],
["cached_bytes","Cached on flash"],["ram_bytes","Cached in RAM"],["load","From last time"],["mirrored","Dirty data"],["connections","Guests \
connected"],["nbd_socket","NBD socket"],["guest","Taken from"],["page_cache","Page cache"],["errors","Errors"]];function Fa(e,t,s){let n=null,
i=()=>n,o=un(),a=f("span",{class:"mode"}),c=_i(),p={hits:ft("Hit ratio","hit_ratio"),operations:ft("Requests","operations"),bytes:ft("Throug\
hput","bytes"),latency:ft("Read latency, mean","latency"),dirty:ft("Dirty","dirty_bytes"),saved:ft("Backing requests saved","saved")},h=new ki(
s),b=new Ei,g=new Ti,w=new oi,T=Si(rf.map(([_,G])=>[_,G])),M=new Mi(i,t),R=nr(i,t),H=f("div",{class:"stack"},c.element,f("div",{class:"tiles"},
...Object.values(p).map(_=>_.element)),h.element,R.element,w.element,g.element,b.element,f("section",{class:"card","aria-label":"Facts"},f("\
h2",{},"About this disk"),T.element),M.element),C=f("div",{class:"card empty"},f("h3",{},"No such disk"),f("p",{},"Forebay serves no disk of\
 this name. It may have been removed: forebay disk list shows all.")),k=f("p",{class:"loading"},"Asking Forebay\u2026");return{element:f("di\
v",{class:"view"},f("p",{class:"crumb"},f("a",{href:"#/"},"\u2190 Host")),f("div",{class:"title"},f("h1",{},e),o,a),C,k,H),title:e,leave:()=>{
h.leave(),g.leave()},update(_){let G=_.disk;if(n=G==="missing"||G===null?null:G,ae(C,G==="missing"),ae(k,G===null),ae(H,n!==null),ae(o,n!==null),
!n)return;let $=Ts(n);dn(o,ii([Qt(n.state),...$.map(J=>J.tone)]),n.state),Z(a,n.read_only?`${n.mode}, read-only`:n.mode),c.set($),af(p,n,_),
_.span==="5m"?h.set(_.series.get(e)?.points??[],_.windows.has(e),n.mode):h.setPast(_.span,_.past,n.mode),b.set(_.histograms),g.set(_.curve),
w.set(_.advice),T.set(uf(n)),M.update(n.settings),R.update()}}}function af(e,t,s){let n=s.windows.get(t.name)??s.statistics.get(t.name),i=s.
windows.has(t.name)?"last 5 minutes":"since attached",o=s.series.get(t.name)?.last,a=o?.rates??null,c=Tn(a);e.hits.set(Me(n?.hit_ratio),`of \
reads, ${i}`),e.operations.set(c===null?"\u2013":`${nt(c)}/s`,a?`${nt(a.reads)} reads, ${nt(a.writes)} writes`:""),e.bytes.set(a?Pt(a.read_bytes+
a.write_bytes):"\u2013",a?`${Pt(a.read_bytes)} read, ${Pt(a.write_bytes)} written`:""),e.latency.set(Dt(o?.readMicros),o?.writeMicros==null?
"no writes lately":`writes ${Dt(o.writeMicros)}`),e.dirty.set(V(t.dirty_bytes),cf(t)),e.saved.set(Me(n?Zs(n):null),i)}function cf(e){let t=e.
mode==="write-back"?`of at most ${V(e.dirty_limit_bytes)}`:null;if(Vt(e)===0)return t??"the backing is complete";let s=e.statistics.destage_bytes_per_second??
0;return rn(t??`for ${_n(e.dirty_for_seconds)}`,Es(e.dirty_zeroes_bytes),s>0?`${Pt(s)} going home`:null)}function uf(e){let{statistics:t}=e,
s={backing:e.backing,size_bytes:V(e.size_bytes),block_bytes:V(e.block_bytes),reserve_bytes:V(e.reserve_bytes),limit_bytes:V(e.limit_bytes),cached_bytes:V(
t.cached_bytes),ram_bytes:V(t.ram_bytes),load:Xo(e),mirrored:df(e),connections:e.connections===null?"\u2013":String(e.connections),nbd_socket:e.
nbd_socket,errors:ff(e)};return e.guest&&(s.guest=`QEMU at ${e.guest.qmp}, device ${e.guest.device}`),e.page_cache_reason&&(s.page_cache=`us\
ed, because ${e.page_cache_reason}`),s}function df(e){return e.mirrored===null?"\u2013":e.mirrored?"on two devices":"on one device"}function ff(e){
let{checksum_errors:t,flash_errors:s,backing_errors:n,backing_retries:i}=e.statistics;if(t===void 0)return"\u2013";let a=[[t,"checksums"],[s,
"flash"],[n,"backing"],[i,"backing, sent again"]].filter(([c])=>(c??0)>0).map(([c,p])=>`${c} ${p}`);return a.length===0?"none":a.join(", ")}function Ai(e){return`#/disk/${encodeURIComponent(e)}`}var hf={info:"good",warning:"warning",error:"bad"};function Oa(){let e=f("ol",{class:"events","aria-label":"Events, newest first"}),t=f("sel\
ect",{name:"level"},f("option",{value:"info"},"All"),f("option",{value:"warning"},"Warnings and errors"),f("option",{value:"error"},"Errors")),
s=f("p",{class:"empty"},"Nothing happened that an operator must know."),n=f("p",{class:"empty"},"This Forebay keeps no list of events. Its l\
og has them: journalctl --unit forebay"),i=()=>{};t.addEventListener("change",()=>i());let o=f("label",{class:"inline"},"Show ",t),a=f("sect\
ion",{class:"card"},o,e,s,n);return{element:f("div",{class:"view"},f("h1",{},"Events"),a),title:"Events",leave(){},update(c){i=()=>{let p=["\
info","warning","error"],h=p.indexOf(t.value),b=(c.events??[]).filter(g=>p.indexOf(g.level)>=h||!p.includes(g.level)).reverse();ae(n,c.events===
null),ae(o,c.events!==null),ae(s,c.events!==null&&b.length===0),kn(e,b,g=>`${g.id} ${g.time}`,pf,mf)},i()}}}function pf(e){let t=e.disk?f("a",
{href:Ai(e.disk),class:"event-disk"},e.disk):null;return f("li",{class:"event"},f("div",{class:"event-head"},un(),f("time",{datetime:e.time},
Oo(e.time)),t,f("span",{class:"event-kind"})),f("div",{class:"event-message"}),f("div",{class:"finding-advice"}))}function mf(e,t){let s=e.querySelector(
".badge");s&&dn(s,hf[t.level]??"warning",t.level),De(e,".event-kind",t.kind),De(e,".event-message",t.message),De(e,".finding-advice",t.advice??
"")}var gf=Ss*1e3/al,bf=30,za=new WeakMap;function Ha(){let e=_i(),t={hits:ft("Hit ratio","host.hit_ratio"),operations:ft("Requests","host.opera\
tions"),bytes:ft("Throughput","host.bytes"),dirty:ft("Dirty","host.dirty_bytes"),saved:ft("Backing requests saved","host.saved")},s=kf(),n=f(
"tbody",{}),o=f("table",{class:"disks"},f("thead",{},f("tr",{},...["Disk","State","Hit ratio","Requests/s","Read latency, mean","Dirty","Las\
t 5 min"].map(b=>f("th",{scope:"col"},b)))),n),a=xf(),c=f("section",{class:"card","aria-label":"Disks"},f("h2",{},"Disks"),o,a),p=f("div",{class:"\
tiles"},...Object.values(t).map(b=>b.element));return{element:f("div",{class:"view"},f("h1",{},"Host"),e.element,p,c,s.element),title:"Host",
leave(){},update(b){let g=b.disks??[],w=[...b.pool?Yo(b.pool):[],...g.flatMap(Ts)];b.poolProblem&&w.unshift({tone:"bad",text:b.poolProblem,advice:null}),
e.set(w),yf(t,b),ae(p,g.length>0),ae(o,g.length>0),ae(a,g.length===0),kn(n,g,T=>T.name,wf,(T,M)=>vf(T,M,b)),s.update(b)}}}function yf(e,t){let s=[
...t.statistics.values()],n=Bo([...t.series.values()].map(g=>g.last?.rates??null)),i=s.map(g=>t.windows.get(g.name)??g),o=t.windows.size>0?"\
last 5 minutes":"since attached",a=rl(i);e.hits.set(Me(Go(a)),`of reads, ${o}`);let c=Tn(n);e.operations.set(c===null?"\u2013":`${nt(c)}/s`,
n?`${nt(n.reads)} reads, ${nt(n.writes)} writes`:""),e.bytes.set(n?Pt(n.read_bytes+n.write_bytes):"\u2013",n?`${Pt(n.read_bytes)} read, ${Pt(
n.write_bytes)} written`:"");let p=s.reduce((g,w)=>g+(w.dirty_bytes??0),0),h=s.reduce((g,w)=>g+(w.dirty_zeroes_bytes??0),0),b=s.reduce((g,w)=>g+
(w.mode==="write-back"?w.dirty_limit_bytes??0:0),0);e.dirty.set(V(p),rn(b>0?`of at most ${V(b)}`:"no disk is in write-back",Es(h))),e.saved.
set(Me(Zs(a)),o)}function wf(e){let t=$a(`Hit ratio of ${e.name}`),s=(a,...c)=>f("td",{"data-heading":a},...c),n=a=>f("div",{"data-figure":`${e.
name}.${a}`}),i=a=>f("div",{class:`sub ${a}`}),o=f("tr",{},f("th",{scope:"row"},f("a",{href:Ai(e.name)},e.name),i("backing")),s("State",un(),
i("mode")),s("Hit ratio",n("hit_ratio"),i("split")),s("Requests/s",n("operations"),i("kinds")),s("Read latency, mean",n("latency"),i("writes")),
s("Dirty",n("dirty_bytes"),i("limit")),f("td",{class:"spark-cell"},t.element));return za.set(o,t),o}function vf(e,t,s){let n=s.statistics.get(
t.name),i=s.windows.get(t.name)??n,o=s.series.get(t.name),a=o?.last,c=Ts(t),p=e.querySelector(".badge"),h=ii([Qt(t.state),...c.map(T=>T.tone)]);
p&&dn(p,h,t.state==="serving"&&h!=="good"?"serving, look":t.state);let b=(T,M)=>De(e,`[data-figure$=".${T}"]`,M);De(e,".backing",t.size_bytes===
null?sl(t.backing,34):`${V(t.size_bytes)} at ${sl(t.backing,34)}`),De(e,".mode",t.read_only?`${t.mode}, read-only`:t.mode),b("hit_ratio",Me(
i?.hit_ratio));let g=i?.reads??0;De(e,".split",g>0?`RAM ${Me((i?.read_hits_ram??0)/g)}, flash ${Me((i?.read_hits_flash??0)/g)}`:"no reads ye\
t"),b("operations",nt(Tn(a?.rates??null))),De(e,".kinds",a?.rates?`${nt(a.rates.reads)} r, ${nt(a.rates.writes)} w`:""),b("latency",a?.readMicros==
null?"\u2013":Dt(a.readMicros)),De(e,".writes",a?.writeMicros==null?"":`writes ${Dt(a.writeMicros)}`),b("dirty_bytes",V(t.dirty_bytes)),De(e,
".limit",rn(t.mode==="write-back"&&t.dirty_limit_bytes?`of ${V(t.dirty_limit_bytes)}`:null,Es(t.dirty_zeroes_bytes)));let w=(o?.points??[]).
map(T=>T.hitRam===null||T.hitFlash===null?null:T.hitRam+T.hitFlash);za.get(e)?.set(w,Math.max(bf,Math.min(gf,w.length)))}function xf(){return f(
"div",{class:"empty"},f("h3",{},"No disks yet"),f("p",{},"Nothing is cached until Forebay serves a disk. On the host, this adds one; nothing\
 in the file changes:"),f("pre",{},f("code",{},"forebay disk add web1 --backing /srv/images/web1.raw")),f("p",{},"A running QEMU guest's dis\
k is moved behind Forebay without a reboot:"),f("pre",{},f("code",{},"forebay vm attach --qmp /run/web.qmp --device vda")),f("p",{class:"hin\
t"},"It appears here by itself."))}function kf(){let e=un(),t=f("span",{class:"meter-used"}),s=f("div",{class:"meter",role:"img"},t),n=f("p",
{class:"meter-words","data-figure":"pool.used"}),i=f("p",{class:"meter-words","data-figure":"host.ram"}),o=f("tbody",{}),c=f("table",{class:"\
devices"},f("thead",{},f("tr",{},...["Device","State","Size","Free","Wear","Remarks"].map(h=>f("th",{scope:"col"},h)))),o),p=f("section",{class:"\
card","aria-label":"Pool"},f("div",{class:"section-head"},f("h2",{},"Flash and RAM"),e),s,n,i,c);return{element:p,update({pool:h,statistics:b}){
if(ae(p,h!==null),!h)return;dn(e,Qt(h.state),h.state);let g=(h.segments-h.segments_free)*h.segment_bytes,w=h.segments_free*h.segment_bytes;t.
style.width=`${h.segments>0?(100*(h.segments-h.segments_free)/h.segments).toFixed(2):0}%`;let T=`Pool of ${V(h.size_bytes)}: ${V(g)} in use,\
 ${V(w)} free; ${V(h.reserved_bytes)} reserved by disks`;s.setAttribute("aria-label",T),Z(n,T);let M=[...b.values()],R=M.reduce((C,k)=>C+(k.
ram_bytes??0),0),H=M.reduce((C,k)=>C+(k.index_bytes??0),0);Z(i,`RAM: ${V(R)} of content in front of the flash, ${V(H)} for the index of what\
 is on it`),kn(o,h.devices,C=>String(C.number),_f,(C,k)=>Sf(C,k,h))}}}function _f(){let e=(t,s,n="")=>f("td",{"data-heading":t,class:n},s);return f(
"tr",{},f("th",{scope:"row",class:"path"}),e("State",un()),e("Size",null,"size"),e("Free",null,"free"),e("Wear",null,"wear"),e("Remarks",null,
"remarks"))}function Sf(e,t,s){De(e,".path",t.path??`device ${t.number}`);let n=e.querySelector(".badge");n&&dn(n,Qt(t.state),t.state),De(e,
".size",V(t.size_bytes)),De(e,".free",`${V(t.segments_free*s.segment_bytes)}`);let i=[Jo(t.wear),Qo(t.budget)].filter(a=>a!=="");De(e,".wear",
i.join("; ")||"\u2013");let o=[t.discards?"discards":null,t.page_cache_reason?`page cache: ${t.page_cache_reason}`:null];De(e,".remarks",o.filter(
a=>a!==null).join("; ")||`${tt(t.segments)} segments`)}var ps=f("main",{id:"main",tabindex:-1}),Ns=f("p",{class:"loading"},"Asking Forebay\u2026"),Ia=f("span"),Wa=f("button",{type:"button",onclick:el},
"Sign in\u2026"),Va=f("div",{class:"banner",role:"alert",hidden:!0},Ia," ",Wa),Ul=f("span",{class:"pulse"}),Fs={host:f("a",{href:"#/"},"Host"),
events:f("a",{href:"#/events"},"Events")},Ba=f("button",{type:"button",class:"quiet",onclick:Pf}),Ga=f("button",{type:"button",class:"quiet",
onclick:el}),ms=new Xs(Ka),Cn=null;function Tf(){let e=f("a",{class:"skip",href:"#main"},"To the content");e.addEventListener("click",n=>{n.
preventDefault(),ps.focus()});let t=f("a",{href:"#/",class:"brand"},f("img",{src:"/assets/icon.svg",alt:"",width:24,height:24}),"Forebay"),s=f(
"header",{},t,f("nav",{"aria-label":"Views"},Fs.host,Fs.events),f("div",{class:"header-end"},Ul,Ba,Ga));document.body.append(e,s,Va,ps,Ro()),
ps.append(Ns)}function qa(){let e=window.location.hash.replace(/^#/,"")||"/",t=/^\/disk\/([^/]+)$/.exec(e)?.[1],s=t===void 0?null:Ef(t);Cn?.
leave(),Cn=s!==null?Fa(s,()=>{ms.look()},n=>ms.show(n)):e==="/events"?Oa():Ha(),document.title=`${Cn.title} \u2013 Forebay`,Fs.host.setAttribute(
"aria-current",e==="/"?"page":"false"),Fs.events.setAttribute("aria-current",e==="/events"?"page":"false"),ps.replaceChildren(Cn.element),window.
scrollTo(0,0),ms.watch(s),Ka()}function Ef(e){try{return decodeURIComponent(e)}catch{return e}}function Ka(){let{known:e}=ms;if(Mf(e),!Cn)return;
let t=e.disks!==null;ae(Cn.element,t),ae(Fs.events,!t||e.events!==null),t?(Cn.update(e),Ns.remove()):Ns.isConnected||ps.append(Ns)}function Mf({
away:e,answeredAt:t}){ps.classList.toggle("stale",e!==null),ae(Va,e!==null),Z(Ia,e?Af(e,t):""),ae(Wa,e?.status===401),Z(Ns,e?"Waiting for Fo\
rebay\u2026":"Asking Forebay\u2026"),Ul.classList.toggle("pulse-away",e!==null),Z(Ul,e?"No answer":t===null?"Connecting":"Live")}function Af({
status:e,reason:t,since:s},n){let i=n===null?"":` What is shown is from ${Sn(n)}.`;return e===401?`Seen from here, this host shows its figur\
es to those only who have its token.${i}`:e>0?`${t}.${i}`:`${t} since ${Sn(s)}.${i} On the host, systemctl status forebay says whether it ru\
ns. This page goes on by itself.`}function Pf(){jo(),Yl()}function Yl(){Z(Ba,{auto:"Theme: system",light:"Theme: light",dark:"Theme: dark"}[ti()]),
Z(Ga,Ut.get()===null?"Sign in":"Signed in")}Uo();Tf();Yl();document.addEventListener("forebay-token",()=>{Yl(),ms.look()});window.addEventListener(
"hashchange",qa);qa();ms.look();})();
