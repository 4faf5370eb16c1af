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
"use strict";(()=>{var ji="forebay-token";var Et=class extends Error{constructor(s,n){super(n);this.status=s}status;get wantsToken(){return this.status===401}},jt={get(){return sessionStorage.
getItem(ji)},set(e){sessionStorage.setItem(ji,e.trim())},clear(){sessionStorage.removeItem(ji)}};async function Ut(e,t){return(await So(e,{method:"\
GET"},8e3))[t]}async function xo(e,t){return ko(e,t,s=>s.status===404)}async function Ks(e,t){return ko(e,t,s=>s.status!==0&&!s.wantsToken)}
async function ko(e,t,s){try{return await Ut(e,t)}catch(n){if(n instanceof Et&&s(n))return null;throw n}}async function gt(e,t,s){let n={method:e,
headers:{"content-type":"application/json"},body:JSON.stringify(s??null)};return So(t,n,12e4)}function bt(e){return`/v1/disks/${encodeURIComponent(
e)}`}function _o(e,t){return`/v1/history/${encodeURIComponent(e)}?span=${t}`}async function So(e,t,s){let n=AbortSignal.timeout(s),i=new Headers(
t.headers),o=jt.get();o&&i.set("authorization",`Bearer ${o}`);let a;try{a=await fetch(e,{...t,headers:i,signal:n,cache:"no-store",credentials:"\
omit",redirect:"error"})}catch{throw new Et(0,"Forebay does not answer")}let c=await a.json().catch(()=>null);if(!a.ok){let p=typeof c?.detail==
"string"?c.detail:`Forebay answered with status ${a.status}`;throw new Et(a.status,p)}if(c===null)throw new Et(0,"Forebay's answer was cut s\
hort");return c}function h(e,t={},...s){let n=document.createElement(e);for(let[i,o]of Object.entries(t))typeof o=="function"?n.addEventListener(i.slice(2),
o):o!=null&&o!==!1&&n.setAttribute(i,o===!0?"":String(o));return n.append(...s.filter(i=>i!=null&&i!==!1)),n}function js(e,t){let s=document.
createElementNS("http://www.w3.org/2000/svg",e);for(let[n,i]of Object.entries(t))s.setAttribute(n,String(i));return s}function se(e,t){e.textContent!==
t&&(e.textContent=t)}function ge(e,t){e.hidden===t&&(e.hidden=!t)}function gc(e){let t=new Set;return e.map(s=>{let n=s;for(let i=1;t.has(n);i+=
1)n=`${s} (${i})`;return t.add(n),n})}function vn(e,t,s,n,i){let o=new Map([...e.children].map(f=>[f.getAttribute("data-item")??"",f])),a=gc(
t.map(s)),c=new Set(a);for(let[f,y]of o)c.has(f)||y.remove();let p=e.firstElementChild;t.forEach((f,y)=>{let g=a[y]??"",w=o.get(g)??n(f);o.delete(
g),w.setAttribute("data-item",g),i(w,f),w===p?p=w.nextElementSibling:e.insertBefore(w,p)})}var To=0;function zt(){return To+=1,`e${To}`}var Xn=null;function Mo(){return Xn=h("div",{class:"status",role:"status","aria-live":"polite"}),Xn}var Eo=0,bc=8e3;function Ui(e){Xn&&(se(Xn,
e),Xn.classList.add("status-shown"),window.clearTimeout(Eo),Eo=window.setTimeout(()=>Xn?.classList.remove("status-shown"),bc))}function Ao(e){
e.addEventListener("close",()=>e.remove()),document.body.append(e),e.showModal()}function Us(e){let t=zt(),s=h("button",{type:"button"},"Can\
cel"),n=h("button",{type:"submit",class:"primary"},e.confirm),i=h("p",{class:"dialog-said","aria-live":"assertive"}),o=yc(),a=h("form",{},h(
"h2",{id:t},e.title),...e.sentences.map(f=>h("p",{},f)),e.fields??null,o.element,i,h("div",{class:"buttons"},s,n)),c=h("dialog",{"aria-label\
ledby":t},a),p=new AbortController;s.addEventListener("click",()=>c.close()),c.addEventListener("close",()=>p.abort()),a.addEventListener("s\
ubmit",f=>{f.preventDefault(),o.take(),n.disabled=!0,i.className="dialog-said",se(i,"Working\u2026"),e.run(y=>se(i,y),p.signal).then(y=>{Ui(
y),c.close()}).catch(y=>{let g=y instanceof Error?y.message:String(y);if(!c.open)return Ui(g);n.disabled=!1,i.className="dialog-said dialog-\
failed",se(i,g),y instanceof Et&&y.wantsToken&&o.ask()})}),Ao(c)}function yc(){let e=zt(),t=h("input",{id:e,type:"password",autocomplete:"of\
f",spellcheck:"false"}),s=h("div",{class:"field"},h("label",{for:e},"Token for changes"),t,Do());return s.hidden=!0,{element:s,ask(){jt.clear(),
s.hidden=!1,t.focus(),document.dispatchEvent(new Event("forebay-token"))},take(){s.hidden||t.value.trim()===""||(jt.set(t.value),document.dispatchEvent(
new Event("forebay-token")))}}}function Do(){return h("p",{class:"hint"},"On the host, as root or the user that runs Forebay: ",h("code",{},
"cat /var/lib/forebay/token")," (or the folder that serve was given with --dir). It is kept until this tab is closed.")}function Yi(){let e=zt(),
t=zt(),s=h("input",{id:t,type:"password",autocomplete:"off",spellcheck:"false",required:!0}),n=h("button",{type:"button"},"Forget it"),i=h("\
button",{type:"button"},"Cancel");n.hidden=jt.get()===null;let o=h("form",{},h("h2",{id:e},"Sign in for changes"),h("p",{},"On the host itse\
lf, everything can be read without it. Changes need the token of the host, and from other hosts reading does too."),h("div",{class:"field"},
h("label",{for:t},"Token"),s,Do()),h("div",{class:"buttons"},n,i,h("button",{type:"submit",class:"primary"},"Keep it"))),a=h("dialog",{"aria\
-labelledby":e},o),c=p=>{document.dispatchEvent(new Event("forebay-token")),Ui(p),a.close()};i.addEventListener("click",()=>a.close()),n.addEventListener(
"click",()=>{jt.clear(),c("The token is forgotten; on the host itself reading goes on")}),o.addEventListener("submit",p=>{p.preventDefault(),
jt.set(s.value),c("The token is kept until this tab is closed; the next change shows whether it is right")}),Ao(a)}var wc=[["TiB",1099511627776],["GiB",1073741824],["MiB",1048576],["KiB",1024],["",1]];function Yt(e){return typeof e=="number"&&Number.isFinite(
e)}function B(e){if(!Yt(e))return"\u2013";let t=Math.round(e),[s,n]=wc.find(([,i])=>t>=i)??["",1];return t%n===0?`${t/n}${s}`:`${(Math.floor(
(t*10+n/2)/n)/10).toFixed(1)}${s}`}var vc=[["PB",1e15],["TB",1e12],["GB",1e9],["MB",1e6],["kB",1e3],[" bytes",1]];function Qi(e){if(!Yt(e))return"\
\u2013";let t=Math.round(e),[s,n]=vc.find(([,i])=>t>=i)??[" bytes",1];return t%n===0?`${t/n}${s}`:`${(t/n).toFixed(1)}${s}`}function Mt(e){return Yt(
e)?`${B(e)}/s`:"\u2013"}function Ye(e){return Yt(e)?`${(e*100).toFixed(1)}%`:"\u2013"}function yt(e){return Yt(e)?Math.round(e).toString().replace(
/\B(?=(\d{3})+$)/g,","):"\u2013"}function et(e){return Yt(e)?e>=10||e===0?yt(e):e.toFixed(1):"\u2013"}function Ji(e){if(!Yt(e))return"";for(let[
t,s]of[["M",1e6],["k",1e3]])if(Math.abs(e)>=s)return`${Number((e/s).toFixed(1))}${t}`;return String(Number(e.toFixed(2)))}function At(e){if(!Yt(
e))return"\u2013";for(let[t,s]of[["s",1e6],["ms",1e3]])if(e>=s)return`${Po(e/s)} ${t}`;return`${Po(e)} us`}function Po(e){return e>=100||Number.
isInteger(e)?e.toFixed(0):e>=10?e.toFixed(1):e.toFixed(2)}function xn(e){if(!Yt(e))return"\u2013";let t=Math.round(e),s=[[Math.floor(t/86400),
"d"],[Math.floor(t/3600)%24,"h"],[Math.floor(t/60)%60,"min"],[t%60,"s"]],n=s.findIndex(([o])=>o>0);return n<0?"0 s":s.slice(n,n+2).filter(([
o])=>o>0).map(([o,a])=>`${o} ${a}`).join(" ")}function kn(e){let t=new Date(e);return[t.getHours(),t.getMinutes(),t.getSeconds()].map(s=>String(
s).padStart(2,"0")).join(":")}function Zi(e){let t=new Date(e);return[t.getMonth()+1,t.getDate()].map(s=>String(s).padStart(2,"0")).join("-")}
function Lo(e){let t=new Date(e);return Number.isNaN(t.getTime())?e:`${[t.getFullYear(),t.getMonth()+1,t.getDate()].map(n=>String(n).padStart(
2,"0")).join("-")} ${kn(t.getTime())}`}function Xi(e,t){return e.length<=t?e:`\u2026${e.slice(1-t)}`}function _n(...e){return e.filter(t=>t!==
null).join(", ")}var Ys=["read_hit_ram","read_hit_flash","read_miss","write","flush","destage"],es=["reads","writes","flushes","discards","read_bytes","write\
_bytes","read_hits_ram","read_hits_flash","read_partial_hits","read_misses","reads_bypassed","backing_reads","backing_writes","backing_read_\
bytes","backing_write_bytes","flash_read_bytes","flash_write_bytes","destage_bytes","evictions"];function Ro(e){let t=[];for(let[s,n]of Object.
entries($o(e))){let{unit:i,...o}=$o(n);if(typeof i!="string")continue;let a=Object.entries(o).filter(c=>Array.isArray(c[1]));a.length>0&&t.push(
[s,{unit:i,kinds:a}])}return t}function $o(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)?e:{}}var el={"5m":300,"1d":86400,"7d":7*86400};function Fo(e,t){let s=t-e.now,n=[],i=null;return e.time.forEach((o,a)=>{let c=o-(e.seconds[a]??0),
p=xc(e,a,o+s),f=i!==null&&c-i>e.step_seconds;f&&n.push(kc((i??0)+s)),(f||i===null)&&c<o&&n.push({...p,at:c+s}),n.push(p),i=o}),{span:e.span,
end:t,points:n}}function xc(e,t,s){let n=e.seconds[t]??0,i=c=>c?.[t]??null,o=i(e.reads)??0,a=c=>o>0&&c!==null?c/o:null;return{at:s,rates:n>0?
Object.fromEntries(es.map(c=>[c,(i(e[c])??0)/n])):null,hitRam:a(i(e.read_hits_ram)),hitFlash:a(i(e.read_hits_flash)),readMicros:i(e.read_latency_us),
writeMicros:i(e.write_latency_us),dirtyBytes:i(e.span==="5m"?e.dirty_bytes:e.dirty_bytes_max),dirtyLimitBytes:i(e.dirty_limit_bytes),latency:null}}
function kc(e){return{at:e,rates:null,hitRam:null,hitFlash:null,readMicros:null,writeMicros:null,dirtyBytes:null,dirtyLimitBytes:null,latency:null}}var ks=300,_c=10,Sc=1,Tc=1e3;function nl(e,t){return es.every(s=>{let[n,i]=[e[s],t[s]];return n!==void 0&&i!==void 0&&i>=n})}function No(e,t){
let s=t.at-e.at;if(s<=0||!nl(e.statistics,t.statistics))return null;let n=es.map(i=>[i,Ec(e,t,i)/s]);return Object.fromEntries(n)}function Ec(e,t,s){
return(t.statistics[s]??0)-(e.statistics[s]??0)}var Mc=["read_hit_ram","read_hit_flash","read_miss"];function Co(e,t,s){let n=({statistics:a},c)=>s.
reduce((p,f)=>p+(a.latency_us?c(a.latency_us[f]):0),0),i=a=>n(t,a)-n(e,a),o=i(a=>a.count);return o>0?Math.max(0,i(a=>a.count*a.mean))/o:null}
function Js(e){if(e===null)return null;let t=(e.reads??0)+(e.writes??0);return t>0?1-((e.backing_reads??0)+(e.backing_writes??0))/t:null}function Sn(e){
return e===null?null:e.reads+e.writes}function Oo(e){let t=e.filter(s=>s!==null);return t.length===0?null:sl(t)}function Ho(e){let{reads:t=0,
read_hits_ram:s=0,read_hits_flash:n=0}=e;return t>0?(s+n)/t:null}function sl(e){return Object.fromEntries(es.map(t=>[t,e.reduce((s,n)=>s+(n[t]??
0),0)]))}var Qs=class{#e=[];#t=[];get points(){return this.#t}get last(){return this.#t.at(-1)}add(t,s,n){let i={at:t,statistics:s};t<(this.#t.
at(-1)?.at??t)&&([this.#e,this.#t]=[[],[]]);let o=this.#e.at(-1);o&&t-o.at<Sc&&nl(o.statistics,s)||(o&&!nl(o.statistics,s)&&(this.#e=[]),this.#t.
push(this.#i(i,n??s)),this.#e.push(i),this.#e=tl(this.#e,t),this.#t=tl(this.#t,t))}fill(t){let s=this.#t[0],n=t.filter(c=>s===void 0||c.at<s.
at),[i,o]=[t.at(-1),s??t.at(-1)];if(o===void 0||i===void 0)return;let a=s?.rates===null?[{...i,...Ac(s)},...this.#t.slice(1)]:this.#t;this.#t=
tl([...n,...a],this.#t.at(-1)?.at??o.at)}#i(t,s){let{at:n,statistics:i}=t,o=this.#e.at(-1),a=this.#e.find(f=>n-f.at<=_c)??o,c=a?No(a,t):null,
p=f=>c&&c.reads>0?f/c.reads:null;return{at:n,rates:o?No(o,t):null,hitRam:c&&p(c.read_hits_ram),hitFlash:c&&p(c.read_hits_flash),readMicros:c&&
a?Co(a,t,Mc):null,writeMicros:c&&a?Co(a,t,["write"]):null,dirtyBytes:i.dirty_bytes??null,dirtyLimitBytes:i.dirty_limit_bytes??null,latency:s.
latency_us??null}}};function It(e){return(e.dirty_bytes??0)+(e.dirty_zeroes_bytes??0)}function Ac(e){return Object.fromEntries(Object.entries(
e).filter(([,t])=>t!==null))}function tl(e,t){return e.filter(s=>t-s.at<=ks).slice(-Tc)}var il=2e3,Dc=3,Pc=15,Lc=500,Zs=class{known={disks:null,statistics:new Map,windows:new Map,pool:null,poolProblem:null,series:new Map,events:null,
disk:null,histograms:null,span:"5m",past:null,answeredAt:null,away:null};#e=null;#t;#i=0;#s=0;#o=0;#a=!1;#n=0;constructor(t){this.#t=t}watch(t){
t!==this.#e&&(this.#e=t,this.known.disk=null,this.known.histograms=null,this.known.span="5m",this.known.past=null,this.#a=!1,this.#s=0,this.
look())}show(t){this.known.span=t,this.known.past=null,this.#o=0,this.look()}async look(){window.clearTimeout(this.#i);let t=++this.#n;try{await this.#r(
t)}catch(s){t===this.#n&&this.#p(s)}t===this.#n&&(this.#t(),this.#i=window.setTimeout(()=>{this.look()},il))}async#r(t){let s=this.#e,n=this.
known.events?.at(-1)?.id??0,[i,o,a,c,p,f]=await Promise.all([Ut("/v1/disks","disks"),Ut("/v1/stats","disks"),Ut("/v1/stats?window=5m","disks"),
this.#c(),Ks(`/v1/events?after=${n}`,"events"),s===null?null:xo(bt(s),"disk")]),y=Date.now(),g=s!==null&&f!==null&&this.#s%Dc===0?await Ks(`${bt(
s)}/histograms`,"histograms"):void 0,w=s!==null&&f!==null?await this.#u(s):null;t===this.#n&&(this.#s+=1,this.#o+=1,this.#a||=f!==null&&this.
known.span==="5m",Object.assign(this.known,{disks:i,...c,answeredAt:y,away:null}),this.#l(y/1e3,o,a),this.#f(p),s!==null&&(this.known.disk=f??
"missing"),w!==null&&this.#d(w,y/1e3),g!==void 0&&(this.known.histograms=g===null?null:Ro(g)))}async#c(){try{return{pool:await Ut("/v1/pool",
"pool"),poolProblem:null}}catch(t){if(!(t instanceof Et)||t.status===0)throw t;return{pool:null,poolProblem:t.message}}}#l(t,s,n){let i=o=>new Map(
o.map(a=>[a.name,a]));this.known.statistics=i(s),this.known.windows=i(n.filter(o=>o.window==="5m"));for(let o of this.known.series.keys())this.
known.statistics.has(o)||this.known.series.delete(o);for(let o of s){let a=this.known.series.get(o.name)??new Qs;this.known.series.set(o.name,
a),a.add(t,o,this.known.windows.get(o.name))}}#u(t){let{span:s}=this.known;return(s==="5m"?!this.#a:this.#o%Pc===0)?Ks(_o(t,s),"history"):null}#d(t,s){
let n=Fo(t,s);n.span==="5m"?this.known.series.get(t.name)?.fill(n.points):this.known.past=n}#f(t){t!==null&&(this.known.events=$c(this.known.
events??[],t))}#p(t){let s=t instanceof Error?t.message:String(t),n=t instanceof Et?t.status:0;this.known.away={since:this.known.away?.since??
Date.now(),reason:s,status:n}}};function $c(e,t){let[s,n]=[e.at(-1),t[0]];return[...s===void 0||n===void 0||n.id>s.id?e:[],...t].slice(-Lc)}var zo="forebay-theme",Xs=["auto","light","dark"],Io=window.matchMedia("(prefers-color-scheme: dark)"),ll=new Set;function ei(){let e=localStorage.
getItem(zo);return Xs.find(t=>t===e)??"auto"}function Vo(){let e=Xs[(Xs.indexOf(ei())+1)%Xs.length]??"auto";localStorage.setItem(zo,e),ol()}
function Wo(e){return ll.add(e),()=>ll.delete(e)}function Bo(){Io.addEventListener("change",ol),ol()}function ol(){let e=ei(),t=Io.matches?"\
dark":"light";document.documentElement.dataset.theme=e==="auto"?t:e;for(let s of ll)s()}function _s(e){return getComputedStyle(document.documentElement).
getPropertyValue(`--${e}`).trim()}var rl={good:"\u2713",busy:"\u2026",warning:"!",bad:"\u2715"},Rc={serving:"good",attaching:"busy",detaching:"busy",removing:"busy",waiting:"\
warning",stopped:"bad",failed:"bad",missing:"bad",used:"good",leaving:"busy"};function Qt(e){return Rc[e]??"warning"}var Fc={waiting:"It is \
served by itself as soon as it can be; put right what the reason names.",stopped:"It answers nothing but errors, so that no guest sees old d\
ata. See what it lost, and the log of the daemon.",failed:"It answers errors. Put right what the reason names, then restart Forebay."},ti=["\
good","busy","warning","bad"];function ni(e){return ti[Math.max(0,...e.map(t=>ti.indexOf(t)))]??"good"}function Ss(e){let t=[],s=(c,p,f=null)=>t.
push({tone:c,text:p,advice:f});if(Qt(e.state)!=="good"){let c=e.reason?`: ${e.reason}`:"";s(Qt(e.state),`Disk ${e.name} is ${e.state}${c}`,Fc[e.
state]??null)}let n=e.lost_bytes??0;n>0&&s("bad",`Flash lost ${B(n)} of ${e.name} before its backing had it`,`forebay disk show ${e.name} --\
lost lists the ranges.`);let i=e.backing_state;if(i&&i.state!=="good"){let c=i.for_seconds===null?"":` for ${xn(i.for_seconds)}`;s("bad",`Th\
e backing of ${e.name} fails${c}${i.reason?`: ${i.reason}`:""}`,"Hits are answered; the rest waits for retry-time.")}e.quiet?.state==="faile\
d"&&s("warning",`${e.name} could not be made quiet: ${e.quiet.reason??"no reason is known"}`,null);let o=e.segments_uncopied??0;e.mirrored===
!0&&o>0&&s("warning",`${yt(o)} segments of ${e.name} lack a second copy`,"They are being copied; until then one device has that data alone.");
let a=e.dirty_bytes??0;return e.dirty_limit_bytes&&a>=e.dirty_limit_bytes*.9&&s("warning",`Destage of ${e.name} is behind: ${B(a)} of at mos\
t ${B(e.dirty_limit_bytes)} is dirty`,"Writes are slowed down to what the backing takes."),t.sort((c,p)=>ti.indexOf(p.tone)-ti.indexOf(c.tone))}
function Go(e){let t=e.warnings.map(s=>({tone:"warning",text:s,advice:null}));return Qt(e.state)!=="good"&&t.unshift({tone:"bad",text:`The p\
ool is ${e.state}${e.reason?`: ${e.reason}`:""}`,advice:"Disks go on from their backings; what is dirty waits for the pool."}),e.page_cache_reason&&
t.push({tone:"warning",text:`The pool goes through the page cache, because ${e.page_cache_reason}`,advice:null}),t}function qo(e){if(e===null)
return"";let t=e.used_percent===null?null:`${Ye(e.used_percent/100)} of its life used`,s=e.days_left===null?null:`${yt(e.days_left)} days le\
ft`,n=e.rated_bytes===null?"":`, rated for ${Qi(e.rated_bytes)}`;return _n(t,s,`${Qi(e.written_bytes)} written${n}`)}var si={read_hit_ram:"R\
ead, RAM hit",read_hit_flash:"Read, flash hit",read_miss:"Read, miss",write:"Write",flush:"Flush",destage:"Destage"};function Ts(e){return e?
`+ ${B(e)} of zeroes`:null}function Ko(e){switch(e.quiet?.state){case"coming":return`Being made quiet: ${B(It(e))} left to bring home`;case"\
quiet":return`Quiet for another ${xn(e.quiet.seconds_left)}`;case"failed":return`Could not be made quiet: ${e.quiet.reason??"no reason is kn\
own"}`;default:return null}}function jo(e){let{load:t}=e;if(!t)return"not known while the disk is not served";if(t.state==="loading")return"\
being loaded; reads come from the backing meanwhile";if(t.state==="cold")return`nothing: ${t.reason??"no reason is known"}`;let s=`${B(t.kept_bytes)}\
 came back`;return t.dropped_bytes>0?`${s}, ${B(t.dropped_bytes)} may have changed and is not believed`:s}var al=[{name:"mode",about:"What h\
appens to reads and writes.",choices:["write-through","write-back","write-around","pass-through"]},{name:"block-size",about:"Unit of the ind\
ex. A change drops what is cached of the disk.",choices:[4,8,16,32,64,128,256,512,1024].map(e=>B(e*1024))},{name:"reserve",about:"Flash that\
 the disk gets whatever the others do: auto, a size or a share such as 20%."},{name:"limit",about:"Flash that the disk never exceeds: auto, \
a size or a share."},{name:"ram",about:"RAM in front of the flash, at least 1MiB."},{name:"admission",about:"What may enter flash: adaptive,\
 always or repeated:N."},{name:"sequential-cutoff",about:"Misses of a sequential run longer than this go past the cache; 0 is off."},{name:"\
dirty-limit",about:"Write-back: the most that flash may hold and the backing does not have."},{name:"destage-rate-min",about:"Write-back: de\
stage never goes slower than so many bytes a second; 0 is none."},{name:"destage-rate-max",about:"Write-back: destage never goes faster than\
 so many bytes a second; 0 is no limit."},{name:"redundancy",about:"Write-back: whether dirty data is kept on two devices of the pool.",choices:[
"mirror","none"]},{name:"unmarked",about:"Write-back where the backing cannot be marked: nothing then keeps another Forebay from serving it.",
choices:["no","yes"]},{name:"retry-time",about:"How long a request waits for a backing that fails or hangs, such as 25s, or wait."},{name:"s\
ocket-owner",about:"User who owns the NBD socket; auto is the daemon's."},{name:"socket-group",about:"Group of the NBD socket; auto is foreb\
ay if the host has it."},{name:"socket-mode",about:"Who may connect, as octal digits."}],Nc={"write-through":"Writes go to the backing first\
, then to the cache; the backing is always complete.","write-back":"Writes are acknowledged when flash has them, and the backing gets them l\
ater. Until then the newest data is on flash alone.","write-around":"Writes go to the backing only; what they replace in the cache is droppe\
d.","pass-through":"Every request goes to the backing. Guests have no cache until the mode is changed back."};function Uo(e,t){return[...Object.
entries(t).map(([n,i])=>Cc(e,n,i)).flat(),"Guests stay connected and go on meanwhile."]}function Cc(e,t,s){let n=B(e.statistics.cached_bytes);
switch(t){case"mode":return[Nc[s]??`The mode becomes ${s}.`,...Oc(e,s)];case"block-size":return[`What is cached of the disk on flash (${n}) \
is dropped; it is read from the backing again.`];case"limit":return[`Flash that the disk holds above the new limit is evicted; it holds ${B(
e.statistics.flash_bytes)} now.`];case"unmarked":return s==="yes"?["Nothing keeps another Forebay from serving this backing while flash has \
newer data. See to that yourself."]:[];case"redundancy":return[s==="none"?"Dirty data is kept on one device only: if it fails, that data is \
lost.":"Dirty data is kept on two devices, if the pool has them."];case"socket-owner":case"socket-group":case"socket-mode":return["Who may c\
onnect to the disk changes at once."];default:return[]}}function Oc(e,t){return e.mode!=="write-back"||t==="write-back"||It(e)===0?[]:[`${B(
It(e))} is dirty; it is written to the backing while guests go on.`]}function ts(e,t){let s=It(t),n=s>0?`${B(s)} is dirty: flash has it and \
the backing does not.`:"Nothing is dirty: the backing has everything.";switch(e){case"destage":return[n,"Dirty data is written to the backin\
g at full speed. Guests go on and may notice a busier backing."];case"normal":return[n,"Destage goes on at the pace that suits guests."];case"\
quiesce":return[n,"It is brought home first. After that, writes wait for the backing, so that a backup or snapshot of the backing is complet\
e.","This ends by itself after the time below, or when it is resumed."];case"resume":return["Writes may lie on flash alone again, as the mod\
e says."];case"evict":return[`${B(t.statistics.cached_bytes)} cached on flash and ${B(t.statistics.ram_bytes)} in RAM are dropped, and no re\
start brings them back.`,s>0?`${B(s)} is dirty and is brought home first.`:"Nothing is dirty; nothing is lost.","Guests go on from the backi\
ng, slower, until the cache is warm again."]}}var Hc=60,zc=600,Ic=300;function Qo(e,t){let s=Vc.map(i=>{let o=()=>{let a=e();a&&Us(Gc(i.work(a),t))};return[i,h("button",{type:"button","d\
ata-action":i.name,onclick:o},i.label)]}),n=h("p",{class:"hint","data-figure":"quiet"});return{element:h("section",{class:"card","aria-label":"\
Actions"},h("h2",{},"Actions"),h("div",{class:"buttons buttons-start"},...s.map(([,i])=>i)),n),update(){let i=e();for(let[a,c]of s)c.disabled=
i===null||!a.isPossible(i);let o=i&&!Es(i)?`Nothing can be done while the disk is ${i.state}.`:i?Ko(i):null;se(n,o??""),ge(n,o!==null)}}}var Es=e=>e.
state==="serving",cl=e=>e.quiet?.state==="coming"||e.quiet?.state==="quiet",Vc=[{name:"destage",label:"Destage now\u2026",isPossible:Es,work:e=>({
title:`Destage ${e.name} at full speed?`,sentences:ts("destage",e),confirm:"Destage now",run:async()=>(await gt("POST",`${bt(e.name)}/destag\
e`),`What is dirty of ${e.name} is on its way to the backing`)})},{name:"normal",label:"Destage at normal pace\u2026",isPossible:Es,work:e=>({
title:`Let ${e.name} destage at its own pace?`,sentences:ts("normal",e),confirm:"Normal pace",run:async()=>(await gt("DELETE",`${bt(e.name)}\
/destage`),`${e.name} is destaged as it suits guests`)})},{name:"quiesce",label:"Quiesce\u2026",isPossible:e=>Es(e)&&!cl(e),work:Wc},{name:"\
resume",label:"Resume\u2026",isPossible:cl,work:e=>({title:`Let ${e.name} go on as before?`,sentences:ts("resume",e),confirm:"Resume",run:async()=>(await gt(
"POST",`${bt(e.name)}/resume`),`${e.name} goes on as before`)})},{name:"evict",label:"Evict\u2026",isPossible:Es,work:e=>({title:`Drop what \
is cached of ${e.name}?`,sentences:ts("evict",e),confirm:"Evict",run:(t,s)=>Bc(e.name,t,s)})}];function Wc(e){let t=zt(),s=h("input",{id:t,type:"\
number",min:1,max:86400,value:zc,required:!0});return{title:`Hold ${e.name} without dirty data?`,sentences:ts("quiesce",e),confirm:"Quiesce",
fields:h("div",{class:"field"},h("label",{for:t},"For so many seconds"),s),run:async()=>{let n=Number(s.value);return await gt("POST",`${bt(
e.name)}/quiesce`,{seconds:n}),`${e.name} is being made quiet, then held so for ${xn(n)}`}}}async function Bc(e,t,s){let n=bt(e),i=await Ut(
n,"disk");if(cl(i))await Yo(e,t,s),await gt("POST",`${n}/evict`);else if(It(i)>0){let a=(await gt("POST",`${n}/quiesce`,{seconds:Hc})).disk.
quiet?.number;try{await Yo(e,t,s),await gt("POST",`${n}/evict`)}finally{await gt("POST",`${n}/resume`,{number:a})}}else await gt("POST",`${n}\
/evict`);return`Nothing is cached of ${e} any more, and no restart brings it back`}async function Yo(e,t,s){for(;;){if(s.aborted)throw new Error(
"Stopped; the disk is served as before");let n=await Ut(bt(e),"disk"),i=n.quiet?.state;if(i==="quiet")return;if(i!=="coming")throw new Error(
`Cannot bring home what is dirty: ${n.quiet?.reason??n.reason??"somebody resumed it"}. Nothing was dropped.`);t(`${B(It(n))} left to bring h\
ome\u2026`),await new Promise(o=>window.setTimeout(o,Ic))}}function Gc(e,t){return{...e,run:(s,n)=>e.run(s,n).finally(t)}}var qc="uplot",Kc="u-hz",jc="u-vt",Uc="u-title",Yc="u-wrap",Qc="u-under",Jc="u-over",Zc="u-axis",Mn="u-off",Xc="u-select",eu="u-cursor-x",tu="\
u-cursor-y",nu="u-cursor-pt",su="u-legend",iu="u-live",lu="u-inline",ou="u-series",ru="u-marker",Jo="u-label",au="u-value",As="width",Ds="he\
ight";var Zo="bottom",ns="left",ul="right",Ml="#000",Xo=Ml+"0",dl="mousemove",er="mousedown",fl="mouseup",tr="mouseenter",nr="mouseleave",sr="dblc\
lick",cu="resize",uu="scroll",ir="change",ai="dppxchange",Al="--",cs=typeof window<"u",bl=cs?document:null,is=cs?window:null,du=cs?navigator:
null,ae,ii;function yl(){let e=devicePixelRatio;ae!=e&&(ae=e,ii&&vl(ir,ii,yl),ii=matchMedia(`(min-resolution: ${ae-.001}dppx) and (max-resol\
ution: ${ae+.001}dppx)`),An(ir,ii,yl),is.dispatchEvent(new CustomEvent(ai)))}function ot(e,t){if(t!=null){let s=e.classList;!s.contains(t)&&
s.add(t)}}function wl(e,t){let s=e.classList;s.contains(t)&&s.remove(t)}function ve(e,t,s){e.style[t]=s+"px"}function Dt(e,t,s,n){let i=bl.createElement(
e);return t!=null&&ot(i,t),s?.insertBefore(i,n),i}function wt(e,t){return Dt("div",e,t)}var lr=new WeakMap;function Vt(e,t,s,n,i){let o="tra\
nslate("+t+"px,"+s+"px)",a=lr.get(e);o!=a&&(e.style.transform=o,lr.set(e,o),t<0||s<0||t>n||s>i?ot(e,Mn):wl(e,Mn))}var or=new WeakMap;function rr(e,t,s){
let n=t+s,i=or.get(e);n!=i&&(or.set(e,n),e.style.background=t,e.style.borderColor=s)}var ar=new WeakMap;function cr(e,t,s,n){let i=t+""+s,o=ar.
get(e);i!=o&&(ar.set(e,i),e.style.height=s+"px",e.style.width=t+"px",e.style.marginLeft=n?-t/2+"px":0,e.style.marginTop=n?-s/2+"px":0)}var Dl={
passive:!0},fu={...Dl,capture:!0};function An(e,t,s,n){t.addEventListener(e,s,n?fu:Dl)}function vl(e,t,s,n){t.removeEventListener(e,s,Dl)}cs&&
yl();function Pt(e,t,s,n){let i;s=s||0,n=n||t.length-1;let o=n<=2147483647;for(;n-s>1;)i=o?s+n>>1:rt((s+n)/2),t[i]<e?s=i:n=i;return e-t[s]<=
t[n]-e?s:n}function Or(e){return(s,n,i)=>{let o=-1,a=-1;for(let c=n;c<=i;c++)if(e(s[c])){o=c;break}for(let c=i;c>=n;c--)if(e(s[c])){a=c;break}
return[o,a]}}var Hr=e=>e!=null,zr=e=>e!=null&&e>0,di=Or(Hr),pu=Or(zr);function hu(e,t,s,n=0,i=!1){let o=i?pu:di,a=i?zr:Hr;[t,s]=o(e,t,s);let c=e[t],
p=e[t];if(t>-1)if(n==1)c=e[t],p=e[s];else if(n==-1)c=e[s],p=e[t];else for(let f=t;f<=s;f++){let y=e[f];a(y)&&(y<c?c=y:y>p&&(p=y))}return[c??
pe,p??-pe]}function fi(e,t,s,n){let i=fr(e),o=fr(t);e==t&&(i==-1?(e*=s,t/=s):(e/=s,t*=s));let a=s==10?Jt:Ir,c=i==1?rt:vt,p=o==1?vt:rt,f=c(a(
Re(e))),y=p(a(Re(t))),g=ls(s,f),w=ls(s,y);return s==10&&(f<0&&(g=he(g,-f)),y<0&&(w=he(w,-y))),n||s==2?(e=g*i,t=w*o):(e=Gr(e,g),t=pi(t,w)),[e,
t]}function Pl(e,t,s,n){let i=fi(e,t,s,n);return e==0&&(i[0]=0),t==0&&(i[1]=0),i}var Ll=.1,ur={mode:3,pad:Ll},Ls={pad:0,soft:null,mode:0},mu={
min:Ls,max:Ls};function ci(e,t,s,n){return hi(s)?dr(e,t,s):(Ls.pad=s,Ls.soft=n?0:null,Ls.mode=n?3:0,dr(e,t,mu))}function oe(e,t){return e??t}
function gu(e,t,s){for(t=oe(t,0),s=oe(s,e.length-1);t<=s;){if(e[t]!=null)return!0;t++}return!1}function dr(e,t,s){let n=s.min,i=s.max,o=oe(n.
pad,0),a=oe(i.pad,0),c=oe(n.hard,-pe),p=oe(i.hard,pe),f=oe(n.soft,pe),y=oe(i.soft,-pe),g=oe(n.mode,0),w=oe(i.mode,0),S=t-e,M=Jt(S),F=Qe(Re(e),
Re(t)),I=Jt(F),H=Re(I-M);(S<1e-24||H>10)&&(S=0,(e==0||t==0)&&(S=1e-24,g==2&&f!=pe&&(o=0),w==2&&y!=-pe&&(a=0)));let x=S||F||1e3,R=Jt(x),T=ls(
10,rt(R)),U=x*(S==0?e==0?.1:1:o),$=he(Gr(e-U,T/10),24),J=e>=f&&(g==1||g==3&&$<=f||g==2&&$>=f)?f:pe,j=Qe(c,$<J&&e>=J?J:Lt(J,$)),ee=x*(S==0?t==
0?.1:1:a),K=he(pi(t+ee,T/10),24),E=t<=y&&(w==1||w==3&&K>=y||w==2&&K<=y)?y:-pe,Q=Lt(p,K>E&&t<=E?E:Qe(E,K));return j==Q&&j==0&&(Q=100),[j,Q]}var bu=new Intl.
NumberFormat(cs?du.language:"en-US"),$l=e=>bu.format(e),at=Math,ri=at.PI,Re=at.abs,rt=at.floor,$e=at.round,vt=at.ceil,Lt=at.min,Qe=at.max,ls=at.
pow,fr=at.sign,Jt=at.log10,Ir=at.log2,yu=(e,t=1)=>at.sinh(e)*t,pl=(e,t=1)=>at.asinh(e/t),pe=1/0;function pr(e){return(Jt((e^e>>31)-(e>>31))|
0)+1}function xl(e,t,s){return Lt(Qe(e,t),s)}function Vr(e){return typeof e=="function"}function te(e){return Vr(e)?e:()=>e}var wu=()=>{},Wr=e=>e,
Br=(e,t)=>t,vu=e=>null,hr=e=>!0,mr=(e,t)=>e==t,xu=/\.\d*?(?=9{6,}|0{6,})/gm,Dn=e=>{if(Kr(e)||rn.has(e))return e;let t=`${e}`,s=t.match(xu);if(s==
null)return e;let n=s[0].length-1;if(t.indexOf("e-")!=-1){let[i,o]=t.split("e");return+`${Dn(i)}e${o}`}return he(e,n)};function Tn(e,t){return Dn(
he(Dn(e/t))*t)}function pi(e,t){return Dn(vt(Dn(e/t))*t)}function Gr(e,t){return Dn(rt(Dn(e/t))*t)}function he(e,t=0){if(Kr(e))return e;let s=10**
t,n=e*s*(1+Number.EPSILON);return $e(n)/s}var rn=new Map;function qr(e){return((""+e).split(".")[1]||"").length}function Rs(e,t,s,n){let i=[],
o=n.map(qr);for(let a=t;a<s;a++){let c=Re(a),p=he(ls(e,a),c);for(let f=0;f<n.length;f++){let y=e==10?+`${n[f]}e${a}`:n[f]*p,g=(a>=0?0:c)+(a>=
o[f]?0:o[f]),w=e==10?y:he(y,g);i.push(w),rn.set(w,g)}}return i}var $s={},Rl=[],os=[null,null],on=Array.isArray,Kr=Number.isInteger,ku=e=>e===
void 0;function gr(e){return typeof e=="string"}function hi(e){let t=!1;if(e!=null){let s=e.constructor;t=s==null||s==Object}return t}function _u(e){
return e!=null&&typeof e=="object"}var Su=Object.getPrototypeOf(Uint8Array),jr="__proto__";function rs(e,t=hi){let s;if(on(e)){let n=e.find(
i=>i!=null);if(on(n)||t(n)){s=Array(e.length);for(let i=0;i<e.length;i++)s[i]=rs(e[i],t)}else s=e.slice()}else if(e instanceof Su)s=e.slice();else if(t(
e)){s={};for(let n in e)n!=jr&&(s[n]=rs(e[n],t))}else s=e;return s}function Ae(e){let t=arguments;for(let s=1;s<t.length;s++){let n=t[s];for(let i in n)
i!=jr&&(hi(e[i])?Ae(e[i],rs(n[i])):e[i]=rs(n[i]))}return e}var Tu=0,Eu=1,Mu=2;function Au(e,t,s){for(let n=0,i,o=-1;n<t.length;n++){let a=t[n];
if(a>o){for(i=a-1;i>=0&&e[i]==null;)e[i--]=null;for(i=a+1;i<s&&e[i]==null;)e[o=i++]=null}}}function Du(e,t){if($u(e)){let a=e[0].slice();for(let c=1;c<
e.length;c++)a.push(...e[c].slice(1));return Ru(a[0])||(a=Lu(a)),a}let s=new Set;for(let a=0;a<e.length;a++){let p=e[a][0],f=p.length;for(let y=0;y<
f;y++)s.add(p[y])}let n=[Array.from(s).sort((a,c)=>a-c)],i=n[0].length,o=new Map;for(let a=0;a<i;a++)o.set(n[0][a],a);for(let a=0;a<e.length;a++){
let c=e[a],p=c[0];for(let f=1;f<c.length;f++){let y=c[f],g=Array(i).fill(void 0),w=t?t[a][f]:Eu,S=[];for(let M=0;M<y.length;M++){let F=y[M],
I=o.get(p[M]);F===null?w!=Tu&&(g[I]=F,w==Mu&&S.push(I)):g[I]=F}Au(g,S,i),n.push(g)}}return n}var Pu=typeof queueMicrotask>"u"?e=>Promise.resolve().
then(e):queueMicrotask;function Lu(e){let t=e[0],s=t.length,n=Array(s);for(let o=0;o<n.length;o++)n[o]=o;n.sort((o,a)=>t[o]-t[a]);let i=[];for(let o=0;o<
e.length;o++){let a=e[o],c=Array(s);for(let p=0;p<s;p++)c[p]=a[n[p]];i.push(c)}return i}function $u(e){let t=e[0][0],s=t.length;for(let n=1;n<
e.length;n++){let i=e[n][0];if(i.length!=s)return!1;if(i!=t){for(let o=0;o<s;o++)if(i[o]!=t[o])return!1}}return!0}function Ru(e,t=100){let s=e.
length;if(s<=1)return!0;let n=0,i=s-1;for(;n<=i&&e[n]==null;)n++;for(;i>=n&&e[i]==null;)i--;if(i<=n)return!0;let o=Qe(1,rt((i-n+1)/t));for(let a=e[n],
c=n+o;c<=i;c+=o){let p=e[c];if(p!=null){if(p<=a)return!1;a=p}}return!0}var Ur=["January","February","March","April","May","June","July","Aug\
ust","September","October","November","December"],Yr=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function Qr(e){
return e.slice(0,3)}var Fu=Yr.map(Qr),Nu=Ur.map(Qr),Cu={MMMM:Ur,MMM:Nu,WWWW:Yr,WWW:Fu};function Ms(e){return(e<10?"0":"")+e}function Ou(e){return(e<
10?"00":e<100?"0":"")+e}var Hu={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.
getMonth()],MM:e=>Ms(e.getMonth()+1),M:e=>e.getMonth()+1,DD:e=>Ms(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.
WWW[e.getDay()],HH:e=>Ms(e.getHours()),H:e=>e.getHours(),h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"A\
M",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>Ms(e.getMinutes()),m:e=>e.getMinutes(),ss:e=>Ms(e.getSeconds()),s:e=>e.
getSeconds(),fff:e=>Ou(e.getMilliseconds())};function Fl(e,t){t=t||Cu;let s=[],n=/\{([a-z]+)\}|[^{]+/gi,i;for(;i=n.exec(e);)s.push(i[0][0]==
"{"?Hu[i[1]]:i[0]);return o=>{let a="";for(let c=0;c<s.length;c++)a+=typeof s[c]=="string"?s[c]:s[c](o,t);return a}}var zu=new Intl.DateTimeFormat().
resolvedOptions().timeZone;function Iu(e,t){let s;return t=="UTC"||t=="Etc/UTC"?s=new Date(+e+e.getTimezoneOffset()*6e4):t==zu?s=e:(s=new Date(
e.toLocaleString("en-US",{timeZone:t})),s.setMilliseconds(e.getMilliseconds())),s}var Jr=e=>e%1==0,ui=[1,2,2.5,5],Vu=Rs(10,-32,0,ui),Zr=Rs(10,
0,32,ui),Wu=Zr.filter(Jr),En=Vu.concat(Zr),Nl=`
`,Xr="{YYYY}",br=Nl+Xr,ea="{M}/{D}",Ps=Nl+ea,li=Ps+"/{YY}",ta="{aa}",Bu="{h}:{mm}",ss=Bu+ta,yr=Nl+ss,wr=":{ss}",ue=null;function na(e){let t=e*
1e3,s=t*60,n=s*60,i=n*24,o=i*30,a=i*365,p=(e==1?Rs(10,0,3,ui).filter(Jr):Rs(10,-3,0,ui)).concat([t,t*5,t*10,t*15,t*30,s,s*5,s*10,s*15,s*30,n,
n*2,n*3,n*4,n*6,n*8,n*12,i,i*2,i*3,i*4,i*5,i*6,i*7,i*8,i*9,i*10,i*15,o,o*2,o*3,o*4,o*6,a,a*2,a*5,a*10,a*25,a*50,a*100]),f=[[a,Xr,ue,ue,ue,ue,
ue,ue,1],[i*28,"{MMM}",br,ue,ue,ue,ue,ue,1],[i,ea,br,ue,ue,ue,ue,ue,1],[n,"{h}"+ta,li,ue,Ps,ue,ue,ue,1],[s,ss,li,ue,Ps,ue,ue,ue,1],[t,wr,li+
" "+ss,ue,Ps+" "+ss,ue,yr,ue,1],[e,wr+".{fff}",li+" "+ss,ue,Ps+" "+ss,ue,yr,ue,1]];function y(g){return(w,S,M,F,I,H)=>{let x=[],R=I>=a,T=I>=
o&&I<a,U=g(M),$=he(U*e,3),J=hl(U.getFullYear(),R?0:U.getMonth(),T||R?1:U.getDate()),j=he(J*e,3);if(T||R){let ee=T?I/o:0,K=R?I/a:0,E=$==j?$:he(
hl(J.getFullYear()+K,J.getMonth()+ee,1)*e,3),Q=new Date($e(E/e)),N=Q.getFullYear(),G=Q.getMonth();for(let V=0;E<=F;V++){let ne=hl(N+K*V,G+ee*
V,1),z=ne-g(he(ne*e,3));E=he((+ne+z)*e,3),E<=F&&x.push(E)}}else{let ee=I>=i?i:I,K=rt(M)-rt($),E=j+K+pi($-j,ee);x.push(E);let Q=g(E),N=Q.getHours()+
Q.getMinutes()/s+Q.getSeconds()/n,G=I/n,V=w.axes[S]._space,ne=H/V;for(;E=he(E+I,e==1?0:3),!(E>F);)if(G>1){let z=rt(he(N+G,6))%24,ie=g(E).getHours()-
z;ie>1&&(ie=-1),E-=ie*n,N=(N+G)%24;let de=x[x.length-1];he((E-de)/I,3)*ne>=.7&&x.push(E)}else x.push(E)}return x}}return[p,f,y]}var[Gu,qu,Ku]=na(
1),[ju,Uu,Yu]=na(.001);Rs(2,-53,53,[1]);function vr(e,t){return e.map(s=>s.map((n,i)=>i==0||i==8||n==null?n:t(i==1||s[8]==0?n:s[1]+n)))}function xr(e,t){
return(s,n,i,o,a)=>{let c=t.find(M=>a>=M[0])||t[t.length-1],p,f,y,g,w,S;return n.map(M=>{let F=e(M),I=F.getFullYear(),H=F.getMonth(),x=F.getDate(),
R=F.getHours(),T=F.getMinutes(),U=F.getSeconds(),$=I!=p&&c[2]||H!=f&&c[3]||x!=y&&c[4]||R!=g&&c[5]||T!=w&&c[6]||U!=S&&c[7]||c[1];return p=I,f=
H,y=x,g=R,w=T,S=U,$(F)})}}function Qu(e,t){let s=Fl(t);return(n,i,o,a,c)=>i.map(p=>s(e(p)))}function hl(e,t,s){return new Date(e,t,s)}function kr(e,t){
return t(e)}var Ju="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function _r(e,t){return(s,n,i,o)=>o==null?Al:t(e(n))}function Zu(e,t){let s=e.series[t];return s.
width?s.stroke(e,t):s.points.width?s.points.stroke(e,t):null}function Xu(e,t){return e.series[t].fill(e,t)}var ed={show:!0,live:!0,isolate:!1,
mount:wu,markers:{show:!0,width:2,stroke:Zu,fill:Xu,dash:"solid"},idx:null,idxs:null,values:[]};function td(e,t){let s=e.cursor.points,n=wt(),
i=s.size(e,t);ve(n,As,i),ve(n,Ds,i);let o=i/-2;ve(n,"marginLeft",o),ve(n,"marginTop",o);let a=s.width(e,t,i);return a&&ve(n,"borderWidth",a),
n}function nd(e,t){let s=e.series[t].points;return s._fill||s._stroke}function sd(e,t){let s=e.series[t].points;return s._stroke||s._fill}function id(e,t){
return e.series[t].points.size}var ml=[0,0];function ld(e,t,s){return ml[0]=t,ml[1]=s,ml}function oi(e,t,s,n=!0){return i=>{i.button==0&&(!n||
i.target==t)&&s(i)}}function gl(e,t,s,n=!0){return i=>{(!n||i.target==t)&&s(i)}}var od={show:!0,x:!0,y:!0,lock:!1,move:ld,points:{one:!1,show:td,
size:id,width:0,stroke:sd,fill:nd},bind:{mousedown:oi,mouseup:oi,click:oi,dblclick:oi,mousemove:gl,mouseleave:gl,mouseenter:gl},drag:{setScale:!0,
x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(e,t,s,n,i)=>n-i,prox:-1,
bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},sa={show:!0,stroke:"rgba(0,0,0,0\
.07)",width:2},Cl=Ae({},sa,{filter:Br}),ia=Ae({},Cl,{size:10}),la=Ae({},sa,{show:!1}),Ol='12px system-ui, -apple-system, "Segoe UI", Roboto,\
 "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',oa="bold "+
Ol,ra=1.5,Sr={show:!0,scale:"x",stroke:Ml,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:oa,side:2,grid:Cl,ticks:ia,border:la,
font:Ol,lineGap:ra,rotate:0},rd="Value",ad="Time",Tr={show:!0,scale:"x",auto:!1,sorted:1,min:pe,max:-pe,idxs:[]};function cd(e,t,s,n,i){return t.
map(o=>o==null?"":$l(o))}function ud(e,t,s,n,i,o,a){let c=[],p=rn.get(i)||0;s=a?s:he(pi(s,i),p);for(let f=s;f<=n;f=he(f+i,p))c.push(Object.is(
f,-0)?0:f);return c}function kl(e,t,s,n,i,o,a){let c=[],p=e.scales[e.axes[t].scale].log,f=p==10?Jt:Ir,y=rt(f(s));i=ls(p,y),p==10&&(i=En[Pt(i,
En)]);let g=s,w=i*p;p==10&&(w=En[Pt(w,En)]);do c.push(g),g=g+i,p==10&&!rn.has(g)&&(g=he(g,rn.get(i))),g>=w&&(i=g,w=i*p,p==10&&(w=En[Pt(w,En)]));while(g<=
n);return c}function dd(e,t,s,n,i,o,a){let p=e.scales[e.axes[t].scale].asinh,f=n>p?kl(e,t,Qe(p,s),n,i):[p],y=n>=0&&s<=0?[0]:[];return(s<-p?kl(
e,t,Qe(p,-n),-s,i):[p]).reverse().map(w=>-w).concat(y,f)}var aa=/./,fd=/[12357]/,pd=/[125]/,Er=/1/,_l=(e,t,s,n)=>e.map((i,o)=>t==4&&i==0||o%
n==0&&s.test(i.toExponential()[i<0?1:0])?i:null);function hd(e,t,s,n,i){let o=e.axes[s],a=o.scale,c=e.scales[a],p=e.valToPos,f=o._space,y=p(
10,a),g=p(9,a)-y>=f?aa:p(7,a)-y>=f?fd:p(5,a)-y>=f?pd:Er;if(g==Er){let w=Re(p(1,a)-y);if(w<f)return _l(t.slice().reverse(),c.distr,g,vt(f/w)).
reverse()}return _l(t,c.distr,g,1)}function md(e,t,s,n,i){let o=e.axes[s],a=o.scale,c=o._space,p=e.valToPos,f=Re(p(1,a)-p(2,a));return f<c?_l(
t.slice().reverse(),3,aa,vt(c/f)).reverse():t}function gd(e,t,s,n){return n==null?Al:t==null?"":$l(t)}var Mr={show:!0,scale:"y",stroke:Ml,space:30,
gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:oa,side:3,grid:Cl,ticks:ia,border:la,font:Ol,lineGap:ra,rotate:0};function bd(e,t){
let s=3+(e||1)*2;return he(s*t,3)}function yd(e,t){let{scale:s,idxs:n}=e.series[0],i=e._data[0],o=e.valToPos(i[n[0]],s,!0),a=e.valToPos(i[n[1]],
s,!0),c=Re(a-o),p=e.series[t],f=c/(p.points.space*ae);return n[1]-n[0]<=f}var Ar={scale:null,auto:!0,sorted:0,min:pe,max:-pe},ca=(e,t,s,n,i)=>i,
Dr={show:!0,auto:!0,sorted:0,gaps:ca,alpha:1,facets:[Ae({},Ar,{scale:"x"}),Ae({},Ar,{scale:"y"})]},Pr={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:ca,alpha:1,points:{show:yd,filter:null},values:null,min:pe,max:-pe,idxs:[],path:null,clip:null};function wd(e,t,s,n,i){return s/10}var ua={
time:!0,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},vd=Ae({},ua,{time:!1,ori:1}),Lr={};function da(e,t){let s=Lr[e];return s||
(s={key:e,plots:[],sub(n){s.plots.push(n)},unsub(n){s.plots=s.plots.filter(i=>i!=n)},pub(n,i,o,a,c,p,f){for(let y=0;y<s.plots.length;y++)s.plots[y]!=
i&&s.plots[y].pub(n,i,o,a,c,p,f)}},e!=null&&(Lr[e]=s)),s}var as=1,Sl=2;function Pn(e,t,s){let n=e.mode,i=e.series[t],o=n==2?e._data[t]:e._data,
a=e.scales,c=e.bbox,p=o[0],f=n==2?o[1]:o[t],y=n==2?a[i.facets[0].scale]:a[e.series[0].scale],g=n==2?a[i.facets[1].scale]:a[i.scale],w=c.left,
S=c.top,M=c.width,F=c.height,I=e.valToPosH,H=e.valToPosV;return y.ori==0?s(i,p,f,y,g,I,H,w,S,M,F,gi,us,yi,pa,ma):s(i,p,f,y,g,H,I,S,w,F,M,bi,
ds,Il,ha,ga)}function Hl(e,t){let s=0,n=0,i=oe(e.bands,Rl);for(let o=0;o<i.length;o++){let a=i[o];a.series[0]==t?s=a.dir:a.series[1]==t&&(a.
dir==1?n|=1:n|=2)}return[s,n==1?-1:n==2?1:n==3?2:0]}function xd(e,t,s,n,i){let o=e.mode,a=e.series[t],c=o==2?a.facets[1].scale:a.scale,p=e.scales[c];
return i==-1?p.min:i==1?p.max:p.distr==3?p.dir==1?p.min:p.max:0}function Zt(e,t,s,n,i,o){return Pn(e,t,(a,c,p,f,y,g,w,S,M,F,I)=>{let H=a.pxRound,
x=f.dir*(f.ori==0?1:-1),R=f.ori==0?us:ds,T,U;x==1?(T=s,U=n):(T=n,U=s);let $=H(g(c[T],f,F,S)),J=H(w(p[T],y,I,M)),j=H(g(c[U],f,F,S)),ee=H(w(o==
1?y.max:y.min,y,I,M)),K=new Path2D(i);return R(K,j,ee),R(K,$,ee),R(K,$,J),K})}function mi(e,t,s,n,i,o){let a=null;if(e.length>0){a=new Path2D;
let c=t==0?yi:Il,p=s;for(let g=0;g<e.length;g++){let w=e[g];if(w[1]>w[0]){let S=w[0]-p;S>0&&c(a,p,n,S,n+o),p=w[1]}}let f=s+i-p,y=10;f>0&&c(a,
p,n-y/2,f,n+o+y)}return a}function kd(e,t,s){let n=e[e.length-1];n&&n[0]==t?n[1]=s:e.push([t,s])}function zl(e,t,s,n,i,o,a){let c=[],p=e.length;
for(let f=i==1?s:n;f>=s&&f<=n;f+=i)if(t[f]===null){let g=f,w=f;if(i==1)for(;++f<=n&&t[f]===null;)w=f;else for(;--f>=s&&t[f]===null;)w=f;let S=o(
e[g]),M=w==g?S:o(e[w]),F=g-i;S=a<=0&&F>=0&&F<p?o(e[F]):S;let H=w+i;M=a>=0&&H>=0&&H<p?o(e[H]):M,M>=S&&c.push([S,M])}return c}function $r(e){return e==
0?Wr:e==1?$e:t=>Tn(t,e)}function fa(e){let t=e==0?gi:bi,s=e==0?(i,o,a,c,p,f)=>{i.arcTo(o,a,c,p,f)}:(i,o,a,c,p,f)=>{i.arcTo(a,o,p,c,f)},n=e==
0?(i,o,a,c,p)=>{i.rect(o,a,c,p)}:(i,o,a,c,p)=>{i.rect(a,o,p,c)};return(i,o,a,c,p,f=0,y=0)=>{f==0&&y==0?n(i,o,a,c,p):(f=Lt(f,c/2,p/2),y=Lt(y,
c/2,p/2),t(i,o+f,a),s(i,o+c,a,o+c,a+p,f),s(i,o+c,a+p,o,a+p,y),s(i,o,a+p,o,a,y),s(i,o,a,o+c,a,f),i.closePath())}}var gi=(e,t,s)=>{e.moveTo(t,
s)},bi=(e,t,s)=>{e.moveTo(s,t)},us=(e,t,s)=>{e.lineTo(t,s)},ds=(e,t,s)=>{e.lineTo(s,t)},yi=fa(0),Il=fa(1),pa=(e,t,s,n,i,o)=>{e.arc(t,s,n,i,o)},
ha=(e,t,s,n,i,o)=>{e.arc(s,t,n,i,o)},ma=(e,t,s,n,i,o,a)=>{e.bezierCurveTo(t,s,n,i,o,a)},ga=(e,t,s,n,i,o,a)=>{e.bezierCurveTo(s,t,i,n,a,o)};function ba(e){
return(t,s,n,i,o)=>Pn(t,s,(a,c,p,f,y,g,w,S,M,F,I)=>{let{pxRound:H,points:x}=a,R,T;f.ori==0?(R=gi,T=pa):(R=bi,T=ha);let U=he(x.width*ae,3),$=(x.
size-x.width)/2*ae,J=he($*2,3),j=new Path2D,ee=new Path2D,{left:K,top:E,width:Q,height:N}=t.bbox;yi(ee,K-J,E-J,Q+J*2,N+J*2);let G=V=>{if(p[V]!=
null){let ne=H(g(c[V],f,F,S)),z=H(w(p[V],y,I,M));R(j,ne+$,z),T(j,ne,z,$,0,ri*2)}};if(o)o.forEach(G);else for(let V=n;V<=i;V++)G(V);return{stroke:U>
0?j:null,fill:j,clip:ee,flags:as|Sl}})}function ya(e){return(t,s,n,i,o,a)=>{n!=i&&(o!=n&&a!=n&&e(t,s,n),o!=i&&a!=i&&e(t,s,i),e(t,s,a))}}var _d=ya(
us),Sd=ya(ds);function wa(e){let t=oe(e?.alignGaps,0);return(s,n,i,o)=>Pn(s,n,(a,c,p,f,y,g,w,S,M,F,I)=>{[i,o]=di(p,i,o);let H=a.pxRound,x=N=>H(
g(N,f,F,S)),R=N=>H(w(N,y,I,M)),T,U;f.ori==0?(T=us,U=_d):(T=ds,U=Sd);let $=f.dir*(f.ori==0?1:-1),J={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:as},j=J.stroke,ee=!1;if(o-i>=F*4){let N=C=>s.posToVal(C,f.key,!0),G=null,V=null,ne,z,Je,xe=x(c[$==1?i:o]),ie=x(c[i]),de=x(c[o]),
Z=N($==1?ie+1:de-1);for(let C=$==1?i:o;C>=i&&C<=o;C+=$){let Pe=c[C],ke=($==1?Pe<Z:Pe>Z)?xe:x(Pe),ce=p[C];ke==xe?ce!=null?(z=ce,G==null?(T(j,
ke,R(z)),ne=G=V=z):z<G?G=z:z>V&&(V=z)):ce===null&&(ee=!0):(G!=null&&U(j,xe,R(G),R(V),R(ne),R(z)),ce!=null?(z=ce,T(j,ke,R(z)),G=V=ne=z):(G=V=
null,ce===null&&(ee=!0)),xe=ke,Z=N(xe+$))}G!=null&&G!=V&&Je!=xe&&U(j,xe,R(G),R(V),R(ne),R(z))}else for(let N=$==1?i:o;N>=i&&N<=o;N+=$){let G=p[N];
G===null?ee=!0:G!=null&&T(j,x(c[N]),R(G))}let[E,Q]=Hl(s,n);if(a.fill!=null||E!=0){let N=J.fill=new Path2D(j),G=a.fillTo(s,n,a.min,a.max,E),V=R(
G),ne=x(c[i]),z=x(c[o]);$==-1&&([z,ne]=[ne,z]),T(N,z,V),T(N,ne,V)}if(!a.spanGaps){let N=[];ee&&N.push(...zl(c,p,i,o,$,x,t)),J.gaps=N=a.gaps(
s,n,i,o,N),J.clip=mi(N,f.ori,S,M,F,I)}return Q!=0&&(J.band=Q==2?[Zt(s,n,i,o,j,-1),Zt(s,n,i,o,j,1)]:Zt(s,n,i,o,j,Q)),J})}function Td(e){let t=oe(
e.align,1),s=oe(e.ascDesc,!1),n=oe(e.alignGaps,0),i=oe(e.extend,!1);return(o,a,c,p)=>Pn(o,a,(f,y,g,w,S,M,F,I,H,x,R)=>{[c,p]=di(g,c,p);let T=f.
pxRound,{left:U,width:$}=o.bbox,J=ie=>T(M(ie,w,x,I)),j=ie=>T(F(ie,S,R,H)),ee=w.ori==0?us:ds,K={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:as},E=K.stroke,Q=w.dir*(w.ori==0?1:-1),N=j(g[Q==1?c:p]),G=J(y[Q==1?c:p]),V=G,ne=G;i&&t==-1&&(ne=U,ee(E,ne,N)),ee(E,G,N);for(let ie=Q==
1?c:p;ie>=c&&ie<=p;ie+=Q){let de=g[ie];if(de==null)continue;let Z=J(y[ie]),C=j(de);t==1?ee(E,Z,N):ee(E,V,C),ee(E,Z,C),N=C,V=Z}let z=V;i&&t==
1&&(z=U+$,ee(E,z,N));let[Je,xe]=Hl(o,a);if(f.fill!=null||Je!=0){let ie=K.fill=new Path2D(E),de=f.fillTo(o,a,f.min,f.max,Je),Z=j(de);ee(ie,z,
Z),ee(ie,ne,Z)}if(!f.spanGaps){let ie=[];ie.push(...zl(y,g,c,p,Q,J,n));let de=f.width*ae/2,Z=s||t==1?de:-de,C=s||t==-1?-de:de;ie.forEach(Pe=>{
Pe[0]+=Z,Pe[1]+=C}),K.gaps=ie=f.gaps(o,a,c,p,ie),K.clip=mi(ie,w.ori,I,H,x,R)}return xe!=0&&(K.band=xe==2?[Zt(o,a,c,p,E,-1),Zt(o,a,c,p,E,1)]:
Zt(o,a,c,p,E,xe)),K})}function Rr(e,t,s,n,i,o,a=pe){if(e.length>1){let c=null;for(let p=0,f=1/0;p<e.length;p++)if(t[p]!==void 0){if(c!=null){
let y=Re(e[p]-e[c]);y<f&&(f=y,a=Re(s(e[p],n,i,o)-s(e[c],n,i,o)))}c=p}}return a}function Ed(e){e=e||$s;let t=oe(e.size,[.6,pe,1]),s=e.align||
0,n=e.gap||0,i=e.radius;i=i==null?[0,0]:typeof i=="number"?[i,0]:i;let o=te(i),a=1-t[0],c=oe(t[1],pe),p=oe(t[2],1),f=oe(e.disp,$s),y=oe(e.each,
S=>{}),{fill:g,stroke:w}=f;return(S,M,F,I)=>Pn(S,M,(H,x,R,T,U,$,J,j,ee,K,E)=>{let Q=H.pxRound,N=s,G=n*ae,V=c*ae,ne=p*ae,z,Je;T.ori==0?[z,Je]=
o(S,M):[Je,z]=o(S,M);let xe=T.dir*(T.ori==0?1:-1),ie=T.ori==0?yi:Il,de=T.ori==0?y:(P,me,Le,On,fn,Rt,pn)=>{y(P,me,Le,fn,On,pn,Rt)},Z=oe(S.bands,
Rl).find(P=>P.series[0]==M),C=Z!=null?Z.dir:0,Pe=H.fillTo(S,M,H.min,H.max,C),Ge=Q(J(Pe,U,E,ee)),ke,ce,xt,tt=K,Se=Q(H.width*ae),$t=!1,Gt=null,
ut=null,Xt=null,Fn=null;g!=null&&(Se==0||w!=null)&&($t=!0,Gt=g.values(S,M,F,I),ut=new Map,new Set(Gt).forEach(P=>{P!=null&&ut.set(P,new Path2D)}),
Se>0&&(Xt=w.values(S,M,F,I),Fn=new Map,new Set(Xt).forEach(P=>{P!=null&&Fn.set(P,new Path2D)})));let{x0:Nn,size:hs}=f;if(Nn!=null&&hs!=null){
N=1,x=Nn.values(S,M,F,I),Nn.unit==2&&(x=x.map(Le=>S.posToVal(j+Le*K,T.key,!0)));let P=hs.values(S,M,F,I);hs.unit==2?ce=P[0]*K:ce=$(P[0],T,K,
j)-$(0,T,K,j),tt=Rr(x,R,$,T,K,j,tt),xt=tt-ce+G}else tt=Rr(x,R,$,T,K,j,tt),xt=tt*a+G,ce=tt-xt;xt<1&&(xt=0),Se>=ce/2&&(Se=0),xt<5&&(Q=Wr);let Cs=xt>
0,un=tt-xt-(Cs?Se:0);ce=Q(xl(un,ne,V)),ke=(N==0?ce/2:N==xe?0:ce)-N*xe*((N==0?G/2:0)+(Cs?Se/2:0));let qe={stroke:null,fill:null,clip:null,band:null,
gaps:null,flags:0},Cn=$t?null:new Path2D,qt=null;if(Z!=null)qt=S.data[Z.series[1]];else{let{y0:P,y1:me}=f;P!=null&&me!=null&&(R=me.values(S,
M,F,I),qt=P.values(S,M,F,I))}let dn=z*ce,Y=Je*ce;for(let P=xe==1?F:I;P>=F&&P<=I;P+=xe){let me=R[P];if(me==null)continue;if(qt!=null){let Ze=qt[P]??
0;if(me-Ze==0)continue;Ge=J(Ze,U,E,ee)}let Le=T.distr!=2||f!=null?x[P]:P,On=$(Le,T,K,j),fn=J(oe(me,Pe),U,E,ee),Rt=Q(On-ke),pn=Q(Qe(fn,Ge)),nt=Q(
Lt(fn,Ge)),dt=pn-nt;if(me!=null){let Ze=me<0?Y:dn,kt=me<0?dn:Y;$t?(Se>0&&Xt[P]!=null&&ie(Fn.get(Xt[P]),Rt,nt+rt(Se/2),ce,Qe(0,dt-Se),Ze,kt),
Gt[P]!=null&&ie(ut.get(Gt[P]),Rt,nt+rt(Se/2),ce,Qe(0,dt-Se),Ze,kt)):ie(Cn,Rt,nt+rt(Se/2),ce,Qe(0,dt-Se),Ze,kt),de(S,M,P,Rt-Se/2,nt,ce+Se,dt)}}
return Se>0?qe.stroke=$t?Fn:Cn:$t||(qe._fill=H.width==0?H._fill:H._stroke??H._fill,qe.width=0),qe.fill=$t?ut:Cn,qe})}function Md(e,t){let s=oe(
t?.alignGaps,0);return(n,i,o,a)=>Pn(n,i,(c,p,f,y,g,w,S,M,F,I,H)=>{[o,a]=di(f,o,a);let x=c.pxRound,R=z=>x(w(z,y,I,M)),T=z=>x(S(z,g,H,F)),U,$,
J;y.ori==0?(U=gi,J=us,$=ma):(U=bi,J=ds,$=ga);let j=y.dir*(y.ori==0?1:-1),ee=R(p[j==1?o:a]),K=ee,E=[],Q=[];for(let z=j==1?o:a;z>=o&&z<=a;z+=j)
if(f[z]!=null){let xe=p[z],ie=R(xe);E.push(K=ie),Q.push(T(f[z]))}let N={stroke:e(E,Q,U,J,$,x),fill:null,clip:null,band:null,gaps:null,flags:as},
G=N.stroke,[V,ne]=Hl(n,i);if(c.fill!=null||V!=0){let z=N.fill=new Path2D(G),Je=c.fillTo(n,i,c.min,c.max,V),xe=T(Je);J(z,K,xe),J(z,ee,xe)}if(!c.
spanGaps){let z=[];z.push(...zl(p,f,o,a,j,R,s)),N.gaps=z=c.gaps(n,i,o,a,z),N.clip=mi(z,y.ori,M,F,I,H)}return ne!=0&&(N.band=ne==2?[Zt(n,i,o,
a,G,-1),Zt(n,i,o,a,G,1)]:Zt(n,i,o,a,G,ne)),N})}function Ad(e){return Md(Dd,e)}function Dd(e,t,s,n,i,o){let a=e.length;if(a<2)return null;let c=new Path2D;
if(s(c,e[0],t[0]),a==2)n(c,e[1],t[1]);else{let p=Array(a),f=Array(a-1),y=Array(a-1),g=Array(a-1);for(let w=0;w<a-1;w++)y[w]=t[w+1]-t[w],g[w]=
e[w+1]-e[w],f[w]=y[w]/g[w];p[0]=f[0];for(let w=1;w<a-1;w++)f[w]===0||f[w-1]===0||f[w-1]>0!=f[w]>0?p[w]=0:(p[w]=3*(g[w-1]+g[w])/((2*g[w]+g[w-
1])/f[w-1]+(g[w]+2*g[w-1])/f[w]),isFinite(p[w])||(p[w]=0));p[a-1]=f[a-2];for(let w=0;w<a-1;w++)i(c,e[w]+g[w]/3,t[w]+p[w]*g[w]/3,e[w+1]-g[w]/
3,t[w+1]-p[w+1]*g[w]/3,e[w+1],t[w+1])}return c}var Tl=new Set;function Fr(){for(let e of Tl)e.syncRect(!0)}cs&&(An(cu,is,Fr),An(uu,is,Fr,!0),
An(ai,is,()=>{We.pxRatio=ae}));var Pd=wa(),Ld=ba();function Nr(e,t,s,n){return(n?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map(
(o,a)=>El(o,a,t,s))}function $d(e,t){return e.map((s,n)=>n==0?{}:Ae({},t,s))}function El(e,t,s,n){return Ae({},t==0?s:n,e)}function va(e,t,s){
return t==null?os:[t,s]}var Rd=va;function Fd(e,t,s){return t==null?os:ci(t,s,Ll,!0)}function xa(e,t,s,n){return t==null?os:fi(t,s,e.scales[n].
log,!1)}var Nd=xa;function ka(e,t,s,n){return t==null?os:Pl(t,s,e.scales[n].log,!1)}var Cd=ka;function Od(e,t,s,n,i){let o=Qe(pr(e),pr(t)),a=t-
e,c=Pt(i/n*a,s);do{let p=s[c],f=n*p/a;if(f>=i&&o+(p<5?rn.get(p):0)<=17)return[p,f]}while(++c<s.length);return[0,0]}function Cr(e){let t,s;return e=
e.replace(/(\d+)px/,(n,i)=>(t=$e((s=+i)*ae))+"px"),[e,t,s]}function Hd(e){e.show&&[e.font,e.labelFont].forEach(t=>{let s=he(t[2]*ae,1);t[0]=
t[0].replace(/[0-9.]+px/,s+"px"),t[1]=s})}function We(e,t,s){let n={mode:oe(e.mode,1)},i=n.mode;function o(l,r,u,d){let m=r.valToPct(l);return d+
u*(r.dir==-1?1-m:m)}function a(l,r,u,d){let m=r.valToPct(l);return d+u*(r.dir==-1?m:1-m)}function c(l,r,u,d){return r.ori==0?o(l,r,u,d):a(l,
r,u,d)}n.valToPosH=o,n.valToPosV=a;let p=!1;n.status=0;let f=n.root=wt(qc);if(e.id!=null&&(f.id=e.id),ot(f,e.class),e.title){let l=wt(Uc,f);
l.textContent=e.title}let y=Dt("canvas"),g=n.ctx=y.getContext("2d"),w=wt(Yc,f);An("click",w,l=>{l.target===M&&(be!=Un||_e!=Yn)&&Ve.click(n,l)},
!0);let S=n.under=wt(Qc,w);w.appendChild(y);let M=n.over=wt(Jc,w);e=rs(e);let F=+oe(e.pxAlign,1),I=$r(F);(e.plugins||[]).forEach(l=>{l.opts&&
(e=l.opts(n,e)||e)});let H=e.ms||.001,x=n.series=i==1?Nr(e.series||[],Tr,Pr,!1):$d(e.series||[null],Dr),R=n.axes=Nr(e.axes||[],Sr,Mr,!0),T=n.
scales={},U=n.bands=e.bands||[];U.forEach(l=>{l.fill=te(l.fill||null),l.dir=oe(l.dir,-1)});let $=i==2?x[1].facets[0].scale:x[0].scale,J={axes:tc,
series:Qa},j=(e.drawOrder||["axes","series"]).map(l=>J[l]);function ee(l){let r=l.distr==3?u=>Jt(u>0?u:l.clamp(n,u,l.min,l.max,l.key)):l.distr==
4?u=>pl(u,l.asinh):l.distr==100?u=>l.fwd(u):u=>u;return u=>{let d=r(u),{_min:m,_max:b}=l,v=b-m;return(d-m)/v}}function K(l){let r=T[l];if(r==
null){let u=(e.scales||$s)[l]||$s;if(u.from!=null){K(u.from);let d=Ae({},T[u.from],u,{key:l});d.valToPct=ee(d),T[l]=d}else{r=T[l]=Ae({},l==$?
ua:vd,u),r.key=l;let d=r.time,m=r.range,b=on(m);if((l!=$||i==2&&!d)&&(b&&(m[0]==null||m[1]==null)&&(m={min:m[0]==null?ur:{mode:1,hard:m[0],soft:m[0]},
max:m[1]==null?ur:{mode:1,hard:m[1],soft:m[1]}},b=!1),!b&&hi(m))){let v=m;m=(k,_,A)=>_==null?os:ci(_,A,v)}r.range=te(m||(d?Rd:l==$?r.distr==
3?Nd:r.distr==4?Cd:va:r.distr==3?xa:r.distr==4?ka:Fd)),r.auto=te(b?!1:r.auto),r.clamp=te(r.clamp||wd),r._min=r._max=null,r.valToPct=ee(r)}}}
K("x"),K("y"),i==1&&x.forEach(l=>{K(l.scale)}),R.forEach(l=>{K(l.scale)});for(let l in e.scales)K(l);let E=T[$],Q=E.distr,N,G;E.ori==0?(ot(f,
Kc),N=o,G=a):(ot(f,jc),N=a,G=o);let V={};for(let l in T){let r=T[l];(r.min!=null||r.max!=null)&&(V[l]={min:r.min,max:r.max},r.min=r.max=null)}
let ne=e.tzDate||(l=>new Date($e(l/H))),z=e.fmtDate||Fl,Je=H==1?Ku(ne):Yu(ne),xe=xr(ne,vr(H==1?qu:Uu,z)),ie=_r(ne,kr(Ju,z)),de=[],Z=n.legend=
Ae({},ed,e.legend),C=n.cursor=Ae({},od,{drag:{y:i==2}},e.cursor),Pe=Z.show,Ge=C.show,ke=Z.markers;Z.idxs=de,ke.width=te(ke.width),ke.dash=te(
ke.dash),ke.stroke=te(ke.stroke),ke.fill=te(ke.fill);let ce,xt,tt,Se=[],$t=[],Gt,ut=!1,Xt={};if(Z.live){let l=x[1]?x[1].values:null;ut=l!=null,
Gt=ut?l(n,1,0):{_:0};for(let r in Gt)Xt[r]=Al}if(Pe)if(ce=Dt("table",su,f),tt=Dt("tbody",null,ce),Z.mount(n,ce),ut){xt=Dt("thead",null,ce,tt);
let l=Dt("tr",null,xt);Dt("th",null,l);for(var Fn in Gt)Dt("th",Jo,l).textContent=Fn}else ot(ce,lu),Z.live&&ot(ce,iu);let Nn={show:!0},hs={show:!1};
function Cs(l,r){if(r==0&&(ut||!Z.live||i==2))return os;let u=[],d=Dt("tr",ou,tt,tt.childNodes[r]);ot(d,l.class),l.show||ot(d,Mn);let m=Dt("\
th",null,d);if(ke.show){let k=wt(ru,m);if(r>0){let _=ke.width(n,r);_&&(k.style.border=_+"px "+ke.dash(n,r)+" "+ke.stroke(n,r)),k.style.background=
ke.fill(n,r)}}let b=wt(Jo,m);l.label instanceof HTMLElement?b.appendChild(l.label):b.textContent=l.label,r>0&&(ke.show||(b.style.color=l.width>
0?ke.stroke(n,r):ke.fill(n,r)),qe("click",m,k=>{if(C._lock)return;mn(k);let _=x.indexOf(l);if((k.ctrlKey||k.metaKey)!=Z.isolate){let A=x.some(
(D,L)=>L>0&&L!=_&&D.show);x.forEach((D,L)=>{L>0&&Nt(L,A?L==_?Nn:hs:Nn,!0,Me.setSeries)})}else Nt(_,{show:!l.show},!0,Me.setSeries)},!1),zn&&
qe(tr,m,k=>{C._lock||(mn(k),Nt(x.indexOf(l),Jn,!0,Me.setSeries))},!1));for(var v in Gt){let k=Dt("td",au,d);k.textContent="--",u.push(k)}return[
d,u]}let un=new Map;function qe(l,r,u,d=!0){let m=un.get(r)||{},b=C.bind[l](n,r,u,d);b&&(An(l,r,m[l]=b),un.set(r,m))}function Cn(l,r,u){let d=un.
get(r)||{};for(let m in d)(l==null||m==l)&&(vl(m,r,d[m]),delete d[m]);l==null&&un.delete(r)}let qt=0,dn=0,Y=0,P=0,me=0,Le=0,On=me,fn=Le,Rt=Y,
pn=P,nt=0,dt=0,Ze=0,kt=0;n.bbox={};let Si=!1,Os=!1,Hn=!1,hn=!1,Hs=!1,ft=!1;function Ti(l,r,u){(u||l!=n.width||r!=n.height)&&Gl(l,r),Gn(!1),Hn=
!0,Os=!0,qn()}function Gl(l,r){n.width=qt=Y=l,n.height=dn=P=r,me=Le=0,Ba(),Ga();let u=n.bbox;nt=u.left=Tn(me*ae,.5),dt=u.top=Tn(Le*ae,.5),Ze=
u.width=Tn(Y*ae,.5),kt=u.height=Tn(P*ae,.5)}let Ia=3;function Va(){let l=!1,r=0;for(;!l;){r++;let u=Xa(r),d=ec(r);l=r==Ia||u&&d,l||(Gl(n.width,
n.height),Os=!0)}}function Wa({width:l,height:r}){Ti(l,r)}n.setSize=Wa;function Ba(){let l=!1,r=!1,u=!1,d=!1;R.forEach((m,b)=>{if(m.show&&m.
_show){let{side:v,_size:k}=m,_=v%2,A=m.label!=null?m.labelSize:0,D=k+A;D>0&&(_?(Y-=D,v==3?(me+=D,d=!0):u=!0):(P-=D,v==0?(Le+=D,l=!0):r=!0))}}),
gn[0]=l,gn[1]=u,gn[2]=r,gn[3]=d,Y-=en[1]+en[3],me+=en[3],P-=en[2]+en[0],Le+=en[0]}function Ga(){let l=me+Y,r=Le+P,u=me,d=Le;function m(b,v){
switch(b){case 1:return l+=v,l-v;case 2:return r+=v,r-v;case 3:return u-=v,u+v;case 0:return d-=v,d+v}}R.forEach((b,v)=>{if(b.show&&b._show){
let k=b.side;b._pos=m(k,b._size),b.label!=null&&(b._lpos=m(k,b.labelSize))}})}if(C.dataIdx==null){let l=C.hover,r=l.skip=new Set(l.skip??[]);
r.add(void 0);let u=l.prox=te(l.prox),d=l.bias??=0;C.dataIdx=(m,b,v,k)=>{if(b==0)return v;let _=v,A=u(m,b,v,k)??pe,D=A>=0&&A<pe,L=E.ori==0?Y:
P,q=C.left,re=t[0],le=t[b];if(r.has(le[v])){_=null;let X=null,W=null,O;if(d==0||d==-1)for(O=v;X==null&&O-- >0;)r.has(le[O])||(X=O);if(d==0||
d==1)for(O=v;W==null&&O++<le.length;)r.has(le[O])||(W=O);if(X!=null||W!=null)if(D){let we=X==null?-1/0:N(re[X],E,L,0),Te=W==null?1/0:N(re[W],
E,L,0),ze=q-we,fe=Te-q;ze<=fe?ze<=A&&(_=X):fe<=A&&(_=W)}else _=W==null?X:X==null?W:v-X<=W-v?X:W}else D&&Re(q-N(re[v],E,L,0))>A&&(_=null);return _}}
let mn=l=>{C.event=l};C.idxs=de,C._lock=!1;let Be=C.points;Be.show=te(Be.show),Be.size=te(Be.size),Be.stroke=te(Be.stroke),Be.width=te(Be.width),
Be.fill=te(Be.fill);let Ft=n.focus=Ae({},e.focus||{alpha:.3},C.focus),zn=Ft.prox>=0,In=zn&&Be.one,pt=[],Vn=[],Wn=[];function ql(l,r){let u=Be.
show(n,r);if(u instanceof HTMLElement)return ot(u,nu),ot(u,l.class),Vt(u,-10,-10,Y,P),M.insertBefore(u,pt[r]),u}function Kl(l,r){if(i==1||r>
0){let u=i==1&&T[l.scale].time,d=l.value;l.value=u?gr(d)?_r(ne,kr(d,z)):d||ie:d||gd,l.label=l.label||(u?ad:rd)}if(In||r>0){l.width=l.width==
null?1:l.width,l.paths=l.paths||Pd||vu,l.fillTo=te(l.fillTo||xd),l.pxAlign=+oe(l.pxAlign,F),l.pxRound=$r(l.pxAlign),l.stroke=te(l.stroke||null),
l.fill=te(l.fill||null),l._stroke=l._fill=l._paths=l._focus=null;let u=bd(Qe(1,l.width),1),d=l.points=Ae({},{size:u,width:Qe(1,u*.2),stroke:l.
stroke,space:u*2,paths:Ld,_stroke:null,_fill:null},l.points);d.show=te(d.show),d.filter=te(d.filter),d.fill=te(d.fill),d.stroke=te(d.stroke),
d.paths=te(d.paths),d.pxAlign=l.pxAlign}if(Pe){let u=Cs(l,r);Se.splice(r,0,u[0]),$t.splice(r,0,u[1]),Z.values.push(null)}if(Ge){de.splice(r,
0,null);let u=null;In?r==0&&(u=ql(l,r)):r>0&&(u=ql(l,r)),pt.splice(r,0,u),Vn.splice(r,0,0),Wn.splice(r,0,0)}He("addSeries",r)}function qa(l,r){
r=r??x.length,l=i==1?El(l,r,Tr,Pr):El(l,r,{},Dr),x.splice(r,0,l),Kl(x[r],r)}n.addSeries=qa;function Ka(l){if(x.splice(l,1),Pe){Z.values.splice(
l,1),$t.splice(l,1);let r=Se.splice(l,1)[0];Cn(null,r.firstChild),r.remove()}Ge&&(de.splice(l,1),pt.splice(l,1)[0].remove(),Vn.splice(l,1),Wn.
splice(l,1)),He("delSeries",l)}n.delSeries=Ka;let gn=[!1,!1,!1,!1];function ja(l,r){if(l._show=l.show,l.show){let u=l.side%2,d=T[l.scale];d==
null&&(l.scale=u?x[1].scale:$,d=T[l.scale]);let m=d.time;l.size=te(l.size),l.space=te(l.space),l.rotate=te(l.rotate),on(l.incrs)&&l.incrs.forEach(
v=>{!rn.has(v)&&rn.set(v,qr(v))}),l.incrs=te(l.incrs||(d.distr==2?Wu:m?H==1?Gu:ju:En)),l.splits=te(l.splits||(m&&d.distr==1?Je:d.distr==3?kl:
d.distr==4?dd:ud)),l.stroke=te(l.stroke),l.grid.stroke=te(l.grid.stroke),l.ticks.stroke=te(l.ticks.stroke),l.border.stroke=te(l.border.stroke);
let b=l.values;l.values=on(b)&&!on(b[0])?te(b):m?on(b)?xr(ne,vr(b,z)):gr(b)?Qu(ne,b):b||xe:b||cd,l.filter=te(l.filter||(d.distr>=3&&d.log==10?
hd:d.distr==3&&d.log==2?md:Br)),l.font=Cr(l.font),l.labelFont=Cr(l.labelFont),l._size=l.size(n,null,r,0),l._space=l._rotate=l._incrs=l._found=
l._splits=l._values=null,l._size>0&&(gn[r]=!0,l._el=wt(Zc,w))}}function ms(l,r,u,d){let[m,b,v,k]=u,_=r%2,A=0;return _==0&&(k||b)&&(A=r==0&&!m||
r==2&&!v?$e(Sr.size/3):0),_==1&&(m||v)&&(A=r==1&&!b||r==3&&!k?$e(Mr.size/2):0),A}let jl=n.padding=(e.padding||[ms,ms,ms,ms]).map(l=>te(oe(l,
ms))),en=n._padding=jl.map((l,r)=>l(n,r,gn,0)),Ie,Fe=null,Ne=null,zs=i==1?x[0].idxs:null,_t=null,gs=!1;function Ul(l,r){if(t=l??[],n.data=n.
_data=t,i==2){Ie=0;for(let u=1;u<x.length;u++)Ie+=t[u][0].length}else{t.length==0&&(n.data=n._data=t=[[]]),_t=t[0],Ie=_t.length;let u=t;if(Q==
2){u=t.slice();let d=u[0]=Array(Ie);for(let m=0;m<Ie;m++)d[m]=m}n._data=t=u}if(Gn(!0),He("setData"),Q==2&&(Hn=!0),r!==!1){let u=E;u.auto(n,gs)?
Ei():nn($,u.min,u.max),hn=hn||C.left>=0,ft=!0,qn()}}n.setData=Ul;function Ei(){gs=!0;let l,r;i==1&&(Ie>0?(Fe=zs[0]=0,Ne=zs[1]=Ie-1,l=t[0][Fe],
r=t[0][Ne],Q==2?(l=Fe,r=Ne):l==r&&(Q==3?[l,r]=fi(l,l,E.log,!1):Q==4?[l,r]=Pl(l,l,E.log,!1):E.time?r=l+$e(86400/H):[l,r]=ci(l,r,Ll,!0))):(Fe=
zs[0]=l=null,Ne=zs[1]=r=null)),nn($,l,r)}let Is,Bn,Mi,Ai,Di,Pi,Li,$i,Ri,Xe;function Yl(l,r,u,d,m,b){l??=Xo,u??=Rl,d??="butt",m??=Xo,b??="rou\
nd",l!=Is&&(g.strokeStyle=Is=l),m!=Bn&&(g.fillStyle=Bn=m),r!=Mi&&(g.lineWidth=Mi=r),b!=Di&&(g.lineJoin=Di=b),d!=Pi&&(g.lineCap=Pi=d),u!=Ai&&
g.setLineDash(Ai=u)}function Ql(l,r,u,d){r!=Bn&&(g.fillStyle=Bn=r),l!=Li&&(g.font=Li=l),u!=$i&&(g.textAlign=$i=u),d!=Ri&&(g.textBaseline=Ri=
d)}function Fi(l,r,u,d,m=0){if(d.length>0&&l.auto(n,gs)&&(r==null||r.min==null)){let b=oe(Fe,0),v=oe(Ne,d.length-1),k=u.min==null?hu(d,b,v,m,
l.distr==3):[u.min,u.max];l.min=Lt(l.min,u.min=k[0]),l.max=Qe(l.max,u.max=k[1])}}let Jl={min:null,max:null};function Ua(){for(let d in T){let m=T[d];
V[d]==null&&(m.min==null||V[$]!=null&&m.auto(n,gs))&&(V[d]=Jl)}for(let d in T){let m=T[d];V[d]==null&&m.from!=null&&V[m.from]!=null&&(V[d]=Jl)}
V[$]!=null&&Gn(!0);let l={};for(let d in V){let m=V[d];if(m!=null){let b=l[d]=rs(T[d],_u);if(m.min!=null)Ae(b,m);else if(d!=$||i==2)if(Ie==0&&
b.from==null){let v=b.range(n,null,null,d);b.min=v[0],b.max=v[1]}else b.min=pe,b.max=-pe}}if(Ie>0){x.forEach((d,m)=>{if(i==1){let b=d.scale,
v=V[b];if(v==null)return;let k=l[b];if(m==0){let _=k.range(n,k.min,k.max,b);k.min=_[0],k.max=_[1],Fe=Pt(k.min,t[0]),Ne=Pt(k.max,t[0]),Ne-Fe>
1&&(t[0][Fe]<k.min&&Fe++,t[0][Ne]>k.max&&Ne--),d.min=_t[Fe],d.max=_t[Ne]}else d.show&&d.auto&&Fi(k,v,d,t[m],d.sorted);d.idxs[0]=Fe,d.idxs[1]=
Ne}else if(m>0&&d.show&&d.auto){let[b,v]=d.facets,k=b.scale,_=v.scale,[A,D]=t[m],L=l[k],q=l[_];L!=null&&Fi(L,V[k],b,A,b.sorted),q!=null&&Fi(
q,V[_],v,D,v.sorted),d.min=v.min,d.max=v.max}});for(let d in l){let m=l[d],b=V[d];if(m.from==null&&(b==null||b.min==null)){let v=m.range(n,m.
min==pe?null:m.min,m.max==-pe?null:m.max,d);m.min=v[0],m.max=v[1]}}}for(let d in l){let m=l[d];if(m.from!=null){let b=l[m.from];if(b.min==null)
m.min=m.max=null;else{let v=m.range(n,b.min,b.max,d);m.min=v[0],m.max=v[1]}}}let r={},u=!1;for(let d in l){let m=l[d],b=T[d];if(b.min!=m.min||
b.max!=m.max){b.min=m.min,b.max=m.max;let v=b.distr;b._min=v==3?Jt(b.min):v==4?pl(b.min,b.asinh):v==100?b.fwd(b.min):b.min,b._max=v==3?Jt(b.
max):v==4?pl(b.max,b.asinh):v==100?b.fwd(b.max):b.max,r[d]=u=!0}}if(u){x.forEach((d,m)=>{i==2?m>0&&r.y&&(d._paths=null):r[d.scale]&&(d._paths=
null)});for(let d in r)Hn=!0,He("setScale",d);Ge&&C.left>=0&&(hn=ft=!0)}for(let d in V)V[d]=null}function Ya(l){let r=xl(Fe-1,0,Ie-1),u=xl(Ne+
1,0,Ie-1);for(;l[r]==null&&r>0;)r--;for(;l[u]==null&&u<Ie-1;)u++;return[r,u]}function Qa(){if(Ie>0){let l=x.some(r=>r._focus)&&Xe!=Ft.alpha;
l&&(g.globalAlpha=Xe=Ft.alpha),x.forEach((r,u)=>{if(u>0&&r.show&&(Zl(u,!1),Zl(u,!0),r._paths==null)){let d=Xe;Xe!=r.alpha&&(g.globalAlpha=Xe=
r.alpha);let m=i==2?[0,t[u][0].length-1]:Ya(t[u]);r._paths=r.paths(n,u,m[0],m[1]),Xe!=d&&(g.globalAlpha=Xe=d)}}),x.forEach((r,u)=>{if(u>0&&r.
show){let d=Xe;Xe!=r.alpha&&(g.globalAlpha=Xe=r.alpha),r._paths!=null&&Xl(u,!1);{let m=r._paths!=null?r._paths.gaps:null,b=r.points.show(n,u,
Fe,Ne,m),v=r.points.filter(n,u,b,m);(b||v)&&(r.points._paths=r.points.paths(n,u,Fe,Ne,v),Xl(u,!0))}Xe!=d&&(g.globalAlpha=Xe=d),He("drawSerie\
s",u)}}),l&&(g.globalAlpha=Xe=1)}}function Zl(l,r){let u=r?x[l].points:x[l];u._stroke=u.stroke(n,l),u._fill=u.fill(n,l)}function Xl(l,r){let u=r?
x[l].points:x[l],{stroke:d,fill:m,clip:b,flags:v,_stroke:k=u._stroke,_fill:_=u._fill,_width:A=u.width}=u._paths;A=he(A*ae,3);let D=null,L=A%
2/2;r&&_==null&&(_=A>0?"#fff":k);let q=u.pxAlign==1&&L>0;if(q&&g.translate(L,L),!r){let re=nt-A/2,le=dt-A/2,X=Ze+A,W=kt+A;D=new Path2D,D.rect(
re,le,X,W)}r?Ni(k,A,u.dash,u.cap,_,d,m,v,b):Ja(l,k,A,u.dash,u.cap,_,d,m,v,D,b),q&&g.translate(-L,-L)}function Ja(l,r,u,d,m,b,v,k,_,A,D){let L=!1;
_!=0&&U.forEach((q,re)=>{if(q.series[0]==l){let le=x[q.series[1]],X=t[q.series[1]],W=(le._paths||$s).band;on(W)&&(W=q.dir==1?W[0]:W[1]);let O,
we=null;le.show&&W&&gu(X,Fe,Ne)?(we=q.fill(n,re)||b,O=le._paths.clip):W=null,Ni(r,u,d,m,we,v,k,_,A,D,O,W),L=!0}}),L||Ni(r,u,d,m,b,v,k,_,A,D)}
let eo=as|Sl;function Ni(l,r,u,d,m,b,v,k,_,A,D,L){Yl(l,r,u,d,m),(_||A||L)&&(g.save(),_&&g.clip(_),A&&g.clip(A)),L?(k&eo)==eo?(g.clip(L),D&&g.
clip(D),Ws(m,v),Vs(l,b,r)):k&Sl?(Ws(m,v),g.clip(L),Vs(l,b,r)):k&as&&(g.save(),g.clip(L),D&&g.clip(D),Ws(m,v),g.restore(),Vs(l,b,r)):(Ws(m,v),
Vs(l,b,r)),(_||A||L)&&g.restore()}function Vs(l,r,u){u>0&&(r instanceof Map?r.forEach((d,m)=>{g.strokeStyle=Is=m,g.stroke(d)}):r!=null&&l&&g.
stroke(r))}function Ws(l,r){r instanceof Map?r.forEach((u,d)=>{g.fillStyle=Bn=d,g.fill(u)}):r!=null&&l&&g.fill(r)}function Za(l,r,u,d){let m=R[l],
b;if(d<=0)b=[0,0];else{let v=m._space=m.space(n,l,r,u,d),k=m._incrs=m.incrs(n,l,r,u,d,v);b=Od(r,u,k,d,v)}return m._found=b}function Ci(l,r,u,d,m,b,v,k,_,A){
let D=v%2/2;F==1&&g.translate(D,D),Yl(k,v,_,A,k),g.beginPath();let L,q,re,le,X=m+(d==0||d==3?-b:b);u==0?(q=m,le=X):(L=m,re=X);for(let W=0;W<
l.length;W++)r[W]!=null&&(u==0?L=re=l[W]:q=le=l[W],g.moveTo(L,q),g.lineTo(re,le));g.stroke(),F==1&&g.translate(-D,-D)}function Xa(l){let r=!0;
return R.forEach((u,d)=>{if(!u.show)return;let m=T[u.scale];if(m.min==null){u._show&&(r=!1,u._show=!1,Gn(!1));return}else u._show||(r=!1,u._show=
!0,Gn(!1));let b=u.side,v=b%2,{min:k,max:_}=m,[A,D]=Za(d,k,_,v==0?Y:P);if(D==0)return;let L=m.distr==2,q=u._splits=u.splits(n,d,k,_,A,D,L),re=m.
distr==2?q.map(O=>_t[O]):q,le=m.distr==2?_t[q[1]]-_t[q[0]]:A,X=u._values=u.values(n,u.filter(n,re,d,D,le),d,D,le);u._rotate=b==2?u.rotate(n,
X,d,D):0;let W=u._size;u._size=vt(u.size(n,X,d,l)),W!=null&&u._size!=W&&(r=!1)}),r}function ec(l){let r=!0;return jl.forEach((u,d)=>{let m=u(
n,d,gn,l);m!=en[d]&&(r=!1),en[d]=m}),r}function tc(){for(let l=0;l<R.length;l++){let r=R[l];if(!r.show||!r._show)continue;let u=r.side,d=u%2,
m,b,v=r.stroke(n,l),k=u==0||u==3?-1:1,[_,A]=r._found;if(r.label!=null){let je=r.labelGap*k,lt=$e((r._lpos+je)*ae);Ql(r.labelFont[0],v,"cente\
r",u==2?"top":Zo),g.save(),d==1?(m=b=0,g.translate(lt,$e(dt+kt/2)),g.rotate((u==3?-ri:ri)/2)):(m=$e(nt+Ze/2),b=lt);let wn=Vr(r.label)?r.label(
n,l,_,A):r.label;g.fillText(wn,m,b),g.restore()}if(A==0)continue;let D=T[r.scale],L=d==0?Ze:kt,q=d==0?nt:dt,re=r._splits,le=D.distr==2?re.map(
je=>_t[je]):re,X=D.distr==2?_t[re[1]]-_t[re[0]]:_,W=r.ticks,O=r.border,we=W.show?W.size:0,Te=$e(we*ae),ze=$e((r.alignTo==2?r._size-we-r.gap:
r.gap)*ae),fe=r._rotate*-ri/180,Ee=I(r._pos*ae),st=(Te+ze)*k,Ke=Ee+st;b=d==0?Ke:0,m=d==1?Ke:0;let ht=r.font[0],St=r.align==1?ns:r.align==2?ul:
fe>0?ns:fe<0?ul:d==0?"center":u==3?ul:ns,Ot=fe||d==1?"middle":u==2?"top":Zo;Ql(ht,v,St,Ot);let it=r.font[1]*r.lineGap,mt=re.map(je=>I(c(je,D,
L,q))),Tt=r._values;for(let je=0;je<Tt.length;je++){let lt=Tt[je];if(lt!=null){d==0?m=mt[je]:b=mt[je],lt=""+lt;let wn=lt.indexOf(`
`)==-1?[lt]:lt.split(/\n/gm);for(let Ue=0;Ue<wn.length;Ue++){let vo=wn[Ue];fe?(g.save(),g.translate(m,b+Ue*it),g.rotate(fe),g.fillText(vo,0,
0),g.restore()):g.fillText(vo,m,b+Ue*it)}}}W.show&&Ci(mt,W.filter(n,le,l,A,X),d,u,Ee,Te,he(W.width*ae,3),W.stroke(n,l),W.dash,W.cap);let Ht=r.
grid;Ht.show&&Ci(mt,Ht.filter(n,le,l,A,X),d,d==0?2:1,d==0?dt:nt,d==0?kt:Ze,he(Ht.width*ae,3),Ht.stroke(n,l),Ht.dash,Ht.cap),O.show&&Ci([Ee],
[1],d==0?1:0,d==0?1:2,d==1?dt:nt,d==1?kt:Ze,he(O.width*ae,3),O.stroke(n,l),O.dash,O.cap)}He("drawAxes")}function Gn(l){x.forEach((r,u)=>{u>0&&
(r._paths=null,l&&(i==1?(r.min=null,r.max=null):r.facets.forEach(d=>{d.min=null,d.max=null})))})}let Bs=!1,Oi=!1,bs=[];function nc(){Oi=!1;for(let l=0;l<
bs.length;l++)He(...bs[l]);bs.length=0}function qn(){Bs||(Pu(to),Bs=!0)}function sc(l,r=!1){Bs=!0,Oi=r,l(n),to(),r&&bs.length>0&&queueMicrotask(
nc)}n.batch=sc;function to(){if(Si&&(Ua(),Si=!1),Hn&&(Va(),Hn=!1),Os){if(ve(S,ns,me),ve(S,"top",Le),ve(S,As,Y),ve(S,Ds,P),ve(M,ns,me),ve(M,"\
top",Le),ve(M,As,Y),ve(M,Ds,P),ve(w,As,qt),ve(w,Ds,dn),y.width=$e(qt*ae),y.height=$e(dn*ae),R.forEach(({_el:l,_show:r,_size:u,_pos:d,side:m})=>{
if(l!=null)if(r){let b=m===3||m===0?u:0,v=m%2==1;ve(l,v?"left":"top",d-b),ve(l,v?"width":"height",u),ve(l,v?"top":"left",v?Le:me),ve(l,v?"he\
ight":"width",v?P:Y),wl(l,Mn)}else ot(l,Mn)}),Is=Bn=Mi=Di=Pi=Li=$i=Ri=Ai=null,Xe=1,vs(!0),me!=On||Le!=fn||Y!=Rt||P!=pn){Gn(!1);let l=Y/Rt,r=P/
pn;if(Ge&&!hn&&C.left>=0){C.left*=l,C.top*=r,Kn&&Vt(Kn,$e(C.left),0,Y,P),jn&&Vt(jn,0,$e(C.top),Y,P);for(let u=0;u<pt.length;u++){let d=pt[u];
d!=null&&(Vn[u]*=l,Wn[u]*=r,Vt(d,vt(Vn[u]),vt(Wn[u]),Y,P))}}if(ye.show&&!Hs&&ye.left>=0&&ye.width>0){ye.left*=l,ye.width*=l,ye.top*=r,ye.height*=
r;for(let u in Bi)ve(Qn,u,ye[u])}On=me,fn=Le,Rt=Y,pn=P}He("setSize"),Os=!1}qt>0&&dn>0&&(g.clearRect(0,0,y.width,y.height),He("drawClear"),j.
forEach(l=>l()),He("draw")),ye.show&&Hs&&(Gs(ye),Hs=!1),Ge&&hn&&(yn(null,!0,!1),hn=!1),Z.show&&Z.live&&ft&&(Vi(),ft=!1),p||(p=!0,n.status=1,
He("ready")),gs=!1,Bs=!1}n.redraw=(l,r)=>{Hn=r||!1,l!==!1?nn($,E.min,E.max):qn()};function Hi(l,r){let u=T[l];if(u.from==null){if(Ie==0){let d=u.
range(n,r.min,r.max,l);r.min=d[0],r.max=d[1]}if(r.min>r.max){let d=r.min;r.min=r.max,r.max=d}if(Ie>1&&r.min!=null&&r.max!=null&&r.max-r.min<
1e-16)return;l==$&&u.distr==2&&Ie>0&&(r.min=Pt(r.min,t[0]),r.max=Pt(r.max,t[0]),r.min==r.max&&r.max++),V[l]=r,Si=!0,qn()}}n.setScale=Hi;let zi,
Ii,Kn,jn,no,so,Un,Yn,io,lo,be,_e,tn=!1,Ve=C.drag,Ce=Ve.x,Oe=Ve.y;Ge&&(C.x&&(zi=wt(eu,M)),C.y&&(Ii=wt(tu,M)),E.ori==0?(Kn=zi,jn=Ii):(Kn=Ii,jn=
zi),be=C.left,_e=C.top);let ye=n.select=Ae({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),Qn=ye.show?wt(Xc,ye.over?M:S):null;function Gs(l,r){
if(ye.show){for(let u in l)ye[u]=l[u],u in Bi&&ve(Qn,u,l[u]);r!==!1&&He("setSelect")}}n.setSelect=Gs;function ic(l){if(x[l].show)Pe&&wl(Se[l],
Mn);else if(Pe&&ot(Se[l],Mn),Ge){let u=In?pt[0]:pt[l];u!=null&&Vt(u,-10,-10,Y,P)}}function nn(l,r,u){Hi(l,{min:r,max:u})}function Nt(l,r,u,d){
r.focus!=null&&cc(l),r.show!=null&&x.forEach((m,b)=>{b>0&&(l==b||l==null)&&(m.show=r.show,ic(b),i==2?(nn(m.facets[0].scale,null,null),nn(m.facets[1].
scale,null,null)):nn(m.scale,null,null),qn())}),u!==!1&&He("setSeries",l,r),d&&xs("setSeries",n,l,r)}n.setSeries=Nt;function lc(l,r){Ae(U[l],
r)}function oc(l,r){l.fill=te(l.fill||null),l.dir=oe(l.dir,-1),r=r??U.length,U.splice(r,0,l)}function rc(l){l==null?U.length=0:U.splice(l,1)}
n.addBand=oc,n.setBand=lc,n.delBand=rc;function ac(l,r){x[l].alpha=r,Ge&&pt[l]!=null&&(pt[l].style.opacity=r),Pe&&Se[l]&&(Se[l].style.opacity=
r)}let Kt,sn,bn,Jn={focus:!0};function cc(l){if(l!=bn){let r=l==null,u=Ft.alpha!=1;x.forEach((d,m)=>{if(i==1||m>0){let b=r||m==0||m==l;d._focus=
r?null:b,u&&ac(m,b?1:Ft.alpha)}}),bn=l,u&&qn()}}Pe&&zn&&qe(nr,ce,l=>{C._lock||(mn(l),bn!=null&&Nt(null,Jn,!0,Me.setSeries))});function Ct(l,r,u){
let d=T[r];u&&(l=l/ae-(d.ori==1?Le:me));let m=Y;d.ori==1&&(m=P,l=m-l),d.dir==-1&&(l=m-l);let b=d._min,v=d._max,k=l/m,_=b+(v-b)*k,A=d.distr;return A==
3?ls(10,_):A==4?yu(_,d.asinh):A==100?d.bwd(_):_}function uc(l,r){let u=Ct(l,$,r);return Pt(u,t[0],Fe,Ne)}n.valToIdx=l=>Pt(l,t[0]),n.posToIdx=
uc,n.posToVal=Ct,n.valToPos=(l,r,u)=>T[r].ori==0?o(l,T[r],u?Ze:Y,u?nt:0):a(l,T[r],u?kt:P,u?dt:0),n.setCursor=(l,r,u)=>{be=l.left,_e=l.top,yn(
null,r,u)};function oo(l,r){ve(Qn,ns,ye.left=l),ve(Qn,As,ye.width=r)}function ro(l,r){ve(Qn,"top",ye.top=l),ve(Qn,Ds,ye.height=r)}let ys=E.ori==
0?oo:ro,ws=E.ori==1?oo:ro;function dc(){if(Pe&&Z.live)for(let l=i==2?1:0;l<x.length;l++){if(l==0&&ut)continue;let r=Z.values[l],u=0;for(let d in r)
$t[l][u++].firstChild.nodeValue=r[d]}}function Vi(l,r){if(l!=null&&(l.idxs?l.idxs.forEach((u,d)=>{de[d]=u}):ku(l.idx)||de.fill(l.idx),Z.idx=
de[0]),Pe&&Z.live){for(let u=0;u<x.length;u++)(u>0||i==1&&!ut)&&fc(u,de[u]);dc()}ft=!1,r!==!1&&He("setLegend")}n.setLegend=Vi;function fc(l,r){
let u=x[l],d=l==0&&Q==2?_t:t[l],m;ut?m=u.values(n,l,r)??Xt:(m=u.value(n,r==null?null:d[r],l,r),m=m==null?Xt:{_:m}),Z.values[l]=m}function yn(l,r,u){
io=be,lo=_e,[be,_e]=C.move(n,be,_e),C.left=be,C.top=_e,Ge&&(Kn&&Vt(Kn,$e(be),0,Y,P),jn&&Vt(jn,0,$e(_e),Y,P));let d,m=Fe>Ne;Kt=pe,sn=null;let b=E.
ori==0?Y:P,v=E.ori==1?Y:P;if(be<0||Ie==0||m){d=C.idx=null;for(let k=0;k<x.length;k++){let _=pt[k];_!=null&&Vt(_,-10,-10,Y,P)}zn&&Nt(null,Jn,
!0,l==null&&Me.setSeries),Z.live&&(de.fill(d),ft=!0)}else{let k,_,A;i==1&&(k=E.ori==0?be:_e,_=Ct(k,$),d=C.idx=Pt(_,t[0],Fe,Ne),A=N(t[0][d],E,
b,0));let D=-10,L=-10,q=0,re=0,le=!0,X="",W="";for(let O=i==2?1:0;O<x.length;O++){let we=x[O],Te=de[O],ze=Te==null?null:i==1?t[O][Te]:t[O][1][Te],
fe=C.dataIdx(n,O,d,_),Ee=fe==null?null:i==1?t[O][fe]:t[O][1][fe];if(ft=ft||Ee!=ze||fe!=Te,de[O]=fe,O>0&&we.show){let st=fe==null?-10:fe==d?A:
N(i==1?t[0][fe]:t[O][0][fe],E,b,0),Ke=Ee==null?-10:G(Ee,i==1?T[we.scale]:T[we.facets[1].scale],v,0);if(zn&&Ee!=null){let ht=E.ori==1?be:_e,St=Re(
Ft.dist(n,O,fe,Ke,ht));if(St<Kt){let Ot=Ft.bias;if(Ot!=0){let it=Ct(ht,we.scale),mt=Ee>=0?1:-1,Tt=it>=0?1:-1;Tt==mt&&(Tt==1?Ot==1?Ee>=it:Ee<=
it:Ot==1?Ee<=it:Ee>=it)&&(Kt=St,sn=O)}else Kt=St,sn=O}}if(ft||In){let ht,St;E.ori==0?(ht=st,St=Ke):(ht=Ke,St=st);let Ot,it,mt,Tt,Ht,je,lt=!0,
wn=Be.bbox;if(wn!=null){lt=!1;let Ue=wn(n,O);mt=Ue.left,Tt=Ue.top,Ot=Ue.width,it=Ue.height}else mt=ht,Tt=St,Ot=it=Be.size(n,O);if(je=Be.fill(
n,O),Ht=Be.stroke(n,O),In)O==sn&&Kt<=Ft.prox&&(D=mt,L=Tt,q=Ot,re=it,le=lt,X=je,W=Ht);else{let Ue=pt[O];Ue!=null&&(Vn[O]=mt,Wn[O]=Tt,cr(Ue,Ot,
it,lt),rr(Ue,je,Ht),Vt(Ue,vt(mt),vt(Tt),Y,P))}}}}if(In){let O=Ft.prox,we=bn==null?Kt<=O:Kt>O||sn!=bn;if(ft||we){let Te=pt[0];Te!=null&&(Vn[0]=
D,Wn[0]=L,cr(Te,q,re,le),rr(Te,X,W),Vt(Te,vt(D),vt(L),Y,P))}}}if(ye.show&&tn)if(l!=null){let[k,_]=Me.scales,[A,D]=Me.match,[L,q]=l.cursor.sync.
scales,re=l.cursor.drag;if(Ce=re._x,Oe=re._y,Ce||Oe){let{left:le,top:X,width:W,height:O}=l.select,we=l.scales[L].ori,Te=l.posToVal,ze,fe,Ee,
st,Ke,ht=k!=null&&A(k,L),St=_!=null&&D(_,q);ht&&Ce?(we==0?(ze=le,fe=W):(ze=X,fe=O),Ee=T[k],st=N(Te(ze,L),Ee,b,0),Ke=N(Te(ze+fe,L),Ee,b,0),ys(
Lt(st,Ke),Re(Ke-st))):ys(0,b),St&&Oe?(we==1?(ze=le,fe=W):(ze=X,fe=O),Ee=T[_],st=G(Te(ze,q),Ee,v,0),Ke=G(Te(ze+fe,q),Ee,v,0),ws(Lt(st,Ke),Re(
Ke-st))):ws(0,v)}else Gi()}else{let k=Re(io-no),_=Re(lo-so);if(E.ori==1){let q=k;k=_,_=q}Ce=Ve.x&&k>=Ve.dist,Oe=Ve.y&&_>=Ve.dist;let A=Ve.uni;
A!=null?Ce&&Oe&&(Ce=k>=A,Oe=_>=A,!Ce&&!Oe&&(_>k?Oe=!0:Ce=!0)):Ve.x&&Ve.y&&(Ce||Oe)&&(Ce=Oe=!0);let D,L;Ce&&(E.ori==0?(D=Un,L=be):(D=Yn,L=_e),
ys(Lt(D,L),Re(L-D)),Oe||ws(0,v)),Oe&&(E.ori==1?(D=Un,L=be):(D=Yn,L=_e),ws(Lt(D,L),Re(L-D)),Ce||ys(0,b)),!Ce&&!Oe&&(ys(0,0),ws(0,0))}if(Ve._x=
Ce,Ve._y=Oe,l==null){if(u){if(wo!=null){let[k,_]=Me.scales;Me.values[0]=k!=null?Ct(E.ori==0?be:_e,k):null,Me.values[1]=_!=null?Ct(E.ori==1?be:
_e,_):null}xs(dl,n,be,_e,Y,P,d)}if(zn){let k=u&&Me.setSeries,_=Ft.prox;bn==null?Kt<=_&&Nt(sn,Jn,!0,k):Kt>_?Nt(null,Jn,!0,k):sn!=bn&&Nt(sn,Jn,
!0,k)}}ft&&(Z.idx=d,Vi()),r!==!1&&He("setCursor")}let ln=null;Object.defineProperty(n,"rect",{get(){return ln==null&&vs(!1),ln}});function vs(l=!1){
l?ln=null:(ln=M.getBoundingClientRect(),He("syncRect",ln))}function ao(l,r,u,d,m,b,v){C._lock||tn&&l!=null&&l.movementX==0&&l.movementY==0||
(Wi(l,r,u,d,m,b,v,!1,l!=null),l!=null?yn(null,!0,!0):yn(r,!0,!1))}function Wi(l,r,u,d,m,b,v,k,_){if(ln==null&&vs(!1),mn(l),l!=null)u=l.clientX-
ln.left,d=l.clientY-ln.top;else{if(u<0||d<0){be=-10,_e=-10;return}let[A,D]=Me.scales,L=r.cursor.sync,[q,re]=L.values,[le,X]=L.scales,[W,O]=Me.
match,we=r.axes[0].side%2==1,Te=E.ori==0?Y:P,ze=E.ori==1?Y:P,fe=we?b:m,Ee=we?m:b,st=we?d:u,Ke=we?u:d;if(le!=null?u=W(A,le)?c(q,T[A],Te,0):-10:
u=Te*(st/fe),X!=null?d=O(D,X)?c(re,T[D],ze,0):-10:d=ze*(Ke/Ee),E.ori==1){let ht=u;u=d,d=ht}}_&&(r==null||r.cursor.event.type==dl)&&((u<=1||u>=
Y-1)&&(u=Tn(u,Y)),(d<=1||d>=P-1)&&(d=Tn(d,P))),k?(no=u,so=d,[Un,Yn]=C.move(n,u,d)):(be=u,_e=d)}let Bi={width:0,height:0,left:0,top:0};function Gi(){
Gs(Bi,!1)}let co,uo,fo,po;function ho(l,r,u,d,m,b,v){tn=!0,Ce=Oe=Ve._x=Ve._y=!1,Wi(l,r,u,d,m,b,v,!0,!1),l!=null&&(qe(fl,bl,mo,!1),xs(er,n,Un,
Yn,Y,P,null));let{left:k,top:_,width:A,height:D}=ye;co=k,uo=_,fo=A,po=D}function mo(l,r,u,d,m,b,v){tn=Ve._x=Ve._y=!1,Wi(l,r,u,d,m,b,v,!1,!0);
let{left:k,top:_,width:A,height:D}=ye,L=A>0||D>0,q=co!=k||uo!=_||fo!=A||po!=D;if(L&&q&&Gs(ye),Ve.setScale&&L&&q){let re=k,le=A,X=_,W=D;if(E.
ori==1&&(re=_,le=D,X=k,W=A),Ce&&nn($,Ct(re,$),Ct(re+le,$)),Oe)for(let O in T){let we=T[O];O!=$&&we.from==null&&we.min!=pe&&nn(O,Ct(X+W,O),Ct(
X,O))}Gi()}else C.lock&&(C._lock=!C._lock,yn(r,!0,l!=null));l!=null&&(Cn(fl,bl),xs(fl,n,be,_e,Y,P,null))}function pc(l,r,u,d,m,b,v){if(C._lock)
return;mn(l);let k=tn;if(tn){let _=!0,A=!0,D=10,L,q;E.ori==0?(L=Ce,q=Oe):(L=Oe,q=Ce),L&&q&&(_=be<=D||be>=Y-D,A=_e<=D||_e>=P-D),L&&_&&(be=be<
Un?0:Y),q&&A&&(_e=_e<Yn?0:P),yn(null,!0,!0),tn=!1}be=-10,_e=-10,de.fill(null),yn(null,!0,!0),k&&(tn=k)}function go(l,r,u,d,m,b,v){C._lock||(mn(
l),Ei(),Gi(),l!=null&&xs(sr,n,be,_e,Y,P,null))}function bo(){R.forEach(Hd),Ti(n.width,n.height,!0)}An(ai,is,bo);let Zn={};Zn.mousedown=ho,Zn.
mousemove=ao,Zn.mouseup=mo,Zn.dblclick=go,Zn.setSeries=(l,r,u,d)=>{let m=Me.match[2];u=m(n,r,u),u!=-1&&Nt(u,d,!0,!1)},Ge&&(qe(er,M,ho),qe(dl,
M,ao),qe(tr,M,l=>{mn(l),vs(!1)}),qe(nr,M,pc),qe(sr,M,go),Tl.add(n),n.syncRect=vs);let qs=n.hooks=e.hooks||{};function He(l,r,u){Oi?bs.push([
l,r,u]):l in qs&&qs[l].forEach(d=>{d.call(null,n,r,u)})}(e.plugins||[]).forEach(l=>{for(let r in l.hooks)qs[r]=(qs[r]||[]).concat(l.hooks[r])});
let yo=(l,r,u)=>u,Me=Ae({key:null,setSeries:!1,filters:{pub:hr,sub:hr},scales:[$,x[1]?x[1].scale:null],match:[mr,mr,yo],values:[null,null]},
C.sync);Me.match.length==2&&Me.match.push(yo),C.sync=Me;let wo=Me.key,qi=da(wo);function xs(l,r,u,d,m,b,v){Me.filters.pub(l,r,u,d,m,b,v)&&qi.
pub(l,r,u,d,m,b,v)}qi.sub(n);function hc(l,r,u,d,m,b,v){Me.filters.sub(l,r,u,d,m,b,v)&&Zn[l](null,r,u,d,m,b,v)}n.pub=hc;function mc(){qi.unsub(
n),Tl.delete(n),un.clear(),vl(ai,is,bo),f.remove(),ce?.remove(),He("destroy")}n.destroy=mc;function Ki(){He("init",e,t),Ul(t||e.data,!1),V[$]?
Hi($,V[$]):Ei(),Hs=ye.show&&(ye.width>0||ye.height>0),hn=ft=!0,Ti(e.width,e.height)}return x.forEach(Kl),R.forEach(ja),s?s instanceof HTMLElement?
(s.appendChild(f),Ki()):s(n,Ki):Ki(),n}We.assign=Ae;We.fmtNum=$l;We.rangeNum=ci;We.rangeLog=fi;We.rangeAsinh=Pl;We.orient=Pn;We.pxRatio=ae;We.
join=Du;We.fmtDate=Fl,We.tzDate=Iu;We.sync=da;{We.addGap=kd,We.clipGaps=mi;let e=We.paths={points:ba};e.linear=wa,e.stepped=Td,e.bars=Ed,e.spline=
Ad}var Ln=[7,4],Vl=[2,3],_a=190,zd=60,Id=180,Sa=86400,Vd=Array.from({length:50},(e,t)=>2**t),Wt=class{element;#e;#t=h("div",{class:"chart-canva\
s"});#i=[];#s=h("span",{class:"chart-when"});#o;#a;#n=null;#r=[];#c=[];#l=null;#u=0;constructor(t,s=null){this.#e=t;let n=t.lines.map(i=>{let o=h(
"span",{class:"figure"});this.#i.push(o);let a=h("span",{class:`sample sample-${i.colour}${i.dash?` sample-${i.dash[0]===Vl[0]?"dot":"dash"}`:
""}`,"aria-hidden":"true"});return h("li",{},a,h("span",{},i.label),o)});this.element=h("figure",{class:"chart card"},h("figcaption",{},h("d\
iv",{},h("h3",{},t.title),h("p",{},t.about)),s),this.#t,h("div",{class:"legend"},h("ul",{},...n),this.#s)),this.#t.setAttribute("role","img"),
this.#d(),this.#o=new ResizeObserver(()=>this.#f()),this.#o.observe(this.#t),this.#a=Wo(()=>this.#p())}set(t,s,n=null){this.#r=t,this.#c=s,this.#l=
n,this.#d(),this.#t.dataset.points=String(t.length),this.#n?this.#n.setData(this.#h()):this.#f(),this.#y(null)}#d(){let t=this.#l===null?"th\
e last five minutes":this.#l.seconds>Sa?"the last week":"the last day";this.#t.setAttribute("aria-label",`${this.#e.title}: lines over ${t};\
 the newest figures follow`)}leave(){this.#o.disconnect(),this.#a(),this.#n?.destroy(),this.#n=null}#f(){let t=Math.floor(this.#t.clientWidth);
t!==0&&(this.#n?t!==this.#u&&this.#n.setSize({width:t,height:_a}):this.#g(t),this.#u=t)}#p(){this.#n&&(this.#n.destroy(),this.#n=null,this.#f())}#h(){
let t=[];return this.#e.lines.forEach((s,n)=>{let i=this.#c[n]??[],o=s.fill==="stacked"?t[n-1]:void 0;t.push(o?i.map((a,c)=>a===null?null:a+
(o[c]??0)):i)}),[this.#r,...t]}#g(t){let{lines:s,tick:n,figure:i,least:o,most:a,isBinary:c}=this.#e,p={stroke:_s("ink-soft"),font:`12px ${_s(
"font")}`,ticks:{show:!1},grid:{stroke:_s("rule"),width:1}},f={width:t,height:_a,legend:{show:!1},cursor:{sync:{key:"forebay"},drag:{x:!1,y:!1}},
scales:{x:{time:!0,range:()=>this.#m()},y:{range:(y,g,w)=>[0,a??Math.max((w??0)*1.1,o??1)]}},axes:[{...p,grid:{show:!1},size:26,space:110,values:(y,g)=>g.
map(w=>this.#w(w))},{...p,size:62,space:36,values:(y,g)=>g.map(w=>(n??i)(w)),...c?{incrs:Vd}:{}}],series:[{},...s.map(y=>this.#b(y))],bands:s.
flatMap((y,g)=>y.fill==="stacked"&&g>0?[{series:[g+1,g]}]:[]),hooks:{setCursor:[y=>this.#y(y.cursor.idx??null)]}};this.#n=new We(f,this.#h(),
this.#t)}#b(t){let s=_s(t.colour);return{label:t.label,stroke:s,width:2,points:{show:!1},...t.dash?{dash:t.dash}:{},...t.fill?{fill:`${s}40`}:
{}}}#m(){if(this.#l)return[this.#l.end-this.#l.seconds,this.#l.end];let t=this.#r.at(-1)??Date.now()/1e3,s=t-(this.#r[0]??t);return[t-Math.min(
ks,Math.max(zd,s)),t]}#w(t){let[s,n]=this.#m(),i=kn(t*1e3);return n-s>Sa&&i==="00:00:00"?Zi(t*1e3):n-s<Id?i:i.slice(0,5)}#y(t){let s=t??this.#r.
length-1,n=this.#r[s];this.#i.forEach((o,a)=>se(o,this.#e.figure(this.#c[a]?.[s]??null)));let i=n===void 0?"":kn(n*1e3);se(this.#s,t===null||
n===void 0?"now":this.#l?`${Zi(n*1e3)} ${i.slice(0,5)}`:i)}};var Wd={"5m":"5 minutes","1d":"1 day","7d":"1 week"},wi=class{element;#e=new Wt({title:"Hit ratio",about:"Reads answered from the cache, of \
all reads.",lines:[{label:"RAM",colour:"ram",fill:"area"},{label:"Flash",colour:"flash",fill:"stacked",dash:Ln}],figure:Ye,tick:t=>`${Math.round(
t*100)}%`,most:1});#t=new Wt({title:"Requests a second",about:"What guests asked for.",lines:[{label:"Reads",colour:"read"},{label:"Writes",
colour:"write",dash:Ln}],figure:et,tick:Ji,least:10});#i;#s=new Wt({title:"Mean latency",about:"Of all reads, and of all writes.",lines:[{label:"\
Reads",colour:"read"},{label:"Writes",colour:"write",dash:Ln}],figure:At,least:10});#o=new Wt({title:"Dirty data",about:"What flash has and \
the backing does not, without zeroes.",lines:[{label:"Dirty",colour:"dirty",fill:"area"},{label:"Limit",colour:"limit",dash:Ln}],figure:B,least:64*
1024,isBinary:!0});#a=new Wt({title:"Backing requests saved",about:"What guests asked for, and what reached the backing.",lines:[{label:"Gue\
sts",colour:"read"},{label:"Backing",colour:"limit",dash:Ln,fill:"area"}],figure:et,tick:Ji,least:10});#n=new Wt({title:"Written to flash",about:"\
Bytes a second, headers and second copies included.",lines:[{label:"Flash",colour:"flash",fill:"area"}],figure:Mt,tick:B,least:64*1024,isBinary:!0});#r=h(
"select",{"aria-label":"Latency of",name:"latency-class"},...Ys.map(t=>h("option",{value:t},si[t])));#c=h("span",{class:"hint"});#l;#u=h("p",
{class:"hint",role:"status"});#d=[];#f=!1;constructor(t){let s=h("div",{class:"chart-controls"},this.#r,this.#c);this.#r.value="read_miss",this.#r.
addEventListener("change",()=>{this.#f=!0,this.#b()}),this.#i=new Wt({title:"Latency",about:"So many in a hundred were faster.",lines:[{label:"\
Half",colour:"read"},{label:"95 %",colour:"write",dash:Ln},{label:"99 %",colour:"limit",dash:Vl}],figure:At,least:10},s);let n=Object.keys(el),
i=o=>h("button",{type:"button","data-span":o,onclick:()=>t(o)},Wd[o]);this.#l=h("div",{class:"segmented",role:"group","aria-label":"How far \
back"},...n.map(i)),this.element=h("section",{class:"did","aria-label":"Charts"},h("div",{class:"section-head"},h("h2",{},"What it did"),this.#u,
this.#l),h("div",{class:"charts"},...this.#p().map(o=>o.element))),this.#h("5m",!1)}set(t,s,n){this.#h("5m",!1),this.#d=t,se(this.#c,s?"over\
 5 minutes each":"since attached"),this.#g(t,n,null),this.#b()}setPast(t,s,n){let i={end:s?.end??Date.now()/1e3,seconds:el[t]},o=s?.points??
[];this.#h(t,s===null),this.#g(o,n,i);let a=c=>o.map(c);this.#s.set(o.map(c=>c.at),[a(c=>c.readMicros),a(c=>c.writeMicros)],i)}leave(){for(let t of this.#p())
t.leave()}#p(){return[this.#e,this.#t,this.#i,this.#s,this.#a,this.#o,this.#n]}#h(t,s){for(let n of this.#l.children)n.setAttribute("aria-pr\
essed",String(n.getAttribute("data-span")===t));se(this.#u,s?"Asking Forebay\u2026":t==="5m"?"":"In steps of five minutes; of dirty data, th\
e most in each."),ge(this.#i.element,t==="5m"),ge(this.#s.element,t!=="5m")}#g(t,s,n){let i=c=>t.map(c),o=t.map(c=>c.at);this.#e.set(o,[i(c=>c.
hitRam),i(c=>c.hitFlash)],n),this.#t.set(o,[i(c=>c.rates?.reads??null),i(c=>c.rates?.writes??null)],n),this.#a.set(o,[i(c=>Sn(c.rates)),i(c=>c.
rates?c.rates.backing_reads+c.rates.backing_writes:null)],n),this.#n.set(o,[i(c=>c.rates?.flash_write_bytes??null)],n);let a=s==="write-back"?
i(c=>c.dirtyLimitBytes):t.map(()=>null);this.#o.set(o,[i(c=>c.dirtyBytes),a],n)}#b(){let t=this.#d.at(-1)?.latency;if(!this.#f&&t&&t[this.#m()].
count===0){let i=Ys.find(o=>t[o].count>0);i&&(this.#r.value=i)}let s=this.#m(),n=i=>this.#d.map(o=>o.latency&&o.latency[s].count>0?o.latency[s][i]:
null);this.#i.set(this.#d.map(i=>i.at),[n("p50"),n("p95"),n("p99")])}#m(){return Ys.find(t=>t===this.#r.value)??"read_miss"}};var Bd={size:"Request size",latency:"Latency",seek:"Seek distance",outstanding:"Outstanding requests",interarrival:"Time between requests"},
Ta={...si,read:"Reads",write:"Writes",all:"All"};function Gd(e,t){if(e.upto===null)return"more";switch(t){case"bytes":return e.upto%1024===0?
B(e.upto):yt(e.upto);case"microseconds":return At(e.upto);default:return e.upto<0?`\u2212${yt(-e.upto)}`:yt(e.upto)}}function qd(e){let t=e.
map(([,c])=>c.length),s=c=>e.some(([,p])=>(p[c]?.count??0)>0),n=[...Array(Math.max(0,...t)).keys()],i=n.filter(s),[o,a]=[i[0],i.at(-1)];return o===
void 0||a===void 0?[0,0]:[Math.max(0,o-1),Math.min(n.length,a+2)]}function Kd(e){let t=e.map(([,s])=>s.map(n=>n.upto).join());return t.every(
s=>s===t[0])}var vi=class{element=h("section",{class:"histograms","aria-label":"Histograms"});#e=h("div",{class:"segmented",role:"group","ar\
ia-label":"What is counted"});#t=h("div",{class:"card histogram-tables"});#i=[];#s="size";#o="";constructor(){this.element.append(h("div",{class:"\
section-head"},h("h2",{},"Histograms"),this.#e),this.#t),this.element.hidden=!0}set(t){if(this.element.hidden=t===null||t.length===0,t===null||
t.length===0)return;this.#i=t,t.some(([n])=>n===this.#s)||(this.#s=t[0]?.[0]??"");let s=t.map(([n])=>n);this.#e.children.length!==s.length&&
this.#e.replaceChildren(...s.map(n=>this.#a(n))),this.#n()}#a(t){return h("button",{type:"button","data-what":t,onclick:()=>{this.#s=t,this.#n()}},
Bd[t]??t)}#n(){for(let a of this.#e.children)a.setAttribute("aria-pressed",String(a.getAttribute("data-what")===this.#s));let t=this.#i.find(
([a])=>a===this.#s)?.[1];if(!t)return;let s=JSON.stringify([this.#s,t]);if(s===this.#o)return;this.#o=s;let{unit:n,kinds:i}=t,o=i.length<=2&&
Kd(i)?[i]:i.map(a=>[a]);this.#t.replaceChildren(...o.map(a=>jd(n,a)))}};function jd(e,t){let[s,n]=qd(t),i=e==="bytes"||e==="microseconds"?"U\
p to":`Up to, ${e}`;if(s===n)return h("p",{class:"hint"},`${t.map(([p])=>Ta[p]??p).join(", ")}: nothing was counted yet.`);let o=t.map(([,p])=>p.
reduce((f,y)=>f+y.count,0)),a=h("thead",{},h("tr",{},h("th",{scope:"col"},i),...t.map(([p],f)=>h("th",{scope:"col"},`${Ta[p]??p}: ${yt(o[f])}`)))),
c=[...Array(n-s).keys()].map(p=>{let f=s+p,y=t[0]?.[1][f];return h("tr",{},h("th",{scope:"row"},y?Gd(y,e):""),...t.map(([,g],w)=>Ud(g[f]?.count??
0,o[w]??0,w)))});return h("table",{class:"histogram"},a,h("tbody",{},...c))}function Ud(e,t,s){let n=t>0?e/t:0,i=h("span",{class:`bar bar-${s%
6}`});i.style.width=`${(n*100).toFixed(2)}%`;let o=h("span",{class:"bar-text"});return se(o,e===0?"":`${yt(e)} (${(n*100).toFixed(1)}%)`),h(
"td",{},h("div",{class:"bar-cell"},h("span",{class:"bar-track"},i),o))}function an(){return h("span",{class:"badge"},h("span",{class:"sign","aria-hidden":"true"}),h("span",{}))}function cn(e,t,s){e.className=`ba\
dge badge-${t}`;let[n,i]=e.children;n&&se(n,rl[t]),i&&se(i,s)}function ct(e,t){let s=h("div",{class:"tile-value","data-figure":t}),n=h("div",
{class:"tile-remark"});return{element:h("div",{class:"tile"},h("div",{class:"tile-name"},e),s,n),set(o,a=""){se(s,o),se(n,a)}}}function xi(){
let e=h("ul",{class:"findings","aria-live":"polite","aria-label":"Warnings"});return{element:e,set(t){e.hidden=t.length===0,vn(e,t,s=>`${s.tone}\
 ${s.text.replace(/\d[\d.]*/g,"#")}`,()=>h("li",{},h("span",{class:"sign","aria-hidden":"true"}),h("div",{},h("div",{class:"finding-text"}),
h("div",{class:"finding-advice"}))),(s,n)=>{s.className=`finding finding-${n.tone}`,De(s,".sign",rl[n.tone]),De(s,".finding-text",n.text),De(
s,".finding-advice",n.advice??"")})}}}function De(e,t,s){let n=e.querySelector(t);n&&se(n,s)}var $n={width:120,height:28};function Ea(e){let t=js(
"svg",{class:"spark",viewBox:`0 0 ${$n.width} ${$n.height}`,role:"img",preserveAspectRatio:"none"}),s=js("path",{fill:"none","vector-effect":"\
non-scaling-stroke"});return t.append(js("path",{class:"spark-base",d:`M0 ${$n.height-1}H${$n.width}`,fill:"none"}),s),{element:t,set(n,i){s.
setAttribute("d",Yd(n,i));let o=n.filter(a=>a!==null).at(-1);t.setAttribute("aria-label",o===void 0?`${e}: no reads in the last five minutes`:
`${e} over the last five minutes, ${Ye(o)} lately`)}}}function Yd(e,t){let s=$n.width/Math.max(1,t-1),n=$n.width-(e.length-1)*s,i="M",o="";return e.
forEach((a,c)=>{if(a===null){i="M";return}o+=`${i}${(n+c*s).toFixed(1)} ${((1-a)*($n.height-4)+2).toFixed(1)}`,i="L"}),o}function Ma(e){let t=e.
map(([n,i])=>({key:n,name:i,cell:h("dd",{"data-figure":n})}));return{element:h("dl",{class:"facts"},...t.map(({name:n,cell:i})=>h("div",{},h(
"dt",{},n),i))),set(n){for(let{key:i,cell:o}of t)se(o,n[i]??""),o.parentElement&&(o.parentElement.hidden=n[i]===void 0)}}}var ki=class{element;#e=new Map;#t=h("div",{class:"fields"});#i=h("button",{type:"submit",class:"primary"},"Review changes\u2026");#s=h("but\
ton",{type:"reset"},"Undo");#o=h("span",{class:"hint","aria-live":"polite"});#a;#n;constructor(t,s){this.#a=t,this.#n=s;let n=h("form",{"ari\
a-label":"Settings"},this.#t,h("div",{class:"buttons buttons-start"},this.#i,this.#s,this.#o));n.addEventListener("input",()=>this.#l()),n.addEventListener(
"reset",i=>{i.preventDefault();for(let o of this.#e.values())o.input.value=o.now;this.#l()}),n.addEventListener("submit",i=>{i.preventDefault(),
this.#u()}),this.element=h("section",{class:"card","aria-label":"Settings"},h("h2",{},"Settings"),h("p",{class:"hint"},"As forebay disk set \
takes them. They are changed while guests go on."),n)}update(t){let s=al.filter(i=>i.name in t),n=Object.keys(t).filter(i=>!al.some(o=>o.name===
i));for(let i of[...s,...n.map(o=>({name:o,about:""}))]){let o=t[i.name]??"",a=this.#e.get(i.name)??this.#r(i,o),c=a.input.value!==a.now;a.now=
o,c||Aa(a.input,o)}this.#l()}#r(t,s){let n=zt(),i=zt(),o={id:n,name:t.name,"aria-describedby":i},a=t.choices?h("select",o,...t.choices.map(f=>h(
"option",{value:f},f))):h("input",{...o,type:"text",spellcheck:"false",autocomplete:"off",autocapitalize:"off"}),c=h("div",{class:"field"},h(
"label",{for:n},t.name),a,h("p",{class:"hint",id:i},t.about)),p={key:t.name,now:s,input:a,element:c};return Aa(a,s),this.#t.append(c),this.#e.
set(t.name,p),p}#c(){let t=[...this.#e.values()].filter(s=>s.input.value.trim()!==s.now);return Object.fromEntries(t.map(s=>[s.key,s.input.value.
trim()]))}#l(){let t=this.#c();for(let n of this.#e.values())n.element.classList.toggle("changed",n.key in t);let s=Object.keys(t).length;this.#i.
disabled=s===0,ge(this.#s,s>0),se(this.#o,s===0?"":s===1?"1 change, not sent yet":`${s} changes, not sent yet`)}#u(){let t=this.#a(),s=this.#c();
if(!t||Object.keys(s).length===0)return;let n=Object.entries(s).map(([i,o])=>h("li",{},h("code",{},i),`: ${this.#e.get(i)?.now??""} \u2192 ${o}`));
Us({title:`Change ${t.name}?`,sentences:Uo(t,s),confirm:"Change",fields:h("ul",{class:"changes"},...n),run:async()=>{await gt("PATCH",bt(t.name),
{settings:s});for(let[i,o]of Object.entries(s)){let a=this.#e.get(i);a&&(a.now=o)}return this.#n(),`${t.name} now has ${Object.entries(s).map(
([i,o])=>`${i}=${o}`).join(" ")}`}})}};function Aa(e,t){e instanceof HTMLSelectElement&&![...e.options].some(s=>s.value===t)&&e.append(h("op\
tion",{value:t},t)),e.value!==t&&(e.value=t)}var Qd=[["backing","Backing"],["size_bytes","Size"],["block_bytes","Block"],["reserve_bytes","Reserved flash"],["limit_bytes","Flash at most"],
["cached_bytes","Cached on flash"],["ram_bytes","Cached in RAM"],["load","From last time"],["mirrored","Dirty data"],["connections","Guests \
connected"],["nbd_socket","NBD socket"],["guest","Taken from"],["page_cache","Page cache"],["errors","Errors"]];function Da(e,t,s){let n=null,
i=()=>n,o=an(),a=h("span",{class:"mode"}),c=xi(),p={hits:ct("Hit ratio","hit_ratio"),operations:ct("Requests","operations"),bytes:ct("Throug\
hput","bytes"),latency:ct("Read latency, mean","latency"),dirty:ct("Dirty","dirty_bytes"),saved:ct("Backing requests saved","saved")},f=new wi(
s),y=new vi,g=Ma(Qd.map(([x,R])=>[x,R])),w=new ki(i,t),S=Qo(i,t),M=h("div",{class:"stack"},c.element,h("div",{class:"tiles"},...Object.values(
p).map(x=>x.element)),f.element,S.element,y.element,h("section",{class:"card","aria-label":"Facts"},h("h2",{},"About this disk"),g.element),
w.element),F=h("div",{class:"card empty"},h("h3",{},"No such disk"),h("p",{},"Forebay serves no disk of this name. It may have been removed:\
 forebay disk list shows all.")),I=h("p",{class:"loading"},"Asking Forebay\u2026");return{element:h("div",{class:"view"},h("p",{class:"crumb"},
h("a",{href:"#/"},"\u2190 Host")),h("div",{class:"title"},h("h1",{},e),o,a),F,I,M),title:e,leave:()=>f.leave(),update(x){let R=x.disk;if(n=R===
"missing"||R===null?null:R,ge(F,R==="missing"),ge(I,R===null),ge(M,n!==null),ge(o,n!==null),!n)return;let T=Ss(n);cn(o,ni([Qt(n.state),...T.
map(U=>U.tone)]),n.state),se(a,n.read_only?`${n.mode}, read-only`:n.mode),c.set(T),Jd(p,n,x),x.span==="5m"?f.set(x.series.get(e)?.points??[],
x.windows.has(e),n.mode):f.setPast(x.span,x.past,n.mode),y.set(x.histograms),g.set(Xd(n)),w.update(n.settings),S.update()}}}function Jd(e,t,s){
let n=s.windows.get(t.name)??s.statistics.get(t.name),i=s.windows.has(t.name)?"last 5 minutes":"since attached",o=s.series.get(t.name)?.last,
a=o?.rates??null,c=Sn(a);e.hits.set(Ye(n?.hit_ratio),`of reads, ${i}`),e.operations.set(c===null?"\u2013":`${et(c)}/s`,a?`${et(a.reads)} rea\
ds, ${et(a.writes)} writes`:""),e.bytes.set(a?Mt(a.read_bytes+a.write_bytes):"\u2013",a?`${Mt(a.read_bytes)} read, ${Mt(a.write_bytes)} writ\
ten`:""),e.latency.set(At(o?.readMicros),o?.writeMicros==null?"no writes lately":`writes ${At(o.writeMicros)}`),e.dirty.set(B(t.dirty_bytes),
Zd(t)),e.saved.set(Ye(n?Js(n):null),i)}function Zd(e){let t=e.mode==="write-back"?`of at most ${B(e.dirty_limit_bytes)}`:null;if(It(e)===0)return t??
"the backing is complete";let s=e.statistics.destage_bytes_per_second??0;return _n(t??`for ${xn(e.dirty_for_seconds)}`,Ts(e.dirty_zeroes_bytes),
s>0?`${Mt(s)} going home`:null)}function Xd(e){let{statistics:t}=e,s={backing:e.backing,size_bytes:B(e.size_bytes),block_bytes:B(e.block_bytes),
reserve_bytes:B(e.reserve_bytes),limit_bytes:B(e.limit_bytes),cached_bytes:B(t.cached_bytes),ram_bytes:B(t.ram_bytes),load:jo(e),mirrored:ef(
e),connections:e.connections===null?"\u2013":String(e.connections),nbd_socket:e.nbd_socket,errors:tf(e)};return e.guest&&(s.guest=`QEMU at ${e.
guest.qmp}, device ${e.guest.device}`),e.page_cache_reason&&(s.page_cache=`used, because ${e.page_cache_reason}`),s}function ef(e){return e.
mirrored===null?"\u2013":e.mirrored?"on two devices":"on one device"}function tf(e){let{checksum_errors:t,flash_errors:s,backing_errors:n,backing_retries:i}=e.
statistics;if(t===void 0)return"\u2013";let a=[[t,"checksums"],[s,"flash"],[n,"backing"],[i,"backing, sent again"]].filter(([c])=>(c??0)>0).
map(([c,p])=>`${c} ${p}`);return a.length===0?"none":a.join(", ")}function _i(e){return`#/disk/${encodeURIComponent(e)}`}var nf={info:"good",warning:"warning",error:"bad"};function Pa(){let e=h("ol",{class:"events","aria-label":"Events, newest first"}),t=h("sel\
ect",{name:"level"},h("option",{value:"info"},"All"),h("option",{value:"warning"},"Warnings and errors"),h("option",{value:"error"},"Errors")),
s=h("p",{class:"empty"},"Nothing happened that an operator must know."),n=h("p",{class:"empty"},"This Forebay keeps no list of events. Its l\
og has them: journalctl --unit forebay"),i=()=>{};t.addEventListener("change",()=>i());let o=h("label",{class:"inline"},"Show ",t),a=h("sect\
ion",{class:"card"},o,e,s,n);return{element:h("div",{class:"view"},h("h1",{},"Events"),a),title:"Events",leave(){},update(c){i=()=>{let p=["\
info","warning","error"],f=p.indexOf(t.value),y=(c.events??[]).filter(g=>p.indexOf(g.level)>=f||!p.includes(g.level)).reverse();ge(n,c.events===
null),ge(o,c.events!==null),ge(s,c.events!==null&&y.length===0),vn(e,y,g=>`${g.id} ${g.time}`,sf,lf)},i()}}}function sf(e){let t=e.disk?h("a",
{href:_i(e.disk),class:"event-disk"},e.disk):null;return h("li",{class:"event"},h("div",{class:"event-head"},an(),h("time",{datetime:e.time},
Lo(e.time)),t,h("span",{class:"event-kind"})),h("div",{class:"event-message"}),h("div",{class:"finding-advice"}))}function lf(e,t){let s=e.querySelector(
".badge");s&&cn(s,nf[t.level]??"warning",t.level),De(e,".event-kind",t.kind),De(e,".event-message",t.message),De(e,".finding-advice",t.advice??
"")}var of=ks*1e3/il,rf=30,La=new WeakMap;function $a(){let e=xi(),t={hits:ct("Hit ratio","host.hit_ratio"),operations:ct("Requests","host.opera\
tions"),bytes:ct("Throughput","host.bytes"),dirty:ct("Dirty","host.dirty_bytes"),saved:ct("Backing requests saved","host.saved")},s=ff(),n=h(
"tbody",{}),o=h("table",{class:"disks"},h("thead",{},h("tr",{},...["Disk","State","Hit ratio","Requests/s","Read latency, mean","Dirty","Las\
t 5 min"].map(y=>h("th",{scope:"col"},y)))),n),a=df(),c=h("section",{class:"card","aria-label":"Disks"},h("h2",{},"Disks"),o,a),p=h("div",{class:"\
tiles"},...Object.values(t).map(y=>y.element));return{element:h("div",{class:"view"},h("h1",{},"Host"),e.element,p,c,s.element),title:"Host",
leave(){},update(y){let g=y.disks??[],w=[...y.pool?Go(y.pool):[],...g.flatMap(Ss)];y.poolProblem&&w.unshift({tone:"bad",text:y.poolProblem,advice:null}),
e.set(w),af(t,y),ge(p,g.length>0),ge(o,g.length>0),ge(a,g.length===0),vn(n,g,S=>S.name,cf,(S,M)=>uf(S,M,y)),s.update(y)}}}function af(e,t){let s=[
...t.statistics.values()],n=Oo([...t.series.values()].map(g=>g.last?.rates??null)),i=s.map(g=>t.windows.get(g.name)??g),o=t.windows.size>0?"\
last 5 minutes":"since attached",a=sl(i);e.hits.set(Ye(Ho(a)),`of reads, ${o}`);let c=Sn(n);e.operations.set(c===null?"\u2013":`${et(c)}/s`,
n?`${et(n.reads)} reads, ${et(n.writes)} writes`:""),e.bytes.set(n?Mt(n.read_bytes+n.write_bytes):"\u2013",n?`${Mt(n.read_bytes)} read, ${Mt(
n.write_bytes)} written`:"");let p=s.reduce((g,w)=>g+(w.dirty_bytes??0),0),f=s.reduce((g,w)=>g+(w.dirty_zeroes_bytes??0),0),y=s.reduce((g,w)=>g+
(w.mode==="write-back"?w.dirty_limit_bytes??0:0),0);e.dirty.set(B(p),_n(y>0?`of at most ${B(y)}`:"no disk is in write-back",Ts(f))),e.saved.
set(Ye(Js(a)),o)}function cf(e){let t=Ea(`Hit ratio of ${e.name}`),s=(a,...c)=>h("td",{"data-heading":a},...c),n=a=>h("div",{"data-figure":`${e.
name}.${a}`}),i=a=>h("div",{class:`sub ${a}`}),o=h("tr",{},h("th",{scope:"row"},h("a",{href:_i(e.name)},e.name),i("backing")),s("State",an(),
i("mode")),s("Hit ratio",n("hit_ratio"),i("split")),s("Requests/s",n("operations"),i("kinds")),s("Read latency, mean",n("latency"),i("writes")),
s("Dirty",n("dirty_bytes"),i("limit")),h("td",{class:"spark-cell"},t.element));return La.set(o,t),o}function uf(e,t,s){let n=s.statistics.get(
t.name),i=s.windows.get(t.name)??n,o=s.series.get(t.name),a=o?.last,c=Ss(t),p=e.querySelector(".badge"),f=ni([Qt(t.state),...c.map(S=>S.tone)]);
p&&cn(p,f,t.state==="serving"&&f!=="good"?"serving, look":t.state);let y=(S,M)=>De(e,`[data-figure$=".${S}"]`,M);De(e,".backing",t.size_bytes===
null?Xi(t.backing,34):`${B(t.size_bytes)} at ${Xi(t.backing,34)}`),De(e,".mode",t.read_only?`${t.mode}, read-only`:t.mode),y("hit_ratio",Ye(
i?.hit_ratio));let g=i?.reads??0;De(e,".split",g>0?`RAM ${Ye((i?.read_hits_ram??0)/g)}, flash ${Ye((i?.read_hits_flash??0)/g)}`:"no reads ye\
t"),y("operations",et(Sn(a?.rates??null))),De(e,".kinds",a?.rates?`${et(a.rates.reads)} r, ${et(a.rates.writes)} w`:""),y("latency",a?.readMicros==
null?"\u2013":At(a.readMicros)),De(e,".writes",a?.writeMicros==null?"":`writes ${At(a.writeMicros)}`),y("dirty_bytes",B(t.dirty_bytes)),De(e,
".limit",_n(t.mode==="write-back"&&t.dirty_limit_bytes?`of ${B(t.dirty_limit_bytes)}`:null,Ts(t.dirty_zeroes_bytes)));let w=(o?.points??[]).
map(S=>S.hitRam===null||S.hitFlash===null?null:S.hitRam+S.hitFlash);La.get(e)?.set(w,Math.max(rf,Math.min(of,w.length)))}function df(){return h(
"div",{class:"empty"},h("h3",{},"No disks yet"),h("p",{},"Nothing is cached until Forebay serves a disk. On the host, this adds one; nothing\
 in the file changes:"),h("pre",{},h("code",{},"forebay disk add web1 --backing /srv/images/web1.raw")),h("p",{},"A running QEMU guest's dis\
k is moved behind Forebay without a reboot:"),h("pre",{},h("code",{},"forebay vm attach --qmp /run/web.qmp --device vda")),h("p",{class:"hin\
t"},"It appears here by itself."))}function ff(){let e=an(),t=h("span",{class:"meter-used"}),s=h("div",{class:"meter",role:"img"},t),n=h("p",
{class:"meter-words","data-figure":"pool.used"}),i=h("p",{class:"meter-words","data-figure":"host.ram"}),o=h("tbody",{}),c=h("table",{class:"\
devices"},h("thead",{},h("tr",{},...["Device","State","Size","Free","Wear","Remarks"].map(f=>h("th",{scope:"col"},f)))),o),p=h("section",{class:"\
card","aria-label":"Pool"},h("div",{class:"section-head"},h("h2",{},"Flash and RAM"),e),s,n,i,c);return{element:p,update({pool:f,statistics:y}){
if(ge(p,f!==null),!f)return;cn(e,Qt(f.state),f.state);let g=(f.segments-f.segments_free)*f.segment_bytes,w=f.segments_free*f.segment_bytes;t.
style.width=`${f.segments>0?(100*(f.segments-f.segments_free)/f.segments).toFixed(2):0}%`;let S=`Pool of ${B(f.size_bytes)}: ${B(g)} in use,\
 ${B(w)} free; ${B(f.reserved_bytes)} reserved by disks`;s.setAttribute("aria-label",S),se(n,S);let M=[...y.values()],F=M.reduce((H,x)=>H+(x.
ram_bytes??0),0),I=M.reduce((H,x)=>H+(x.index_bytes??0),0);se(i,`RAM: ${B(F)} of content in front of the flash, ${B(I)} for the index of wha\
t is on it`),vn(o,f.devices,H=>String(H.number),pf,(H,x)=>hf(H,x,f))}}}function pf(){let e=(t,s,n="")=>h("td",{"data-heading":t,class:n},s);
return h("tr",{},h("th",{scope:"row",class:"path"}),e("State",an()),e("Size",null,"size"),e("Free",null,"free"),e("Wear",null,"wear"),e("Rem\
arks",null,"remarks"))}function hf(e,t,s){De(e,".path",t.path??`device ${t.number}`);let n=e.querySelector(".badge");n&&cn(n,Qt(t.state),t.state),
De(e,".size",B(t.size_bytes)),De(e,".free",`${B(t.segments_free*s.segment_bytes)}`),De(e,".wear",qo(t.wear)||"\u2013");let i=[t.discards?"di\
scards":null,t.page_cache_reason?`page cache: ${t.page_cache_reason}`:null];De(e,".remarks",i.filter(o=>o!==null).join("; ")||`${yt(t.segments)}\
 segments`)}var fs=h("main",{id:"main",tabindex:-1}),Fs=h("p",{class:"loading"},"Asking Forebay\u2026"),Ra=h("span"),Fa=h("button",{type:"button",onclick:Yi},
"Sign in\u2026"),Na=h("div",{class:"banner",role:"alert",hidden:!0},Ra," ",Fa),Wl=h("span",{class:"pulse"}),Ns={host:h("a",{href:"#/"},"Host"),
events:h("a",{href:"#/events"},"Events")},Ca=h("button",{type:"button",class:"quiet",onclick:wf}),Oa=h("button",{type:"button",class:"quiet",
onclick:Yi}),ps=new Zs(za),Rn=null;function mf(){let e=h("a",{class:"skip",href:"#main"},"To the content");e.addEventListener("click",n=>{n.
preventDefault(),fs.focus()});let t=h("a",{href:"#/",class:"brand"},h("img",{src:"/assets/icon.svg",alt:"",width:24,height:24}),"Forebay"),s=h(
"header",{},t,h("nav",{"aria-label":"Views"},Ns.host,Ns.events),h("div",{class:"header-end"},Wl,Ca,Oa));document.body.append(e,s,Na,fs,Mo()),
fs.append(Fs)}function Ha(){let e=window.location.hash.replace(/^#/,"")||"/",t=/^\/disk\/([^/]+)$/.exec(e)?.[1],s=t===void 0?null:gf(t);Rn?.
leave(),Rn=s!==null?Da(s,()=>{ps.look()},n=>ps.show(n)):e==="/events"?Pa():$a(),document.title=`${Rn.title} \u2013 Forebay`,Ns.host.setAttribute(
"aria-current",e==="/"?"page":"false"),Ns.events.setAttribute("aria-current",e==="/events"?"page":"false"),fs.replaceChildren(Rn.element),window.
scrollTo(0,0),ps.watch(s),za()}function gf(e){try{return decodeURIComponent(e)}catch{return e}}function za(){let{known:e}=ps;if(bf(e),!Rn)return;
let t=e.disks!==null;ge(Rn.element,t),ge(Ns.events,!t||e.events!==null),t?(Rn.update(e),Fs.remove()):Fs.isConnected||fs.append(Fs)}function bf({
away:e,answeredAt:t}){fs.classList.toggle("stale",e!==null),ge(Na,e!==null),se(Ra,e?yf(e,t):""),ge(Fa,e?.status===401),se(Fs,e?"Waiting for \
Forebay\u2026":"Asking Forebay\u2026"),Wl.classList.toggle("pulse-away",e!==null),se(Wl,e?"No answer":t===null?"Connecting":"Live")}function yf({
status:e,reason:t,since:s},n){let i=n===null?"":` What is shown is from ${kn(n)}.`;return e===401?`Seen from here, this host shows its figur\
es to those only who have its token.${i}`:e>0?`${t}.${i}`:`${t} since ${kn(s)}.${i} On the host, systemctl status forebay says whether it ru\
ns. This page goes on by itself.`}function wf(){Vo(),Bl()}function Bl(){se(Ca,{auto:"Theme: system",light:"Theme: light",dark:"Theme: dark"}[ei()]),
se(Oa,jt.get()===null?"Sign in":"Signed in")}Bo();mf();Bl();document.addEventListener("forebay-token",()=>{Bl(),ps.look()});window.addEventListener(
"hashchange",Ha);Ha();ps.look();})();
