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
"use strict";(()=>{var Qi="forebay-token";var Pt=class extends Error{constructor(s,n){super(n);this.status=s}status;get wantsToken(){return this.status===401}},Ut={get(){return sessionStorage.
getItem(Qi)},set(e){sessionStorage.setItem(Qi,e.trim())},clear(){sessionStorage.removeItem(Qi)}};async function Yt(e,t){return(await Ao(e,{method:"\
GET"},8e3))[t]}async function Eo(e,t){return Mo(e,t,s=>s.status===404)}async function _s(e,t){return Mo(e,t,s=>s.status!==0&&!s.wantsToken)}
async function Mo(e,t,s){try{return await Yt(e,t)}catch(n){if(n instanceof Pt&&s(n))return null;throw n}}async function wt(e,t,s){let n={method:e,
headers:{"content-type":"application/json"},body:JSON.stringify(s??null)};return Ao(t,n,12e4)}function rt(e){return`/v1/disks/${encodeURIComponent(
e)}`}function Po(e,t){return`/v1/history/${encodeURIComponent(e)}?span=${t}`}async function Ao(e,t,s){let n=AbortSignal.timeout(s),i=new Headers(
t.headers),o=Ut.get();o&&i.set("authorization",`Bearer ${o}`);let a;try{a=await fetch(e,{...t,headers:i,signal:n,cache:"no-store",credentials:"\
omit",redirect:"error"})}catch{throw new Pt(0,"Forebay does not answer")}let c=await a.json().catch(()=>null);if(!a.ok){let h=typeof c?.detail==
"string"?c.detail:`Forebay answered with status ${a.status}`;throw new Pt(a.status,h)}if(c===null)throw new Pt(0,"Forebay's answer was cut s\
hort");return c}function p(e,t={},...s){let n=document.createElement(e);for(let[i,o]of Object.entries(t))typeof o=="function"?n.addEventListener(i.slice(2),
o):o!=null&&o!==!1&&n.setAttribute(i,o===!0?"":String(o));return n.append(...s.filter(i=>i!=null&&i!==!1)),n}function js(e,t){let s=document.
createElementNS("http://www.w3.org/2000/svg",e);for(let[n,i]of Object.entries(t))s.setAttribute(n,String(i));return s}function X(e,t){e.textContent!==
t&&(e.textContent=t)}function he(e,t){e.hidden===t&&(e.hidden=!t)}function kc(e){let t=new Set;return e.map(s=>{let n=s;for(let i=1;t.has(n);i+=
1)n=`${s} (${i})`;return t.add(n),n})}function kn(e,t,s,n,i){let o=new Map([...e.children].map(f=>[f.getAttribute("data-item")??"",f])),a=kc(
t.map(s)),c=new Set(a);for(let[f,b]of o)c.has(f)||b.remove();let h=e.firstElementChild;t.forEach((f,b)=>{let g=a[b]??"",w=o.get(g)??n(f);o.delete(
g),w.setAttribute("data-item",g),i(w,f),w===h?h=w.nextElementSibling:e.insertBefore(w,h)})}var Do=0;function Wt(){return Do+=1,`e${Do}`}var es=null;function Lo(){return es=p("div",{class:"status",role:"status","aria-live":"polite"}),es}var $o=0,_c=8e3;function Zi(e){es&&(X(es,
e),es.classList.add("status-shown"),window.clearTimeout($o),$o=window.setTimeout(()=>es?.classList.remove("status-shown"),_c))}function Ro(e){
e.addEventListener("close",()=>e.remove()),document.body.append(e),e.showModal()}function Us(e){let t=Wt(),s=p("button",{type:"button"},"Can\
cel"),n=p("button",{type:"submit",class:"primary"},e.confirm),i=p("p",{class:"dialog-said","aria-live":"assertive"}),o=Sc(),a=p("form",{},p(
"h2",{id:t},e.title),...e.sentences.map(f=>p("p",{},f)),e.fields??null,o.element,i,p("div",{class:"buttons"},s,n)),c=p("dialog",{"aria-label\
ledby":t},a),h=new AbortController;s.addEventListener("click",()=>c.close()),c.addEventListener("close",()=>h.abort()),a.addEventListener("s\
ubmit",f=>{f.preventDefault(),o.take(),n.disabled=!0,i.className="dialog-said",X(i,"Working\u2026"),e.run(b=>X(i,b),h.signal).then(b=>{Zi(b),
c.close()}).catch(b=>{let g=b instanceof Error?b.message:String(b);if(!c.open)return Zi(g);n.disabled=!1,i.className="dialog-said dialog-fai\
led",X(i,g),b instanceof Pt&&b.wantsToken&&o.ask()})}),Ro(c)}function Sc(){let e=Wt(),t=p("input",{id:e,type:"password",autocomplete:"off",spellcheck:"\
false"}),s=p("div",{class:"field"},p("label",{for:e},"Token for changes"),t,Co());return s.hidden=!0,{element:s,ask(){Ut.clear(),s.hidden=!1,
t.focus(),document.dispatchEvent(new Event("forebay-token"))},take(){s.hidden||t.value.trim()===""||(Ut.set(t.value),document.dispatchEvent(
new Event("forebay-token")))}}}function Co(){return p("p",{class:"hint"},"On the host, as root or the user that runs Forebay: ",p("code",{},
"cat /var/lib/forebay/token")," (or the folder that serve was given with --dir). It is kept until this tab is closed.")}function Xi(){let e=Wt(),
t=Wt(),s=p("input",{id:t,type:"password",autocomplete:"off",spellcheck:"false",required:!0}),n=p("button",{type:"button"},"Forget it"),i=p("\
button",{type:"button"},"Cancel");n.hidden=Ut.get()===null;let o=p("form",{},p("h2",{id:e},"Sign in for changes"),p("p",{},"On the host itse\
lf, everything can be read without it. Changes need the token of the host, and from other hosts reading does too."),p("div",{class:"field"},
p("label",{for:t},"Token"),s,Co()),p("div",{class:"buttons"},n,i,p("button",{type:"submit",class:"primary"},"Keep it"))),a=p("dialog",{"aria\
-labelledby":e},o),c=h=>{document.dispatchEvent(new Event("forebay-token")),Zi(h),a.close()};i.addEventListener("click",()=>a.close()),n.addEventListener(
"click",()=>{Ut.clear(),c("The token is forgotten; on the host itself reading goes on")}),o.addEventListener("submit",h=>{h.preventDefault(),
Ut.set(s.value),c("The token is kept until this tab is closed; the next change shows whether it is right")}),Ro(a)}var Tc=[["TiB",1099511627776],["GiB",1073741824],["MiB",1048576],["KiB",1024],["",1]];function Jt(e){return typeof e=="number"&&Number.isFinite(
e)}function V(e){if(!Jt(e))return"\u2013";let t=Math.round(e),[s,n]=Tc.find(([,i])=>t>=i)??["",1];return t%n===0?`${t/n}${s}`:`${(Math.floor(
(t*10+n/2)/n)/10).toFixed(1)}${s}`}var Ec=[["PB",1e15],["TB",1e12],["GB",1e9],["MB",1e6],["kB",1e3],[" bytes",1]];function Ys(e){if(!Jt(e))return"\
\u2013";let t=Math.round(e),[s,n]=Ec.find(([,i])=>t>=i)??[" bytes",1];return t%n===0?`${t/n}${s}`:`${(t/n).toFixed(1)}${s}`}function At(e){return Jt(
e)?`${V(e)}/s`:"\u2013"}function Me(e){return Jt(e)?`${(e*100).toFixed(1)}%`:"\u2013"}function et(e){return Jt(e)?Math.round(e).toString().replace(
/\B(?=(\d{3})+$)/g,","):"\u2013"}function tt(e){return Jt(e)?e>=10||e===0?et(e):e.toFixed(1):"\u2013"}function el(e){if(!Jt(e))return"";for(let[
t,s]of[["M",1e6],["k",1e3]])if(Math.abs(e)>=s)return`${Number((e/s).toFixed(1))}${t}`;return String(Number(e.toFixed(2)))}function Dt(e){if(!Jt(
e))return"\u2013";for(let[t,s]of[["s",1e6],["ms",1e3]])if(e>=s)return`${No(e/s)} ${t}`;return`${No(e)} us`}function No(e){return e>=100||Number.
isInteger(e)?e.toFixed(0):e>=10?e.toFixed(1):e.toFixed(2)}function _n(e){if(!Jt(e))return"\u2013";let t=Math.round(e),s=[[Math.floor(t/86400),
"d"],[Math.floor(t/3600)%24,"h"],[Math.floor(t/60)%60,"min"],[t%60,"s"]],n=s.findIndex(([o])=>o>0);return n<0?"0 s":s.slice(n,n+2).filter(([
o])=>o>0).map(([o,a])=>`${o} ${a}`).join(" ")}function Sn(e){let t=new Date(e);return[t.getHours(),t.getMinutes(),t.getSeconds()].map(s=>String(
s).padStart(2,"0")).join(":")}function tl(e){let t=new Date(e);return[t.getMonth()+1,t.getDate()].map(s=>String(s).padStart(2,"0")).join("-")}
function Fo(e){let t=new Date(e);return Number.isNaN(t.getTime())?e:`${[t.getFullYear(),t.getMonth()+1,t.getDate()].map(n=>String(n).padStart(
2,"0")).join("-")} ${Sn(t.getTime())}`}function nl(e,t){return e.length<=t?e:`\u2026${e.slice(1-t)}`}function rn(...e){return e.filter(t=>t!==
null).join(", ")}var Js=["read_hit_ram","read_hit_flash","read_miss","write","flush","destage"],ts=["reads","writes","flushes","discards","read_bytes","write\
_bytes","read_hits_ram","read_hits_flash","read_partial_hits","read_misses","reads_bypassed","backing_reads","backing_writes","backing_read_\
bytes","backing_write_bytes","flash_read_bytes","flash_write_bytes","destage_bytes","evictions"];function zo(e){let t=[];for(let[s,n]of Object.
entries(Oo(e))){let{unit:i,...o}=Oo(n);if(typeof i!="string")continue;let a=Object.entries(o).filter(c=>Array.isArray(c[1]));a.length>0&&t.push(
[s,{unit:i,kinds:a}])}return t}function Oo(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)?e:{}}var sl={"5m":300,"1d":86400,"7d":7*86400};function Ho(e,t){let s=t-e.now,n=[],i=null;return e.time.forEach((o,a)=>{let c=o-(e.seconds[a]??0),
h=Mc(e,a,o+s),f=i!==null&&c-i>e.step_seconds;f&&n.push(Pc((i??0)+s)),(f||i===null)&&c<o&&n.push({...h,at:c+s}),n.push(h),i=o}),{span:e.span,
end:t,points:n}}function Mc(e,t,s){let n=e.seconds[t]??0,i=c=>c?.[t]??null,o=i(e.reads)??0,a=c=>o>0&&c!==null?c/o:null;return{at:s,rates:n>0?
Object.fromEntries(ts.map(c=>[c,(i(e[c])??0)/n])):null,hitRam:a(i(e.read_hits_ram)),hitFlash:a(i(e.read_hits_flash)),readMicros:i(e.read_latency_us),
writeMicros:i(e.write_latency_us),dirtyBytes:i(e.span==="5m"?e.dirty_bytes:e.dirty_bytes_max),dirtyLimitBytes:i(e.dirty_limit_bytes),latency:null}}
function Pc(e){return{at:e,rates:null,hitRam:null,hitFlash:null,readMicros:null,writeMicros:null,dirtyBytes:null,dirtyLimitBytes:null,latency:null}}var Ss=300,Ac=10,Dc=1,$c=1e3;function ll(e,t){return ts.every(s=>{let[n,i]=[e[s],t[s]];return n!==void 0&&i!==void 0&&i>=n})}function Io(e,t){
let s=t.at-e.at;if(s<=0||!ll(e.statistics,t.statistics))return null;let n=ts.map(i=>[i,Lc(e,t,i)/s]);return Object.fromEntries(n)}function Lc(e,t,s){
return(t.statistics[s]??0)-(e.statistics[s]??0)}var Rc=["read_hit_ram","read_hit_flash","read_miss"];function Wo(e,t,s){let n=({statistics:a},c)=>s.
reduce((h,f)=>h+(a.latency_us?c(a.latency_us[f]):0),0),i=a=>n(t,a)-n(e,a),o=i(a=>a.count);return o>0?Math.max(0,i(a=>a.count*a.mean))/o:null}
function Zs(e){if(e===null)return null;let t=(e.reads??0)+(e.writes??0);return t>0?1-((e.backing_reads??0)+(e.backing_writes??0))/t:null}function Tn(e){
return e===null?null:e.reads+e.writes}function Vo(e){let t=e.filter(s=>s!==null);return t.length===0?null:ol(t)}function Bo(e){let{reads:t=0,
read_hits_ram:s=0,read_hits_flash:n=0}=e;return t>0?(s+n)/t:null}function ol(e){return Object.fromEntries(ts.map(t=>[t,e.reduce((s,n)=>s+(n[t]??
0),0)]))}var Qs=class{#t=[];#n=[];get points(){return this.#n}get last(){return this.#n.at(-1)}add(t,s,n){let i={at:t,statistics:s};t<(this.#n.
at(-1)?.at??t)&&([this.#t,this.#n]=[[],[]]);let o=this.#t.at(-1);o&&t-o.at<Dc&&ll(o.statistics,s)||(o&&!ll(o.statistics,s)&&(this.#t=[]),this.#n.
push(this.#l(i,n??s)),this.#t.push(i),this.#t=il(this.#t,t),this.#n=il(this.#n,t))}fill(t){let s=this.#n[0],n=t.filter(c=>s===void 0||c.at<s.
at),[i,o]=[t.at(-1),s??t.at(-1)];if(o===void 0||i===void 0)return;let a=s?.rates===null?[{...i,...Cc(s)},...this.#n.slice(1)]:this.#n;this.#n=
il([...n,...a],this.#n.at(-1)?.at??o.at)}#l(t,s){let{at:n,statistics:i}=t,o=this.#t.at(-1),a=this.#t.find(f=>n-f.at<=Ac)??o,c=a?Io(a,t):null,
h=f=>c&&c.reads>0?f/c.reads:null;return{at:n,rates:o?Io(o,t):null,hitRam:c&&h(c.read_hits_ram),hitFlash:c&&h(c.read_hits_flash),readMicros:c&&
a?Wo(a,t,Rc):null,writeMicros:c&&a?Wo(a,t,["write"]):null,dirtyBytes:i.dirty_bytes??null,dirtyLimitBytes:i.dirty_limit_bytes??null,latency:s.
latency_us??null}}};function Vt(e){return(e.dirty_bytes??0)+(e.dirty_zeroes_bytes??0)}function Cc(e){return Object.fromEntries(Object.entries(
e).filter(([,t])=>t!==null))}function il(e,t){return e.filter(s=>t-s.at<=Ss).slice(-$c)}var rl=2e3,Nc=3,Fc=15,Oc=500,Xs=class{known={disks:null,statistics:new Map,windows:new Map,pool:null,poolProblem:null,series:new Map,events:null,
disk:null,histograms:null,curve:null,span:"5m",past:null,answeredAt:null,away:null};#t=null;#n;#l=0;#i=0;#r=0;#a=!1;#e=0;constructor(t){this.#n=
t}watch(t){t!==this.#t&&(this.#t=t,this.known.disk=null,this.known.histograms=null,this.known.curve=null,this.known.span="5m",this.known.past=
null,this.#a=!1,this.#i=0,this.look())}show(t){this.known.span=t,this.known.past=null,this.#r=0,this.look()}async look(){window.clearTimeout(
this.#l);let t=++this.#e;try{await this.#s(t)}catch(s){t===this.#e&&this.#h(s)}t===this.#e&&(this.#n(),this.#l=window.setTimeout(()=>{this.look()},
rl))}async#s(t){let s=this.#t,n=this.known.events?.at(-1)?.id??0,[i,o,a,c,h,f]=await Promise.all([Yt("/v1/disks","disks"),Yt("/v1/stats","di\
sks"),Yt("/v1/stats?window=5m","disks"),this.#c(),_s(`/v1/events?after=${n}`,"events"),s===null?null:Eo(rt(s),"disk")]),b=Date.now(),[g,w]=s!==
null&&f!==null&&this.#i%Nc===0?await Promise.all([_s(`${rt(s)}/histograms`,"histograms"),_s(`${rt(s)}/curve`,"curve")]):[void 0,void 0],T=s!==
null&&f!==null?await this.#d(s):null;t===this.#e&&(this.#i+=1,this.#r+=1,this.#a||=f!==null&&this.known.span==="5m",Object.assign(this.known,
{disks:i,...c,answeredAt:b,away:null}),this.#o(b/1e3,o,a),this.#f(h),s!==null&&(this.known.disk=f??"missing"),T!==null&&this.#u(T,b/1e3),w!==
void 0&&(this.known.curve=w),g!==void 0&&(this.known.histograms=g===null?null:zo(g)))}async#c(){try{return{pool:await Yt("/v1/pool","pool"),
poolProblem:null}}catch(t){if(!(t instanceof Pt)||t.status===0)throw t;return{pool:null,poolProblem:t.message}}}#o(t,s,n){let i=o=>new Map(o.
map(a=>[a.name,a]));this.known.statistics=i(s),this.known.windows=i(n.filter(o=>o.window==="5m"));for(let o of this.known.series.keys())this.
known.statistics.has(o)||this.known.series.delete(o);for(let o of s){let a=this.known.series.get(o.name)??new Qs;this.known.series.set(o.name,
a),a.add(t,o,this.known.windows.get(o.name))}}#d(t){let{span:s}=this.known;return(s==="5m"?!this.#a:this.#r%Fc===0)?_s(Po(t,s),"history"):null}#u(t,s){
let n=Ho(t,s);n.span==="5m"?this.known.series.get(t.name)?.fill(n.points):this.known.past=n}#f(t){t!==null&&(this.known.events=zc(this.known.
events??[],t))}#h(t){let s=t instanceof Error?t.message:String(t),n=t instanceof Pt?t.status:0;this.known.away={since:this.known.away?.since??
Date.now(),reason:s,status:n}}};function zc(e,t){let[s,n]=[e.at(-1),t[0]];return[...s===void 0||n===void 0||n.id>s.id?e:[],...t].slice(-Oc)}var Go="forebay-theme",ei=["auto","light","dark"],qo=window.matchMedia("(prefers-color-scheme: dark)"),al=new Set;function ti(){let e=localStorage.
getItem(Go);return ei.find(t=>t===e)??"auto"}function Ko(){let e=ei[(ei.indexOf(ti())+1)%ei.length]??"auto";localStorage.setItem(Go,e),cl()}
function ni(e){return al.add(e),()=>al.delete(e)}function jo(){qo.addEventListener("change",cl),cl()}function cl(){let e=ti(),t=qo.matches?"\
dark":"light";document.documentElement.dataset.theme=e==="auto"?t:e;for(let s of al)s()}function at(e){return getComputedStyle(document.documentElement).
getPropertyValue(`--${e}`).trim()}var ul={good:"\u2713",busy:"\u2026",warning:"!",bad:"\u2715"},Hc={serving:"good",attaching:"busy",detaching:"busy",removing:"busy",waiting:"\
warning",stopped:"bad",failed:"bad",missing:"bad",used:"good",leaving:"busy"};function Qt(e){return Hc[e]??"warning"}var Ic={waiting:"It is \
served by itself as soon as it can be; put right what the reason names.",stopped:"It answers nothing but errors, so that no guest sees old d\
ata. See what it lost, and the log of the daemon.",failed:"It answers errors. Put right what the reason names, then restart Forebay."},si=["\
good","busy","warning","bad"];function ii(e){return si[Math.max(0,...e.map(t=>si.indexOf(t)))]??"good"}function Ts(e){let t=[],s=(c,h,f=null)=>t.
push({tone:c,text:h,advice:f});if(Qt(e.state)!=="good"){let c=e.reason?`: ${e.reason}`:"";s(Qt(e.state),`Disk ${e.name} is ${e.state}${c}`,Ic[e.
state]??null)}let n=e.lost_bytes??0;n>0&&s("bad",`Flash lost ${V(n)} of ${e.name} before its backing had it`,`forebay disk show ${e.name} --\
lost lists the ranges.`);let i=e.backing_state;if(i&&i.state!=="good"){let c=i.for_seconds===null?"":` for ${_n(i.for_seconds)}`;s("bad",`Th\
e backing of ${e.name} fails${c}${i.reason?`: ${i.reason}`:""}`,"Hits are answered; the rest waits for retry-time.")}e.quiet?.state==="faile\
d"&&s("warning",`${e.name} could not be made quiet: ${e.quiet.reason??"no reason is known"}`,null);let o=e.segments_uncopied??0;e.mirrored===
!0&&o>0&&s("warning",`${et(o)} segments of ${e.name} lack a second copy`,"They are being copied; until then one device has that data alone.");
let a=e.dirty_bytes??0;return e.dirty_limit_bytes&&a>=e.dirty_limit_bytes*.9&&s("warning",`Destage of ${e.name} is behind: ${V(a)} of at mos\
t ${V(e.dirty_limit_bytes)} is dirty`,"Writes are slowed down to what the backing takes."),t.sort((c,h)=>si.indexOf(h.tone)-si.indexOf(c.tone))}
function Uo(e){let t=e.warnings.map(s=>({tone:"warning",text:s,advice:null}));return Qt(e.state)!=="good"&&t.unshift({tone:"bad",text:`The p\
ool is ${e.state}${e.reason?`: ${e.reason}`:""}`,advice:"Disks go on from their backings; what is dirty waits for the pool."}),e.page_cache_reason&&
t.push({tone:"warning",text:`The pool goes through the page cache, because ${e.page_cache_reason}`,advice:null}),t}function Yo(e){if(e===null)
return"";let t=e.used_percent===null?null:`${Me(e.used_percent/100)} of its life used`,s=e.days_left===null?null:`${et(e.days_left)} days le\
ft`,n=e.rated_bytes===null?"":`, rated for ${Ys(e.rated_bytes)}`;return rn(t,s,`${Ys(e.written_bytes)} written${n}`)}function Jo(e){if(e===null)
return"";let t=`${Ys(e.bytes_per_day)} a day`,s=e.used_ratio===null?`at most ${t}`:`${Me(e.used_ratio)} of ${t} written`,n=e.promoted_ratio,
i=n>=1?null:n>0?`${Me(n)} of promotions let in`:"no promotions let in";return rn(s,i)}var li={read_hit_ram:"Read, RAM hit",read_hit_flash:"R\
ead, flash hit",read_miss:"Read, miss",write:"Write",flush:"Flush",destage:"Destage"};function Es(e){return e?`+ ${V(e)} of zeroes`:null}function Qo(e){
switch(e.quiet?.state){case"coming":return`Being made quiet: ${V(Vt(e))} left to bring home`;case"quiet":return`Quiet for another ${_n(e.quiet.
seconds_left)}`;case"failed":return`Could not be made quiet: ${e.quiet.reason??"no reason is known"}`;default:return null}}function Zo(e){let{
load:t}=e;if(!t)return"not known while the disk is not served";if(t.state==="loading")return"being loaded; reads come from the backing meanw\
hile";if(t.state==="cold")return`nothing: ${t.reason??"no reason is known"}`;let s=`${V(t.kept_bytes)} came back`;return t.dropped_bytes>0?`${s}\
, ${V(t.dropped_bytes)} may have changed and is not believed`:s}var dl=[{name:"mode",about:"What happens to reads and writes.",choices:["wri\
te-through","write-back","write-around","pass-through"]},{name:"block-size",about:"Unit of the index. A change drops what is cached of the d\
isk.",choices:[4,8,16,32,64,128,256,512,1024].map(e=>V(e*1024))},{name:"reserve",about:"Flash that the disk gets whatever the others do: aut\
o, a size or a share such as 20%."},{name:"limit",about:"Flash that the disk never exceeds: auto, a size or a share."},{name:"ram",about:"RA\
M in front of the flash, at least 1MiB."},{name:"admission",about:"What may enter flash: adaptive, always or repeated:N."},{name:"sequential\
-cutoff",about:"Misses of a sequential run longer than this go past the cache; 0 is off."},{name:"dirty-limit",about:"Write-back: the most t\
hat flash may hold and the backing does not have."},{name:"destage-rate-min",about:"Write-back: destage never goes slower than so many bytes\
 a second; 0 is none."},{name:"destage-rate-max",about:"Write-back: destage never goes faster than so many bytes a second; 0 is no limit."},
{name:"redundancy",about:"Write-back: whether dirty data is kept on two devices of the pool.",choices:["mirror","none"]},{name:"unmarked",about:"\
Write-back where the backing cannot be marked: nothing then keeps another Forebay from serving it.",choices:["no","yes"]},{name:"retry-time",
about:"How long a request waits for a backing that fails or hangs, such as 25s, or wait."},{name:"socket-owner",about:"User who owns the NBD\
 socket; auto is the daemon's."},{name:"socket-group",about:"Group of the NBD socket; auto is forebay if the host has it."},{name:"socket-mo\
de",about:"Who may connect, as octal digits."}],Wc={"write-through":"Writes go to the backing first, then to the cache; the backing is alway\
s complete.","write-back":"Writes are acknowledged when flash has them, and the backing gets them later. Until then the newest data is on fl\
ash alone.","write-around":"Writes go to the backing only; what they replace in the cache is dropped.","pass-through":"Every request goes to\
 the backing. Guests have no cache until the mode is changed back."};function Xo(e,t){return[...Object.entries(t).map(([n,i])=>Vc(e,n,i)).flat(),
"Guests stay connected and go on meanwhile."]}function Vc(e,t,s){let n=V(e.statistics.cached_bytes);switch(t){case"mode":return[Wc[s]??`The \
mode becomes ${s}.`,...Bc(e,s)];case"block-size":return[`What is cached of the disk on flash (${n}) is dropped; it is read from the backing \
again.`];case"limit":return[`Flash that the disk holds above the new limit is evicted; it holds ${V(e.statistics.flash_bytes)} now.`];case"u\
nmarked":return s==="yes"?["Nothing keeps another Forebay from serving this backing while flash has newer data. See to that yourself."]:[];case"\
redundancy":return[s==="none"?"Dirty data is kept on one device only: if it fails, that data is lost.":"Dirty data is kept on two devices, i\
f the pool has them."];case"socket-owner":case"socket-group":case"socket-mode":return["Who may connect to the disk changes at once."];default:
return[]}}function Bc(e,t){return e.mode!=="write-back"||t==="write-back"||Vt(e)===0?[]:[`${V(Vt(e))} is dirty; it is written to the backing\
 while guests go on.`]}function ns(e,t){let s=Vt(t),n=s>0?`${V(s)} is dirty: flash has it and the backing does not.`:"Nothing is dirty: the \
backing has everything.";switch(e){case"destage":return[n,"Dirty data is written to the backing at full speed. Guests go on and may notice a\
 busier backing."];case"normal":return[n,"Destage goes on at the pace that suits guests."];case"quiesce":return[n,"It is brought home first.\
 After that, writes wait for the backing, so that a backup or snapshot of the backing is complete.","This ends by itself after the time belo\
w, or when it is resumed."];case"resume":return["Writes may lie on flash alone again, as the mode says."];case"evict":return[`${V(t.statistics.
cached_bytes)} cached on flash and ${V(t.statistics.ram_bytes)} in RAM are dropped, and no restart brings them back.`,s>0?`${V(s)} is dirty \
and is brought home first.`:"Nothing is dirty; nothing is lost.","Guests go on from the backing, slower, until the cache is warm again."]}}var Gc=60,qc=600,Kc=300;function tr(e,t){let s=jc.map(i=>{let o=()=>{let a=e();a&&Us(Jc(i.work(a),t))};return[i,p("button",{type:"button","d\
ata-action":i.name,onclick:o},i.label)]}),n=p("p",{class:"hint","data-figure":"quiet"});return{element:p("section",{class:"card","aria-label":"\
Actions"},p("h2",{},"Actions"),p("div",{class:"buttons buttons-start"},...s.map(([,i])=>i)),n),update(){let i=e();for(let[a,c]of s)c.disabled=
i===null||!a.isPossible(i);let o=i&&!Ms(i)?`Nothing can be done while the disk is ${i.state}.`:i?Qo(i):null;X(n,o??""),he(n,o!==null)}}}var Ms=e=>e.
state==="serving",fl=e=>e.quiet?.state==="coming"||e.quiet?.state==="quiet",jc=[{name:"destage",label:"Destage now\u2026",isPossible:Ms,work:e=>({
title:`Destage ${e.name} at full speed?`,sentences:ns("destage",e),confirm:"Destage now",run:async()=>(await wt("POST",`${rt(e.name)}/destag\
e`),`What is dirty of ${e.name} is on its way to the backing`)})},{name:"normal",label:"Destage at normal pace\u2026",isPossible:Ms,work:e=>({
title:`Let ${e.name} destage at its own pace?`,sentences:ns("normal",e),confirm:"Normal pace",run:async()=>(await wt("DELETE",`${rt(e.name)}\
/destage`),`${e.name} is destaged as it suits guests`)})},{name:"quiesce",label:"Quiesce\u2026",isPossible:e=>Ms(e)&&!fl(e),work:Uc},{name:"\
resume",label:"Resume\u2026",isPossible:fl,work:e=>({title:`Let ${e.name} go on as before?`,sentences:ns("resume",e),confirm:"Resume",run:async()=>(await wt(
"POST",`${rt(e.name)}/resume`),`${e.name} goes on as before`)})},{name:"evict",label:"Evict\u2026",isPossible:Ms,work:e=>({title:`Drop what \
is cached of ${e.name}?`,sentences:ns("evict",e),confirm:"Evict",run:(t,s)=>Yc(e.name,t,s)})}];function Uc(e){let t=Wt(),s=p("input",{id:t,type:"\
number",min:1,max:86400,value:qc,required:!0});return{title:`Hold ${e.name} without dirty data?`,sentences:ns("quiesce",e),confirm:"Quiesce",
fields:p("div",{class:"field"},p("label",{for:t},"For so many seconds"),s),run:async()=>{let n=Number(s.value);return await wt("POST",`${rt(
e.name)}/quiesce`,{seconds:n}),`${e.name} is being made quiet, then held so for ${_n(n)}`}}}async function Yc(e,t,s){let n=rt(e),i=await Yt(
n,"disk");if(fl(i))await er(e,t,s),await wt("POST",`${n}/evict`);else if(Vt(i)>0){let a=(await wt("POST",`${n}/quiesce`,{seconds:Gc})).disk.
quiet?.number;try{await er(e,t,s),await wt("POST",`${n}/evict`)}finally{await wt("POST",`${n}/resume`,{number:a})}}else await wt("POST",`${n}\
/evict`);return`Nothing is cached of ${e} any more, and no restart brings it back`}async function er(e,t,s){for(;;){if(s.aborted)throw new Error(
"Stopped; the disk is served as before");let n=await Yt(rt(e),"disk"),i=n.quiet?.state;if(i==="quiet")return;if(i!=="coming")throw new Error(
`Cannot bring home what is dirty: ${n.quiet?.reason??n.reason??"somebody resumed it"}. Nothing was dropped.`);t(`${V(Vt(n))} left to bring h\
ome\u2026`),await new Promise(o=>window.setTimeout(o,Kc))}}function Jc(e,t){return{...e,run:(s,n)=>e.run(s,n).finally(t)}}var Qc="uplot",Zc="u-hz",Xc="u-vt",eu="u-title",tu="u-wrap",nu="u-under",su="u-over",iu="u-axis",Pn="u-off",lu="u-select",ou="u-cursor-x",ru="\
u-cursor-y",au="u-cursor-pt",cu="u-legend",uu="u-live",du="u-inline",fu="u-series",hu="u-marker",nr="u-label",pu="u-value",As="width",Ds="he\
ight";var sr="bottom",ss="left",hl="right",Dl="#000",ir=Dl+"0",pl="mousemove",lr="mousedown",ml="mouseup",or="mouseenter",rr="mouseleave",ar="dblc\
lick",mu="resize",gu="scroll",cr="change",ui="dppxchange",$l="--",us=typeof window<"u",vl=us?document:null,ls=us?window:null,bu=us?navigator:
null,ae,oi;function xl(){let e=devicePixelRatio;ae!=e&&(ae=e,oi&&_l(cr,oi,xl),oi=matchMedia(`(min-resolution: ${ae-.001}dppx) and (max-resol\
ution: ${ae+.001}dppx)`),An(cr,oi,xl),ls.dispatchEvent(new CustomEvent(ui)))}function ct(e,t){if(t!=null){let s=e.classList;!s.contains(t)&&
s.add(t)}}function kl(e,t){let s=e.classList;s.contains(t)&&s.remove(t)}function ve(e,t,s){e.style[t]=s+"px"}function $t(e,t,s,n){let i=vl.createElement(
e);return t!=null&&ct(i,t),s?.insertBefore(i,n),i}function vt(e,t){return $t("div",e,t)}var ur=new WeakMap;function Bt(e,t,s,n,i){let o="tra\
nslate("+t+"px,"+s+"px)",a=ur.get(e);o!=a&&(e.style.transform=o,ur.set(e,o),t<0||s<0||t>n||s>i?ct(e,Pn):kl(e,Pn))}var dr=new WeakMap;function fr(e,t,s){
let n=t+s,i=dr.get(e);n!=i&&(dr.set(e,n),e.style.background=t,e.style.borderColor=s)}var hr=new WeakMap;function pr(e,t,s,n){let i=t+""+s,o=hr.
get(e);i!=o&&(hr.set(e,i),e.style.height=s+"px",e.style.width=t+"px",e.style.marginLeft=n?-t/2+"px":0,e.style.marginTop=n?-s/2+"px":0)}var Ll={
passive:!0},yu={...Ll,capture:!0};function An(e,t,s,n){t.addEventListener(e,s,n?yu:Ll)}function _l(e,t,s,n){t.removeEventListener(e,s,Ll)}us&&
xl();function Lt(e,t,s,n){let i;s=s||0,n=n||t.length-1;let o=n<=2147483647;for(;n-s>1;)i=o?s+n>>1:ut((s+n)/2),t[i]<e?s=i:n=i;return e-t[s]<=
t[n]-e?s:n}function Vr(e){return(s,n,i)=>{let o=-1,a=-1;for(let c=n;c<=i;c++)if(e(s[c])){o=c;break}for(let c=i;c>=n;c--)if(e(s[c])){a=c;break}
return[o,a]}}var Br=e=>e!=null,Gr=e=>e!=null&&e>0,hi=Vr(Br),wu=Vr(Gr);function vu(e,t,s,n=0,i=!1){let o=i?wu:hi,a=i?Gr:Br;[t,s]=o(e,t,s);let c=e[t],
h=e[t];if(t>-1)if(n==1)c=e[t],h=e[s];else if(n==-1)c=e[s],h=e[t];else for(let f=t;f<=s;f++){let b=e[f];a(b)&&(b<c?c=b:b>h&&(h=b))}return[c??
pe,h??-pe]}function pi(e,t,s,n){let i=br(e),o=br(t);e==t&&(i==-1?(e*=s,t/=s):(e/=s,t*=s));let a=s==10?Zt:qr,c=i==1?ut:xt,h=o==1?xt:ut,f=c(a(
Ce(e))),b=h(a(Ce(t))),g=os(s,f),w=os(s,b);return s==10&&(f<0&&(g=me(g,-f)),b<0&&(w=me(w,-b))),n||s==2?(e=g*i,t=w*o):(e=Yr(e,g),t=mi(t,w)),[e,
t]}function Rl(e,t,s,n){let i=pi(e,t,s,n);return e==0&&(i[0]=0),t==0&&(i[1]=0),i}var Cl=.1,mr={mode:3,pad:Cl},Ls={pad:0,soft:null,mode:0},xu={
min:Ls,max:Ls};function di(e,t,s,n){return gi(s)?gr(e,t,s):(Ls.pad=s,Ls.soft=n?0:null,Ls.mode=n?3:0,gr(e,t,xu))}function oe(e,t){return e??t}
function ku(e,t,s){for(t=oe(t,0),s=oe(s,e.length-1);t<=s;){if(e[t]!=null)return!0;t++}return!1}function gr(e,t,s){let n=s.min,i=s.max,o=oe(n.
pad,0),a=oe(i.pad,0),c=oe(n.hard,-pe),h=oe(i.hard,pe),f=oe(n.soft,pe),b=oe(i.soft,-pe),g=oe(n.mode,0),w=oe(i.mode,0),T=t-e,M=Zt(T),C=Je(Ce(e),
Ce(t)),I=Zt(C),N=Ce(I-M);(T<1e-24||N>10)&&(T=0,(e==0||t==0)&&(T=1e-24,g==2&&f!=pe&&(o=0),w==2&&b!=-pe&&(a=0)));let k=T||C||1e3,$=Zt(k),S=os(
10,ut($)),j=k*(T==0?e==0?.1:1:o),L=me(Yr(e-j,S/10),24),Q=e>=f&&(g==1||g==3&&L<=f||g==2&&L>=f)?f:pe,U=Je(c,L<Q&&e>=Q?Q:Rt(Q,L)),te=k*(T==0?t==
0?.1:1:a),K=me(mi(t+te,S/10),24),E=t<=b&&(w==1||w==3&&K>=b||w==2&&K<=b)?b:-pe,J=Rt(h,K>E&&t<=E?E:Je(E,K));return U==J&&U==0&&(J=100),[U,J]}var _u=new Intl.
NumberFormat(us?bu.language:"en-US"),Nl=e=>_u.format(e),dt=Math,ci=dt.PI,Ce=dt.abs,ut=dt.floor,Re=dt.round,xt=dt.ceil,Rt=dt.min,Je=dt.max,os=dt.
pow,br=dt.sign,Zt=dt.log10,qr=dt.log2,Su=(e,t=1)=>dt.sinh(e)*t,gl=(e,t=1)=>dt.asinh(e/t),pe=1/0;function yr(e){return(Zt((e^e>>31)-(e>>31))|
0)+1}function Sl(e,t,s){return Rt(Je(e,t),s)}function Kr(e){return typeof e=="function"}function ne(e){return Kr(e)?e:()=>e}var Tu=()=>{},jr=e=>e,
Ur=(e,t)=>t,Eu=e=>null,wr=e=>!0,vr=(e,t)=>e==t,Mu=/\.\d*?(?=9{6,}|0{6,})/gm,Dn=e=>{if(Qr(e)||cn.has(e))return e;let t=`${e}`,s=t.match(Mu);if(s==
null)return e;let n=s[0].length-1;if(t.indexOf("e-")!=-1){let[i,o]=t.split("e");return+`${Dn(i)}e${o}`}return me(e,n)};function En(e,t){return Dn(
me(Dn(e/t))*t)}function mi(e,t){return Dn(xt(Dn(e/t))*t)}function Yr(e,t){return Dn(ut(Dn(e/t))*t)}function me(e,t=0){if(Qr(e))return e;let s=10**
t,n=e*s*(1+Number.EPSILON);return Re(n)/s}var cn=new Map;function Jr(e){return((""+e).split(".")[1]||"").length}function Cs(e,t,s,n){let i=[],
o=n.map(Jr);for(let a=t;a<s;a++){let c=Ce(a),h=me(os(e,a),c);for(let f=0;f<n.length;f++){let b=e==10?+`${n[f]}e${a}`:n[f]*h,g=(a>=0?0:c)+(a>=
o[f]?0:o[f]),w=e==10?b:me(b,g);i.push(w),cn.set(w,g)}}return i}var Rs={},Fl=[],rs=[null,null],an=Array.isArray,Qr=Number.isInteger,Pu=e=>e===
void 0;function xr(e){return typeof e=="string"}function gi(e){let t=!1;if(e!=null){let s=e.constructor;t=s==null||s==Object}return t}function Au(e){
return e!=null&&typeof e=="object"}var Du=Object.getPrototypeOf(Uint8Array),Zr="__proto__";function as(e,t=gi){let s;if(an(e)){let n=e.find(
i=>i!=null);if(an(n)||t(n)){s=Array(e.length);for(let i=0;i<e.length;i++)s[i]=as(e[i],t)}else s=e.slice()}else if(e instanceof Du)s=e.slice();else if(t(
e)){s={};for(let n in e)n!=Zr&&(s[n]=as(e[n],t))}else s=e;return s}function Ae(e){let t=arguments;for(let s=1;s<t.length;s++){let n=t[s];for(let i in n)
i!=Zr&&(gi(e[i])?Ae(e[i],as(n[i])):e[i]=as(n[i]))}return e}var $u=0,Lu=1,Ru=2;function Cu(e,t,s){for(let n=0,i,o=-1;n<t.length;n++){let a=t[n];
if(a>o){for(i=a-1;i>=0&&e[i]==null;)e[i--]=null;for(i=a+1;i<s&&e[i]==null;)e[o=i++]=null}}}function Nu(e,t){if(zu(e)){let a=e[0].slice();for(let c=1;c<
e.length;c++)a.push(...e[c].slice(1));return Hu(a[0])||(a=Ou(a)),a}let s=new Set;for(let a=0;a<e.length;a++){let h=e[a][0],f=h.length;for(let b=0;b<
f;b++)s.add(h[b])}let n=[Array.from(s).sort((a,c)=>a-c)],i=n[0].length,o=new Map;for(let a=0;a<i;a++)o.set(n[0][a],a);for(let a=0;a<e.length;a++){
let c=e[a],h=c[0];for(let f=1;f<c.length;f++){let b=c[f],g=Array(i).fill(void 0),w=t?t[a][f]:Lu,T=[];for(let M=0;M<b.length;M++){let C=b[M],
I=o.get(h[M]);C===null?w!=$u&&(g[I]=C,w==Ru&&T.push(I)):g[I]=C}Cu(g,T,i),n.push(g)}}return n}var Fu=typeof queueMicrotask>"u"?e=>Promise.resolve().
then(e):queueMicrotask;function Ou(e){let t=e[0],s=t.length,n=Array(s);for(let o=0;o<n.length;o++)n[o]=o;n.sort((o,a)=>t[o]-t[a]);let i=[];for(let o=0;o<
e.length;o++){let a=e[o],c=Array(s);for(let h=0;h<s;h++)c[h]=a[n[h]];i.push(c)}return i}function zu(e){let t=e[0][0],s=t.length;for(let n=1;n<
e.length;n++){let i=e[n][0];if(i.length!=s)return!1;if(i!=t){for(let o=0;o<s;o++)if(i[o]!=t[o])return!1}}return!0}function Hu(e,t=100){let s=e.
length;if(s<=1)return!0;let n=0,i=s-1;for(;n<=i&&e[n]==null;)n++;for(;i>=n&&e[i]==null;)i--;if(i<=n)return!0;let o=Je(1,ut((i-n+1)/t));for(let a=e[n],
c=n+o;c<=i;c+=o){let h=e[c];if(h!=null){if(h<=a)return!1;a=h}}return!0}var Xr=["January","February","March","April","May","June","July","Aug\
ust","September","October","November","December"],ea=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function ta(e){
return e.slice(0,3)}var Iu=ea.map(ta),Wu=Xr.map(ta),Vu={MMMM:Xr,MMM:Wu,WWWW:ea,WWW:Iu};function Ps(e){return(e<10?"0":"")+e}function Bu(e){return(e<
10?"00":e<100?"0":"")+e}var Gu={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.
getMonth()],MM:e=>Ps(e.getMonth()+1),M:e=>e.getMonth()+1,DD:e=>Ps(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.
WWW[e.getDay()],HH:e=>Ps(e.getHours()),H:e=>e.getHours(),h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"A\
M",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>Ps(e.getMinutes()),m:e=>e.getMinutes(),ss:e=>Ps(e.getSeconds()),s:e=>e.
getSeconds(),fff:e=>Bu(e.getMilliseconds())};function Ol(e,t){t=t||Vu;let s=[],n=/\{([a-z]+)\}|[^{]+/gi,i;for(;i=n.exec(e);)s.push(i[0][0]==
"{"?Gu[i[1]]:i[0]);return o=>{let a="";for(let c=0;c<s.length;c++)a+=typeof s[c]=="string"?s[c]:s[c](o,t);return a}}var qu=new Intl.DateTimeFormat().
resolvedOptions().timeZone;function Ku(e,t){let s;return t=="UTC"||t=="Etc/UTC"?s=new Date(+e+e.getTimezoneOffset()*6e4):t==qu?s=e:(s=new Date(
e.toLocaleString("en-US",{timeZone:t})),s.setMilliseconds(e.getMilliseconds())),s}var na=e=>e%1==0,fi=[1,2,2.5,5],ju=Cs(10,-32,0,fi),sa=Cs(10,
0,32,fi),Uu=sa.filter(na),Mn=ju.concat(sa),zl=`
`,ia="{YYYY}",kr=zl+ia,la="{M}/{D}",$s=zl+la,ri=$s+"/{YY}",oa="{aa}",Yu="{h}:{mm}",is=Yu+oa,_r=zl+is,Sr=":{ss}",ue=null;function ra(e){let t=e*
1e3,s=t*60,n=s*60,i=n*24,o=i*30,a=i*365,h=(e==1?Cs(10,0,3,fi).filter(na):Cs(10,-3,0,fi)).concat([t,t*5,t*10,t*15,t*30,s,s*5,s*10,s*15,s*30,n,
n*2,n*3,n*4,n*6,n*8,n*12,i,i*2,i*3,i*4,i*5,i*6,i*7,i*8,i*9,i*10,i*15,o,o*2,o*3,o*4,o*6,a,a*2,a*5,a*10,a*25,a*50,a*100]),f=[[a,ia,ue,ue,ue,ue,
ue,ue,1],[i*28,"{MMM}",kr,ue,ue,ue,ue,ue,1],[i,la,kr,ue,ue,ue,ue,ue,1],[n,"{h}"+oa,ri,ue,$s,ue,ue,ue,1],[s,is,ri,ue,$s,ue,ue,ue,1],[t,Sr,ri+
" "+is,ue,$s+" "+is,ue,_r,ue,1],[e,Sr+".{fff}",ri+" "+is,ue,$s+" "+is,ue,_r,ue,1]];function b(g){return(w,T,M,C,I,N)=>{let k=[],$=I>=a,S=I>=
o&&I<a,j=g(M),L=me(j*e,3),Q=bl(j.getFullYear(),$?0:j.getMonth(),S||$?1:j.getDate()),U=me(Q*e,3);if(S||$){let te=S?I/o:0,K=$?I/a:0,E=L==U?L:me(
bl(Q.getFullYear()+K,Q.getMonth()+te,1)*e,3),J=new Date(Re(E/e)),F=J.getFullYear(),G=J.getMonth();for(let W=0;E<=C;W++){let se=bl(F+K*W,G+te*
W,1),H=se-g(me(se*e,3));E=me((+se+H)*e,3),E<=C&&k.push(E)}}else{let te=I>=i?i:I,K=ut(M)-ut(L),E=U+K+mi(L-U,te);k.push(E);let J=g(E),F=J.getHours()+
J.getMinutes()/s+J.getSeconds()/n,G=I/n,W=w.axes[T]._space,se=N/W;for(;E=me(E+I,e==1?0:3),!(E>C);)if(G>1){let H=ut(me(F+G,6))%24,ie=g(E).getHours()-
H;ie>1&&(ie=-1),E-=ie*n,F=(F+G)%24;let de=k[k.length-1];me((E-de)/I,3)*se>=.7&&k.push(E)}else k.push(E)}return k}}return[h,f,b]}var[Ju,Qu,Zu]=ra(
1),[Xu,ed,td]=ra(.001);Cs(2,-53,53,[1]);function Tr(e,t){return e.map(s=>s.map((n,i)=>i==0||i==8||n==null?n:t(i==1||s[8]==0?n:s[1]+n)))}function Er(e,t){
return(s,n,i,o,a)=>{let c=t.find(M=>a>=M[0])||t[t.length-1],h,f,b,g,w,T;return n.map(M=>{let C=e(M),I=C.getFullYear(),N=C.getMonth(),k=C.getDate(),
$=C.getHours(),S=C.getMinutes(),j=C.getSeconds(),L=I!=h&&c[2]||N!=f&&c[3]||k!=b&&c[4]||$!=g&&c[5]||S!=w&&c[6]||j!=T&&c[7]||c[1];return h=I,f=
N,b=k,g=$,w=S,T=j,L(C)})}}function nd(e,t){let s=Ol(t);return(n,i,o,a,c)=>i.map(h=>s(e(h)))}function bl(e,t,s){return new Date(e,t,s)}function Mr(e,t){
return t(e)}var sd="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function Pr(e,t){return(s,n,i,o)=>o==null?$l:t(e(n))}function id(e,t){let s=e.series[t];return s.
width?s.stroke(e,t):s.points.width?s.points.stroke(e,t):null}function ld(e,t){return e.series[t].fill(e,t)}var od={show:!0,live:!0,isolate:!1,
mount:Tu,markers:{show:!0,width:2,stroke:id,fill:ld,dash:"solid"},idx:null,idxs:null,values:[]};function rd(e,t){let s=e.cursor.points,n=vt(),
i=s.size(e,t);ve(n,As,i),ve(n,Ds,i);let o=i/-2;ve(n,"marginLeft",o),ve(n,"marginTop",o);let a=s.width(e,t,i);return a&&ve(n,"borderWidth",a),
n}function ad(e,t){let s=e.series[t].points;return s._fill||s._stroke}function cd(e,t){let s=e.series[t].points;return s._stroke||s._fill}function ud(e,t){
return e.series[t].points.size}var yl=[0,0];function dd(e,t,s){return yl[0]=t,yl[1]=s,yl}function ai(e,t,s,n=!0){return i=>{i.button==0&&(!n||
i.target==t)&&s(i)}}function wl(e,t,s,n=!0){return i=>{(!n||i.target==t)&&s(i)}}var fd={show:!0,x:!0,y:!0,lock:!1,move:dd,points:{one:!1,show:rd,
size:ud,width:0,stroke:cd,fill:ad},bind:{mousedown:ai,mouseup:ai,click:ai,dblclick:ai,mousemove:wl,mouseleave:wl,mouseenter:wl},drag:{setScale:!0,
x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(e,t,s,n,i)=>n-i,prox:-1,
bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},aa={show:!0,stroke:"rgba(0,0,0,0\
.07)",width:2},Hl=Ae({},aa,{filter:Ur}),ca=Ae({},Hl,{size:10}),ua=Ae({},aa,{show:!1}),Il='12px system-ui, -apple-system, "Segoe UI", Roboto,\
 "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',da="bold "+
Il,fa=1.5,Ar={show:!0,scale:"x",stroke:Dl,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:da,side:2,grid:Hl,ticks:ca,border:ua,
font:Il,lineGap:fa,rotate:0},hd="Value",pd="Time",Dr={show:!0,scale:"x",auto:!1,sorted:1,min:pe,max:-pe,idxs:[]};function md(e,t,s,n,i){return t.
map(o=>o==null?"":Nl(o))}function gd(e,t,s,n,i,o,a){let c=[],h=cn.get(i)||0;s=a?s:me(mi(s,i),h);for(let f=s;f<=n;f=me(f+i,h))c.push(Object.is(
f,-0)?0:f);return c}function Tl(e,t,s,n,i,o,a){let c=[],h=e.scales[e.axes[t].scale].log,f=h==10?Zt:qr,b=ut(f(s));i=os(h,b),h==10&&(i=Mn[Lt(i,
Mn)]);let g=s,w=i*h;h==10&&(w=Mn[Lt(w,Mn)]);do c.push(g),g=g+i,h==10&&!cn.has(g)&&(g=me(g,cn.get(i))),g>=w&&(i=g,w=i*h,h==10&&(w=Mn[Lt(w,Mn)]));while(g<=
n);return c}function bd(e,t,s,n,i,o,a){let h=e.scales[e.axes[t].scale].asinh,f=n>h?Tl(e,t,Je(h,s),n,i):[h],b=n>=0&&s<=0?[0]:[];return(s<-h?Tl(
e,t,Je(h,-n),-s,i):[h]).reverse().map(w=>-w).concat(b,f)}var ha=/./,yd=/[12357]/,wd=/[125]/,$r=/1/,El=(e,t,s,n)=>e.map((i,o)=>t==4&&i==0||o%
n==0&&s.test(i.toExponential()[i<0?1:0])?i:null);function vd(e,t,s,n,i){let o=e.axes[s],a=o.scale,c=e.scales[a],h=e.valToPos,f=o._space,b=h(
10,a),g=h(9,a)-b>=f?ha:h(7,a)-b>=f?yd:h(5,a)-b>=f?wd:$r;if(g==$r){let w=Ce(h(1,a)-b);if(w<f)return El(t.slice().reverse(),c.distr,g,xt(f/w)).
reverse()}return El(t,c.distr,g,1)}function xd(e,t,s,n,i){let o=e.axes[s],a=o.scale,c=o._space,h=e.valToPos,f=Ce(h(1,a)-h(2,a));return f<c?El(
t.slice().reverse(),3,ha,xt(c/f)).reverse():t}function kd(e,t,s,n){return n==null?$l:t==null?"":Nl(t)}var Lr={show:!0,scale:"y",stroke:Dl,space:30,
gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:da,side:3,grid:Hl,ticks:ca,border:ua,font:Il,lineGap:fa,rotate:0};function _d(e,t){
let s=3+(e||1)*2;return me(s*t,3)}function Sd(e,t){let{scale:s,idxs:n}=e.series[0],i=e._data[0],o=e.valToPos(i[n[0]],s,!0),a=e.valToPos(i[n[1]],
s,!0),c=Ce(a-o),h=e.series[t],f=c/(h.points.space*ae);return n[1]-n[0]<=f}var Rr={scale:null,auto:!0,sorted:0,min:pe,max:-pe},pa=(e,t,s,n,i)=>i,
Cr={show:!0,auto:!0,sorted:0,gaps:pa,alpha:1,facets:[Ae({},Rr,{scale:"x"}),Ae({},Rr,{scale:"y"})]},Nr={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:pa,alpha:1,points:{show:Sd,filter:null},values:null,min:pe,max:-pe,idxs:[],path:null,clip:null};function Td(e,t,s,n,i){return s/10}var ma={
time:!0,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},Ed=Ae({},ma,{time:!1,ori:1}),Fr={};function ga(e,t){let s=Fr[e];return s||
(s={key:e,plots:[],sub(n){s.plots.push(n)},unsub(n){s.plots=s.plots.filter(i=>i!=n)},pub(n,i,o,a,c,h,f){for(let b=0;b<s.plots.length;b++)s.plots[b]!=
i&&s.plots[b].pub(n,i,o,a,c,h,f)}},e!=null&&(Fr[e]=s)),s}var cs=1,Ml=2;function $n(e,t,s){let n=e.mode,i=e.series[t],o=n==2?e._data[t]:e._data,
a=e.scales,c=e.bbox,h=o[0],f=n==2?o[1]:o[t],b=n==2?a[i.facets[0].scale]:a[e.series[0].scale],g=n==2?a[i.facets[1].scale]:a[i.scale],w=c.left,
T=c.top,M=c.width,C=c.height,I=e.valToPosH,N=e.valToPosV;return b.ori==0?s(i,h,f,b,g,I,N,w,T,M,C,yi,ds,vi,ya,va):s(i,h,f,b,g,N,I,T,w,C,M,wi,
fs,Bl,wa,xa)}function Wl(e,t){let s=0,n=0,i=oe(e.bands,Fl);for(let o=0;o<i.length;o++){let a=i[o];a.series[0]==t?s=a.dir:a.series[1]==t&&(a.
dir==1?n|=1:n|=2)}return[s,n==1?-1:n==2?1:n==3?2:0]}function Md(e,t,s,n,i){let o=e.mode,a=e.series[t],c=o==2?a.facets[1].scale:a.scale,h=e.scales[c];
return i==-1?h.min:i==1?h.max:h.distr==3?h.dir==1?h.min:h.max:0}function Xt(e,t,s,n,i,o){return $n(e,t,(a,c,h,f,b,g,w,T,M,C,I)=>{let N=a.pxRound,
k=f.dir*(f.ori==0?1:-1),$=f.ori==0?ds:fs,S,j;k==1?(S=s,j=n):(S=n,j=s);let L=N(g(c[S],f,C,T)),Q=N(w(h[S],b,I,M)),U=N(g(c[j],f,C,T)),te=N(w(o==
1?b.max:b.min,b,I,M)),K=new Path2D(i);return $(K,U,te),$(K,L,te),$(K,L,Q),K})}function bi(e,t,s,n,i,o){let a=null;if(e.length>0){a=new Path2D;
let c=t==0?vi:Bl,h=s;for(let g=0;g<e.length;g++){let w=e[g];if(w[1]>w[0]){let T=w[0]-h;T>0&&c(a,h,n,T,n+o),h=w[1]}}let f=s+i-h,b=10;f>0&&c(a,
h,n-b/2,f,n+o+b)}return a}function Pd(e,t,s){let n=e[e.length-1];n&&n[0]==t?n[1]=s:e.push([t,s])}function Vl(e,t,s,n,i,o,a){let c=[],h=e.length;
for(let f=i==1?s:n;f>=s&&f<=n;f+=i)if(t[f]===null){let g=f,w=f;if(i==1)for(;++f<=n&&t[f]===null;)w=f;else for(;--f>=s&&t[f]===null;)w=f;let T=o(
e[g]),M=w==g?T:o(e[w]),C=g-i;T=a<=0&&C>=0&&C<h?o(e[C]):T;let N=w+i;M=a>=0&&N>=0&&N<h?o(e[N]):M,M>=T&&c.push([T,M])}return c}function Or(e){return e==
0?jr:e==1?Re:t=>En(t,e)}function ba(e){let t=e==0?yi:wi,s=e==0?(i,o,a,c,h,f)=>{i.arcTo(o,a,c,h,f)}:(i,o,a,c,h,f)=>{i.arcTo(a,o,h,c,f)},n=e==
0?(i,o,a,c,h)=>{i.rect(o,a,c,h)}:(i,o,a,c,h)=>{i.rect(a,o,h,c)};return(i,o,a,c,h,f=0,b=0)=>{f==0&&b==0?n(i,o,a,c,h):(f=Rt(f,c/2,h/2),b=Rt(b,
c/2,h/2),t(i,o+f,a),s(i,o+c,a,o+c,a+h,f),s(i,o+c,a+h,o,a+h,b),s(i,o,a+h,o,a,b),s(i,o,a,o+c,a,f),i.closePath())}}var yi=(e,t,s)=>{e.moveTo(t,
s)},wi=(e,t,s)=>{e.moveTo(s,t)},ds=(e,t,s)=>{e.lineTo(t,s)},fs=(e,t,s)=>{e.lineTo(s,t)},vi=ba(0),Bl=ba(1),ya=(e,t,s,n,i,o)=>{e.arc(t,s,n,i,o)},
wa=(e,t,s,n,i,o)=>{e.arc(s,t,n,i,o)},va=(e,t,s,n,i,o,a)=>{e.bezierCurveTo(t,s,n,i,o,a)},xa=(e,t,s,n,i,o,a)=>{e.bezierCurveTo(s,t,i,n,a,o)};function ka(e){
return(t,s,n,i,o)=>$n(t,s,(a,c,h,f,b,g,w,T,M,C,I)=>{let{pxRound:N,points:k}=a,$,S;f.ori==0?($=yi,S=ya):($=wi,S=wa);let j=me(k.width*ae,3),L=(k.
size-k.width)/2*ae,Q=me(L*2,3),U=new Path2D,te=new Path2D,{left:K,top:E,width:J,height:F}=t.bbox;vi(te,K-Q,E-Q,J+Q*2,F+Q*2);let G=W=>{if(h[W]!=
null){let se=N(g(c[W],f,C,T)),H=N(w(h[W],b,I,M));$(U,se+L,H),S(U,se,H,L,0,ci*2)}};if(o)o.forEach(G);else for(let W=n;W<=i;W++)G(W);return{stroke:j>
0?U:null,fill:U,clip:te,flags:cs|Ml}})}function _a(e){return(t,s,n,i,o,a)=>{n!=i&&(o!=n&&a!=n&&e(t,s,n),o!=i&&a!=i&&e(t,s,i),e(t,s,a))}}var Ad=_a(
ds),Dd=_a(fs);function Sa(e){let t=oe(e?.alignGaps,0);return(s,n,i,o)=>$n(s,n,(a,c,h,f,b,g,w,T,M,C,I)=>{[i,o]=hi(h,i,o);let N=a.pxRound,k=F=>N(
g(F,f,C,T)),$=F=>N(w(F,b,I,M)),S,j;f.ori==0?(S=ds,j=Ad):(S=fs,j=Dd);let L=f.dir*(f.ori==0?1:-1),Q={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:cs},U=Q.stroke,te=!1;if(o-i>=C*4){let F=O=>s.posToVal(O,f.key,!0),G=null,W=null,se,H,Qe,xe=k(c[L==1?i:o]),ie=k(c[i]),de=k(c[o]),
Z=F(L==1?ie+1:de-1);for(let O=L==1?i:o;O>=i&&O<=o;O+=L){let $e=c[O],ke=(L==1?$e<Z:$e>Z)?xe:k($e),ce=h[O];ke==xe?ce!=null?(H=ce,G==null?(S(U,
ke,$(H)),se=G=W=H):H<G?G=H:H>W&&(W=H)):ce===null&&(te=!0):(G!=null&&j(U,xe,$(G),$(W),$(se),$(H)),ce!=null?(H=ce,S(U,ke,$(H)),G=W=se=H):(G=W=
null,ce===null&&(te=!0)),xe=ke,Z=F(xe+L))}G!=null&&G!=W&&Qe!=xe&&j(U,xe,$(G),$(W),$(se),$(H))}else for(let F=L==1?i:o;F>=i&&F<=o;F+=L){let G=h[F];
G===null?te=!0:G!=null&&S(U,k(c[F]),$(G))}let[E,J]=Wl(s,n);if(a.fill!=null||E!=0){let F=Q.fill=new Path2D(U),G=a.fillTo(s,n,a.min,a.max,E),W=$(
G),se=k(c[i]),H=k(c[o]);L==-1&&([H,se]=[se,H]),S(F,H,W),S(F,se,W)}if(!a.spanGaps){let F=[];te&&F.push(...Vl(c,h,i,o,L,k,t)),Q.gaps=F=a.gaps(
s,n,i,o,F),Q.clip=bi(F,f.ori,T,M,C,I)}return J!=0&&(Q.band=J==2?[Xt(s,n,i,o,U,-1),Xt(s,n,i,o,U,1)]:Xt(s,n,i,o,U,J)),Q})}function $d(e){let t=oe(
e.align,1),s=oe(e.ascDesc,!1),n=oe(e.alignGaps,0),i=oe(e.extend,!1);return(o,a,c,h)=>$n(o,a,(f,b,g,w,T,M,C,I,N,k,$)=>{[c,h]=hi(g,c,h);let S=f.
pxRound,{left:j,width:L}=o.bbox,Q=ie=>S(M(ie,w,k,I)),U=ie=>S(C(ie,T,$,N)),te=w.ori==0?ds:fs,K={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:cs},E=K.stroke,J=w.dir*(w.ori==0?1:-1),F=U(g[J==1?c:h]),G=Q(b[J==1?c:h]),W=G,se=G;i&&t==-1&&(se=j,te(E,se,F)),te(E,G,F);for(let ie=J==
1?c:h;ie>=c&&ie<=h;ie+=J){let de=g[ie];if(de==null)continue;let Z=Q(b[ie]),O=U(de);t==1?te(E,Z,F):te(E,W,O),te(E,Z,O),F=O,W=Z}let H=W;i&&t==
1&&(H=j+L,te(E,H,F));let[Qe,xe]=Wl(o,a);if(f.fill!=null||Qe!=0){let ie=K.fill=new Path2D(E),de=f.fillTo(o,a,f.min,f.max,Qe),Z=U(de);te(ie,H,
Z),te(ie,se,Z)}if(!f.spanGaps){let ie=[];ie.push(...Vl(b,g,c,h,J,Q,n));let de=f.width*ae/2,Z=s||t==1?de:-de,O=s||t==-1?-de:de;ie.forEach($e=>{
$e[0]+=Z,$e[1]+=O}),K.gaps=ie=f.gaps(o,a,c,h,ie),K.clip=bi(ie,w.ori,I,N,k,$)}return xe!=0&&(K.band=xe==2?[Xt(o,a,c,h,E,-1),Xt(o,a,c,h,E,1)]:
Xt(o,a,c,h,E,xe)),K})}function zr(e,t,s,n,i,o,a=pe){if(e.length>1){let c=null;for(let h=0,f=1/0;h<e.length;h++)if(t[h]!==void 0){if(c!=null){
let b=Ce(e[h]-e[c]);b<f&&(f=b,a=Ce(s(e[h],n,i,o)-s(e[c],n,i,o)))}c=h}}return a}function Ld(e){e=e||Rs;let t=oe(e.size,[.6,pe,1]),s=e.align||
0,n=e.gap||0,i=e.radius;i=i==null?[0,0]:typeof i=="number"?[i,0]:i;let o=ne(i),a=1-t[0],c=oe(t[1],pe),h=oe(t[2],1),f=oe(e.disp,Rs),b=oe(e.each,
T=>{}),{fill:g,stroke:w}=f;return(T,M,C,I)=>$n(T,M,(N,k,$,S,j,L,Q,U,te,K,E)=>{let J=N.pxRound,F=s,G=n*ae,W=c*ae,se=h*ae,H,Qe;S.ori==0?[H,Qe]=
o(T,M):[Qe,H]=o(T,M);let xe=S.dir*(S.ori==0?1:-1),ie=S.ori==0?vi:Bl,de=S.ori==0?b:(D,ge,Le,zn,pn,Nt,mn)=>{b(D,ge,Le,pn,zn,mn,Nt)},Z=oe(T.bands,
Fl).find(D=>D.series[0]==M),O=Z!=null?Z.dir:0,$e=N.fillTo(T,M,N.min,N.max,O),qe=J(Q($e,j,E,te)),ke,ce,_t,nt=K,Se=J(N.width*ae),Ct=!1,qt=null,
ht=null,en=null,Nn=null;g!=null&&(Se==0||w!=null)&&(Ct=!0,qt=g.values(T,M,C,I),ht=new Map,new Set(qt).forEach(D=>{D!=null&&ht.set(D,new Path2D)}),
Se>0&&(en=w.values(T,M,C,I),Nn=new Map,new Set(en).forEach(D=>{D!=null&&Nn.set(D,new Path2D)})));let{x0:Fn,size:ms}=f;if(Fn!=null&&ms!=null){
F=1,k=Fn.values(T,M,C,I),Fn.unit==2&&(k=k.map(Le=>T.posToVal(U+Le*K,S.key,!0)));let D=ms.values(T,M,C,I);ms.unit==2?ce=D[0]*K:ce=L(D[0],S,K,
U)-L(0,S,K,U),nt=zr(k,$,L,S,K,U,nt),_t=nt-ce+G}else nt=zr(k,$,L,S,K,U,nt),_t=nt*a+G,ce=nt-_t;_t<1&&(_t=0),Se>=ce/2&&(Se=0),_t<5&&(J=jr);let Os=_t>
0,fn=nt-_t-(Os?Se:0);ce=J(Sl(fn,se,W)),ke=(F==0?ce/2:F==xe?0:ce)-F*xe*((F==0?G/2:0)+(Os?Se/2:0));let Ke={stroke:null,fill:null,clip:null,band:null,
gaps:null,flags:0},On=Ct?null:new Path2D,Kt=null;if(Z!=null)Kt=T.data[Z.series[1]];else{let{y0:D,y1:ge}=f;D!=null&&ge!=null&&($=ge.values(T,
M,C,I),Kt=D.values(T,M,C,I))}let hn=H*ce,Y=Qe*ce;for(let D=xe==1?C:I;D>=C&&D<=I;D+=xe){let ge=$[D];if(ge==null)continue;if(Kt!=null){let Ze=Kt[D]??
0;if(ge-Ze==0)continue;qe=Q(Ze,j,E,te)}let Le=S.distr!=2||f!=null?k[D]:D,zn=L(Le,S,K,U),pn=Q(oe(ge,$e),j,E,te),Nt=J(zn-ke),mn=J(Je(pn,qe)),st=J(
Rt(pn,qe)),pt=mn-st;if(ge!=null){let Ze=ge<0?Y:hn,St=ge<0?hn:Y;Ct?(Se>0&&en[D]!=null&&ie(Nn.get(en[D]),Nt,st+ut(Se/2),ce,Je(0,pt-Se),Ze,St),
qt[D]!=null&&ie(ht.get(qt[D]),Nt,st+ut(Se/2),ce,Je(0,pt-Se),Ze,St)):ie(On,Nt,st+ut(Se/2),ce,Je(0,pt-Se),Ze,St),de(T,M,D,Nt-Se/2,st,ce+Se,pt)}}
return Se>0?Ke.stroke=Ct?Nn:On:Ct||(Ke._fill=N.width==0?N._fill:N._stroke??N._fill,Ke.width=0),Ke.fill=Ct?ht:On,Ke})}function Rd(e,t){let s=oe(
t?.alignGaps,0);return(n,i,o,a)=>$n(n,i,(c,h,f,b,g,w,T,M,C,I,N)=>{[o,a]=hi(f,o,a);let k=c.pxRound,$=H=>k(w(H,b,I,M)),S=H=>k(T(H,g,N,C)),j,L,
Q;b.ori==0?(j=yi,Q=ds,L=va):(j=wi,Q=fs,L=xa);let U=b.dir*(b.ori==0?1:-1),te=$(h[U==1?o:a]),K=te,E=[],J=[];for(let H=U==1?o:a;H>=o&&H<=a;H+=U)
if(f[H]!=null){let xe=h[H],ie=$(xe);E.push(K=ie),J.push(S(f[H]))}let F={stroke:e(E,J,j,Q,L,k),fill:null,clip:null,band:null,gaps:null,flags:cs},
G=F.stroke,[W,se]=Wl(n,i);if(c.fill!=null||W!=0){let H=F.fill=new Path2D(G),Qe=c.fillTo(n,i,c.min,c.max,W),xe=S(Qe);Q(H,K,xe),Q(H,te,xe)}if(!c.
spanGaps){let H=[];H.push(...Vl(h,f,o,a,U,$,s)),F.gaps=H=c.gaps(n,i,o,a,H),F.clip=bi(H,b.ori,M,C,I,N)}return se!=0&&(F.band=se==2?[Xt(n,i,o,
a,G,-1),Xt(n,i,o,a,G,1)]:Xt(n,i,o,a,G,se)),F})}function Cd(e){return Rd(Nd,e)}function Nd(e,t,s,n,i,o){let a=e.length;if(a<2)return null;let c=new Path2D;
if(s(c,e[0],t[0]),a==2)n(c,e[1],t[1]);else{let h=Array(a),f=Array(a-1),b=Array(a-1),g=Array(a-1);for(let w=0;w<a-1;w++)b[w]=t[w+1]-t[w],g[w]=
e[w+1]-e[w],f[w]=b[w]/g[w];h[0]=f[0];for(let w=1;w<a-1;w++)f[w]===0||f[w-1]===0||f[w-1]>0!=f[w]>0?h[w]=0:(h[w]=3*(g[w-1]+g[w])/((2*g[w]+g[w-
1])/f[w-1]+(g[w]+2*g[w-1])/f[w]),isFinite(h[w])||(h[w]=0));h[a-1]=f[a-2];for(let w=0;w<a-1;w++)i(c,e[w]+g[w]/3,t[w]+h[w]*g[w]/3,e[w+1]-g[w]/
3,t[w+1]-h[w+1]*g[w]/3,e[w+1],t[w+1])}return c}var Pl=new Set;function Hr(){for(let e of Pl)e.syncRect(!0)}us&&(An(mu,ls,Hr),An(gu,ls,Hr,!0),
An(ui,ls,()=>{Ne.pxRatio=ae}));var Fd=Sa(),Od=ka();function Ir(e,t,s,n){return(n?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map(
(o,a)=>Al(o,a,t,s))}function zd(e,t){return e.map((s,n)=>n==0?{}:Ae({},t,s))}function Al(e,t,s,n){return Ae({},t==0?s:n,e)}function Ta(e,t,s){
return t==null?rs:[t,s]}var Hd=Ta;function Id(e,t,s){return t==null?rs:di(t,s,Cl,!0)}function Ea(e,t,s,n){return t==null?rs:pi(t,s,e.scales[n].
log,!1)}var Wd=Ea;function Ma(e,t,s,n){return t==null?rs:Rl(t,s,e.scales[n].log,!1)}var Vd=Ma;function Bd(e,t,s,n,i){let o=Je(yr(e),yr(t)),a=t-
e,c=Lt(i/n*a,s);do{let h=s[c],f=n*h/a;if(f>=i&&o+(h<5?cn.get(h):0)<=17)return[h,f]}while(++c<s.length);return[0,0]}function Wr(e){let t,s;return e=
e.replace(/(\d+)px/,(n,i)=>(t=Re((s=+i)*ae))+"px"),[e,t,s]}function Gd(e){e.show&&[e.font,e.labelFont].forEach(t=>{let s=me(t[2]*ae,1);t[0]=
t[0].replace(/[0-9.]+px/,s+"px"),t[1]=s})}function Ne(e,t,s){let n={mode:oe(e.mode,1)},i=n.mode;function o(l,r,u,d){let m=r.valToPct(l);return d+
u*(r.dir==-1?1-m:m)}function a(l,r,u,d){let m=r.valToPct(l);return d+u*(r.dir==-1?m:1-m)}function c(l,r,u,d){return r.ori==0?o(l,r,u,d):a(l,
r,u,d)}n.valToPosH=o,n.valToPosV=a;let h=!1;n.status=0;let f=n.root=vt(Qc);if(e.id!=null&&(f.id=e.id),ct(f,e.class),e.title){let l=vt(eu,f);
l.textContent=e.title}let b=$t("canvas"),g=n.ctx=b.getContext("2d"),w=vt(tu,f);An("click",w,l=>{l.target===M&&(be!=Yn||_e!=Jn)&&Be.click(n,l)},
!0);let T=n.under=vt(nu,w);w.appendChild(b);let M=n.over=vt(su,w);e=as(e);let C=+oe(e.pxAlign,1),I=Or(C);(e.plugins||[]).forEach(l=>{l.opts&&
(e=l.opts(n,e)||e)});let N=e.ms||.001,k=n.series=i==1?Ir(e.series||[],Dr,Nr,!1):zd(e.series||[null],Cr),$=n.axes=Ir(e.axes||[],Ar,Lr,!0),S=n.
scales={},j=n.bands=e.bands||[];j.forEach(l=>{l.fill=ne(l.fill||null),l.dir=oe(l.dir,-1)});let L=i==2?k[1].facets[0].scale:k[0].scale,Q={axes:rc,
series:nc},U=(e.drawOrder||["axes","series"]).map(l=>Q[l]);function te(l){let r=l.distr==3?u=>Zt(u>0?u:l.clamp(n,u,l.min,l.max,l.key)):l.distr==
4?u=>gl(u,l.asinh):l.distr==100?u=>l.fwd(u):u=>u;return u=>{let d=r(u),{_min:m,_max:y}=l,v=y-m;return(d-m)/v}}function K(l){let r=S[l];if(r==
null){let u=(e.scales||Rs)[l]||Rs;if(u.from!=null){K(u.from);let d=Ae({},S[u.from],u,{key:l});d.valToPct=te(d),S[l]=d}else{r=S[l]=Ae({},l==L?
ma:Ed,u),r.key=l;let d=r.time,m=r.range,y=an(m);if((l!=L||i==2&&!d)&&(y&&(m[0]==null||m[1]==null)&&(m={min:m[0]==null?mr:{mode:1,hard:m[0],soft:m[0]},
max:m[1]==null?mr:{mode:1,hard:m[1],soft:m[1]}},y=!1),!y&&gi(m))){let v=m;m=(x,_,P)=>_==null?rs:di(_,P,v)}r.range=ne(m||(d?Hd:l==L?r.distr==
3?Wd:r.distr==4?Vd:Ta:r.distr==3?Ea:r.distr==4?Ma:Id)),r.auto=ne(y?!1:r.auto),r.clamp=ne(r.clamp||Td),r._min=r._max=null,r.valToPct=te(r)}}}
K("x"),K("y"),i==1&&k.forEach(l=>{K(l.scale)}),$.forEach(l=>{K(l.scale)});for(let l in e.scales)K(l);let E=S[L],J=E.distr,F,G;E.ori==0?(ct(f,
Zc),F=o,G=a):(ct(f,Xc),F=a,G=o);let W={};for(let l in S){let r=S[l];(r.min!=null||r.max!=null)&&(W[l]={min:r.min,max:r.max},r.min=r.max=null)}
let se=e.tzDate||(l=>new Date(Re(l/N))),H=e.fmtDate||Ol,Qe=N==1?Zu(se):td(se),xe=Er(se,Tr(N==1?Qu:ed,H)),ie=Pr(se,Mr(sd,H)),de=[],Z=n.legend=
Ae({},od,e.legend),O=n.cursor=Ae({},fd,{drag:{y:i==2}},e.cursor),$e=Z.show,qe=O.show,ke=Z.markers;Z.idxs=de,ke.width=ne(ke.width),ke.dash=ne(
ke.dash),ke.stroke=ne(ke.stroke),ke.fill=ne(ke.fill);let ce,_t,nt,Se=[],Ct=[],qt,ht=!1,en={};if(Z.live){let l=k[1]?k[1].values:null;ht=l!=null,
qt=ht?l(n,1,0):{_:0};for(let r in qt)en[r]=$l}if($e)if(ce=$t("table",cu,f),nt=$t("tbody",null,ce),Z.mount(n,ce),ht){_t=$t("thead",null,ce,nt);
let l=$t("tr",null,_t);$t("th",null,l);for(var Nn in qt)$t("th",nr,l).textContent=Nn}else ct(ce,du),Z.live&&ct(ce,uu);let Fn={show:!0},ms={show:!1};
function Os(l,r){if(r==0&&(ht||!Z.live||i==2))return rs;let u=[],d=$t("tr",fu,nt,nt.childNodes[r]);ct(d,l.class),l.show||ct(d,Pn);let m=$t("\
th",null,d);if(ke.show){let x=vt(hu,m);if(r>0){let _=ke.width(n,r);_&&(x.style.border=_+"px "+ke.dash(n,r)+" "+ke.stroke(n,r)),x.style.background=
ke.fill(n,r)}}let y=vt(nr,m);l.label instanceof HTMLElement?y.appendChild(l.label):y.textContent=l.label,r>0&&(ke.show||(y.style.color=l.width>
0?ke.stroke(n,r):ke.fill(n,r)),Ke("click",m,x=>{if(O._lock)return;bn(x);let _=k.indexOf(l);if((x.ctrlKey||x.metaKey)!=Z.isolate){let P=k.some(
(A,R)=>R>0&&R!=_&&A.show);k.forEach((A,R)=>{R>0&&Ot(R,P?R==_?Fn:ms:Fn,!0,Pe.setSeries)})}else Ot(_,{show:!l.show},!0,Pe.setSeries)},!1),In&&
Ke(or,m,x=>{O._lock||(bn(x),Ot(k.indexOf(l),Zn,!0,Pe.setSeries))},!1));for(var v in qt){let x=$t("td",pu,d);x.textContent="--",u.push(x)}return[
d,u]}let fn=new Map;function Ke(l,r,u,d=!0){let m=fn.get(r)||{},y=O.bind[l](n,r,u,d);y&&(An(l,r,m[l]=y),fn.set(r,m))}function On(l,r,u){let d=fn.
get(r)||{};for(let m in d)(l==null||m==l)&&(_l(m,r,d[m]),delete d[m]);l==null&&fn.delete(r)}let Kt=0,hn=0,Y=0,D=0,ge=0,Le=0,zn=ge,pn=Le,Nt=Y,
mn=D,st=0,pt=0,Ze=0,St=0;n.bbox={};let Pi=!1,zs=!1,Hn=!1,gn=!1,Hs=!1,mt=!1;function Ai(l,r,u){(u||l!=n.width||r!=n.height)&&Yl(l,r),qn(!1),Hn=
!0,zs=!0,Kn()}function Yl(l,r){n.width=Kt=Y=l,n.height=hn=D=r,ge=Le=0,Ya(),Ja();let u=n.bbox;st=u.left=En(ge*ae,.5),pt=u.top=En(Le*ae,.5),Ze=
u.width=En(Y*ae,.5),St=u.height=En(D*ae,.5)}let Ka=3;function ja(){let l=!1,r=0;for(;!l;){r++;let u=lc(r),d=oc(r);l=r==Ka||u&&d,l||(Yl(n.width,
n.height),zs=!0)}}function Ua({width:l,height:r}){Ai(l,r)}n.setSize=Ua;function Ya(){let l=!1,r=!1,u=!1,d=!1;$.forEach((m,y)=>{if(m.show&&m.
_show){let{side:v,_size:x}=m,_=v%2,P=m.label!=null?m.labelSize:0,A=x+P;A>0&&(_?(Y-=A,v==3?(ge+=A,d=!0):u=!0):(D-=A,v==0?(Le+=A,l=!0):r=!0))}}),
yn[0]=l,yn[1]=u,yn[2]=r,yn[3]=d,Y-=tn[1]+tn[3],ge+=tn[3],D-=tn[2]+tn[0],Le+=tn[0]}function Ja(){let l=ge+Y,r=Le+D,u=ge,d=Le;function m(y,v){
switch(y){case 1:return l+=v,l-v;case 2:return r+=v,r-v;case 3:return u-=v,u+v;case 0:return d-=v,d+v}}$.forEach((y,v)=>{if(y.show&&y._show){
let x=y.side;y._pos=m(x,y._size),y.label!=null&&(y._lpos=m(x,y.labelSize))}})}if(O.dataIdx==null){let l=O.hover,r=l.skip=new Set(l.skip??[]);
r.add(void 0);let u=l.prox=ne(l.prox),d=l.bias??=0;O.dataIdx=(m,y,v,x)=>{if(y==0)return v;let _=v,P=u(m,y,v,x)??pe,A=P>=0&&P<pe,R=E.ori==0?Y:
D,q=O.left,re=t[0],le=t[y];if(r.has(le[v])){_=null;let ee=null,B=null,z;if(d==0||d==-1)for(z=v;ee==null&&z-- >0;)r.has(le[z])||(ee=z);if(d==
0||d==1)for(z=v;B==null&&z++<le.length;)r.has(le[z])||(B=z);if(ee!=null||B!=null)if(A){let we=ee==null?-1/0:F(re[ee],E,R,0),Te=B==null?1/0:F(
re[B],E,R,0),We=q-we,fe=Te-q;We<=fe?We<=P&&(_=ee):fe<=P&&(_=B)}else _=B==null?ee:ee==null?B:v-ee<=B-v?ee:B}else A&&Ce(q-F(re[v],E,R,0))>P&&(_=
null);return _}}let bn=l=>{O.event=l};O.idxs=de,O._lock=!1;let Ge=O.points;Ge.show=ne(Ge.show),Ge.size=ne(Ge.size),Ge.stroke=ne(Ge.stroke),Ge.
width=ne(Ge.width),Ge.fill=ne(Ge.fill);let Ft=n.focus=Ae({},e.focus||{alpha:.3},O.focus),In=Ft.prox>=0,Wn=In&&Ge.one,gt=[],Vn=[],Bn=[];function Jl(l,r){
let u=Ge.show(n,r);if(u instanceof HTMLElement)return ct(u,au),ct(u,l.class),Bt(u,-10,-10,Y,D),M.insertBefore(u,gt[r]),u}function Ql(l,r){if(i==
1||r>0){let u=i==1&&S[l.scale].time,d=l.value;l.value=u?xr(d)?Pr(se,Mr(d,H)):d||ie:d||kd,l.label=l.label||(u?pd:hd)}if(Wn||r>0){l.width=l.width==
null?1:l.width,l.paths=l.paths||Fd||Eu,l.fillTo=ne(l.fillTo||Md),l.pxAlign=+oe(l.pxAlign,C),l.pxRound=Or(l.pxAlign),l.stroke=ne(l.stroke||null),
l.fill=ne(l.fill||null),l._stroke=l._fill=l._paths=l._focus=null;let u=_d(Je(1,l.width),1),d=l.points=Ae({},{size:u,width:Je(1,u*.2),stroke:l.
stroke,space:u*2,paths:Od,_stroke:null,_fill:null},l.points);d.show=ne(d.show),d.filter=ne(d.filter),d.fill=ne(d.fill),d.stroke=ne(d.stroke),
d.paths=ne(d.paths),d.pxAlign=l.pxAlign}if($e){let u=Os(l,r);Se.splice(r,0,u[0]),Ct.splice(r,0,u[1]),Z.values.push(null)}if(qe){de.splice(r,
0,null);let u=null;Wn?r==0&&(u=Jl(l,r)):r>0&&(u=Jl(l,r)),gt.splice(r,0,u),Vn.splice(r,0,0),Bn.splice(r,0,0)}Ie("addSeries",r)}function Qa(l,r){
r=r??k.length,l=i==1?Al(l,r,Dr,Nr):Al(l,r,{},Cr),k.splice(r,0,l),Ql(k[r],r)}n.addSeries=Qa;function Za(l){if(k.splice(l,1),$e){Z.values.splice(
l,1),Ct.splice(l,1);let r=Se.splice(l,1)[0];On(null,r.firstChild),r.remove()}qe&&(de.splice(l,1),gt.splice(l,1)[0].remove(),Vn.splice(l,1),Bn.
splice(l,1)),Ie("delSeries",l)}n.delSeries=Za;let yn=[!1,!1,!1,!1];function Xa(l,r){if(l._show=l.show,l.show){let u=l.side%2,d=S[l.scale];d==
null&&(l.scale=u?k[1].scale:L,d=S[l.scale]);let m=d.time;l.size=ne(l.size),l.space=ne(l.space),l.rotate=ne(l.rotate),an(l.incrs)&&l.incrs.forEach(
v=>{!cn.has(v)&&cn.set(v,Jr(v))}),l.incrs=ne(l.incrs||(d.distr==2?Uu:m?N==1?Ju:Xu:Mn)),l.splits=ne(l.splits||(m&&d.distr==1?Qe:d.distr==3?Tl:
d.distr==4?bd:gd)),l.stroke=ne(l.stroke),l.grid.stroke=ne(l.grid.stroke),l.ticks.stroke=ne(l.ticks.stroke),l.border.stroke=ne(l.border.stroke);
let y=l.values;l.values=an(y)&&!an(y[0])?ne(y):m?an(y)?Er(se,Tr(y,H)):xr(y)?nd(se,y):y||xe:y||md,l.filter=ne(l.filter||(d.distr>=3&&d.log==10?
vd:d.distr==3&&d.log==2?xd:Ur)),l.font=Wr(l.font),l.labelFont=Wr(l.labelFont),l._size=l.size(n,null,r,0),l._space=l._rotate=l._incrs=l._found=
l._splits=l._values=null,l._size>0&&(yn[r]=!0,l._el=vt(iu,w))}}function gs(l,r,u,d){let[m,y,v,x]=u,_=r%2,P=0;return _==0&&(x||y)&&(P=r==0&&!m||
r==2&&!v?Re(Ar.size/3):0),_==1&&(m||v)&&(P=r==1&&!y||r==3&&!x?Re(Lr.size/2):0),P}let Zl=n.padding=(e.padding||[gs,gs,gs,gs]).map(l=>ne(oe(l,
gs))),tn=n._padding=Zl.map((l,r)=>l(n,r,yn,0)),Ve,Fe=null,Oe=null,Is=i==1?k[0].idxs:null,Tt=null,bs=!1;function Xl(l,r){if(t=l??[],n.data=n.
_data=t,i==2){Ve=0;for(let u=1;u<k.length;u++)Ve+=t[u][0].length}else{t.length==0&&(n.data=n._data=t=[[]]),Tt=t[0],Ve=Tt.length;let u=t;if(J==
2){u=t.slice();let d=u[0]=Array(Ve);for(let m=0;m<Ve;m++)d[m]=m}n._data=t=u}if(qn(!0),Ie("setData"),J==2&&(Hn=!0),r!==!1){let u=E;u.auto(n,bs)?
Di():sn(L,u.min,u.max),gn=gn||O.left>=0,mt=!0,Kn()}}n.setData=Xl;function Di(){bs=!0;let l,r;i==1&&(Ve>0?(Fe=Is[0]=0,Oe=Is[1]=Ve-1,l=t[0][Fe],
r=t[0][Oe],J==2?(l=Fe,r=Oe):l==r&&(J==3?[l,r]=pi(l,l,E.log,!1):J==4?[l,r]=Rl(l,l,E.log,!1):E.time?r=l+Re(86400/N):[l,r]=di(l,r,Cl,!0))):(Fe=
Is[0]=l=null,Oe=Is[1]=r=null)),sn(L,l,r)}let Ws,Gn,$i,Li,Ri,Ci,Ni,Fi,Oi,Xe;function eo(l,r,u,d,m,y){l??=ir,u??=Fl,d??="butt",m??=ir,y??="rou\
nd",l!=Ws&&(g.strokeStyle=Ws=l),m!=Gn&&(g.fillStyle=Gn=m),r!=$i&&(g.lineWidth=$i=r),y!=Ri&&(g.lineJoin=Ri=y),d!=Ci&&(g.lineCap=Ci=d),u!=Li&&
g.setLineDash(Li=u)}function to(l,r,u,d){r!=Gn&&(g.fillStyle=Gn=r),l!=Ni&&(g.font=Ni=l),u!=Fi&&(g.textAlign=Fi=u),d!=Oi&&(g.textBaseline=Oi=
d)}function zi(l,r,u,d,m=0){if(d.length>0&&l.auto(n,bs)&&(r==null||r.min==null)){let y=oe(Fe,0),v=oe(Oe,d.length-1),x=u.min==null?vu(d,y,v,m,
l.distr==3):[u.min,u.max];l.min=Rt(l.min,u.min=x[0]),l.max=Je(l.max,u.max=x[1])}}let no={min:null,max:null};function ec(){for(let d in S){let m=S[d];
W[d]==null&&(m.min==null||W[L]!=null&&m.auto(n,bs))&&(W[d]=no)}for(let d in S){let m=S[d];W[d]==null&&m.from!=null&&W[m.from]!=null&&(W[d]=no)}
W[L]!=null&&qn(!0);let l={};for(let d in W){let m=W[d];if(m!=null){let y=l[d]=as(S[d],Au);if(m.min!=null)Ae(y,m);else if(d!=L||i==2)if(Ve==0&&
y.from==null){let v=y.range(n,null,null,d);y.min=v[0],y.max=v[1]}else y.min=pe,y.max=-pe}}if(Ve>0){k.forEach((d,m)=>{if(i==1){let y=d.scale,
v=W[y];if(v==null)return;let x=l[y];if(m==0){let _=x.range(n,x.min,x.max,y);x.min=_[0],x.max=_[1],Fe=Lt(x.min,t[0]),Oe=Lt(x.max,t[0]),Oe-Fe>
1&&(t[0][Fe]<x.min&&Fe++,t[0][Oe]>x.max&&Oe--),d.min=Tt[Fe],d.max=Tt[Oe]}else d.show&&d.auto&&zi(x,v,d,t[m],d.sorted);d.idxs[0]=Fe,d.idxs[1]=
Oe}else if(m>0&&d.show&&d.auto){let[y,v]=d.facets,x=y.scale,_=v.scale,[P,A]=t[m],R=l[x],q=l[_];R!=null&&zi(R,W[x],y,P,y.sorted),q!=null&&zi(
q,W[_],v,A,v.sorted),d.min=v.min,d.max=v.max}});for(let d in l){let m=l[d],y=W[d];if(m.from==null&&(y==null||y.min==null)){let v=m.range(n,m.
min==pe?null:m.min,m.max==-pe?null:m.max,d);m.min=v[0],m.max=v[1]}}}for(let d in l){let m=l[d];if(m.from!=null){let y=l[m.from];if(y.min==null)
m.min=m.max=null;else{let v=m.range(n,y.min,y.max,d);m.min=v[0],m.max=v[1]}}}let r={},u=!1;for(let d in l){let m=l[d],y=S[d];if(y.min!=m.min||
y.max!=m.max){y.min=m.min,y.max=m.max;let v=y.distr;y._min=v==3?Zt(y.min):v==4?gl(y.min,y.asinh):v==100?y.fwd(y.min):y.min,y._max=v==3?Zt(y.
max):v==4?gl(y.max,y.asinh):v==100?y.fwd(y.max):y.max,r[d]=u=!0}}if(u){k.forEach((d,m)=>{i==2?m>0&&r.y&&(d._paths=null):r[d.scale]&&(d._paths=
null)});for(let d in r)Hn=!0,Ie("setScale",d);qe&&O.left>=0&&(gn=mt=!0)}for(let d in W)W[d]=null}function tc(l){let r=Sl(Fe-1,0,Ve-1),u=Sl(Oe+
1,0,Ve-1);for(;l[r]==null&&r>0;)r--;for(;l[u]==null&&u<Ve-1;)u++;return[r,u]}function nc(){if(Ve>0){let l=k.some(r=>r._focus)&&Xe!=Ft.alpha;
l&&(g.globalAlpha=Xe=Ft.alpha),k.forEach((r,u)=>{if(u>0&&r.show&&(so(u,!1),so(u,!0),r._paths==null)){let d=Xe;Xe!=r.alpha&&(g.globalAlpha=Xe=
r.alpha);let m=i==2?[0,t[u][0].length-1]:tc(t[u]);r._paths=r.paths(n,u,m[0],m[1]),Xe!=d&&(g.globalAlpha=Xe=d)}}),k.forEach((r,u)=>{if(u>0&&r.
show){let d=Xe;Xe!=r.alpha&&(g.globalAlpha=Xe=r.alpha),r._paths!=null&&io(u,!1);{let m=r._paths!=null?r._paths.gaps:null,y=r.points.show(n,u,
Fe,Oe,m),v=r.points.filter(n,u,y,m);(y||v)&&(r.points._paths=r.points.paths(n,u,Fe,Oe,v),io(u,!0))}Xe!=d&&(g.globalAlpha=Xe=d),Ie("drawSerie\
s",u)}}),l&&(g.globalAlpha=Xe=1)}}function so(l,r){let u=r?k[l].points:k[l];u._stroke=u.stroke(n,l),u._fill=u.fill(n,l)}function io(l,r){let u=r?
k[l].points:k[l],{stroke:d,fill:m,clip:y,flags:v,_stroke:x=u._stroke,_fill:_=u._fill,_width:P=u.width}=u._paths;P=me(P*ae,3);let A=null,R=P%
2/2;r&&_==null&&(_=P>0?"#fff":x);let q=u.pxAlign==1&&R>0;if(q&&g.translate(R,R),!r){let re=st-P/2,le=pt-P/2,ee=Ze+P,B=St+P;A=new Path2D,A.rect(
re,le,ee,B)}r?Hi(x,P,u.dash,u.cap,_,d,m,v,y):sc(l,x,P,u.dash,u.cap,_,d,m,v,A,y),q&&g.translate(-R,-R)}function sc(l,r,u,d,m,y,v,x,_,P,A){let R=!1;
_!=0&&j.forEach((q,re)=>{if(q.series[0]==l){let le=k[q.series[1]],ee=t[q.series[1]],B=(le._paths||Rs).band;an(B)&&(B=q.dir==1?B[0]:B[1]);let z,
we=null;le.show&&B&&ku(ee,Fe,Oe)?(we=q.fill(n,re)||y,z=le._paths.clip):B=null,Hi(r,u,d,m,we,v,x,_,P,A,z,B),R=!0}}),R||Hi(r,u,d,m,y,v,x,_,P,A)}
let lo=cs|Ml;function Hi(l,r,u,d,m,y,v,x,_,P,A,R){eo(l,r,u,d,m),(_||P||R)&&(g.save(),_&&g.clip(_),P&&g.clip(P)),R?(x&lo)==lo?(g.clip(R),A&&g.
clip(A),Bs(m,v),Vs(l,y,r)):x&Ml?(Bs(m,v),g.clip(R),Vs(l,y,r)):x&cs&&(g.save(),g.clip(R),A&&g.clip(A),Bs(m,v),g.restore(),Vs(l,y,r)):(Bs(m,v),
Vs(l,y,r)),(_||P||R)&&g.restore()}function Vs(l,r,u){u>0&&(r instanceof Map?r.forEach((d,m)=>{g.strokeStyle=Ws=m,g.stroke(d)}):r!=null&&l&&g.
stroke(r))}function Bs(l,r){r instanceof Map?r.forEach((u,d)=>{g.fillStyle=Gn=d,g.fill(u)}):r!=null&&l&&g.fill(r)}function ic(l,r,u,d){let m=$[l],
y;if(d<=0)y=[0,0];else{let v=m._space=m.space(n,l,r,u,d),x=m._incrs=m.incrs(n,l,r,u,d,v);y=Bd(r,u,x,d,v)}return m._found=y}function Ii(l,r,u,d,m,y,v,x,_,P){
let A=v%2/2;C==1&&g.translate(A,A),eo(x,v,_,P,x),g.beginPath();let R,q,re,le,ee=m+(d==0||d==3?-y:y);u==0?(q=m,le=ee):(R=m,re=ee);for(let B=0;B<
l.length;B++)r[B]!=null&&(u==0?R=re=l[B]:q=le=l[B],g.moveTo(R,q),g.lineTo(re,le));g.stroke(),C==1&&g.translate(-A,-A)}function lc(l){let r=!0;
return $.forEach((u,d)=>{if(!u.show)return;let m=S[u.scale];if(m.min==null){u._show&&(r=!1,u._show=!1,qn(!1));return}else u._show||(r=!1,u._show=
!0,qn(!1));let y=u.side,v=y%2,{min:x,max:_}=m,[P,A]=ic(d,x,_,v==0?Y:D);if(A==0)return;let R=m.distr==2,q=u._splits=u.splits(n,d,x,_,P,A,R),re=m.
distr==2?q.map(z=>Tt[z]):q,le=m.distr==2?Tt[q[1]]-Tt[q[0]]:P,ee=u._values=u.values(n,u.filter(n,re,d,A,le),d,A,le);u._rotate=y==2?u.rotate(n,
ee,d,A):0;let B=u._size;u._size=xt(u.size(n,ee,d,l)),B!=null&&u._size!=B&&(r=!1)}),r}function oc(l){let r=!0;return Zl.forEach((u,d)=>{let m=u(
n,d,yn,l);m!=tn[d]&&(r=!1),tn[d]=m}),r}function rc(){for(let l=0;l<$.length;l++){let r=$[l];if(!r.show||!r._show)continue;let u=r.side,d=u%2,
m,y,v=r.stroke(n,l),x=u==0||u==3?-1:1,[_,P]=r._found;if(r.label!=null){let Ue=r.labelGap*x,ot=Re((r._lpos+Ue)*ae);to(r.labelFont[0],v,"cente\
r",u==2?"top":sr),g.save(),d==1?(m=y=0,g.translate(ot,Re(pt+St/2)),g.rotate((u==3?-ci:ci)/2)):(m=Re(st+Ze/2),y=ot);let xn=Kr(r.label)?r.label(
n,l,_,P):r.label;g.fillText(xn,m,y),g.restore()}if(P==0)continue;let A=S[r.scale],R=d==0?Ze:St,q=d==0?st:pt,re=r._splits,le=A.distr==2?re.map(
Ue=>Tt[Ue]):re,ee=A.distr==2?Tt[re[1]]-Tt[re[0]]:_,B=r.ticks,z=r.border,we=B.show?B.size:0,Te=Re(we*ae),We=Re((r.alignTo==2?r._size-we-r.gap:
r.gap)*ae),fe=r._rotate*-ci/180,Ee=I(r._pos*ae),it=(Te+We)*x,je=Ee+it;y=d==0?je:0,m=d==1?je:0;let bt=r.font[0],Et=r.align==1?ss:r.align==2?hl:
fe>0?ss:fe<0?hl:d==0?"center":u==3?hl:ss,Ht=fe||d==1?"middle":u==2?"top":sr;to(bt,v,Et,Ht);let lt=r.font[1]*r.lineGap,yt=re.map(Ue=>I(c(Ue,A,
R,q))),Mt=r._values;for(let Ue=0;Ue<Mt.length;Ue++){let ot=Mt[Ue];if(ot!=null){d==0?m=yt[Ue]:y=yt[Ue],ot=""+ot;let xn=ot.indexOf(`
`)==-1?[ot]:ot.split(/\n/gm);for(let Ye=0;Ye<xn.length;Ye++){let To=xn[Ye];fe?(g.save(),g.translate(m,y+Ye*lt),g.rotate(fe),g.fillText(To,0,
0),g.restore()):g.fillText(To,m,y+Ye*lt)}}}B.show&&Ii(yt,B.filter(n,le,l,P,ee),d,u,Ee,Te,me(B.width*ae,3),B.stroke(n,l),B.dash,B.cap);let It=r.
grid;It.show&&Ii(yt,It.filter(n,le,l,P,ee),d,d==0?2:1,d==0?pt:st,d==0?St:Ze,me(It.width*ae,3),It.stroke(n,l),It.dash,It.cap),z.show&&Ii([Ee],
[1],d==0?1:0,d==0?1:2,d==1?pt:st,d==1?St:Ze,me(z.width*ae,3),z.stroke(n,l),z.dash,z.cap)}Ie("drawAxes")}function qn(l){k.forEach((r,u)=>{u>0&&
(r._paths=null,l&&(i==1?(r.min=null,r.max=null):r.facets.forEach(d=>{d.min=null,d.max=null})))})}let Gs=!1,Wi=!1,ys=[];function ac(){Wi=!1;for(let l=0;l<
ys.length;l++)Ie(...ys[l]);ys.length=0}function Kn(){Gs||(Fu(oo),Gs=!0)}function cc(l,r=!1){Gs=!0,Wi=r,l(n),oo(),r&&ys.length>0&&queueMicrotask(
ac)}n.batch=cc;function oo(){if(Pi&&(ec(),Pi=!1),Hn&&(ja(),Hn=!1),zs){if(ve(T,ss,ge),ve(T,"top",Le),ve(T,As,Y),ve(T,Ds,D),ve(M,ss,ge),ve(M,"\
top",Le),ve(M,As,Y),ve(M,Ds,D),ve(w,As,Kt),ve(w,Ds,hn),b.width=Re(Kt*ae),b.height=Re(hn*ae),$.forEach(({_el:l,_show:r,_size:u,_pos:d,side:m})=>{
if(l!=null)if(r){let y=m===3||m===0?u:0,v=m%2==1;ve(l,v?"left":"top",d-y),ve(l,v?"width":"height",u),ve(l,v?"top":"left",v?Le:ge),ve(l,v?"he\
ight":"width",v?D:Y),kl(l,Pn)}else ct(l,Pn)}),Ws=Gn=$i=Ri=Ci=Ni=Fi=Oi=Li=null,Xe=1,xs(!0),ge!=zn||Le!=pn||Y!=Nt||D!=mn){qn(!1);let l=Y/Nt,r=D/
mn;if(qe&&!gn&&O.left>=0){O.left*=l,O.top*=r,jn&&Bt(jn,Re(O.left),0,Y,D),Un&&Bt(Un,0,Re(O.top),Y,D);for(let u=0;u<gt.length;u++){let d=gt[u];
d!=null&&(Vn[u]*=l,Bn[u]*=r,Bt(d,xt(Vn[u]),xt(Bn[u]),Y,D))}}if(ye.show&&!Hs&&ye.left>=0&&ye.width>0){ye.left*=l,ye.width*=l,ye.top*=r,ye.height*=
r;for(let u in ji)ve(Qn,u,ye[u])}zn=ge,pn=Le,Nt=Y,mn=D}Ie("setSize"),zs=!1}Kt>0&&hn>0&&(g.clearRect(0,0,b.width,b.height),Ie("drawClear"),U.
forEach(l=>l()),Ie("draw")),ye.show&&Hs&&(qs(ye),Hs=!1),qe&&gn&&(vn(null,!0,!1),gn=!1),Z.show&&Z.live&&mt&&(qi(),mt=!1),h||(h=!0,n.status=1,
Ie("ready")),bs=!1,Gs=!1}n.redraw=(l,r)=>{Hn=r||!1,l!==!1?sn(L,E.min,E.max):Kn()};function Vi(l,r){let u=S[l];if(u.from==null){if(Ve==0){let d=u.
range(n,r.min,r.max,l);r.min=d[0],r.max=d[1]}if(r.min>r.max){let d=r.min;r.min=r.max,r.max=d}if(Ve>1&&r.min!=null&&r.max!=null&&r.max-r.min<
1e-16)return;l==L&&u.distr==2&&Ve>0&&(r.min=Lt(r.min,t[0]),r.max=Lt(r.max,t[0]),r.min==r.max&&r.max++),W[l]=r,Pi=!0,Kn()}}n.setScale=Vi;let Bi,
Gi,jn,Un,ro,ao,Yn,Jn,co,uo,be,_e,nn=!1,Be=O.drag,ze=Be.x,He=Be.y;qe&&(O.x&&(Bi=vt(ou,M)),O.y&&(Gi=vt(ru,M)),E.ori==0?(jn=Bi,Un=Gi):(jn=Gi,Un=
Bi),be=O.left,_e=O.top);let ye=n.select=Ae({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),Qn=ye.show?vt(lu,ye.over?M:T):null;function qs(l,r){
if(ye.show){for(let u in l)ye[u]=l[u],u in ji&&ve(Qn,u,l[u]);r!==!1&&Ie("setSelect")}}n.setSelect=qs;function uc(l){if(k[l].show)$e&&kl(Se[l],
Pn);else if($e&&ct(Se[l],Pn),qe){let u=Wn?gt[0]:gt[l];u!=null&&Bt(u,-10,-10,Y,D)}}function sn(l,r,u){Vi(l,{min:r,max:u})}function Ot(l,r,u,d){
r.focus!=null&&mc(l),r.show!=null&&k.forEach((m,y)=>{y>0&&(l==y||l==null)&&(m.show=r.show,uc(y),i==2?(sn(m.facets[0].scale,null,null),sn(m.facets[1].
scale,null,null)):sn(m.scale,null,null),Kn())}),u!==!1&&Ie("setSeries",l,r),d&&ks("setSeries",n,l,r)}n.setSeries=Ot;function dc(l,r){Ae(j[l],
r)}function fc(l,r){l.fill=ne(l.fill||null),l.dir=oe(l.dir,-1),r=r??j.length,j.splice(r,0,l)}function hc(l){l==null?j.length=0:j.splice(l,1)}
n.addBand=fc,n.setBand=dc,n.delBand=hc;function pc(l,r){k[l].alpha=r,qe&&gt[l]!=null&&(gt[l].style.opacity=r),$e&&Se[l]&&(Se[l].style.opacity=
r)}let jt,ln,wn,Zn={focus:!0};function mc(l){if(l!=wn){let r=l==null,u=Ft.alpha!=1;k.forEach((d,m)=>{if(i==1||m>0){let y=r||m==0||m==l;d._focus=
r?null:y,u&&pc(m,y?1:Ft.alpha)}}),wn=l,u&&Kn()}}$e&&In&&Ke(rr,ce,l=>{O._lock||(bn(l),wn!=null&&Ot(null,Zn,!0,Pe.setSeries))});function zt(l,r,u){
let d=S[r];u&&(l=l/ae-(d.ori==1?Le:ge));let m=Y;d.ori==1&&(m=D,l=m-l),d.dir==-1&&(l=m-l);let y=d._min,v=d._max,x=l/m,_=y+(v-y)*x,P=d.distr;return P==
3?os(10,_):P==4?Su(_,d.asinh):P==100?d.bwd(_):_}function gc(l,r){let u=zt(l,L,r);return Lt(u,t[0],Fe,Oe)}n.valToIdx=l=>Lt(l,t[0]),n.posToIdx=
gc,n.posToVal=zt,n.valToPos=(l,r,u)=>S[r].ori==0?o(l,S[r],u?Ze:Y,u?st:0):a(l,S[r],u?St:D,u?pt:0),n.setCursor=(l,r,u)=>{be=l.left,_e=l.top,vn(
null,r,u)};function fo(l,r){ve(Qn,ss,ye.left=l),ve(Qn,As,ye.width=r)}function ho(l,r){ve(Qn,"top",ye.top=l),ve(Qn,Ds,ye.height=r)}let ws=E.ori==
0?fo:ho,vs=E.ori==1?fo:ho;function bc(){if($e&&Z.live)for(let l=i==2?1:0;l<k.length;l++){if(l==0&&ht)continue;let r=Z.values[l],u=0;for(let d in r)
Ct[l][u++].firstChild.nodeValue=r[d]}}function qi(l,r){if(l!=null&&(l.idxs?l.idxs.forEach((u,d)=>{de[d]=u}):Pu(l.idx)||de.fill(l.idx),Z.idx=
de[0]),$e&&Z.live){for(let u=0;u<k.length;u++)(u>0||i==1&&!ht)&&yc(u,de[u]);bc()}mt=!1,r!==!1&&Ie("setLegend")}n.setLegend=qi;function yc(l,r){
let u=k[l],d=l==0&&J==2?Tt:t[l],m;ht?m=u.values(n,l,r)??en:(m=u.value(n,r==null?null:d[r],l,r),m=m==null?en:{_:m}),Z.values[l]=m}function vn(l,r,u){
co=be,uo=_e,[be,_e]=O.move(n,be,_e),O.left=be,O.top=_e,qe&&(jn&&Bt(jn,Re(be),0,Y,D),Un&&Bt(Un,0,Re(_e),Y,D));let d,m=Fe>Oe;jt=pe,ln=null;let y=E.
ori==0?Y:D,v=E.ori==1?Y:D;if(be<0||Ve==0||m){d=O.idx=null;for(let x=0;x<k.length;x++){let _=gt[x];_!=null&&Bt(_,-10,-10,Y,D)}In&&Ot(null,Zn,
!0,l==null&&Pe.setSeries),Z.live&&(de.fill(d),mt=!0)}else{let x,_,P;i==1&&(x=E.ori==0?be:_e,_=zt(x,L),d=O.idx=Lt(_,t[0],Fe,Oe),P=F(t[0][d],E,
y,0));let A=-10,R=-10,q=0,re=0,le=!0,ee="",B="";for(let z=i==2?1:0;z<k.length;z++){let we=k[z],Te=de[z],We=Te==null?null:i==1?t[z][Te]:t[z][1][Te],
fe=O.dataIdx(n,z,d,_),Ee=fe==null?null:i==1?t[z][fe]:t[z][1][fe];if(mt=mt||Ee!=We||fe!=Te,de[z]=fe,z>0&&we.show){let it=fe==null?-10:fe==d?P:
F(i==1?t[0][fe]:t[z][0][fe],E,y,0),je=Ee==null?-10:G(Ee,i==1?S[we.scale]:S[we.facets[1].scale],v,0);if(In&&Ee!=null){let bt=E.ori==1?be:_e,Et=Ce(
Ft.dist(n,z,fe,je,bt));if(Et<jt){let Ht=Ft.bias;if(Ht!=0){let lt=zt(bt,we.scale),yt=Ee>=0?1:-1,Mt=lt>=0?1:-1;Mt==yt&&(Mt==1?Ht==1?Ee>=lt:Ee<=
lt:Ht==1?Ee<=lt:Ee>=lt)&&(jt=Et,ln=z)}else jt=Et,ln=z}}if(mt||Wn){let bt,Et;E.ori==0?(bt=it,Et=je):(bt=je,Et=it);let Ht,lt,yt,Mt,It,Ue,ot=!0,
xn=Ge.bbox;if(xn!=null){ot=!1;let Ye=xn(n,z);yt=Ye.left,Mt=Ye.top,Ht=Ye.width,lt=Ye.height}else yt=bt,Mt=Et,Ht=lt=Ge.size(n,z);if(Ue=Ge.fill(
n,z),It=Ge.stroke(n,z),Wn)z==ln&&jt<=Ft.prox&&(A=yt,R=Mt,q=Ht,re=lt,le=ot,ee=Ue,B=It);else{let Ye=gt[z];Ye!=null&&(Vn[z]=yt,Bn[z]=Mt,pr(Ye,Ht,
lt,ot),fr(Ye,Ue,It),Bt(Ye,xt(yt),xt(Mt),Y,D))}}}}if(Wn){let z=Ft.prox,we=wn==null?jt<=z:jt>z||ln!=wn;if(mt||we){let Te=gt[0];Te!=null&&(Vn[0]=
A,Bn[0]=R,pr(Te,q,re,le),fr(Te,ee,B),Bt(Te,xt(A),xt(R),Y,D))}}}if(ye.show&&nn)if(l!=null){let[x,_]=Pe.scales,[P,A]=Pe.match,[R,q]=l.cursor.sync.
scales,re=l.cursor.drag;if(ze=re._x,He=re._y,ze||He){let{left:le,top:ee,width:B,height:z}=l.select,we=l.scales[R].ori,Te=l.posToVal,We,fe,Ee,
it,je,bt=x!=null&&P(x,R),Et=_!=null&&A(_,q);bt&&ze?(we==0?(We=le,fe=B):(We=ee,fe=z),Ee=S[x],it=F(Te(We,R),Ee,y,0),je=F(Te(We+fe,R),Ee,y,0),ws(
Rt(it,je),Ce(je-it))):ws(0,y),Et&&He?(we==1?(We=le,fe=B):(We=ee,fe=z),Ee=S[_],it=G(Te(We,q),Ee,v,0),je=G(Te(We+fe,q),Ee,v,0),vs(Rt(it,je),Ce(
je-it))):vs(0,v)}else Ui()}else{let x=Ce(co-ro),_=Ce(uo-ao);if(E.ori==1){let q=x;x=_,_=q}ze=Be.x&&x>=Be.dist,He=Be.y&&_>=Be.dist;let P=Be.uni;
P!=null?ze&&He&&(ze=x>=P,He=_>=P,!ze&&!He&&(_>x?He=!0:ze=!0)):Be.x&&Be.y&&(ze||He)&&(ze=He=!0);let A,R;ze&&(E.ori==0?(A=Yn,R=be):(A=Jn,R=_e),
ws(Rt(A,R),Ce(R-A)),He||vs(0,v)),He&&(E.ori==1?(A=Yn,R=be):(A=Jn,R=_e),vs(Rt(A,R),Ce(R-A)),ze||ws(0,y)),!ze&&!He&&(ws(0,0),vs(0,0))}if(Be._x=
ze,Be._y=He,l==null){if(u){if(So!=null){let[x,_]=Pe.scales;Pe.values[0]=x!=null?zt(E.ori==0?be:_e,x):null,Pe.values[1]=_!=null?zt(E.ori==1?be:
_e,_):null}ks(pl,n,be,_e,Y,D,d)}if(In){let x=u&&Pe.setSeries,_=Ft.prox;wn==null?jt<=_&&Ot(ln,Zn,!0,x):jt>_?Ot(null,Zn,!0,x):ln!=wn&&Ot(ln,Zn,
!0,x)}}mt&&(Z.idx=d,qi()),r!==!1&&Ie("setCursor")}let on=null;Object.defineProperty(n,"rect",{get(){return on==null&&xs(!1),on}});function xs(l=!1){
l?on=null:(on=M.getBoundingClientRect(),Ie("syncRect",on))}function po(l,r,u,d,m,y,v){O._lock||nn&&l!=null&&l.movementX==0&&l.movementY==0||
(Ki(l,r,u,d,m,y,v,!1,l!=null),l!=null?vn(null,!0,!0):vn(r,!0,!1))}function Ki(l,r,u,d,m,y,v,x,_){if(on==null&&xs(!1),bn(l),l!=null)u=l.clientX-
on.left,d=l.clientY-on.top;else{if(u<0||d<0){be=-10,_e=-10;return}let[P,A]=Pe.scales,R=r.cursor.sync,[q,re]=R.values,[le,ee]=R.scales,[B,z]=Pe.
match,we=r.axes[0].side%2==1,Te=E.ori==0?Y:D,We=E.ori==1?Y:D,fe=we?y:m,Ee=we?m:y,it=we?d:u,je=we?u:d;if(le!=null?u=B(P,le)?c(q,S[P],Te,0):-10:
u=Te*(it/fe),ee!=null?d=z(A,ee)?c(re,S[A],We,0):-10:d=We*(je/Ee),E.ori==1){let bt=u;u=d,d=bt}}_&&(r==null||r.cursor.event.type==pl)&&((u<=1||
u>=Y-1)&&(u=En(u,Y)),(d<=1||d>=D-1)&&(d=En(d,D))),x?(ro=u,ao=d,[Yn,Jn]=O.move(n,u,d)):(be=u,_e=d)}let ji={width:0,height:0,left:0,top:0};function Ui(){
qs(ji,!1)}let mo,go,bo,yo;function wo(l,r,u,d,m,y,v){nn=!0,ze=He=Be._x=Be._y=!1,Ki(l,r,u,d,m,y,v,!0,!1),l!=null&&(Ke(ml,vl,vo,!1),ks(lr,n,Yn,
Jn,Y,D,null));let{left:x,top:_,width:P,height:A}=ye;mo=x,go=_,bo=P,yo=A}function vo(l,r,u,d,m,y,v){nn=Be._x=Be._y=!1,Ki(l,r,u,d,m,y,v,!1,!0);
let{left:x,top:_,width:P,height:A}=ye,R=P>0||A>0,q=mo!=x||go!=_||bo!=P||yo!=A;if(R&&q&&qs(ye),Be.setScale&&R&&q){let re=x,le=P,ee=_,B=A;if(E.
ori==1&&(re=_,le=A,ee=x,B=P),ze&&sn(L,zt(re,L),zt(re+le,L)),He)for(let z in S){let we=S[z];z!=L&&we.from==null&&we.min!=pe&&sn(z,zt(ee+B,z),
zt(ee,z))}Ui()}else O.lock&&(O._lock=!O._lock,vn(r,!0,l!=null));l!=null&&(On(ml,vl),ks(ml,n,be,_e,Y,D,null))}function wc(l,r,u,d,m,y,v){if(O.
_lock)return;bn(l);let x=nn;if(nn){let _=!0,P=!0,A=10,R,q;E.ori==0?(R=ze,q=He):(R=He,q=ze),R&&q&&(_=be<=A||be>=Y-A,P=_e<=A||_e>=D-A),R&&_&&(be=
be<Yn?0:Y),q&&P&&(_e=_e<Jn?0:D),vn(null,!0,!0),nn=!1}be=-10,_e=-10,de.fill(null),vn(null,!0,!0),x&&(nn=x)}function xo(l,r,u,d,m,y,v){O._lock||
(bn(l),Di(),Ui(),l!=null&&ks(ar,n,be,_e,Y,D,null))}function ko(){$.forEach(Gd),Ai(n.width,n.height,!0)}An(ui,ls,ko);let Xn={};Xn.mousedown=wo,
Xn.mousemove=po,Xn.mouseup=vo,Xn.dblclick=xo,Xn.setSeries=(l,r,u,d)=>{let m=Pe.match[2];u=m(n,r,u),u!=-1&&Ot(u,d,!0,!1)},qe&&(Ke(lr,M,wo),Ke(
pl,M,po),Ke(or,M,l=>{bn(l),xs(!1)}),Ke(rr,M,wc),Ke(ar,M,xo),Pl.add(n),n.syncRect=xs);let Ks=n.hooks=e.hooks||{};function Ie(l,r,u){Wi?ys.push(
[l,r,u]):l in Ks&&Ks[l].forEach(d=>{d.call(null,n,r,u)})}(e.plugins||[]).forEach(l=>{for(let r in l.hooks)Ks[r]=(Ks[r]||[]).concat(l.hooks[r])});
let _o=(l,r,u)=>u,Pe=Ae({key:null,setSeries:!1,filters:{pub:wr,sub:wr},scales:[L,k[1]?k[1].scale:null],match:[vr,vr,_o],values:[null,null]},
O.sync);Pe.match.length==2&&Pe.match.push(_o),O.sync=Pe;let So=Pe.key,Yi=ga(So);function ks(l,r,u,d,m,y,v){Pe.filters.pub(l,r,u,d,m,y,v)&&Yi.
pub(l,r,u,d,m,y,v)}Yi.sub(n);function vc(l,r,u,d,m,y,v){Pe.filters.sub(l,r,u,d,m,y,v)&&Xn[l](null,r,u,d,m,y,v)}n.pub=vc;function xc(){Yi.unsub(
n),Pl.delete(n),fn.clear(),_l(ui,ls,ko),f.remove(),ce?.remove(),Ie("destroy")}n.destroy=xc;function Ji(){Ie("init",e,t),Xl(t||e.data,!1),W[L]?
Vi(L,W[L]):Di(),Hs=ye.show&&(ye.width>0||ye.height>0),gn=mt=!0,Ai(e.width,e.height)}return k.forEach(Ql),$.forEach(Xa),s?s instanceof HTMLElement?
(s.appendChild(f),Ji()):s(n,Ji):Ji(),n}Ne.assign=Ae;Ne.fmtNum=Nl;Ne.rangeNum=di;Ne.rangeLog=pi;Ne.rangeAsinh=Rl;Ne.orient=$n;Ne.pxRatio=ae;Ne.
join=Nu;Ne.fmtDate=Ol,Ne.tzDate=Ku;Ne.sync=ga;{Ne.addGap=Pd,Ne.clipGaps=bi;let e=Ne.paths={points:ka};e.linear=Sa,e.stepped=$d,e.bars=Ld,e.spline=
Cd}var Ln=[7,4],Gl=[2,3],Pa=190,qd=60,Kd=180,Aa=86400,jd=Array.from({length:50},(e,t)=>2**t),Gt=class{element;#t;#n=p("div",{class:"chart-canva\
s"});#l=[];#i=p("span",{class:"chart-when"});#r;#a;#e=null;#s=[];#c=[];#o=null;#d=0;constructor(t,s=null){this.#t=t;let n=t.lines.map(i=>{let o=p(
"span",{class:"figure"});this.#l.push(o);let a=p("span",{class:`sample sample-${i.colour}${i.dash?` sample-${i.dash[0]===Gl[0]?"dot":"dash"}`:
""}`,"aria-hidden":"true"});return p("li",{},a,p("span",{},i.label),o)});this.element=p("figure",{class:"chart card"},p("figcaption",{},p("d\
iv",{},p("h3",{},t.title),p("p",{},t.about)),s),this.#n,p("div",{class:"legend"},p("ul",{},...n),this.#i)),this.#n.setAttribute("role","img"),
this.#u(),this.#r=new ResizeObserver(()=>this.#f()),this.#r.observe(this.#n),this.#a=ni(()=>this.#h())}set(t,s,n=null){this.#s=t,this.#c=s,this.#o=
n,this.#u(),this.#n.dataset.points=String(t.length),this.#e?this.#e.setData(this.#p()):this.#f(),this.#y(null)}#u(){let t=this.#o===null?"th\
e last five minutes":this.#o.seconds>Aa?"the last week":"the last day";this.#n.setAttribute("aria-label",`${this.#t.title}: lines over ${t};\
 the newest figures follow`)}leave(){this.#r.disconnect(),this.#a(),this.#e?.destroy(),this.#e=null}#f(){let t=Math.floor(this.#n.clientWidth);
t!==0&&(this.#e?t!==this.#d&&this.#e.setSize({width:t,height:Pa}):this.#g(t),this.#d=t)}#h(){this.#e&&(this.#e.destroy(),this.#e=null,this.#f())}#p(){
let t=[];return this.#t.lines.forEach((s,n)=>{let i=this.#c[n]??[],o=s.fill==="stacked"?t[n-1]:void 0;t.push(o?i.map((a,c)=>a===null?null:a+
(o[c]??0)):i)}),[this.#s,...t]}#g(t){let{lines:s,tick:n,figure:i,least:o,most:a,isBinary:c}=this.#t,h={stroke:at("ink-soft"),font:`12px ${at(
"font")}`,ticks:{show:!1},grid:{stroke:at("rule"),width:1}},f={width:t,height:Pa,legend:{show:!1},cursor:{sync:{key:"forebay"},drag:{x:!1,y:!1}},
scales:{x:{time:!0,range:()=>this.#m()},y:{range:(b,g,w)=>[0,a??Math.max((w??0)*1.1,o??1)]}},axes:[{...h,grid:{show:!1},size:26,space:110,values:(b,g)=>g.
map(w=>this.#w(w))},{...h,size:62,space:36,values:(b,g)=>g.map(w=>(n??i)(w)),...c?{incrs:jd}:{}}],series:[{},...s.map(b=>this.#b(b))],bands:s.
flatMap((b,g)=>b.fill==="stacked"&&g>0?[{series:[g+1,g]}]:[]),hooks:{setCursor:[b=>this.#y(b.cursor.idx??null)]}};this.#e=new Ne(f,this.#p(),
this.#n)}#b(t){let s=at(t.colour);return{label:t.label,stroke:s,width:2,points:{show:!1},...t.dash?{dash:t.dash}:{},...t.fill?{fill:`${s}40`}:
{}}}#m(){if(this.#o)return[this.#o.end-this.#o.seconds,this.#o.end];let t=this.#s.at(-1)??Date.now()/1e3,s=t-(this.#s[0]??t);return[t-Math.min(
Ss,Math.max(qd,s)),t]}#w(t){let[s,n]=this.#m(),i=Sn(t*1e3);return n-s>Aa&&i==="00:00:00"?tl(t*1e3):n-s<Kd?i:i.slice(0,5)}#y(t){let s=t??this.#s.
length-1,n=this.#s[s];this.#l.forEach((o,a)=>X(o,this.#t.figure(this.#c[a]?.[s]??null)));let i=n===void 0?"":Sn(n*1e3);X(this.#i,t===null||n===
void 0?"now":this.#o?`${tl(n*1e3)} ${i.slice(0,5)}`:i)}};var Ud={"5m":"5 minutes","1d":"1 day","7d":"1 week"},xi=class{element;#t=new Gt({title:"Hit ratio",about:"Reads answered from the cache, of \
all reads.",lines:[{label:"RAM",colour:"ram",fill:"area"},{label:"Flash",colour:"flash",fill:"stacked",dash:Ln}],figure:Me,tick:t=>`${Math.round(
t*100)}%`,most:1});#n=new Gt({title:"Requests a second",about:"What guests asked for.",lines:[{label:"Reads",colour:"read"},{label:"Writes",
colour:"write",dash:Ln}],figure:tt,tick:el,least:10});#l;#i=new Gt({title:"Mean latency",about:"Of all reads, and of all writes.",lines:[{label:"\
Reads",colour:"read"},{label:"Writes",colour:"write",dash:Ln}],figure:Dt,least:10});#r=new Gt({title:"Dirty data",about:"What flash has and \
the backing does not, without zeroes.",lines:[{label:"Dirty",colour:"dirty",fill:"area"},{label:"Limit",colour:"limit",dash:Ln}],figure:V,least:64*
1024,isBinary:!0});#a=new Gt({title:"Backing requests saved",about:"What guests asked for, and what reached the backing.",lines:[{label:"Gue\
sts",colour:"read"},{label:"Backing",colour:"limit",dash:Ln,fill:"area"}],figure:tt,tick:el,least:10});#e=new Gt({title:"Written to flash",about:"\
Bytes a second, headers and second copies included.",lines:[{label:"Flash",colour:"flash",fill:"area"}],figure:At,tick:V,least:64*1024,isBinary:!0});#s=p(
"select",{"aria-label":"Latency of",name:"latency-class"},...Js.map(t=>p("option",{value:t},li[t])));#c=p("span",{class:"hint"});#o;#d=p("p",
{class:"hint",role:"status"});#u=[];#f=!1;constructor(t){let s=p("div",{class:"chart-controls"},this.#s,this.#c);this.#s.value="read_miss",this.#s.
addEventListener("change",()=>{this.#f=!0,this.#b()}),this.#l=new Gt({title:"Latency",about:"So many in a hundred were faster.",lines:[{label:"\
Half",colour:"read"},{label:"95 %",colour:"write",dash:Ln},{label:"99 %",colour:"limit",dash:Gl}],figure:Dt,least:10},s);let n=Object.keys(sl),
i=o=>p("button",{type:"button","data-span":o,onclick:()=>t(o)},Ud[o]);this.#o=p("div",{class:"segmented",role:"group","aria-label":"How far \
back"},...n.map(i)),this.element=p("section",{class:"did","aria-label":"Charts"},p("div",{class:"section-head"},p("h2",{},"What it did"),this.#d,
this.#o),p("div",{class:"charts"},...this.#h().map(o=>o.element))),this.#p("5m",!1)}set(t,s,n){this.#p("5m",!1),this.#u=t,X(this.#c,s?"over \
5 minutes each":"since attached"),this.#g(t,n,null),this.#b()}setPast(t,s,n){let i={end:s?.end??Date.now()/1e3,seconds:sl[t]},o=s?.points??[];
this.#p(t,s===null),this.#g(o,n,i);let a=c=>o.map(c);this.#i.set(o.map(c=>c.at),[a(c=>c.readMicros),a(c=>c.writeMicros)],i)}leave(){for(let t of this.#h())
t.leave()}#h(){return[this.#t,this.#n,this.#l,this.#i,this.#a,this.#r,this.#e]}#p(t,s){for(let n of this.#o.children)n.setAttribute("aria-pr\
essed",String(n.getAttribute("data-span")===t));X(this.#d,s?"Asking Forebay\u2026":t==="5m"?"":"In steps of five minutes; of dirty data, the\
 most in each."),he(this.#l.element,t==="5m"),he(this.#i.element,t!=="5m")}#g(t,s,n){let i=c=>t.map(c),o=t.map(c=>c.at);this.#t.set(o,[i(c=>c.
hitRam),i(c=>c.hitFlash)],n),this.#n.set(o,[i(c=>c.rates?.reads??null),i(c=>c.rates?.writes??null)],n),this.#a.set(o,[i(c=>Tn(c.rates)),i(c=>c.
rates?c.rates.backing_reads+c.rates.backing_writes:null)],n),this.#e.set(o,[i(c=>c.rates?.flash_write_bytes??null)],n);let a=s==="write-back"?
i(c=>c.dirtyLimitBytes):t.map(()=>null);this.#r.set(o,[i(c=>c.dirtyBytes),a],n)}#b(){let t=this.#u.at(-1)?.latency;if(!this.#f&&t&&t[this.#m()].
count===0){let i=Js.find(o=>t[o].count>0);i&&(this.#s.value=i)}let s=this.#m(),n=i=>this.#u.map(o=>o.latency&&o.latency[s].count>0?o.latency[s][i]:
null);this.#l.set(this.#u.map(i=>i.at),[n("p50"),n("p95"),n("p99")])}#m(){return Js.find(t=>t===this.#s.value)??"read_miss"}};function un(){return p("span",{class:"badge"},p("span",{class:"sign","aria-hidden":"true"}),p("span",{}))}function dn(e,t,s){e.className=`ba\
dge badge-${t}`;let[n,i]=e.children;n&&X(n,ul[t]),i&&X(i,s)}function ft(e,t){let s=p("div",{class:"tile-value","data-figure":t}),n=p("div",{
class:"tile-remark"});return{element:p("div",{class:"tile"},p("div",{class:"tile-name"},e),s,n),set(o,a=""){X(s,o),X(n,a)}}}function ki(){let e=p(
"ul",{class:"findings","aria-live":"polite","aria-label":"Warnings"});return{element:e,set(t){e.hidden=t.length===0,kn(e,t,s=>`${s.tone} ${s.
text.replace(/\d[\d.]*/g,"#")}`,()=>p("li",{},p("span",{class:"sign","aria-hidden":"true"}),p("div",{},p("div",{class:"finding-text"}),p("di\
v",{class:"finding-advice"}))),(s,n)=>{s.className=`finding finding-${n.tone}`,De(s,".sign",ul[n.tone]),De(s,".finding-text",n.text),De(s,".\
finding-advice",n.advice??"")})}}}function De(e,t,s){let n=e.querySelector(t);n&&X(n,s)}var Rn={width:120,height:28};function Da(e){let t=js(
"svg",{class:"spark",viewBox:`0 0 ${Rn.width} ${Rn.height}`,role:"img",preserveAspectRatio:"none"}),s=js("path",{fill:"none","vector-effect":"\
non-scaling-stroke"});return t.append(js("path",{class:"spark-base",d:`M0 ${Rn.height-1}H${Rn.width}`,fill:"none"}),s),{element:t,set(n,i){s.
setAttribute("d",Yd(n,i));let o=n.filter(a=>a!==null).at(-1);t.setAttribute("aria-label",o===void 0?`${e}: no reads in the last five minutes`:
`${e} over the last five minutes, ${Me(o)} lately`)}}}function Yd(e,t){let s=Rn.width/Math.max(1,t-1),n=Rn.width-(e.length-1)*s,i="M",o="";return e.
forEach((a,c)=>{if(a===null){i="M";return}o+=`${i}${(n+c*s).toFixed(1)} ${((1-a)*(Rn.height-4)+2).toFixed(1)}`,i="L"}),o}function _i(e){let t=e.
map(([n,i])=>({key:n,name:i,cell:p("dd",{"data-figure":n})}));return{element:p("dl",{class:"facts"},...t.map(({name:n,cell:i})=>p("div",{},p(
"dt",{},n),i))),set(n){for(let{key:i,cell:o}of t)X(o,n[i]??""),o.parentElement&&(o.parentElement.hidden=n[i]===void 0)}}}var $a=4;function ql(e){return Math.log2(e)}function Kl(e){let t=o=>o?`${V(o.cache_bytes)}: ${Me(o.hit_ratio)}`:"\u2013",s=e.points.findIndex(
o=>o.cache_bytes===e.present.cache_bytes),n=o=>s<0?null:e.points[s+o],i=e.wanted.find(o=>o.hit_ratio===.9)?.cache_bytes;return{present:t(e.present),
half:t(n(-$a)),double:t(n($a)),held:t(e.held),knee:t(e.knee),largest:t(e.largest),wanted:i==null?"no size has it":V(i),working_set:V(e.working_set_bytes)}}var La=230,Jd=1e4,Qd=[["present","Present size"],["half","Half of it"],["double","Twice as much"],["held","Held now"],["knee","More gains le\
ss above"],["largest","More gains nothing above"],["wanted","For 90 % hits"],["working_set","Used in 48 active hours"]],Si=class{element;#t=p(
"div",{class:"curve-canvas",role:"img"});#n=p("p",{class:"hint",role:"status"});#l=p("span",{class:"chart-when"});#i=_i(Qd);#r=new ResizeObserver(
()=>this.#u());#a;#e=null;#s=null;#c=0;#o="";constructor(){this.element=p("section",{class:"card curve","aria-label":"Curve"},p("div",{class:"\
section-head"},p("h2",{},"With a cache of another size"),this.#l),p("p",{class:"hint"},"The share of reads that flash and RAM of this size w\
ould answer, predicted from samples of what guests lately did."),this.#t,this.#n,this.#i.element),this.element.hidden=!0,this.#r.observe(this.#t),
this.#a=ni(()=>this.#d())}set(t){if(this.#e=t!==null&&t.reads>0?t:null,he(this.element,this.#e!==null),!this.#e)return;this.#i.set(Kl(this.#e)),
X(this.#n,this.#e.reads<Jd?`Read ${et(this.#e.reads)} times only: this may be chance.`:""),this.#t.setAttribute("aria-label",`Hit ratio by t\
he size of the cache; at the present size of ${Kl(this.#e).present}`);let s=JSON.stringify([this.#e.points,this.#e.present,this.#e.held]);s!==
this.#o&&(this.#o=s,this.#t.dataset.points=String(this.#e.points.length),this.#d(),this.#u())}leave(){this.#r.disconnect(),this.#a(),this.#s?.
destroy(),this.#s=null}#d(){this.#s?.destroy(),this.#s=null,this.#u()}#u(){let t=Math.floor(this.#t.clientWidth);t===0||!this.#e||(this.#s?t!==
this.#c&&this.#s.setSize({width:t,height:La}):this.#f(t,this.#e),this.#c=t)}#f(t,{points:s}){let n={stroke:at("ink-soft"),font:`12px ${at("f\
ont")}`,ticks:{show:!1},grid:{stroke:at("rule"),width:1}},i=at("flash"),o=s.map(c=>ql(c.cache_bytes)),a={width:t,height:La,legend:{show:!1},
cursor:{drag:{x:!1,y:!1}},scales:{x:{time:!1,range:[o[0]??0,o.at(-1)??1]},y:{range:[0,1]}},axes:[{...n,grid:{show:!1},size:26,space:80,incrs:[
1,2,4,8],values:(c,h)=>h.map(f=>V(2**f))},{...n,size:62,space:36,values:(c,h)=>h.map(f=>`${Math.round(f*100)}%`)}],series:[{},{label:"Hit ra\
tio",stroke:i,width:2,points:{show:!1},fill:`${i}40`}],hooks:{draw:[c=>this.#h(c)],setCursor:[c=>this.#p(c.cursor.idx??null)]}};this.#s=new Ne(
a,[o,s.map(c=>c.hit_ratio)],this.#t)}#h(t){if(!this.#e)return;let{ctx:s,bbox:n}=t,i=window.devicePixelRatio||1,o=[[this.#e.held,"held",at("l\
imit"),[4,4]],[this.#e.present,"present",at("ink"),[]]];s.save(),s.font=`${12*i}px ${at("font")}`;for(let[{cache_bytes:a},c,h,f]of o){let b=t.
valToPos(ql(a),"x",!0);if(a<=0||b<n.left||b>n.left+n.width)continue;s.strokeStyle=s.fillStyle=h,s.lineWidth=1.5*i,s.setLineDash(f.map(w=>w*i)),
s.beginPath(),s.moveTo(b,n.top),s.lineTo(b,n.top+n.height),s.stroke();let g=c==="held";s.textAlign=g?"right":"left",s.fillText(c,b+(g?-5:5)*
i,n.top+12*i)}s.restore()}#p(t){let s=t===null?void 0:this.#e?.points[t];X(this.#l,s?`${V(s.cache_bytes)}: ${Me(s.hit_ratio)}`:"")}};var Zd={size:"Request size",latency:"Latency",seek:"Seek distance",outstanding:"Outstanding requests",interarrival:"Time between requests"},
Ra={...li,read:"Reads",write:"Writes",all:"All"};function Xd(e,t){if(e.upto===null)return"more";switch(t){case"bytes":return e.upto%1024===0?
V(e.upto):et(e.upto);case"microseconds":return Dt(e.upto);default:return e.upto<0?`\u2212${et(-e.upto)}`:et(e.upto)}}function ef(e){let t=e.
map(([,c])=>c.length),s=c=>e.some(([,h])=>(h[c]?.count??0)>0),n=[...Array(Math.max(0,...t)).keys()],i=n.filter(s),[o,a]=[i[0],i.at(-1)];return o===
void 0||a===void 0?[0,0]:[Math.max(0,o-1),Math.min(n.length,a+2)]}function tf(e){let t=e.map(([,s])=>s.map(n=>n.upto).join());return t.every(
s=>s===t[0])}var Ti=class{element=p("section",{class:"histograms","aria-label":"Histograms"});#t=p("div",{class:"segmented",role:"group","ar\
ia-label":"What is counted"});#n=p("div",{class:"card histogram-tables"});#l=[];#i="size";#r="";constructor(){this.element.append(p("div",{class:"\
section-head"},p("h2",{},"Histograms"),this.#t),this.#n),this.element.hidden=!0}set(t){if(this.element.hidden=t===null||t.length===0,t===null||
t.length===0)return;this.#l=t,t.some(([n])=>n===this.#i)||(this.#i=t[0]?.[0]??"");let s=t.map(([n])=>n);this.#t.children.length!==s.length&&
this.#t.replaceChildren(...s.map(n=>this.#a(n))),this.#e()}#a(t){return p("button",{type:"button","data-what":t,onclick:()=>{this.#i=t,this.#e()}},
Zd[t]??t)}#e(){for(let a of this.#t.children)a.setAttribute("aria-pressed",String(a.getAttribute("data-what")===this.#i));let t=this.#l.find(
([a])=>a===this.#i)?.[1];if(!t)return;let s=JSON.stringify([this.#i,t]);if(s===this.#r)return;this.#r=s;let{unit:n,kinds:i}=t,o=i.length<=2&&
tf(i)?[i]:i.map(a=>[a]);this.#n.replaceChildren(...o.map(a=>nf(n,a)))}};function nf(e,t){let[s,n]=ef(t),i=e==="bytes"||e==="microseconds"?"U\
p to":`Up to, ${e}`;if(s===n)return p("p",{class:"hint"},`${t.map(([h])=>Ra[h]??h).join(", ")}: nothing was counted yet.`);let o=t.map(([,h])=>h.
reduce((f,b)=>f+b.count,0)),a=p("thead",{},p("tr",{},p("th",{scope:"col"},i),...t.map(([h],f)=>p("th",{scope:"col"},`${Ra[h]??h}: ${et(o[f])}`)))),
c=[...Array(n-s).keys()].map(h=>{let f=s+h,b=t[0]?.[1][f];return p("tr",{},p("th",{scope:"row"},b?Xd(b,e):""),...t.map(([,g],w)=>sf(g[f]?.count??
0,o[w]??0,w)))});return p("table",{class:"histogram"},a,p("tbody",{},...c))}function sf(e,t,s){let n=t>0?e/t:0,i=p("span",{class:`bar bar-${s%
6}`});i.style.width=`${(n*100).toFixed(2)}%`;let o=p("span",{class:"bar-text"});return X(o,e===0?"":`${et(e)} (${(n*100).toFixed(1)}%)`),p("\
td",{},p("div",{class:"bar-cell"},p("span",{class:"bar-track"},i),o))}var Ei=class{element;#t=new Map;#n=p("div",{class:"fields"});#l=p("button",{type:"submit",class:"primary"},"Review changes\u2026");#i=p("but\
ton",{type:"reset"},"Undo");#r=p("span",{class:"hint","aria-live":"polite"});#a;#e;constructor(t,s){this.#a=t,this.#e=s;let n=p("form",{"ari\
a-label":"Settings"},this.#n,p("div",{class:"buttons buttons-start"},this.#l,this.#i,this.#r));n.addEventListener("input",()=>this.#o()),n.addEventListener(
"reset",i=>{i.preventDefault();for(let o of this.#t.values())o.input.value=o.now;this.#o()}),n.addEventListener("submit",i=>{i.preventDefault(),
this.#d()}),this.element=p("section",{class:"card","aria-label":"Settings"},p("h2",{},"Settings"),p("p",{class:"hint"},"As forebay disk set \
takes them. They are changed while guests go on."),n)}update(t){let s=dl.filter(i=>i.name in t),n=Object.keys(t).filter(i=>!dl.some(o=>o.name===
i));for(let i of[...s,...n.map(o=>({name:o,about:""}))]){let o=t[i.name]??"",a=this.#t.get(i.name)??this.#s(i,o),c=a.input.value!==a.now;a.now=
o,c||Ca(a.input,o)}this.#o()}#s(t,s){let n=Wt(),i=Wt(),o={id:n,name:t.name,"aria-describedby":i},a=t.choices?p("select",o,...t.choices.map(f=>p(
"option",{value:f},f))):p("input",{...o,type:"text",spellcheck:"false",autocomplete:"off",autocapitalize:"off"}),c=p("div",{class:"field"},p(
"label",{for:n},t.name),a,p("p",{class:"hint",id:i},t.about)),h={key:t.name,now:s,input:a,element:c};return Ca(a,s),this.#n.append(c),this.#t.
set(t.name,h),h}#c(){let t=[...this.#t.values()].filter(s=>s.input.value.trim()!==s.now);return Object.fromEntries(t.map(s=>[s.key,s.input.value.
trim()]))}#o(){let t=this.#c();for(let n of this.#t.values())n.element.classList.toggle("changed",n.key in t);let s=Object.keys(t).length;this.#l.
disabled=s===0,he(this.#i,s>0),X(this.#r,s===0?"":s===1?"1 change, not sent yet":`${s} changes, not sent yet`)}#d(){let t=this.#a(),s=this.#c();
if(!t||Object.keys(s).length===0)return;let n=Object.entries(s).map(([i,o])=>p("li",{},p("code",{},i),`: ${this.#t.get(i)?.now??""} \u2192 ${o}`));
Us({title:`Change ${t.name}?`,sentences:Xo(t,s),confirm:"Change",fields:p("ul",{class:"changes"},...n),run:async()=>{await wt("PATCH",rt(t.name),
{settings:s});for(let[i,o]of Object.entries(s)){let a=this.#t.get(i);a&&(a.now=o)}return this.#e(),`${t.name} now has ${Object.entries(s).map(
([i,o])=>`${i}=${o}`).join(" ")}`}})}};function Ca(e,t){e instanceof HTMLSelectElement&&![...e.options].some(s=>s.value===t)&&e.append(p("op\
tion",{value:t},t)),e.value!==t&&(e.value=t)}var lf=[["backing","Backing"],["size_bytes","Size"],["block_bytes","Block"],["reserve_bytes","Reserved flash"],["limit_bytes","Flash at most"],
["cached_bytes","Cached on flash"],["ram_bytes","Cached in RAM"],["load","From last time"],["mirrored","Dirty data"],["connections","Guests \
connected"],["nbd_socket","NBD socket"],["guest","Taken from"],["page_cache","Page cache"],["errors","Errors"]];function Na(e,t,s){let n=null,
i=()=>n,o=un(),a=p("span",{class:"mode"}),c=ki(),h={hits:ft("Hit ratio","hit_ratio"),operations:ft("Requests","operations"),bytes:ft("Throug\
hput","bytes"),latency:ft("Read latency, mean","latency"),dirty:ft("Dirty","dirty_bytes"),saved:ft("Backing requests saved","saved")},f=new xi(
s),b=new Ti,g=new Si,w=_i(lf.map(([$,S])=>[$,S])),T=new Ei(i,t),M=tr(i,t),C=p("div",{class:"stack"},c.element,p("div",{class:"tiles"},...Object.
values(h).map($=>$.element)),f.element,M.element,g.element,b.element,p("section",{class:"card","aria-label":"Facts"},p("h2",{},"About this d\
isk"),w.element),T.element),I=p("div",{class:"card empty"},p("h3",{},"No such disk"),p("p",{},"Forebay serves no disk of this name. It may h\
ave been removed: forebay disk list shows all.")),N=p("p",{class:"loading"},"Asking Forebay\u2026");return{element:p("div",{class:"view"},p(
"p",{class:"crumb"},p("a",{href:"#/"},"\u2190 Host")),p("div",{class:"title"},p("h1",{},e),o,a),I,N,C),title:e,leave:()=>{f.leave(),g.leave()},
update($){let S=$.disk;if(n=S==="missing"||S===null?null:S,he(I,S==="missing"),he(N,S===null),he(C,n!==null),he(o,n!==null),!n)return;let j=Ts(
n);dn(o,ii([Qt(n.state),...j.map(L=>L.tone)]),n.state),X(a,n.read_only?`${n.mode}, read-only`:n.mode),c.set(j),of(h,n,$),$.span==="5m"?f.set(
$.series.get(e)?.points??[],$.windows.has(e),n.mode):f.setPast($.span,$.past,n.mode),b.set($.histograms),g.set($.curve),w.set(af(n)),T.update(
n.settings),M.update()}}}function of(e,t,s){let n=s.windows.get(t.name)??s.statistics.get(t.name),i=s.windows.has(t.name)?"last 5 minutes":"\
since attached",o=s.series.get(t.name)?.last,a=o?.rates??null,c=Tn(a);e.hits.set(Me(n?.hit_ratio),`of reads, ${i}`),e.operations.set(c===null?
"\u2013":`${tt(c)}/s`,a?`${tt(a.reads)} reads, ${tt(a.writes)} writes`:""),e.bytes.set(a?At(a.read_bytes+a.write_bytes):"\u2013",a?`${At(a.read_bytes)}\
 read, ${At(a.write_bytes)} written`:""),e.latency.set(Dt(o?.readMicros),o?.writeMicros==null?"no writes lately":`writes ${Dt(o.writeMicros)}`),
e.dirty.set(V(t.dirty_bytes),rf(t)),e.saved.set(Me(n?Zs(n):null),i)}function rf(e){let t=e.mode==="write-back"?`of at most ${V(e.dirty_limit_bytes)}`:
null;if(Vt(e)===0)return t??"the backing is complete";let s=e.statistics.destage_bytes_per_second??0;return rn(t??`for ${_n(e.dirty_for_seconds)}`,
Es(e.dirty_zeroes_bytes),s>0?`${At(s)} going home`:null)}function af(e){let{statistics:t}=e,s={backing:e.backing,size_bytes:V(e.size_bytes),
block_bytes:V(e.block_bytes),reserve_bytes:V(e.reserve_bytes),limit_bytes:V(e.limit_bytes),cached_bytes:V(t.cached_bytes),ram_bytes:V(t.ram_bytes),
load:Zo(e),mirrored:cf(e),connections:e.connections===null?"\u2013":String(e.connections),nbd_socket:e.nbd_socket,errors:uf(e)};return e.guest&&
(s.guest=`QEMU at ${e.guest.qmp}, device ${e.guest.device}`),e.page_cache_reason&&(s.page_cache=`used, because ${e.page_cache_reason}`),s}function cf(e){
return e.mirrored===null?"\u2013":e.mirrored?"on two devices":"on one device"}function uf(e){let{checksum_errors:t,flash_errors:s,backing_errors:n,
backing_retries:i}=e.statistics;if(t===void 0)return"\u2013";let a=[[t,"checksums"],[s,"flash"],[n,"backing"],[i,"backing, sent again"]].filter(
([c])=>(c??0)>0).map(([c,h])=>`${c} ${h}`);return a.length===0?"none":a.join(", ")}function Mi(e){return`#/disk/${encodeURIComponent(e)}`}var df={info:"good",warning:"warning",error:"bad"};function Fa(){let e=p("ol",{class:"events","aria-label":"Events, newest first"}),t=p("sel\
ect",{name:"level"},p("option",{value:"info"},"All"),p("option",{value:"warning"},"Warnings and errors"),p("option",{value:"error"},"Errors")),
s=p("p",{class:"empty"},"Nothing happened that an operator must know."),n=p("p",{class:"empty"},"This Forebay keeps no list of events. Its l\
og has them: journalctl --unit forebay"),i=()=>{};t.addEventListener("change",()=>i());let o=p("label",{class:"inline"},"Show ",t),a=p("sect\
ion",{class:"card"},o,e,s,n);return{element:p("div",{class:"view"},p("h1",{},"Events"),a),title:"Events",leave(){},update(c){i=()=>{let h=["\
info","warning","error"],f=h.indexOf(t.value),b=(c.events??[]).filter(g=>h.indexOf(g.level)>=f||!h.includes(g.level)).reverse();he(n,c.events===
null),he(o,c.events!==null),he(s,c.events!==null&&b.length===0),kn(e,b,g=>`${g.id} ${g.time}`,ff,hf)},i()}}}function ff(e){let t=e.disk?p("a",
{href:Mi(e.disk),class:"event-disk"},e.disk):null;return p("li",{class:"event"},p("div",{class:"event-head"},un(),p("time",{datetime:e.time},
Fo(e.time)),t,p("span",{class:"event-kind"})),p("div",{class:"event-message"}),p("div",{class:"finding-advice"}))}function hf(e,t){let s=e.querySelector(
".badge");s&&dn(s,df[t.level]??"warning",t.level),De(e,".event-kind",t.kind),De(e,".event-message",t.message),De(e,".finding-advice",t.advice??
"")}var pf=Ss*1e3/rl,mf=30,Oa=new WeakMap;function za(){let e=ki(),t={hits:ft("Hit ratio","host.hit_ratio"),operations:ft("Requests","host.opera\
tions"),bytes:ft("Throughput","host.bytes"),dirty:ft("Dirty","host.dirty_bytes"),saved:ft("Backing requests saved","host.saved")},s=vf(),n=p(
"tbody",{}),o=p("table",{class:"disks"},p("thead",{},p("tr",{},...["Disk","State","Hit ratio","Requests/s","Read latency, mean","Dirty","Las\
t 5 min"].map(b=>p("th",{scope:"col"},b)))),n),a=wf(),c=p("section",{class:"card","aria-label":"Disks"},p("h2",{},"Disks"),o,a),h=p("div",{class:"\
tiles"},...Object.values(t).map(b=>b.element));return{element:p("div",{class:"view"},p("h1",{},"Host"),e.element,h,c,s.element),title:"Host",
leave(){},update(b){let g=b.disks??[],w=[...b.pool?Uo(b.pool):[],...g.flatMap(Ts)];b.poolProblem&&w.unshift({tone:"bad",text:b.poolProblem,advice:null}),
e.set(w),gf(t,b),he(h,g.length>0),he(o,g.length>0),he(a,g.length===0),kn(n,g,T=>T.name,bf,(T,M)=>yf(T,M,b)),s.update(b)}}}function gf(e,t){let s=[
...t.statistics.values()],n=Vo([...t.series.values()].map(g=>g.last?.rates??null)),i=s.map(g=>t.windows.get(g.name)??g),o=t.windows.size>0?"\
last 5 minutes":"since attached",a=ol(i);e.hits.set(Me(Bo(a)),`of reads, ${o}`);let c=Tn(n);e.operations.set(c===null?"\u2013":`${tt(c)}/s`,
n?`${tt(n.reads)} reads, ${tt(n.writes)} writes`:""),e.bytes.set(n?At(n.read_bytes+n.write_bytes):"\u2013",n?`${At(n.read_bytes)} read, ${At(
n.write_bytes)} written`:"");let h=s.reduce((g,w)=>g+(w.dirty_bytes??0),0),f=s.reduce((g,w)=>g+(w.dirty_zeroes_bytes??0),0),b=s.reduce((g,w)=>g+
(w.mode==="write-back"?w.dirty_limit_bytes??0:0),0);e.dirty.set(V(h),rn(b>0?`of at most ${V(b)}`:"no disk is in write-back",Es(f))),e.saved.
set(Me(Zs(a)),o)}function bf(e){let t=Da(`Hit ratio of ${e.name}`),s=(a,...c)=>p("td",{"data-heading":a},...c),n=a=>p("div",{"data-figure":`${e.
name}.${a}`}),i=a=>p("div",{class:`sub ${a}`}),o=p("tr",{},p("th",{scope:"row"},p("a",{href:Mi(e.name)},e.name),i("backing")),s("State",un(),
i("mode")),s("Hit ratio",n("hit_ratio"),i("split")),s("Requests/s",n("operations"),i("kinds")),s("Read latency, mean",n("latency"),i("writes")),
s("Dirty",n("dirty_bytes"),i("limit")),p("td",{class:"spark-cell"},t.element));return Oa.set(o,t),o}function yf(e,t,s){let n=s.statistics.get(
t.name),i=s.windows.get(t.name)??n,o=s.series.get(t.name),a=o?.last,c=Ts(t),h=e.querySelector(".badge"),f=ii([Qt(t.state),...c.map(T=>T.tone)]);
h&&dn(h,f,t.state==="serving"&&f!=="good"?"serving, look":t.state);let b=(T,M)=>De(e,`[data-figure$=".${T}"]`,M);De(e,".backing",t.size_bytes===
null?nl(t.backing,34):`${V(t.size_bytes)} at ${nl(t.backing,34)}`),De(e,".mode",t.read_only?`${t.mode}, read-only`:t.mode),b("hit_ratio",Me(
i?.hit_ratio));let g=i?.reads??0;De(e,".split",g>0?`RAM ${Me((i?.read_hits_ram??0)/g)}, flash ${Me((i?.read_hits_flash??0)/g)}`:"no reads ye\
t"),b("operations",tt(Tn(a?.rates??null))),De(e,".kinds",a?.rates?`${tt(a.rates.reads)} r, ${tt(a.rates.writes)} w`:""),b("latency",a?.readMicros==
null?"\u2013":Dt(a.readMicros)),De(e,".writes",a?.writeMicros==null?"":`writes ${Dt(a.writeMicros)}`),b("dirty_bytes",V(t.dirty_bytes)),De(e,
".limit",rn(t.mode==="write-back"&&t.dirty_limit_bytes?`of ${V(t.dirty_limit_bytes)}`:null,Es(t.dirty_zeroes_bytes)));let w=(o?.points??[]).
map(T=>T.hitRam===null||T.hitFlash===null?null:T.hitRam+T.hitFlash);Oa.get(e)?.set(w,Math.max(mf,Math.min(pf,w.length)))}function wf(){return p(
"div",{class:"empty"},p("h3",{},"No disks yet"),p("p",{},"Nothing is cached until Forebay serves a disk. On the host, this adds one; nothing\
 in the file changes:"),p("pre",{},p("code",{},"forebay disk add web1 --backing /srv/images/web1.raw")),p("p",{},"A running QEMU guest's dis\
k is moved behind Forebay without a reboot:"),p("pre",{},p("code",{},"forebay vm attach --qmp /run/web.qmp --device vda")),p("p",{class:"hin\
t"},"It appears here by itself."))}function vf(){let e=un(),t=p("span",{class:"meter-used"}),s=p("div",{class:"meter",role:"img"},t),n=p("p",
{class:"meter-words","data-figure":"pool.used"}),i=p("p",{class:"meter-words","data-figure":"host.ram"}),o=p("tbody",{}),c=p("table",{class:"\
devices"},p("thead",{},p("tr",{},...["Device","State","Size","Free","Wear","Remarks"].map(f=>p("th",{scope:"col"},f)))),o),h=p("section",{class:"\
card","aria-label":"Pool"},p("div",{class:"section-head"},p("h2",{},"Flash and RAM"),e),s,n,i,c);return{element:h,update({pool:f,statistics:b}){
if(he(h,f!==null),!f)return;dn(e,Qt(f.state),f.state);let g=(f.segments-f.segments_free)*f.segment_bytes,w=f.segments_free*f.segment_bytes;t.
style.width=`${f.segments>0?(100*(f.segments-f.segments_free)/f.segments).toFixed(2):0}%`;let T=`Pool of ${V(f.size_bytes)}: ${V(g)} in use,\
 ${V(w)} free; ${V(f.reserved_bytes)} reserved by disks`;s.setAttribute("aria-label",T),X(n,T);let M=[...b.values()],C=M.reduce((N,k)=>N+(k.
ram_bytes??0),0),I=M.reduce((N,k)=>N+(k.index_bytes??0),0);X(i,`RAM: ${V(C)} of content in front of the flash, ${V(I)} for the index of what\
 is on it`),kn(o,f.devices,N=>String(N.number),xf,(N,k)=>kf(N,k,f))}}}function xf(){let e=(t,s,n="")=>p("td",{"data-heading":t,class:n},s);return p(
"tr",{},p("th",{scope:"row",class:"path"}),e("State",un()),e("Size",null,"size"),e("Free",null,"free"),e("Wear",null,"wear"),e("Remarks",null,
"remarks"))}function kf(e,t,s){De(e,".path",t.path??`device ${t.number}`);let n=e.querySelector(".badge");n&&dn(n,Qt(t.state),t.state),De(e,
".size",V(t.size_bytes)),De(e,".free",`${V(t.segments_free*s.segment_bytes)}`);let i=[Yo(t.wear),Jo(t.budget)].filter(a=>a!=="");De(e,".wear",
i.join("; ")||"\u2013");let o=[t.discards?"discards":null,t.page_cache_reason?`page cache: ${t.page_cache_reason}`:null];De(e,".remarks",o.filter(
a=>a!==null).join("; ")||`${et(t.segments)} segments`)}var hs=p("main",{id:"main",tabindex:-1}),Ns=p("p",{class:"loading"},"Asking Forebay\u2026"),Ha=p("span"),Ia=p("button",{type:"button",onclick:Xi},
"Sign in\u2026"),Wa=p("div",{class:"banner",role:"alert",hidden:!0},Ha," ",Ia),jl=p("span",{class:"pulse"}),Fs={host:p("a",{href:"#/"},"Host"),
events:p("a",{href:"#/events"},"Events")},Va=p("button",{type:"button",class:"quiet",onclick:Mf}),Ba=p("button",{type:"button",class:"quiet",
onclick:Xi}),ps=new Xs(qa),Cn=null;function _f(){let e=p("a",{class:"skip",href:"#main"},"To the content");e.addEventListener("click",n=>{n.
preventDefault(),hs.focus()});let t=p("a",{href:"#/",class:"brand"},p("img",{src:"/assets/icon.svg",alt:"",width:24,height:24}),"Forebay"),s=p(
"header",{},t,p("nav",{"aria-label":"Views"},Fs.host,Fs.events),p("div",{class:"header-end"},jl,Va,Ba));document.body.append(e,s,Wa,hs,Lo()),
hs.append(Ns)}function Ga(){let e=window.location.hash.replace(/^#/,"")||"/",t=/^\/disk\/([^/]+)$/.exec(e)?.[1],s=t===void 0?null:Sf(t);Cn?.
leave(),Cn=s!==null?Na(s,()=>{ps.look()},n=>ps.show(n)):e==="/events"?Fa():za(),document.title=`${Cn.title} \u2013 Forebay`,Fs.host.setAttribute(
"aria-current",e==="/"?"page":"false"),Fs.events.setAttribute("aria-current",e==="/events"?"page":"false"),hs.replaceChildren(Cn.element),window.
scrollTo(0,0),ps.watch(s),qa()}function Sf(e){try{return decodeURIComponent(e)}catch{return e}}function qa(){let{known:e}=ps;if(Tf(e),!Cn)return;
let t=e.disks!==null;he(Cn.element,t),he(Fs.events,!t||e.events!==null),t?(Cn.update(e),Ns.remove()):Ns.isConnected||hs.append(Ns)}function Tf({
away:e,answeredAt:t}){hs.classList.toggle("stale",e!==null),he(Wa,e!==null),X(Ha,e?Ef(e,t):""),he(Ia,e?.status===401),X(Ns,e?"Waiting for Fo\
rebay\u2026":"Asking Forebay\u2026"),jl.classList.toggle("pulse-away",e!==null),X(jl,e?"No answer":t===null?"Connecting":"Live")}function Ef({
status:e,reason:t,since:s},n){let i=n===null?"":` What is shown is from ${Sn(n)}.`;return e===401?`Seen from here, this host shows its figur\
es to those only who have its token.${i}`:e>0?`${t}.${i}`:`${t} since ${Sn(s)}.${i} On the host, systemctl status forebay says whether it ru\
ns. This page goes on by itself.`}function Mf(){Ko(),Ul()}function Ul(){X(Va,{auto:"Theme: system",light:"Theme: light",dark:"Theme: dark"}[ti()]),
X(Ba,Ut.get()===null?"Sign in":"Signed in")}jo();_f();Ul();document.addEventListener("forebay-token",()=>{Ul(),ps.look()});window.addEventListener(
"hashchange",Ga);Ga();ps.look();})();
