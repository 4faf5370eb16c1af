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
"use strict";(()=>{var Gi="forebay-token";var Tt=class extends Error{constructor(n,s){super(s);this.status=n}status;get wantsToken(){return this.status===401}},Bt={get(){return sessionStorage.
getItem(Gi)},set(e){sessionStorage.setItem(Gi,e.trim())},clear(){sessionStorage.removeItem(Gi)}};async function qt(e,t){return(await wo(e,{method:"\
GET"},8e3))[t]}async function bo(e,t){return yo(e,t,n=>n.status===404)}async function Ki(e,t){return yo(e,t,n=>n.status!==0&&!n.wantsToken)}
async function yo(e,t,n){try{return await qt(e,t)}catch(s){if(s instanceof Tt&&n(s))return null;throw s}}async function mt(e,t,n){let s={method:e,
headers:{"content-type":"application/json"},body:JSON.stringify(n??null)};return wo(t,s,12e4)}function gt(e){return`/v1/disks/${encodeURIComponent(
e)}`}async function wo(e,t,n){let s=AbortSignal.timeout(n),i=new Headers(t.headers),r=Bt.get();r&&i.set("authorization",`Bearer ${r}`);let a;
try{a=await fetch(e,{...t,headers:i,signal:s,cache:"no-store",credentials:"omit",redirect:"error"})}catch{throw new Tt(0,"Forebay does not a\
nswer")}let u=await a.json().catch(()=>null);if(!a.ok){let d=typeof u?.detail=="string"?u.detail:`Forebay answered with status ${a.status}`;
throw new Tt(a.status,d)}if(u===null)throw new Tt(0,"Forebay's answer was cut short");return u}function h(e,t={},...n){let s=document.createElement(e);for(let[i,r]of Object.entries(t))typeof r=="function"?s.addEventListener(i.slice(2),
r):r!=null&&r!==!1&&s.setAttribute(i,r===!0?"":String(r));return s.append(...n.filter(i=>i!=null&&i!==!1)),s}function Gs(e,t){let n=document.
createElementNS("http://www.w3.org/2000/svg",e);for(let[s,i]of Object.entries(t))n.setAttribute(s,String(i));return n}function se(e,t){e.textContent!==
t&&(e.textContent=t)}function Se(e,t){e.hidden===t&&(e.hidden=!t)}function cc(e){let t=new Set;return e.map(n=>{let s=n;for(let i=1;t.has(s);i+=
1)s=`${n} (${i})`;return t.add(s),s})}function vn(e,t,n,s,i){let r=new Map([...e.children].map(p=>[p.getAttribute("data-item")??"",p])),a=cc(
t.map(n)),u=new Set(a);for(let[p,y]of r)u.has(p)||y.remove();let d=e.firstElementChild;t.forEach((p,y)=>{let g=a[y]??"",w=r.get(g)??s(p);r.delete(
g),w.setAttribute("data-item",g),i(w,p),w===d?d=w.nextElementSibling:e.insertBefore(w,d)})}var vo=0;function Ot(){return vo+=1,`e${vo}`}var Qn=null;function ko(){return Qn=h("div",{class:"status",role:"status","aria-live":"polite"}),Qn}var xo=0,uc=8e3;function ji(e){Qn&&(se(Qn,
e),Qn.classList.add("status-shown"),window.clearTimeout(xo),xo=window.setTimeout(()=>Qn?.classList.remove("status-shown"),uc))}function _o(e){
e.addEventListener("close",()=>e.remove()),document.body.append(e),e.showModal()}function Ks(e){let t=Ot(),n=h("button",{type:"button"},"Can\
cel"),s=h("button",{type:"submit",class:"primary"},e.confirm),i=h("p",{class:"dialog-said","aria-live":"assertive"}),r=fc(),a=h("form",{},h(
"h2",{id:t},e.title),...e.sentences.map(p=>h("p",{},p)),e.fields??null,r.element,i,h("div",{class:"buttons"},n,s)),u=h("dialog",{"aria-label\
ledby":t},a),d=new AbortController;n.addEventListener("click",()=>u.close()),u.addEventListener("close",()=>d.abort()),a.addEventListener("s\
ubmit",p=>{p.preventDefault(),r.take(),s.disabled=!0,i.className="dialog-said",se(i,"Working\u2026"),e.run(y=>se(i,y),d.signal).then(y=>{ji(
y),u.close()}).catch(y=>{let g=y instanceof Error?y.message:String(y);if(!u.open)return ji(g);s.disabled=!1,i.className="dialog-said dialog-\
failed",se(i,g),y instanceof Tt&&y.wantsToken&&r.ask()})}),_o(u)}function fc(){let e=Ot(),t=h("input",{id:e,type:"password",autocomplete:"of\
f",spellcheck:"false"}),n=h("div",{class:"field"},h("label",{for:e},"Token for changes"),t,So());return n.hidden=!0,{element:n,ask(){Bt.clear(),
n.hidden=!1,t.focus(),document.dispatchEvent(new Event("forebay-token"))},take(){n.hidden||t.value.trim()===""||(Bt.set(t.value),document.dispatchEvent(
new Event("forebay-token")))}}}function So(){return h("p",{class:"hint"},"On the host, as root or the user that runs Forebay: ",h("code",{},
"cat /var/lib/forebay/token")," (or the folder that serve was given with --dir). It is kept until this tab is closed.")}function Ui(){let e=Ot(),
t=Ot(),n=h("input",{id:t,type:"password",autocomplete:"off",spellcheck:"false",required:!0}),s=h("button",{type:"button"},"Forget it"),i=h("\
button",{type:"button"},"Cancel");s.hidden=Bt.get()===null;let r=h("form",{},h("h2",{id:e},"Sign in for changes"),h("p",{},"On the host itse\
lf, everything can be read without it. Changes need the token of the host, and from other hosts reading does too."),h("div",{class:"field"},
h("label",{for:t},"Token"),n,So()),h("div",{class:"buttons"},s,i,h("button",{type:"submit",class:"primary"},"Keep it"))),a=h("dialog",{"aria\
-labelledby":e},r),u=d=>{document.dispatchEvent(new Event("forebay-token")),ji(d),a.close()};i.addEventListener("click",()=>a.close()),s.addEventListener(
"click",()=>{Bt.clear(),u("The token is forgotten; on the host itself reading goes on")}),r.addEventListener("submit",d=>{d.preventDefault(),
Bt.set(n.value),u("The token is kept until this tab is closed; the next change shows whether it is right")}),_o(a)}var dc=[["TiB",1099511627776],["GiB",1073741824],["MiB",1048576],["KiB",1024],["",1]];function sn(e){return typeof e=="number"&&Number.isFinite(
e)}function G(e){if(!sn(e))return"\u2013";let t=Math.round(e),[n,s]=dc.find(([,i])=>t>=i)??["",1];return t%s===0?`${t/s}${n}`:`${(Math.floor(
(t*10+s/2)/s)/10).toFixed(1)}${n}`}function Gt(e){return sn(e)?`${G(e)}/s`:"\u2013"}function bt(e){return sn(e)?`${(e*100).toFixed(1)}%`:"\u2013"}
function Et(e){return sn(e)?Math.round(e).toString().replace(/\B(?=(\d{3})+$)/g,","):"\u2013"}function it(e){return sn(e)?e>=10||e===0?Et(e):
e.toFixed(1):"\u2013"}function Yi(e){if(!sn(e))return"";for(let[t,n]of[["M",1e6],["k",1e3]])if(Math.abs(e)>=n)return`${Number((e/n).toFixed(
1))}${t}`;return String(Number(e.toFixed(2)))}function Kt(e){if(!sn(e))return"\u2013";for(let[t,n]of[["s",1e6],["ms",1e3]])if(e>=n)return`${To(
e/n)} ${t}`;return`${To(e)} us`}function To(e){return e>=100||Number.isInteger(e)?e.toFixed(0):e>=10?e.toFixed(1):e.toFixed(2)}function xn(e){
if(!sn(e))return"\u2013";let t=Math.round(e),n=[[Math.floor(t/86400),"d"],[Math.floor(t/3600)%24,"h"],[Math.floor(t/60)%60,"min"],[t%60,"s"]],
s=n.findIndex(([r])=>r>0);return s<0?"0 s":n.slice(s,s+2).filter(([r])=>r>0).map(([r,a])=>`${r} ${a}`).join(" ")}function kn(e){let t=new Date(
e);return[t.getHours(),t.getMinutes(),t.getSeconds()].map(n=>String(n).padStart(2,"0")).join(":")}function Eo(e){let t=new Date(e);return Number.
isNaN(t.getTime())?e:`${[t.getFullYear(),t.getMonth()+1,t.getDate()].map(s=>String(s).padStart(2,"0")).join("-")} ${kn(t.getTime())}`}function Qi(e,t){
return e.length<=t?e:`\u2026${e.slice(1-t)}`}function ws(...e){return e.filter(t=>t!==null).join(", ")}var js=["read_hit_ram","read_hit_flash","read_miss","write","flush","destage"],Us=["reads","writes","flushes","discards","read_bytes","write\
_bytes","read_hits_ram","read_hits_flash","read_partial_hits","read_misses","reads_bypassed","backing_reads","backing_writes","backing_read_\
bytes","backing_write_bytes","flash_read_bytes","flash_write_bytes","destage_bytes","evictions"];function Ao(e){let t=[];for(let[n,s]of Object.
entries(Mo(e))){let{unit:i,...r}=Mo(s);if(typeof i!="string")continue;let a=Object.entries(r).filter(u=>Array.isArray(u[1]));a.length>0&&t.push(
[n,{unit:i,kinds:a}])}return t}function Mo(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)?e:{}}var vs=300,pc=10,hc=1,mc=1e3;function Ji(e,t){return Us.every(n=>{let[s,i]=[e[n],t[n]];return s!==void 0&&i!==void 0&&i>=s})}function Do(e,t){
let n=t.at-e.at;if(n<=0||!Ji(e.statistics,t.statistics))return null;let s=Us.map(i=>[i,gc(e,t,i)/n]);return Object.fromEntries(s)}function gc(e,t,n){
return(t.statistics[n]??0)-(e.statistics[n]??0)}var bc=["read_hit_ram","read_hit_flash","read_miss"];function Lo(e,t,n){let s=({statistics:a},u)=>n.
reduce((d,p)=>d+(a.latency_us?u(a.latency_us[p]):0),0),i=a=>s(t,a)-s(e,a),r=i(a=>a.count);return r>0?Math.max(0,i(a=>a.count*a.mean))/r:null}
function Qs(e){if(e===null)return null;let t=(e.reads??0)+(e.writes??0);return t>0?1-((e.backing_reads??0)+(e.backing_writes??0))/t:null}function Jn(e){
return e===null?null:e.reads+e.writes}function Po(e){let t=e.filter(n=>n!==null);return t.length===0?null:Zi(t)}function Ro(e){let{reads:t=0,
read_hits_ram:n=0,read_hits_flash:s=0}=e;return t>0?(n+s)/t:null}function Zi(e){return Object.fromEntries(Us.map(t=>[t,e.reduce((n,s)=>n+(s[t]??
0),0)]))}var Ys=class{#e=[];#t=[];get points(){return this.#t}get last(){return this.#t.at(-1)}add(t,n,s){let i={at:t,statistics:n};t<(this.#t.
at(-1)?.at??t)&&([this.#e,this.#t]=[[],[]]);let r=this.#e.at(-1);r&&t-r.at<hc&&Ji(r.statistics,n)||(r&&!Ji(r.statistics,n)&&(this.#e=[]),this.#t.
push(this.#i(i,s??n)),this.#e.push(i),this.#e=$o(this.#e,t),this.#t=$o(this.#t,t))}#i(t,n){let{at:s,statistics:i}=t,r=this.#e.at(-1),a=this.#e.
find(p=>s-p.at<=pc)??r,u=a?Do(a,t):null,d=p=>u&&u.reads>0?p/u.reads:null;return{at:s,rates:r?Do(r,t):null,hitRam:u&&d(u.read_hits_ram),hitFlash:u&&
d(u.read_hits_flash),readMicros:u&&a?Lo(a,t,bc):null,writeMicros:u&&a?Lo(a,t,["write"]):null,dirtyBytes:i.dirty_bytes??null,dirtyLimitBytes:i.
dirty_limit_bytes??null,latency:n.latency_us??null}}};function zt(e){return(e.dirty_bytes??0)+(e.dirty_zeroes_bytes??0)}function $o(e,t){return e.
filter(n=>t-n.at<=vs).slice(-mc)}var Xi=2e3,yc=3,wc=500,Js=class{known={disks:null,statistics:new Map,windows:new Map,pool:null,poolProblem:null,series:new Map,events:null,disk:null,
histograms:null,answeredAt:null,away:null};#e=null;#t;#i=0;#s=0;#l=0;constructor(t){this.#t=t}watch(t){t!==this.#e&&(this.#e=t,this.known.disk=
null,this.known.histograms=null,this.#s=0,this.look())}async look(){window.clearTimeout(this.#i);let t=++this.#l;try{await this.#o(t)}catch(n){
t===this.#l&&this.#c(n)}t===this.#l&&(this.#t(),this.#i=window.setTimeout(()=>{this.look()},Xi))}async#o(t){let n=this.#e,s=this.known.events?.
at(-1)?.id??0,[i,r,a,u,d,p]=await Promise.all([qt("/v1/disks","disks"),qt("/v1/stats","disks"),qt("/v1/stats?window=5m","disks"),this.#n(),Ki(
`/v1/events?after=${s}`,"events"),n===null?null:bo(gt(n),"disk")]),y=Date.now(),g=n!==null&&p!==null&&this.#s%yc===0?await Ki(`${gt(n)}/hist\
ograms`,"histograms"):void 0;t===this.#l&&(this.#s+=1,Object.assign(this.known,{disks:i,...u,answeredAt:y,away:null}),this.#r(y/1e3,r,a),this.#a(
d),n!==null&&(this.known.disk=p??"missing"),g!==void 0&&(this.known.histograms=g===null?null:Ao(g)))}async#n(){try{return{pool:await qt("/v1\
/pool","pool"),poolProblem:null}}catch(t){if(!(t instanceof Tt)||t.status===0)throw t;return{pool:null,poolProblem:t.message}}}#r(t,n,s){let i=r=>new Map(
r.map(a=>[a.name,a]));this.known.statistics=i(n),this.known.windows=i(s.filter(r=>r.window==="5m"));for(let r of this.known.series.keys())this.
known.statistics.has(r)||this.known.series.delete(r);for(let r of n){let a=this.known.series.get(r.name)??new Ys;this.known.series.set(r.name,
a),a.add(t,r,this.known.windows.get(r.name))}}#a(t){t!==null&&(this.known.events=vc(this.known.events??[],t))}#c(t){let n=t instanceof Error?
t.message:String(t),s=t instanceof Tt?t.status:0;this.known.away={since:this.known.away?.since??Date.now(),reason:n,status:s}}};function vc(e,t){
let[n,s]=[e.at(-1),t[0]];return[...n===void 0||s===void 0||s.id>n.id?e:[],...t].slice(-wc)}var Fo="forebay-theme",Zs=["auto","light","dark"],No=window.matchMedia("(prefers-color-scheme: dark)"),el=new Set;function Xs(){let e=localStorage.
getItem(Fo);return Zs.find(t=>t===e)??"auto"}function Co(){let e=Zs[(Zs.indexOf(Xs())+1)%Zs.length]??"auto";localStorage.setItem(Fo,e),tl()}
function Oo(e){return el.add(e),()=>el.delete(e)}function zo(){No.addEventListener("change",tl),tl()}function tl(){let e=Xs(),t=No.matches?"\
dark":"light";document.documentElement.dataset.theme=e==="auto"?t:e;for(let n of el)n()}function xs(e){return getComputedStyle(document.documentElement).
getPropertyValue(`--${e}`).trim()}var nl={good:"\u2713",busy:"\u2026",warning:"!",bad:"\u2715"},xc={serving:"good",attaching:"busy",detaching:"busy",removing:"busy",waiting:"\
warning",stopped:"bad",failed:"bad",missing:"bad",used:"good",leaving:"busy"};function jt(e){return xc[e]??"warning"}var kc={waiting:"It is \
served by itself as soon as it can be; put right what the reason names.",stopped:"It answers nothing but errors, so that no guest sees old d\
ata. See what it lost, and the log of the daemon.",failed:"It answers errors. Put right what the reason names, then restart Forebay."},ei=["\
good","busy","warning","bad"];function ti(e){return ei[Math.max(0,...e.map(t=>ei.indexOf(t)))]??"good"}function ks(e){let t=[],n=(u,d,p=null)=>t.
push({tone:u,text:d,advice:p});if(jt(e.state)!=="good"){let u=e.reason?`: ${e.reason}`:"";n(jt(e.state),`Disk ${e.name} is ${e.state}${u}`,kc[e.
state]??null)}let s=e.lost_bytes??0;s>0&&n("bad",`Flash lost ${G(s)} of ${e.name} before its backing had it`,`forebay disk show ${e.name} --\
lost lists the ranges.`);let i=e.backing_state;if(i&&i.state!=="good"){let u=i.for_seconds===null?"":` for ${xn(i.for_seconds)}`;n("bad",`Th\
e backing of ${e.name} fails${u}${i.reason?`: ${i.reason}`:""}`,"Hits are answered; the rest waits for retry-time.")}e.quiet?.state==="faile\
d"&&n("warning",`${e.name} could not be made quiet: ${e.quiet.reason??"no reason is known"}`,null);let r=e.segments_uncopied??0;e.mirrored===
!0&&r>0&&n("warning",`${Et(r)} segments of ${e.name} lack a second copy`,"They are being copied; until then one device has that data alone.");
let a=e.dirty_bytes??0;return e.dirty_limit_bytes&&a>=e.dirty_limit_bytes*.9&&n("warning",`Destage of ${e.name} is behind: ${G(a)} of at mos\
t ${G(e.dirty_limit_bytes)} is dirty`,"Writes are slowed down to what the backing takes."),t.sort((u,d)=>ei.indexOf(d.tone)-ei.indexOf(u.tone))}
function Ho(e){let t=e.warnings.map(n=>({tone:"warning",text:n,advice:null}));return jt(e.state)!=="good"&&t.unshift({tone:"bad",text:`The p\
ool is ${e.state}${e.reason?`: ${e.reason}`:""}`,advice:"Disks go on from their backings; what is dirty waits for the pool."}),e.page_cache_reason&&
t.push({tone:"warning",text:`The pool goes through the page cache, because ${e.page_cache_reason}`,advice:null}),t}var ni={read_hit_ram:"Rea\
d, RAM hit",read_hit_flash:"Read, flash hit",read_miss:"Read, miss",write:"Write",flush:"Flush",destage:"Destage"};function _s(e){return e?`\
+ ${G(e)} of zeroes`:null}function Io(e){switch(e.quiet?.state){case"coming":return`Being made quiet: ${G(zt(e))} left to bring home`;case"q\
uiet":return`Quiet for another ${xn(e.quiet.seconds_left)}`;case"failed":return`Could not be made quiet: ${e.quiet.reason??"no reason is kno\
wn"}`;default:return null}}function Vo(e){let{load:t}=e;if(!t)return"not known while the disk is not served";if(t.state==="loading")return"b\
eing loaded; reads come from the backing meanwhile";if(t.state==="cold")return`nothing: ${t.reason??"no reason is known"}`;let n=`${G(t.kept_bytes)}\
 came back`;return t.dropped_bytes>0?`${n}, ${G(t.dropped_bytes)} may have changed and is not believed`:n}var sl=[{name:"mode",about:"What h\
appens to reads and writes.",choices:["write-through","write-back","write-around","pass-through"]},{name:"block-size",about:"Unit of the ind\
ex. A change drops what is cached of the disk.",choices:[4,8,16,32,64,128,256,512,1024].map(e=>G(e*1024))},{name:"reserve",about:"Flash that\
 the disk gets whatever the others do: auto, a size or a share such as 20%."},{name:"limit",about:"Flash that the disk never exceeds: auto, \
a size or a share."},{name:"ram",about:"RAM in front of the flash, at least 1MiB."},{name:"admission",about:"What may enter flash: adaptive,\
 always or repeated:N."},{name:"sequential-cutoff",about:"Misses of a sequential run longer than this go past the cache; 0 is off."},{name:"\
dirty-limit",about:"Write-back: the most that flash may hold and the backing does not have."},{name:"destage-rate-min",about:"Write-back: de\
stage never goes slower than so many bytes a second; 0 is none."},{name:"destage-rate-max",about:"Write-back: destage never goes faster than\
 so many bytes a second; 0 is no limit."},{name:"redundancy",about:"Write-back: whether dirty data is kept on two devices of the pool.",choices:[
"mirror","none"]},{name:"unmarked",about:"Write-back where the backing cannot be marked: nothing then keeps another Forebay from serving it.",
choices:["no","yes"]},{name:"retry-time",about:"How long a request waits for a backing that fails or hangs, such as 25s, or wait."},{name:"s\
ocket-owner",about:"User who owns the NBD socket; auto is the daemon's."},{name:"socket-group",about:"Group of the NBD socket; auto is foreb\
ay if the host has it."},{name:"socket-mode",about:"Who may connect, as octal digits."}],_c={"write-through":"Writes go to the backing first\
, then to the cache; the backing is always complete.","write-back":"Writes are acknowledged when flash has them, and the backing gets them l\
ater. Until then the newest data is on flash alone.","write-around":"Writes go to the backing only; what they replace in the cache is droppe\
d.","pass-through":"Every request goes to the backing. Guests have no cache until the mode is changed back."};function Wo(e,t){return[...Object.
entries(t).map(([s,i])=>Sc(e,s,i)).flat(),"Guests stay connected and go on meanwhile."]}function Sc(e,t,n){let s=G(e.statistics.cached_bytes);
switch(t){case"mode":return[_c[n]??`The mode becomes ${n}.`,...Tc(e,n)];case"block-size":return[`What is cached of the disk on flash (${s}) \
is dropped; it is read from the backing again.`];case"limit":return[`Flash that the disk holds above the new limit is evicted; it holds ${G(
e.statistics.flash_bytes)} now.`];case"unmarked":return n==="yes"?["Nothing keeps another Forebay from serving this backing while flash has \
newer data. See to that yourself."]:[];case"redundancy":return[n==="none"?"Dirty data is kept on one device only: if it fails, that data is \
lost.":"Dirty data is kept on two devices, if the pool has them."];case"socket-owner":case"socket-group":case"socket-mode":return["Who may c\
onnect to the disk changes at once."];default:return[]}}function Tc(e,t){return e.mode!=="write-back"||t==="write-back"||zt(e)===0?[]:[`${G(
zt(e))} is dirty; it is written to the backing while guests go on.`]}function Zn(e,t){let n=zt(t),s=n>0?`${G(n)} is dirty: flash has it and \
the backing does not.`:"Nothing is dirty: the backing has everything.";switch(e){case"destage":return[s,"Dirty data is written to the backin\
g at full speed. Guests go on and may notice a busier backing."];case"normal":return[s,"Destage goes on at the pace that suits guests."];case"\
quiesce":return[s,"It is brought home first. After that, writes wait for the backing, so that a backup or snapshot of the backing is complet\
e.","This ends by itself after the time below, or when it is resumed."];case"resume":return["Writes may lie on flash alone again, as the mod\
e says."];case"evict":return[`${G(t.statistics.cached_bytes)} cached on flash and ${G(t.statistics.ram_bytes)} in RAM are dropped, and no re\
start brings them back.`,n>0?`${G(n)} is dirty and is brought home first.`:"Nothing is dirty; nothing is lost.","Guests go on from the backi\
ng, slower, until the cache is warm again."]}}var Ec=60,Mc=600,Ac=300;function qo(e,t){let n=Dc.map(i=>{let r=()=>{let a=e();a&&Ks(Pc(i.work(a),t))};return[i,h("button",{type:"button","d\
ata-action":i.name,onclick:r},i.label)]}),s=h("p",{class:"hint","data-figure":"quiet"});return{element:h("section",{class:"card","aria-label":"\
Actions"},h("h2",{},"Actions"),h("div",{class:"buttons buttons-start"},...n.map(([,i])=>i)),s),update(){let i=e();for(let[a,u]of n)u.disabled=
i===null||!a.isPossible(i);let r=i&&!Ss(i)?`Nothing can be done while the disk is ${i.state}.`:i?Io(i):null;se(s,r??""),Se(s,r!==null)}}}var Ss=e=>e.
state==="serving",il=e=>e.quiet?.state==="coming"||e.quiet?.state==="quiet",Dc=[{name:"destage",label:"Destage now\u2026",isPossible:Ss,work:e=>({
title:`Destage ${e.name} at full speed?`,sentences:Zn("destage",e),confirm:"Destage now",run:async()=>(await mt("POST",`${gt(e.name)}/destag\
e`),`What is dirty of ${e.name} is on its way to the backing`)})},{name:"normal",label:"Destage at normal pace\u2026",isPossible:Ss,work:e=>({
title:`Let ${e.name} destage at its own pace?`,sentences:Zn("normal",e),confirm:"Normal pace",run:async()=>(await mt("DELETE",`${gt(e.name)}\
/destage`),`${e.name} is destaged as it suits guests`)})},{name:"quiesce",label:"Quiesce\u2026",isPossible:e=>Ss(e)&&!il(e),work:Lc},{name:"\
resume",label:"Resume\u2026",isPossible:il,work:e=>({title:`Let ${e.name} go on as before?`,sentences:Zn("resume",e),confirm:"Resume",run:async()=>(await mt(
"POST",`${gt(e.name)}/resume`),`${e.name} goes on as before`)})},{name:"evict",label:"Evict\u2026",isPossible:Ss,work:e=>({title:`Drop what \
is cached of ${e.name}?`,sentences:Zn("evict",e),confirm:"Evict",run:(t,n)=>$c(e.name,t,n)})}];function Lc(e){let t=Ot(),n=h("input",{id:t,type:"\
number",min:1,max:86400,value:Mc,required:!0});return{title:`Hold ${e.name} without dirty data?`,sentences:Zn("quiesce",e),confirm:"Quiesce",
fields:h("div",{class:"field"},h("label",{for:t},"For so many seconds"),n),run:async()=>{let s=Number(n.value);return await mt("POST",`${gt(
e.name)}/quiesce`,{seconds:s}),`${e.name} is being made quiet, then held so for ${xn(s)}`}}}async function $c(e,t,n){let s=gt(e),i=await qt(
s,"disk");if(il(i))await Bo(e,t,n),await mt("POST",`${s}/evict`);else if(zt(i)>0){await mt("POST",`${s}/quiesce`,{seconds:Ec});try{await Bo(
e,t,n),await mt("POST",`${s}/evict`)}finally{await mt("POST",`${s}/resume`)}}else await mt("POST",`${s}/evict`);return`Nothing is cached of ${e}\
 any more, and no restart brings it back`}async function Bo(e,t,n){for(;;){if(n.aborted)throw new Error("Stopped; the disk is served as befo\
re");let s=await qt(gt(e),"disk"),i=s.quiet?.state;if(i==="quiet")return;if(i!=="coming")throw new Error(`Cannot bring home what is dirty: ${s.
quiet?.reason??s.reason??"somebody resumed it"}. Nothing was dropped.`);t(`${G(zt(s))} left to bring home\u2026`),await new Promise(r=>window.
setTimeout(r,Ac))}}function Pc(e,t){return{...e,run:(n,s)=>e.run(n,s).finally(t)}}var Rc="uplot",Fc="u-hz",Nc="u-vt",Cc="u-title",Oc="u-wrap",zc="u-under",Hc="u-over",Ic="u-axis",Tn="u-off",Vc="u-select",Wc="u-cursor-x",Bc="\
u-cursor-y",qc="u-cursor-pt",Gc="u-legend",Kc="u-live",jc="u-inline",Uc="u-series",Yc="u-marker",Go="u-label",Qc="u-value",Es="width",Ms="he\
ight";var Ko="bottom",Xn="left",ll="right",kl="#000",jo=kl+"0",ol="mousemove",Uo="mousedown",rl="mouseup",Yo="mouseenter",Qo="mouseleave",Jo="dblc\
lick",Jc="resize",Zc="scroll",Zo="change",ri="dppxchange",_l="--",os=typeof window<"u",dl=os?document:null,ts=os?window:null,Xc=os?navigator:
null,ae,si;function pl(){let e=devicePixelRatio;ae!=e&&(ae=e,si&&ml(Zo,si,pl),si=matchMedia(`(min-resolution: ${ae-.001}dppx) and (max-resol\
ution: ${ae+.001}dppx)`),En(Zo,si,pl),ts.dispatchEvent(new CustomEvent(ri)))}function lt(e,t){if(t!=null){let n=e.classList;!n.contains(t)&&
n.add(t)}}function hl(e,t){let n=e.classList;n.contains(t)&&n.remove(t)}function we(e,t,n){e.style[t]=n+"px"}function Mt(e,t,n,s){let i=dl.createElement(
e);return t!=null&&lt(i,t),n?.insertBefore(i,s),i}function yt(e,t){return Mt("div",e,t)}var Xo=new WeakMap;function Ht(e,t,n,s,i){let r="tra\
nslate("+t+"px,"+n+"px)",a=Xo.get(e);r!=a&&(e.style.transform=r,Xo.set(e,r),t<0||n<0||t>s||n>i?lt(e,Tn):hl(e,Tn))}var er=new WeakMap;function tr(e,t,n){
let s=t+n,i=er.get(e);s!=i&&(er.set(e,s),e.style.background=t,e.style.borderColor=n)}var nr=new WeakMap;function sr(e,t,n,s){let i=t+""+n,r=nr.
get(e);i!=r&&(nr.set(e,i),e.style.height=n+"px",e.style.width=t+"px",e.style.marginLeft=s?-t/2+"px":0,e.style.marginTop=s?-n/2+"px":0)}var Sl={
passive:!0},eu={...Sl,capture:!0};function En(e,t,n,s){t.addEventListener(e,n,s?eu:Sl)}function ml(e,t,n,s){t.removeEventListener(e,n,Sl)}os&&
pl();function At(e,t,n,s){let i;n=n||0,s=s||t.length-1;let r=s<=2147483647;for(;s-n>1;)i=r?n+s>>1:ot((n+s)/2),t[i]<e?n=i:s=i;return e-t[n]<=
t[s]-e?n:s}function $r(e){return(n,s,i)=>{let r=-1,a=-1;for(let u=s;u<=i;u++)if(e(n[u])){r=u;break}for(let u=i;u>=s;u--)if(e(n[u])){a=u;break}
return[r,a]}}var Pr=e=>e!=null,Rr=e=>e!=null&&e>0,ui=$r(Pr),tu=$r(Rr);function nu(e,t,n,s=0,i=!1){let r=i?tu:ui,a=i?Rr:Pr;[t,n]=r(e,t,n);let u=e[t],
d=e[t];if(t>-1)if(s==1)u=e[t],d=e[n];else if(s==-1)u=e[n],d=e[t];else for(let p=t;p<=n;p++){let y=e[p];a(y)&&(y<u?u=y:y>d&&(d=y))}return[u??
pe,d??-pe]}function fi(e,t,n,s){let i=or(e),r=or(t);e==t&&(i==-1?(e*=n,t/=n):(e/=n,t*=n));let a=n==10?Ut:Fr,u=i==1?ot:wt,d=r==1?wt:ot,p=u(a(
Pe(e))),y=d(a(Pe(t))),g=ns(n,p),w=ns(n,y);return n==10&&(p<0&&(g=he(g,-p)),y<0&&(w=he(w,-y))),s||n==2?(e=g*i,t=w*r):(e=zr(e,g),t=di(t,w)),[e,
t]}function Tl(e,t,n,s){let i=fi(e,t,n,s);return e==0&&(i[0]=0),t==0&&(i[1]=0),i}var El=.1,ir={mode:3,pad:El},Ds={pad:0,soft:null,mode:0},su={
min:Ds,max:Ds};function ai(e,t,n,s){return pi(n)?lr(e,t,n):(Ds.pad=n,Ds.soft=s?0:null,Ds.mode=s?3:0,lr(e,t,su))}function oe(e,t){return e??t}
function iu(e,t,n){for(t=oe(t,0),n=oe(n,e.length-1);t<=n;){if(e[t]!=null)return!0;t++}return!1}function lr(e,t,n){let s=n.min,i=n.max,r=oe(s.
pad,0),a=oe(i.pad,0),u=oe(s.hard,-pe),d=oe(i.hard,pe),p=oe(s.soft,pe),y=oe(i.soft,-pe),g=oe(s.mode,0),w=oe(i.mode,0),S=t-e,M=Ut(S),F=Ye(Pe(e),
Pe(t)),V=Ut(F),P=Pe(V-M);(S<1e-24||P>10)&&(S=0,(e==0||t==0)&&(S=1e-24,g==2&&p!=pe&&(r=0),w==2&&y!=-pe&&(a=0)));let x=S||F||1e3,z=Ut(x),T=ns(
10,ot(z)),Q=x*(S==0?e==0?.1:1:r),R=he(zr(e-Q,T/10),24),J=e>=p&&(g==1||g==3&&R<=p||g==2&&R>=p)?p:pe,j=Ye(u,R<J&&e>=J?J:Dt(J,R)),ee=x*(S==0?t==
0?.1:1:a),K=he(di(t+ee,T/10),24),E=t<=y&&(w==1||w==3&&K>=y||w==2&&K<=y)?y:-pe,Y=Dt(d,K>E&&t<=E?E:Ye(E,K));return j==Y&&j==0&&(Y=100),[j,Y]}var lu=new Intl.
NumberFormat(os?Xc.language:"en-US"),Ml=e=>lu.format(e),rt=Math,oi=rt.PI,Pe=rt.abs,ot=rt.floor,$e=rt.round,wt=rt.ceil,Dt=rt.min,Ye=rt.max,ns=rt.
pow,or=rt.sign,Ut=rt.log10,Fr=rt.log2,ou=(e,t=1)=>rt.sinh(e)*t,al=(e,t=1)=>rt.asinh(e/t),pe=1/0;function rr(e){return(Ut((e^e>>31)-(e>>31))|
0)+1}function gl(e,t,n){return Dt(Ye(e,t),n)}function Nr(e){return typeof e=="function"}function te(e){return Nr(e)?e:()=>e}var ru=()=>{},Cr=e=>e,
Or=(e,t)=>t,au=e=>null,ar=e=>!0,cr=(e,t)=>e==t,cu=/\.\d*?(?=9{6,}|0{6,})/gm,Mn=e=>{if(Ir(e)||on.has(e))return e;let t=`${e}`,n=t.match(cu);if(n==
null)return e;let s=n[0].length-1;if(t.indexOf("e-")!=-1){let[i,r]=t.split("e");return+`${Mn(i)}e${r}`}return he(e,s)};function _n(e,t){return Mn(
he(Mn(e/t))*t)}function di(e,t){return Mn(wt(Mn(e/t))*t)}function zr(e,t){return Mn(ot(Mn(e/t))*t)}function he(e,t=0){if(Ir(e))return e;let n=10**
t,s=e*n*(1+Number.EPSILON);return $e(s)/n}var on=new Map;function Hr(e){return((""+e).split(".")[1]||"").length}function $s(e,t,n,s){let i=[],
r=s.map(Hr);for(let a=t;a<n;a++){let u=Pe(a),d=he(ns(e,a),u);for(let p=0;p<s.length;p++){let y=e==10?+`${s[p]}e${a}`:s[p]*d,g=(a>=0?0:u)+(a>=
r[p]?0:r[p]),w=e==10?y:he(y,g);i.push(w),on.set(w,g)}}return i}var Ls={},Al=[],ss=[null,null],ln=Array.isArray,Ir=Number.isInteger,uu=e=>e===
void 0;function ur(e){return typeof e=="string"}function pi(e){let t=!1;if(e!=null){let n=e.constructor;t=n==null||n==Object}return t}function fu(e){
return e!=null&&typeof e=="object"}var du=Object.getPrototypeOf(Uint8Array),Vr="__proto__";function is(e,t=pi){let n;if(ln(e)){let s=e.find(
i=>i!=null);if(ln(s)||t(s)){n=Array(e.length);for(let i=0;i<e.length;i++)n[i]=is(e[i],t)}else n=e.slice()}else if(e instanceof du)n=e.slice();else if(t(
e)){n={};for(let s in e)s!=Vr&&(n[s]=is(e[s],t))}else n=e;return n}function Ae(e){let t=arguments;for(let n=1;n<t.length;n++){let s=t[n];for(let i in s)
i!=Vr&&(pi(e[i])?Ae(e[i],is(s[i])):e[i]=is(s[i]))}return e}var pu=0,hu=1,mu=2;function gu(e,t,n){for(let s=0,i,r=-1;s<t.length;s++){let a=t[s];
if(a>r){for(i=a-1;i>=0&&e[i]==null;)e[i--]=null;for(i=a+1;i<n&&e[i]==null;)e[r=i++]=null}}}function bu(e,t){if(vu(e)){let a=e[0].slice();for(let u=1;u<
e.length;u++)a.push(...e[u].slice(1));return xu(a[0])||(a=wu(a)),a}let n=new Set;for(let a=0;a<e.length;a++){let d=e[a][0],p=d.length;for(let y=0;y<
p;y++)n.add(d[y])}let s=[Array.from(n).sort((a,u)=>a-u)],i=s[0].length,r=new Map;for(let a=0;a<i;a++)r.set(s[0][a],a);for(let a=0;a<e.length;a++){
let u=e[a],d=u[0];for(let p=1;p<u.length;p++){let y=u[p],g=Array(i).fill(void 0),w=t?t[a][p]:hu,S=[];for(let M=0;M<y.length;M++){let F=y[M],
V=r.get(d[M]);F===null?w!=pu&&(g[V]=F,w==mu&&S.push(V)):g[V]=F}gu(g,S,i),s.push(g)}}return s}var yu=typeof queueMicrotask>"u"?e=>Promise.resolve().
then(e):queueMicrotask;function wu(e){let t=e[0],n=t.length,s=Array(n);for(let r=0;r<s.length;r++)s[r]=r;s.sort((r,a)=>t[r]-t[a]);let i=[];for(let r=0;r<
e.length;r++){let a=e[r],u=Array(n);for(let d=0;d<n;d++)u[d]=a[s[d]];i.push(u)}return i}function vu(e){let t=e[0][0],n=t.length;for(let s=1;s<
e.length;s++){let i=e[s][0];if(i.length!=n)return!1;if(i!=t){for(let r=0;r<n;r++)if(i[r]!=t[r])return!1}}return!0}function xu(e,t=100){let n=e.
length;if(n<=1)return!0;let s=0,i=n-1;for(;s<=i&&e[s]==null;)s++;for(;i>=s&&e[i]==null;)i--;if(i<=s)return!0;let r=Ye(1,ot((i-s+1)/t));for(let a=e[s],
u=s+r;u<=i;u+=r){let d=e[u];if(d!=null){if(d<=a)return!1;a=d}}return!0}var Wr=["January","February","March","April","May","June","July","Aug\
ust","September","October","November","December"],Br=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function qr(e){
return e.slice(0,3)}var ku=Br.map(qr),_u=Wr.map(qr),Su={MMMM:Wr,MMM:_u,WWWW:Br,WWW:ku};function Ts(e){return(e<10?"0":"")+e}function Tu(e){return(e<
10?"00":e<100?"0":"")+e}var Eu={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.
getMonth()],MM:e=>Ts(e.getMonth()+1),M:e=>e.getMonth()+1,DD:e=>Ts(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.
WWW[e.getDay()],HH:e=>Ts(e.getHours()),H:e=>e.getHours(),h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"A\
M",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>Ts(e.getMinutes()),m:e=>e.getMinutes(),ss:e=>Ts(e.getSeconds()),s:e=>e.
getSeconds(),fff:e=>Tu(e.getMilliseconds())};function Dl(e,t){t=t||Su;let n=[],s=/\{([a-z]+)\}|[^{]+/gi,i;for(;i=s.exec(e);)n.push(i[0][0]==
"{"?Eu[i[1]]:i[0]);return r=>{let a="";for(let u=0;u<n.length;u++)a+=typeof n[u]=="string"?n[u]:n[u](r,t);return a}}var Mu=new Intl.DateTimeFormat().
resolvedOptions().timeZone;function Au(e,t){let n;return t=="UTC"||t=="Etc/UTC"?n=new Date(+e+e.getTimezoneOffset()*6e4):t==Mu?n=e:(n=new Date(
e.toLocaleString("en-US",{timeZone:t})),n.setMilliseconds(e.getMilliseconds())),n}var Gr=e=>e%1==0,ci=[1,2,2.5,5],Du=$s(10,-32,0,ci),Kr=$s(10,
0,32,ci),Lu=Kr.filter(Gr),Sn=Du.concat(Kr),Ll=`
`,jr="{YYYY}",fr=Ll+jr,Ur="{M}/{D}",As=Ll+Ur,ii=As+"/{YY}",Yr="{aa}",$u="{h}:{mm}",es=$u+Yr,dr=Ll+es,pr=":{ss}",ue=null;function Qr(e){let t=e*
1e3,n=t*60,s=n*60,i=s*24,r=i*30,a=i*365,d=(e==1?$s(10,0,3,ci).filter(Gr):$s(10,-3,0,ci)).concat([t,t*5,t*10,t*15,t*30,n,n*5,n*10,n*15,n*30,s,
s*2,s*3,s*4,s*6,s*8,s*12,i,i*2,i*3,i*4,i*5,i*6,i*7,i*8,i*9,i*10,i*15,r,r*2,r*3,r*4,r*6,a,a*2,a*5,a*10,a*25,a*50,a*100]),p=[[a,jr,ue,ue,ue,ue,
ue,ue,1],[i*28,"{MMM}",fr,ue,ue,ue,ue,ue,1],[i,Ur,fr,ue,ue,ue,ue,ue,1],[s,"{h}"+Yr,ii,ue,As,ue,ue,ue,1],[n,es,ii,ue,As,ue,ue,ue,1],[t,pr,ii+
" "+es,ue,As+" "+es,ue,dr,ue,1],[e,pr+".{fff}",ii+" "+es,ue,As+" "+es,ue,dr,ue,1]];function y(g){return(w,S,M,F,V,P)=>{let x=[],z=V>=a,T=V>=
r&&V<a,Q=g(M),R=he(Q*e,3),J=cl(Q.getFullYear(),z?0:Q.getMonth(),T||z?1:Q.getDate()),j=he(J*e,3);if(T||z){let ee=T?V/r:0,K=z?V/a:0,E=R==j?R:he(
cl(J.getFullYear()+K,J.getMonth()+ee,1)*e,3),Y=new Date($e(E/e)),N=Y.getFullYear(),B=Y.getMonth();for(let I=0;E<=F;I++){let ne=cl(N+K*I,B+ee*
I,1),H=ne-g(he(ne*e,3));E=he((+ne+H)*e,3),E<=F&&x.push(E)}}else{let ee=V>=i?i:V,K=ot(M)-ot(R),E=j+K+di(R-j,ee);x.push(E);let Y=g(E),N=Y.getHours()+
Y.getMinutes()/n+Y.getSeconds()/s,B=V/s,I=w.axes[S]._space,ne=P/I;for(;E=he(E+V,e==1?0:3),!(E>F);)if(B>1){let H=ot(he(N+B,6))%24,ie=g(E).getHours()-
H;ie>1&&(ie=-1),E-=ie*s,N=(N+B)%24;let fe=x[x.length-1];he((E-fe)/V,3)*ne>=.7&&x.push(E)}else x.push(E)}return x}}return[d,p,y]}var[Pu,Ru,Fu]=Qr(
1),[Nu,Cu,Ou]=Qr(.001);$s(2,-53,53,[1]);function hr(e,t){return e.map(n=>n.map((s,i)=>i==0||i==8||s==null?s:t(i==1||n[8]==0?s:n[1]+s)))}function mr(e,t){
return(n,s,i,r,a)=>{let u=t.find(M=>a>=M[0])||t[t.length-1],d,p,y,g,w,S;return s.map(M=>{let F=e(M),V=F.getFullYear(),P=F.getMonth(),x=F.getDate(),
z=F.getHours(),T=F.getMinutes(),Q=F.getSeconds(),R=V!=d&&u[2]||P!=p&&u[3]||x!=y&&u[4]||z!=g&&u[5]||T!=w&&u[6]||Q!=S&&u[7]||u[1];return d=V,p=
P,y=x,g=z,w=T,S=Q,R(F)})}}function zu(e,t){let n=Dl(t);return(s,i,r,a,u)=>i.map(d=>n(e(d)))}function cl(e,t,n){return new Date(e,t,n)}function gr(e,t){
return t(e)}var Hu="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function br(e,t){return(n,s,i,r)=>r==null?_l:t(e(s))}function Iu(e,t){let n=e.series[t];return n.
width?n.stroke(e,t):n.points.width?n.points.stroke(e,t):null}function Vu(e,t){return e.series[t].fill(e,t)}var Wu={show:!0,live:!0,isolate:!1,
mount:ru,markers:{show:!0,width:2,stroke:Iu,fill:Vu,dash:"solid"},idx:null,idxs:null,values:[]};function Bu(e,t){let n=e.cursor.points,s=yt(),
i=n.size(e,t);we(s,Es,i),we(s,Ms,i);let r=i/-2;we(s,"marginLeft",r),we(s,"marginTop",r);let a=n.width(e,t,i);return a&&we(s,"borderWidth",a),
s}function qu(e,t){let n=e.series[t].points;return n._fill||n._stroke}function Gu(e,t){let n=e.series[t].points;return n._stroke||n._fill}function Ku(e,t){
return e.series[t].points.size}var ul=[0,0];function ju(e,t,n){return ul[0]=t,ul[1]=n,ul}function li(e,t,n,s=!0){return i=>{i.button==0&&(!s||
i.target==t)&&n(i)}}function fl(e,t,n,s=!0){return i=>{(!s||i.target==t)&&n(i)}}var Uu={show:!0,x:!0,y:!0,lock:!1,move:ju,points:{one:!1,show:Bu,
size:Ku,width:0,stroke:Gu,fill:qu},bind:{mousedown:li,mouseup:li,click:li,dblclick:li,mousemove:fl,mouseleave:fl,mouseenter:fl},drag:{setScale:!0,
x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(e,t,n,s,i)=>s-i,prox:-1,
bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},Jr={show:!0,stroke:"rgba(0,0,0,0\
.07)",width:2},$l=Ae({},Jr,{filter:Or}),Zr=Ae({},$l,{size:10}),Xr=Ae({},Jr,{show:!1}),Pl='12px system-ui, -apple-system, "Segoe UI", Roboto,\
 "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',ea="bold "+
Pl,ta=1.5,yr={show:!0,scale:"x",stroke:kl,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:ea,side:2,grid:$l,ticks:Zr,border:Xr,
font:Pl,lineGap:ta,rotate:0},Yu="Value",Qu="Time",wr={show:!0,scale:"x",auto:!1,sorted:1,min:pe,max:-pe,idxs:[]};function Ju(e,t,n,s,i){return t.
map(r=>r==null?"":Ml(r))}function Zu(e,t,n,s,i,r,a){let u=[],d=on.get(i)||0;n=a?n:he(di(n,i),d);for(let p=n;p<=s;p=he(p+i,d))u.push(Object.is(
p,-0)?0:p);return u}function bl(e,t,n,s,i,r,a){let u=[],d=e.scales[e.axes[t].scale].log,p=d==10?Ut:Fr,y=ot(p(n));i=ns(d,y),d==10&&(i=Sn[At(i,
Sn)]);let g=n,w=i*d;d==10&&(w=Sn[At(w,Sn)]);do u.push(g),g=g+i,d==10&&!on.has(g)&&(g=he(g,on.get(i))),g>=w&&(i=g,w=i*d,d==10&&(w=Sn[At(w,Sn)]));while(g<=
s);return u}function Xu(e,t,n,s,i,r,a){let d=e.scales[e.axes[t].scale].asinh,p=s>d?bl(e,t,Ye(d,n),s,i):[d],y=s>=0&&n<=0?[0]:[];return(n<-d?bl(
e,t,Ye(d,-s),-n,i):[d]).reverse().map(w=>-w).concat(y,p)}var na=/./,ef=/[12357]/,tf=/[125]/,vr=/1/,yl=(e,t,n,s)=>e.map((i,r)=>t==4&&i==0||r%
s==0&&n.test(i.toExponential()[i<0?1:0])?i:null);function nf(e,t,n,s,i){let r=e.axes[n],a=r.scale,u=e.scales[a],d=e.valToPos,p=r._space,y=d(
10,a),g=d(9,a)-y>=p?na:d(7,a)-y>=p?ef:d(5,a)-y>=p?tf:vr;if(g==vr){let w=Pe(d(1,a)-y);if(w<p)return yl(t.slice().reverse(),u.distr,g,wt(p/w)).
reverse()}return yl(t,u.distr,g,1)}function sf(e,t,n,s,i){let r=e.axes[n],a=r.scale,u=r._space,d=e.valToPos,p=Pe(d(1,a)-d(2,a));return p<u?yl(
t.slice().reverse(),3,na,wt(u/p)).reverse():t}function lf(e,t,n,s){return s==null?_l:t==null?"":Ml(t)}var xr={show:!0,scale:"y",stroke:kl,space:30,
gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:ea,side:3,grid:$l,ticks:Zr,border:Xr,font:Pl,lineGap:ta,rotate:0};function of(e,t){
let n=3+(e||1)*2;return he(n*t,3)}function rf(e,t){let{scale:n,idxs:s}=e.series[0],i=e._data[0],r=e.valToPos(i[s[0]],n,!0),a=e.valToPos(i[s[1]],
n,!0),u=Pe(a-r),d=e.series[t],p=u/(d.points.space*ae);return s[1]-s[0]<=p}var kr={scale:null,auto:!0,sorted:0,min:pe,max:-pe},sa=(e,t,n,s,i)=>i,
_r={show:!0,auto:!0,sorted:0,gaps:sa,alpha:1,facets:[Ae({},kr,{scale:"x"}),Ae({},kr,{scale:"y"})]},Sr={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:sa,alpha:1,points:{show:rf,filter:null},values:null,min:pe,max:-pe,idxs:[],path:null,clip:null};function af(e,t,n,s,i){return n/10}var ia={
time:!0,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},cf=Ae({},ia,{time:!1,ori:1}),Tr={};function la(e,t){let n=Tr[e];return n||
(n={key:e,plots:[],sub(s){n.plots.push(s)},unsub(s){n.plots=n.plots.filter(i=>i!=s)},pub(s,i,r,a,u,d,p){for(let y=0;y<n.plots.length;y++)n.plots[y]!=
i&&n.plots[y].pub(s,i,r,a,u,d,p)}},e!=null&&(Tr[e]=n)),n}var ls=1,wl=2;function An(e,t,n){let s=e.mode,i=e.series[t],r=s==2?e._data[t]:e._data,
a=e.scales,u=e.bbox,d=r[0],p=s==2?r[1]:r[t],y=s==2?a[i.facets[0].scale]:a[e.series[0].scale],g=s==2?a[i.facets[1].scale]:a[i.scale],w=u.left,
S=u.top,M=u.width,F=u.height,V=e.valToPosH,P=e.valToPosV;return y.ori==0?n(i,d,p,y,g,V,P,w,S,M,F,mi,rs,bi,ra,ca):n(i,d,p,y,g,P,V,S,w,F,M,gi,
as,Nl,aa,ua)}function Rl(e,t){let n=0,s=0,i=oe(e.bands,Al);for(let r=0;r<i.length;r++){let a=i[r];a.series[0]==t?n=a.dir:a.series[1]==t&&(a.
dir==1?s|=1:s|=2)}return[n,s==1?-1:s==2?1:s==3?2:0]}function uf(e,t,n,s,i){let r=e.mode,a=e.series[t],u=r==2?a.facets[1].scale:a.scale,d=e.scales[u];
return i==-1?d.min:i==1?d.max:d.distr==3?d.dir==1?d.min:d.max:0}function Yt(e,t,n,s,i,r){return An(e,t,(a,u,d,p,y,g,w,S,M,F,V)=>{let P=a.pxRound,
x=p.dir*(p.ori==0?1:-1),z=p.ori==0?rs:as,T,Q;x==1?(T=n,Q=s):(T=s,Q=n);let R=P(g(u[T],p,F,S)),J=P(w(d[T],y,V,M)),j=P(g(u[Q],p,F,S)),ee=P(w(r==
1?y.max:y.min,y,V,M)),K=new Path2D(i);return z(K,j,ee),z(K,R,ee),z(K,R,J),K})}function hi(e,t,n,s,i,r){let a=null;if(e.length>0){a=new Path2D;
let u=t==0?bi:Nl,d=n;for(let g=0;g<e.length;g++){let w=e[g];if(w[1]>w[0]){let S=w[0]-d;S>0&&u(a,d,s,S,s+r),d=w[1]}}let p=n+i-d,y=10;p>0&&u(a,
d,s-y/2,p,s+r+y)}return a}function ff(e,t,n){let s=e[e.length-1];s&&s[0]==t?s[1]=n:e.push([t,n])}function Fl(e,t,n,s,i,r,a){let u=[],d=e.length;
for(let p=i==1?n:s;p>=n&&p<=s;p+=i)if(t[p]===null){let g=p,w=p;if(i==1)for(;++p<=s&&t[p]===null;)w=p;else for(;--p>=n&&t[p]===null;)w=p;let S=r(
e[g]),M=w==g?S:r(e[w]),F=g-i;S=a<=0&&F>=0&&F<d?r(e[F]):S;let P=w+i;M=a>=0&&P>=0&&P<d?r(e[P]):M,M>=S&&u.push([S,M])}return u}function Er(e){return e==
0?Cr:e==1?$e:t=>_n(t,e)}function oa(e){let t=e==0?mi:gi,n=e==0?(i,r,a,u,d,p)=>{i.arcTo(r,a,u,d,p)}:(i,r,a,u,d,p)=>{i.arcTo(a,r,d,u,p)},s=e==
0?(i,r,a,u,d)=>{i.rect(r,a,u,d)}:(i,r,a,u,d)=>{i.rect(a,r,d,u)};return(i,r,a,u,d,p=0,y=0)=>{p==0&&y==0?s(i,r,a,u,d):(p=Dt(p,u/2,d/2),y=Dt(y,
u/2,d/2),t(i,r+p,a),n(i,r+u,a,r+u,a+d,p),n(i,r+u,a+d,r,a+d,y),n(i,r,a+d,r,a,y),n(i,r,a,r+u,a,p),i.closePath())}}var mi=(e,t,n)=>{e.moveTo(t,
n)},gi=(e,t,n)=>{e.moveTo(n,t)},rs=(e,t,n)=>{e.lineTo(t,n)},as=(e,t,n)=>{e.lineTo(n,t)},bi=oa(0),Nl=oa(1),ra=(e,t,n,s,i,r)=>{e.arc(t,n,s,i,r)},
aa=(e,t,n,s,i,r)=>{e.arc(n,t,s,i,r)},ca=(e,t,n,s,i,r,a)=>{e.bezierCurveTo(t,n,s,i,r,a)},ua=(e,t,n,s,i,r,a)=>{e.bezierCurveTo(n,t,i,s,a,r)};function fa(e){
return(t,n,s,i,r)=>An(t,n,(a,u,d,p,y,g,w,S,M,F,V)=>{let{pxRound:P,points:x}=a,z,T;p.ori==0?(z=mi,T=ra):(z=gi,T=aa);let Q=he(x.width*ae,3),R=(x.
size-x.width)/2*ae,J=he(R*2,3),j=new Path2D,ee=new Path2D,{left:K,top:E,width:Y,height:N}=t.bbox;bi(ee,K-J,E-J,Y+J*2,N+J*2);let B=I=>{if(d[I]!=
null){let ne=P(g(u[I],p,F,S)),H=P(w(d[I],y,V,M));z(j,ne+R,H),T(j,ne,H,R,0,oi*2)}};if(r)r.forEach(B);else for(let I=s;I<=i;I++)B(I);return{stroke:Q>
0?j:null,fill:j,clip:ee,flags:ls|wl}})}function da(e){return(t,n,s,i,r,a)=>{s!=i&&(r!=s&&a!=s&&e(t,n,s),r!=i&&a!=i&&e(t,n,i),e(t,n,a))}}var df=da(
rs),pf=da(as);function pa(e){let t=oe(e?.alignGaps,0);return(n,s,i,r)=>An(n,s,(a,u,d,p,y,g,w,S,M,F,V)=>{[i,r]=ui(d,i,r);let P=a.pxRound,x=N=>P(
g(N,p,F,S)),z=N=>P(w(N,y,V,M)),T,Q;p.ori==0?(T=rs,Q=df):(T=as,Q=pf);let R=p.dir*(p.ori==0?1:-1),J={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:ls},j=J.stroke,ee=!1;if(r-i>=F*4){let N=C=>n.posToVal(C,p.key,!0),B=null,I=null,ne,H,Qe,ve=x(u[R==1?i:r]),ie=x(u[i]),fe=x(u[r]),
Z=N(R==1?ie+1:fe-1);for(let C=R==1?i:r;C>=i&&C<=r;C+=R){let De=u[C],xe=(R==1?De<Z:De>Z)?ve:x(De),ce=d[C];xe==ve?ce!=null?(H=ce,B==null?(T(j,
xe,z(H)),ne=B=I=H):H<B?B=H:H>I&&(I=H)):ce===null&&(ee=!0):(B!=null&&Q(j,ve,z(B),z(I),z(ne),z(H)),ce!=null?(H=ce,T(j,xe,z(H)),B=I=ne=H):(B=I=
null,ce===null&&(ee=!0)),ve=xe,Z=N(ve+R))}B!=null&&B!=I&&Qe!=ve&&Q(j,ve,z(B),z(I),z(ne),z(H))}else for(let N=R==1?i:r;N>=i&&N<=r;N+=R){let B=d[N];
B===null?ee=!0:B!=null&&T(j,x(u[N]),z(B))}let[E,Y]=Rl(n,s);if(a.fill!=null||E!=0){let N=J.fill=new Path2D(j),B=a.fillTo(n,s,a.min,a.max,E),I=z(
B),ne=x(u[i]),H=x(u[r]);R==-1&&([H,ne]=[ne,H]),T(N,H,I),T(N,ne,I)}if(!a.spanGaps){let N=[];ee&&N.push(...Fl(u,d,i,r,R,x,t)),J.gaps=N=a.gaps(
n,s,i,r,N),J.clip=hi(N,p.ori,S,M,F,V)}return Y!=0&&(J.band=Y==2?[Yt(n,s,i,r,j,-1),Yt(n,s,i,r,j,1)]:Yt(n,s,i,r,j,Y)),J})}function hf(e){let t=oe(
e.align,1),n=oe(e.ascDesc,!1),s=oe(e.alignGaps,0),i=oe(e.extend,!1);return(r,a,u,d)=>An(r,a,(p,y,g,w,S,M,F,V,P,x,z)=>{[u,d]=ui(g,u,d);let T=p.
pxRound,{left:Q,width:R}=r.bbox,J=ie=>T(M(ie,w,x,V)),j=ie=>T(F(ie,S,z,P)),ee=w.ori==0?rs:as,K={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:ls},E=K.stroke,Y=w.dir*(w.ori==0?1:-1),N=j(g[Y==1?u:d]),B=J(y[Y==1?u:d]),I=B,ne=B;i&&t==-1&&(ne=Q,ee(E,ne,N)),ee(E,B,N);for(let ie=Y==
1?u:d;ie>=u&&ie<=d;ie+=Y){let fe=g[ie];if(fe==null)continue;let Z=J(y[ie]),C=j(fe);t==1?ee(E,Z,N):ee(E,I,C),ee(E,Z,C),N=C,I=Z}let H=I;i&&t==
1&&(H=Q+R,ee(E,H,N));let[Qe,ve]=Rl(r,a);if(p.fill!=null||Qe!=0){let ie=K.fill=new Path2D(E),fe=p.fillTo(r,a,p.min,p.max,Qe),Z=j(fe);ee(ie,H,
Z),ee(ie,ne,Z)}if(!p.spanGaps){let ie=[];ie.push(...Fl(y,g,u,d,Y,J,s));let fe=p.width*ae/2,Z=n||t==1?fe:-fe,C=n||t==-1?-fe:fe;ie.forEach(De=>{
De[0]+=Z,De[1]+=C}),K.gaps=ie=p.gaps(r,a,u,d,ie),K.clip=hi(ie,w.ori,V,P,x,z)}return ve!=0&&(K.band=ve==2?[Yt(r,a,u,d,E,-1),Yt(r,a,u,d,E,1)]:
Yt(r,a,u,d,E,ve)),K})}function Mr(e,t,n,s,i,r,a=pe){if(e.length>1){let u=null;for(let d=0,p=1/0;d<e.length;d++)if(t[d]!==void 0){if(u!=null){
let y=Pe(e[d]-e[u]);y<p&&(p=y,a=Pe(n(e[d],s,i,r)-n(e[u],s,i,r)))}u=d}}return a}function mf(e){e=e||Ls;let t=oe(e.size,[.6,pe,1]),n=e.align||
0,s=e.gap||0,i=e.radius;i=i==null?[0,0]:typeof i=="number"?[i,0]:i;let r=te(i),a=1-t[0],u=oe(t[1],pe),d=oe(t[2],1),p=oe(e.disp,Ls),y=oe(e.each,
S=>{}),{fill:g,stroke:w}=p;return(S,M,F,V)=>An(S,M,(P,x,z,T,Q,R,J,j,ee,K,E)=>{let Y=P.pxRound,N=n,B=s*ae,I=u*ae,ne=d*ae,H,Qe;T.ori==0?[H,Qe]=
r(S,M):[Qe,H]=r(S,M);let ve=T.dir*(T.ori==0?1:-1),ie=T.ori==0?bi:Nl,fe=T.ori==0?y:(L,me,Le,Fn,dn,$t,pn)=>{y(L,me,Le,dn,Fn,pn,$t)},Z=oe(S.bands,
Al).find(L=>L.series[0]==M),C=Z!=null?Z.dir:0,De=P.fillTo(S,M,P.min,P.max,C),qe=Y(J(De,Q,E,ee)),xe,ce,vt,Xe=K,_e=Y(P.width*ae),Lt=!1,It=null,
ct=null,Jt=null,$n=null;g!=null&&(_e==0||w!=null)&&(Lt=!0,It=g.values(S,M,F,V),ct=new Map,new Set(It).forEach(L=>{L!=null&&ct.set(L,new Path2D)}),
_e>0&&(Jt=w.values(S,M,F,V),$n=new Map,new Set(Jt).forEach(L=>{L!=null&&$n.set(L,new Path2D)})));let{x0:Pn,size:fs}=p;if(Pn!=null&&fs!=null){
N=1,x=Pn.values(S,M,F,V),Pn.unit==2&&(x=x.map(Le=>S.posToVal(j+Le*K,T.key,!0)));let L=fs.values(S,M,F,V);fs.unit==2?ce=L[0]*K:ce=R(L[0],T,K,
j)-R(0,T,K,j),Xe=Mr(x,z,R,T,K,j,Xe),vt=Xe-ce+B}else Xe=Mr(x,z,R,T,K,j,Xe),vt=Xe*a+B,ce=Xe-vt;vt<1&&(vt=0),_e>=ce/2&&(_e=0),vt<5&&(Y=Cr);let Ns=vt>
0,un=Xe-vt-(Ns?_e:0);ce=Y(gl(un,ne,I)),xe=(N==0?ce/2:N==ve?0:ce)-N*ve*((N==0?B/2:0)+(Ns?_e/2:0));let Ge={stroke:null,fill:null,clip:null,band:null,
gaps:null,flags:0},Rn=Lt?null:new Path2D,Vt=null;if(Z!=null)Vt=S.data[Z.series[1]];else{let{y0:L,y1:me}=p;L!=null&&me!=null&&(z=me.values(S,
M,F,V),Vt=L.values(S,M,F,V))}let fn=H*ce,U=Qe*ce;for(let L=ve==1?F:V;L>=F&&L<=V;L+=ve){let me=z[L];if(me==null)continue;if(Vt!=null){let Je=Vt[L]??
0;if(me-Je==0)continue;qe=J(Je,Q,E,ee)}let Le=T.distr!=2||p!=null?x[L]:L,Fn=R(Le,T,K,j),dn=J(oe(me,De),Q,E,ee),$t=Y(Fn-xe),pn=Y(Ye(dn,qe)),et=Y(
Dt(dn,qe)),ut=pn-et;if(me!=null){let Je=me<0?U:fn,xt=me<0?fn:U;Lt?(_e>0&&Jt[L]!=null&&ie($n.get(Jt[L]),$t,et+ot(_e/2),ce,Ye(0,ut-_e),Je,xt),
It[L]!=null&&ie(ct.get(It[L]),$t,et+ot(_e/2),ce,Ye(0,ut-_e),Je,xt)):ie(Rn,$t,et+ot(_e/2),ce,Ye(0,ut-_e),Je,xt),fe(S,M,L,$t-_e/2,et,ce+_e,ut)}}
return _e>0?Ge.stroke=Lt?$n:Rn:Lt||(Ge._fill=P.width==0?P._fill:P._stroke??P._fill,Ge.width=0),Ge.fill=Lt?ct:Rn,Ge})}function gf(e,t){let n=oe(
t?.alignGaps,0);return(s,i,r,a)=>An(s,i,(u,d,p,y,g,w,S,M,F,V,P)=>{[r,a]=ui(p,r,a);let x=u.pxRound,z=H=>x(w(H,y,V,M)),T=H=>x(S(H,g,P,F)),Q,R,
J;y.ori==0?(Q=mi,J=rs,R=ca):(Q=gi,J=as,R=ua);let j=y.dir*(y.ori==0?1:-1),ee=z(d[j==1?r:a]),K=ee,E=[],Y=[];for(let H=j==1?r:a;H>=r&&H<=a;H+=j)
if(p[H]!=null){let ve=d[H],ie=z(ve);E.push(K=ie),Y.push(T(p[H]))}let N={stroke:e(E,Y,Q,J,R,x),fill:null,clip:null,band:null,gaps:null,flags:ls},
B=N.stroke,[I,ne]=Rl(s,i);if(u.fill!=null||I!=0){let H=N.fill=new Path2D(B),Qe=u.fillTo(s,i,u.min,u.max,I),ve=T(Qe);J(H,K,ve),J(H,ee,ve)}if(!u.
spanGaps){let H=[];H.push(...Fl(d,p,r,a,j,z,n)),N.gaps=H=u.gaps(s,i,r,a,H),N.clip=hi(H,y.ori,M,F,V,P)}return ne!=0&&(N.band=ne==2?[Yt(s,i,r,
a,B,-1),Yt(s,i,r,a,B,1)]:Yt(s,i,r,a,B,ne)),N})}function bf(e){return gf(yf,e)}function yf(e,t,n,s,i,r){let a=e.length;if(a<2)return null;let u=new Path2D;
if(n(u,e[0],t[0]),a==2)s(u,e[1],t[1]);else{let d=Array(a),p=Array(a-1),y=Array(a-1),g=Array(a-1);for(let w=0;w<a-1;w++)y[w]=t[w+1]-t[w],g[w]=
e[w+1]-e[w],p[w]=y[w]/g[w];d[0]=p[0];for(let w=1;w<a-1;w++)p[w]===0||p[w-1]===0||p[w-1]>0!=p[w]>0?d[w]=0:(d[w]=3*(g[w-1]+g[w])/((2*g[w]+g[w-
1])/p[w-1]+(g[w]+2*g[w-1])/p[w]),isFinite(d[w])||(d[w]=0));d[a-1]=p[a-2];for(let w=0;w<a-1;w++)i(u,e[w]+g[w]/3,t[w]+d[w]*g[w]/3,e[w+1]-g[w]/
3,t[w+1]-d[w+1]*g[w]/3,e[w+1],t[w+1])}return u}var vl=new Set;function Ar(){for(let e of vl)e.syncRect(!0)}os&&(En(Jc,ts,Ar),En(Zc,ts,Ar,!0),
En(ri,ts,()=>{We.pxRatio=ae}));var wf=pa(),vf=fa();function Dr(e,t,n,s){return(s?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map(
(r,a)=>xl(r,a,t,n))}function xf(e,t){return e.map((n,s)=>s==0?{}:Ae({},t,n))}function xl(e,t,n,s){return Ae({},t==0?n:s,e)}function ha(e,t,n){
return t==null?ss:[t,n]}var kf=ha;function _f(e,t,n){return t==null?ss:ai(t,n,El,!0)}function ma(e,t,n,s){return t==null?ss:fi(t,n,e.scales[s].
log,!1)}var Sf=ma;function ga(e,t,n,s){return t==null?ss:Tl(t,n,e.scales[s].log,!1)}var Tf=ga;function Ef(e,t,n,s,i){let r=Ye(rr(e),rr(t)),a=t-
e,u=At(i/s*a,n);do{let d=n[u],p=s*d/a;if(p>=i&&r+(d<5?on.get(d):0)<=17)return[d,p]}while(++u<n.length);return[0,0]}function Lr(e){let t,n;return e=
e.replace(/(\d+)px/,(s,i)=>(t=$e((n=+i)*ae))+"px"),[e,t,n]}function Mf(e){e.show&&[e.font,e.labelFont].forEach(t=>{let n=he(t[2]*ae,1);t[0]=
t[0].replace(/[0-9.]+px/,n+"px"),t[1]=n})}function We(e,t,n){let s={mode:oe(e.mode,1)},i=s.mode;function r(l,o,c,f){let m=o.valToPct(l);return f+
c*(o.dir==-1?1-m:m)}function a(l,o,c,f){let m=o.valToPct(l);return f+c*(o.dir==-1?m:1-m)}function u(l,o,c,f){return o.ori==0?r(l,o,c,f):a(l,
o,c,f)}s.valToPosH=r,s.valToPosV=a;let d=!1;s.status=0;let p=s.root=yt(Rc);if(e.id!=null&&(p.id=e.id),lt(p,e.class),e.title){let l=yt(Cc,p);
l.textContent=e.title}let y=Mt("canvas"),g=s.ctx=y.getContext("2d"),w=yt(Oc,p);En("click",w,l=>{l.target===M&&(ge!=Gn||ke!=Kn)&&Ve.click(s,l)},
!0);let S=s.under=yt(zc,w);w.appendChild(y);let M=s.over=yt(Hc,w);e=is(e);let F=+oe(e.pxAlign,1),V=Er(F);(e.plugins||[]).forEach(l=>{l.opts&&
(e=l.opts(s,e)||e)});let P=e.ms||.001,x=s.series=i==1?Dr(e.series||[],wr,Sr,!1):xf(e.series||[null],_r),z=s.axes=Dr(e.axes||[],yr,xr,!0),T=s.
scales={},Q=s.bands=e.bands||[];Q.forEach(l=>{l.fill=te(l.fill||null),l.dir=oe(l.dir,-1)});let R=i==2?x[1].facets[0].scale:x[0].scale,J={axes:Ua,
series:Ba},j=(e.drawOrder||["axes","series"]).map(l=>J[l]);function ee(l){let o=l.distr==3?c=>Ut(c>0?c:l.clamp(s,c,l.min,l.max,l.key)):l.distr==
4?c=>al(c,l.asinh):l.distr==100?c=>l.fwd(c):c=>c;return c=>{let f=o(c),{_min:m,_max:b}=l,v=b-m;return(f-m)/v}}function K(l){let o=T[l];if(o==
null){let c=(e.scales||Ls)[l]||Ls;if(c.from!=null){K(c.from);let f=Ae({},T[c.from],c,{key:l});f.valToPct=ee(f),T[l]=f}else{o=T[l]=Ae({},l==R?
ia:cf,c),o.key=l;let f=o.time,m=o.range,b=ln(m);if((l!=R||i==2&&!f)&&(b&&(m[0]==null||m[1]==null)&&(m={min:m[0]==null?ir:{mode:1,hard:m[0],soft:m[0]},
max:m[1]==null?ir:{mode:1,hard:m[1],soft:m[1]}},b=!1),!b&&pi(m))){let v=m;m=(k,_,A)=>_==null?ss:ai(_,A,v)}o.range=te(m||(f?kf:l==R?o.distr==
3?Sf:o.distr==4?Tf:ha:o.distr==3?ma:o.distr==4?ga:_f)),o.auto=te(b?!1:o.auto),o.clamp=te(o.clamp||af),o._min=o._max=null,o.valToPct=ee(o)}}}
K("x"),K("y"),i==1&&x.forEach(l=>{K(l.scale)}),z.forEach(l=>{K(l.scale)});for(let l in e.scales)K(l);let E=T[R],Y=E.distr,N,B;E.ori==0?(lt(p,
Fc),N=r,B=a):(lt(p,Nc),N=a,B=r);let I={};for(let l in T){let o=T[l];(o.min!=null||o.max!=null)&&(I[l]={min:o.min,max:o.max},o.min=o.max=null)}
let ne=e.tzDate||(l=>new Date($e(l/P))),H=e.fmtDate||Dl,Qe=P==1?Fu(ne):Ou(ne),ve=mr(ne,hr(P==1?Ru:Cu,H)),ie=br(ne,gr(Hu,H)),fe=[],Z=s.legend=
Ae({},Wu,e.legend),C=s.cursor=Ae({},Uu,{drag:{y:i==2}},e.cursor),De=Z.show,qe=C.show,xe=Z.markers;Z.idxs=fe,xe.width=te(xe.width),xe.dash=te(
xe.dash),xe.stroke=te(xe.stroke),xe.fill=te(xe.fill);let ce,vt,Xe,_e=[],Lt=[],It,ct=!1,Jt={};if(Z.live){let l=x[1]?x[1].values:null;ct=l!=null,
It=ct?l(s,1,0):{_:0};for(let o in It)Jt[o]=_l}if(De)if(ce=Mt("table",Gc,p),Xe=Mt("tbody",null,ce),Z.mount(s,ce),ct){vt=Mt("thead",null,ce,Xe);
let l=Mt("tr",null,vt);Mt("th",null,l);for(var $n in It)Mt("th",Go,l).textContent=$n}else lt(ce,jc),Z.live&&lt(ce,Kc);let Pn={show:!0},fs={show:!1};
function Ns(l,o){if(o==0&&(ct||!Z.live||i==2))return ss;let c=[],f=Mt("tr",Uc,Xe,Xe.childNodes[o]);lt(f,l.class),l.show||lt(f,Tn);let m=Mt("\
th",null,f);if(xe.show){let k=yt(Yc,m);if(o>0){let _=xe.width(s,o);_&&(k.style.border=_+"px "+xe.dash(s,o)+" "+xe.stroke(s,o)),k.style.background=
xe.fill(s,o)}}let b=yt(Go,m);l.label instanceof HTMLElement?b.appendChild(l.label):b.textContent=l.label,o>0&&(xe.show||(b.style.color=l.width>
0?xe.stroke(s,o):xe.fill(s,o)),Ge("click",m,k=>{if(C._lock)return;mn(k);let _=x.indexOf(l);if((k.ctrlKey||k.metaKey)!=Z.isolate){let A=x.some(
(D,$)=>$>0&&$!=_&&D.show);x.forEach((D,$)=>{$>0&&Rt($,A?$==_?Pn:fs:Pn,!0,Me.setSeries)})}else Rt(_,{show:!l.show},!0,Me.setSeries)},!1),Cn&&
Ge(Yo,m,k=>{C._lock||(mn(k),Rt(x.indexOf(l),Un,!0,Me.setSeries))},!1));for(var v in It){let k=Mt("td",Qc,f);k.textContent="--",c.push(k)}return[
f,c]}let un=new Map;function Ge(l,o,c,f=!0){let m=un.get(o)||{},b=C.bind[l](s,o,c,f);b&&(En(l,o,m[l]=b),un.set(o,m))}function Rn(l,o,c){let f=un.
get(o)||{};for(let m in f)(l==null||m==l)&&(ml(m,o,f[m]),delete f[m]);l==null&&un.delete(o)}let Vt=0,fn=0,U=0,L=0,me=0,Le=0,Fn=me,dn=Le,$t=U,
pn=L,et=0,ut=0,Je=0,xt=0;s.bbox={};let ki=!1,Cs=!1,Nn=!1,hn=!1,Os=!1,ft=!1;function _i(l,o,c){(c||l!=s.width||o!=s.height)&&Il(l,o),Vn(!1),Nn=
!0,Cs=!0,Wn()}function Il(l,o){s.width=Vt=U=l,s.height=fn=L=o,me=Le=0,Ca(),Oa();let c=s.bbox;et=c.left=_n(me*ae,.5),ut=c.top=_n(Le*ae,.5),Je=
c.width=_n(U*ae,.5),xt=c.height=_n(L*ae,.5)}let Ra=3;function Fa(){let l=!1,o=0;for(;!l;){o++;let c=Ka(o),f=ja(o);l=o==Ra||c&&f,l||(Il(s.width,
s.height),Cs=!0)}}function Na({width:l,height:o}){_i(l,o)}s.setSize=Na;function Ca(){let l=!1,o=!1,c=!1,f=!1;z.forEach((m,b)=>{if(m.show&&m.
_show){let{side:v,_size:k}=m,_=v%2,A=m.label!=null?m.labelSize:0,D=k+A;D>0&&(_?(U-=D,v==3?(me+=D,f=!0):c=!0):(L-=D,v==0?(Le+=D,l=!0):o=!0))}}),
gn[0]=l,gn[1]=c,gn[2]=o,gn[3]=f,U-=Zt[1]+Zt[3],me+=Zt[3],L-=Zt[2]+Zt[0],Le+=Zt[0]}function Oa(){let l=me+U,o=Le+L,c=me,f=Le;function m(b,v){
switch(b){case 1:return l+=v,l-v;case 2:return o+=v,o-v;case 3:return c-=v,c+v;case 0:return f-=v,f+v}}z.forEach((b,v)=>{if(b.show&&b._show){
let k=b.side;b._pos=m(k,b._size),b.label!=null&&(b._lpos=m(k,b.labelSize))}})}if(C.dataIdx==null){let l=C.hover,o=l.skip=new Set(l.skip??[]);
o.add(void 0);let c=l.prox=te(l.prox),f=l.bias??=0;C.dataIdx=(m,b,v,k)=>{if(b==0)return v;let _=v,A=c(m,b,v,k)??pe,D=A>=0&&A<pe,$=E.ori==0?U:
L,q=C.left,re=t[0],le=t[b];if(o.has(le[v])){_=null;let X=null,W=null,O;if(f==0||f==-1)for(O=v;X==null&&O-- >0;)o.has(le[O])||(X=O);if(f==0||
f==1)for(O=v;W==null&&O++<le.length;)o.has(le[O])||(W=O);if(X!=null||W!=null)if(D){let ye=X==null?-1/0:N(re[X],E,$,0),Te=W==null?1/0:N(re[W],
E,$,0),He=q-ye,de=Te-q;He<=de?He<=A&&(_=X):de<=A&&(_=W)}else _=W==null?X:X==null?W:v-X<=W-v?X:W}else D&&Pe(q-N(re[v],E,$,0))>A&&(_=null);return _}}
let mn=l=>{C.event=l};C.idxs=fe,C._lock=!1;let Be=C.points;Be.show=te(Be.show),Be.size=te(Be.size),Be.stroke=te(Be.stroke),Be.width=te(Be.width),
Be.fill=te(Be.fill);let Pt=s.focus=Ae({},e.focus||{alpha:.3},C.focus),Cn=Pt.prox>=0,On=Cn&&Be.one,dt=[],zn=[],Hn=[];function Vl(l,o){let c=Be.
show(s,o);if(c instanceof HTMLElement)return lt(c,qc),lt(c,l.class),Ht(c,-10,-10,U,L),M.insertBefore(c,dt[o]),c}function Wl(l,o){if(i==1||o>
0){let c=i==1&&T[l.scale].time,f=l.value;l.value=c?ur(f)?br(ne,gr(f,H)):f||ie:f||lf,l.label=l.label||(c?Qu:Yu)}if(On||o>0){l.width=l.width==
null?1:l.width,l.paths=l.paths||wf||au,l.fillTo=te(l.fillTo||uf),l.pxAlign=+oe(l.pxAlign,F),l.pxRound=Er(l.pxAlign),l.stroke=te(l.stroke||null),
l.fill=te(l.fill||null),l._stroke=l._fill=l._paths=l._focus=null;let c=of(Ye(1,l.width),1),f=l.points=Ae({},{size:c,width:Ye(1,c*.2),stroke:l.
stroke,space:c*2,paths:vf,_stroke:null,_fill:null},l.points);f.show=te(f.show),f.filter=te(f.filter),f.fill=te(f.fill),f.stroke=te(f.stroke),
f.paths=te(f.paths),f.pxAlign=l.pxAlign}if(De){let c=Ns(l,o);_e.splice(o,0,c[0]),Lt.splice(o,0,c[1]),Z.values.push(null)}if(qe){fe.splice(o,
0,null);let c=null;On?o==0&&(c=Vl(l,o)):o>0&&(c=Vl(l,o)),dt.splice(o,0,c),zn.splice(o,0,0),Hn.splice(o,0,0)}ze("addSeries",o)}function za(l,o){
o=o??x.length,l=i==1?xl(l,o,wr,Sr):xl(l,o,{},_r),x.splice(o,0,l),Wl(x[o],o)}s.addSeries=za;function Ha(l){if(x.splice(l,1),De){Z.values.splice(
l,1),Lt.splice(l,1);let o=_e.splice(l,1)[0];Rn(null,o.firstChild),o.remove()}qe&&(fe.splice(l,1),dt.splice(l,1)[0].remove(),zn.splice(l,1),Hn.
splice(l,1)),ze("delSeries",l)}s.delSeries=Ha;let gn=[!1,!1,!1,!1];function Ia(l,o){if(l._show=l.show,l.show){let c=l.side%2,f=T[l.scale];f==
null&&(l.scale=c?x[1].scale:R,f=T[l.scale]);let m=f.time;l.size=te(l.size),l.space=te(l.space),l.rotate=te(l.rotate),ln(l.incrs)&&l.incrs.forEach(
v=>{!on.has(v)&&on.set(v,Hr(v))}),l.incrs=te(l.incrs||(f.distr==2?Lu:m?P==1?Pu:Nu:Sn)),l.splits=te(l.splits||(m&&f.distr==1?Qe:f.distr==3?bl:
f.distr==4?Xu:Zu)),l.stroke=te(l.stroke),l.grid.stroke=te(l.grid.stroke),l.ticks.stroke=te(l.ticks.stroke),l.border.stroke=te(l.border.stroke);
let b=l.values;l.values=ln(b)&&!ln(b[0])?te(b):m?ln(b)?mr(ne,hr(b,H)):ur(b)?zu(ne,b):b||ve:b||Ju,l.filter=te(l.filter||(f.distr>=3&&f.log==10?
nf:f.distr==3&&f.log==2?sf:Or)),l.font=Lr(l.font),l.labelFont=Lr(l.labelFont),l._size=l.size(s,null,o,0),l._space=l._rotate=l._incrs=l._found=
l._splits=l._values=null,l._size>0&&(gn[o]=!0,l._el=yt(Ic,w))}}function ds(l,o,c,f){let[m,b,v,k]=c,_=o%2,A=0;return _==0&&(k||b)&&(A=o==0&&!m||
o==2&&!v?$e(yr.size/3):0),_==1&&(m||v)&&(A=o==1&&!b||o==3&&!k?$e(xr.size/2):0),A}let Bl=s.padding=(e.padding||[ds,ds,ds,ds]).map(l=>te(oe(l,
ds))),Zt=s._padding=Bl.map((l,o)=>l(s,o,gn,0)),Ie,Fe=null,Ne=null,zs=i==1?x[0].idxs:null,kt=null,ps=!1;function ql(l,o){if(t=l??[],s.data=s.
_data=t,i==2){Ie=0;for(let c=1;c<x.length;c++)Ie+=t[c][0].length}else{t.length==0&&(s.data=s._data=t=[[]]),kt=t[0],Ie=kt.length;let c=t;if(Y==
2){c=t.slice();let f=c[0]=Array(Ie);for(let m=0;m<Ie;m++)f[m]=m}s._data=t=c}if(Vn(!0),ze("setData"),Y==2&&(Nn=!0),o!==!1){let c=E;c.auto(s,ps)?
Si():en(R,c.min,c.max),hn=hn||C.left>=0,ft=!0,Wn()}}s.setData=ql;function Si(){ps=!0;let l,o;i==1&&(Ie>0?(Fe=zs[0]=0,Ne=zs[1]=Ie-1,l=t[0][Fe],
o=t[0][Ne],Y==2?(l=Fe,o=Ne):l==o&&(Y==3?[l,o]=fi(l,l,E.log,!1):Y==4?[l,o]=Tl(l,l,E.log,!1):E.time?o=l+$e(86400/P):[l,o]=ai(l,o,El,!0))):(Fe=
zs[0]=l=null,Ne=zs[1]=o=null)),en(R,l,o)}let Hs,In,Ti,Ei,Mi,Ai,Di,Li,$i,Ze;function Gl(l,o,c,f,m,b){l??=jo,c??=Al,f??="butt",m??=jo,b??="rou\
nd",l!=Hs&&(g.strokeStyle=Hs=l),m!=In&&(g.fillStyle=In=m),o!=Ti&&(g.lineWidth=Ti=o),b!=Mi&&(g.lineJoin=Mi=b),f!=Ai&&(g.lineCap=Ai=f),c!=Ei&&
g.setLineDash(Ei=c)}function Kl(l,o,c,f){o!=In&&(g.fillStyle=In=o),l!=Di&&(g.font=Di=l),c!=Li&&(g.textAlign=Li=c),f!=$i&&(g.textBaseline=$i=
f)}function Pi(l,o,c,f,m=0){if(f.length>0&&l.auto(s,ps)&&(o==null||o.min==null)){let b=oe(Fe,0),v=oe(Ne,f.length-1),k=c.min==null?nu(f,b,v,m,
l.distr==3):[c.min,c.max];l.min=Dt(l.min,c.min=k[0]),l.max=Ye(l.max,c.max=k[1])}}let jl={min:null,max:null};function Va(){for(let f in T){let m=T[f];
I[f]==null&&(m.min==null||I[R]!=null&&m.auto(s,ps))&&(I[f]=jl)}for(let f in T){let m=T[f];I[f]==null&&m.from!=null&&I[m.from]!=null&&(I[f]=jl)}
I[R]!=null&&Vn(!0);let l={};for(let f in I){let m=I[f];if(m!=null){let b=l[f]=is(T[f],fu);if(m.min!=null)Ae(b,m);else if(f!=R||i==2)if(Ie==0&&
b.from==null){let v=b.range(s,null,null,f);b.min=v[0],b.max=v[1]}else b.min=pe,b.max=-pe}}if(Ie>0){x.forEach((f,m)=>{if(i==1){let b=f.scale,
v=I[b];if(v==null)return;let k=l[b];if(m==0){let _=k.range(s,k.min,k.max,b);k.min=_[0],k.max=_[1],Fe=At(k.min,t[0]),Ne=At(k.max,t[0]),Ne-Fe>
1&&(t[0][Fe]<k.min&&Fe++,t[0][Ne]>k.max&&Ne--),f.min=kt[Fe],f.max=kt[Ne]}else f.show&&f.auto&&Pi(k,v,f,t[m],f.sorted);f.idxs[0]=Fe,f.idxs[1]=
Ne}else if(m>0&&f.show&&f.auto){let[b,v]=f.facets,k=b.scale,_=v.scale,[A,D]=t[m],$=l[k],q=l[_];$!=null&&Pi($,I[k],b,A,b.sorted),q!=null&&Pi(
q,I[_],v,D,v.sorted),f.min=v.min,f.max=v.max}});for(let f in l){let m=l[f],b=I[f];if(m.from==null&&(b==null||b.min==null)){let v=m.range(s,m.
min==pe?null:m.min,m.max==-pe?null:m.max,f);m.min=v[0],m.max=v[1]}}}for(let f in l){let m=l[f];if(m.from!=null){let b=l[m.from];if(b.min==null)
m.min=m.max=null;else{let v=m.range(s,b.min,b.max,f);m.min=v[0],m.max=v[1]}}}let o={},c=!1;for(let f in l){let m=l[f],b=T[f];if(b.min!=m.min||
b.max!=m.max){b.min=m.min,b.max=m.max;let v=b.distr;b._min=v==3?Ut(b.min):v==4?al(b.min,b.asinh):v==100?b.fwd(b.min):b.min,b._max=v==3?Ut(b.
max):v==4?al(b.max,b.asinh):v==100?b.fwd(b.max):b.max,o[f]=c=!0}}if(c){x.forEach((f,m)=>{i==2?m>0&&o.y&&(f._paths=null):o[f.scale]&&(f._paths=
null)});for(let f in o)Nn=!0,ze("setScale",f);qe&&C.left>=0&&(hn=ft=!0)}for(let f in I)I[f]=null}function Wa(l){let o=gl(Fe-1,0,Ie-1),c=gl(Ne+
1,0,Ie-1);for(;l[o]==null&&o>0;)o--;for(;l[c]==null&&c<Ie-1;)c++;return[o,c]}function Ba(){if(Ie>0){let l=x.some(o=>o._focus)&&Ze!=Pt.alpha;
l&&(g.globalAlpha=Ze=Pt.alpha),x.forEach((o,c)=>{if(c>0&&o.show&&(Ul(c,!1),Ul(c,!0),o._paths==null)){let f=Ze;Ze!=o.alpha&&(g.globalAlpha=Ze=
o.alpha);let m=i==2?[0,t[c][0].length-1]:Wa(t[c]);o._paths=o.paths(s,c,m[0],m[1]),Ze!=f&&(g.globalAlpha=Ze=f)}}),x.forEach((o,c)=>{if(c>0&&o.
show){let f=Ze;Ze!=o.alpha&&(g.globalAlpha=Ze=o.alpha),o._paths!=null&&Yl(c,!1);{let m=o._paths!=null?o._paths.gaps:null,b=o.points.show(s,c,
Fe,Ne,m),v=o.points.filter(s,c,b,m);(b||v)&&(o.points._paths=o.points.paths(s,c,Fe,Ne,v),Yl(c,!0))}Ze!=f&&(g.globalAlpha=Ze=f),ze("drawSerie\
s",c)}}),l&&(g.globalAlpha=Ze=1)}}function Ul(l,o){let c=o?x[l].points:x[l];c._stroke=c.stroke(s,l),c._fill=c.fill(s,l)}function Yl(l,o){let c=o?
x[l].points:x[l],{stroke:f,fill:m,clip:b,flags:v,_stroke:k=c._stroke,_fill:_=c._fill,_width:A=c.width}=c._paths;A=he(A*ae,3);let D=null,$=A%
2/2;o&&_==null&&(_=A>0?"#fff":k);let q=c.pxAlign==1&&$>0;if(q&&g.translate($,$),!o){let re=et-A/2,le=ut-A/2,X=Je+A,W=xt+A;D=new Path2D,D.rect(
re,le,X,W)}o?Ri(k,A,c.dash,c.cap,_,f,m,v,b):qa(l,k,A,c.dash,c.cap,_,f,m,v,D,b),q&&g.translate(-$,-$)}function qa(l,o,c,f,m,b,v,k,_,A,D){let $=!1;
_!=0&&Q.forEach((q,re)=>{if(q.series[0]==l){let le=x[q.series[1]],X=t[q.series[1]],W=(le._paths||Ls).band;ln(W)&&(W=q.dir==1?W[0]:W[1]);let O,
ye=null;le.show&&W&&iu(X,Fe,Ne)?(ye=q.fill(s,re)||b,O=le._paths.clip):W=null,Ri(o,c,f,m,ye,v,k,_,A,D,O,W),$=!0}}),$||Ri(o,c,f,m,b,v,k,_,A,D)}
let Ql=ls|wl;function Ri(l,o,c,f,m,b,v,k,_,A,D,$){Gl(l,o,c,f,m),(_||A||$)&&(g.save(),_&&g.clip(_),A&&g.clip(A)),$?(k&Ql)==Ql?(g.clip($),D&&g.
clip(D),Vs(m,v),Is(l,b,o)):k&wl?(Vs(m,v),g.clip($),Is(l,b,o)):k&ls&&(g.save(),g.clip($),D&&g.clip(D),Vs(m,v),g.restore(),Is(l,b,o)):(Vs(m,v),
Is(l,b,o)),(_||A||$)&&g.restore()}function Is(l,o,c){c>0&&(o instanceof Map?o.forEach((f,m)=>{g.strokeStyle=Hs=m,g.stroke(f)}):o!=null&&l&&g.
stroke(o))}function Vs(l,o){o instanceof Map?o.forEach((c,f)=>{g.fillStyle=In=f,g.fill(c)}):o!=null&&l&&g.fill(o)}function Ga(l,o,c,f){let m=z[l],
b;if(f<=0)b=[0,0];else{let v=m._space=m.space(s,l,o,c,f),k=m._incrs=m.incrs(s,l,o,c,f,v);b=Ef(o,c,k,f,v)}return m._found=b}function Fi(l,o,c,f,m,b,v,k,_,A){
let D=v%2/2;F==1&&g.translate(D,D),Gl(k,v,_,A,k),g.beginPath();let $,q,re,le,X=m+(f==0||f==3?-b:b);c==0?(q=m,le=X):($=m,re=X);for(let W=0;W<
l.length;W++)o[W]!=null&&(c==0?$=re=l[W]:q=le=l[W],g.moveTo($,q),g.lineTo(re,le));g.stroke(),F==1&&g.translate(-D,-D)}function Ka(l){let o=!0;
return z.forEach((c,f)=>{if(!c.show)return;let m=T[c.scale];if(m.min==null){c._show&&(o=!1,c._show=!1,Vn(!1));return}else c._show||(o=!1,c._show=
!0,Vn(!1));let b=c.side,v=b%2,{min:k,max:_}=m,[A,D]=Ga(f,k,_,v==0?U:L);if(D==0)return;let $=m.distr==2,q=c._splits=c.splits(s,f,k,_,A,D,$),re=m.
distr==2?q.map(O=>kt[O]):q,le=m.distr==2?kt[q[1]]-kt[q[0]]:A,X=c._values=c.values(s,c.filter(s,re,f,D,le),f,D,le);c._rotate=b==2?c.rotate(s,
X,f,D):0;let W=c._size;c._size=wt(c.size(s,X,f,l)),W!=null&&c._size!=W&&(o=!1)}),o}function ja(l){let o=!0;return Bl.forEach((c,f)=>{let m=c(
s,f,gn,l);m!=Zt[f]&&(o=!1),Zt[f]=m}),o}function Ua(){for(let l=0;l<z.length;l++){let o=z[l];if(!o.show||!o._show)continue;let c=o.side,f=c%2,
m,b,v=o.stroke(s,l),k=c==0||c==3?-1:1,[_,A]=o._found;if(o.label!=null){let je=o.labelGap*k,st=$e((o._lpos+je)*ae);Kl(o.labelFont[0],v,"cente\
r",c==2?"top":Ko),g.save(),f==1?(m=b=0,g.translate(st,$e(ut+xt/2)),g.rotate((c==3?-oi:oi)/2)):(m=$e(et+Je/2),b=st);let wn=Nr(o.label)?o.label(
s,l,_,A):o.label;g.fillText(wn,m,b),g.restore()}if(A==0)continue;let D=T[o.scale],$=f==0?Je:xt,q=f==0?et:ut,re=o._splits,le=D.distr==2?re.map(
je=>kt[je]):re,X=D.distr==2?kt[re[1]]-kt[re[0]]:_,W=o.ticks,O=o.border,ye=W.show?W.size:0,Te=$e(ye*ae),He=$e((o.alignTo==2?o._size-ye-o.gap:
o.gap)*ae),de=o._rotate*-oi/180,Ee=V(o._pos*ae),tt=(Te+He)*k,Ke=Ee+tt;b=f==0?Ke:0,m=f==1?Ke:0;let pt=o.font[0],_t=o.align==1?Xn:o.align==2?ll:
de>0?Xn:de<0?ll:f==0?"center":c==3?ll:Xn,Nt=de||f==1?"middle":c==2?"top":Ko;Kl(pt,v,_t,Nt);let nt=o.font[1]*o.lineGap,ht=re.map(je=>V(u(je,D,
$,q))),St=o._values;for(let je=0;je<St.length;je++){let st=St[je];if(st!=null){f==0?m=ht[je]:b=ht[je],st=""+st;let wn=st.indexOf(`
`)==-1?[st]:st.split(/\n/gm);for(let Ue=0;Ue<wn.length;Ue++){let go=wn[Ue];de?(g.save(),g.translate(m,b+Ue*nt),g.rotate(de),g.fillText(go,0,
0),g.restore()):g.fillText(go,m,b+Ue*nt)}}}W.show&&Fi(ht,W.filter(s,le,l,A,X),f,c,Ee,Te,he(W.width*ae,3),W.stroke(s,l),W.dash,W.cap);let Ct=o.
grid;Ct.show&&Fi(ht,Ct.filter(s,le,l,A,X),f,f==0?2:1,f==0?ut:et,f==0?xt:Je,he(Ct.width*ae,3),Ct.stroke(s,l),Ct.dash,Ct.cap),O.show&&Fi([Ee],
[1],f==0?1:0,f==0?1:2,f==1?ut:et,f==1?xt:Je,he(O.width*ae,3),O.stroke(s,l),O.dash,O.cap)}ze("drawAxes")}function Vn(l){x.forEach((o,c)=>{c>0&&
(o._paths=null,l&&(i==1?(o.min=null,o.max=null):o.facets.forEach(f=>{f.min=null,f.max=null})))})}let Ws=!1,Ni=!1,hs=[];function Ya(){Ni=!1;for(let l=0;l<
hs.length;l++)ze(...hs[l]);hs.length=0}function Wn(){Ws||(yu(Jl),Ws=!0)}function Qa(l,o=!1){Ws=!0,Ni=o,l(s),Jl(),o&&hs.length>0&&queueMicrotask(
Ya)}s.batch=Qa;function Jl(){if(ki&&(Va(),ki=!1),Nn&&(Fa(),Nn=!1),Cs){if(we(S,Xn,me),we(S,"top",Le),we(S,Es,U),we(S,Ms,L),we(M,Xn,me),we(M,"\
top",Le),we(M,Es,U),we(M,Ms,L),we(w,Es,Vt),we(w,Ms,fn),y.width=$e(Vt*ae),y.height=$e(fn*ae),z.forEach(({_el:l,_show:o,_size:c,_pos:f,side:m})=>{
if(l!=null)if(o){let b=m===3||m===0?c:0,v=m%2==1;we(l,v?"left":"top",f-b),we(l,v?"width":"height",c),we(l,v?"top":"left",v?Le:me),we(l,v?"he\
ight":"width",v?L:U),hl(l,Tn)}else lt(l,Tn)}),Hs=In=Ti=Mi=Ai=Di=Li=$i=Ei=null,Ze=1,bs(!0),me!=Fn||Le!=dn||U!=$t||L!=pn){Vn(!1);let l=U/$t,o=L/
pn;if(qe&&!hn&&C.left>=0){C.left*=l,C.top*=o,Bn&&Ht(Bn,$e(C.left),0,U,L),qn&&Ht(qn,0,$e(C.top),U,L);for(let c=0;c<dt.length;c++){let f=dt[c];
f!=null&&(zn[c]*=l,Hn[c]*=o,Ht(f,wt(zn[c]),wt(Hn[c]),U,L))}}if(be.show&&!Os&&be.left>=0&&be.width>0){be.left*=l,be.width*=l,be.top*=o,be.height*=
o;for(let c in Vi)we(jn,c,be[c])}Fn=me,dn=Le,$t=U,pn=L}ze("setSize"),Cs=!1}Vt>0&&fn>0&&(g.clearRect(0,0,y.width,y.height),ze("drawClear"),j.
forEach(l=>l()),ze("draw")),be.show&&Os&&(Bs(be),Os=!1),qe&&hn&&(yn(null,!0,!1),hn=!1),Z.show&&Z.live&&ft&&(Hi(),ft=!1),d||(d=!0,s.status=1,
ze("ready")),ps=!1,Ws=!1}s.redraw=(l,o)=>{Nn=o||!1,l!==!1?en(R,E.min,E.max):Wn()};function Ci(l,o){let c=T[l];if(c.from==null){if(Ie==0){let f=c.
range(s,o.min,o.max,l);o.min=f[0],o.max=f[1]}if(o.min>o.max){let f=o.min;o.min=o.max,o.max=f}if(Ie>1&&o.min!=null&&o.max!=null&&o.max-o.min<
1e-16)return;l==R&&c.distr==2&&Ie>0&&(o.min=At(o.min,t[0]),o.max=At(o.max,t[0]),o.min==o.max&&o.max++),I[l]=o,ki=!0,Wn()}}s.setScale=Ci;let Oi,
zi,Bn,qn,Zl,Xl,Gn,Kn,eo,to,ge,ke,Xt=!1,Ve=C.drag,Ce=Ve.x,Oe=Ve.y;qe&&(C.x&&(Oi=yt(Wc,M)),C.y&&(zi=yt(Bc,M)),E.ori==0?(Bn=Oi,qn=zi):(Bn=zi,qn=
Oi),ge=C.left,ke=C.top);let be=s.select=Ae({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),jn=be.show?yt(Vc,be.over?M:S):null;function Bs(l,o){
if(be.show){for(let c in l)be[c]=l[c],c in Vi&&we(jn,c,l[c]);o!==!1&&ze("setSelect")}}s.setSelect=Bs;function Ja(l){if(x[l].show)De&&hl(_e[l],
Tn);else if(De&&lt(_e[l],Tn),qe){let c=On?dt[0]:dt[l];c!=null&&Ht(c,-10,-10,U,L)}}function en(l,o,c){Ci(l,{min:o,max:c})}function Rt(l,o,c,f){
o.focus!=null&&nc(l),o.show!=null&&x.forEach((m,b)=>{b>0&&(l==b||l==null)&&(m.show=o.show,Ja(b),i==2?(en(m.facets[0].scale,null,null),en(m.facets[1].
scale,null,null)):en(m.scale,null,null),Wn())}),c!==!1&&ze("setSeries",l,o),f&&ys("setSeries",s,l,o)}s.setSeries=Rt;function Za(l,o){Ae(Q[l],
o)}function Xa(l,o){l.fill=te(l.fill||null),l.dir=oe(l.dir,-1),o=o??Q.length,Q.splice(o,0,l)}function ec(l){l==null?Q.length=0:Q.splice(l,1)}
s.addBand=Xa,s.setBand=Za,s.delBand=ec;function tc(l,o){x[l].alpha=o,qe&&dt[l]!=null&&(dt[l].style.opacity=o),De&&_e[l]&&(_e[l].style.opacity=
o)}let Wt,tn,bn,Un={focus:!0};function nc(l){if(l!=bn){let o=l==null,c=Pt.alpha!=1;x.forEach((f,m)=>{if(i==1||m>0){let b=o||m==0||m==l;f._focus=
o?null:b,c&&tc(m,b?1:Pt.alpha)}}),bn=l,c&&Wn()}}De&&Cn&&Ge(Qo,ce,l=>{C._lock||(mn(l),bn!=null&&Rt(null,Un,!0,Me.setSeries))});function Ft(l,o,c){
let f=T[o];c&&(l=l/ae-(f.ori==1?Le:me));let m=U;f.ori==1&&(m=L,l=m-l),f.dir==-1&&(l=m-l);let b=f._min,v=f._max,k=l/m,_=b+(v-b)*k,A=f.distr;return A==
3?ns(10,_):A==4?ou(_,f.asinh):A==100?f.bwd(_):_}function sc(l,o){let c=Ft(l,R,o);return At(c,t[0],Fe,Ne)}s.valToIdx=l=>At(l,t[0]),s.posToIdx=
sc,s.posToVal=Ft,s.valToPos=(l,o,c)=>T[o].ori==0?r(l,T[o],c?Je:U,c?et:0):a(l,T[o],c?xt:L,c?ut:0),s.setCursor=(l,o,c)=>{ge=l.left,ke=l.top,yn(
null,o,c)};function no(l,o){we(jn,Xn,be.left=l),we(jn,Es,be.width=o)}function so(l,o){we(jn,"top",be.top=l),we(jn,Ms,be.height=o)}let ms=E.ori==
0?no:so,gs=E.ori==1?no:so;function ic(){if(De&&Z.live)for(let l=i==2?1:0;l<x.length;l++){if(l==0&&ct)continue;let o=Z.values[l],c=0;for(let f in o)
Lt[l][c++].firstChild.nodeValue=o[f]}}function Hi(l,o){if(l!=null&&(l.idxs?l.idxs.forEach((c,f)=>{fe[f]=c}):uu(l.idx)||fe.fill(l.idx),Z.idx=
fe[0]),De&&Z.live){for(let c=0;c<x.length;c++)(c>0||i==1&&!ct)&&lc(c,fe[c]);ic()}ft=!1,o!==!1&&ze("setLegend")}s.setLegend=Hi;function lc(l,o){
let c=x[l],f=l==0&&Y==2?kt:t[l],m;ct?m=c.values(s,l,o)??Jt:(m=c.value(s,o==null?null:f[o],l,o),m=m==null?Jt:{_:m}),Z.values[l]=m}function yn(l,o,c){
eo=ge,to=ke,[ge,ke]=C.move(s,ge,ke),C.left=ge,C.top=ke,qe&&(Bn&&Ht(Bn,$e(ge),0,U,L),qn&&Ht(qn,0,$e(ke),U,L));let f,m=Fe>Ne;Wt=pe,tn=null;let b=E.
ori==0?U:L,v=E.ori==1?U:L;if(ge<0||Ie==0||m){f=C.idx=null;for(let k=0;k<x.length;k++){let _=dt[k];_!=null&&Ht(_,-10,-10,U,L)}Cn&&Rt(null,Un,
!0,l==null&&Me.setSeries),Z.live&&(fe.fill(f),ft=!0)}else{let k,_,A;i==1&&(k=E.ori==0?ge:ke,_=Ft(k,R),f=C.idx=At(_,t[0],Fe,Ne),A=N(t[0][f],E,
b,0));let D=-10,$=-10,q=0,re=0,le=!0,X="",W="";for(let O=i==2?1:0;O<x.length;O++){let ye=x[O],Te=fe[O],He=Te==null?null:i==1?t[O][Te]:t[O][1][Te],
de=C.dataIdx(s,O,f,_),Ee=de==null?null:i==1?t[O][de]:t[O][1][de];if(ft=ft||Ee!=He||de!=Te,fe[O]=de,O>0&&ye.show){let tt=de==null?-10:de==f?A:
N(i==1?t[0][de]:t[O][0][de],E,b,0),Ke=Ee==null?-10:B(Ee,i==1?T[ye.scale]:T[ye.facets[1].scale],v,0);if(Cn&&Ee!=null){let pt=E.ori==1?ge:ke,_t=Pe(
Pt.dist(s,O,de,Ke,pt));if(_t<Wt){let Nt=Pt.bias;if(Nt!=0){let nt=Ft(pt,ye.scale),ht=Ee>=0?1:-1,St=nt>=0?1:-1;St==ht&&(St==1?Nt==1?Ee>=nt:Ee<=
nt:Nt==1?Ee<=nt:Ee>=nt)&&(Wt=_t,tn=O)}else Wt=_t,tn=O}}if(ft||On){let pt,_t;E.ori==0?(pt=tt,_t=Ke):(pt=Ke,_t=tt);let Nt,nt,ht,St,Ct,je,st=!0,
wn=Be.bbox;if(wn!=null){st=!1;let Ue=wn(s,O);ht=Ue.left,St=Ue.top,Nt=Ue.width,nt=Ue.height}else ht=pt,St=_t,Nt=nt=Be.size(s,O);if(je=Be.fill(
s,O),Ct=Be.stroke(s,O),On)O==tn&&Wt<=Pt.prox&&(D=ht,$=St,q=Nt,re=nt,le=st,X=je,W=Ct);else{let Ue=dt[O];Ue!=null&&(zn[O]=ht,Hn[O]=St,sr(Ue,Nt,
nt,st),tr(Ue,je,Ct),Ht(Ue,wt(ht),wt(St),U,L))}}}}if(On){let O=Pt.prox,ye=bn==null?Wt<=O:Wt>O||tn!=bn;if(ft||ye){let Te=dt[0];Te!=null&&(zn[0]=
D,Hn[0]=$,sr(Te,q,re,le),tr(Te,X,W),Ht(Te,wt(D),wt($),U,L))}}}if(be.show&&Xt)if(l!=null){let[k,_]=Me.scales,[A,D]=Me.match,[$,q]=l.cursor.sync.
scales,re=l.cursor.drag;if(Ce=re._x,Oe=re._y,Ce||Oe){let{left:le,top:X,width:W,height:O}=l.select,ye=l.scales[$].ori,Te=l.posToVal,He,de,Ee,
tt,Ke,pt=k!=null&&A(k,$),_t=_!=null&&D(_,q);pt&&Ce?(ye==0?(He=le,de=W):(He=X,de=O),Ee=T[k],tt=N(Te(He,$),Ee,b,0),Ke=N(Te(He+de,$),Ee,b,0),ms(
Dt(tt,Ke),Pe(Ke-tt))):ms(0,b),_t&&Oe?(ye==1?(He=le,de=W):(He=X,de=O),Ee=T[_],tt=B(Te(He,q),Ee,v,0),Ke=B(Te(He+de,q),Ee,v,0),gs(Dt(tt,Ke),Pe(
Ke-tt))):gs(0,v)}else Wi()}else{let k=Pe(eo-Zl),_=Pe(to-Xl);if(E.ori==1){let q=k;k=_,_=q}Ce=Ve.x&&k>=Ve.dist,Oe=Ve.y&&_>=Ve.dist;let A=Ve.uni;
A!=null?Ce&&Oe&&(Ce=k>=A,Oe=_>=A,!Ce&&!Oe&&(_>k?Oe=!0:Ce=!0)):Ve.x&&Ve.y&&(Ce||Oe)&&(Ce=Oe=!0);let D,$;Ce&&(E.ori==0?(D=Gn,$=ge):(D=Kn,$=ke),
ms(Dt(D,$),Pe($-D)),Oe||gs(0,v)),Oe&&(E.ori==1?(D=Gn,$=ge):(D=Kn,$=ke),gs(Dt(D,$),Pe($-D)),Ce||ms(0,b)),!Ce&&!Oe&&(ms(0,0),gs(0,0))}if(Ve._x=
Ce,Ve._y=Oe,l==null){if(c){if(mo!=null){let[k,_]=Me.scales;Me.values[0]=k!=null?Ft(E.ori==0?ge:ke,k):null,Me.values[1]=_!=null?Ft(E.ori==1?ge:
ke,_):null}ys(ol,s,ge,ke,U,L,f)}if(Cn){let k=c&&Me.setSeries,_=Pt.prox;bn==null?Wt<=_&&Rt(tn,Un,!0,k):Wt>_?Rt(null,Un,!0,k):tn!=bn&&Rt(tn,Un,
!0,k)}}ft&&(Z.idx=f,Hi()),o!==!1&&ze("setCursor")}let nn=null;Object.defineProperty(s,"rect",{get(){return nn==null&&bs(!1),nn}});function bs(l=!1){
l?nn=null:(nn=M.getBoundingClientRect(),ze("syncRect",nn))}function io(l,o,c,f,m,b,v){C._lock||Xt&&l!=null&&l.movementX==0&&l.movementY==0||
(Ii(l,o,c,f,m,b,v,!1,l!=null),l!=null?yn(null,!0,!0):yn(o,!0,!1))}function Ii(l,o,c,f,m,b,v,k,_){if(nn==null&&bs(!1),mn(l),l!=null)c=l.clientX-
nn.left,f=l.clientY-nn.top;else{if(c<0||f<0){ge=-10,ke=-10;return}let[A,D]=Me.scales,$=o.cursor.sync,[q,re]=$.values,[le,X]=$.scales,[W,O]=Me.
match,ye=o.axes[0].side%2==1,Te=E.ori==0?U:L,He=E.ori==1?U:L,de=ye?b:m,Ee=ye?m:b,tt=ye?f:c,Ke=ye?c:f;if(le!=null?c=W(A,le)?u(q,T[A],Te,0):-10:
c=Te*(tt/de),X!=null?f=O(D,X)?u(re,T[D],He,0):-10:f=He*(Ke/Ee),E.ori==1){let pt=c;c=f,f=pt}}_&&(o==null||o.cursor.event.type==ol)&&((c<=1||c>=
U-1)&&(c=_n(c,U)),(f<=1||f>=L-1)&&(f=_n(f,L))),k?(Zl=c,Xl=f,[Gn,Kn]=C.move(s,c,f)):(ge=c,ke=f)}let Vi={width:0,height:0,left:0,top:0};function Wi(){
Bs(Vi,!1)}let lo,oo,ro,ao;function co(l,o,c,f,m,b,v){Xt=!0,Ce=Oe=Ve._x=Ve._y=!1,Ii(l,o,c,f,m,b,v,!0,!1),l!=null&&(Ge(rl,dl,uo,!1),ys(Uo,s,Gn,
Kn,U,L,null));let{left:k,top:_,width:A,height:D}=be;lo=k,oo=_,ro=A,ao=D}function uo(l,o,c,f,m,b,v){Xt=Ve._x=Ve._y=!1,Ii(l,o,c,f,m,b,v,!1,!0);
let{left:k,top:_,width:A,height:D}=be,$=A>0||D>0,q=lo!=k||oo!=_||ro!=A||ao!=D;if($&&q&&Bs(be),Ve.setScale&&$&&q){let re=k,le=A,X=_,W=D;if(E.
ori==1&&(re=_,le=D,X=k,W=A),Ce&&en(R,Ft(re,R),Ft(re+le,R)),Oe)for(let O in T){let ye=T[O];O!=R&&ye.from==null&&ye.min!=pe&&en(O,Ft(X+W,O),Ft(
X,O))}Wi()}else C.lock&&(C._lock=!C._lock,yn(o,!0,l!=null));l!=null&&(Rn(rl,dl),ys(rl,s,ge,ke,U,L,null))}function oc(l,o,c,f,m,b,v){if(C._lock)
return;mn(l);let k=Xt;if(Xt){let _=!0,A=!0,D=10,$,q;E.ori==0?($=Ce,q=Oe):($=Oe,q=Ce),$&&q&&(_=ge<=D||ge>=U-D,A=ke<=D||ke>=L-D),$&&_&&(ge=ge<
Gn?0:U),q&&A&&(ke=ke<Kn?0:L),yn(null,!0,!0),Xt=!1}ge=-10,ke=-10,fe.fill(null),yn(null,!0,!0),k&&(Xt=k)}function fo(l,o,c,f,m,b,v){C._lock||(mn(
l),Si(),Wi(),l!=null&&ys(Jo,s,ge,ke,U,L,null))}function po(){z.forEach(Mf),_i(s.width,s.height,!0)}En(ri,ts,po);let Yn={};Yn.mousedown=co,Yn.
mousemove=io,Yn.mouseup=uo,Yn.dblclick=fo,Yn.setSeries=(l,o,c,f)=>{let m=Me.match[2];c=m(s,o,c),c!=-1&&Rt(c,f,!0,!1)},qe&&(Ge(Uo,M,co),Ge(ol,
M,io),Ge(Yo,M,l=>{mn(l),bs(!1)}),Ge(Qo,M,oc),Ge(Jo,M,fo),vl.add(s),s.syncRect=bs);let qs=s.hooks=e.hooks||{};function ze(l,o,c){Ni?hs.push([
l,o,c]):l in qs&&qs[l].forEach(f=>{f.call(null,s,o,c)})}(e.plugins||[]).forEach(l=>{for(let o in l.hooks)qs[o]=(qs[o]||[]).concat(l.hooks[o])});
let ho=(l,o,c)=>c,Me=Ae({key:null,setSeries:!1,filters:{pub:ar,sub:ar},scales:[R,x[1]?x[1].scale:null],match:[cr,cr,ho],values:[null,null]},
C.sync);Me.match.length==2&&Me.match.push(ho),C.sync=Me;let mo=Me.key,Bi=la(mo);function ys(l,o,c,f,m,b,v){Me.filters.pub(l,o,c,f,m,b,v)&&Bi.
pub(l,o,c,f,m,b,v)}Bi.sub(s);function rc(l,o,c,f,m,b,v){Me.filters.sub(l,o,c,f,m,b,v)&&Yn[l](null,o,c,f,m,b,v)}s.pub=rc;function ac(){Bi.unsub(
s),vl.delete(s),un.clear(),ml(ri,ts,po),p.remove(),ce?.remove(),ze("destroy")}s.destroy=ac;function qi(){ze("init",e,t),ql(t||e.data,!1),I[R]?
Ci(R,I[R]):Si(),Os=be.show&&(be.width>0||be.height>0),hn=ft=!0,_i(e.width,e.height)}return x.forEach(Wl),z.forEach(Ia),n?n instanceof HTMLElement?
(n.appendChild(p),qi()):n(s,qi):qi(),s}We.assign=Ae;We.fmtNum=Ml;We.rangeNum=ai;We.rangeLog=fi;We.rangeAsinh=Tl;We.orient=An;We.pxRatio=ae;We.
join=bu;We.fmtDate=Dl,We.tzDate=Au;We.sync=la;{We.addGap=ff,We.clipGaps=hi;let e=We.paths={points:fa};e.linear=pa,e.stepped=hf,e.bars=mf,e.spline=
bf}var cs=[7,4],Cl=[2,3],ba=190,Af=60,Df=180,Lf=Array.from({length:50},(e,t)=>2**t),rn=class{element;#e;#t=h("div",{class:"chart-canvas"});#i=[];#s=h(
"span",{class:"chart-when"});#l;#o;#n=null;#r=[];#a=[];#c=0;constructor(t,n=null){this.#e=t;let s=t.lines.map(i=>{let r=h("span",{class:"fig\
ure"});this.#i.push(r);let a=h("span",{class:`sample sample-${i.colour}${i.dash?` sample-${i.dash[0]===Cl[0]?"dot":"dash"}`:""}`,"aria-hidde\
n":"true"});return h("li",{},a,h("span",{},i.label),r)});this.element=h("figure",{class:"chart card"},h("figcaption",{},h("div",{},h("h3",{},
t.title),h("p",{},t.about)),n),this.#t,h("div",{class:"legend"},h("ul",{},...s),this.#s)),this.#t.setAttribute("role","img"),this.#t.setAttribute(
"aria-label",`${t.title}: lines over the last five minutes; the newest figures follow`),this.#l=new ResizeObserver(()=>this.#u()),this.#l.observe(
this.#t),this.#o=Oo(()=>this.#h())}set(t,n){this.#r=t,this.#a=n,this.#t.dataset.points=String(t.length),this.#n?this.#n.setData(this.#f()):this.#u(),
this.#p(null)}leave(){this.#l.disconnect(),this.#o(),this.#n?.destroy(),this.#n=null}#u(){let t=Math.floor(this.#t.clientWidth);t!==0&&(this.#n?
t!==this.#c&&this.#n.setSize({width:t,height:ba}):this.#m(t),this.#c=t)}#h(){this.#n&&(this.#n.destroy(),this.#n=null,this.#u())}#f(){let t=[];
return this.#e.lines.forEach((n,s)=>{let i=this.#a[s]??[],r=n.fill==="stacked"?t[s-1]:void 0;t.push(r?i.map((a,u)=>a===null?null:a+(r[u]??0)):
i)}),[this.#r,...t]}#m(t){let{lines:n,tick:s,figure:i,least:r,most:a,isBinary:u}=this.#e,d={stroke:xs("ink-soft"),font:`12px ${xs("font")}`,
ticks:{show:!1},grid:{stroke:xs("rule"),width:1}},p={width:t,height:ba,legend:{show:!1},cursor:{sync:{key:"forebay"},drag:{x:!1,y:!1}},scales:{
x:{time:!0,range:()=>this.#d()},y:{range:(y,g,w)=>[0,a??Math.max((w??0)*1.1,r??1)]}},axes:[{...d,grid:{show:!1},size:26,space:110,values:(y,g)=>g.
map(w=>this.#b(w))},{...d,size:62,space:36,values:(y,g)=>g.map(w=>(s??i)(w)),...u?{incrs:Lf}:{}}],series:[{},...n.map(y=>this.#g(y))],bands:n.
flatMap((y,g)=>y.fill==="stacked"&&g>0?[{series:[g+1,g]}]:[]),hooks:{setCursor:[y=>this.#p(y.cursor.idx??null)]}};this.#n=new We(p,this.#f(),
this.#t)}#g(t){let n=xs(t.colour);return{label:t.label,stroke:n,width:2,points:{show:!1},...t.dash?{dash:t.dash}:{},...t.fill?{fill:`${n}40`}:
{}}}#d(){let t=this.#r.at(-1)??Date.now()/1e3,n=t-(this.#r[0]??t);return[t-Math.min(vs,Math.max(Af,n)),t]}#b(t){let[n,s]=this.#d(),i=kn(t*1e3);
return s-n<Df?i:i.slice(0,5)}#p(t){let n=t??this.#r.length-1,s=this.#r[n];this.#i.forEach((i,r)=>se(i,this.#e.figure(this.#a[r]?.[n]??null))),
se(this.#s,t===null||s===void 0?"now":kn(s*1e3))}};var $f={size:"Request size",latency:"Latency",seek:"Seek distance",outstanding:"Outstanding requests",interarrival:"Time between requests"},
ya={...ni,read:"Reads",write:"Writes",all:"All"};function Pf(e,t){if(e.upto===null)return"more";switch(t){case"bytes":return e.upto%1024===0?
G(e.upto):Et(e.upto);case"microseconds":return Kt(e.upto);default:return e.upto<0?`\u2212${Et(-e.upto)}`:Et(e.upto)}}function Rf(e){let t=e.
map(([,u])=>u.length),n=u=>e.some(([,d])=>(d[u]?.count??0)>0),s=[...Array(Math.max(0,...t)).keys()],i=s.filter(n),[r,a]=[i[0],i.at(-1)];return r===
void 0||a===void 0?[0,0]:[Math.max(0,r-1),Math.min(s.length,a+2)]}function Ff(e){let t=e.map(([,n])=>n.map(s=>s.upto).join());return t.every(
n=>n===t[0])}var yi=class{element=h("section",{class:"histograms","aria-label":"Histograms"});#e=h("div",{class:"segmented",role:"group","ar\
ia-label":"What is counted"});#t=h("div",{class:"card histogram-tables"});#i=[];#s="size";#l="";constructor(){this.element.append(h("div",{class:"\
section-head"},h("h2",{},"Histograms"),this.#e),this.#t),this.element.hidden=!0}set(t){if(this.element.hidden=t===null||t.length===0,t===null||
t.length===0)return;this.#i=t,t.some(([s])=>s===this.#s)||(this.#s=t[0]?.[0]??"");let n=t.map(([s])=>s);this.#e.children.length!==n.length&&
this.#e.replaceChildren(...n.map(s=>this.#o(s))),this.#n()}#o(t){return h("button",{type:"button","data-what":t,onclick:()=>{this.#s=t,this.#n()}},
$f[t]??t)}#n(){for(let a of this.#e.children)a.setAttribute("aria-pressed",String(a.getAttribute("data-what")===this.#s));let t=this.#i.find(
([a])=>a===this.#s)?.[1];if(!t)return;let n=JSON.stringify([this.#s,t]);if(n===this.#l)return;this.#l=n;let{unit:s,kinds:i}=t,r=i.length<=2&&
Ff(i)?[i]:i.map(a=>[a]);this.#t.replaceChildren(...r.map(a=>Nf(s,a)))}};function Nf(e,t){let[n,s]=Rf(t),i=e==="bytes"||e==="microseconds"?"U\
p to":`Up to, ${e}`;if(n===s)return h("p",{class:"hint"},`${t.map(([d])=>ya[d]??d).join(", ")}: nothing was counted yet.`);let r=t.map(([,d])=>d.
reduce((p,y)=>p+y.count,0)),a=h("thead",{},h("tr",{},h("th",{scope:"col"},i),...t.map(([d],p)=>h("th",{scope:"col"},`${ya[d]??d}: ${Et(r[p])}`)))),
u=[...Array(s-n).keys()].map(d=>{let p=n+d,y=t[0]?.[1][p];return h("tr",{},h("th",{scope:"row"},y?Pf(y,e):""),...t.map(([,g],w)=>Cf(g[p]?.count??
0,r[w]??0,w)))});return h("table",{class:"histogram"},a,h("tbody",{},...u))}function Cf(e,t,n){let s=t>0?e/t:0,i=h("span",{class:`bar bar-${n%
6}`});i.style.width=`${(s*100).toFixed(2)}%`;let r=h("span",{class:"bar-text"});return se(r,e===0?"":`${Et(e)} (${(s*100).toFixed(1)}%)`),h(
"td",{},h("div",{class:"bar-cell"},h("span",{class:"bar-track"},i),r))}function an(){return h("span",{class:"badge"},h("span",{class:"sign","aria-hidden":"true"}),h("span",{}))}function cn(e,t,n){e.className=`ba\
dge badge-${t}`;let[s,i]=e.children;s&&se(s,nl[t]),i&&se(i,n)}function at(e,t){let n=h("div",{class:"tile-value","data-figure":t}),s=h("div",
{class:"tile-remark"});return{element:h("div",{class:"tile"},h("div",{class:"tile-name"},e),n,s),set(r,a=""){se(n,r),se(s,a)}}}function wi(){
let e=h("ul",{class:"findings","aria-live":"polite","aria-label":"Warnings"});return{element:e,set(t){e.hidden=t.length===0,vn(e,t,n=>`${n.tone}\
 ${n.text.replace(/\d[\d.]*/g,"#")}`,()=>h("li",{},h("span",{class:"sign","aria-hidden":"true"}),h("div",{},h("div",{class:"finding-text"}),
h("div",{class:"finding-advice"}))),(n,s)=>{n.className=`finding finding-${s.tone}`,Re(n,".sign",nl[s.tone]),Re(n,".finding-text",s.text),Re(
n,".finding-advice",s.advice??"")})}}}function Re(e,t,n){let s=e.querySelector(t);s&&se(s,n)}var Dn={width:120,height:28};function wa(e){let t=Gs(
"svg",{class:"spark",viewBox:`0 0 ${Dn.width} ${Dn.height}`,role:"img",preserveAspectRatio:"none"}),n=Gs("path",{fill:"none","vector-effect":"\
non-scaling-stroke"});return t.append(Gs("path",{class:"spark-base",d:`M0 ${Dn.height-1}H${Dn.width}`,fill:"none"}),n),{element:t,set(s,i){n.
setAttribute("d",Of(s,i));let r=s.filter(a=>a!==null).at(-1);t.setAttribute("aria-label",r===void 0?`${e}: no reads in the last five minutes`:
`${e} over the last five minutes, ${bt(r)} lately`)}}}function Of(e,t){let n=Dn.width/Math.max(1,t-1),s=Dn.width-(e.length-1)*n,i="M",r="";return e.
forEach((a,u)=>{if(a===null){i="M";return}r+=`${i}${(s+u*n).toFixed(1)} ${((1-a)*(Dn.height-4)+2).toFixed(1)}`,i="L"}),r}function va(e){let t=e.
map(([s,i])=>({key:s,name:i,cell:h("dd",{"data-figure":s})}));return{element:h("dl",{class:"facts"},...t.map(({name:s,cell:i})=>h("div",{},h(
"dt",{},s),i))),set(s){for(let{key:i,cell:r}of t)se(r,s[i]??""),r.parentElement&&(r.parentElement.hidden=s[i]===void 0)}}}var vi=class{element;#e=new Map;#t=h("div",{class:"fields"});#i=h("button",{type:"submit",class:"primary"},"Review changes\u2026");#s=h("but\
ton",{type:"reset"},"Undo");#l=h("span",{class:"hint","aria-live":"polite"});#o;#n;constructor(t,n){this.#o=t,this.#n=n;let s=h("form",{"ari\
a-label":"Settings"},this.#t,h("div",{class:"buttons buttons-start"},this.#i,this.#s,this.#l));s.addEventListener("input",()=>this.#c()),s.addEventListener(
"reset",i=>{i.preventDefault();for(let r of this.#e.values())r.input.value=r.now;this.#c()}),s.addEventListener("submit",i=>{i.preventDefault(),
this.#u()}),this.element=h("section",{class:"card","aria-label":"Settings"},h("h2",{},"Settings"),h("p",{class:"hint"},"As forebay disk set \
takes them. They are changed while guests go on."),s)}update(t){let n=sl.filter(i=>i.name in t),s=Object.keys(t).filter(i=>!sl.some(r=>r.name===
i));for(let i of[...n,...s.map(r=>({name:r,about:""}))]){let r=t[i.name]??"",a=this.#e.get(i.name)??this.#r(i,r),u=a.input.value!==a.now;a.now=
r,u||xa(a.input,r)}this.#c()}#r(t,n){let s=Ot(),i=Ot(),r={id:s,name:t.name,"aria-describedby":i},a=t.choices?h("select",r,...t.choices.map(p=>h(
"option",{value:p},p))):h("input",{...r,type:"text",spellcheck:"false",autocomplete:"off",autocapitalize:"off"}),u=h("div",{class:"field"},h(
"label",{for:s},t.name),a,h("p",{class:"hint",id:i},t.about)),d={key:t.name,now:n,input:a,element:u};return xa(a,n),this.#t.append(u),this.#e.
set(t.name,d),d}#a(){let t=[...this.#e.values()].filter(n=>n.input.value.trim()!==n.now);return Object.fromEntries(t.map(n=>[n.key,n.input.value.
trim()]))}#c(){let t=this.#a();for(let s of this.#e.values())s.element.classList.toggle("changed",s.key in t);let n=Object.keys(t).length;this.#i.
disabled=n===0,Se(this.#s,n>0),se(this.#l,n===0?"":n===1?"1 change, not sent yet":`${n} changes, not sent yet`)}#u(){let t=this.#o(),n=this.#a();
if(!t||Object.keys(n).length===0)return;let s=Object.entries(n).map(([i,r])=>h("li",{},h("code",{},i),`: ${this.#e.get(i)?.now??""} \u2192 ${r}`));
Ks({title:`Change ${t.name}?`,sentences:Wo(t,n),confirm:"Change",fields:h("ul",{class:"changes"},...s),run:async()=>{await mt("PATCH",gt(t.name),
{settings:n});for(let[i,r]of Object.entries(n)){let a=this.#e.get(i);a&&(a.now=r)}return this.#n(),`${t.name} now has ${Object.entries(n).map(
([i,r])=>`${i}=${r}`).join(" ")}`}})}};function xa(e,t){e instanceof HTMLSelectElement&&![...e.options].some(n=>n.value===t)&&e.append(h("op\
tion",{value:t},t)),e.value!==t&&(e.value=t)}var zf=[["backing","Backing"],["size_bytes","Size"],["block_bytes","Block"],["reserve_bytes","Reserved flash"],["limit_bytes","Flash at most"],
["cached_bytes","Cached on flash"],["ram_bytes","Cached in RAM"],["load","From last time"],["mirrored","Dirty data"],["connections","Guests \
connected"],["nbd_socket","NBD socket"],["guest","Taken from"],["page_cache","Page cache"],["errors","Errors"]];function ka(e,t){let n=null,
s=()=>n,i=an(),r=h("span",{class:"mode"}),a=wi(),u={hits:at("Hit ratio","hit_ratio"),operations:at("Requests","operations"),bytes:at("Throug\
hput","bytes"),latency:at("Read latency, mean","latency"),dirty:at("Dirty","dirty_bytes"),saved:at("Backing requests saved","saved")},d=new Ol,
p=new yi,y=va(zf.map(([P,x])=>[P,x])),g=new vi(s,t),w=qo(s,t),S=h("div",{class:"stack"},a.element,h("div",{class:"tiles"},...Object.values(u).
map(P=>P.element)),d.element,w.element,p.element,h("section",{class:"card","aria-label":"Facts"},h("h2",{},"About this disk"),y.element),g.element),
M=h("div",{class:"card empty"},h("h3",{},"No such disk"),h("p",{},"Forebay serves no disk of this name. It may have been removed: forebay di\
sk list shows all.")),F=h("p",{class:"loading"},"Asking Forebay\u2026");return{element:h("div",{class:"view"},h("p",{class:"crumb"},h("a",{href:"\
#/"},"\u2190 Host")),h("div",{class:"title"},h("h1",{},e),i,r),M,F,S),title:e,leave:()=>d.leave(),update(P){let x=P.disk;if(n=x==="missing"||
x===null?null:x,Se(M,x==="missing"),Se(F,x===null),Se(S,n!==null),Se(i,n!==null),!n)return;let z=ks(n);cn(i,ti([jt(n.state),...z.map(T=>T.tone)]),
n.state),se(r,n.read_only?`${n.mode}, read-only`:n.mode),a.set(z),Hf(u,n,P),d.set(P.series.get(e)?.points??[],P.windows.has(e),n.mode),p.set(
P.histograms),y.set(Vf(n)),g.update(n.settings),w.update()}}}function Hf(e,t,n){let s=n.windows.get(t.name)??n.statistics.get(t.name),i=n.windows.
has(t.name)?"last 5 minutes":"since attached",r=n.series.get(t.name)?.last,a=r?.rates??null,u=Jn(a);e.hits.set(bt(s?.hit_ratio),`of reads, ${i}`),
e.operations.set(u===null?"\u2013":`${it(u)}/s`,a?`${it(a.reads)} reads, ${it(a.writes)} writes`:""),e.bytes.set(a?Gt(a.read_bytes+a.write_bytes):
"\u2013",a?`${Gt(a.read_bytes)} read, ${Gt(a.write_bytes)} written`:""),e.latency.set(Kt(r?.readMicros),r?.writeMicros==null?"no writes late\
ly":`writes ${Kt(r.writeMicros)}`),e.dirty.set(G(t.dirty_bytes),If(t)),e.saved.set(bt(s?Qs(s):null),i)}function If(e){let t=e.mode==="write-\
back"?`of at most ${G(e.dirty_limit_bytes)}`:null;if(zt(e)===0)return t??"the backing is complete";let n=e.statistics.destage_bytes_per_second??
0;return ws(t??`for ${xn(e.dirty_for_seconds)}`,_s(e.dirty_zeroes_bytes),n>0?`${Gt(n)} going home`:null)}function Vf(e){let{statistics:t}=e,
n={backing:e.backing,size_bytes:G(e.size_bytes),block_bytes:G(e.block_bytes),reserve_bytes:G(e.reserve_bytes),limit_bytes:G(e.limit_bytes),cached_bytes:G(
t.cached_bytes),ram_bytes:G(t.ram_bytes),load:Vo(e),mirrored:Wf(e),connections:e.connections===null?"\u2013":String(e.connections),nbd_socket:e.
nbd_socket,errors:Bf(e)};return e.guest&&(n.guest=`QEMU at ${e.guest.qmp}, device ${e.guest.device}`),e.page_cache_reason&&(n.page_cache=`us\
ed, because ${e.page_cache_reason}`),n}function Wf(e){return e.mirrored===null?"\u2013":e.mirrored?"on two devices":"on one device"}function Bf(e){
let{checksum_errors:t,flash_errors:n,backing_errors:s,backing_retries:i}=e.statistics;if(t===void 0)return"\u2013";let a=[[t,"checksums"],[n,
"flash"],[s,"backing"],[i,"backing, sent again"]].filter(([u])=>(u??0)>0).map(([u,d])=>`${u} ${d}`);return a.length===0?"none":a.join(", ")}
var Ol=class{element;#e=new rn({title:"Hit ratio",about:"Reads answered from the cache, over ten seconds each.",lines:[{label:"RAM",colour:"\
ram",fill:"area"},{label:"Flash",colour:"flash",fill:"stacked",dash:cs}],figure:bt,tick:t=>`${Math.round(t*100)}%`,most:1});#t=new rn({title:"\
Requests a second",about:"What guests asked for.",lines:[{label:"Reads",colour:"read"},{label:"Writes",colour:"write",dash:cs}],figure:it,tick:Yi,
least:10});#i;#s=new rn({title:"Dirty data",about:"What flash has and the backing does not, without zeroes.",lines:[{label:"Dirty",colour:"d\
irty",fill:"area"},{label:"Limit",colour:"limit",dash:cs}],figure:G,least:64*1024,isBinary:!0});#l=new rn({title:"Backing requests saved",about:"\
What guests asked for, and what reached the backing.",lines:[{label:"Guests",colour:"read"},{label:"Backing",colour:"limit",dash:cs,fill:"ar\
ea"}],figure:it,tick:Yi,least:10});#o=h("select",{"aria-label":"Latency of",name:"latency-class"},...js.map(t=>h("option",{value:t},ni[t])));#n=h(
"span",{class:"hint"});#r=[];#a=!1;constructor(){let t=h("div",{class:"chart-controls"},this.#o,this.#n);this.#o.value="read_miss",this.#o.addEventListener(
"change",()=>{this.#a=!0,this.#c()}),this.#i=new rn({title:"Latency",about:"So many in a hundred were faster.",lines:[{label:"Half",colour:"\
read"},{label:"95 %",colour:"write",dash:cs},{label:"99 %",colour:"limit",dash:Cl}],figure:Kt,least:10},t);let n=[this.#e,this.#t,this.#i,this.#l,
this.#s];this.element=h("section",{class:"charts","aria-label":"Charts of the last five minutes"},...n.map(s=>s.element))}set(t,n,s){this.#r=
t,se(this.#n,n?"over 5 minutes each":"since attached");let i=u=>t.map(u),r=t.map(u=>u.at);this.#e.set(r,[i(u=>u.hitRam),i(u=>u.hitFlash)]),this.#t.
set(r,[i(u=>u.rates?.reads??null),i(u=>u.rates?.writes??null)]),this.#l.set(r,[i(u=>Jn(u.rates)),i(u=>u.rates?u.rates.backing_reads+u.rates.
backing_writes:null)]);let a=s==="write-back"?i(u=>u.dirtyLimitBytes):t.map(()=>null);this.#s.set(r,[i(u=>u.dirtyBytes),a]),this.#c()}leave(){
for(let t of[this.#e,this.#t,this.#i,this.#l,this.#s])t.leave()}#c(){let t=this.#r.at(-1)?.latency;if(!this.#a&&t&&t[this.#u()].count===0){let i=js.
find(r=>t[r].count>0);i&&(this.#o.value=i)}let n=this.#u(),s=i=>this.#r.map(r=>r.latency&&r.latency[n].count>0?r.latency[n][i]:null);this.#i.
set(this.#r.map(i=>i.at),[s("p50"),s("p95"),s("p99")])}#u(){return js.find(t=>t===this.#o.value)??"read_miss"}};function xi(e){return`#/disk/${encodeURIComponent(e)}`}var qf={info:"good",warning:"warning",error:"bad"};function _a(){let e=h("ol",{class:"events","aria-label":"Events, newest first"}),t=h("sel\
ect",{name:"level"},h("option",{value:"info"},"All"),h("option",{value:"warning"},"Warnings and errors"),h("option",{value:"error"},"Errors")),
n=h("p",{class:"empty"},"Nothing happened that an operator must know."),s=h("p",{class:"empty"},"This Forebay keeps no list of events. Its l\
og has them: journalctl --unit forebay"),i=()=>{};t.addEventListener("change",()=>i());let r=h("label",{class:"inline"},"Show ",t),a=h("sect\
ion",{class:"card"},r,e,n,s);return{element:h("div",{class:"view"},h("h1",{},"Events"),a),title:"Events",leave(){},update(u){i=()=>{let d=["\
info","warning","error"],p=d.indexOf(t.value),y=(u.events??[]).filter(g=>d.indexOf(g.level)>=p||!d.includes(g.level)).reverse();Se(s,u.events===
null),Se(r,u.events!==null),Se(n,u.events!==null&&y.length===0),vn(e,y,g=>`${g.id} ${g.time}`,Gf,Kf)},i()}}}function Gf(e){let t=e.disk?h("a",
{href:xi(e.disk),class:"event-disk"},e.disk):null;return h("li",{class:"event"},h("div",{class:"event-head"},an(),h("time",{datetime:e.time},
Eo(e.time)),t,h("span",{class:"event-kind"})),h("div",{class:"event-message"}),h("div",{class:"finding-advice"}))}function Kf(e,t){let n=e.querySelector(
".badge");n&&cn(n,qf[t.level]??"warning",t.level),Re(e,".event-kind",t.kind),Re(e,".event-message",t.message),Re(e,".finding-advice",t.advice??
"")}var jf=vs*1e3/Xi,Uf=30,Sa=new WeakMap;function Ta(){let e=wi(),t={hits:at("Hit ratio","host.hit_ratio"),operations:at("Requests","host.opera\
tions"),bytes:at("Throughput","host.bytes"),dirty:at("Dirty","host.dirty_bytes"),saved:at("Backing requests saved","host.saved")},n=Xf(),s=h(
"tbody",{}),r=h("table",{class:"disks"},h("thead",{},h("tr",{},...["Disk","State","Hit ratio","Requests/s","Read latency, mean","Dirty","Las\
t 5 min"].map(y=>h("th",{scope:"col"},y)))),s),a=Zf(),u=h("section",{class:"card","aria-label":"Disks"},h("h2",{},"Disks"),r,a),d=h("div",{class:"\
tiles"},...Object.values(t).map(y=>y.element));return{element:h("div",{class:"view"},h("h1",{},"Host"),e.element,d,u,n.element),title:"Host",
leave(){},update(y){let g=y.disks??[],w=[...y.pool?Ho(y.pool):[],...g.flatMap(ks)];y.poolProblem&&w.unshift({tone:"bad",text:y.poolProblem,advice:null}),
e.set(w),Yf(t,y),Se(d,g.length>0),Se(r,g.length>0),Se(a,g.length===0),vn(s,g,S=>S.name,Qf,(S,M)=>Jf(S,M,y)),n.update(y)}}}function Yf(e,t){let n=[
...t.statistics.values()],s=Po([...t.series.values()].map(g=>g.last?.rates??null)),i=n.map(g=>t.windows.get(g.name)??g),r=t.windows.size>0?"\
last 5 minutes":"since attached",a=Zi(i);e.hits.set(bt(Ro(a)),`of reads, ${r}`);let u=Jn(s);e.operations.set(u===null?"\u2013":`${it(u)}/s`,
s?`${it(s.reads)} reads, ${it(s.writes)} writes`:""),e.bytes.set(s?Gt(s.read_bytes+s.write_bytes):"\u2013",s?`${Gt(s.read_bytes)} read, ${Gt(
s.write_bytes)} written`:"");let d=n.reduce((g,w)=>g+(w.dirty_bytes??0),0),p=n.reduce((g,w)=>g+(w.dirty_zeroes_bytes??0),0),y=n.reduce((g,w)=>g+
(w.mode==="write-back"?w.dirty_limit_bytes??0:0),0);e.dirty.set(G(d),ws(y>0?`of at most ${G(y)}`:"no disk is in write-back",_s(p))),e.saved.
set(bt(Qs(a)),r)}function Qf(e){let t=wa(`Hit ratio of ${e.name}`),n=(a,...u)=>h("td",{"data-heading":a},...u),s=a=>h("div",{"data-figure":`${e.
name}.${a}`}),i=a=>h("div",{class:`sub ${a}`}),r=h("tr",{},h("th",{scope:"row"},h("a",{href:xi(e.name)},e.name),i("backing")),n("State",an(),
i("mode")),n("Hit ratio",s("hit_ratio"),i("split")),n("Requests/s",s("operations"),i("kinds")),n("Read latency, mean",s("latency"),i("writes")),
n("Dirty",s("dirty_bytes"),i("limit")),h("td",{class:"spark-cell"},t.element));return Sa.set(r,t),r}function Jf(e,t,n){let s=n.statistics.get(
t.name),i=n.windows.get(t.name)??s,r=n.series.get(t.name),a=r?.last,u=ks(t),d=e.querySelector(".badge"),p=ti([jt(t.state),...u.map(S=>S.tone)]);
d&&cn(d,p,t.state==="serving"&&p!=="good"?"serving, look":t.state);let y=(S,M)=>Re(e,`[data-figure$=".${S}"]`,M);Re(e,".backing",t.size_bytes===
null?Qi(t.backing,34):`${G(t.size_bytes)} at ${Qi(t.backing,34)}`),Re(e,".mode",t.read_only?`${t.mode}, read-only`:t.mode),y("hit_ratio",bt(
i?.hit_ratio));let g=i?.reads??0;Re(e,".split",g>0?`RAM ${bt((i?.read_hits_ram??0)/g)}, flash ${bt((i?.read_hits_flash??0)/g)}`:"no reads ye\
t"),y("operations",it(Jn(a?.rates??null))),Re(e,".kinds",a?.rates?`${it(a.rates.reads)} r, ${it(a.rates.writes)} w`:""),y("latency",a?.readMicros==
null?"\u2013":Kt(a.readMicros)),Re(e,".writes",a?.writeMicros==null?"":`writes ${Kt(a.writeMicros)}`),y("dirty_bytes",G(t.dirty_bytes)),Re(e,
".limit",ws(t.mode==="write-back"&&t.dirty_limit_bytes?`of ${G(t.dirty_limit_bytes)}`:null,_s(t.dirty_zeroes_bytes)));let w=(r?.points??[]).
map(S=>S.hitRam===null||S.hitFlash===null?null:S.hitRam+S.hitFlash);Sa.get(e)?.set(w,Math.max(Uf,Math.min(jf,w.length)))}function Zf(){return h(
"div",{class:"empty"},h("h3",{},"No disks yet"),h("p",{},"Nothing is cached until Forebay serves a disk. On the host, this adds one; nothing\
 in the file changes:"),h("pre",{},h("code",{},"forebay disk add web1 --backing /srv/images/web1.raw")),h("p",{},"A running QEMU guest's dis\
k is moved behind Forebay without a reboot:"),h("pre",{},h("code",{},"forebay vm attach --qmp /run/web.qmp --device vda")),h("p",{class:"hin\
t"},"It appears here by itself."))}function Xf(){let e=an(),t=h("span",{class:"meter-used"}),n=h("div",{class:"meter",role:"img"},t),s=h("p",
{class:"meter-words","data-figure":"pool.used"}),i=h("p",{class:"meter-words","data-figure":"host.ram"}),r=h("tbody",{}),u=h("table",{class:"\
devices"},h("thead",{},h("tr",{},...["Device","State","Size","Free","Remarks"].map(p=>h("th",{scope:"col"},p)))),r),d=h("section",{class:"ca\
rd","aria-label":"Pool"},h("div",{class:"section-head"},h("h2",{},"Flash and RAM"),e),n,s,i,u);return{element:d,update({pool:p,statistics:y}){
if(Se(d,p!==null),!p)return;cn(e,jt(p.state),p.state);let g=(p.segments-p.segments_free)*p.segment_bytes,w=p.segments_free*p.segment_bytes;t.
style.width=`${p.segments>0?(100*(p.segments-p.segments_free)/p.segments).toFixed(2):0}%`;let S=`Pool of ${G(p.size_bytes)}: ${G(g)} in use,\
 ${G(w)} free; ${G(p.reserved_bytes)} reserved by disks`;n.setAttribute("aria-label",S),se(s,S);let M=[...y.values()],F=M.reduce((P,x)=>P+(x.
ram_bytes??0),0),V=M.reduce((P,x)=>P+(x.index_bytes??0),0);se(i,`RAM: ${G(F)} of content in front of the flash, ${G(V)} for the index of wha\
t is on it`),vn(r,p.devices,P=>String(P.number),ed,(P,x)=>td(P,x,p))}}}function ed(){let e=(t,n,s="")=>h("td",{"data-heading":t,class:s},n);
return h("tr",{},h("th",{scope:"row",class:"path"}),e("State",an()),e("Size",null,"size"),e("Free",null,"free"),e("Remarks",null,"remarks"))}
function td(e,t,n){Re(e,".path",t.path??`device ${t.number}`);let s=e.querySelector(".badge");s&&cn(s,jt(t.state),t.state),Re(e,".size",G(t.
size_bytes)),Re(e,".free",`${G(t.segments_free*n.segment_bytes)}`);let i=[t.discards?"discards":null,t.page_cache_reason?`page cache: ${t.page_cache_reason}`:
null];Re(e,".remarks",i.filter(r=>r!==null).join("; ")||`${Et(t.segments)} segments`)}var us=h("main",{id:"main",tabindex:-1}),Ps=h("p",{class:"loading"},"Asking Forebay\u2026"),Ea=h("span"),Ma=h("button",{type:"button",onclick:Ui},
"Sign in\u2026"),Aa=h("div",{class:"banner",role:"alert",hidden:!0},Ea," ",Ma),zl=h("span",{class:"pulse"}),Rs={host:h("a",{href:"#/"},"Host"),
events:h("a",{href:"#/events"},"Events")},Da=h("button",{type:"button",class:"quiet",onclick:od}),La=h("button",{type:"button",class:"quiet",
onclick:Ui}),Fs=new Js(Pa),Ln=null;function nd(){let e=h("a",{class:"skip",href:"#main"},"To the content");e.addEventListener("click",s=>{s.
preventDefault(),us.focus()});let t=h("a",{href:"#/",class:"brand"},h("img",{src:"/assets/icon.svg",alt:"",width:24,height:24}),"Forebay"),n=h(
"header",{},t,h("nav",{"aria-label":"Views"},Rs.host,Rs.events),h("div",{class:"header-end"},zl,Da,La));document.body.append(e,n,Aa,us,ko()),
us.append(Ps)}function $a(){let e=window.location.hash.replace(/^#/,"")||"/",t=/^\/disk\/([^/]+)$/.exec(e)?.[1],n=t===void 0?null:sd(t);Ln?.
leave(),Ln=n!==null?ka(n,()=>{Fs.look()}):e==="/events"?_a():Ta(),document.title=`${Ln.title} \u2013 Forebay`,Rs.host.setAttribute("aria-cur\
rent",e==="/"?"page":"false"),Rs.events.setAttribute("aria-current",e==="/events"?"page":"false"),us.replaceChildren(Ln.element),window.scrollTo(
0,0),Fs.watch(n),Pa()}function sd(e){try{return decodeURIComponent(e)}catch{return e}}function Pa(){let{known:e}=Fs;if(id(e),!Ln)return;let t=e.
disks!==null;Se(Ln.element,t),Se(Rs.events,!t||e.events!==null),t?(Ln.update(e),Ps.remove()):Ps.isConnected||us.append(Ps)}function id({away:e,
answeredAt:t}){us.classList.toggle("stale",e!==null),Se(Aa,e!==null),se(Ea,e?ld(e,t):""),Se(Ma,e?.status===401),se(Ps,e?"Waiting for Forebay\
\u2026":"Asking Forebay\u2026"),zl.classList.toggle("pulse-away",e!==null),se(zl,e?"No answer":t===null?"Connecting":"Live")}function ld({status:e,
reason:t,since:n},s){let i=s===null?"":` What is shown is from ${kn(s)}.`;return e===401?`Seen from here, this host shows its figures to tho\
se only who have its token.${i}`:e>0?`${t}.${i}`:`${t} since ${kn(n)}.${i} On the host, systemctl status forebay says whether it runs. This \
page goes on by itself.`}function od(){Co(),Hl()}function Hl(){se(Da,{auto:"Theme: system",light:"Theme: light",dark:"Theme: dark"}[Xs()]),se(
La,Bt.get()===null?"Sign in":"Signed in")}zo();nd();Hl();document.addEventListener("forebay-token",()=>{Hl(),Fs.look()});window.addEventListener(
"hashchange",$a);$a();Fs.look();})();
