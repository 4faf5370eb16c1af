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
"use strict";(()=>{var qi="forebay-token";var Et=class extends Error{constructor(s,n){super(n);this.status=s}status;get wantsToken(){return this.status===401}},Gt={get(){return sessionStorage.
getItem(qi)},set(e){sessionStorage.setItem(qi,e.trim())},clear(){sessionStorage.removeItem(qi)}};async function qt(e,t){return(await vo(e,{method:"\
GET"},8e3))[t]}async function yo(e,t){return wo(e,t,s=>s.status===404)}async function Ki(e,t){return wo(e,t,s=>s.status!==0&&!s.wantsToken)}
async function wo(e,t,s){try{return await qt(e,t)}catch(n){if(n instanceof Et&&s(n))return null;throw n}}async function gt(e,t,s){let n={method:e,
headers:{"content-type":"application/json"},body:JSON.stringify(s??null)};return vo(t,n,12e4)}function bt(e){return`/v1/disks/${encodeURIComponent(
e)}`}async function vo(e,t,s){let n=AbortSignal.timeout(s),i=new Headers(t.headers),r=Gt.get();r&&i.set("authorization",`Bearer ${r}`);let a;
try{a=await fetch(e,{...t,headers:i,signal:n,cache:"no-store",credentials:"omit",redirect:"error"})}catch{throw new Et(0,"Forebay does not a\
nswer")}let u=await a.json().catch(()=>null);if(!a.ok){let d=typeof u?.detail=="string"?u.detail:`Forebay answered with status ${a.status}`;
throw new Et(a.status,d)}if(u===null)throw new Et(0,"Forebay's answer was cut short");return u}function h(e,t={},...s){let n=document.createElement(e);for(let[i,r]of Object.entries(t))typeof r=="function"?n.addEventListener(i.slice(2),
r):r!=null&&r!==!1&&n.setAttribute(i,r===!0?"":String(r));return n.append(...s.filter(i=>i!=null&&i!==!1)),n}function qs(e,t){let s=document.
createElementNS("http://www.w3.org/2000/svg",e);for(let[n,i]of Object.entries(t))s.setAttribute(n,String(i));return s}function se(e,t){e.textContent!==
t&&(e.textContent=t)}function Se(e,t){e.hidden===t&&(e.hidden=!t)}function fc(e){let t=new Set;return e.map(s=>{let n=s;for(let i=1;t.has(n);i+=
1)n=`${s} (${i})`;return t.add(n),n})}function vn(e,t,s,n,i){let r=new Map([...e.children].map(p=>[p.getAttribute("data-item")??"",p])),a=fc(
t.map(s)),u=new Set(a);for(let[p,y]of r)u.has(p)||y.remove();let d=e.firstElementChild;t.forEach((p,y)=>{let g=a[y]??"",w=r.get(g)??n(p);r.delete(
g),w.setAttribute("data-item",g),i(w,p),w===d?d=w.nextElementSibling:e.insertBefore(w,d)})}var xo=0;function Ot(){return xo+=1,`e${xo}`}var Jn=null;function _o(){return Jn=h("div",{class:"status",role:"status","aria-live":"polite"}),Jn}var ko=0,dc=8e3;function ji(e){Jn&&(se(Jn,
e),Jn.classList.add("status-shown"),window.clearTimeout(ko),ko=window.setTimeout(()=>Jn?.classList.remove("status-shown"),dc))}function So(e){
e.addEventListener("close",()=>e.remove()),document.body.append(e),e.showModal()}function Ks(e){let t=Ot(),s=h("button",{type:"button"},"Can\
cel"),n=h("button",{type:"submit",class:"primary"},e.confirm),i=h("p",{class:"dialog-said","aria-live":"assertive"}),r=pc(),a=h("form",{},h(
"h2",{id:t},e.title),...e.sentences.map(p=>h("p",{},p)),e.fields??null,r.element,i,h("div",{class:"buttons"},s,n)),u=h("dialog",{"aria-label\
ledby":t},a),d=new AbortController;s.addEventListener("click",()=>u.close()),u.addEventListener("close",()=>d.abort()),a.addEventListener("s\
ubmit",p=>{p.preventDefault(),r.take(),n.disabled=!0,i.className="dialog-said",se(i,"Working\u2026"),e.run(y=>se(i,y),d.signal).then(y=>{ji(
y),u.close()}).catch(y=>{let g=y instanceof Error?y.message:String(y);if(!u.open)return ji(g);n.disabled=!1,i.className="dialog-said dialog-\
failed",se(i,g),y instanceof Et&&y.wantsToken&&r.ask()})}),So(u)}function pc(){let e=Ot(),t=h("input",{id:e,type:"password",autocomplete:"of\
f",spellcheck:"false"}),s=h("div",{class:"field"},h("label",{for:e},"Token for changes"),t,To());return s.hidden=!0,{element:s,ask(){Gt.clear(),
s.hidden=!1,t.focus(),document.dispatchEvent(new Event("forebay-token"))},take(){s.hidden||t.value.trim()===""||(Gt.set(t.value),document.dispatchEvent(
new Event("forebay-token")))}}}function To(){return h("p",{class:"hint"},"On the host, as root or the user that runs Forebay: ",h("code",{},
"cat /var/lib/forebay/token")," (or the folder that serve was given with --dir). It is kept until this tab is closed.")}function Ui(){let e=Ot(),
t=Ot(),s=h("input",{id:t,type:"password",autocomplete:"off",spellcheck:"false",required:!0}),n=h("button",{type:"button"},"Forget it"),i=h("\
button",{type:"button"},"Cancel");n.hidden=Gt.get()===null;let r=h("form",{},h("h2",{id:e},"Sign in for changes"),h("p",{},"On the host itse\
lf, everything can be read without it. Changes need the token of the host, and from other hosts reading does too."),h("div",{class:"field"},
h("label",{for:t},"Token"),s,To()),h("div",{class:"buttons"},n,i,h("button",{type:"submit",class:"primary"},"Keep it"))),a=h("dialog",{"aria\
-labelledby":e},r),u=d=>{document.dispatchEvent(new Event("forebay-token")),ji(d),a.close()};i.addEventListener("click",()=>a.close()),n.addEventListener(
"click",()=>{Gt.clear(),u("The token is forgotten; on the host itself reading goes on")}),r.addEventListener("submit",d=>{d.preventDefault(),
Gt.set(s.value),u("The token is kept until this tab is closed; the next change shows whether it is right")}),So(a)}var hc=[["TiB",1099511627776],["GiB",1073741824],["MiB",1048576],["KiB",1024],["",1]];function Kt(e){return typeof e=="number"&&Number.isFinite(
e)}function q(e){if(!Kt(e))return"\u2013";let t=Math.round(e),[s,n]=hc.find(([,i])=>t>=i)??["",1];return t%n===0?`${t/n}${s}`:`${(Math.floor(
(t*10+n/2)/n)/10).toFixed(1)}${s}`}var mc=[["PB",1e15],["TB",1e12],["GB",1e9],["MB",1e6],["kB",1e3],[" bytes",1]];function Yi(e){if(!Kt(e))return"\
\u2013";let t=Math.round(e),[s,n]=mc.find(([,i])=>t>=i)??[" bytes",1];return t%n===0?`${t/n}${s}`:`${(t/n).toFixed(1)}${s}`}function jt(e){return Kt(
e)?`${q(e)}/s`:"\u2013"}function Xe(e){return Kt(e)?`${(e*100).toFixed(1)}%`:"\u2013"}function yt(e){return Kt(e)?Math.round(e).toString().replace(
/\B(?=(\d{3})+$)/g,","):"\u2013"}function lt(e){return Kt(e)?e>=10||e===0?yt(e):e.toFixed(1):"\u2013"}function Qi(e){if(!Kt(e))return"";for(let[
t,s]of[["M",1e6],["k",1e3]])if(Math.abs(e)>=s)return`${Number((e/s).toFixed(1))}${t}`;return String(Number(e.toFixed(2)))}function Ut(e){if(!Kt(
e))return"\u2013";for(let[t,s]of[["s",1e6],["ms",1e3]])if(e>=s)return`${Eo(e/s)} ${t}`;return`${Eo(e)} us`}function Eo(e){return e>=100||Number.
isInteger(e)?e.toFixed(0):e>=10?e.toFixed(1):e.toFixed(2)}function xn(e){if(!Kt(e))return"\u2013";let t=Math.round(e),s=[[Math.floor(t/86400),
"d"],[Math.floor(t/3600)%24,"h"],[Math.floor(t/60)%60,"min"],[t%60,"s"]],n=s.findIndex(([r])=>r>0);return n<0?"0 s":s.slice(n,n+2).filter(([
r])=>r>0).map(([r,a])=>`${r} ${a}`).join(" ")}function kn(e){let t=new Date(e);return[t.getHours(),t.getMinutes(),t.getSeconds()].map(s=>String(
s).padStart(2,"0")).join(":")}function Mo(e){let t=new Date(e);return Number.isNaN(t.getTime())?e:`${[t.getFullYear(),t.getMonth()+1,t.getDate()].
map(n=>String(n).padStart(2,"0")).join("-")} ${kn(t.getTime())}`}function Ji(e,t){return e.length<=t?e:`\u2026${e.slice(1-t)}`}function _n(...e){
return e.filter(t=>t!==null).join(", ")}var js=["read_hit_ram","read_hit_flash","read_miss","write","flush","destage"],Us=["reads","writes","flushes","discards","read_bytes","write\
_bytes","read_hits_ram","read_hits_flash","read_partial_hits","read_misses","reads_bypassed","backing_reads","backing_writes","backing_read_\
bytes","backing_write_bytes","flash_read_bytes","flash_write_bytes","destage_bytes","evictions"];function Do(e){let t=[];for(let[s,n]of Object.
entries(Ao(e))){let{unit:i,...r}=Ao(n);if(typeof i!="string")continue;let a=Object.entries(r).filter(u=>Array.isArray(u[1]));a.length>0&&t.push(
[s,{unit:i,kinds:a}])}return t}function Ao(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)?e:{}}var vs=300,gc=10,bc=1,yc=1e3;function Zi(e,t){return Us.every(s=>{let[n,i]=[e[s],t[s]];return n!==void 0&&i!==void 0&&i>=n})}function Lo(e,t){
let s=t.at-e.at;if(s<=0||!Zi(e.statistics,t.statistics))return null;let n=Us.map(i=>[i,wc(e,t,i)/s]);return Object.fromEntries(n)}function wc(e,t,s){
return(t.statistics[s]??0)-(e.statistics[s]??0)}var vc=["read_hit_ram","read_hit_flash","read_miss"];function $o(e,t,s){let n=({statistics:a},u)=>s.
reduce((d,p)=>d+(a.latency_us?u(a.latency_us[p]):0),0),i=a=>n(t,a)-n(e,a),r=i(a=>a.count);return r>0?Math.max(0,i(a=>a.count*a.mean))/r:null}
function Qs(e){if(e===null)return null;let t=(e.reads??0)+(e.writes??0);return t>0?1-((e.backing_reads??0)+(e.backing_writes??0))/t:null}function Zn(e){
return e===null?null:e.reads+e.writes}function Ro(e){let t=e.filter(s=>s!==null);return t.length===0?null:Xi(t)}function Fo(e){let{reads:t=0,
read_hits_ram:s=0,read_hits_flash:n=0}=e;return t>0?(s+n)/t:null}function Xi(e){return Object.fromEntries(Us.map(t=>[t,e.reduce((s,n)=>s+(n[t]??
0),0)]))}var Ys=class{#e=[];#t=[];get points(){return this.#t}get last(){return this.#t.at(-1)}add(t,s,n){let i={at:t,statistics:s};t<(this.#t.
at(-1)?.at??t)&&([this.#e,this.#t]=[[],[]]);let r=this.#e.at(-1);r&&t-r.at<bc&&Zi(r.statistics,s)||(r&&!Zi(r.statistics,s)&&(this.#e=[]),this.#t.
push(this.#i(i,n??s)),this.#e.push(i),this.#e=Po(this.#e,t),this.#t=Po(this.#t,t))}#i(t,s){let{at:n,statistics:i}=t,r=this.#e.at(-1),a=this.#e.
find(p=>n-p.at<=gc)??r,u=a?Lo(a,t):null,d=p=>u&&u.reads>0?p/u.reads:null;return{at:n,rates:r?Lo(r,t):null,hitRam:u&&d(u.read_hits_ram),hitFlash:u&&
d(u.read_hits_flash),readMicros:u&&a?$o(a,t,vc):null,writeMicros:u&&a?$o(a,t,["write"]):null,dirtyBytes:i.dirty_bytes??null,dirtyLimitBytes:i.
dirty_limit_bytes??null,latency:s.latency_us??null}}};function zt(e){return(e.dirty_bytes??0)+(e.dirty_zeroes_bytes??0)}function Po(e,t){return e.
filter(s=>t-s.at<=vs).slice(-yc)}var el=2e3,xc=3,kc=500,Js=class{known={disks:null,statistics:new Map,windows:new Map,pool:null,poolProblem:null,series:new Map,events:null,disk:null,
histograms:null,answeredAt:null,away:null};#e=null;#t;#i=0;#s=0;#l=0;constructor(t){this.#t=t}watch(t){t!==this.#e&&(this.#e=t,this.known.disk=
null,this.known.histograms=null,this.#s=0,this.look())}async look(){window.clearTimeout(this.#i);let t=++this.#l;try{await this.#o(t)}catch(s){
t===this.#l&&this.#c(s)}t===this.#l&&(this.#t(),this.#i=window.setTimeout(()=>{this.look()},el))}async#o(t){let s=this.#e,n=this.known.events?.
at(-1)?.id??0,[i,r,a,u,d,p]=await Promise.all([qt("/v1/disks","disks"),qt("/v1/stats","disks"),qt("/v1/stats?window=5m","disks"),this.#n(),Ki(
`/v1/events?after=${n}`,"events"),s===null?null:yo(bt(s),"disk")]),y=Date.now(),g=s!==null&&p!==null&&this.#s%xc===0?await Ki(`${bt(s)}/hist\
ograms`,"histograms"):void 0;t===this.#l&&(this.#s+=1,Object.assign(this.known,{disks:i,...u,answeredAt:y,away:null}),this.#r(y/1e3,r,a),this.#a(
d),s!==null&&(this.known.disk=p??"missing"),g!==void 0&&(this.known.histograms=g===null?null:Do(g)))}async#n(){try{return{pool:await qt("/v1\
/pool","pool"),poolProblem:null}}catch(t){if(!(t instanceof Et)||t.status===0)throw t;return{pool:null,poolProblem:t.message}}}#r(t,s,n){let i=r=>new Map(
r.map(a=>[a.name,a]));this.known.statistics=i(s),this.known.windows=i(n.filter(r=>r.window==="5m"));for(let r of this.known.series.keys())this.
known.statistics.has(r)||this.known.series.delete(r);for(let r of s){let a=this.known.series.get(r.name)??new Ys;this.known.series.set(r.name,
a),a.add(t,r,this.known.windows.get(r.name))}}#a(t){t!==null&&(this.known.events=_c(this.known.events??[],t))}#c(t){let s=t instanceof Error?
t.message:String(t),n=t instanceof Et?t.status:0;this.known.away={since:this.known.away?.since??Date.now(),reason:s,status:n}}};function _c(e,t){
let[s,n]=[e.at(-1),t[0]];return[...s===void 0||n===void 0||n.id>s.id?e:[],...t].slice(-kc)}var No="forebay-theme",Zs=["auto","light","dark"],Co=window.matchMedia("(prefers-color-scheme: dark)"),tl=new Set;function Xs(){let e=localStorage.
getItem(No);return Zs.find(t=>t===e)??"auto"}function Oo(){let e=Zs[(Zs.indexOf(Xs())+1)%Zs.length]??"auto";localStorage.setItem(No,e),nl()}
function zo(e){return tl.add(e),()=>tl.delete(e)}function Ho(){Co.addEventListener("change",nl),nl()}function nl(){let e=Xs(),t=Co.matches?"\
dark":"light";document.documentElement.dataset.theme=e==="auto"?t:e;for(let s of tl)s()}function xs(e){return getComputedStyle(document.documentElement).
getPropertyValue(`--${e}`).trim()}var sl={good:"\u2713",busy:"\u2026",warning:"!",bad:"\u2715"},Sc={serving:"good",attaching:"busy",detaching:"busy",removing:"busy",waiting:"\
warning",stopped:"bad",failed:"bad",missing:"bad",used:"good",leaving:"busy"};function Yt(e){return Sc[e]??"warning"}var Tc={waiting:"It is \
served by itself as soon as it can be; put right what the reason names.",stopped:"It answers nothing but errors, so that no guest sees old d\
ata. See what it lost, and the log of the daemon.",failed:"It answers errors. Put right what the reason names, then restart Forebay."},ei=["\
good","busy","warning","bad"];function ti(e){return ei[Math.max(0,...e.map(t=>ei.indexOf(t)))]??"good"}function ks(e){let t=[],s=(u,d,p=null)=>t.
push({tone:u,text:d,advice:p});if(Yt(e.state)!=="good"){let u=e.reason?`: ${e.reason}`:"";s(Yt(e.state),`Disk ${e.name} is ${e.state}${u}`,Tc[e.
state]??null)}let n=e.lost_bytes??0;n>0&&s("bad",`Flash lost ${q(n)} of ${e.name} before its backing had it`,`forebay disk show ${e.name} --\
lost lists the ranges.`);let i=e.backing_state;if(i&&i.state!=="good"){let u=i.for_seconds===null?"":` for ${xn(i.for_seconds)}`;s("bad",`Th\
e backing of ${e.name} fails${u}${i.reason?`: ${i.reason}`:""}`,"Hits are answered; the rest waits for retry-time.")}e.quiet?.state==="faile\
d"&&s("warning",`${e.name} could not be made quiet: ${e.quiet.reason??"no reason is known"}`,null);let r=e.segments_uncopied??0;e.mirrored===
!0&&r>0&&s("warning",`${yt(r)} segments of ${e.name} lack a second copy`,"They are being copied; until then one device has that data alone.");
let a=e.dirty_bytes??0;return e.dirty_limit_bytes&&a>=e.dirty_limit_bytes*.9&&s("warning",`Destage of ${e.name} is behind: ${q(a)} of at mos\
t ${q(e.dirty_limit_bytes)} is dirty`,"Writes are slowed down to what the backing takes."),t.sort((u,d)=>ei.indexOf(d.tone)-ei.indexOf(u.tone))}
function Io(e){let t=e.warnings.map(s=>({tone:"warning",text:s,advice:null}));return Yt(e.state)!=="good"&&t.unshift({tone:"bad",text:`The p\
ool is ${e.state}${e.reason?`: ${e.reason}`:""}`,advice:"Disks go on from their backings; what is dirty waits for the pool."}),e.page_cache_reason&&
t.push({tone:"warning",text:`The pool goes through the page cache, because ${e.page_cache_reason}`,advice:null}),t}function Vo(e){if(e===null)
return"";let t=e.used_percent===null?null:`${Xe(e.used_percent/100)} of its life used`,s=e.days_left===null?null:`${yt(e.days_left)} days le\
ft`,n=e.rated_bytes===null?"":`, rated for ${Yi(e.rated_bytes)}`;return _n(t,s,`${Yi(e.written_bytes)} written${n}`)}var ni={read_hit_ram:"R\
ead, RAM hit",read_hit_flash:"Read, flash hit",read_miss:"Read, miss",write:"Write",flush:"Flush",destage:"Destage"};function _s(e){return e?
`+ ${q(e)} of zeroes`:null}function Wo(e){switch(e.quiet?.state){case"coming":return`Being made quiet: ${q(zt(e))} left to bring home`;case"\
quiet":return`Quiet for another ${xn(e.quiet.seconds_left)}`;case"failed":return`Could not be made quiet: ${e.quiet.reason??"no reason is kn\
own"}`;default:return null}}function Bo(e){let{load:t}=e;if(!t)return"not known while the disk is not served";if(t.state==="loading")return"\
being loaded; reads come from the backing meanwhile";if(t.state==="cold")return`nothing: ${t.reason??"no reason is known"}`;let s=`${q(t.kept_bytes)}\
 came back`;return t.dropped_bytes>0?`${s}, ${q(t.dropped_bytes)} may have changed and is not believed`:s}var il=[{name:"mode",about:"What h\
appens to reads and writes.",choices:["write-through","write-back","write-around","pass-through"]},{name:"block-size",about:"Unit of the ind\
ex. A change drops what is cached of the disk.",choices:[4,8,16,32,64,128,256,512,1024].map(e=>q(e*1024))},{name:"reserve",about:"Flash that\
 the disk gets whatever the others do: auto, a size or a share such as 20%."},{name:"limit",about:"Flash that the disk never exceeds: auto, \
a size or a share."},{name:"ram",about:"RAM in front of the flash, at least 1MiB."},{name:"admission",about:"What may enter flash: adaptive,\
 always or repeated:N."},{name:"sequential-cutoff",about:"Misses of a sequential run longer than this go past the cache; 0 is off."},{name:"\
dirty-limit",about:"Write-back: the most that flash may hold and the backing does not have."},{name:"destage-rate-min",about:"Write-back: de\
stage never goes slower than so many bytes a second; 0 is none."},{name:"destage-rate-max",about:"Write-back: destage never goes faster than\
 so many bytes a second; 0 is no limit."},{name:"redundancy",about:"Write-back: whether dirty data is kept on two devices of the pool.",choices:[
"mirror","none"]},{name:"unmarked",about:"Write-back where the backing cannot be marked: nothing then keeps another Forebay from serving it.",
choices:["no","yes"]},{name:"retry-time",about:"How long a request waits for a backing that fails or hangs, such as 25s, or wait."},{name:"s\
ocket-owner",about:"User who owns the NBD socket; auto is the daemon's."},{name:"socket-group",about:"Group of the NBD socket; auto is foreb\
ay if the host has it."},{name:"socket-mode",about:"Who may connect, as octal digits."}],Ec={"write-through":"Writes go to the backing first\
, then to the cache; the backing is always complete.","write-back":"Writes are acknowledged when flash has them, and the backing gets them l\
ater. Until then the newest data is on flash alone.","write-around":"Writes go to the backing only; what they replace in the cache is droppe\
d.","pass-through":"Every request goes to the backing. Guests have no cache until the mode is changed back."};function Go(e,t){return[...Object.
entries(t).map(([n,i])=>Mc(e,n,i)).flat(),"Guests stay connected and go on meanwhile."]}function Mc(e,t,s){let n=q(e.statistics.cached_bytes);
switch(t){case"mode":return[Ec[s]??`The mode becomes ${s}.`,...Ac(e,s)];case"block-size":return[`What is cached of the disk on flash (${n}) \
is dropped; it is read from the backing again.`];case"limit":return[`Flash that the disk holds above the new limit is evicted; it holds ${q(
e.statistics.flash_bytes)} now.`];case"unmarked":return s==="yes"?["Nothing keeps another Forebay from serving this backing while flash has \
newer data. See to that yourself."]:[];case"redundancy":return[s==="none"?"Dirty data is kept on one device only: if it fails, that data is \
lost.":"Dirty data is kept on two devices, if the pool has them."];case"socket-owner":case"socket-group":case"socket-mode":return["Who may c\
onnect to the disk changes at once."];default:return[]}}function Ac(e,t){return e.mode!=="write-back"||t==="write-back"||zt(e)===0?[]:[`${q(
zt(e))} is dirty; it is written to the backing while guests go on.`]}function Xn(e,t){let s=zt(t),n=s>0?`${q(s)} is dirty: flash has it and \
the backing does not.`:"Nothing is dirty: the backing has everything.";switch(e){case"destage":return[n,"Dirty data is written to the backin\
g at full speed. Guests go on and may notice a busier backing."];case"normal":return[n,"Destage goes on at the pace that suits guests."];case"\
quiesce":return[n,"It is brought home first. After that, writes wait for the backing, so that a backup or snapshot of the backing is complet\
e.","This ends by itself after the time below, or when it is resumed."];case"resume":return["Writes may lie on flash alone again, as the mod\
e says."];case"evict":return[`${q(t.statistics.cached_bytes)} cached on flash and ${q(t.statistics.ram_bytes)} in RAM are dropped, and no re\
start brings them back.`,s>0?`${q(s)} is dirty and is brought home first.`:"Nothing is dirty; nothing is lost.","Guests go on from the backi\
ng, slower, until the cache is warm again."]}}var Dc=60,Lc=600,$c=300;function Ko(e,t){let s=Pc.map(i=>{let r=()=>{let a=e();a&&Ks(Nc(i.work(a),t))};return[i,h("button",{type:"button","d\
ata-action":i.name,onclick:r},i.label)]}),n=h("p",{class:"hint","data-figure":"quiet"});return{element:h("section",{class:"card","aria-label":"\
Actions"},h("h2",{},"Actions"),h("div",{class:"buttons buttons-start"},...s.map(([,i])=>i)),n),update(){let i=e();for(let[a,u]of s)u.disabled=
i===null||!a.isPossible(i);let r=i&&!Ss(i)?`Nothing can be done while the disk is ${i.state}.`:i?Wo(i):null;se(n,r??""),Se(n,r!==null)}}}var Ss=e=>e.
state==="serving",ll=e=>e.quiet?.state==="coming"||e.quiet?.state==="quiet",Pc=[{name:"destage",label:"Destage now\u2026",isPossible:Ss,work:e=>({
title:`Destage ${e.name} at full speed?`,sentences:Xn("destage",e),confirm:"Destage now",run:async()=>(await gt("POST",`${bt(e.name)}/destag\
e`),`What is dirty of ${e.name} is on its way to the backing`)})},{name:"normal",label:"Destage at normal pace\u2026",isPossible:Ss,work:e=>({
title:`Let ${e.name} destage at its own pace?`,sentences:Xn("normal",e),confirm:"Normal pace",run:async()=>(await gt("DELETE",`${bt(e.name)}\
/destage`),`${e.name} is destaged as it suits guests`)})},{name:"quiesce",label:"Quiesce\u2026",isPossible:e=>Ss(e)&&!ll(e),work:Rc},{name:"\
resume",label:"Resume\u2026",isPossible:ll,work:e=>({title:`Let ${e.name} go on as before?`,sentences:Xn("resume",e),confirm:"Resume",run:async()=>(await gt(
"POST",`${bt(e.name)}/resume`),`${e.name} goes on as before`)})},{name:"evict",label:"Evict\u2026",isPossible:Ss,work:e=>({title:`Drop what \
is cached of ${e.name}?`,sentences:Xn("evict",e),confirm:"Evict",run:(t,s)=>Fc(e.name,t,s)})}];function Rc(e){let t=Ot(),s=h("input",{id:t,type:"\
number",min:1,max:86400,value:Lc,required:!0});return{title:`Hold ${e.name} without dirty data?`,sentences:Xn("quiesce",e),confirm:"Quiesce",
fields:h("div",{class:"field"},h("label",{for:t},"For so many seconds"),s),run:async()=>{let n=Number(s.value);return await gt("POST",`${bt(
e.name)}/quiesce`,{seconds:n}),`${e.name} is being made quiet, then held so for ${xn(n)}`}}}async function Fc(e,t,s){let n=bt(e),i=await qt(
n,"disk");if(ll(i))await qo(e,t,s),await gt("POST",`${n}/evict`);else if(zt(i)>0){await gt("POST",`${n}/quiesce`,{seconds:Dc});try{await qo(
e,t,s),await gt("POST",`${n}/evict`)}finally{await gt("POST",`${n}/resume`)}}else await gt("POST",`${n}/evict`);return`Nothing is cached of ${e}\
 any more, and no restart brings it back`}async function qo(e,t,s){for(;;){if(s.aborted)throw new Error("Stopped; the disk is served as befo\
re");let n=await qt(bt(e),"disk"),i=n.quiet?.state;if(i==="quiet")return;if(i!=="coming")throw new Error(`Cannot bring home what is dirty: ${n.
quiet?.reason??n.reason??"somebody resumed it"}. Nothing was dropped.`);t(`${q(zt(n))} left to bring home\u2026`),await new Promise(r=>window.
setTimeout(r,$c))}}function Nc(e,t){return{...e,run:(s,n)=>e.run(s,n).finally(t)}}var Cc="uplot",Oc="u-hz",zc="u-vt",Hc="u-title",Ic="u-wrap",Vc="u-under",Wc="u-over",Bc="u-axis",En="u-off",Gc="u-select",qc="u-cursor-x",Kc="\
u-cursor-y",jc="u-cursor-pt",Uc="u-legend",Yc="u-live",Qc="u-inline",Jc="u-series",Zc="u-marker",jo="u-label",Xc="u-value",Es="width",Ms="he\
ight";var Uo="bottom",es="left",ol="right",_l="#000",Yo=_l+"0",rl="mousemove",Qo="mousedown",al="mouseup",Jo="mouseenter",Zo="mouseleave",Xo="dblc\
lick",eu="resize",tu="scroll",er="change",ri="dppxchange",Sl="--",rs=typeof window<"u",pl=rs?document:null,ns=rs?window:null,nu=rs?navigator:
null,ae,si;function hl(){let e=devicePixelRatio;ae!=e&&(ae=e,si&&gl(er,si,hl),si=matchMedia(`(min-resolution: ${ae-.001}dppx) and (max-resol\
ution: ${ae+.001}dppx)`),Mn(er,si,hl),ns.dispatchEvent(new CustomEvent(ri)))}function ot(e,t){if(t!=null){let s=e.classList;!s.contains(t)&&
s.add(t)}}function ml(e,t){let s=e.classList;s.contains(t)&&s.remove(t)}function we(e,t,s){e.style[t]=s+"px"}function Mt(e,t,s,n){let i=pl.createElement(
e);return t!=null&&ot(i,t),s?.insertBefore(i,n),i}function wt(e,t){return Mt("div",e,t)}var tr=new WeakMap;function Ht(e,t,s,n,i){let r="tra\
nslate("+t+"px,"+s+"px)",a=tr.get(e);r!=a&&(e.style.transform=r,tr.set(e,r),t<0||s<0||t>n||s>i?ot(e,En):ml(e,En))}var nr=new WeakMap;function sr(e,t,s){
let n=t+s,i=nr.get(e);n!=i&&(nr.set(e,n),e.style.background=t,e.style.borderColor=s)}var ir=new WeakMap;function lr(e,t,s,n){let i=t+""+s,r=ir.
get(e);i!=r&&(ir.set(e,i),e.style.height=s+"px",e.style.width=t+"px",e.style.marginLeft=n?-t/2+"px":0,e.style.marginTop=n?-s/2+"px":0)}var Tl={
passive:!0},su={...Tl,capture:!0};function Mn(e,t,s,n){t.addEventListener(e,s,n?su:Tl)}function gl(e,t,s,n){t.removeEventListener(e,s,Tl)}rs&&
hl();function At(e,t,s,n){let i;s=s||0,n=n||t.length-1;let r=n<=2147483647;for(;n-s>1;)i=r?s+n>>1:rt((s+n)/2),t[i]<e?s=i:n=i;return e-t[s]<=
t[n]-e?s:n}function Rr(e){return(s,n,i)=>{let r=-1,a=-1;for(let u=n;u<=i;u++)if(e(s[u])){r=u;break}for(let u=i;u>=n;u--)if(e(s[u])){a=u;break}
return[r,a]}}var Fr=e=>e!=null,Nr=e=>e!=null&&e>0,ui=Rr(Fr),iu=Rr(Nr);function lu(e,t,s,n=0,i=!1){let r=i?iu:ui,a=i?Nr:Fr;[t,s]=r(e,t,s);let u=e[t],
d=e[t];if(t>-1)if(n==1)u=e[t],d=e[s];else if(n==-1)u=e[s],d=e[t];else for(let p=t;p<=s;p++){let y=e[p];a(y)&&(y<u?u=y:y>d&&(d=y))}return[u??
pe,d??-pe]}function fi(e,t,s,n){let i=ar(e),r=ar(t);e==t&&(i==-1?(e*=s,t/=s):(e/=s,t*=s));let a=s==10?Qt:Cr,u=i==1?rt:vt,d=r==1?vt:rt,p=u(a(
Re(e))),y=d(a(Re(t))),g=ss(s,p),w=ss(s,y);return s==10&&(p<0&&(g=he(g,-p)),y<0&&(w=he(w,-y))),n||s==2?(e=g*i,t=w*r):(e=Ir(e,g),t=di(t,w)),[e,
t]}function El(e,t,s,n){let i=fi(e,t,s,n);return e==0&&(i[0]=0),t==0&&(i[1]=0),i}var Ml=.1,or={mode:3,pad:Ml},Ds={pad:0,soft:null,mode:0},ou={
min:Ds,max:Ds};function ai(e,t,s,n){return pi(s)?rr(e,t,s):(Ds.pad=s,Ds.soft=n?0:null,Ds.mode=n?3:0,rr(e,t,ou))}function oe(e,t){return e??t}
function ru(e,t,s){for(t=oe(t,0),s=oe(s,e.length-1);t<=s;){if(e[t]!=null)return!0;t++}return!1}function rr(e,t,s){let n=s.min,i=s.max,r=oe(n.
pad,0),a=oe(i.pad,0),u=oe(n.hard,-pe),d=oe(i.hard,pe),p=oe(n.soft,pe),y=oe(i.soft,-pe),g=oe(n.mode,0),w=oe(i.mode,0),S=t-e,M=Qt(S),F=Ye(Re(e),
Re(t)),V=Qt(F),P=Re(V-M);(S<1e-24||P>10)&&(S=0,(e==0||t==0)&&(S=1e-24,g==2&&p!=pe&&(r=0),w==2&&y!=-pe&&(a=0)));let x=S||F||1e3,z=Qt(x),T=ss(
10,rt(z)),Q=x*(S==0?e==0?.1:1:r),R=he(Ir(e-Q,T/10),24),J=e>=p&&(g==1||g==3&&R<=p||g==2&&R>=p)?p:pe,j=Ye(u,R<J&&e>=J?J:Dt(J,R)),ee=x*(S==0?t==
0?.1:1:a),K=he(di(t+ee,T/10),24),E=t<=y&&(w==1||w==3&&K>=y||w==2&&K<=y)?y:-pe,Y=Dt(d,K>E&&t<=E?E:Ye(E,K));return j==Y&&j==0&&(Y=100),[j,Y]}var au=new Intl.
NumberFormat(rs?nu.language:"en-US"),Al=e=>au.format(e),at=Math,oi=at.PI,Re=at.abs,rt=at.floor,Pe=at.round,vt=at.ceil,Dt=at.min,Ye=at.max,ss=at.
pow,ar=at.sign,Qt=at.log10,Cr=at.log2,cu=(e,t=1)=>at.sinh(e)*t,cl=(e,t=1)=>at.asinh(e/t),pe=1/0;function cr(e){return(Qt((e^e>>31)-(e>>31))|
0)+1}function bl(e,t,s){return Dt(Ye(e,t),s)}function Or(e){return typeof e=="function"}function te(e){return Or(e)?e:()=>e}var uu=()=>{},zr=e=>e,
Hr=(e,t)=>t,fu=e=>null,ur=e=>!0,fr=(e,t)=>e==t,du=/\.\d*?(?=9{6,}|0{6,})/gm,An=e=>{if(Wr(e)||on.has(e))return e;let t=`${e}`,s=t.match(du);if(s==
null)return e;let n=s[0].length-1;if(t.indexOf("e-")!=-1){let[i,r]=t.split("e");return+`${An(i)}e${r}`}return he(e,n)};function Sn(e,t){return An(
he(An(e/t))*t)}function di(e,t){return An(vt(An(e/t))*t)}function Ir(e,t){return An(rt(An(e/t))*t)}function he(e,t=0){if(Wr(e))return e;let s=10**
t,n=e*s*(1+Number.EPSILON);return Pe(n)/s}var on=new Map;function Vr(e){return((""+e).split(".")[1]||"").length}function $s(e,t,s,n){let i=[],
r=n.map(Vr);for(let a=t;a<s;a++){let u=Re(a),d=he(ss(e,a),u);for(let p=0;p<n.length;p++){let y=e==10?+`${n[p]}e${a}`:n[p]*d,g=(a>=0?0:u)+(a>=
r[p]?0:r[p]),w=e==10?y:he(y,g);i.push(w),on.set(w,g)}}return i}var Ls={},Dl=[],is=[null,null],ln=Array.isArray,Wr=Number.isInteger,pu=e=>e===
void 0;function dr(e){return typeof e=="string"}function pi(e){let t=!1;if(e!=null){let s=e.constructor;t=s==null||s==Object}return t}function hu(e){
return e!=null&&typeof e=="object"}var mu=Object.getPrototypeOf(Uint8Array),Br="__proto__";function ls(e,t=pi){let s;if(ln(e)){let n=e.find(
i=>i!=null);if(ln(n)||t(n)){s=Array(e.length);for(let i=0;i<e.length;i++)s[i]=ls(e[i],t)}else s=e.slice()}else if(e instanceof mu)s=e.slice();else if(t(
e)){s={};for(let n in e)n!=Br&&(s[n]=ls(e[n],t))}else s=e;return s}function Ae(e){let t=arguments;for(let s=1;s<t.length;s++){let n=t[s];for(let i in n)
i!=Br&&(pi(e[i])?Ae(e[i],ls(n[i])):e[i]=ls(n[i]))}return e}var gu=0,bu=1,yu=2;function wu(e,t,s){for(let n=0,i,r=-1;n<t.length;n++){let a=t[n];
if(a>r){for(i=a-1;i>=0&&e[i]==null;)e[i--]=null;for(i=a+1;i<s&&e[i]==null;)e[r=i++]=null}}}function vu(e,t){if(_u(e)){let a=e[0].slice();for(let u=1;u<
e.length;u++)a.push(...e[u].slice(1));return Su(a[0])||(a=ku(a)),a}let s=new Set;for(let a=0;a<e.length;a++){let d=e[a][0],p=d.length;for(let y=0;y<
p;y++)s.add(d[y])}let n=[Array.from(s).sort((a,u)=>a-u)],i=n[0].length,r=new Map;for(let a=0;a<i;a++)r.set(n[0][a],a);for(let a=0;a<e.length;a++){
let u=e[a],d=u[0];for(let p=1;p<u.length;p++){let y=u[p],g=Array(i).fill(void 0),w=t?t[a][p]:bu,S=[];for(let M=0;M<y.length;M++){let F=y[M],
V=r.get(d[M]);F===null?w!=gu&&(g[V]=F,w==yu&&S.push(V)):g[V]=F}wu(g,S,i),n.push(g)}}return n}var xu=typeof queueMicrotask>"u"?e=>Promise.resolve().
then(e):queueMicrotask;function ku(e){let t=e[0],s=t.length,n=Array(s);for(let r=0;r<n.length;r++)n[r]=r;n.sort((r,a)=>t[r]-t[a]);let i=[];for(let r=0;r<
e.length;r++){let a=e[r],u=Array(s);for(let d=0;d<s;d++)u[d]=a[n[d]];i.push(u)}return i}function _u(e){let t=e[0][0],s=t.length;for(let n=1;n<
e.length;n++){let i=e[n][0];if(i.length!=s)return!1;if(i!=t){for(let r=0;r<s;r++)if(i[r]!=t[r])return!1}}return!0}function Su(e,t=100){let s=e.
length;if(s<=1)return!0;let n=0,i=s-1;for(;n<=i&&e[n]==null;)n++;for(;i>=n&&e[i]==null;)i--;if(i<=n)return!0;let r=Ye(1,rt((i-n+1)/t));for(let a=e[n],
u=n+r;u<=i;u+=r){let d=e[u];if(d!=null){if(d<=a)return!1;a=d}}return!0}var Gr=["January","February","March","April","May","June","July","Aug\
ust","September","October","November","December"],qr=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function Kr(e){
return e.slice(0,3)}var Tu=qr.map(Kr),Eu=Gr.map(Kr),Mu={MMMM:Gr,MMM:Eu,WWWW:qr,WWW:Tu};function Ts(e){return(e<10?"0":"")+e}function Au(e){return(e<
10?"00":e<100?"0":"")+e}var Du={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.
getMonth()],MM:e=>Ts(e.getMonth()+1),M:e=>e.getMonth()+1,DD:e=>Ts(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.
WWW[e.getDay()],HH:e=>Ts(e.getHours()),H:e=>e.getHours(),h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"A\
M",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>Ts(e.getMinutes()),m:e=>e.getMinutes(),ss:e=>Ts(e.getSeconds()),s:e=>e.
getSeconds(),fff:e=>Au(e.getMilliseconds())};function Ll(e,t){t=t||Mu;let s=[],n=/\{([a-z]+)\}|[^{]+/gi,i;for(;i=n.exec(e);)s.push(i[0][0]==
"{"?Du[i[1]]:i[0]);return r=>{let a="";for(let u=0;u<s.length;u++)a+=typeof s[u]=="string"?s[u]:s[u](r,t);return a}}var Lu=new Intl.DateTimeFormat().
resolvedOptions().timeZone;function $u(e,t){let s;return t=="UTC"||t=="Etc/UTC"?s=new Date(+e+e.getTimezoneOffset()*6e4):t==Lu?s=e:(s=new Date(
e.toLocaleString("en-US",{timeZone:t})),s.setMilliseconds(e.getMilliseconds())),s}var jr=e=>e%1==0,ci=[1,2,2.5,5],Pu=$s(10,-32,0,ci),Ur=$s(10,
0,32,ci),Ru=Ur.filter(jr),Tn=Pu.concat(Ur),$l=`
`,Yr="{YYYY}",pr=$l+Yr,Qr="{M}/{D}",As=$l+Qr,ii=As+"/{YY}",Jr="{aa}",Fu="{h}:{mm}",ts=Fu+Jr,hr=$l+ts,mr=":{ss}",ue=null;function Zr(e){let t=e*
1e3,s=t*60,n=s*60,i=n*24,r=i*30,a=i*365,d=(e==1?$s(10,0,3,ci).filter(jr):$s(10,-3,0,ci)).concat([t,t*5,t*10,t*15,t*30,s,s*5,s*10,s*15,s*30,n,
n*2,n*3,n*4,n*6,n*8,n*12,i,i*2,i*3,i*4,i*5,i*6,i*7,i*8,i*9,i*10,i*15,r,r*2,r*3,r*4,r*6,a,a*2,a*5,a*10,a*25,a*50,a*100]),p=[[a,Yr,ue,ue,ue,ue,
ue,ue,1],[i*28,"{MMM}",pr,ue,ue,ue,ue,ue,1],[i,Qr,pr,ue,ue,ue,ue,ue,1],[n,"{h}"+Jr,ii,ue,As,ue,ue,ue,1],[s,ts,ii,ue,As,ue,ue,ue,1],[t,mr,ii+
" "+ts,ue,As+" "+ts,ue,hr,ue,1],[e,mr+".{fff}",ii+" "+ts,ue,As+" "+ts,ue,hr,ue,1]];function y(g){return(w,S,M,F,V,P)=>{let x=[],z=V>=a,T=V>=
r&&V<a,Q=g(M),R=he(Q*e,3),J=ul(Q.getFullYear(),z?0:Q.getMonth(),T||z?1:Q.getDate()),j=he(J*e,3);if(T||z){let ee=T?V/r:0,K=z?V/a:0,E=R==j?R:he(
ul(J.getFullYear()+K,J.getMonth()+ee,1)*e,3),Y=new Date(Pe(E/e)),N=Y.getFullYear(),B=Y.getMonth();for(let I=0;E<=F;I++){let ne=ul(N+K*I,B+ee*
I,1),H=ne-g(he(ne*e,3));E=he((+ne+H)*e,3),E<=F&&x.push(E)}}else{let ee=V>=i?i:V,K=rt(M)-rt(R),E=j+K+di(R-j,ee);x.push(E);let Y=g(E),N=Y.getHours()+
Y.getMinutes()/s+Y.getSeconds()/n,B=V/n,I=w.axes[S]._space,ne=P/I;for(;E=he(E+V,e==1?0:3),!(E>F);)if(B>1){let H=rt(he(N+B,6))%24,ie=g(E).getHours()-
H;ie>1&&(ie=-1),E-=ie*n,N=(N+B)%24;let fe=x[x.length-1];he((E-fe)/V,3)*ne>=.7&&x.push(E)}else x.push(E)}return x}}return[d,p,y]}var[Nu,Cu,Ou]=Zr(
1),[zu,Hu,Iu]=Zr(.001);$s(2,-53,53,[1]);function gr(e,t){return e.map(s=>s.map((n,i)=>i==0||i==8||n==null?n:t(i==1||s[8]==0?n:s[1]+n)))}function br(e,t){
return(s,n,i,r,a)=>{let u=t.find(M=>a>=M[0])||t[t.length-1],d,p,y,g,w,S;return n.map(M=>{let F=e(M),V=F.getFullYear(),P=F.getMonth(),x=F.getDate(),
z=F.getHours(),T=F.getMinutes(),Q=F.getSeconds(),R=V!=d&&u[2]||P!=p&&u[3]||x!=y&&u[4]||z!=g&&u[5]||T!=w&&u[6]||Q!=S&&u[7]||u[1];return d=V,p=
P,y=x,g=z,w=T,S=Q,R(F)})}}function Vu(e,t){let s=Ll(t);return(n,i,r,a,u)=>i.map(d=>s(e(d)))}function ul(e,t,s){return new Date(e,t,s)}function yr(e,t){
return t(e)}var Wu="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function wr(e,t){return(s,n,i,r)=>r==null?Sl:t(e(n))}function Bu(e,t){let s=e.series[t];return s.
width?s.stroke(e,t):s.points.width?s.points.stroke(e,t):null}function Gu(e,t){return e.series[t].fill(e,t)}var qu={show:!0,live:!0,isolate:!1,
mount:uu,markers:{show:!0,width:2,stroke:Bu,fill:Gu,dash:"solid"},idx:null,idxs:null,values:[]};function Ku(e,t){let s=e.cursor.points,n=wt(),
i=s.size(e,t);we(n,Es,i),we(n,Ms,i);let r=i/-2;we(n,"marginLeft",r),we(n,"marginTop",r);let a=s.width(e,t,i);return a&&we(n,"borderWidth",a),
n}function ju(e,t){let s=e.series[t].points;return s._fill||s._stroke}function Uu(e,t){let s=e.series[t].points;return s._stroke||s._fill}function Yu(e,t){
return e.series[t].points.size}var fl=[0,0];function Qu(e,t,s){return fl[0]=t,fl[1]=s,fl}function li(e,t,s,n=!0){return i=>{i.button==0&&(!n||
i.target==t)&&s(i)}}function dl(e,t,s,n=!0){return i=>{(!n||i.target==t)&&s(i)}}var Ju={show:!0,x:!0,y:!0,lock:!1,move:Qu,points:{one:!1,show:Ku,
size:Yu,width:0,stroke:Uu,fill:ju},bind:{mousedown:li,mouseup:li,click:li,dblclick:li,mousemove:dl,mouseleave:dl,mouseenter:dl},drag:{setScale:!0,
x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(e,t,s,n,i)=>n-i,prox:-1,
bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},Xr={show:!0,stroke:"rgba(0,0,0,0\
.07)",width:2},Pl=Ae({},Xr,{filter:Hr}),ea=Ae({},Pl,{size:10}),ta=Ae({},Xr,{show:!1}),Rl='12px system-ui, -apple-system, "Segoe UI", Roboto,\
 "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',na="bold "+
Rl,sa=1.5,vr={show:!0,scale:"x",stroke:_l,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:na,side:2,grid:Pl,ticks:ea,border:ta,
font:Rl,lineGap:sa,rotate:0},Zu="Value",Xu="Time",xr={show:!0,scale:"x",auto:!1,sorted:1,min:pe,max:-pe,idxs:[]};function ef(e,t,s,n,i){return t.
map(r=>r==null?"":Al(r))}function tf(e,t,s,n,i,r,a){let u=[],d=on.get(i)||0;s=a?s:he(di(s,i),d);for(let p=s;p<=n;p=he(p+i,d))u.push(Object.is(
p,-0)?0:p);return u}function yl(e,t,s,n,i,r,a){let u=[],d=e.scales[e.axes[t].scale].log,p=d==10?Qt:Cr,y=rt(p(s));i=ss(d,y),d==10&&(i=Tn[At(i,
Tn)]);let g=s,w=i*d;d==10&&(w=Tn[At(w,Tn)]);do u.push(g),g=g+i,d==10&&!on.has(g)&&(g=he(g,on.get(i))),g>=w&&(i=g,w=i*d,d==10&&(w=Tn[At(w,Tn)]));while(g<=
n);return u}function nf(e,t,s,n,i,r,a){let d=e.scales[e.axes[t].scale].asinh,p=n>d?yl(e,t,Ye(d,s),n,i):[d],y=n>=0&&s<=0?[0]:[];return(s<-d?yl(
e,t,Ye(d,-n),-s,i):[d]).reverse().map(w=>-w).concat(y,p)}var ia=/./,sf=/[12357]/,lf=/[125]/,kr=/1/,wl=(e,t,s,n)=>e.map((i,r)=>t==4&&i==0||r%
n==0&&s.test(i.toExponential()[i<0?1:0])?i:null);function of(e,t,s,n,i){let r=e.axes[s],a=r.scale,u=e.scales[a],d=e.valToPos,p=r._space,y=d(
10,a),g=d(9,a)-y>=p?ia:d(7,a)-y>=p?sf:d(5,a)-y>=p?lf:kr;if(g==kr){let w=Re(d(1,a)-y);if(w<p)return wl(t.slice().reverse(),u.distr,g,vt(p/w)).
reverse()}return wl(t,u.distr,g,1)}function rf(e,t,s,n,i){let r=e.axes[s],a=r.scale,u=r._space,d=e.valToPos,p=Re(d(1,a)-d(2,a));return p<u?wl(
t.slice().reverse(),3,ia,vt(u/p)).reverse():t}function af(e,t,s,n){return n==null?Sl:t==null?"":Al(t)}var _r={show:!0,scale:"y",stroke:_l,space:30,
gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:na,side:3,grid:Pl,ticks:ea,border:ta,font:Rl,lineGap:sa,rotate:0};function cf(e,t){
let s=3+(e||1)*2;return he(s*t,3)}function uf(e,t){let{scale:s,idxs:n}=e.series[0],i=e._data[0],r=e.valToPos(i[n[0]],s,!0),a=e.valToPos(i[n[1]],
s,!0),u=Re(a-r),d=e.series[t],p=u/(d.points.space*ae);return n[1]-n[0]<=p}var Sr={scale:null,auto:!0,sorted:0,min:pe,max:-pe},la=(e,t,s,n,i)=>i,
Tr={show:!0,auto:!0,sorted:0,gaps:la,alpha:1,facets:[Ae({},Sr,{scale:"x"}),Ae({},Sr,{scale:"y"})]},Er={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:la,alpha:1,points:{show:uf,filter:null},values:null,min:pe,max:-pe,idxs:[],path:null,clip:null};function ff(e,t,s,n,i){return s/10}var oa={
time:!0,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},df=Ae({},oa,{time:!1,ori:1}),Mr={};function ra(e,t){let s=Mr[e];return s||
(s={key:e,plots:[],sub(n){s.plots.push(n)},unsub(n){s.plots=s.plots.filter(i=>i!=n)},pub(n,i,r,a,u,d,p){for(let y=0;y<s.plots.length;y++)s.plots[y]!=
i&&s.plots[y].pub(n,i,r,a,u,d,p)}},e!=null&&(Mr[e]=s)),s}var os=1,vl=2;function Dn(e,t,s){let n=e.mode,i=e.series[t],r=n==2?e._data[t]:e._data,
a=e.scales,u=e.bbox,d=r[0],p=n==2?r[1]:r[t],y=n==2?a[i.facets[0].scale]:a[e.series[0].scale],g=n==2?a[i.facets[1].scale]:a[i.scale],w=u.left,
S=u.top,M=u.width,F=u.height,V=e.valToPosH,P=e.valToPosV;return y.ori==0?s(i,d,p,y,g,V,P,w,S,M,F,mi,as,bi,ca,fa):s(i,d,p,y,g,P,V,S,w,F,M,gi,
cs,Cl,ua,da)}function Fl(e,t){let s=0,n=0,i=oe(e.bands,Dl);for(let r=0;r<i.length;r++){let a=i[r];a.series[0]==t?s=a.dir:a.series[1]==t&&(a.
dir==1?n|=1:n|=2)}return[s,n==1?-1:n==2?1:n==3?2:0]}function pf(e,t,s,n,i){let r=e.mode,a=e.series[t],u=r==2?a.facets[1].scale:a.scale,d=e.scales[u];
return i==-1?d.min:i==1?d.max:d.distr==3?d.dir==1?d.min:d.max:0}function Jt(e,t,s,n,i,r){return Dn(e,t,(a,u,d,p,y,g,w,S,M,F,V)=>{let P=a.pxRound,
x=p.dir*(p.ori==0?1:-1),z=p.ori==0?as:cs,T,Q;x==1?(T=s,Q=n):(T=n,Q=s);let R=P(g(u[T],p,F,S)),J=P(w(d[T],y,V,M)),j=P(g(u[Q],p,F,S)),ee=P(w(r==
1?y.max:y.min,y,V,M)),K=new Path2D(i);return z(K,j,ee),z(K,R,ee),z(K,R,J),K})}function hi(e,t,s,n,i,r){let a=null;if(e.length>0){a=new Path2D;
let u=t==0?bi:Cl,d=s;for(let g=0;g<e.length;g++){let w=e[g];if(w[1]>w[0]){let S=w[0]-d;S>0&&u(a,d,n,S,n+r),d=w[1]}}let p=s+i-d,y=10;p>0&&u(a,
d,n-y/2,p,n+r+y)}return a}function hf(e,t,s){let n=e[e.length-1];n&&n[0]==t?n[1]=s:e.push([t,s])}function Nl(e,t,s,n,i,r,a){let u=[],d=e.length;
for(let p=i==1?s:n;p>=s&&p<=n;p+=i)if(t[p]===null){let g=p,w=p;if(i==1)for(;++p<=n&&t[p]===null;)w=p;else for(;--p>=s&&t[p]===null;)w=p;let S=r(
e[g]),M=w==g?S:r(e[w]),F=g-i;S=a<=0&&F>=0&&F<d?r(e[F]):S;let P=w+i;M=a>=0&&P>=0&&P<d?r(e[P]):M,M>=S&&u.push([S,M])}return u}function Ar(e){return e==
0?zr:e==1?Pe:t=>Sn(t,e)}function aa(e){let t=e==0?mi:gi,s=e==0?(i,r,a,u,d,p)=>{i.arcTo(r,a,u,d,p)}:(i,r,a,u,d,p)=>{i.arcTo(a,r,d,u,p)},n=e==
0?(i,r,a,u,d)=>{i.rect(r,a,u,d)}:(i,r,a,u,d)=>{i.rect(a,r,d,u)};return(i,r,a,u,d,p=0,y=0)=>{p==0&&y==0?n(i,r,a,u,d):(p=Dt(p,u/2,d/2),y=Dt(y,
u/2,d/2),t(i,r+p,a),s(i,r+u,a,r+u,a+d,p),s(i,r+u,a+d,r,a+d,y),s(i,r,a+d,r,a,y),s(i,r,a,r+u,a,p),i.closePath())}}var mi=(e,t,s)=>{e.moveTo(t,
s)},gi=(e,t,s)=>{e.moveTo(s,t)},as=(e,t,s)=>{e.lineTo(t,s)},cs=(e,t,s)=>{e.lineTo(s,t)},bi=aa(0),Cl=aa(1),ca=(e,t,s,n,i,r)=>{e.arc(t,s,n,i,r)},
ua=(e,t,s,n,i,r)=>{e.arc(s,t,n,i,r)},fa=(e,t,s,n,i,r,a)=>{e.bezierCurveTo(t,s,n,i,r,a)},da=(e,t,s,n,i,r,a)=>{e.bezierCurveTo(s,t,i,n,a,r)};function pa(e){
return(t,s,n,i,r)=>Dn(t,s,(a,u,d,p,y,g,w,S,M,F,V)=>{let{pxRound:P,points:x}=a,z,T;p.ori==0?(z=mi,T=ca):(z=gi,T=ua);let Q=he(x.width*ae,3),R=(x.
size-x.width)/2*ae,J=he(R*2,3),j=new Path2D,ee=new Path2D,{left:K,top:E,width:Y,height:N}=t.bbox;bi(ee,K-J,E-J,Y+J*2,N+J*2);let B=I=>{if(d[I]!=
null){let ne=P(g(u[I],p,F,S)),H=P(w(d[I],y,V,M));z(j,ne+R,H),T(j,ne,H,R,0,oi*2)}};if(r)r.forEach(B);else for(let I=n;I<=i;I++)B(I);return{stroke:Q>
0?j:null,fill:j,clip:ee,flags:os|vl}})}function ha(e){return(t,s,n,i,r,a)=>{n!=i&&(r!=n&&a!=n&&e(t,s,n),r!=i&&a!=i&&e(t,s,i),e(t,s,a))}}var mf=ha(
as),gf=ha(cs);function ma(e){let t=oe(e?.alignGaps,0);return(s,n,i,r)=>Dn(s,n,(a,u,d,p,y,g,w,S,M,F,V)=>{[i,r]=ui(d,i,r);let P=a.pxRound,x=N=>P(
g(N,p,F,S)),z=N=>P(w(N,y,V,M)),T,Q;p.ori==0?(T=as,Q=mf):(T=cs,Q=gf);let R=p.dir*(p.ori==0?1:-1),J={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:os},j=J.stroke,ee=!1;if(r-i>=F*4){let N=C=>s.posToVal(C,p.key,!0),B=null,I=null,ne,H,Qe,ve=x(u[R==1?i:r]),ie=x(u[i]),fe=x(u[r]),
Z=N(R==1?ie+1:fe-1);for(let C=R==1?i:r;C>=i&&C<=r;C+=R){let Le=u[C],xe=(R==1?Le<Z:Le>Z)?ve:x(Le),ce=d[C];xe==ve?ce!=null?(H=ce,B==null?(T(j,
xe,z(H)),ne=B=I=H):H<B?B=H:H>I&&(I=H)):ce===null&&(ee=!0):(B!=null&&Q(j,ve,z(B),z(I),z(ne),z(H)),ce!=null?(H=ce,T(j,xe,z(H)),B=I=ne=H):(B=I=
null,ce===null&&(ee=!0)),ve=xe,Z=N(ve+R))}B!=null&&B!=I&&Qe!=ve&&Q(j,ve,z(B),z(I),z(ne),z(H))}else for(let N=R==1?i:r;N>=i&&N<=r;N+=R){let B=d[N];
B===null?ee=!0:B!=null&&T(j,x(u[N]),z(B))}let[E,Y]=Fl(s,n);if(a.fill!=null||E!=0){let N=J.fill=new Path2D(j),B=a.fillTo(s,n,a.min,a.max,E),I=z(
B),ne=x(u[i]),H=x(u[r]);R==-1&&([H,ne]=[ne,H]),T(N,H,I),T(N,ne,I)}if(!a.spanGaps){let N=[];ee&&N.push(...Nl(u,d,i,r,R,x,t)),J.gaps=N=a.gaps(
s,n,i,r,N),J.clip=hi(N,p.ori,S,M,F,V)}return Y!=0&&(J.band=Y==2?[Jt(s,n,i,r,j,-1),Jt(s,n,i,r,j,1)]:Jt(s,n,i,r,j,Y)),J})}function bf(e){let t=oe(
e.align,1),s=oe(e.ascDesc,!1),n=oe(e.alignGaps,0),i=oe(e.extend,!1);return(r,a,u,d)=>Dn(r,a,(p,y,g,w,S,M,F,V,P,x,z)=>{[u,d]=ui(g,u,d);let T=p.
pxRound,{left:Q,width:R}=r.bbox,J=ie=>T(M(ie,w,x,V)),j=ie=>T(F(ie,S,z,P)),ee=w.ori==0?as:cs,K={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:os},E=K.stroke,Y=w.dir*(w.ori==0?1:-1),N=j(g[Y==1?u:d]),B=J(y[Y==1?u:d]),I=B,ne=B;i&&t==-1&&(ne=Q,ee(E,ne,N)),ee(E,B,N);for(let ie=Y==
1?u:d;ie>=u&&ie<=d;ie+=Y){let fe=g[ie];if(fe==null)continue;let Z=J(y[ie]),C=j(fe);t==1?ee(E,Z,N):ee(E,I,C),ee(E,Z,C),N=C,I=Z}let H=I;i&&t==
1&&(H=Q+R,ee(E,H,N));let[Qe,ve]=Fl(r,a);if(p.fill!=null||Qe!=0){let ie=K.fill=new Path2D(E),fe=p.fillTo(r,a,p.min,p.max,Qe),Z=j(fe);ee(ie,H,
Z),ee(ie,ne,Z)}if(!p.spanGaps){let ie=[];ie.push(...Nl(y,g,u,d,Y,J,n));let fe=p.width*ae/2,Z=s||t==1?fe:-fe,C=s||t==-1?-fe:fe;ie.forEach(Le=>{
Le[0]+=Z,Le[1]+=C}),K.gaps=ie=p.gaps(r,a,u,d,ie),K.clip=hi(ie,w.ori,V,P,x,z)}return ve!=0&&(K.band=ve==2?[Jt(r,a,u,d,E,-1),Jt(r,a,u,d,E,1)]:
Jt(r,a,u,d,E,ve)),K})}function Dr(e,t,s,n,i,r,a=pe){if(e.length>1){let u=null;for(let d=0,p=1/0;d<e.length;d++)if(t[d]!==void 0){if(u!=null){
let y=Re(e[d]-e[u]);y<p&&(p=y,a=Re(s(e[d],n,i,r)-s(e[u],n,i,r)))}u=d}}return a}function yf(e){e=e||Ls;let t=oe(e.size,[.6,pe,1]),s=e.align||
0,n=e.gap||0,i=e.radius;i=i==null?[0,0]:typeof i=="number"?[i,0]:i;let r=te(i),a=1-t[0],u=oe(t[1],pe),d=oe(t[2],1),p=oe(e.disp,Ls),y=oe(e.each,
S=>{}),{fill:g,stroke:w}=p;return(S,M,F,V)=>Dn(S,M,(P,x,z,T,Q,R,J,j,ee,K,E)=>{let Y=P.pxRound,N=s,B=n*ae,I=u*ae,ne=d*ae,H,Qe;T.ori==0?[H,Qe]=
r(S,M):[Qe,H]=r(S,M);let ve=T.dir*(T.ori==0?1:-1),ie=T.ori==0?bi:Cl,fe=T.ori==0?y:(L,me,$e,Nn,dn,$t,pn)=>{y(L,me,$e,dn,Nn,pn,$t)},Z=oe(S.bands,
Dl).find(L=>L.series[0]==M),C=Z!=null?Z.dir:0,Le=P.fillTo(S,M,P.min,P.max,C),Ge=Y(J(Le,Q,E,ee)),xe,ce,xt,et=K,_e=Y(P.width*ae),Lt=!1,Vt=null,
ut=null,Zt=null,Pn=null;g!=null&&(_e==0||w!=null)&&(Lt=!0,Vt=g.values(S,M,F,V),ut=new Map,new Set(Vt).forEach(L=>{L!=null&&ut.set(L,new Path2D)}),
_e>0&&(Zt=w.values(S,M,F,V),Pn=new Map,new Set(Zt).forEach(L=>{L!=null&&Pn.set(L,new Path2D)})));let{x0:Rn,size:ds}=p;if(Rn!=null&&ds!=null){
N=1,x=Rn.values(S,M,F,V),Rn.unit==2&&(x=x.map($e=>S.posToVal(j+$e*K,T.key,!0)));let L=ds.values(S,M,F,V);ds.unit==2?ce=L[0]*K:ce=R(L[0],T,K,
j)-R(0,T,K,j),et=Dr(x,z,R,T,K,j,et),xt=et-ce+B}else et=Dr(x,z,R,T,K,j,et),xt=et*a+B,ce=et-xt;xt<1&&(xt=0),_e>=ce/2&&(_e=0),xt<5&&(Y=zr);let Ns=xt>
0,un=et-xt-(Ns?_e:0);ce=Y(bl(un,ne,I)),xe=(N==0?ce/2:N==ve?0:ce)-N*ve*((N==0?B/2:0)+(Ns?_e/2:0));let qe={stroke:null,fill:null,clip:null,band:null,
gaps:null,flags:0},Fn=Lt?null:new Path2D,Wt=null;if(Z!=null)Wt=S.data[Z.series[1]];else{let{y0:L,y1:me}=p;L!=null&&me!=null&&(z=me.values(S,
M,F,V),Wt=L.values(S,M,F,V))}let fn=H*ce,U=Qe*ce;for(let L=ve==1?F:V;L>=F&&L<=V;L+=ve){let me=z[L];if(me==null)continue;if(Wt!=null){let Je=Wt[L]??
0;if(me-Je==0)continue;Ge=J(Je,Q,E,ee)}let $e=T.distr!=2||p!=null?x[L]:L,Nn=R($e,T,K,j),dn=J(oe(me,Le),Q,E,ee),$t=Y(Nn-xe),pn=Y(Ye(dn,Ge)),tt=Y(
Dt(dn,Ge)),ft=pn-tt;if(me!=null){let Je=me<0?U:fn,kt=me<0?fn:U;Lt?(_e>0&&Zt[L]!=null&&ie(Pn.get(Zt[L]),$t,tt+rt(_e/2),ce,Ye(0,ft-_e),Je,kt),
Vt[L]!=null&&ie(ut.get(Vt[L]),$t,tt+rt(_e/2),ce,Ye(0,ft-_e),Je,kt)):ie(Fn,$t,tt+rt(_e/2),ce,Ye(0,ft-_e),Je,kt),fe(S,M,L,$t-_e/2,tt,ce+_e,ft)}}
return _e>0?qe.stroke=Lt?Pn:Fn:Lt||(qe._fill=P.width==0?P._fill:P._stroke??P._fill,qe.width=0),qe.fill=Lt?ut:Fn,qe})}function wf(e,t){let s=oe(
t?.alignGaps,0);return(n,i,r,a)=>Dn(n,i,(u,d,p,y,g,w,S,M,F,V,P)=>{[r,a]=ui(p,r,a);let x=u.pxRound,z=H=>x(w(H,y,V,M)),T=H=>x(S(H,g,P,F)),Q,R,
J;y.ori==0?(Q=mi,J=as,R=fa):(Q=gi,J=cs,R=da);let j=y.dir*(y.ori==0?1:-1),ee=z(d[j==1?r:a]),K=ee,E=[],Y=[];for(let H=j==1?r:a;H>=r&&H<=a;H+=j)
if(p[H]!=null){let ve=d[H],ie=z(ve);E.push(K=ie),Y.push(T(p[H]))}let N={stroke:e(E,Y,Q,J,R,x),fill:null,clip:null,band:null,gaps:null,flags:os},
B=N.stroke,[I,ne]=Fl(n,i);if(u.fill!=null||I!=0){let H=N.fill=new Path2D(B),Qe=u.fillTo(n,i,u.min,u.max,I),ve=T(Qe);J(H,K,ve),J(H,ee,ve)}if(!u.
spanGaps){let H=[];H.push(...Nl(d,p,r,a,j,z,s)),N.gaps=H=u.gaps(n,i,r,a,H),N.clip=hi(H,y.ori,M,F,V,P)}return ne!=0&&(N.band=ne==2?[Jt(n,i,r,
a,B,-1),Jt(n,i,r,a,B,1)]:Jt(n,i,r,a,B,ne)),N})}function vf(e){return wf(xf,e)}function xf(e,t,s,n,i,r){let a=e.length;if(a<2)return null;let u=new Path2D;
if(s(u,e[0],t[0]),a==2)n(u,e[1],t[1]);else{let d=Array(a),p=Array(a-1),y=Array(a-1),g=Array(a-1);for(let w=0;w<a-1;w++)y[w]=t[w+1]-t[w],g[w]=
e[w+1]-e[w],p[w]=y[w]/g[w];d[0]=p[0];for(let w=1;w<a-1;w++)p[w]===0||p[w-1]===0||p[w-1]>0!=p[w]>0?d[w]=0:(d[w]=3*(g[w-1]+g[w])/((2*g[w]+g[w-
1])/p[w-1]+(g[w]+2*g[w-1])/p[w]),isFinite(d[w])||(d[w]=0));d[a-1]=p[a-2];for(let w=0;w<a-1;w++)i(u,e[w]+g[w]/3,t[w]+d[w]*g[w]/3,e[w+1]-g[w]/
3,t[w+1]-d[w+1]*g[w]/3,e[w+1],t[w+1])}return u}var xl=new Set;function Lr(){for(let e of xl)e.syncRect(!0)}rs&&(Mn(eu,ns,Lr),Mn(tu,ns,Lr,!0),
Mn(ri,ns,()=>{We.pxRatio=ae}));var kf=ma(),_f=pa();function $r(e,t,s,n){return(n?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map(
(r,a)=>kl(r,a,t,s))}function Sf(e,t){return e.map((s,n)=>n==0?{}:Ae({},t,s))}function kl(e,t,s,n){return Ae({},t==0?s:n,e)}function ga(e,t,s){
return t==null?is:[t,s]}var Tf=ga;function Ef(e,t,s){return t==null?is:ai(t,s,Ml,!0)}function ba(e,t,s,n){return t==null?is:fi(t,s,e.scales[n].
log,!1)}var Mf=ba;function ya(e,t,s,n){return t==null?is:El(t,s,e.scales[n].log,!1)}var Af=ya;function Df(e,t,s,n,i){let r=Ye(cr(e),cr(t)),a=t-
e,u=At(i/n*a,s);do{let d=s[u],p=n*d/a;if(p>=i&&r+(d<5?on.get(d):0)<=17)return[d,p]}while(++u<s.length);return[0,0]}function Pr(e){let t,s;return e=
e.replace(/(\d+)px/,(n,i)=>(t=Pe((s=+i)*ae))+"px"),[e,t,s]}function Lf(e){e.show&&[e.font,e.labelFont].forEach(t=>{let s=he(t[2]*ae,1);t[0]=
t[0].replace(/[0-9.]+px/,s+"px"),t[1]=s})}function We(e,t,s){let n={mode:oe(e.mode,1)},i=n.mode;function r(l,o,c,f){let m=o.valToPct(l);return f+
c*(o.dir==-1?1-m:m)}function a(l,o,c,f){let m=o.valToPct(l);return f+c*(o.dir==-1?m:1-m)}function u(l,o,c,f){return o.ori==0?r(l,o,c,f):a(l,
o,c,f)}n.valToPosH=r,n.valToPosV=a;let d=!1;n.status=0;let p=n.root=wt(Cc);if(e.id!=null&&(p.id=e.id),ot(p,e.class),e.title){let l=wt(Hc,p);
l.textContent=e.title}let y=Mt("canvas"),g=n.ctx=y.getContext("2d"),w=wt(Ic,p);Mn("click",w,l=>{l.target===M&&(ge!=Kn||ke!=jn)&&Ve.click(n,l)},
!0);let S=n.under=wt(Vc,w);w.appendChild(y);let M=n.over=wt(Wc,w);e=ls(e);let F=+oe(e.pxAlign,1),V=Ar(F);(e.plugins||[]).forEach(l=>{l.opts&&
(e=l.opts(n,e)||e)});let P=e.ms||.001,x=n.series=i==1?$r(e.series||[],xr,Er,!1):Sf(e.series||[null],Tr),z=n.axes=$r(e.axes||[],vr,_r,!0),T=n.
scales={},Q=n.bands=e.bands||[];Q.forEach(l=>{l.fill=te(l.fill||null),l.dir=oe(l.dir,-1)});let R=i==2?x[1].facets[0].scale:x[0].scale,J={axes:Qa,
series:qa},j=(e.drawOrder||["axes","series"]).map(l=>J[l]);function ee(l){let o=l.distr==3?c=>Qt(c>0?c:l.clamp(n,c,l.min,l.max,l.key)):l.distr==
4?c=>cl(c,l.asinh):l.distr==100?c=>l.fwd(c):c=>c;return c=>{let f=o(c),{_min:m,_max:b}=l,v=b-m;return(f-m)/v}}function K(l){let o=T[l];if(o==
null){let c=(e.scales||Ls)[l]||Ls;if(c.from!=null){K(c.from);let f=Ae({},T[c.from],c,{key:l});f.valToPct=ee(f),T[l]=f}else{o=T[l]=Ae({},l==R?
oa:df,c),o.key=l;let f=o.time,m=o.range,b=ln(m);if((l!=R||i==2&&!f)&&(b&&(m[0]==null||m[1]==null)&&(m={min:m[0]==null?or:{mode:1,hard:m[0],soft:m[0]},
max:m[1]==null?or:{mode:1,hard:m[1],soft:m[1]}},b=!1),!b&&pi(m))){let v=m;m=(k,_,A)=>_==null?is:ai(_,A,v)}o.range=te(m||(f?Tf:l==R?o.distr==
3?Mf:o.distr==4?Af:ga:o.distr==3?ba:o.distr==4?ya:Ef)),o.auto=te(b?!1:o.auto),o.clamp=te(o.clamp||ff),o._min=o._max=null,o.valToPct=ee(o)}}}
K("x"),K("y"),i==1&&x.forEach(l=>{K(l.scale)}),z.forEach(l=>{K(l.scale)});for(let l in e.scales)K(l);let E=T[R],Y=E.distr,N,B;E.ori==0?(ot(p,
Oc),N=r,B=a):(ot(p,zc),N=a,B=r);let I={};for(let l in T){let o=T[l];(o.min!=null||o.max!=null)&&(I[l]={min:o.min,max:o.max},o.min=o.max=null)}
let ne=e.tzDate||(l=>new Date(Pe(l/P))),H=e.fmtDate||Ll,Qe=P==1?Ou(ne):Iu(ne),ve=br(ne,gr(P==1?Cu:Hu,H)),ie=wr(ne,yr(Wu,H)),fe=[],Z=n.legend=
Ae({},qu,e.legend),C=n.cursor=Ae({},Ju,{drag:{y:i==2}},e.cursor),Le=Z.show,Ge=C.show,xe=Z.markers;Z.idxs=fe,xe.width=te(xe.width),xe.dash=te(
xe.dash),xe.stroke=te(xe.stroke),xe.fill=te(xe.fill);let ce,xt,et,_e=[],Lt=[],Vt,ut=!1,Zt={};if(Z.live){let l=x[1]?x[1].values:null;ut=l!=null,
Vt=ut?l(n,1,0):{_:0};for(let o in Vt)Zt[o]=Sl}if(Le)if(ce=Mt("table",Uc,p),et=Mt("tbody",null,ce),Z.mount(n,ce),ut){xt=Mt("thead",null,ce,et);
let l=Mt("tr",null,xt);Mt("th",null,l);for(var Pn in Vt)Mt("th",jo,l).textContent=Pn}else ot(ce,Qc),Z.live&&ot(ce,Yc);let Rn={show:!0},ds={show:!1};
function Ns(l,o){if(o==0&&(ut||!Z.live||i==2))return is;let c=[],f=Mt("tr",Jc,et,et.childNodes[o]);ot(f,l.class),l.show||ot(f,En);let m=Mt("\
th",null,f);if(xe.show){let k=wt(Zc,m);if(o>0){let _=xe.width(n,o);_&&(k.style.border=_+"px "+xe.dash(n,o)+" "+xe.stroke(n,o)),k.style.background=
xe.fill(n,o)}}let b=wt(jo,m);l.label instanceof HTMLElement?b.appendChild(l.label):b.textContent=l.label,o>0&&(xe.show||(b.style.color=l.width>
0?xe.stroke(n,o):xe.fill(n,o)),qe("click",m,k=>{if(C._lock)return;mn(k);let _=x.indexOf(l);if((k.ctrlKey||k.metaKey)!=Z.isolate){let A=x.some(
(D,$)=>$>0&&$!=_&&D.show);x.forEach((D,$)=>{$>0&&Rt($,A?$==_?Rn:ds:Rn,!0,Me.setSeries)})}else Rt(_,{show:!l.show},!0,Me.setSeries)},!1),On&&
qe(Jo,m,k=>{C._lock||(mn(k),Rt(x.indexOf(l),Yn,!0,Me.setSeries))},!1));for(var v in Vt){let k=Mt("td",Xc,f);k.textContent="--",c.push(k)}return[
f,c]}let un=new Map;function qe(l,o,c,f=!0){let m=un.get(o)||{},b=C.bind[l](n,o,c,f);b&&(Mn(l,o,m[l]=b),un.set(o,m))}function Fn(l,o,c){let f=un.
get(o)||{};for(let m in f)(l==null||m==l)&&(gl(m,o,f[m]),delete f[m]);l==null&&un.delete(o)}let Wt=0,fn=0,U=0,L=0,me=0,$e=0,Nn=me,dn=$e,$t=U,
pn=L,tt=0,ft=0,Je=0,kt=0;n.bbox={};let ki=!1,Cs=!1,Cn=!1,hn=!1,Os=!1,dt=!1;function _i(l,o,c){(c||l!=n.width||o!=n.height)&&Vl(l,o),Wn(!1),Cn=
!0,Cs=!0,Bn()}function Vl(l,o){n.width=Wt=U=l,n.height=fn=L=o,me=$e=0,za(),Ha();let c=n.bbox;tt=c.left=Sn(me*ae,.5),ft=c.top=Sn($e*ae,.5),Je=
c.width=Sn(U*ae,.5),kt=c.height=Sn(L*ae,.5)}let Na=3;function Ca(){let l=!1,o=0;for(;!l;){o++;let c=Ua(o),f=Ya(o);l=o==Na||c&&f,l||(Vl(n.width,
n.height),Cs=!0)}}function Oa({width:l,height:o}){_i(l,o)}n.setSize=Oa;function za(){let l=!1,o=!1,c=!1,f=!1;z.forEach((m,b)=>{if(m.show&&m.
_show){let{side:v,_size:k}=m,_=v%2,A=m.label!=null?m.labelSize:0,D=k+A;D>0&&(_?(U-=D,v==3?(me+=D,f=!0):c=!0):(L-=D,v==0?($e+=D,l=!0):o=!0))}}),
gn[0]=l,gn[1]=c,gn[2]=o,gn[3]=f,U-=Xt[1]+Xt[3],me+=Xt[3],L-=Xt[2]+Xt[0],$e+=Xt[0]}function Ha(){let l=me+U,o=$e+L,c=me,f=$e;function m(b,v){
switch(b){case 1:return l+=v,l-v;case 2:return o+=v,o-v;case 3:return c-=v,c+v;case 0:return f-=v,f+v}}z.forEach((b,v)=>{if(b.show&&b._show){
let k=b.side;b._pos=m(k,b._size),b.label!=null&&(b._lpos=m(k,b.labelSize))}})}if(C.dataIdx==null){let l=C.hover,o=l.skip=new Set(l.skip??[]);
o.add(void 0);let c=l.prox=te(l.prox),f=l.bias??=0;C.dataIdx=(m,b,v,k)=>{if(b==0)return v;let _=v,A=c(m,b,v,k)??pe,D=A>=0&&A<pe,$=E.ori==0?U:
L,G=C.left,re=t[0],le=t[b];if(o.has(le[v])){_=null;let X=null,W=null,O;if(f==0||f==-1)for(O=v;X==null&&O-- >0;)o.has(le[O])||(X=O);if(f==0||
f==1)for(O=v;W==null&&O++<le.length;)o.has(le[O])||(W=O);if(X!=null||W!=null)if(D){let ye=X==null?-1/0:N(re[X],E,$,0),Te=W==null?1/0:N(re[W],
E,$,0),He=G-ye,de=Te-G;He<=de?He<=A&&(_=X):de<=A&&(_=W)}else _=W==null?X:X==null?W:v-X<=W-v?X:W}else D&&Re(G-N(re[v],E,$,0))>A&&(_=null);return _}}
let mn=l=>{C.event=l};C.idxs=fe,C._lock=!1;let Be=C.points;Be.show=te(Be.show),Be.size=te(Be.size),Be.stroke=te(Be.stroke),Be.width=te(Be.width),
Be.fill=te(Be.fill);let Pt=n.focus=Ae({},e.focus||{alpha:.3},C.focus),On=Pt.prox>=0,zn=On&&Be.one,pt=[],Hn=[],In=[];function Wl(l,o){let c=Be.
show(n,o);if(c instanceof HTMLElement)return ot(c,jc),ot(c,l.class),Ht(c,-10,-10,U,L),M.insertBefore(c,pt[o]),c}function Bl(l,o){if(i==1||o>
0){let c=i==1&&T[l.scale].time,f=l.value;l.value=c?dr(f)?wr(ne,yr(f,H)):f||ie:f||af,l.label=l.label||(c?Xu:Zu)}if(zn||o>0){l.width=l.width==
null?1:l.width,l.paths=l.paths||kf||fu,l.fillTo=te(l.fillTo||pf),l.pxAlign=+oe(l.pxAlign,F),l.pxRound=Ar(l.pxAlign),l.stroke=te(l.stroke||null),
l.fill=te(l.fill||null),l._stroke=l._fill=l._paths=l._focus=null;let c=cf(Ye(1,l.width),1),f=l.points=Ae({},{size:c,width:Ye(1,c*.2),stroke:l.
stroke,space:c*2,paths:_f,_stroke:null,_fill:null},l.points);f.show=te(f.show),f.filter=te(f.filter),f.fill=te(f.fill),f.stroke=te(f.stroke),
f.paths=te(f.paths),f.pxAlign=l.pxAlign}if(Le){let c=Ns(l,o);_e.splice(o,0,c[0]),Lt.splice(o,0,c[1]),Z.values.push(null)}if(Ge){fe.splice(o,
0,null);let c=null;zn?o==0&&(c=Wl(l,o)):o>0&&(c=Wl(l,o)),pt.splice(o,0,c),Hn.splice(o,0,0),In.splice(o,0,0)}ze("addSeries",o)}function Ia(l,o){
o=o??x.length,l=i==1?kl(l,o,xr,Er):kl(l,o,{},Tr),x.splice(o,0,l),Bl(x[o],o)}n.addSeries=Ia;function Va(l){if(x.splice(l,1),Le){Z.values.splice(
l,1),Lt.splice(l,1);let o=_e.splice(l,1)[0];Fn(null,o.firstChild),o.remove()}Ge&&(fe.splice(l,1),pt.splice(l,1)[0].remove(),Hn.splice(l,1),In.
splice(l,1)),ze("delSeries",l)}n.delSeries=Va;let gn=[!1,!1,!1,!1];function Wa(l,o){if(l._show=l.show,l.show){let c=l.side%2,f=T[l.scale];f==
null&&(l.scale=c?x[1].scale:R,f=T[l.scale]);let m=f.time;l.size=te(l.size),l.space=te(l.space),l.rotate=te(l.rotate),ln(l.incrs)&&l.incrs.forEach(
v=>{!on.has(v)&&on.set(v,Vr(v))}),l.incrs=te(l.incrs||(f.distr==2?Ru:m?P==1?Nu:zu:Tn)),l.splits=te(l.splits||(m&&f.distr==1?Qe:f.distr==3?yl:
f.distr==4?nf:tf)),l.stroke=te(l.stroke),l.grid.stroke=te(l.grid.stroke),l.ticks.stroke=te(l.ticks.stroke),l.border.stroke=te(l.border.stroke);
let b=l.values;l.values=ln(b)&&!ln(b[0])?te(b):m?ln(b)?br(ne,gr(b,H)):dr(b)?Vu(ne,b):b||ve:b||ef,l.filter=te(l.filter||(f.distr>=3&&f.log==10?
of:f.distr==3&&f.log==2?rf:Hr)),l.font=Pr(l.font),l.labelFont=Pr(l.labelFont),l._size=l.size(n,null,o,0),l._space=l._rotate=l._incrs=l._found=
l._splits=l._values=null,l._size>0&&(gn[o]=!0,l._el=wt(Bc,w))}}function ps(l,o,c,f){let[m,b,v,k]=c,_=o%2,A=0;return _==0&&(k||b)&&(A=o==0&&!m||
o==2&&!v?Pe(vr.size/3):0),_==1&&(m||v)&&(A=o==1&&!b||o==3&&!k?Pe(_r.size/2):0),A}let Gl=n.padding=(e.padding||[ps,ps,ps,ps]).map(l=>te(oe(l,
ps))),Xt=n._padding=Gl.map((l,o)=>l(n,o,gn,0)),Ie,Fe=null,Ne=null,zs=i==1?x[0].idxs:null,_t=null,hs=!1;function ql(l,o){if(t=l??[],n.data=n.
_data=t,i==2){Ie=0;for(let c=1;c<x.length;c++)Ie+=t[c][0].length}else{t.length==0&&(n.data=n._data=t=[[]]),_t=t[0],Ie=_t.length;let c=t;if(Y==
2){c=t.slice();let f=c[0]=Array(Ie);for(let m=0;m<Ie;m++)f[m]=m}n._data=t=c}if(Wn(!0),ze("setData"),Y==2&&(Cn=!0),o!==!1){let c=E;c.auto(n,hs)?
Si():tn(R,c.min,c.max),hn=hn||C.left>=0,dt=!0,Bn()}}n.setData=ql;function Si(){hs=!0;let l,o;i==1&&(Ie>0?(Fe=zs[0]=0,Ne=zs[1]=Ie-1,l=t[0][Fe],
o=t[0][Ne],Y==2?(l=Fe,o=Ne):l==o&&(Y==3?[l,o]=fi(l,l,E.log,!1):Y==4?[l,o]=El(l,l,E.log,!1):E.time?o=l+Pe(86400/P):[l,o]=ai(l,o,Ml,!0))):(Fe=
zs[0]=l=null,Ne=zs[1]=o=null)),tn(R,l,o)}let Hs,Vn,Ti,Ei,Mi,Ai,Di,Li,$i,Ze;function Kl(l,o,c,f,m,b){l??=Yo,c??=Dl,f??="butt",m??=Yo,b??="rou\
nd",l!=Hs&&(g.strokeStyle=Hs=l),m!=Vn&&(g.fillStyle=Vn=m),o!=Ti&&(g.lineWidth=Ti=o),b!=Mi&&(g.lineJoin=Mi=b),f!=Ai&&(g.lineCap=Ai=f),c!=Ei&&
g.setLineDash(Ei=c)}function jl(l,o,c,f){o!=Vn&&(g.fillStyle=Vn=o),l!=Di&&(g.font=Di=l),c!=Li&&(g.textAlign=Li=c),f!=$i&&(g.textBaseline=$i=
f)}function Pi(l,o,c,f,m=0){if(f.length>0&&l.auto(n,hs)&&(o==null||o.min==null)){let b=oe(Fe,0),v=oe(Ne,f.length-1),k=c.min==null?lu(f,b,v,m,
l.distr==3):[c.min,c.max];l.min=Dt(l.min,c.min=k[0]),l.max=Ye(l.max,c.max=k[1])}}let Ul={min:null,max:null};function Ba(){for(let f in T){let m=T[f];
I[f]==null&&(m.min==null||I[R]!=null&&m.auto(n,hs))&&(I[f]=Ul)}for(let f in T){let m=T[f];I[f]==null&&m.from!=null&&I[m.from]!=null&&(I[f]=Ul)}
I[R]!=null&&Wn(!0);let l={};for(let f in I){let m=I[f];if(m!=null){let b=l[f]=ls(T[f],hu);if(m.min!=null)Ae(b,m);else if(f!=R||i==2)if(Ie==0&&
b.from==null){let v=b.range(n,null,null,f);b.min=v[0],b.max=v[1]}else b.min=pe,b.max=-pe}}if(Ie>0){x.forEach((f,m)=>{if(i==1){let b=f.scale,
v=I[b];if(v==null)return;let k=l[b];if(m==0){let _=k.range(n,k.min,k.max,b);k.min=_[0],k.max=_[1],Fe=At(k.min,t[0]),Ne=At(k.max,t[0]),Ne-Fe>
1&&(t[0][Fe]<k.min&&Fe++,t[0][Ne]>k.max&&Ne--),f.min=_t[Fe],f.max=_t[Ne]}else f.show&&f.auto&&Pi(k,v,f,t[m],f.sorted);f.idxs[0]=Fe,f.idxs[1]=
Ne}else if(m>0&&f.show&&f.auto){let[b,v]=f.facets,k=b.scale,_=v.scale,[A,D]=t[m],$=l[k],G=l[_];$!=null&&Pi($,I[k],b,A,b.sorted),G!=null&&Pi(
G,I[_],v,D,v.sorted),f.min=v.min,f.max=v.max}});for(let f in l){let m=l[f],b=I[f];if(m.from==null&&(b==null||b.min==null)){let v=m.range(n,m.
min==pe?null:m.min,m.max==-pe?null:m.max,f);m.min=v[0],m.max=v[1]}}}for(let f in l){let m=l[f];if(m.from!=null){let b=l[m.from];if(b.min==null)
m.min=m.max=null;else{let v=m.range(n,b.min,b.max,f);m.min=v[0],m.max=v[1]}}}let o={},c=!1;for(let f in l){let m=l[f],b=T[f];if(b.min!=m.min||
b.max!=m.max){b.min=m.min,b.max=m.max;let v=b.distr;b._min=v==3?Qt(b.min):v==4?cl(b.min,b.asinh):v==100?b.fwd(b.min):b.min,b._max=v==3?Qt(b.
max):v==4?cl(b.max,b.asinh):v==100?b.fwd(b.max):b.max,o[f]=c=!0}}if(c){x.forEach((f,m)=>{i==2?m>0&&o.y&&(f._paths=null):o[f.scale]&&(f._paths=
null)});for(let f in o)Cn=!0,ze("setScale",f);Ge&&C.left>=0&&(hn=dt=!0)}for(let f in I)I[f]=null}function Ga(l){let o=bl(Fe-1,0,Ie-1),c=bl(Ne+
1,0,Ie-1);for(;l[o]==null&&o>0;)o--;for(;l[c]==null&&c<Ie-1;)c++;return[o,c]}function qa(){if(Ie>0){let l=x.some(o=>o._focus)&&Ze!=Pt.alpha;
l&&(g.globalAlpha=Ze=Pt.alpha),x.forEach((o,c)=>{if(c>0&&o.show&&(Yl(c,!1),Yl(c,!0),o._paths==null)){let f=Ze;Ze!=o.alpha&&(g.globalAlpha=Ze=
o.alpha);let m=i==2?[0,t[c][0].length-1]:Ga(t[c]);o._paths=o.paths(n,c,m[0],m[1]),Ze!=f&&(g.globalAlpha=Ze=f)}}),x.forEach((o,c)=>{if(c>0&&o.
show){let f=Ze;Ze!=o.alpha&&(g.globalAlpha=Ze=o.alpha),o._paths!=null&&Ql(c,!1);{let m=o._paths!=null?o._paths.gaps:null,b=o.points.show(n,c,
Fe,Ne,m),v=o.points.filter(n,c,b,m);(b||v)&&(o.points._paths=o.points.paths(n,c,Fe,Ne,v),Ql(c,!0))}Ze!=f&&(g.globalAlpha=Ze=f),ze("drawSerie\
s",c)}}),l&&(g.globalAlpha=Ze=1)}}function Yl(l,o){let c=o?x[l].points:x[l];c._stroke=c.stroke(n,l),c._fill=c.fill(n,l)}function Ql(l,o){let c=o?
x[l].points:x[l],{stroke:f,fill:m,clip:b,flags:v,_stroke:k=c._stroke,_fill:_=c._fill,_width:A=c.width}=c._paths;A=he(A*ae,3);let D=null,$=A%
2/2;o&&_==null&&(_=A>0?"#fff":k);let G=c.pxAlign==1&&$>0;if(G&&g.translate($,$),!o){let re=tt-A/2,le=ft-A/2,X=Je+A,W=kt+A;D=new Path2D,D.rect(
re,le,X,W)}o?Ri(k,A,c.dash,c.cap,_,f,m,v,b):Ka(l,k,A,c.dash,c.cap,_,f,m,v,D,b),G&&g.translate(-$,-$)}function Ka(l,o,c,f,m,b,v,k,_,A,D){let $=!1;
_!=0&&Q.forEach((G,re)=>{if(G.series[0]==l){let le=x[G.series[1]],X=t[G.series[1]],W=(le._paths||Ls).band;ln(W)&&(W=G.dir==1?W[0]:W[1]);let O,
ye=null;le.show&&W&&ru(X,Fe,Ne)?(ye=G.fill(n,re)||b,O=le._paths.clip):W=null,Ri(o,c,f,m,ye,v,k,_,A,D,O,W),$=!0}}),$||Ri(o,c,f,m,b,v,k,_,A,D)}
let Jl=os|vl;function Ri(l,o,c,f,m,b,v,k,_,A,D,$){Kl(l,o,c,f,m),(_||A||$)&&(g.save(),_&&g.clip(_),A&&g.clip(A)),$?(k&Jl)==Jl?(g.clip($),D&&g.
clip(D),Vs(m,v),Is(l,b,o)):k&vl?(Vs(m,v),g.clip($),Is(l,b,o)):k&os&&(g.save(),g.clip($),D&&g.clip(D),Vs(m,v),g.restore(),Is(l,b,o)):(Vs(m,v),
Is(l,b,o)),(_||A||$)&&g.restore()}function Is(l,o,c){c>0&&(o instanceof Map?o.forEach((f,m)=>{g.strokeStyle=Hs=m,g.stroke(f)}):o!=null&&l&&g.
stroke(o))}function Vs(l,o){o instanceof Map?o.forEach((c,f)=>{g.fillStyle=Vn=f,g.fill(c)}):o!=null&&l&&g.fill(o)}function ja(l,o,c,f){let m=z[l],
b;if(f<=0)b=[0,0];else{let v=m._space=m.space(n,l,o,c,f),k=m._incrs=m.incrs(n,l,o,c,f,v);b=Df(o,c,k,f,v)}return m._found=b}function Fi(l,o,c,f,m,b,v,k,_,A){
let D=v%2/2;F==1&&g.translate(D,D),Kl(k,v,_,A,k),g.beginPath();let $,G,re,le,X=m+(f==0||f==3?-b:b);c==0?(G=m,le=X):($=m,re=X);for(let W=0;W<
l.length;W++)o[W]!=null&&(c==0?$=re=l[W]:G=le=l[W],g.moveTo($,G),g.lineTo(re,le));g.stroke(),F==1&&g.translate(-D,-D)}function Ua(l){let o=!0;
return z.forEach((c,f)=>{if(!c.show)return;let m=T[c.scale];if(m.min==null){c._show&&(o=!1,c._show=!1,Wn(!1));return}else c._show||(o=!1,c._show=
!0,Wn(!1));let b=c.side,v=b%2,{min:k,max:_}=m,[A,D]=ja(f,k,_,v==0?U:L);if(D==0)return;let $=m.distr==2,G=c._splits=c.splits(n,f,k,_,A,D,$),re=m.
distr==2?G.map(O=>_t[O]):G,le=m.distr==2?_t[G[1]]-_t[G[0]]:A,X=c._values=c.values(n,c.filter(n,re,f,D,le),f,D,le);c._rotate=b==2?c.rotate(n,
X,f,D):0;let W=c._size;c._size=vt(c.size(n,X,f,l)),W!=null&&c._size!=W&&(o=!1)}),o}function Ya(l){let o=!0;return Gl.forEach((c,f)=>{let m=c(
n,f,gn,l);m!=Xt[f]&&(o=!1),Xt[f]=m}),o}function Qa(){for(let l=0;l<z.length;l++){let o=z[l];if(!o.show||!o._show)continue;let c=o.side,f=c%2,
m,b,v=o.stroke(n,l),k=c==0||c==3?-1:1,[_,A]=o._found;if(o.label!=null){let je=o.labelGap*k,it=Pe((o._lpos+je)*ae);jl(o.labelFont[0],v,"cente\
r",c==2?"top":Uo),g.save(),f==1?(m=b=0,g.translate(it,Pe(ft+kt/2)),g.rotate((c==3?-oi:oi)/2)):(m=Pe(tt+Je/2),b=it);let wn=Or(o.label)?o.label(
n,l,_,A):o.label;g.fillText(wn,m,b),g.restore()}if(A==0)continue;let D=T[o.scale],$=f==0?Je:kt,G=f==0?tt:ft,re=o._splits,le=D.distr==2?re.map(
je=>_t[je]):re,X=D.distr==2?_t[re[1]]-_t[re[0]]:_,W=o.ticks,O=o.border,ye=W.show?W.size:0,Te=Pe(ye*ae),He=Pe((o.alignTo==2?o._size-ye-o.gap:
o.gap)*ae),de=o._rotate*-oi/180,Ee=V(o._pos*ae),nt=(Te+He)*k,Ke=Ee+nt;b=f==0?Ke:0,m=f==1?Ke:0;let ht=o.font[0],St=o.align==1?es:o.align==2?ol:
de>0?es:de<0?ol:f==0?"center":c==3?ol:es,Nt=de||f==1?"middle":c==2?"top":Uo;jl(ht,v,St,Nt);let st=o.font[1]*o.lineGap,mt=re.map(je=>V(u(je,D,
$,G))),Tt=o._values;for(let je=0;je<Tt.length;je++){let it=Tt[je];if(it!=null){f==0?m=mt[je]:b=mt[je],it=""+it;let wn=it.indexOf(`
`)==-1?[it]:it.split(/\n/gm);for(let Ue=0;Ue<wn.length;Ue++){let bo=wn[Ue];de?(g.save(),g.translate(m,b+Ue*st),g.rotate(de),g.fillText(bo,0,
0),g.restore()):g.fillText(bo,m,b+Ue*st)}}}W.show&&Fi(mt,W.filter(n,le,l,A,X),f,c,Ee,Te,he(W.width*ae,3),W.stroke(n,l),W.dash,W.cap);let Ct=o.
grid;Ct.show&&Fi(mt,Ct.filter(n,le,l,A,X),f,f==0?2:1,f==0?ft:tt,f==0?kt:Je,he(Ct.width*ae,3),Ct.stroke(n,l),Ct.dash,Ct.cap),O.show&&Fi([Ee],
[1],f==0?1:0,f==0?1:2,f==1?ft:tt,f==1?kt:Je,he(O.width*ae,3),O.stroke(n,l),O.dash,O.cap)}ze("drawAxes")}function Wn(l){x.forEach((o,c)=>{c>0&&
(o._paths=null,l&&(i==1?(o.min=null,o.max=null):o.facets.forEach(f=>{f.min=null,f.max=null})))})}let Ws=!1,Ni=!1,ms=[];function Ja(){Ni=!1;for(let l=0;l<
ms.length;l++)ze(...ms[l]);ms.length=0}function Bn(){Ws||(xu(Zl),Ws=!0)}function Za(l,o=!1){Ws=!0,Ni=o,l(n),Zl(),o&&ms.length>0&&queueMicrotask(
Ja)}n.batch=Za;function Zl(){if(ki&&(Ba(),ki=!1),Cn&&(Ca(),Cn=!1),Cs){if(we(S,es,me),we(S,"top",$e),we(S,Es,U),we(S,Ms,L),we(M,es,me),we(M,"\
top",$e),we(M,Es,U),we(M,Ms,L),we(w,Es,Wt),we(w,Ms,fn),y.width=Pe(Wt*ae),y.height=Pe(fn*ae),z.forEach(({_el:l,_show:o,_size:c,_pos:f,side:m})=>{
if(l!=null)if(o){let b=m===3||m===0?c:0,v=m%2==1;we(l,v?"left":"top",f-b),we(l,v?"width":"height",c),we(l,v?"top":"left",v?$e:me),we(l,v?"he\
ight":"width",v?L:U),ml(l,En)}else ot(l,En)}),Hs=Vn=Ti=Mi=Ai=Di=Li=$i=Ei=null,Ze=1,ys(!0),me!=Nn||$e!=dn||U!=$t||L!=pn){Wn(!1);let l=U/$t,o=L/
pn;if(Ge&&!hn&&C.left>=0){C.left*=l,C.top*=o,Gn&&Ht(Gn,Pe(C.left),0,U,L),qn&&Ht(qn,0,Pe(C.top),U,L);for(let c=0;c<pt.length;c++){let f=pt[c];
f!=null&&(Hn[c]*=l,In[c]*=o,Ht(f,vt(Hn[c]),vt(In[c]),U,L))}}if(be.show&&!Os&&be.left>=0&&be.width>0){be.left*=l,be.width*=l,be.top*=o,be.height*=
o;for(let c in Vi)we(Un,c,be[c])}Nn=me,dn=$e,$t=U,pn=L}ze("setSize"),Cs=!1}Wt>0&&fn>0&&(g.clearRect(0,0,y.width,y.height),ze("drawClear"),j.
forEach(l=>l()),ze("draw")),be.show&&Os&&(Bs(be),Os=!1),Ge&&hn&&(yn(null,!0,!1),hn=!1),Z.show&&Z.live&&dt&&(Hi(),dt=!1),d||(d=!0,n.status=1,
ze("ready")),hs=!1,Ws=!1}n.redraw=(l,o)=>{Cn=o||!1,l!==!1?tn(R,E.min,E.max):Bn()};function Ci(l,o){let c=T[l];if(c.from==null){if(Ie==0){let f=c.
range(n,o.min,o.max,l);o.min=f[0],o.max=f[1]}if(o.min>o.max){let f=o.min;o.min=o.max,o.max=f}if(Ie>1&&o.min!=null&&o.max!=null&&o.max-o.min<
1e-16)return;l==R&&c.distr==2&&Ie>0&&(o.min=At(o.min,t[0]),o.max=At(o.max,t[0]),o.min==o.max&&o.max++),I[l]=o,ki=!0,Bn()}}n.setScale=Ci;let Oi,
zi,Gn,qn,Xl,eo,Kn,jn,to,no,ge,ke,en=!1,Ve=C.drag,Ce=Ve.x,Oe=Ve.y;Ge&&(C.x&&(Oi=wt(qc,M)),C.y&&(zi=wt(Kc,M)),E.ori==0?(Gn=Oi,qn=zi):(Gn=zi,qn=
Oi),ge=C.left,ke=C.top);let be=n.select=Ae({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),Un=be.show?wt(Gc,be.over?M:S):null;function Bs(l,o){
if(be.show){for(let c in l)be[c]=l[c],c in Vi&&we(Un,c,l[c]);o!==!1&&ze("setSelect")}}n.setSelect=Bs;function Xa(l){if(x[l].show)Le&&ml(_e[l],
En);else if(Le&&ot(_e[l],En),Ge){let c=zn?pt[0]:pt[l];c!=null&&Ht(c,-10,-10,U,L)}}function tn(l,o,c){Ci(l,{min:o,max:c})}function Rt(l,o,c,f){
o.focus!=null&&ic(l),o.show!=null&&x.forEach((m,b)=>{b>0&&(l==b||l==null)&&(m.show=o.show,Xa(b),i==2?(tn(m.facets[0].scale,null,null),tn(m.facets[1].
scale,null,null)):tn(m.scale,null,null),Bn())}),c!==!1&&ze("setSeries",l,o),f&&ws("setSeries",n,l,o)}n.setSeries=Rt;function ec(l,o){Ae(Q[l],
o)}function tc(l,o){l.fill=te(l.fill||null),l.dir=oe(l.dir,-1),o=o??Q.length,Q.splice(o,0,l)}function nc(l){l==null?Q.length=0:Q.splice(l,1)}
n.addBand=tc,n.setBand=ec,n.delBand=nc;function sc(l,o){x[l].alpha=o,Ge&&pt[l]!=null&&(pt[l].style.opacity=o),Le&&_e[l]&&(_e[l].style.opacity=
o)}let Bt,nn,bn,Yn={focus:!0};function ic(l){if(l!=bn){let o=l==null,c=Pt.alpha!=1;x.forEach((f,m)=>{if(i==1||m>0){let b=o||m==0||m==l;f._focus=
o?null:b,c&&sc(m,b?1:Pt.alpha)}}),bn=l,c&&Bn()}}Le&&On&&qe(Zo,ce,l=>{C._lock||(mn(l),bn!=null&&Rt(null,Yn,!0,Me.setSeries))});function Ft(l,o,c){
let f=T[o];c&&(l=l/ae-(f.ori==1?$e:me));let m=U;f.ori==1&&(m=L,l=m-l),f.dir==-1&&(l=m-l);let b=f._min,v=f._max,k=l/m,_=b+(v-b)*k,A=f.distr;return A==
3?ss(10,_):A==4?cu(_,f.asinh):A==100?f.bwd(_):_}function lc(l,o){let c=Ft(l,R,o);return At(c,t[0],Fe,Ne)}n.valToIdx=l=>At(l,t[0]),n.posToIdx=
lc,n.posToVal=Ft,n.valToPos=(l,o,c)=>T[o].ori==0?r(l,T[o],c?Je:U,c?tt:0):a(l,T[o],c?kt:L,c?ft:0),n.setCursor=(l,o,c)=>{ge=l.left,ke=l.top,yn(
null,o,c)};function so(l,o){we(Un,es,be.left=l),we(Un,Es,be.width=o)}function io(l,o){we(Un,"top",be.top=l),we(Un,Ms,be.height=o)}let gs=E.ori==
0?so:io,bs=E.ori==1?so:io;function oc(){if(Le&&Z.live)for(let l=i==2?1:0;l<x.length;l++){if(l==0&&ut)continue;let o=Z.values[l],c=0;for(let f in o)
Lt[l][c++].firstChild.nodeValue=o[f]}}function Hi(l,o){if(l!=null&&(l.idxs?l.idxs.forEach((c,f)=>{fe[f]=c}):pu(l.idx)||fe.fill(l.idx),Z.idx=
fe[0]),Le&&Z.live){for(let c=0;c<x.length;c++)(c>0||i==1&&!ut)&&rc(c,fe[c]);oc()}dt=!1,o!==!1&&ze("setLegend")}n.setLegend=Hi;function rc(l,o){
let c=x[l],f=l==0&&Y==2?_t:t[l],m;ut?m=c.values(n,l,o)??Zt:(m=c.value(n,o==null?null:f[o],l,o),m=m==null?Zt:{_:m}),Z.values[l]=m}function yn(l,o,c){
to=ge,no=ke,[ge,ke]=C.move(n,ge,ke),C.left=ge,C.top=ke,Ge&&(Gn&&Ht(Gn,Pe(ge),0,U,L),qn&&Ht(qn,0,Pe(ke),U,L));let f,m=Fe>Ne;Bt=pe,nn=null;let b=E.
ori==0?U:L,v=E.ori==1?U:L;if(ge<0||Ie==0||m){f=C.idx=null;for(let k=0;k<x.length;k++){let _=pt[k];_!=null&&Ht(_,-10,-10,U,L)}On&&Rt(null,Yn,
!0,l==null&&Me.setSeries),Z.live&&(fe.fill(f),dt=!0)}else{let k,_,A;i==1&&(k=E.ori==0?ge:ke,_=Ft(k,R),f=C.idx=At(_,t[0],Fe,Ne),A=N(t[0][f],E,
b,0));let D=-10,$=-10,G=0,re=0,le=!0,X="",W="";for(let O=i==2?1:0;O<x.length;O++){let ye=x[O],Te=fe[O],He=Te==null?null:i==1?t[O][Te]:t[O][1][Te],
de=C.dataIdx(n,O,f,_),Ee=de==null?null:i==1?t[O][de]:t[O][1][de];if(dt=dt||Ee!=He||de!=Te,fe[O]=de,O>0&&ye.show){let nt=de==null?-10:de==f?A:
N(i==1?t[0][de]:t[O][0][de],E,b,0),Ke=Ee==null?-10:B(Ee,i==1?T[ye.scale]:T[ye.facets[1].scale],v,0);if(On&&Ee!=null){let ht=E.ori==1?ge:ke,St=Re(
Pt.dist(n,O,de,Ke,ht));if(St<Bt){let Nt=Pt.bias;if(Nt!=0){let st=Ft(ht,ye.scale),mt=Ee>=0?1:-1,Tt=st>=0?1:-1;Tt==mt&&(Tt==1?Nt==1?Ee>=st:Ee<=
st:Nt==1?Ee<=st:Ee>=st)&&(Bt=St,nn=O)}else Bt=St,nn=O}}if(dt||zn){let ht,St;E.ori==0?(ht=nt,St=Ke):(ht=Ke,St=nt);let Nt,st,mt,Tt,Ct,je,it=!0,
wn=Be.bbox;if(wn!=null){it=!1;let Ue=wn(n,O);mt=Ue.left,Tt=Ue.top,Nt=Ue.width,st=Ue.height}else mt=ht,Tt=St,Nt=st=Be.size(n,O);if(je=Be.fill(
n,O),Ct=Be.stroke(n,O),zn)O==nn&&Bt<=Pt.prox&&(D=mt,$=Tt,G=Nt,re=st,le=it,X=je,W=Ct);else{let Ue=pt[O];Ue!=null&&(Hn[O]=mt,In[O]=Tt,lr(Ue,Nt,
st,it),sr(Ue,je,Ct),Ht(Ue,vt(mt),vt(Tt),U,L))}}}}if(zn){let O=Pt.prox,ye=bn==null?Bt<=O:Bt>O||nn!=bn;if(dt||ye){let Te=pt[0];Te!=null&&(Hn[0]=
D,In[0]=$,lr(Te,G,re,le),sr(Te,X,W),Ht(Te,vt(D),vt($),U,L))}}}if(be.show&&en)if(l!=null){let[k,_]=Me.scales,[A,D]=Me.match,[$,G]=l.cursor.sync.
scales,re=l.cursor.drag;if(Ce=re._x,Oe=re._y,Ce||Oe){let{left:le,top:X,width:W,height:O}=l.select,ye=l.scales[$].ori,Te=l.posToVal,He,de,Ee,
nt,Ke,ht=k!=null&&A(k,$),St=_!=null&&D(_,G);ht&&Ce?(ye==0?(He=le,de=W):(He=X,de=O),Ee=T[k],nt=N(Te(He,$),Ee,b,0),Ke=N(Te(He+de,$),Ee,b,0),gs(
Dt(nt,Ke),Re(Ke-nt))):gs(0,b),St&&Oe?(ye==1?(He=le,de=W):(He=X,de=O),Ee=T[_],nt=B(Te(He,G),Ee,v,0),Ke=B(Te(He+de,G),Ee,v,0),bs(Dt(nt,Ke),Re(
Ke-nt))):bs(0,v)}else Wi()}else{let k=Re(to-Xl),_=Re(no-eo);if(E.ori==1){let G=k;k=_,_=G}Ce=Ve.x&&k>=Ve.dist,Oe=Ve.y&&_>=Ve.dist;let A=Ve.uni;
A!=null?Ce&&Oe&&(Ce=k>=A,Oe=_>=A,!Ce&&!Oe&&(_>k?Oe=!0:Ce=!0)):Ve.x&&Ve.y&&(Ce||Oe)&&(Ce=Oe=!0);let D,$;Ce&&(E.ori==0?(D=Kn,$=ge):(D=jn,$=ke),
gs(Dt(D,$),Re($-D)),Oe||bs(0,v)),Oe&&(E.ori==1?(D=Kn,$=ge):(D=jn,$=ke),bs(Dt(D,$),Re($-D)),Ce||gs(0,b)),!Ce&&!Oe&&(gs(0,0),bs(0,0))}if(Ve._x=
Ce,Ve._y=Oe,l==null){if(c){if(go!=null){let[k,_]=Me.scales;Me.values[0]=k!=null?Ft(E.ori==0?ge:ke,k):null,Me.values[1]=_!=null?Ft(E.ori==1?ge:
ke,_):null}ws(rl,n,ge,ke,U,L,f)}if(On){let k=c&&Me.setSeries,_=Pt.prox;bn==null?Bt<=_&&Rt(nn,Yn,!0,k):Bt>_?Rt(null,Yn,!0,k):nn!=bn&&Rt(nn,Yn,
!0,k)}}dt&&(Z.idx=f,Hi()),o!==!1&&ze("setCursor")}let sn=null;Object.defineProperty(n,"rect",{get(){return sn==null&&ys(!1),sn}});function ys(l=!1){
l?sn=null:(sn=M.getBoundingClientRect(),ze("syncRect",sn))}function lo(l,o,c,f,m,b,v){C._lock||en&&l!=null&&l.movementX==0&&l.movementY==0||
(Ii(l,o,c,f,m,b,v,!1,l!=null),l!=null?yn(null,!0,!0):yn(o,!0,!1))}function Ii(l,o,c,f,m,b,v,k,_){if(sn==null&&ys(!1),mn(l),l!=null)c=l.clientX-
sn.left,f=l.clientY-sn.top;else{if(c<0||f<0){ge=-10,ke=-10;return}let[A,D]=Me.scales,$=o.cursor.sync,[G,re]=$.values,[le,X]=$.scales,[W,O]=Me.
match,ye=o.axes[0].side%2==1,Te=E.ori==0?U:L,He=E.ori==1?U:L,de=ye?b:m,Ee=ye?m:b,nt=ye?f:c,Ke=ye?c:f;if(le!=null?c=W(A,le)?u(G,T[A],Te,0):-10:
c=Te*(nt/de),X!=null?f=O(D,X)?u(re,T[D],He,0):-10:f=He*(Ke/Ee),E.ori==1){let ht=c;c=f,f=ht}}_&&(o==null||o.cursor.event.type==rl)&&((c<=1||c>=
U-1)&&(c=Sn(c,U)),(f<=1||f>=L-1)&&(f=Sn(f,L))),k?(Xl=c,eo=f,[Kn,jn]=C.move(n,c,f)):(ge=c,ke=f)}let Vi={width:0,height:0,left:0,top:0};function Wi(){
Bs(Vi,!1)}let oo,ro,ao,co;function uo(l,o,c,f,m,b,v){en=!0,Ce=Oe=Ve._x=Ve._y=!1,Ii(l,o,c,f,m,b,v,!0,!1),l!=null&&(qe(al,pl,fo,!1),ws(Qo,n,Kn,
jn,U,L,null));let{left:k,top:_,width:A,height:D}=be;oo=k,ro=_,ao=A,co=D}function fo(l,o,c,f,m,b,v){en=Ve._x=Ve._y=!1,Ii(l,o,c,f,m,b,v,!1,!0);
let{left:k,top:_,width:A,height:D}=be,$=A>0||D>0,G=oo!=k||ro!=_||ao!=A||co!=D;if($&&G&&Bs(be),Ve.setScale&&$&&G){let re=k,le=A,X=_,W=D;if(E.
ori==1&&(re=_,le=D,X=k,W=A),Ce&&tn(R,Ft(re,R),Ft(re+le,R)),Oe)for(let O in T){let ye=T[O];O!=R&&ye.from==null&&ye.min!=pe&&tn(O,Ft(X+W,O),Ft(
X,O))}Wi()}else C.lock&&(C._lock=!C._lock,yn(o,!0,l!=null));l!=null&&(Fn(al,pl),ws(al,n,ge,ke,U,L,null))}function ac(l,o,c,f,m,b,v){if(C._lock)
return;mn(l);let k=en;if(en){let _=!0,A=!0,D=10,$,G;E.ori==0?($=Ce,G=Oe):($=Oe,G=Ce),$&&G&&(_=ge<=D||ge>=U-D,A=ke<=D||ke>=L-D),$&&_&&(ge=ge<
Kn?0:U),G&&A&&(ke=ke<jn?0:L),yn(null,!0,!0),en=!1}ge=-10,ke=-10,fe.fill(null),yn(null,!0,!0),k&&(en=k)}function po(l,o,c,f,m,b,v){C._lock||(mn(
l),Si(),Wi(),l!=null&&ws(Xo,n,ge,ke,U,L,null))}function ho(){z.forEach(Lf),_i(n.width,n.height,!0)}Mn(ri,ns,ho);let Qn={};Qn.mousedown=uo,Qn.
mousemove=lo,Qn.mouseup=fo,Qn.dblclick=po,Qn.setSeries=(l,o,c,f)=>{let m=Me.match[2];c=m(n,o,c),c!=-1&&Rt(c,f,!0,!1)},Ge&&(qe(Qo,M,uo),qe(rl,
M,lo),qe(Jo,M,l=>{mn(l),ys(!1)}),qe(Zo,M,ac),qe(Xo,M,po),xl.add(n),n.syncRect=ys);let Gs=n.hooks=e.hooks||{};function ze(l,o,c){Ni?ms.push([
l,o,c]):l in Gs&&Gs[l].forEach(f=>{f.call(null,n,o,c)})}(e.plugins||[]).forEach(l=>{for(let o in l.hooks)Gs[o]=(Gs[o]||[]).concat(l.hooks[o])});
let mo=(l,o,c)=>c,Me=Ae({key:null,setSeries:!1,filters:{pub:ur,sub:ur},scales:[R,x[1]?x[1].scale:null],match:[fr,fr,mo],values:[null,null]},
C.sync);Me.match.length==2&&Me.match.push(mo),C.sync=Me;let go=Me.key,Bi=ra(go);function ws(l,o,c,f,m,b,v){Me.filters.pub(l,o,c,f,m,b,v)&&Bi.
pub(l,o,c,f,m,b,v)}Bi.sub(n);function cc(l,o,c,f,m,b,v){Me.filters.sub(l,o,c,f,m,b,v)&&Qn[l](null,o,c,f,m,b,v)}n.pub=cc;function uc(){Bi.unsub(
n),xl.delete(n),un.clear(),gl(ri,ns,ho),p.remove(),ce?.remove(),ze("destroy")}n.destroy=uc;function Gi(){ze("init",e,t),ql(t||e.data,!1),I[R]?
Ci(R,I[R]):Si(),Os=be.show&&(be.width>0||be.height>0),hn=dt=!0,_i(e.width,e.height)}return x.forEach(Bl),z.forEach(Wa),s?s instanceof HTMLElement?
(s.appendChild(p),Gi()):s(n,Gi):Gi(),n}We.assign=Ae;We.fmtNum=Al;We.rangeNum=ai;We.rangeLog=fi;We.rangeAsinh=El;We.orient=Dn;We.pxRatio=ae;We.
join=vu;We.fmtDate=Ll,We.tzDate=$u;We.sync=ra;{We.addGap=hf,We.clipGaps=hi;let e=We.paths={points:pa};e.linear=ma,e.stepped=bf,e.bars=yf,e.spline=
vf}var us=[7,4],Ol=[2,3],wa=190,$f=60,Pf=180,Rf=Array.from({length:50},(e,t)=>2**t),rn=class{element;#e;#t=h("div",{class:"chart-canvas"});#i=[];#s=h(
"span",{class:"chart-when"});#l;#o;#n=null;#r=[];#a=[];#c=0;constructor(t,s=null){this.#e=t;let n=t.lines.map(i=>{let r=h("span",{class:"fig\
ure"});this.#i.push(r);let a=h("span",{class:`sample sample-${i.colour}${i.dash?` sample-${i.dash[0]===Ol[0]?"dot":"dash"}`:""}`,"aria-hidde\
n":"true"});return h("li",{},a,h("span",{},i.label),r)});this.element=h("figure",{class:"chart card"},h("figcaption",{},h("div",{},h("h3",{},
t.title),h("p",{},t.about)),s),this.#t,h("div",{class:"legend"},h("ul",{},...n),this.#s)),this.#t.setAttribute("role","img"),this.#t.setAttribute(
"aria-label",`${t.title}: lines over the last five minutes; the newest figures follow`),this.#l=new ResizeObserver(()=>this.#u()),this.#l.observe(
this.#t),this.#o=zo(()=>this.#h())}set(t,s){this.#r=t,this.#a=s,this.#t.dataset.points=String(t.length),this.#n?this.#n.setData(this.#f()):this.#u(),
this.#p(null)}leave(){this.#l.disconnect(),this.#o(),this.#n?.destroy(),this.#n=null}#u(){let t=Math.floor(this.#t.clientWidth);t!==0&&(this.#n?
t!==this.#c&&this.#n.setSize({width:t,height:wa}):this.#m(t),this.#c=t)}#h(){this.#n&&(this.#n.destroy(),this.#n=null,this.#u())}#f(){let t=[];
return this.#e.lines.forEach((s,n)=>{let i=this.#a[n]??[],r=s.fill==="stacked"?t[n-1]:void 0;t.push(r?i.map((a,u)=>a===null?null:a+(r[u]??0)):
i)}),[this.#r,...t]}#m(t){let{lines:s,tick:n,figure:i,least:r,most:a,isBinary:u}=this.#e,d={stroke:xs("ink-soft"),font:`12px ${xs("font")}`,
ticks:{show:!1},grid:{stroke:xs("rule"),width:1}},p={width:t,height:wa,legend:{show:!1},cursor:{sync:{key:"forebay"},drag:{x:!1,y:!1}},scales:{
x:{time:!0,range:()=>this.#d()},y:{range:(y,g,w)=>[0,a??Math.max((w??0)*1.1,r??1)]}},axes:[{...d,grid:{show:!1},size:26,space:110,values:(y,g)=>g.
map(w=>this.#b(w))},{...d,size:62,space:36,values:(y,g)=>g.map(w=>(n??i)(w)),...u?{incrs:Rf}:{}}],series:[{},...s.map(y=>this.#g(y))],bands:s.
flatMap((y,g)=>y.fill==="stacked"&&g>0?[{series:[g+1,g]}]:[]),hooks:{setCursor:[y=>this.#p(y.cursor.idx??null)]}};this.#n=new We(p,this.#f(),
this.#t)}#g(t){let s=xs(t.colour);return{label:t.label,stroke:s,width:2,points:{show:!1},...t.dash?{dash:t.dash}:{},...t.fill?{fill:`${s}40`}:
{}}}#d(){let t=this.#r.at(-1)??Date.now()/1e3,s=t-(this.#r[0]??t);return[t-Math.min(vs,Math.max($f,s)),t]}#b(t){let[s,n]=this.#d(),i=kn(t*1e3);
return n-s<Pf?i:i.slice(0,5)}#p(t){let s=t??this.#r.length-1,n=this.#r[s];this.#i.forEach((i,r)=>se(i,this.#e.figure(this.#a[r]?.[s]??null))),
se(this.#s,t===null||n===void 0?"now":kn(n*1e3))}};var Ff={size:"Request size",latency:"Latency",seek:"Seek distance",outstanding:"Outstanding requests",interarrival:"Time between requests"},
va={...ni,read:"Reads",write:"Writes",all:"All"};function Nf(e,t){if(e.upto===null)return"more";switch(t){case"bytes":return e.upto%1024===0?
q(e.upto):yt(e.upto);case"microseconds":return Ut(e.upto);default:return e.upto<0?`\u2212${yt(-e.upto)}`:yt(e.upto)}}function Cf(e){let t=e.
map(([,u])=>u.length),s=u=>e.some(([,d])=>(d[u]?.count??0)>0),n=[...Array(Math.max(0,...t)).keys()],i=n.filter(s),[r,a]=[i[0],i.at(-1)];return r===
void 0||a===void 0?[0,0]:[Math.max(0,r-1),Math.min(n.length,a+2)]}function Of(e){let t=e.map(([,s])=>s.map(n=>n.upto).join());return t.every(
s=>s===t[0])}var yi=class{element=h("section",{class:"histograms","aria-label":"Histograms"});#e=h("div",{class:"segmented",role:"group","ar\
ia-label":"What is counted"});#t=h("div",{class:"card histogram-tables"});#i=[];#s="size";#l="";constructor(){this.element.append(h("div",{class:"\
section-head"},h("h2",{},"Histograms"),this.#e),this.#t),this.element.hidden=!0}set(t){if(this.element.hidden=t===null||t.length===0,t===null||
t.length===0)return;this.#i=t,t.some(([n])=>n===this.#s)||(this.#s=t[0]?.[0]??"");let s=t.map(([n])=>n);this.#e.children.length!==s.length&&
this.#e.replaceChildren(...s.map(n=>this.#o(n))),this.#n()}#o(t){return h("button",{type:"button","data-what":t,onclick:()=>{this.#s=t,this.#n()}},
Ff[t]??t)}#n(){for(let a of this.#e.children)a.setAttribute("aria-pressed",String(a.getAttribute("data-what")===this.#s));let t=this.#i.find(
([a])=>a===this.#s)?.[1];if(!t)return;let s=JSON.stringify([this.#s,t]);if(s===this.#l)return;this.#l=s;let{unit:n,kinds:i}=t,r=i.length<=2&&
Of(i)?[i]:i.map(a=>[a]);this.#t.replaceChildren(...r.map(a=>zf(n,a)))}};function zf(e,t){let[s,n]=Cf(t),i=e==="bytes"||e==="microseconds"?"U\
p to":`Up to, ${e}`;if(s===n)return h("p",{class:"hint"},`${t.map(([d])=>va[d]??d).join(", ")}: nothing was counted yet.`);let r=t.map(([,d])=>d.
reduce((p,y)=>p+y.count,0)),a=h("thead",{},h("tr",{},h("th",{scope:"col"},i),...t.map(([d],p)=>h("th",{scope:"col"},`${va[d]??d}: ${yt(r[p])}`)))),
u=[...Array(n-s).keys()].map(d=>{let p=s+d,y=t[0]?.[1][p];return h("tr",{},h("th",{scope:"row"},y?Nf(y,e):""),...t.map(([,g],w)=>Hf(g[p]?.count??
0,r[w]??0,w)))});return h("table",{class:"histogram"},a,h("tbody",{},...u))}function Hf(e,t,s){let n=t>0?e/t:0,i=h("span",{class:`bar bar-${s%
6}`});i.style.width=`${(n*100).toFixed(2)}%`;let r=h("span",{class:"bar-text"});return se(r,e===0?"":`${yt(e)} (${(n*100).toFixed(1)}%)`),h(
"td",{},h("div",{class:"bar-cell"},h("span",{class:"bar-track"},i),r))}function an(){return h("span",{class:"badge"},h("span",{class:"sign","aria-hidden":"true"}),h("span",{}))}function cn(e,t,s){e.className=`ba\
dge badge-${t}`;let[n,i]=e.children;n&&se(n,sl[t]),i&&se(i,s)}function ct(e,t){let s=h("div",{class:"tile-value","data-figure":t}),n=h("div",
{class:"tile-remark"});return{element:h("div",{class:"tile"},h("div",{class:"tile-name"},e),s,n),set(r,a=""){se(s,r),se(n,a)}}}function wi(){
let e=h("ul",{class:"findings","aria-live":"polite","aria-label":"Warnings"});return{element:e,set(t){e.hidden=t.length===0,vn(e,t,s=>`${s.tone}\
 ${s.text.replace(/\d[\d.]*/g,"#")}`,()=>h("li",{},h("span",{class:"sign","aria-hidden":"true"}),h("div",{},h("div",{class:"finding-text"}),
h("div",{class:"finding-advice"}))),(s,n)=>{s.className=`finding finding-${n.tone}`,De(s,".sign",sl[n.tone]),De(s,".finding-text",n.text),De(
s,".finding-advice",n.advice??"")})}}}function De(e,t,s){let n=e.querySelector(t);n&&se(n,s)}var Ln={width:120,height:28};function xa(e){let t=qs(
"svg",{class:"spark",viewBox:`0 0 ${Ln.width} ${Ln.height}`,role:"img",preserveAspectRatio:"none"}),s=qs("path",{fill:"none","vector-effect":"\
non-scaling-stroke"});return t.append(qs("path",{class:"spark-base",d:`M0 ${Ln.height-1}H${Ln.width}`,fill:"none"}),s),{element:t,set(n,i){s.
setAttribute("d",If(n,i));let r=n.filter(a=>a!==null).at(-1);t.setAttribute("aria-label",r===void 0?`${e}: no reads in the last five minutes`:
`${e} over the last five minutes, ${Xe(r)} lately`)}}}function If(e,t){let s=Ln.width/Math.max(1,t-1),n=Ln.width-(e.length-1)*s,i="M",r="";return e.
forEach((a,u)=>{if(a===null){i="M";return}r+=`${i}${(n+u*s).toFixed(1)} ${((1-a)*(Ln.height-4)+2).toFixed(1)}`,i="L"}),r}function ka(e){let t=e.
map(([n,i])=>({key:n,name:i,cell:h("dd",{"data-figure":n})}));return{element:h("dl",{class:"facts"},...t.map(({name:n,cell:i})=>h("div",{},h(
"dt",{},n),i))),set(n){for(let{key:i,cell:r}of t)se(r,n[i]??""),r.parentElement&&(r.parentElement.hidden=n[i]===void 0)}}}var vi=class{element;#e=new Map;#t=h("div",{class:"fields"});#i=h("button",{type:"submit",class:"primary"},"Review changes\u2026");#s=h("but\
ton",{type:"reset"},"Undo");#l=h("span",{class:"hint","aria-live":"polite"});#o;#n;constructor(t,s){this.#o=t,this.#n=s;let n=h("form",{"ari\
a-label":"Settings"},this.#t,h("div",{class:"buttons buttons-start"},this.#i,this.#s,this.#l));n.addEventListener("input",()=>this.#c()),n.addEventListener(
"reset",i=>{i.preventDefault();for(let r of this.#e.values())r.input.value=r.now;this.#c()}),n.addEventListener("submit",i=>{i.preventDefault(),
this.#u()}),this.element=h("section",{class:"card","aria-label":"Settings"},h("h2",{},"Settings"),h("p",{class:"hint"},"As forebay disk set \
takes them. They are changed while guests go on."),n)}update(t){let s=il.filter(i=>i.name in t),n=Object.keys(t).filter(i=>!il.some(r=>r.name===
i));for(let i of[...s,...n.map(r=>({name:r,about:""}))]){let r=t[i.name]??"",a=this.#e.get(i.name)??this.#r(i,r),u=a.input.value!==a.now;a.now=
r,u||_a(a.input,r)}this.#c()}#r(t,s){let n=Ot(),i=Ot(),r={id:n,name:t.name,"aria-describedby":i},a=t.choices?h("select",r,...t.choices.map(p=>h(
"option",{value:p},p))):h("input",{...r,type:"text",spellcheck:"false",autocomplete:"off",autocapitalize:"off"}),u=h("div",{class:"field"},h(
"label",{for:n},t.name),a,h("p",{class:"hint",id:i},t.about)),d={key:t.name,now:s,input:a,element:u};return _a(a,s),this.#t.append(u),this.#e.
set(t.name,d),d}#a(){let t=[...this.#e.values()].filter(s=>s.input.value.trim()!==s.now);return Object.fromEntries(t.map(s=>[s.key,s.input.value.
trim()]))}#c(){let t=this.#a();for(let n of this.#e.values())n.element.classList.toggle("changed",n.key in t);let s=Object.keys(t).length;this.#i.
disabled=s===0,Se(this.#s,s>0),se(this.#l,s===0?"":s===1?"1 change, not sent yet":`${s} changes, not sent yet`)}#u(){let t=this.#o(),s=this.#a();
if(!t||Object.keys(s).length===0)return;let n=Object.entries(s).map(([i,r])=>h("li",{},h("code",{},i),`: ${this.#e.get(i)?.now??""} \u2192 ${r}`));
Ks({title:`Change ${t.name}?`,sentences:Go(t,s),confirm:"Change",fields:h("ul",{class:"changes"},...n),run:async()=>{await gt("PATCH",bt(t.name),
{settings:s});for(let[i,r]of Object.entries(s)){let a=this.#e.get(i);a&&(a.now=r)}return this.#n(),`${t.name} now has ${Object.entries(s).map(
([i,r])=>`${i}=${r}`).join(" ")}`}})}};function _a(e,t){e instanceof HTMLSelectElement&&![...e.options].some(s=>s.value===t)&&e.append(h("op\
tion",{value:t},t)),e.value!==t&&(e.value=t)}var Vf=[["backing","Backing"],["size_bytes","Size"],["block_bytes","Block"],["reserve_bytes","Reserved flash"],["limit_bytes","Flash at most"],
["cached_bytes","Cached on flash"],["ram_bytes","Cached in RAM"],["load","From last time"],["mirrored","Dirty data"],["connections","Guests \
connected"],["nbd_socket","NBD socket"],["guest","Taken from"],["page_cache","Page cache"],["errors","Errors"]];function Sa(e,t){let s=null,
n=()=>s,i=an(),r=h("span",{class:"mode"}),a=wi(),u={hits:ct("Hit ratio","hit_ratio"),operations:ct("Requests","operations"),bytes:ct("Throug\
hput","bytes"),latency:ct("Read latency, mean","latency"),dirty:ct("Dirty","dirty_bytes"),saved:ct("Backing requests saved","saved")},d=new zl,
p=new yi,y=ka(Vf.map(([P,x])=>[P,x])),g=new vi(n,t),w=Ko(n,t),S=h("div",{class:"stack"},a.element,h("div",{class:"tiles"},...Object.values(u).
map(P=>P.element)),d.element,w.element,p.element,h("section",{class:"card","aria-label":"Facts"},h("h2",{},"About this disk"),y.element),g.element),
M=h("div",{class:"card empty"},h("h3",{},"No such disk"),h("p",{},"Forebay serves no disk of this name. It may have been removed: forebay di\
sk list shows all.")),F=h("p",{class:"loading"},"Asking Forebay\u2026");return{element:h("div",{class:"view"},h("p",{class:"crumb"},h("a",{href:"\
#/"},"\u2190 Host")),h("div",{class:"title"},h("h1",{},e),i,r),M,F,S),title:e,leave:()=>d.leave(),update(P){let x=P.disk;if(s=x==="missing"||
x===null?null:x,Se(M,x==="missing"),Se(F,x===null),Se(S,s!==null),Se(i,s!==null),!s)return;let z=ks(s);cn(i,ti([Yt(s.state),...z.map(T=>T.tone)]),
s.state),se(r,s.read_only?`${s.mode}, read-only`:s.mode),a.set(z),Wf(u,s,P),d.set(P.series.get(e)?.points??[],P.windows.has(e),s.mode),p.set(
P.histograms),y.set(Gf(s)),g.update(s.settings),w.update()}}}function Wf(e,t,s){let n=s.windows.get(t.name)??s.statistics.get(t.name),i=s.windows.
has(t.name)?"last 5 minutes":"since attached",r=s.series.get(t.name)?.last,a=r?.rates??null,u=Zn(a);e.hits.set(Xe(n?.hit_ratio),`of reads, ${i}`),
e.operations.set(u===null?"\u2013":`${lt(u)}/s`,a?`${lt(a.reads)} reads, ${lt(a.writes)} writes`:""),e.bytes.set(a?jt(a.read_bytes+a.write_bytes):
"\u2013",a?`${jt(a.read_bytes)} read, ${jt(a.write_bytes)} written`:""),e.latency.set(Ut(r?.readMicros),r?.writeMicros==null?"no writes late\
ly":`writes ${Ut(r.writeMicros)}`),e.dirty.set(q(t.dirty_bytes),Bf(t)),e.saved.set(Xe(n?Qs(n):null),i)}function Bf(e){let t=e.mode==="write-\
back"?`of at most ${q(e.dirty_limit_bytes)}`:null;if(zt(e)===0)return t??"the backing is complete";let s=e.statistics.destage_bytes_per_second??
0;return _n(t??`for ${xn(e.dirty_for_seconds)}`,_s(e.dirty_zeroes_bytes),s>0?`${jt(s)} going home`:null)}function Gf(e){let{statistics:t}=e,
s={backing:e.backing,size_bytes:q(e.size_bytes),block_bytes:q(e.block_bytes),reserve_bytes:q(e.reserve_bytes),limit_bytes:q(e.limit_bytes),cached_bytes:q(
t.cached_bytes),ram_bytes:q(t.ram_bytes),load:Bo(e),mirrored:qf(e),connections:e.connections===null?"\u2013":String(e.connections),nbd_socket:e.
nbd_socket,errors:Kf(e)};return e.guest&&(s.guest=`QEMU at ${e.guest.qmp}, device ${e.guest.device}`),e.page_cache_reason&&(s.page_cache=`us\
ed, because ${e.page_cache_reason}`),s}function qf(e){return e.mirrored===null?"\u2013":e.mirrored?"on two devices":"on one device"}function Kf(e){
let{checksum_errors:t,flash_errors:s,backing_errors:n,backing_retries:i}=e.statistics;if(t===void 0)return"\u2013";let a=[[t,"checksums"],[s,
"flash"],[n,"backing"],[i,"backing, sent again"]].filter(([u])=>(u??0)>0).map(([u,d])=>`${u} ${d}`);return a.length===0?"none":a.join(", ")}
var zl=class{element;#e=new rn({title:"Hit ratio",about:"Reads answered from the cache, over ten seconds each.",lines:[{label:"RAM",colour:"\
ram",fill:"area"},{label:"Flash",colour:"flash",fill:"stacked",dash:us}],figure:Xe,tick:t=>`${Math.round(t*100)}%`,most:1});#t=new rn({title:"\
Requests a second",about:"What guests asked for.",lines:[{label:"Reads",colour:"read"},{label:"Writes",colour:"write",dash:us}],figure:lt,tick:Qi,
least:10});#i;#s=new rn({title:"Dirty data",about:"What flash has and the backing does not, without zeroes.",lines:[{label:"Dirty",colour:"d\
irty",fill:"area"},{label:"Limit",colour:"limit",dash:us}],figure:q,least:64*1024,isBinary:!0});#l=new rn({title:"Backing requests saved",about:"\
What guests asked for, and what reached the backing.",lines:[{label:"Guests",colour:"read"},{label:"Backing",colour:"limit",dash:us,fill:"ar\
ea"}],figure:lt,tick:Qi,least:10});#o=h("select",{"aria-label":"Latency of",name:"latency-class"},...js.map(t=>h("option",{value:t},ni[t])));#n=h(
"span",{class:"hint"});#r=[];#a=!1;constructor(){let t=h("div",{class:"chart-controls"},this.#o,this.#n);this.#o.value="read_miss",this.#o.addEventListener(
"change",()=>{this.#a=!0,this.#c()}),this.#i=new rn({title:"Latency",about:"So many in a hundred were faster.",lines:[{label:"Half",colour:"\
read"},{label:"95 %",colour:"write",dash:us},{label:"99 %",colour:"limit",dash:Ol}],figure:Ut,least:10},t);let s=[this.#e,this.#t,this.#i,this.#l,
this.#s];this.element=h("section",{class:"charts","aria-label":"Charts of the last five minutes"},...s.map(n=>n.element))}set(t,s,n){this.#r=
t,se(this.#n,s?"over 5 minutes each":"since attached");let i=u=>t.map(u),r=t.map(u=>u.at);this.#e.set(r,[i(u=>u.hitRam),i(u=>u.hitFlash)]),this.#t.
set(r,[i(u=>u.rates?.reads??null),i(u=>u.rates?.writes??null)]),this.#l.set(r,[i(u=>Zn(u.rates)),i(u=>u.rates?u.rates.backing_reads+u.rates.
backing_writes:null)]);let a=n==="write-back"?i(u=>u.dirtyLimitBytes):t.map(()=>null);this.#s.set(r,[i(u=>u.dirtyBytes),a]),this.#c()}leave(){
for(let t of[this.#e,this.#t,this.#i,this.#l,this.#s])t.leave()}#c(){let t=this.#r.at(-1)?.latency;if(!this.#a&&t&&t[this.#u()].count===0){let i=js.
find(r=>t[r].count>0);i&&(this.#o.value=i)}let s=this.#u(),n=i=>this.#r.map(r=>r.latency&&r.latency[s].count>0?r.latency[s][i]:null);this.#i.
set(this.#r.map(i=>i.at),[n("p50"),n("p95"),n("p99")])}#u(){return js.find(t=>t===this.#o.value)??"read_miss"}};function xi(e){return`#/disk/${encodeURIComponent(e)}`}var jf={info:"good",warning:"warning",error:"bad"};function Ta(){let e=h("ol",{class:"events","aria-label":"Events, newest first"}),t=h("sel\
ect",{name:"level"},h("option",{value:"info"},"All"),h("option",{value:"warning"},"Warnings and errors"),h("option",{value:"error"},"Errors")),
s=h("p",{class:"empty"},"Nothing happened that an operator must know."),n=h("p",{class:"empty"},"This Forebay keeps no list of events. Its l\
og has them: journalctl --unit forebay"),i=()=>{};t.addEventListener("change",()=>i());let r=h("label",{class:"inline"},"Show ",t),a=h("sect\
ion",{class:"card"},r,e,s,n);return{element:h("div",{class:"view"},h("h1",{},"Events"),a),title:"Events",leave(){},update(u){i=()=>{let d=["\
info","warning","error"],p=d.indexOf(t.value),y=(u.events??[]).filter(g=>d.indexOf(g.level)>=p||!d.includes(g.level)).reverse();Se(n,u.events===
null),Se(r,u.events!==null),Se(s,u.events!==null&&y.length===0),vn(e,y,g=>`${g.id} ${g.time}`,Uf,Yf)},i()}}}function Uf(e){let t=e.disk?h("a",
{href:xi(e.disk),class:"event-disk"},e.disk):null;return h("li",{class:"event"},h("div",{class:"event-head"},an(),h("time",{datetime:e.time},
Mo(e.time)),t,h("span",{class:"event-kind"})),h("div",{class:"event-message"}),h("div",{class:"finding-advice"}))}function Yf(e,t){let s=e.querySelector(
".badge");s&&cn(s,jf[t.level]??"warning",t.level),De(e,".event-kind",t.kind),De(e,".event-message",t.message),De(e,".finding-advice",t.advice??
"")}var Qf=vs*1e3/el,Jf=30,Ea=new WeakMap;function Ma(){let e=wi(),t={hits:ct("Hit ratio","host.hit_ratio"),operations:ct("Requests","host.opera\
tions"),bytes:ct("Throughput","host.bytes"),dirty:ct("Dirty","host.dirty_bytes"),saved:ct("Backing requests saved","host.saved")},s=nd(),n=h(
"tbody",{}),r=h("table",{class:"disks"},h("thead",{},h("tr",{},...["Disk","State","Hit ratio","Requests/s","Read latency, mean","Dirty","Las\
t 5 min"].map(y=>h("th",{scope:"col"},y)))),n),a=td(),u=h("section",{class:"card","aria-label":"Disks"},h("h2",{},"Disks"),r,a),d=h("div",{class:"\
tiles"},...Object.values(t).map(y=>y.element));return{element:h("div",{class:"view"},h("h1",{},"Host"),e.element,d,u,s.element),title:"Host",
leave(){},update(y){let g=y.disks??[],w=[...y.pool?Io(y.pool):[],...g.flatMap(ks)];y.poolProblem&&w.unshift({tone:"bad",text:y.poolProblem,advice:null}),
e.set(w),Zf(t,y),Se(d,g.length>0),Se(r,g.length>0),Se(a,g.length===0),vn(n,g,S=>S.name,Xf,(S,M)=>ed(S,M,y)),s.update(y)}}}function Zf(e,t){let s=[
...t.statistics.values()],n=Ro([...t.series.values()].map(g=>g.last?.rates??null)),i=s.map(g=>t.windows.get(g.name)??g),r=t.windows.size>0?"\
last 5 minutes":"since attached",a=Xi(i);e.hits.set(Xe(Fo(a)),`of reads, ${r}`);let u=Zn(n);e.operations.set(u===null?"\u2013":`${lt(u)}/s`,
n?`${lt(n.reads)} reads, ${lt(n.writes)} writes`:""),e.bytes.set(n?jt(n.read_bytes+n.write_bytes):"\u2013",n?`${jt(n.read_bytes)} read, ${jt(
n.write_bytes)} written`:"");let d=s.reduce((g,w)=>g+(w.dirty_bytes??0),0),p=s.reduce((g,w)=>g+(w.dirty_zeroes_bytes??0),0),y=s.reduce((g,w)=>g+
(w.mode==="write-back"?w.dirty_limit_bytes??0:0),0);e.dirty.set(q(d),_n(y>0?`of at most ${q(y)}`:"no disk is in write-back",_s(p))),e.saved.
set(Xe(Qs(a)),r)}function Xf(e){let t=xa(`Hit ratio of ${e.name}`),s=(a,...u)=>h("td",{"data-heading":a},...u),n=a=>h("div",{"data-figure":`${e.
name}.${a}`}),i=a=>h("div",{class:`sub ${a}`}),r=h("tr",{},h("th",{scope:"row"},h("a",{href:xi(e.name)},e.name),i("backing")),s("State",an(),
i("mode")),s("Hit ratio",n("hit_ratio"),i("split")),s("Requests/s",n("operations"),i("kinds")),s("Read latency, mean",n("latency"),i("writes")),
s("Dirty",n("dirty_bytes"),i("limit")),h("td",{class:"spark-cell"},t.element));return Ea.set(r,t),r}function ed(e,t,s){let n=s.statistics.get(
t.name),i=s.windows.get(t.name)??n,r=s.series.get(t.name),a=r?.last,u=ks(t),d=e.querySelector(".badge"),p=ti([Yt(t.state),...u.map(S=>S.tone)]);
d&&cn(d,p,t.state==="serving"&&p!=="good"?"serving, look":t.state);let y=(S,M)=>De(e,`[data-figure$=".${S}"]`,M);De(e,".backing",t.size_bytes===
null?Ji(t.backing,34):`${q(t.size_bytes)} at ${Ji(t.backing,34)}`),De(e,".mode",t.read_only?`${t.mode}, read-only`:t.mode),y("hit_ratio",Xe(
i?.hit_ratio));let g=i?.reads??0;De(e,".split",g>0?`RAM ${Xe((i?.read_hits_ram??0)/g)}, flash ${Xe((i?.read_hits_flash??0)/g)}`:"no reads ye\
t"),y("operations",lt(Zn(a?.rates??null))),De(e,".kinds",a?.rates?`${lt(a.rates.reads)} r, ${lt(a.rates.writes)} w`:""),y("latency",a?.readMicros==
null?"\u2013":Ut(a.readMicros)),De(e,".writes",a?.writeMicros==null?"":`writes ${Ut(a.writeMicros)}`),y("dirty_bytes",q(t.dirty_bytes)),De(e,
".limit",_n(t.mode==="write-back"&&t.dirty_limit_bytes?`of ${q(t.dirty_limit_bytes)}`:null,_s(t.dirty_zeroes_bytes)));let w=(r?.points??[]).
map(S=>S.hitRam===null||S.hitFlash===null?null:S.hitRam+S.hitFlash);Ea.get(e)?.set(w,Math.max(Jf,Math.min(Qf,w.length)))}function td(){return h(
"div",{class:"empty"},h("h3",{},"No disks yet"),h("p",{},"Nothing is cached until Forebay serves a disk. On the host, this adds one; nothing\
 in the file changes:"),h("pre",{},h("code",{},"forebay disk add web1 --backing /srv/images/web1.raw")),h("p",{},"A running QEMU guest's dis\
k is moved behind Forebay without a reboot:"),h("pre",{},h("code",{},"forebay vm attach --qmp /run/web.qmp --device vda")),h("p",{class:"hin\
t"},"It appears here by itself."))}function nd(){let e=an(),t=h("span",{class:"meter-used"}),s=h("div",{class:"meter",role:"img"},t),n=h("p",
{class:"meter-words","data-figure":"pool.used"}),i=h("p",{class:"meter-words","data-figure":"host.ram"}),r=h("tbody",{}),u=h("table",{class:"\
devices"},h("thead",{},h("tr",{},...["Device","State","Size","Free","Wear","Remarks"].map(p=>h("th",{scope:"col"},p)))),r),d=h("section",{class:"\
card","aria-label":"Pool"},h("div",{class:"section-head"},h("h2",{},"Flash and RAM"),e),s,n,i,u);return{element:d,update({pool:p,statistics:y}){
if(Se(d,p!==null),!p)return;cn(e,Yt(p.state),p.state);let g=(p.segments-p.segments_free)*p.segment_bytes,w=p.segments_free*p.segment_bytes;t.
style.width=`${p.segments>0?(100*(p.segments-p.segments_free)/p.segments).toFixed(2):0}%`;let S=`Pool of ${q(p.size_bytes)}: ${q(g)} in use,\
 ${q(w)} free; ${q(p.reserved_bytes)} reserved by disks`;s.setAttribute("aria-label",S),se(n,S);let M=[...y.values()],F=M.reduce((P,x)=>P+(x.
ram_bytes??0),0),V=M.reduce((P,x)=>P+(x.index_bytes??0),0);se(i,`RAM: ${q(F)} of content in front of the flash, ${q(V)} for the index of wha\
t is on it`),vn(r,p.devices,P=>String(P.number),sd,(P,x)=>id(P,x,p))}}}function sd(){let e=(t,s,n="")=>h("td",{"data-heading":t,class:n},s);
return h("tr",{},h("th",{scope:"row",class:"path"}),e("State",an()),e("Size",null,"size"),e("Free",null,"free"),e("Wear",null,"wear"),e("Rem\
arks",null,"remarks"))}function id(e,t,s){De(e,".path",t.path??`device ${t.number}`);let n=e.querySelector(".badge");n&&cn(n,Yt(t.state),t.state),
De(e,".size",q(t.size_bytes)),De(e,".free",`${q(t.segments_free*s.segment_bytes)}`),De(e,".wear",Vo(t.wear)||"\u2013");let i=[t.discards?"di\
scards":null,t.page_cache_reason?`page cache: ${t.page_cache_reason}`:null];De(e,".remarks",i.filter(r=>r!==null).join("; ")||`${yt(t.segments)}\
 segments`)}var fs=h("main",{id:"main",tabindex:-1}),Ps=h("p",{class:"loading"},"Asking Forebay\u2026"),Aa=h("span"),Da=h("button",{type:"button",onclick:Ui},
"Sign in\u2026"),La=h("div",{class:"banner",role:"alert",hidden:!0},Aa," ",Da),Hl=h("span",{class:"pulse"}),Rs={host:h("a",{href:"#/"},"Host"),
events:h("a",{href:"#/events"},"Events")},$a=h("button",{type:"button",class:"quiet",onclick:cd}),Pa=h("button",{type:"button",class:"quiet",
onclick:Ui}),Fs=new Js(Fa),$n=null;function ld(){let e=h("a",{class:"skip",href:"#main"},"To the content");e.addEventListener("click",n=>{n.
preventDefault(),fs.focus()});let t=h("a",{href:"#/",class:"brand"},h("img",{src:"/assets/icon.svg",alt:"",width:24,height:24}),"Forebay"),s=h(
"header",{},t,h("nav",{"aria-label":"Views"},Rs.host,Rs.events),h("div",{class:"header-end"},Hl,$a,Pa));document.body.append(e,s,La,fs,_o()),
fs.append(Ps)}function Ra(){let e=window.location.hash.replace(/^#/,"")||"/",t=/^\/disk\/([^/]+)$/.exec(e)?.[1],s=t===void 0?null:od(t);$n?.
leave(),$n=s!==null?Sa(s,()=>{Fs.look()}):e==="/events"?Ta():Ma(),document.title=`${$n.title} \u2013 Forebay`,Rs.host.setAttribute("aria-cur\
rent",e==="/"?"page":"false"),Rs.events.setAttribute("aria-current",e==="/events"?"page":"false"),fs.replaceChildren($n.element),window.scrollTo(
0,0),Fs.watch(s),Fa()}function od(e){try{return decodeURIComponent(e)}catch{return e}}function Fa(){let{known:e}=Fs;if(rd(e),!$n)return;let t=e.
disks!==null;Se($n.element,t),Se(Rs.events,!t||e.events!==null),t?($n.update(e),Ps.remove()):Ps.isConnected||fs.append(Ps)}function rd({away:e,
answeredAt:t}){fs.classList.toggle("stale",e!==null),Se(La,e!==null),se(Aa,e?ad(e,t):""),Se(Da,e?.status===401),se(Ps,e?"Waiting for Forebay\
\u2026":"Asking Forebay\u2026"),Hl.classList.toggle("pulse-away",e!==null),se(Hl,e?"No answer":t===null?"Connecting":"Live")}function ad({status:e,
reason:t,since:s},n){let i=n===null?"":` What is shown is from ${kn(n)}.`;return e===401?`Seen from here, this host shows its figures to tho\
se only who have its token.${i}`:e>0?`${t}.${i}`:`${t} since ${kn(s)}.${i} On the host, systemctl status forebay says whether it runs. This \
page goes on by itself.`}function cd(){Oo(),Il()}function Il(){se($a,{auto:"Theme: system",light:"Theme: light",dark:"Theme: dark"}[Xs()]),se(
Pa,Gt.get()===null?"Sign in":"Signed in")}Ho();ld();Il();document.addEventListener("forebay-token",()=>{Il(),Fs.look()});window.addEventListener(
"hashchange",Ra);Ra();Fs.look();})();
