"use strict";(()=>{var Bi="forebay-token";var Tt=class extends Error{constructor(s,n){super(n);this.status=s}status;get wantsToken(){return this.status===401}},qt={get(){return sessionStorage.
getItem(Bi)},set(e){sessionStorage.setItem(Bi,e.trim())},clear(){sessionStorage.removeItem(Bi)}};async function Gt(e,t){return(await go(e,{method:"\
GET"},8e3))[t]}async function ho(e,t){return mo(e,t,s=>s.status===404)}async function qi(e,t){return mo(e,t,s=>s.status!==0&&!s.wantsToken)}
async function mo(e,t,s){try{return await Gt(e,t)}catch(n){if(n instanceof Tt&&s(n))return null;throw n}}async function Et(e,t,s){let n={method:e,
headers:{"content-type":"application/json"},body:JSON.stringify(s??null)};return go(t,n,12e4)}function gt(e){return`/v1/disks/${encodeURIComponent(
e)}`}async function go(e,t,s){let n=AbortSignal.timeout(s),i=new Headers(t.headers),r=qt.get();r&&i.set("authorization",`Bearer ${r}`);let a;
try{a=await fetch(e,{...t,headers:i,signal:n,cache:"no-store",credentials:"omit",redirect:"error"})}catch{throw new Tt(0,"Forebay does not a\
nswer")}let f=await a.json().catch(()=>null);if(!a.ok){let d=typeof f?.detail=="string"?f.detail:`Forebay answered with status ${a.status}`;
throw new Tt(a.status,d)}if(f===null)throw new Tt(0,"Forebay's answer was cut short");return f}function h(e,t={},...s){let n=document.createElement(e);for(let[i,r]of Object.entries(t))typeof r=="function"?n.addEventListener(i.slice(2),
r):r!=null&&r!==!1&&n.setAttribute(i,r===!0?"":String(r));return n.append(...s.filter(i=>i!=null&&i!==!1)),n}function Bs(e,t){let s=document.
createElementNS("http://www.w3.org/2000/svg",e);for(let[n,i]of Object.entries(t))s.setAttribute(n,String(i));return s}function se(e,t){e.textContent!==
t&&(e.textContent=t)}function Se(e,t){e.hidden===t&&(e.hidden=!t)}function lc(e){let t=new Set;return e.map(s=>{let n=s;for(let i=1;t.has(n);i+=
1)n=`${s} (${i})`;return t.add(n),n})}function vn(e,t,s,n,i){let r=new Map([...e.children].map(p=>[p.getAttribute("data-item")??"",p])),a=lc(
t.map(s)),f=new Set(a);for(let[p,b]of r)f.has(p)||b.remove();let d=e.firstElementChild;t.forEach((p,b)=>{let g=a[b]??"",w=r.get(g)??n(p);r.delete(
g),w.setAttribute("data-item",g),i(w,p),w===d?d=w.nextElementSibling:e.insertBefore(w,d)})}var bo=0;function Ht(){return bo+=1,`e${bo}`}var Qn=null;function wo(){return Qn=h("div",{class:"status",role:"status","aria-live":"polite"}),Qn}var yo=0,oc=8e3;function Gi(e){Qn&&(se(Qn,
e),Qn.classList.add("status-shown"),window.clearTimeout(yo),yo=window.setTimeout(()=>Qn?.classList.remove("status-shown"),oc))}function vo(e){
e.addEventListener("close",()=>e.remove()),document.body.append(e),e.showModal()}function qs(e){let t=Ht(),s=h("button",{type:"button"},"Can\
cel"),n=h("button",{type:"submit",class:"primary"},e.confirm),i=h("p",{class:"dialog-said","aria-live":"assertive"}),r=rc(),a=h("form",{},h(
"h2",{id:t},e.title),...e.sentences.map(p=>h("p",{},p)),e.fields??null,r.element,i,h("div",{class:"buttons"},s,n)),f=h("dialog",{"aria-label\
ledby":t},a),d=new AbortController;s.addEventListener("click",()=>f.close()),f.addEventListener("close",()=>d.abort()),a.addEventListener("s\
ubmit",p=>{p.preventDefault(),r.take(),n.disabled=!0,i.className="dialog-said",se(i,"Working\u2026"),e.run(b=>se(i,b),d.signal).then(b=>{Gi(
b),f.close()}).catch(b=>{let g=b instanceof Error?b.message:String(b);if(!f.open)return Gi(g);n.disabled=!1,i.className="dialog-said dialog-\
failed",se(i,g),b instanceof Tt&&b.wantsToken&&r.ask()})}),vo(f)}function rc(){let e=Ht(),t=h("input",{id:e,type:"password",autocomplete:"of\
f",spellcheck:"false"}),s=h("div",{class:"field"},h("label",{for:e},"Token for changes"),t,xo());return s.hidden=!0,{element:s,ask(){qt.clear(),
s.hidden=!1,t.focus(),document.dispatchEvent(new Event("forebay-token"))},take(){s.hidden||t.value.trim()===""||(qt.set(t.value),document.dispatchEvent(
new Event("forebay-token")))}}}function xo(){return h("p",{class:"hint"},"On the host, as root or the user that runs Forebay: ",h("code",{},
"cat /var/lib/forebay/token")," (or the folder that serve was given with --dir). It is kept until this tab is closed.")}function Ki(){let e=Ht(),
t=Ht(),s=h("input",{id:t,type:"password",autocomplete:"off",spellcheck:"false",required:!0}),n=h("button",{type:"button"},"Forget it"),i=h("\
button",{type:"button"},"Cancel");n.hidden=qt.get()===null;let r=h("form",{},h("h2",{id:e},"Sign in for changes"),h("p",{},"Everything can b\
e read without it. Changes need the token of this host."),h("div",{class:"field"},h("label",{for:t},"Token"),s,xo()),h("div",{class:"buttons"},
n,i,h("button",{type:"submit",class:"primary"},"Keep it"))),a=h("dialog",{"aria-labelledby":e},r),f=d=>{document.dispatchEvent(new Event("fo\
rebay-token")),Gi(d),a.close()};i.addEventListener("click",()=>a.close()),n.addEventListener("click",()=>{qt.clear(),f("The token is forgott\
en; reading goes on")}),r.addEventListener("submit",d=>{d.preventDefault(),qt.set(s.value),f("The token is kept until this tab is closed; th\
e next change shows whether it is right")}),vo(a)}var ac=[["TiB",1099511627776],["GiB",1073741824],["MiB",1048576],["KiB",1024],["",1]];function sn(e){return typeof e=="number"&&Number.isFinite(
e)}function G(e){if(!sn(e))return"\u2013";let t=Math.round(e),[s,n]=ac.find(([,i])=>t>=i)??["",1];return t%n===0?`${t/n}${s}`:`${(Math.floor(
(t*10+n/2)/n)/10).toFixed(1)}${s}`}function Kt(e){return sn(e)?`${G(e)}/s`:"\u2013"}function bt(e){return sn(e)?`${(e*100).toFixed(1)}%`:"\u2013"}
function Mt(e){return sn(e)?Math.round(e).toString().replace(/\B(?=(\d{3})+$)/g,","):"\u2013"}function lt(e){return sn(e)?e>=10||e===0?Mt(e):
e.toFixed(1):"\u2013"}function ji(e){if(!sn(e))return"";for(let[t,s]of[["M",1e6],["k",1e3]])if(Math.abs(e)>=s)return`${Number((e/s).toFixed(
1))}${t}`;return String(Number(e.toFixed(2)))}function jt(e){if(!sn(e))return"\u2013";for(let[t,s]of[["s",1e6],["ms",1e3]])if(e>=s)return`${ko(
e/s)} ${t}`;return`${ko(e)} us`}function ko(e){return e>=100||Number.isInteger(e)?e.toFixed(0):e>=10?e.toFixed(1):e.toFixed(2)}function xn(e){
if(!sn(e))return"\u2013";let t=Math.round(e),s=[[Math.floor(t/86400),"d"],[Math.floor(t/3600)%24,"h"],[Math.floor(t/60)%60,"min"],[t%60,"s"]],
n=s.findIndex(([r])=>r>0);return n<0?"0 s":s.slice(n,n+2).filter(([r])=>r>0).map(([r,a])=>`${r} ${a}`).join(" ")}function kn(e){let t=new Date(
e);return[t.getHours(),t.getMinutes(),t.getSeconds()].map(s=>String(s).padStart(2,"0")).join(":")}function _o(e){let t=new Date(e);return Number.
isNaN(t.getTime())?e:`${[t.getFullYear(),t.getMonth()+1,t.getDate()].map(n=>String(n).padStart(2,"0")).join("-")} ${kn(t.getTime())}`}function Ui(e,t){
return e.length<=t?e:`\u2026${e.slice(1-t)}`}var Gs=["read_hit_ram","read_hit_flash","read_miss","write","flush","destage"],Ks=["reads","writes","flushes","discards","read_bytes","write\
_bytes","read_hits_ram","read_hits_flash","read_partial_hits","read_misses","reads_bypassed","backing_reads","backing_writes","backing_read_\
bytes","backing_write_bytes","flash_read_bytes","flash_write_bytes","destage_bytes","evictions"];function To(e){let t=[];for(let[s,n]of Object.
entries(So(e))){let{unit:i,...r}=So(n);if(typeof i!="string")continue;let a=Object.entries(r).filter(f=>Array.isArray(f[1]));a.length>0&&t.push(
[s,{unit:i,kinds:a}])}return t}function So(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)?e:{}}var ws=300,cc=10,uc=1,fc=1e3;function Yi(e,t){return Ks.every(s=>{let[n,i]=[e[s],t[s]];return n!==void 0&&i!==void 0&&i>=n})}function Eo(e,t){
let s=t.at-e.at;if(s<=0||!Yi(e.statistics,t.statistics))return null;let n=Ks.map(i=>[i,dc(e,t,i)/s]);return Object.fromEntries(n)}function dc(e,t,s){
return(t.statistics[s]??0)-(e.statistics[s]??0)}var pc=["read_hit_ram","read_hit_flash","read_miss"];function Mo(e,t,s){let n=({statistics:a},f)=>s.
reduce((d,p)=>d+(a.latency_us?f(a.latency_us[p]):0),0),i=a=>n(t,a)-n(e,a),r=i(a=>a.count);return r>0?Math.max(0,i(a=>a.count*a.mean))/r:null}
function Us(e){if(e===null)return null;let t=(e.reads??0)+(e.writes??0);return t>0?1-((e.backing_reads??0)+(e.backing_writes??0))/t:null}function Jn(e){
return e===null?null:e.reads+e.writes}function Do(e){let t=e.filter(s=>s!==null);return t.length===0?null:Qi(t)}function Lo(e){let{reads:t=0,
read_hits_ram:s=0,read_hits_flash:n=0}=e;return t>0?(s+n)/t:null}function Qi(e){return Object.fromEntries(Ks.map(t=>[t,e.reduce((s,n)=>s+(n[t]??
0),0)]))}var js=class{#e=[];#t=[];get points(){return this.#t}get last(){return this.#t.at(-1)}add(t,s,n){let i={at:t,statistics:s},r=this.#e.
at(-1);r&&t-r.at<uc&&Yi(r.statistics,s)||(r&&!Yi(r.statistics,s)&&(this.#e=[]),this.#t.push(this.#i(i,n??s)),this.#e.push(i),this.#e=Ao(this.#e,
t),this.#t=Ao(this.#t,t))}#i(t,s){let{at:n,statistics:i}=t,r=this.#e.at(-1),a=this.#e.find(p=>n-p.at<=cc)??r,f=a?Eo(a,t):null,d=p=>f&&f.reads>
0?p/f.reads:null;return{at:n,rates:r?Eo(r,t):null,hitRam:f&&d(f.read_hits_ram),hitFlash:f&&d(f.read_hits_flash),readMicros:f&&a?Mo(a,t,pc):null,
writeMicros:f&&a?Mo(a,t,["write"]):null,dirtyBytes:i.dirty_bytes===void 0?null:We(i),dirtyLimitBytes:i.dirty_limit_bytes??null,latency:s.latency_us??
null}}};function We(e){return(e.dirty_bytes??0)+(e.dirty_zeroes_bytes??0)}function Ao(e,t){return e.filter(s=>t-s.at<=ws).slice(-fc)}var Ji=2e3,hc=3,mc=500,Ys=class{known={disks:null,statistics:new Map,windows:new Map,pool:null,poolProblem:null,series:new Map,events:null,disk:null,
histograms:null,answeredAt:null,away:null};#e=null;#t;#i=0;#s=0;#l=0;constructor(t){this.#t=t}watch(t){t!==this.#e&&(this.#e=t,this.known.disk=
null,this.known.histograms=null,this.#s=0,this.look())}async look(){window.clearTimeout(this.#i);let t=++this.#l;try{await this.#o(t)}catch(s){
t===this.#l&&this.#c(s)}t===this.#l&&(this.#t(),this.#i=window.setTimeout(()=>{this.look()},Ji))}async#o(t){let s=this.#e,n=this.known.events?.
at(-1)?.id??0,[i,r,a,f,d,p]=await Promise.all([Gt("/v1/disks","disks"),Gt("/v1/stats","disks"),Gt("/v1/stats?window=5m","disks"),this.#n(),qi(
`/v1/events?after=${n}`,"events"),s===null?null:ho(gt(s),"disk")]),b=s!==null&&p!==null&&this.#s%hc===0?await qi(`${gt(s)}/histograms`,"hist\
ograms"):void 0;if(t!==this.#l)return;this.#s+=1;let g=Date.now();Object.assign(this.known,{disks:i,...f,answeredAt:g,away:null}),this.#r(g/
1e3,r,a),this.#a(d),s!==null&&(this.known.disk=p??"missing"),b!==void 0&&(this.known.histograms=b===null?null:To(b))}async#n(){try{return{pool:await Gt(
"/v1/pool","pool"),poolProblem:null}}catch(t){if(!(t instanceof Tt)||t.status===0)throw t;return{pool:null,poolProblem:t.message}}}#r(t,s,n){
let i=r=>new Map(r.map(a=>[a.name,a]));this.known.statistics=i(s),this.known.windows=i(n.filter(r=>r.window==="5m"));for(let r of this.known.
series.keys())this.known.statistics.has(r)||this.known.series.delete(r);for(let r of s){let a=this.known.series.get(r.name)??new js;this.known.
series.set(r.name,a),a.add(t,r,this.known.windows.get(r.name))}}#a(t){if(t===null){this.known.events=null;return}let s=this.known.events??[],
n=s.at(-1)?.id??0;this.known.events=[...s,...t.filter(i=>i.id>n)].slice(-mc)}#c(t){let s=t instanceof Error?t.message:String(t),n=t instanceof
Tt?t.status:0;this.known.away={since:this.known.away?.since??Date.now(),reason:s,status:n},this.known.events!==null&&(this.known.events=[])}};var $o="forebay-theme",Qs=["auto","light","dark"],Zi=new Set;function Js(){let e=localStorage.getItem($o);return Qs.find(t=>t===e)??"auto"}function Po(){
let e=Qs[(Qs.indexOf(Js())+1)%Qs.length]??"auto";localStorage.setItem($o,e),Xi()}function Ro(e){return Zi.add(e),()=>Zi.delete(e)}function Fo(){
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change",Xi),Xi()}function Xi(){let e=Js();e==="auto"?delete document.documentElement.
dataset.theme:document.documentElement.dataset.theme=e;for(let t of Zi)t()}function vs(e){return getComputedStyle(document.documentElement).
getPropertyValue(`--${e}`).trim()}var el={good:"\u2713",busy:"\u2026",warning:"!",bad:"\u2715"},gc={serving:"good",attaching:"busy",detaching:"busy",removing:"busy",waiting:"\
warning",stopped:"bad",failed:"bad",missing:"bad",used:"good",leaving:"busy"};function Ut(e){return gc[e]??"warning"}var bc={waiting:"It is \
served by itself as soon as it can be; put right what the reason names.",stopped:"It answers nothing but errors, so that no guest sees old d\
ata. See what it lost, and the log of the daemon.",failed:"It answers errors. Put right what the reason names, then restart Forebay."},Zs=["\
good","busy","warning","bad"];function Xs(e){return Zs[Math.max(0,...e.map(t=>Zs.indexOf(t)))]??"good"}function xs(e){let t=[],s=(a,f,d=null)=>t.
push({tone:a,text:f,advice:d});if(Ut(e.state)!=="good"){let a=e.reason?`: ${e.reason}`:"";s(Ut(e.state),`Disk ${e.name} is ${e.state}${a}`,bc[e.
state]??null)}let n=e.lost_bytes??0;n>0&&s("bad",`Flash lost ${G(n)} of ${e.name} before its backing had it`,`forebay disk show ${e.name} --\
lost lists the ranges.`);let i=e.backing_state;if(i&&i.state!=="good"){let a=i.for_seconds===null?"":` for ${xn(i.for_seconds)}`;s("bad",`Th\
e backing of ${e.name} fails${a}${i.reason?`: ${i.reason}`:""}`,"Hits are answered; the rest waits for retry-time.")}e.quiet?.state==="faile\
d"&&s("warning",`${e.name} could not be made quiet: ${e.quiet.reason??"no reason is known"}`,null);let r=e.segments_uncopied??0;return e.mirrored===
!0&&r>0&&s("warning",`${Mt(r)} segments of ${e.name} lack a second copy`,"They are being copied; until then one device has that data alone."),
e.dirty_limit_bytes&&We(e)>=e.dirty_limit_bytes*.9&&s("warning",`Destage of ${e.name} is behind: ${G(We(e))} of at most ${G(e.dirty_limit_bytes)}\
 is dirty`,"Writes are slowed down to what the backing takes."),t.sort((a,f)=>Zs.indexOf(f.tone)-Zs.indexOf(a.tone))}function No(e){let t=e.
warnings.map(s=>({tone:"warning",text:s,advice:null}));return Ut(e.state)!=="good"&&t.unshift({tone:"bad",text:`The pool is ${e.state}${e.reason?
`: ${e.reason}`:""}`,advice:"Disks go on from their backings; what is dirty waits for the pool."}),e.page_cache_reason&&t.push({tone:"warnin\
g",text:`The pool goes through the page cache, because ${e.page_cache_reason}`,advice:null}),t}var ei={read_hit_ram:"Read, RAM hit",read_hit_flash:"\
Read, flash hit",read_miss:"Read, miss",write:"Write",flush:"Flush",destage:"Destage"};function Co(e){switch(e.quiet?.state){case"coming":return`\
Being made quiet: ${G(We(e))} left to bring home`;case"quiet":return`Quiet for another ${xn(e.quiet.seconds_left)}`;case"failed":return`Coul\
d not be made quiet: ${e.quiet.reason??"no reason is known"}`;default:return null}}function Oo(e){let{load:t}=e;if(!t)return"not known while\
 the disk is not served";if(t.state==="loading")return"being loaded; reads come from the backing meanwhile";if(t.state==="cold")return`nothi\
ng: ${t.reason??"no reason is known"}`;let s=`${G(t.kept_bytes)} came back`;return t.dropped_bytes>0?`${s}, ${G(t.dropped_bytes)} may have c\
hanged and is not believed`:s}var tl=[{name:"mode",about:"What happens to reads and writes.",choices:["write-through","write-back","write-ar\
ound","pass-through"]},{name:"block-size",about:"Unit of the index. A change drops what is cached of the disk.",choices:[4,8,16,32,64,128,256,
512,1024].map(e=>G(e*1024))},{name:"reserve",about:"Flash that the disk gets whatever the others do: auto, a size or a share such as 20%."},
{name:"limit",about:"Flash that the disk never exceeds: auto, a size or a share."},{name:"ram",about:"RAM in front of the flash, at least 1M\
iB."},{name:"admission",about:"What may enter flash: adaptive, always or repeated:N."},{name:"sequential-cutoff",about:"Misses of a sequenti\
al run longer than this go past the cache; 0 is off."},{name:"dirty-limit",about:"Write-back: the most that flash may hold and the backing d\
oes not have."},{name:"destage-rate-min",about:"Write-back: destage never goes slower than so many bytes a second; 0 is none."},{name:"desta\
ge-rate-max",about:"Write-back: destage never goes faster than so many bytes a second; 0 is no limit."},{name:"redundancy",about:"Write-back\
: whether dirty data is kept on two devices of the pool.",choices:["mirror","none"]},{name:"unmarked",about:"Write-back where the backing ca\
nnot be marked: nothing then keeps another Forebay from serving it.",choices:["no","yes"]},{name:"retry-time",about:"How long a request wait\
s for a backing that fails or hangs, such as 25s, or wait."},{name:"socket-owner",about:"User who owns the NBD socket; auto is the daemon's."},
{name:"socket-group",about:"Group of the NBD socket; auto is forebay if the host has it."},{name:"socket-mode",about:"Who may connect, as oc\
tal digits."}],yc={"write-through":"Writes go to the backing first, then to the cache; the backing is always complete.","write-back":"Writes\
 are acknowledged when flash has them, and the backing gets them later. Until then the newest data is on flash alone.","write-around":"Write\
s go to the backing only; what they replace in the cache is dropped.","pass-through":"Every request goes to the backing. Guests have no cach\
e until the mode is changed back."};function zo(e,t){return[...Object.entries(t).map(([n,i])=>wc(e,n,i)).flat(),"Guests stay connected and g\
o on meanwhile."]}function wc(e,t,s){let n=G(e.statistics.cached_bytes);switch(t){case"mode":return[yc[s]??`The mode becomes ${s}.`,...vc(e,
s)];case"block-size":return[`What is cached of the disk on flash (${n}) is dropped; it is read from the backing again.`];case"limit":return[
`Flash that the disk holds above the new limit is evicted; it holds ${G(e.statistics.flash_bytes)} now.`];case"unmarked":return s==="yes"?["\
Nothing keeps another Forebay from serving this backing while flash has newer data. See to that yourself."]:[];case"redundancy":return[s==="\
none"?"Dirty data is kept on one device only: if it fails, that data is lost.":"Dirty data is kept on two devices, if the pool has them."];case"\
socket-owner":case"socket-group":case"socket-mode":return["Who may connect to the disk changes at once."];default:return[]}}function vc(e,t){
return e.mode!=="write-back"||t==="write-back"||We(e)===0?[]:[`${G(We(e))} is dirty; it is written to the backing while guests go on.`]}function Zn(e,t){
let s=We(t),n=s>0?`${G(s)} is dirty: flash has it and the backing does not.`:"Nothing is dirty: the backing has everything.";switch(e){case"\
destage":return[n,"Dirty data is written to the backing at full speed. Guests go on and may notice a busier backing."];case"normal":return[n,
"Destage goes on at the pace that suits guests."];case"quiesce":return[n,"It is brought home first. After that, writes wait for the backing,\
 so that a backup or snapshot of the backing is complete.","This ends by itself after the time below, or when it is resumed."];case"resume":
return["Writes may lie on flash alone again, as the mode says."];case"evict":return[`${G(t.statistics.cached_bytes)} cached on flash and ${G(
t.statistics.ram_bytes)} in RAM are dropped, and no restart brings them back.`,s>0?`${G(s)} is dirty and is brought home first.`:"Nothing is\
 dirty; nothing is lost.","Guests go on from the backing, slower, until the cache is warm again."]}}var xc=60,kc=600,_c=300;function Io(e,t){let s=Sc.map(i=>{let r=()=>{let a=e();a&&qs(Ac(i.work(a),t))};return[i,h("button",{type:"button","d\
ata-action":i.name,onclick:r},i.label)]}),n=h("p",{class:"hint","data-figure":"quiet"});return{element:h("section",{class:"card","aria-label":"\
Actions"},h("h2",{},"Actions"),h("div",{class:"buttons buttons-start"},...s.map(([,i])=>i)),n),update(){let i=e();for(let[a,f]of s)f.disabled=
i===null||!a.isPossible(i);let r=i&&!ks(i)?`Nothing can be done while the disk is ${i.state}.`:i?Co(i):null;se(n,r??""),Se(n,r!==null)}}}var ks=e=>e.
state==="serving",Ho=e=>e.quiet?.state==="coming"||e.quiet?.state==="quiet",Sc=[{name:"destage",label:"Destage now\u2026",isPossible:ks,work:e=>({
title:`Destage ${e.name} at full speed?`,sentences:Zn("destage",e),confirm:"Destage now",run:async()=>(await Et("POST",`${gt(e.name)}/destag\
e`),`What is dirty of ${e.name} is on its way to the backing`)})},{name:"normal",label:"Destage at normal pace\u2026",isPossible:ks,work:e=>({
title:`Let ${e.name} destage at its own pace?`,sentences:Zn("normal",e),confirm:"Normal pace",run:async()=>(await Et("DELETE",`${gt(e.name)}\
/destage`),`${e.name} is destaged as it suits guests`)})},{name:"quiesce",label:"Quiesce\u2026",isPossible:e=>ks(e)&&!Ho(e),work:Tc},{name:"\
resume",label:"Resume\u2026",isPossible:Ho,work:e=>({title:`Let ${e.name} go on as before?`,sentences:Zn("resume",e),confirm:"Resume",run:async()=>(await Et(
"POST",`${gt(e.name)}/resume`),`${e.name} goes on as before`)})},{name:"evict",label:"Evict\u2026",isPossible:ks,work:e=>({title:`Drop what \
is cached of ${e.name}?`,sentences:Zn("evict",e),confirm:"Evict",run:(t,s)=>Ec(e.name,t,s)})}];function Tc(e){let t=Ht(),s=h("input",{id:t,type:"\
number",min:1,max:86400,value:kc,required:!0});return{title:`Hold ${e.name} without dirty data?`,sentences:Zn("quiesce",e),confirm:"Quiesce",
fields:h("div",{class:"field"},h("label",{for:t},"For so many seconds"),s),run:async()=>{let n=Number(s.value);return await Et("POST",`${gt(
e.name)}/quiesce`,{seconds:n}),`${e.name} is being made quiet, then held so for ${xn(n)}`}}}async function Ec(e,t,s){let n=gt(e),i=await Gt(
n,"disk");if(We(i)>0){await Et("POST",`${n}/quiesce`,{seconds:xc});try{await Mc(e,t,s),await Et("POST",`${n}/evict`)}finally{await Et("POST",
`${n}/resume`)}}else await Et("POST",`${n}/evict`);return`Nothing is cached of ${e} any more, and no restart brings it back`}async function Mc(e,t,s){
for(;;){if(s.aborted)throw new Error("Stopped; the disk is served as before");let n=await Gt(gt(e),"disk"),i=n.quiet?.state;if(i==="quiet")return;
if(i!=="coming")throw new Error(`Cannot bring home what is dirty: ${n.quiet?.reason??n.reason??"somebody resumed it"}. Nothing was dropped.`);
t(`${G(We(n))} left to bring home\u2026`),await new Promise(r=>window.setTimeout(r,_c))}}function Ac(e,t){return{...e,run:(s,n)=>e.run(s,n).
finally(t)}}var Dc="uplot",Lc="u-hz",$c="u-vt",Pc="u-title",Rc="u-wrap",Fc="u-under",Nc="u-over",Cc="u-axis",Tn="u-off",Oc="u-select",zc="u-cursor-x",Hc="\
u-cursor-y",Ic="u-cursor-pt",Vc="u-legend",Wc="u-live",Bc="u-inline",qc="u-series",Gc="u-marker",Vo="u-label",Kc="u-value",Ss="width",Ts="he\
ight";var Wo="bottom",Xn="left",nl="right",wl="#000",Bo=wl+"0",sl="mousemove",qo="mousedown",il="mouseup",Go="mouseenter",Ko="mouseleave",jo="dblc\
lick",jc="resize",Uc="scroll",Uo="change",li="dppxchange",vl="--",os=typeof window<"u",cl=os?document:null,ts=os?window:null,Yc=os?navigator:
null,ae,ti;function ul(){let e=devicePixelRatio;ae!=e&&(ae=e,ti&&dl(Uo,ti,ul),ti=matchMedia(`(min-resolution: ${ae-.001}dppx) and (max-resol\
ution: ${ae+.001}dppx)`),En(Uo,ti,ul),ts.dispatchEvent(new CustomEvent(li)))}function ot(e,t){if(t!=null){let s=e.classList;!s.contains(t)&&
s.add(t)}}function fl(e,t){let s=e.classList;s.contains(t)&&s.remove(t)}function we(e,t,s){e.style[t]=s+"px"}function At(e,t,s,n){let i=cl.createElement(
e);return t!=null&&ot(i,t),s?.insertBefore(i,n),i}function yt(e,t){return At("div",e,t)}var Yo=new WeakMap;function It(e,t,s,n,i){let r="tra\
nslate("+t+"px,"+s+"px)",a=Yo.get(e);r!=a&&(e.style.transform=r,Yo.set(e,r),t<0||s<0||t>n||s>i?ot(e,Tn):fl(e,Tn))}var Qo=new WeakMap;function Jo(e,t,s){
let n=t+s,i=Qo.get(e);n!=i&&(Qo.set(e,n),e.style.background=t,e.style.borderColor=s)}var Zo=new WeakMap;function Xo(e,t,s,n){let i=t+""+s,r=Zo.
get(e);i!=r&&(Zo.set(e,i),e.style.height=s+"px",e.style.width=t+"px",e.style.marginLeft=n?-t/2+"px":0,e.style.marginTop=n?-s/2+"px":0)}var xl={
passive:!0},Qc={...xl,capture:!0};function En(e,t,s,n){t.addEventListener(e,s,n?Qc:xl)}function dl(e,t,s,n){t.removeEventListener(e,s,xl)}os&&
ul();function Dt(e,t,s,n){let i;s=s||0,n=n||t.length-1;let r=n<=2147483647;for(;n-s>1;)i=r?s+n>>1:rt((s+n)/2),t[i]<e?s=i:n=i;return e-t[s]<=
t[n]-e?s:n}function Mr(e){return(s,n,i)=>{let r=-1,a=-1;for(let f=n;f<=i;f++)if(e(s[f])){r=f;break}for(let f=i;f>=n;f--)if(e(s[f])){a=f;break}
return[r,a]}}var Ar=e=>e!=null,Dr=e=>e!=null&&e>0,ai=Mr(Ar),Jc=Mr(Dr);function Zc(e,t,s,n=0,i=!1){let r=i?Jc:ai,a=i?Dr:Ar;[t,s]=r(e,t,s);let f=e[t],
d=e[t];if(t>-1)if(n==1)f=e[t],d=e[s];else if(n==-1)f=e[s],d=e[t];else for(let p=t;p<=s;p++){let b=e[p];a(b)&&(b<f?f=b:b>d&&(d=b))}return[f??
pe,d??-pe]}function ci(e,t,s,n){let i=nr(e),r=nr(t);e==t&&(i==-1?(e*=s,t/=s):(e/=s,t*=s));let a=s==10?Yt:Lr,f=i==1?rt:wt,d=r==1?wt:rt,p=f(a(
Pe(e))),b=d(a(Pe(t))),g=ns(s,p),w=ns(s,b);return s==10&&(p<0&&(g=he(g,-p)),b<0&&(w=he(w,-b))),n||s==2?(e=g*i,t=w*r):(e=Fr(e,g),t=ui(t,w)),[e,
t]}function kl(e,t,s,n){let i=ci(e,t,s,n);return e==0&&(i[0]=0),t==0&&(i[1]=0),i}var _l=.1,er={mode:3,pad:_l},Ms={pad:0,soft:null,mode:0},Xc={
min:Ms,max:Ms};function oi(e,t,s,n){return fi(s)?tr(e,t,s):(Ms.pad=s,Ms.soft=n?0:null,Ms.mode=n?3:0,tr(e,t,Xc))}function oe(e,t){return e??t}
function eu(e,t,s){for(t=oe(t,0),s=oe(s,e.length-1);t<=s;){if(e[t]!=null)return!0;t++}return!1}function tr(e,t,s){let n=s.min,i=s.max,r=oe(n.
pad,0),a=oe(i.pad,0),f=oe(n.hard,-pe),d=oe(i.hard,pe),p=oe(n.soft,pe),b=oe(i.soft,-pe),g=oe(n.mode,0),w=oe(i.mode,0),S=t-e,M=Yt(S),F=Qe(Pe(e),
Pe(t)),V=Yt(F),P=Pe(V-M);(S<1e-24||P>10)&&(S=0,(e==0||t==0)&&(S=1e-24,g==2&&p!=pe&&(r=0),w==2&&b!=-pe&&(a=0)));let x=S||F||1e3,z=Yt(x),T=ns(
10,rt(z)),Q=x*(S==0?e==0?.1:1:r),R=he(Fr(e-Q,T/10),24),J=e>=p&&(g==1||g==3&&R<=p||g==2&&R>=p)?p:pe,j=Qe(f,R<J&&e>=J?J:Lt(J,R)),ee=x*(S==0?t==
0?.1:1:a),K=he(ui(t+ee,T/10),24),E=t<=b&&(w==1||w==3&&K>=b||w==2&&K<=b)?b:-pe,Y=Lt(d,K>E&&t<=E?E:Qe(E,K));return j==Y&&j==0&&(Y=100),[j,Y]}var tu=new Intl.
NumberFormat(os?Yc.language:"en-US"),Sl=e=>tu.format(e),at=Math,ii=at.PI,Pe=at.abs,rt=at.floor,$e=at.round,wt=at.ceil,Lt=at.min,Qe=at.max,ns=at.
pow,nr=at.sign,Yt=at.log10,Lr=at.log2,nu=(e,t=1)=>at.sinh(e)*t,ll=(e,t=1)=>at.asinh(e/t),pe=1/0;function sr(e){return(Yt((e^e>>31)-(e>>31))|
0)+1}function pl(e,t,s){return Lt(Qe(e,t),s)}function $r(e){return typeof e=="function"}function te(e){return $r(e)?e:()=>e}var su=()=>{},Pr=e=>e,
Rr=(e,t)=>t,iu=e=>null,ir=e=>!0,lr=(e,t)=>e==t,lu=/\.\d*?(?=9{6,}|0{6,})/gm,Mn=e=>{if(Cr(e)||on.has(e))return e;let t=`${e}`,s=t.match(lu);if(s==
null)return e;let n=s[0].length-1;if(t.indexOf("e-")!=-1){let[i,r]=t.split("e");return+`${Mn(i)}e${r}`}return he(e,n)};function _n(e,t){return Mn(
he(Mn(e/t))*t)}function ui(e,t){return Mn(wt(Mn(e/t))*t)}function Fr(e,t){return Mn(rt(Mn(e/t))*t)}function he(e,t=0){if(Cr(e))return e;let s=10**
t,n=e*s*(1+Number.EPSILON);return $e(n)/s}var on=new Map;function Nr(e){return((""+e).split(".")[1]||"").length}function Ds(e,t,s,n){let i=[],
r=n.map(Nr);for(let a=t;a<s;a++){let f=Pe(a),d=he(ns(e,a),f);for(let p=0;p<n.length;p++){let b=e==10?+`${n[p]}e${a}`:n[p]*d,g=(a>=0?0:f)+(a>=
r[p]?0:r[p]),w=e==10?b:he(b,g);i.push(w),on.set(w,g)}}return i}var As={},Tl=[],ss=[null,null],ln=Array.isArray,Cr=Number.isInteger,ou=e=>e===
void 0;function or(e){return typeof e=="string"}function fi(e){let t=!1;if(e!=null){let s=e.constructor;t=s==null||s==Object}return t}function ru(e){
return e!=null&&typeof e=="object"}var au=Object.getPrototypeOf(Uint8Array),Or="__proto__";function is(e,t=fi){let s;if(ln(e)){let n=e.find(
i=>i!=null);if(ln(n)||t(n)){s=Array(e.length);for(let i=0;i<e.length;i++)s[i]=is(e[i],t)}else s=e.slice()}else if(e instanceof au)s=e.slice();else if(t(
e)){s={};for(let n in e)n!=Or&&(s[n]=is(e[n],t))}else s=e;return s}function Ae(e){let t=arguments;for(let s=1;s<t.length;s++){let n=t[s];for(let i in n)
i!=Or&&(fi(e[i])?Ae(e[i],is(n[i])):e[i]=is(n[i]))}return e}var cu=0,uu=1,fu=2;function du(e,t,s){for(let n=0,i,r=-1;n<t.length;n++){let a=t[n];
if(a>r){for(i=a-1;i>=0&&e[i]==null;)e[i--]=null;for(i=a+1;i<s&&e[i]==null;)e[r=i++]=null}}}function pu(e,t){if(gu(e)){let a=e[0].slice();for(let f=1;f<
e.length;f++)a.push(...e[f].slice(1));return bu(a[0])||(a=mu(a)),a}let s=new Set;for(let a=0;a<e.length;a++){let d=e[a][0],p=d.length;for(let b=0;b<
p;b++)s.add(d[b])}let n=[Array.from(s).sort((a,f)=>a-f)],i=n[0].length,r=new Map;for(let a=0;a<i;a++)r.set(n[0][a],a);for(let a=0;a<e.length;a++){
let f=e[a],d=f[0];for(let p=1;p<f.length;p++){let b=f[p],g=Array(i).fill(void 0),w=t?t[a][p]:uu,S=[];for(let M=0;M<b.length;M++){let F=b[M],
V=r.get(d[M]);F===null?w!=cu&&(g[V]=F,w==fu&&S.push(V)):g[V]=F}du(g,S,i),n.push(g)}}return n}var hu=typeof queueMicrotask>"u"?e=>Promise.resolve().
then(e):queueMicrotask;function mu(e){let t=e[0],s=t.length,n=Array(s);for(let r=0;r<n.length;r++)n[r]=r;n.sort((r,a)=>t[r]-t[a]);let i=[];for(let r=0;r<
e.length;r++){let a=e[r],f=Array(s);for(let d=0;d<s;d++)f[d]=a[n[d]];i.push(f)}return i}function gu(e){let t=e[0][0],s=t.length;for(let n=1;n<
e.length;n++){let i=e[n][0];if(i.length!=s)return!1;if(i!=t){for(let r=0;r<s;r++)if(i[r]!=t[r])return!1}}return!0}function bu(e,t=100){let s=e.
length;if(s<=1)return!0;let n=0,i=s-1;for(;n<=i&&e[n]==null;)n++;for(;i>=n&&e[i]==null;)i--;if(i<=n)return!0;let r=Qe(1,rt((i-n+1)/t));for(let a=e[n],
f=n+r;f<=i;f+=r){let d=e[f];if(d!=null){if(d<=a)return!1;a=d}}return!0}var zr=["January","February","March","April","May","June","July","Aug\
ust","September","October","November","December"],Hr=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function Ir(e){
return e.slice(0,3)}var yu=Hr.map(Ir),wu=zr.map(Ir),vu={MMMM:zr,MMM:wu,WWWW:Hr,WWW:yu};function _s(e){return(e<10?"0":"")+e}function xu(e){return(e<
10?"00":e<100?"0":"")+e}var ku={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.
getMonth()],MM:e=>_s(e.getMonth()+1),M:e=>e.getMonth()+1,DD:e=>_s(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.
WWW[e.getDay()],HH:e=>_s(e.getHours()),H:e=>e.getHours(),h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"A\
M",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>_s(e.getMinutes()),m:e=>e.getMinutes(),ss:e=>_s(e.getSeconds()),s:e=>e.
getSeconds(),fff:e=>xu(e.getMilliseconds())};function El(e,t){t=t||vu;let s=[],n=/\{([a-z]+)\}|[^{]+/gi,i;for(;i=n.exec(e);)s.push(i[0][0]==
"{"?ku[i[1]]:i[0]);return r=>{let a="";for(let f=0;f<s.length;f++)a+=typeof s[f]=="string"?s[f]:s[f](r,t);return a}}var _u=new Intl.DateTimeFormat().
resolvedOptions().timeZone;function Su(e,t){let s;return t=="UTC"||t=="Etc/UTC"?s=new Date(+e+e.getTimezoneOffset()*6e4):t==_u?s=e:(s=new Date(
e.toLocaleString("en-US",{timeZone:t})),s.setMilliseconds(e.getMilliseconds())),s}var Vr=e=>e%1==0,ri=[1,2,2.5,5],Tu=Ds(10,-32,0,ri),Wr=Ds(10,
0,32,ri),Eu=Wr.filter(Vr),Sn=Tu.concat(Wr),Ml=`
`,Br="{YYYY}",rr=Ml+Br,qr="{M}/{D}",Es=Ml+qr,ni=Es+"/{YY}",Gr="{aa}",Mu="{h}:{mm}",es=Mu+Gr,ar=Ml+es,cr=":{ss}",ue=null;function Kr(e){let t=e*
1e3,s=t*60,n=s*60,i=n*24,r=i*30,a=i*365,d=(e==1?Ds(10,0,3,ri).filter(Vr):Ds(10,-3,0,ri)).concat([t,t*5,t*10,t*15,t*30,s,s*5,s*10,s*15,s*30,n,
n*2,n*3,n*4,n*6,n*8,n*12,i,i*2,i*3,i*4,i*5,i*6,i*7,i*8,i*9,i*10,i*15,r,r*2,r*3,r*4,r*6,a,a*2,a*5,a*10,a*25,a*50,a*100]),p=[[a,Br,ue,ue,ue,ue,
ue,ue,1],[i*28,"{MMM}",rr,ue,ue,ue,ue,ue,1],[i,qr,rr,ue,ue,ue,ue,ue,1],[n,"{h}"+Gr,ni,ue,Es,ue,ue,ue,1],[s,es,ni,ue,Es,ue,ue,ue,1],[t,cr,ni+
" "+es,ue,Es+" "+es,ue,ar,ue,1],[e,cr+".{fff}",ni+" "+es,ue,Es+" "+es,ue,ar,ue,1]];function b(g){return(w,S,M,F,V,P)=>{let x=[],z=V>=a,T=V>=
r&&V<a,Q=g(M),R=he(Q*e,3),J=ol(Q.getFullYear(),z?0:Q.getMonth(),T||z?1:Q.getDate()),j=he(J*e,3);if(T||z){let ee=T?V/r:0,K=z?V/a:0,E=R==j?R:he(
ol(J.getFullYear()+K,J.getMonth()+ee,1)*e,3),Y=new Date($e(E/e)),N=Y.getFullYear(),B=Y.getMonth();for(let I=0;E<=F;I++){let ne=ol(N+K*I,B+ee*
I,1),H=ne-g(he(ne*e,3));E=he((+ne+H)*e,3),E<=F&&x.push(E)}}else{let ee=V>=i?i:V,K=rt(M)-rt(R),E=j+K+ui(R-j,ee);x.push(E);let Y=g(E),N=Y.getHours()+
Y.getMinutes()/s+Y.getSeconds()/n,B=V/n,I=w.axes[S]._space,ne=P/I;for(;E=he(E+V,e==1?0:3),!(E>F);)if(B>1){let H=rt(he(N+B,6))%24,ie=g(E).getHours()-
H;ie>1&&(ie=-1),E-=ie*n,N=(N+B)%24;let fe=x[x.length-1];he((E-fe)/V,3)*ne>=.7&&x.push(E)}else x.push(E)}return x}}return[d,p,b]}var[Au,Du,Lu]=Kr(
1),[$u,Pu,Ru]=Kr(.001);Ds(2,-53,53,[1]);function ur(e,t){return e.map(s=>s.map((n,i)=>i==0||i==8||n==null?n:t(i==1||s[8]==0?n:s[1]+n)))}function fr(e,t){
return(s,n,i,r,a)=>{let f=t.find(M=>a>=M[0])||t[t.length-1],d,p,b,g,w,S;return n.map(M=>{let F=e(M),V=F.getFullYear(),P=F.getMonth(),x=F.getDate(),
z=F.getHours(),T=F.getMinutes(),Q=F.getSeconds(),R=V!=d&&f[2]||P!=p&&f[3]||x!=b&&f[4]||z!=g&&f[5]||T!=w&&f[6]||Q!=S&&f[7]||f[1];return d=V,p=
P,b=x,g=z,w=T,S=Q,R(F)})}}function Fu(e,t){let s=El(t);return(n,i,r,a,f)=>i.map(d=>s(e(d)))}function ol(e,t,s){return new Date(e,t,s)}function dr(e,t){
return t(e)}var Nu="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function pr(e,t){return(s,n,i,r)=>r==null?vl:t(e(n))}function Cu(e,t){let s=e.series[t];return s.
width?s.stroke(e,t):s.points.width?s.points.stroke(e,t):null}function Ou(e,t){return e.series[t].fill(e,t)}var zu={show:!0,live:!0,isolate:!1,
mount:su,markers:{show:!0,width:2,stroke:Cu,fill:Ou,dash:"solid"},idx:null,idxs:null,values:[]};function Hu(e,t){let s=e.cursor.points,n=yt(),
i=s.size(e,t);we(n,Ss,i),we(n,Ts,i);let r=i/-2;we(n,"marginLeft",r),we(n,"marginTop",r);let a=s.width(e,t,i);return a&&we(n,"borderWidth",a),
n}function Iu(e,t){let s=e.series[t].points;return s._fill||s._stroke}function Vu(e,t){let s=e.series[t].points;return s._stroke||s._fill}function Wu(e,t){
return e.series[t].points.size}var rl=[0,0];function Bu(e,t,s){return rl[0]=t,rl[1]=s,rl}function si(e,t,s,n=!0){return i=>{i.button==0&&(!n||
i.target==t)&&s(i)}}function al(e,t,s,n=!0){return i=>{(!n||i.target==t)&&s(i)}}var qu={show:!0,x:!0,y:!0,lock:!1,move:Bu,points:{one:!1,show:Hu,
size:Wu,width:0,stroke:Vu,fill:Iu},bind:{mousedown:si,mouseup:si,click:si,dblclick:si,mousemove:al,mouseleave:al,mouseenter:al},drag:{setScale:!0,
x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(e,t,s,n,i)=>n-i,prox:-1,
bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},jr={show:!0,stroke:"rgba(0,0,0,0\
.07)",width:2},Al=Ae({},jr,{filter:Rr}),Ur=Ae({},Al,{size:10}),Yr=Ae({},jr,{show:!1}),Dl='12px system-ui, -apple-system, "Segoe UI", Roboto,\
 "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',Qr="bold "+
Dl,Jr=1.5,hr={show:!0,scale:"x",stroke:wl,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Qr,side:2,grid:Al,ticks:Ur,border:Yr,
font:Dl,lineGap:Jr,rotate:0},Gu="Value",Ku="Time",mr={show:!0,scale:"x",auto:!1,sorted:1,min:pe,max:-pe,idxs:[]};function ju(e,t,s,n,i){return t.
map(r=>r==null?"":Sl(r))}function Uu(e,t,s,n,i,r,a){let f=[],d=on.get(i)||0;s=a?s:he(ui(s,i),d);for(let p=s;p<=n;p=he(p+i,d))f.push(Object.is(
p,-0)?0:p);return f}function hl(e,t,s,n,i,r,a){let f=[],d=e.scales[e.axes[t].scale].log,p=d==10?Yt:Lr,b=rt(p(s));i=ns(d,b),d==10&&(i=Sn[Dt(i,
Sn)]);let g=s,w=i*d;d==10&&(w=Sn[Dt(w,Sn)]);do f.push(g),g=g+i,d==10&&!on.has(g)&&(g=he(g,on.get(i))),g>=w&&(i=g,w=i*d,d==10&&(w=Sn[Dt(w,Sn)]));while(g<=
n);return f}function Yu(e,t,s,n,i,r,a){let d=e.scales[e.axes[t].scale].asinh,p=n>d?hl(e,t,Qe(d,s),n,i):[d],b=n>=0&&s<=0?[0]:[];return(s<-d?hl(
e,t,Qe(d,-n),-s,i):[d]).reverse().map(w=>-w).concat(b,p)}var Zr=/./,Qu=/[12357]/,Ju=/[125]/,gr=/1/,ml=(e,t,s,n)=>e.map((i,r)=>t==4&&i==0||r%
n==0&&s.test(i.toExponential()[i<0?1:0])?i:null);function Zu(e,t,s,n,i){let r=e.axes[s],a=r.scale,f=e.scales[a],d=e.valToPos,p=r._space,b=d(
10,a),g=d(9,a)-b>=p?Zr:d(7,a)-b>=p?Qu:d(5,a)-b>=p?Ju:gr;if(g==gr){let w=Pe(d(1,a)-b);if(w<p)return ml(t.slice().reverse(),f.distr,g,wt(p/w)).
reverse()}return ml(t,f.distr,g,1)}function Xu(e,t,s,n,i){let r=e.axes[s],a=r.scale,f=r._space,d=e.valToPos,p=Pe(d(1,a)-d(2,a));return p<f?ml(
t.slice().reverse(),3,Zr,wt(f/p)).reverse():t}function ef(e,t,s,n){return n==null?vl:t==null?"":Sl(t)}var br={show:!0,scale:"y",stroke:wl,space:30,
gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Qr,side:3,grid:Al,ticks:Ur,border:Yr,font:Dl,lineGap:Jr,rotate:0};function tf(e,t){
let s=3+(e||1)*2;return he(s*t,3)}function nf(e,t){let{scale:s,idxs:n}=e.series[0],i=e._data[0],r=e.valToPos(i[n[0]],s,!0),a=e.valToPos(i[n[1]],
s,!0),f=Pe(a-r),d=e.series[t],p=f/(d.points.space*ae);return n[1]-n[0]<=p}var yr={scale:null,auto:!0,sorted:0,min:pe,max:-pe},Xr=(e,t,s,n,i)=>i,
wr={show:!0,auto:!0,sorted:0,gaps:Xr,alpha:1,facets:[Ae({},yr,{scale:"x"}),Ae({},yr,{scale:"y"})]},vr={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:Xr,alpha:1,points:{show:nf,filter:null},values:null,min:pe,max:-pe,idxs:[],path:null,clip:null};function sf(e,t,s,n,i){return s/10}var ea={
time:!0,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},lf=Ae({},ea,{time:!1,ori:1}),xr={};function ta(e,t){let s=xr[e];return s||
(s={key:e,plots:[],sub(n){s.plots.push(n)},unsub(n){s.plots=s.plots.filter(i=>i!=n)},pub(n,i,r,a,f,d,p){for(let b=0;b<s.plots.length;b++)s.plots[b]!=
i&&s.plots[b].pub(n,i,r,a,f,d,p)}},e!=null&&(xr[e]=s)),s}var ls=1,gl=2;function An(e,t,s){let n=e.mode,i=e.series[t],r=n==2?e._data[t]:e._data,
a=e.scales,f=e.bbox,d=r[0],p=n==2?r[1]:r[t],b=n==2?a[i.facets[0].scale]:a[e.series[0].scale],g=n==2?a[i.facets[1].scale]:a[i.scale],w=f.left,
S=f.top,M=f.width,F=f.height,V=e.valToPosH,P=e.valToPosV;return b.ori==0?s(i,d,p,b,g,V,P,w,S,M,F,pi,rs,mi,sa,la):s(i,d,p,b,g,P,V,S,w,F,M,hi,
as,Pl,ia,oa)}function Ll(e,t){let s=0,n=0,i=oe(e.bands,Tl);for(let r=0;r<i.length;r++){let a=i[r];a.series[0]==t?s=a.dir:a.series[1]==t&&(a.
dir==1?n|=1:n|=2)}return[s,n==1?-1:n==2?1:n==3?2:0]}function of(e,t,s,n,i){let r=e.mode,a=e.series[t],f=r==2?a.facets[1].scale:a.scale,d=e.scales[f];
return i==-1?d.min:i==1?d.max:d.distr==3?d.dir==1?d.min:d.max:0}function Qt(e,t,s,n,i,r){return An(e,t,(a,f,d,p,b,g,w,S,M,F,V)=>{let P=a.pxRound,
x=p.dir*(p.ori==0?1:-1),z=p.ori==0?rs:as,T,Q;x==1?(T=s,Q=n):(T=n,Q=s);let R=P(g(f[T],p,F,S)),J=P(w(d[T],b,V,M)),j=P(g(f[Q],p,F,S)),ee=P(w(r==
1?b.max:b.min,b,V,M)),K=new Path2D(i);return z(K,j,ee),z(K,R,ee),z(K,R,J),K})}function di(e,t,s,n,i,r){let a=null;if(e.length>0){a=new Path2D;
let f=t==0?mi:Pl,d=s;for(let g=0;g<e.length;g++){let w=e[g];if(w[1]>w[0]){let S=w[0]-d;S>0&&f(a,d,n,S,n+r),d=w[1]}}let p=s+i-d,b=10;p>0&&f(a,
d,n-b/2,p,n+r+b)}return a}function rf(e,t,s){let n=e[e.length-1];n&&n[0]==t?n[1]=s:e.push([t,s])}function $l(e,t,s,n,i,r,a){let f=[],d=e.length;
for(let p=i==1?s:n;p>=s&&p<=n;p+=i)if(t[p]===null){let g=p,w=p;if(i==1)for(;++p<=n&&t[p]===null;)w=p;else for(;--p>=s&&t[p]===null;)w=p;let S=r(
e[g]),M=w==g?S:r(e[w]),F=g-i;S=a<=0&&F>=0&&F<d?r(e[F]):S;let P=w+i;M=a>=0&&P>=0&&P<d?r(e[P]):M,M>=S&&f.push([S,M])}return f}function kr(e){return e==
0?Pr:e==1?$e:t=>_n(t,e)}function na(e){let t=e==0?pi:hi,s=e==0?(i,r,a,f,d,p)=>{i.arcTo(r,a,f,d,p)}:(i,r,a,f,d,p)=>{i.arcTo(a,r,d,f,p)},n=e==
0?(i,r,a,f,d)=>{i.rect(r,a,f,d)}:(i,r,a,f,d)=>{i.rect(a,r,d,f)};return(i,r,a,f,d,p=0,b=0)=>{p==0&&b==0?n(i,r,a,f,d):(p=Lt(p,f/2,d/2),b=Lt(b,
f/2,d/2),t(i,r+p,a),s(i,r+f,a,r+f,a+d,p),s(i,r+f,a+d,r,a+d,b),s(i,r,a+d,r,a,b),s(i,r,a,r+f,a,p),i.closePath())}}var pi=(e,t,s)=>{e.moveTo(t,
s)},hi=(e,t,s)=>{e.moveTo(s,t)},rs=(e,t,s)=>{e.lineTo(t,s)},as=(e,t,s)=>{e.lineTo(s,t)},mi=na(0),Pl=na(1),sa=(e,t,s,n,i,r)=>{e.arc(t,s,n,i,r)},
ia=(e,t,s,n,i,r)=>{e.arc(s,t,n,i,r)},la=(e,t,s,n,i,r,a)=>{e.bezierCurveTo(t,s,n,i,r,a)},oa=(e,t,s,n,i,r,a)=>{e.bezierCurveTo(s,t,i,n,a,r)};function ra(e){
return(t,s,n,i,r)=>An(t,s,(a,f,d,p,b,g,w,S,M,F,V)=>{let{pxRound:P,points:x}=a,z,T;p.ori==0?(z=pi,T=sa):(z=hi,T=ia);let Q=he(x.width*ae,3),R=(x.
size-x.width)/2*ae,J=he(R*2,3),j=new Path2D,ee=new Path2D,{left:K,top:E,width:Y,height:N}=t.bbox;mi(ee,K-J,E-J,Y+J*2,N+J*2);let B=I=>{if(d[I]!=
null){let ne=P(g(f[I],p,F,S)),H=P(w(d[I],b,V,M));z(j,ne+R,H),T(j,ne,H,R,0,ii*2)}};if(r)r.forEach(B);else for(let I=n;I<=i;I++)B(I);return{stroke:Q>
0?j:null,fill:j,clip:ee,flags:ls|gl}})}function aa(e){return(t,s,n,i,r,a)=>{n!=i&&(r!=n&&a!=n&&e(t,s,n),r!=i&&a!=i&&e(t,s,i),e(t,s,a))}}var af=aa(
rs),cf=aa(as);function ca(e){let t=oe(e?.alignGaps,0);return(s,n,i,r)=>An(s,n,(a,f,d,p,b,g,w,S,M,F,V)=>{[i,r]=ai(d,i,r);let P=a.pxRound,x=N=>P(
g(N,p,F,S)),z=N=>P(w(N,b,V,M)),T,Q;p.ori==0?(T=rs,Q=af):(T=as,Q=cf);let R=p.dir*(p.ori==0?1:-1),J={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:ls},j=J.stroke,ee=!1;if(r-i>=F*4){let N=C=>s.posToVal(C,p.key,!0),B=null,I=null,ne,H,Je,ve=x(f[R==1?i:r]),ie=x(f[i]),fe=x(f[r]),
Z=N(R==1?ie+1:fe-1);for(let C=R==1?i:r;C>=i&&C<=r;C+=R){let De=f[C],xe=(R==1?De<Z:De>Z)?ve:x(De),ce=d[C];xe==ve?ce!=null?(H=ce,B==null?(T(j,
xe,z(H)),ne=B=I=H):H<B?B=H:H>I&&(I=H)):ce===null&&(ee=!0):(B!=null&&Q(j,ve,z(B),z(I),z(ne),z(H)),ce!=null?(H=ce,T(j,xe,z(H)),B=I=ne=H):(B=I=
null,ce===null&&(ee=!0)),ve=xe,Z=N(ve+R))}B!=null&&B!=I&&Je!=ve&&Q(j,ve,z(B),z(I),z(ne),z(H))}else for(let N=R==1?i:r;N>=i&&N<=r;N+=R){let B=d[N];
B===null?ee=!0:B!=null&&T(j,x(f[N]),z(B))}let[E,Y]=Ll(s,n);if(a.fill!=null||E!=0){let N=J.fill=new Path2D(j),B=a.fillTo(s,n,a.min,a.max,E),I=z(
B),ne=x(f[i]),H=x(f[r]);R==-1&&([H,ne]=[ne,H]),T(N,H,I),T(N,ne,I)}if(!a.spanGaps){let N=[];ee&&N.push(...$l(f,d,i,r,R,x,t)),J.gaps=N=a.gaps(
s,n,i,r,N),J.clip=di(N,p.ori,S,M,F,V)}return Y!=0&&(J.band=Y==2?[Qt(s,n,i,r,j,-1),Qt(s,n,i,r,j,1)]:Qt(s,n,i,r,j,Y)),J})}function uf(e){let t=oe(
e.align,1),s=oe(e.ascDesc,!1),n=oe(e.alignGaps,0),i=oe(e.extend,!1);return(r,a,f,d)=>An(r,a,(p,b,g,w,S,M,F,V,P,x,z)=>{[f,d]=ai(g,f,d);let T=p.
pxRound,{left:Q,width:R}=r.bbox,J=ie=>T(M(ie,w,x,V)),j=ie=>T(F(ie,S,z,P)),ee=w.ori==0?rs:as,K={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:ls},E=K.stroke,Y=w.dir*(w.ori==0?1:-1),N=j(g[Y==1?f:d]),B=J(b[Y==1?f:d]),I=B,ne=B;i&&t==-1&&(ne=Q,ee(E,ne,N)),ee(E,B,N);for(let ie=Y==
1?f:d;ie>=f&&ie<=d;ie+=Y){let fe=g[ie];if(fe==null)continue;let Z=J(b[ie]),C=j(fe);t==1?ee(E,Z,N):ee(E,I,C),ee(E,Z,C),N=C,I=Z}let H=I;i&&t==
1&&(H=Q+R,ee(E,H,N));let[Je,ve]=Ll(r,a);if(p.fill!=null||Je!=0){let ie=K.fill=new Path2D(E),fe=p.fillTo(r,a,p.min,p.max,Je),Z=j(fe);ee(ie,H,
Z),ee(ie,ne,Z)}if(!p.spanGaps){let ie=[];ie.push(...$l(b,g,f,d,Y,J,n));let fe=p.width*ae/2,Z=s||t==1?fe:-fe,C=s||t==-1?-fe:fe;ie.forEach(De=>{
De[0]+=Z,De[1]+=C}),K.gaps=ie=p.gaps(r,a,f,d,ie),K.clip=di(ie,w.ori,V,P,x,z)}return ve!=0&&(K.band=ve==2?[Qt(r,a,f,d,E,-1),Qt(r,a,f,d,E,1)]:
Qt(r,a,f,d,E,ve)),K})}function _r(e,t,s,n,i,r,a=pe){if(e.length>1){let f=null;for(let d=0,p=1/0;d<e.length;d++)if(t[d]!==void 0){if(f!=null){
let b=Pe(e[d]-e[f]);b<p&&(p=b,a=Pe(s(e[d],n,i,r)-s(e[f],n,i,r)))}f=d}}return a}function ff(e){e=e||As;let t=oe(e.size,[.6,pe,1]),s=e.align||
0,n=e.gap||0,i=e.radius;i=i==null?[0,0]:typeof i=="number"?[i,0]:i;let r=te(i),a=1-t[0],f=oe(t[1],pe),d=oe(t[2],1),p=oe(e.disp,As),b=oe(e.each,
S=>{}),{fill:g,stroke:w}=p;return(S,M,F,V)=>An(S,M,(P,x,z,T,Q,R,J,j,ee,K,E)=>{let Y=P.pxRound,N=s,B=n*ae,I=f*ae,ne=d*ae,H,Je;T.ori==0?[H,Je]=
r(S,M):[Je,H]=r(S,M);let ve=T.dir*(T.ori==0?1:-1),ie=T.ori==0?mi:Pl,fe=T.ori==0?b:(L,me,Le,Fn,dn,Rt,pn)=>{b(L,me,Le,dn,Fn,pn,Rt)},Z=oe(S.bands,
Tl).find(L=>L.series[0]==M),C=Z!=null?Z.dir:0,De=P.fillTo(S,M,P.min,P.max,C),Ge=Y(J(De,Q,E,ee)),xe,ce,vt,et=K,_e=Y(P.width*ae),Pt=!1,Vt=null,
ut=null,Jt=null,$n=null;g!=null&&(_e==0||w!=null)&&(Pt=!0,Vt=g.values(S,M,F,V),ut=new Map,new Set(Vt).forEach(L=>{L!=null&&ut.set(L,new Path2D)}),
_e>0&&(Jt=w.values(S,M,F,V),$n=new Map,new Set(Jt).forEach(L=>{L!=null&&$n.set(L,new Path2D)})));let{x0:Pn,size:fs}=p;if(Pn!=null&&fs!=null){
N=1,x=Pn.values(S,M,F,V),Pn.unit==2&&(x=x.map(Le=>S.posToVal(j+Le*K,T.key,!0)));let L=fs.values(S,M,F,V);fs.unit==2?ce=L[0]*K:ce=R(L[0],T,K,
j)-R(0,T,K,j),et=_r(x,z,R,T,K,j,et),vt=et-ce+B}else et=_r(x,z,R,T,K,j,et),vt=et*a+B,ce=et-vt;vt<1&&(vt=0),_e>=ce/2&&(_e=0),vt<5&&(Y=Pr);let Rs=vt>
0,un=et-vt-(Rs?_e:0);ce=Y(pl(un,ne,I)),xe=(N==0?ce/2:N==ve?0:ce)-N*ve*((N==0?B/2:0)+(Rs?_e/2:0));let Ke={stroke:null,fill:null,clip:null,band:null,
gaps:null,flags:0},Rn=Pt?null:new Path2D,Wt=null;if(Z!=null)Wt=S.data[Z.series[1]];else{let{y0:L,y1:me}=p;L!=null&&me!=null&&(z=me.values(S,
M,F,V),Wt=L.values(S,M,F,V))}let fn=H*ce,U=Je*ce;for(let L=ve==1?F:V;L>=F&&L<=V;L+=ve){let me=z[L];if(me==null)continue;if(Wt!=null){let Ze=Wt[L]??
0;if(me-Ze==0)continue;Ge=J(Ze,Q,E,ee)}let Le=T.distr!=2||p!=null?x[L]:L,Fn=R(Le,T,K,j),dn=J(oe(me,De),Q,E,ee),Rt=Y(Fn-xe),pn=Y(Qe(dn,Ge)),tt=Y(
Lt(dn,Ge)),ft=pn-tt;if(me!=null){let Ze=me<0?U:fn,xt=me<0?fn:U;Pt?(_e>0&&Jt[L]!=null&&ie($n.get(Jt[L]),Rt,tt+rt(_e/2),ce,Qe(0,ft-_e),Ze,xt),
Vt[L]!=null&&ie(ut.get(Vt[L]),Rt,tt+rt(_e/2),ce,Qe(0,ft-_e),Ze,xt)):ie(Rn,Rt,tt+rt(_e/2),ce,Qe(0,ft-_e),Ze,xt),fe(S,M,L,Rt-_e/2,tt,ce+_e,ft)}}
return _e>0?Ke.stroke=Pt?$n:Rn:Pt||(Ke._fill=P.width==0?P._fill:P._stroke??P._fill,Ke.width=0),Ke.fill=Pt?ut:Rn,Ke})}function df(e,t){let s=oe(
t?.alignGaps,0);return(n,i,r,a)=>An(n,i,(f,d,p,b,g,w,S,M,F,V,P)=>{[r,a]=ai(p,r,a);let x=f.pxRound,z=H=>x(w(H,b,V,M)),T=H=>x(S(H,g,P,F)),Q,R,
J;b.ori==0?(Q=pi,J=rs,R=la):(Q=hi,J=as,R=oa);let j=b.dir*(b.ori==0?1:-1),ee=z(d[j==1?r:a]),K=ee,E=[],Y=[];for(let H=j==1?r:a;H>=r&&H<=a;H+=j)
if(p[H]!=null){let ve=d[H],ie=z(ve);E.push(K=ie),Y.push(T(p[H]))}let N={stroke:e(E,Y,Q,J,R,x),fill:null,clip:null,band:null,gaps:null,flags:ls},
B=N.stroke,[I,ne]=Ll(n,i);if(f.fill!=null||I!=0){let H=N.fill=new Path2D(B),Je=f.fillTo(n,i,f.min,f.max,I),ve=T(Je);J(H,K,ve),J(H,ee,ve)}if(!f.
spanGaps){let H=[];H.push(...$l(d,p,r,a,j,z,s)),N.gaps=H=f.gaps(n,i,r,a,H),N.clip=di(H,b.ori,M,F,V,P)}return ne!=0&&(N.band=ne==2?[Qt(n,i,r,
a,B,-1),Qt(n,i,r,a,B,1)]:Qt(n,i,r,a,B,ne)),N})}function pf(e){return df(hf,e)}function hf(e,t,s,n,i,r){let a=e.length;if(a<2)return null;let f=new Path2D;
if(s(f,e[0],t[0]),a==2)n(f,e[1],t[1]);else{let d=Array(a),p=Array(a-1),b=Array(a-1),g=Array(a-1);for(let w=0;w<a-1;w++)b[w]=t[w+1]-t[w],g[w]=
e[w+1]-e[w],p[w]=b[w]/g[w];d[0]=p[0];for(let w=1;w<a-1;w++)p[w]===0||p[w-1]===0||p[w-1]>0!=p[w]>0?d[w]=0:(d[w]=3*(g[w-1]+g[w])/((2*g[w]+g[w-
1])/p[w-1]+(g[w]+2*g[w-1])/p[w]),isFinite(d[w])||(d[w]=0));d[a-1]=p[a-2];for(let w=0;w<a-1;w++)i(f,e[w]+g[w]/3,t[w]+d[w]*g[w]/3,e[w+1]-g[w]/
3,t[w+1]-d[w+1]*g[w]/3,e[w+1],t[w+1])}return f}var bl=new Set;function Sr(){for(let e of bl)e.syncRect(!0)}os&&(En(jc,ts,Sr),En(Uc,ts,Sr,!0),
En(li,ts,()=>{Be.pxRatio=ae}));var mf=ca(),gf=ra();function Tr(e,t,s,n){return(n?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map(
(r,a)=>yl(r,a,t,s))}function bf(e,t){return e.map((s,n)=>n==0?{}:Ae({},t,s))}function yl(e,t,s,n){return Ae({},t==0?s:n,e)}function ua(e,t,s){
return t==null?ss:[t,s]}var yf=ua;function wf(e,t,s){return t==null?ss:oi(t,s,_l,!0)}function fa(e,t,s,n){return t==null?ss:ci(t,s,e.scales[n].
log,!1)}var vf=fa;function da(e,t,s,n){return t==null?ss:kl(t,s,e.scales[n].log,!1)}var xf=da;function kf(e,t,s,n,i){let r=Qe(sr(e),sr(t)),a=t-
e,f=Dt(i/n*a,s);do{let d=s[f],p=n*d/a;if(p>=i&&r+(d<5?on.get(d):0)<=17)return[d,p]}while(++f<s.length);return[0,0]}function Er(e){let t,s;return e=
e.replace(/(\d+)px/,(n,i)=>(t=$e((s=+i)*ae))+"px"),[e,t,s]}function _f(e){e.show&&[e.font,e.labelFont].forEach(t=>{let s=he(t[2]*ae,1);t[0]=
t[0].replace(/[0-9.]+px/,s+"px"),t[1]=s})}function Be(e,t,s){let n={mode:oe(e.mode,1)},i=n.mode;function r(l,o,c,u){let m=o.valToPct(l);return u+
c*(o.dir==-1?1-m:m)}function a(l,o,c,u){let m=o.valToPct(l);return u+c*(o.dir==-1?m:1-m)}function f(l,o,c,u){return o.ori==0?r(l,o,c,u):a(l,
o,c,u)}n.valToPosH=r,n.valToPosV=a;let d=!1;n.status=0;let p=n.root=yt(Dc);if(e.id!=null&&(p.id=e.id),ot(p,e.class),e.title){let l=yt(Pc,p);
l.textContent=e.title}let b=At("canvas"),g=n.ctx=b.getContext("2d"),w=yt(Rc,p);En("click",w,l=>{l.target===M&&(ge!=Gn||ke!=Kn)&&Ve.click(n,l)},
!0);let S=n.under=yt(Fc,w);w.appendChild(b);let M=n.over=yt(Nc,w);e=is(e);let F=+oe(e.pxAlign,1),V=kr(F);(e.plugins||[]).forEach(l=>{l.opts&&
(e=l.opts(n,e)||e)});let P=e.ms||.001,x=n.series=i==1?Tr(e.series||[],mr,vr,!1):bf(e.series||[null],wr),z=n.axes=Tr(e.axes||[],hr,br,!0),T=n.
scales={},Q=n.bands=e.bands||[];Q.forEach(l=>{l.fill=te(l.fill||null),l.dir=oe(l.dir,-1)});let R=i==2?x[1].facets[0].scale:x[0].scale,J={axes:qa,
series:Ha},j=(e.drawOrder||["axes","series"]).map(l=>J[l]);function ee(l){let o=l.distr==3?c=>Yt(c>0?c:l.clamp(n,c,l.min,l.max,l.key)):l.distr==
4?c=>ll(c,l.asinh):l.distr==100?c=>l.fwd(c):c=>c;return c=>{let u=o(c),{_min:m,_max:y}=l,v=y-m;return(u-m)/v}}function K(l){let o=T[l];if(o==
null){let c=(e.scales||As)[l]||As;if(c.from!=null){K(c.from);let u=Ae({},T[c.from],c,{key:l});u.valToPct=ee(u),T[l]=u}else{o=T[l]=Ae({},l==R?
ea:lf,c),o.key=l;let u=o.time,m=o.range,y=ln(m);if((l!=R||i==2&&!u)&&(y&&(m[0]==null||m[1]==null)&&(m={min:m[0]==null?er:{mode:1,hard:m[0],soft:m[0]},
max:m[1]==null?er:{mode:1,hard:m[1],soft:m[1]}},y=!1),!y&&fi(m))){let v=m;m=(k,_,A)=>_==null?ss:oi(_,A,v)}o.range=te(m||(u?yf:l==R?o.distr==
3?vf:o.distr==4?xf:ua:o.distr==3?fa:o.distr==4?da:wf)),o.auto=te(y?!1:o.auto),o.clamp=te(o.clamp||sf),o._min=o._max=null,o.valToPct=ee(o)}}}
K("x"),K("y"),i==1&&x.forEach(l=>{K(l.scale)}),z.forEach(l=>{K(l.scale)});for(let l in e.scales)K(l);let E=T[R],Y=E.distr,N,B;E.ori==0?(ot(p,
Lc),N=r,B=a):(ot(p,$c),N=a,B=r);let I={};for(let l in T){let o=T[l];(o.min!=null||o.max!=null)&&(I[l]={min:o.min,max:o.max},o.min=o.max=null)}
let ne=e.tzDate||(l=>new Date($e(l/P))),H=e.fmtDate||El,Je=P==1?Lu(ne):Ru(ne),ve=fr(ne,ur(P==1?Du:Pu,H)),ie=pr(ne,dr(Nu,H)),fe=[],Z=n.legend=
Ae({},zu,e.legend),C=n.cursor=Ae({},qu,{drag:{y:i==2}},e.cursor),De=Z.show,Ge=C.show,xe=Z.markers;Z.idxs=fe,xe.width=te(xe.width),xe.dash=te(
xe.dash),xe.stroke=te(xe.stroke),xe.fill=te(xe.fill);let ce,vt,et,_e=[],Pt=[],Vt,ut=!1,Jt={};if(Z.live){let l=x[1]?x[1].values:null;ut=l!=null,
Vt=ut?l(n,1,0):{_:0};for(let o in Vt)Jt[o]=vl}if(De)if(ce=At("table",Vc,p),et=At("tbody",null,ce),Z.mount(n,ce),ut){vt=At("thead",null,ce,et);
let l=At("tr",null,vt);At("th",null,l);for(var $n in Vt)At("th",Vo,l).textContent=$n}else ot(ce,Bc),Z.live&&ot(ce,Wc);let Pn={show:!0},fs={show:!1};
function Rs(l,o){if(o==0&&(ut||!Z.live||i==2))return ss;let c=[],u=At("tr",qc,et,et.childNodes[o]);ot(u,l.class),l.show||ot(u,Tn);let m=At("\
th",null,u);if(xe.show){let k=yt(Gc,m);if(o>0){let _=xe.width(n,o);_&&(k.style.border=_+"px "+xe.dash(n,o)+" "+xe.stroke(n,o)),k.style.background=
xe.fill(n,o)}}let y=yt(Vo,m);l.label instanceof HTMLElement?y.appendChild(l.label):y.textContent=l.label,o>0&&(xe.show||(y.style.color=l.width>
0?xe.stroke(n,o):xe.fill(n,o)),Ke("click",m,k=>{if(C._lock)return;mn(k);let _=x.indexOf(l);if((k.ctrlKey||k.metaKey)!=Z.isolate){let A=x.some(
(D,$)=>$>0&&$!=_&&D.show);x.forEach((D,$)=>{$>0&&Nt($,A?$==_?Pn:fs:Pn,!0,Me.setSeries)})}else Nt(_,{show:!l.show},!0,Me.setSeries)},!1),Cn&&
Ke(Go,m,k=>{C._lock||(mn(k),Nt(x.indexOf(l),Un,!0,Me.setSeries))},!1));for(var v in Vt){let k=At("td",Kc,u);k.textContent="--",c.push(k)}return[
u,c]}let un=new Map;function Ke(l,o,c,u=!0){let m=un.get(o)||{},y=C.bind[l](n,o,c,u);y&&(En(l,o,m[l]=y),un.set(o,m))}function Rn(l,o,c){let u=un.
get(o)||{};for(let m in u)(l==null||m==l)&&(dl(m,o,u[m]),delete u[m]);l==null&&un.delete(o)}let Wt=0,fn=0,U=0,L=0,me=0,Le=0,Fn=me,dn=Le,Rt=U,
pn=L,tt=0,ft=0,Ze=0,xt=0;n.bbox={};let vi=!1,Fs=!1,Nn=!1,hn=!1,Ns=!1,dt=!1;function xi(l,o,c){(c||l!=n.width||o!=n.height)&&Ol(l,o),Vn(!1),Nn=
!0,Fs=!0,Wn()}function Ol(l,o){n.width=Wt=U=l,n.height=fn=L=o,me=Le=0,Pa(),Ra();let c=n.bbox;tt=c.left=_n(me*ae,.5),ft=c.top=_n(Le*ae,.5),Ze=
c.width=_n(U*ae,.5),xt=c.height=_n(L*ae,.5)}let Da=3;function La(){let l=!1,o=0;for(;!l;){o++;let c=Wa(o),u=Ba(o);l=o==Da||c&&u,l||(Ol(n.width,
n.height),Fs=!0)}}function $a({width:l,height:o}){xi(l,o)}n.setSize=$a;function Pa(){let l=!1,o=!1,c=!1,u=!1;z.forEach((m,y)=>{if(m.show&&m.
_show){let{side:v,_size:k}=m,_=v%2,A=m.label!=null?m.labelSize:0,D=k+A;D>0&&(_?(U-=D,v==3?(me+=D,u=!0):c=!0):(L-=D,v==0?(Le+=D,l=!0):o=!0))}}),
gn[0]=l,gn[1]=c,gn[2]=o,gn[3]=u,U-=Zt[1]+Zt[3],me+=Zt[3],L-=Zt[2]+Zt[0],Le+=Zt[0]}function Ra(){let l=me+U,o=Le+L,c=me,u=Le;function m(y,v){
switch(y){case 1:return l+=v,l-v;case 2:return o+=v,o-v;case 3:return c-=v,c+v;case 0:return u-=v,u+v}}z.forEach((y,v)=>{if(y.show&&y._show){
let k=y.side;y._pos=m(k,y._size),y.label!=null&&(y._lpos=m(k,y.labelSize))}})}if(C.dataIdx==null){let l=C.hover,o=l.skip=new Set(l.skip??[]);
o.add(void 0);let c=l.prox=te(l.prox),u=l.bias??=0;C.dataIdx=(m,y,v,k)=>{if(y==0)return v;let _=v,A=c(m,y,v,k)??pe,D=A>=0&&A<pe,$=E.ori==0?U:
L,q=C.left,re=t[0],le=t[y];if(o.has(le[v])){_=null;let X=null,W=null,O;if(u==0||u==-1)for(O=v;X==null&&O-- >0;)o.has(le[O])||(X=O);if(u==0||
u==1)for(O=v;W==null&&O++<le.length;)o.has(le[O])||(W=O);if(X!=null||W!=null)if(D){let ye=X==null?-1/0:N(re[X],E,$,0),Te=W==null?1/0:N(re[W],
E,$,0),He=q-ye,de=Te-q;He<=de?He<=A&&(_=X):de<=A&&(_=W)}else _=W==null?X:X==null?W:v-X<=W-v?X:W}else D&&Pe(q-N(re[v],E,$,0))>A&&(_=null);return _}}
let mn=l=>{C.event=l};C.idxs=fe,C._lock=!1;let qe=C.points;qe.show=te(qe.show),qe.size=te(qe.size),qe.stroke=te(qe.stroke),qe.width=te(qe.width),
qe.fill=te(qe.fill);let Ft=n.focus=Ae({},e.focus||{alpha:.3},C.focus),Cn=Ft.prox>=0,On=Cn&&qe.one,pt=[],zn=[],Hn=[];function zl(l,o){let c=qe.
show(n,o);if(c instanceof HTMLElement)return ot(c,Ic),ot(c,l.class),It(c,-10,-10,U,L),M.insertBefore(c,pt[o]),c}function Hl(l,o){if(i==1||o>
0){let c=i==1&&T[l.scale].time,u=l.value;l.value=c?or(u)?pr(ne,dr(u,H)):u||ie:u||ef,l.label=l.label||(c?Ku:Gu)}if(On||o>0){l.width=l.width==
null?1:l.width,l.paths=l.paths||mf||iu,l.fillTo=te(l.fillTo||of),l.pxAlign=+oe(l.pxAlign,F),l.pxRound=kr(l.pxAlign),l.stroke=te(l.stroke||null),
l.fill=te(l.fill||null),l._stroke=l._fill=l._paths=l._focus=null;let c=tf(Qe(1,l.width),1),u=l.points=Ae({},{size:c,width:Qe(1,c*.2),stroke:l.
stroke,space:c*2,paths:gf,_stroke:null,_fill:null},l.points);u.show=te(u.show),u.filter=te(u.filter),u.fill=te(u.fill),u.stroke=te(u.stroke),
u.paths=te(u.paths),u.pxAlign=l.pxAlign}if(De){let c=Rs(l,o);_e.splice(o,0,c[0]),Pt.splice(o,0,c[1]),Z.values.push(null)}if(Ge){fe.splice(o,
0,null);let c=null;On?o==0&&(c=zl(l,o)):o>0&&(c=zl(l,o)),pt.splice(o,0,c),zn.splice(o,0,0),Hn.splice(o,0,0)}ze("addSeries",o)}function Fa(l,o){
o=o??x.length,l=i==1?yl(l,o,mr,vr):yl(l,o,{},wr),x.splice(o,0,l),Hl(x[o],o)}n.addSeries=Fa;function Na(l){if(x.splice(l,1),De){Z.values.splice(
l,1),Pt.splice(l,1);let o=_e.splice(l,1)[0];Rn(null,o.firstChild),o.remove()}Ge&&(fe.splice(l,1),pt.splice(l,1)[0].remove(),zn.splice(l,1),Hn.
splice(l,1)),ze("delSeries",l)}n.delSeries=Na;let gn=[!1,!1,!1,!1];function Ca(l,o){if(l._show=l.show,l.show){let c=l.side%2,u=T[l.scale];u==
null&&(l.scale=c?x[1].scale:R,u=T[l.scale]);let m=u.time;l.size=te(l.size),l.space=te(l.space),l.rotate=te(l.rotate),ln(l.incrs)&&l.incrs.forEach(
v=>{!on.has(v)&&on.set(v,Nr(v))}),l.incrs=te(l.incrs||(u.distr==2?Eu:m?P==1?Au:$u:Sn)),l.splits=te(l.splits||(m&&u.distr==1?Je:u.distr==3?hl:
u.distr==4?Yu:Uu)),l.stroke=te(l.stroke),l.grid.stroke=te(l.grid.stroke),l.ticks.stroke=te(l.ticks.stroke),l.border.stroke=te(l.border.stroke);
let y=l.values;l.values=ln(y)&&!ln(y[0])?te(y):m?ln(y)?fr(ne,ur(y,H)):or(y)?Fu(ne,y):y||ve:y||ju,l.filter=te(l.filter||(u.distr>=3&&u.log==10?
Zu:u.distr==3&&u.log==2?Xu:Rr)),l.font=Er(l.font),l.labelFont=Er(l.labelFont),l._size=l.size(n,null,o,0),l._space=l._rotate=l._incrs=l._found=
l._splits=l._values=null,l._size>0&&(gn[o]=!0,l._el=yt(Cc,w))}}function ds(l,o,c,u){let[m,y,v,k]=c,_=o%2,A=0;return _==0&&(k||y)&&(A=o==0&&!m||
o==2&&!v?$e(hr.size/3):0),_==1&&(m||v)&&(A=o==1&&!y||o==3&&!k?$e(br.size/2):0),A}let Il=n.padding=(e.padding||[ds,ds,ds,ds]).map(l=>te(oe(l,
ds))),Zt=n._padding=Il.map((l,o)=>l(n,o,gn,0)),Ie,Fe=null,Ne=null,Cs=i==1?x[0].idxs:null,kt=null,ps=!1;function Vl(l,o){if(t=l??[],n.data=n.
_data=t,i==2){Ie=0;for(let c=1;c<x.length;c++)Ie+=t[c][0].length}else{t.length==0&&(n.data=n._data=t=[[]]),kt=t[0],Ie=kt.length;let c=t;if(Y==
2){c=t.slice();let u=c[0]=Array(Ie);for(let m=0;m<Ie;m++)u[m]=m}n._data=t=c}if(Vn(!0),ze("setData"),Y==2&&(Nn=!0),o!==!1){let c=E;c.auto(n,ps)?
ki():en(R,c.min,c.max),hn=hn||C.left>=0,dt=!0,Wn()}}n.setData=Vl;function ki(){ps=!0;let l,o;i==1&&(Ie>0?(Fe=Cs[0]=0,Ne=Cs[1]=Ie-1,l=t[0][Fe],
o=t[0][Ne],Y==2?(l=Fe,o=Ne):l==o&&(Y==3?[l,o]=ci(l,l,E.log,!1):Y==4?[l,o]=kl(l,l,E.log,!1):E.time?o=l+$e(86400/P):[l,o]=oi(l,o,_l,!0))):(Fe=
Cs[0]=l=null,Ne=Cs[1]=o=null)),en(R,l,o)}let Os,In,_i,Si,Ti,Ei,Mi,Ai,Di,Xe;function Wl(l,o,c,u,m,y){l??=Bo,c??=Tl,u??="butt",m??=Bo,y??="rou\
nd",l!=Os&&(g.strokeStyle=Os=l),m!=In&&(g.fillStyle=In=m),o!=_i&&(g.lineWidth=_i=o),y!=Ti&&(g.lineJoin=Ti=y),u!=Ei&&(g.lineCap=Ei=u),c!=Si&&
g.setLineDash(Si=c)}function Bl(l,o,c,u){o!=In&&(g.fillStyle=In=o),l!=Mi&&(g.font=Mi=l),c!=Ai&&(g.textAlign=Ai=c),u!=Di&&(g.textBaseline=Di=
u)}function Li(l,o,c,u,m=0){if(u.length>0&&l.auto(n,ps)&&(o==null||o.min==null)){let y=oe(Fe,0),v=oe(Ne,u.length-1),k=c.min==null?Zc(u,y,v,m,
l.distr==3):[c.min,c.max];l.min=Lt(l.min,c.min=k[0]),l.max=Qe(l.max,c.max=k[1])}}let ql={min:null,max:null};function Oa(){for(let u in T){let m=T[u];
I[u]==null&&(m.min==null||I[R]!=null&&m.auto(n,ps))&&(I[u]=ql)}for(let u in T){let m=T[u];I[u]==null&&m.from!=null&&I[m.from]!=null&&(I[u]=ql)}
I[R]!=null&&Vn(!0);let l={};for(let u in I){let m=I[u];if(m!=null){let y=l[u]=is(T[u],ru);if(m.min!=null)Ae(y,m);else if(u!=R||i==2)if(Ie==0&&
y.from==null){let v=y.range(n,null,null,u);y.min=v[0],y.max=v[1]}else y.min=pe,y.max=-pe}}if(Ie>0){x.forEach((u,m)=>{if(i==1){let y=u.scale,
v=I[y];if(v==null)return;let k=l[y];if(m==0){let _=k.range(n,k.min,k.max,y);k.min=_[0],k.max=_[1],Fe=Dt(k.min,t[0]),Ne=Dt(k.max,t[0]),Ne-Fe>
1&&(t[0][Fe]<k.min&&Fe++,t[0][Ne]>k.max&&Ne--),u.min=kt[Fe],u.max=kt[Ne]}else u.show&&u.auto&&Li(k,v,u,t[m],u.sorted);u.idxs[0]=Fe,u.idxs[1]=
Ne}else if(m>0&&u.show&&u.auto){let[y,v]=u.facets,k=y.scale,_=v.scale,[A,D]=t[m],$=l[k],q=l[_];$!=null&&Li($,I[k],y,A,y.sorted),q!=null&&Li(
q,I[_],v,D,v.sorted),u.min=v.min,u.max=v.max}});for(let u in l){let m=l[u],y=I[u];if(m.from==null&&(y==null||y.min==null)){let v=m.range(n,m.
min==pe?null:m.min,m.max==-pe?null:m.max,u);m.min=v[0],m.max=v[1]}}}for(let u in l){let m=l[u];if(m.from!=null){let y=l[m.from];if(y.min==null)
m.min=m.max=null;else{let v=m.range(n,y.min,y.max,u);m.min=v[0],m.max=v[1]}}}let o={},c=!1;for(let u in l){let m=l[u],y=T[u];if(y.min!=m.min||
y.max!=m.max){y.min=m.min,y.max=m.max;let v=y.distr;y._min=v==3?Yt(y.min):v==4?ll(y.min,y.asinh):v==100?y.fwd(y.min):y.min,y._max=v==3?Yt(y.
max):v==4?ll(y.max,y.asinh):v==100?y.fwd(y.max):y.max,o[u]=c=!0}}if(c){x.forEach((u,m)=>{i==2?m>0&&o.y&&(u._paths=null):o[u.scale]&&(u._paths=
null)});for(let u in o)Nn=!0,ze("setScale",u);Ge&&C.left>=0&&(hn=dt=!0)}for(let u in I)I[u]=null}function za(l){let o=pl(Fe-1,0,Ie-1),c=pl(Ne+
1,0,Ie-1);for(;l[o]==null&&o>0;)o--;for(;l[c]==null&&c<Ie-1;)c++;return[o,c]}function Ha(){if(Ie>0){let l=x.some(o=>o._focus)&&Xe!=Ft.alpha;
l&&(g.globalAlpha=Xe=Ft.alpha),x.forEach((o,c)=>{if(c>0&&o.show&&(Gl(c,!1),Gl(c,!0),o._paths==null)){let u=Xe;Xe!=o.alpha&&(g.globalAlpha=Xe=
o.alpha);let m=i==2?[0,t[c][0].length-1]:za(t[c]);o._paths=o.paths(n,c,m[0],m[1]),Xe!=u&&(g.globalAlpha=Xe=u)}}),x.forEach((o,c)=>{if(c>0&&o.
show){let u=Xe;Xe!=o.alpha&&(g.globalAlpha=Xe=o.alpha),o._paths!=null&&Kl(c,!1);{let m=o._paths!=null?o._paths.gaps:null,y=o.points.show(n,c,
Fe,Ne,m),v=o.points.filter(n,c,y,m);(y||v)&&(o.points._paths=o.points.paths(n,c,Fe,Ne,v),Kl(c,!0))}Xe!=u&&(g.globalAlpha=Xe=u),ze("drawSerie\
s",c)}}),l&&(g.globalAlpha=Xe=1)}}function Gl(l,o){let c=o?x[l].points:x[l];c._stroke=c.stroke(n,l),c._fill=c.fill(n,l)}function Kl(l,o){let c=o?
x[l].points:x[l],{stroke:u,fill:m,clip:y,flags:v,_stroke:k=c._stroke,_fill:_=c._fill,_width:A=c.width}=c._paths;A=he(A*ae,3);let D=null,$=A%
2/2;o&&_==null&&(_=A>0?"#fff":k);let q=c.pxAlign==1&&$>0;if(q&&g.translate($,$),!o){let re=tt-A/2,le=ft-A/2,X=Ze+A,W=xt+A;D=new Path2D,D.rect(
re,le,X,W)}o?$i(k,A,c.dash,c.cap,_,u,m,v,y):Ia(l,k,A,c.dash,c.cap,_,u,m,v,D,y),q&&g.translate(-$,-$)}function Ia(l,o,c,u,m,y,v,k,_,A,D){let $=!1;
_!=0&&Q.forEach((q,re)=>{if(q.series[0]==l){let le=x[q.series[1]],X=t[q.series[1]],W=(le._paths||As).band;ln(W)&&(W=q.dir==1?W[0]:W[1]);let O,
ye=null;le.show&&W&&eu(X,Fe,Ne)?(ye=q.fill(n,re)||y,O=le._paths.clip):W=null,$i(o,c,u,m,ye,v,k,_,A,D,O,W),$=!0}}),$||$i(o,c,u,m,y,v,k,_,A,D)}
let jl=ls|gl;function $i(l,o,c,u,m,y,v,k,_,A,D,$){Wl(l,o,c,u,m),(_||A||$)&&(g.save(),_&&g.clip(_),A&&g.clip(A)),$?(k&jl)==jl?(g.clip($),D&&g.
clip(D),Hs(m,v),zs(l,y,o)):k&gl?(Hs(m,v),g.clip($),zs(l,y,o)):k&ls&&(g.save(),g.clip($),D&&g.clip(D),Hs(m,v),g.restore(),zs(l,y,o)):(Hs(m,v),
zs(l,y,o)),(_||A||$)&&g.restore()}function zs(l,o,c){c>0&&(o instanceof Map?o.forEach((u,m)=>{g.strokeStyle=Os=m,g.stroke(u)}):o!=null&&l&&g.
stroke(o))}function Hs(l,o){o instanceof Map?o.forEach((c,u)=>{g.fillStyle=In=u,g.fill(c)}):o!=null&&l&&g.fill(o)}function Va(l,o,c,u){let m=z[l],
y;if(u<=0)y=[0,0];else{let v=m._space=m.space(n,l,o,c,u),k=m._incrs=m.incrs(n,l,o,c,u,v);y=kf(o,c,k,u,v)}return m._found=y}function Pi(l,o,c,u,m,y,v,k,_,A){
let D=v%2/2;F==1&&g.translate(D,D),Wl(k,v,_,A,k),g.beginPath();let $,q,re,le,X=m+(u==0||u==3?-y:y);c==0?(q=m,le=X):($=m,re=X);for(let W=0;W<
l.length;W++)o[W]!=null&&(c==0?$=re=l[W]:q=le=l[W],g.moveTo($,q),g.lineTo(re,le));g.stroke(),F==1&&g.translate(-D,-D)}function Wa(l){let o=!0;
return z.forEach((c,u)=>{if(!c.show)return;let m=T[c.scale];if(m.min==null){c._show&&(o=!1,c._show=!1,Vn(!1));return}else c._show||(o=!1,c._show=
!0,Vn(!1));let y=c.side,v=y%2,{min:k,max:_}=m,[A,D]=Va(u,k,_,v==0?U:L);if(D==0)return;let $=m.distr==2,q=c._splits=c.splits(n,u,k,_,A,D,$),re=m.
distr==2?q.map(O=>kt[O]):q,le=m.distr==2?kt[q[1]]-kt[q[0]]:A,X=c._values=c.values(n,c.filter(n,re,u,D,le),u,D,le);c._rotate=y==2?c.rotate(n,
X,u,D):0;let W=c._size;c._size=wt(c.size(n,X,u,l)),W!=null&&c._size!=W&&(o=!1)}),o}function Ba(l){let o=!0;return Il.forEach((c,u)=>{let m=c(
n,u,gn,l);m!=Zt[u]&&(o=!1),Zt[u]=m}),o}function qa(){for(let l=0;l<z.length;l++){let o=z[l];if(!o.show||!o._show)continue;let c=o.side,u=c%2,
m,y,v=o.stroke(n,l),k=c==0||c==3?-1:1,[_,A]=o._found;if(o.label!=null){let Ue=o.labelGap*k,it=$e((o._lpos+Ue)*ae);Bl(o.labelFont[0],v,"cente\
r",c==2?"top":Wo),g.save(),u==1?(m=y=0,g.translate(it,$e(ft+xt/2)),g.rotate((c==3?-ii:ii)/2)):(m=$e(tt+Ze/2),y=it);let wn=$r(o.label)?o.label(
n,l,_,A):o.label;g.fillText(wn,m,y),g.restore()}if(A==0)continue;let D=T[o.scale],$=u==0?Ze:xt,q=u==0?tt:ft,re=o._splits,le=D.distr==2?re.map(
Ue=>kt[Ue]):re,X=D.distr==2?kt[re[1]]-kt[re[0]]:_,W=o.ticks,O=o.border,ye=W.show?W.size:0,Te=$e(ye*ae),He=$e((o.alignTo==2?o._size-ye-o.gap:
o.gap)*ae),de=o._rotate*-ii/180,Ee=V(o._pos*ae),nt=(Te+He)*k,je=Ee+nt;y=u==0?je:0,m=u==1?je:0;let ht=o.font[0],_t=o.align==1?Xn:o.align==2?nl:
de>0?Xn:de<0?nl:u==0?"center":c==3?nl:Xn,Ot=de||u==1?"middle":c==2?"top":Wo;Bl(ht,v,_t,Ot);let st=o.font[1]*o.lineGap,mt=re.map(Ue=>V(f(Ue,D,
$,q))),St=o._values;for(let Ue=0;Ue<St.length;Ue++){let it=St[Ue];if(it!=null){u==0?m=mt[Ue]:y=mt[Ue],it=""+it;let wn=it.indexOf(`
`)==-1?[it]:it.split(/\n/gm);for(let Ye=0;Ye<wn.length;Ye++){let po=wn[Ye];de?(g.save(),g.translate(m,y+Ye*st),g.rotate(de),g.fillText(po,0,
0),g.restore()):g.fillText(po,m,y+Ye*st)}}}W.show&&Pi(mt,W.filter(n,le,l,A,X),u,c,Ee,Te,he(W.width*ae,3),W.stroke(n,l),W.dash,W.cap);let zt=o.
grid;zt.show&&Pi(mt,zt.filter(n,le,l,A,X),u,u==0?2:1,u==0?ft:tt,u==0?xt:Ze,he(zt.width*ae,3),zt.stroke(n,l),zt.dash,zt.cap),O.show&&Pi([Ee],
[1],u==0?1:0,u==0?1:2,u==1?ft:tt,u==1?xt:Ze,he(O.width*ae,3),O.stroke(n,l),O.dash,O.cap)}ze("drawAxes")}function Vn(l){x.forEach((o,c)=>{c>0&&
(o._paths=null,l&&(i==1?(o.min=null,o.max=null):o.facets.forEach(u=>{u.min=null,u.max=null})))})}let Is=!1,Ri=!1,hs=[];function Ga(){Ri=!1;for(let l=0;l<
hs.length;l++)ze(...hs[l]);hs.length=0}function Wn(){Is||(hu(Ul),Is=!0)}function Ka(l,o=!1){Is=!0,Ri=o,l(n),Ul(),o&&hs.length>0&&queueMicrotask(
Ga)}n.batch=Ka;function Ul(){if(vi&&(Oa(),vi=!1),Nn&&(La(),Nn=!1),Fs){if(we(S,Xn,me),we(S,"top",Le),we(S,Ss,U),we(S,Ts,L),we(M,Xn,me),we(M,"\
top",Le),we(M,Ss,U),we(M,Ts,L),we(w,Ss,Wt),we(w,Ts,fn),b.width=$e(Wt*ae),b.height=$e(fn*ae),z.forEach(({_el:l,_show:o,_size:c,_pos:u,side:m})=>{
if(l!=null)if(o){let y=m===3||m===0?c:0,v=m%2==1;we(l,v?"left":"top",u-y),we(l,v?"width":"height",c),we(l,v?"top":"left",v?Le:me),we(l,v?"he\
ight":"width",v?L:U),fl(l,Tn)}else ot(l,Tn)}),Os=In=_i=Ti=Ei=Mi=Ai=Di=Si=null,Xe=1,bs(!0),me!=Fn||Le!=dn||U!=Rt||L!=pn){Vn(!1);let l=U/Rt,o=L/
pn;if(Ge&&!hn&&C.left>=0){C.left*=l,C.top*=o,Bn&&It(Bn,$e(C.left),0,U,L),qn&&It(qn,0,$e(C.top),U,L);for(let c=0;c<pt.length;c++){let u=pt[c];
u!=null&&(zn[c]*=l,Hn[c]*=o,It(u,wt(zn[c]),wt(Hn[c]),U,L))}}if(be.show&&!Ns&&be.left>=0&&be.width>0){be.left*=l,be.width*=l,be.top*=o,be.height*=
o;for(let c in Hi)we(jn,c,be[c])}Fn=me,dn=Le,Rt=U,pn=L}ze("setSize"),Fs=!1}Wt>0&&fn>0&&(g.clearRect(0,0,b.width,b.height),ze("drawClear"),j.
forEach(l=>l()),ze("draw")),be.show&&Ns&&(Vs(be),Ns=!1),Ge&&hn&&(yn(null,!0,!1),hn=!1),Z.show&&Z.live&&dt&&(Oi(),dt=!1),d||(d=!0,n.status=1,
ze("ready")),ps=!1,Is=!1}n.redraw=(l,o)=>{Nn=o||!1,l!==!1?en(R,E.min,E.max):Wn()};function Fi(l,o){let c=T[l];if(c.from==null){if(Ie==0){let u=c.
range(n,o.min,o.max,l);o.min=u[0],o.max=u[1]}if(o.min>o.max){let u=o.min;o.min=o.max,o.max=u}if(Ie>1&&o.min!=null&&o.max!=null&&o.max-o.min<
1e-16)return;l==R&&c.distr==2&&Ie>0&&(o.min=Dt(o.min,t[0]),o.max=Dt(o.max,t[0]),o.min==o.max&&o.max++),I[l]=o,vi=!0,Wn()}}n.setScale=Fi;let Ni,
Ci,Bn,qn,Yl,Ql,Gn,Kn,Jl,Zl,ge,ke,Xt=!1,Ve=C.drag,Ce=Ve.x,Oe=Ve.y;Ge&&(C.x&&(Ni=yt(zc,M)),C.y&&(Ci=yt(Hc,M)),E.ori==0?(Bn=Ni,qn=Ci):(Bn=Ci,qn=
Ni),ge=C.left,ke=C.top);let be=n.select=Ae({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),jn=be.show?yt(Oc,be.over?M:S):null;function Vs(l,o){
if(be.show){for(let c in l)be[c]=l[c],c in Hi&&we(jn,c,l[c]);o!==!1&&ze("setSelect")}}n.setSelect=Vs;function ja(l){if(x[l].show)De&&fl(_e[l],
Tn);else if(De&&ot(_e[l],Tn),Ge){let c=On?pt[0]:pt[l];c!=null&&It(c,-10,-10,U,L)}}function en(l,o,c){Fi(l,{min:o,max:c})}function Nt(l,o,c,u){
o.focus!=null&&Za(l),o.show!=null&&x.forEach((m,y)=>{y>0&&(l==y||l==null)&&(m.show=o.show,ja(y),i==2?(en(m.facets[0].scale,null,null),en(m.facets[1].
scale,null,null)):en(m.scale,null,null),Wn())}),c!==!1&&ze("setSeries",l,o),u&&ys("setSeries",n,l,o)}n.setSeries=Nt;function Ua(l,o){Ae(Q[l],
o)}function Ya(l,o){l.fill=te(l.fill||null),l.dir=oe(l.dir,-1),o=o??Q.length,Q.splice(o,0,l)}function Qa(l){l==null?Q.length=0:Q.splice(l,1)}
n.addBand=Ya,n.setBand=Ua,n.delBand=Qa;function Ja(l,o){x[l].alpha=o,Ge&&pt[l]!=null&&(pt[l].style.opacity=o),De&&_e[l]&&(_e[l].style.opacity=
o)}let Bt,tn,bn,Un={focus:!0};function Za(l){if(l!=bn){let o=l==null,c=Ft.alpha!=1;x.forEach((u,m)=>{if(i==1||m>0){let y=o||m==0||m==l;u._focus=
o?null:y,c&&Ja(m,y?1:Ft.alpha)}}),bn=l,c&&Wn()}}De&&Cn&&Ke(Ko,ce,l=>{C._lock||(mn(l),bn!=null&&Nt(null,Un,!0,Me.setSeries))});function Ct(l,o,c){
let u=T[o];c&&(l=l/ae-(u.ori==1?Le:me));let m=U;u.ori==1&&(m=L,l=m-l),u.dir==-1&&(l=m-l);let y=u._min,v=u._max,k=l/m,_=y+(v-y)*k,A=u.distr;return A==
3?ns(10,_):A==4?nu(_,u.asinh):A==100?u.bwd(_):_}function Xa(l,o){let c=Ct(l,R,o);return Dt(c,t[0],Fe,Ne)}n.valToIdx=l=>Dt(l,t[0]),n.posToIdx=
Xa,n.posToVal=Ct,n.valToPos=(l,o,c)=>T[o].ori==0?r(l,T[o],c?Ze:U,c?tt:0):a(l,T[o],c?xt:L,c?ft:0),n.setCursor=(l,o,c)=>{ge=l.left,ke=l.top,yn(
null,o,c)};function Xl(l,o){we(jn,Xn,be.left=l),we(jn,Ss,be.width=o)}function eo(l,o){we(jn,"top",be.top=l),we(jn,Ts,be.height=o)}let ms=E.ori==
0?Xl:eo,gs=E.ori==1?Xl:eo;function ec(){if(De&&Z.live)for(let l=i==2?1:0;l<x.length;l++){if(l==0&&ut)continue;let o=Z.values[l],c=0;for(let u in o)
Pt[l][c++].firstChild.nodeValue=o[u]}}function Oi(l,o){if(l!=null&&(l.idxs?l.idxs.forEach((c,u)=>{fe[u]=c}):ou(l.idx)||fe.fill(l.idx),Z.idx=
fe[0]),De&&Z.live){for(let c=0;c<x.length;c++)(c>0||i==1&&!ut)&&tc(c,fe[c]);ec()}dt=!1,o!==!1&&ze("setLegend")}n.setLegend=Oi;function tc(l,o){
let c=x[l],u=l==0&&Y==2?kt:t[l],m;ut?m=c.values(n,l,o)??Jt:(m=c.value(n,o==null?null:u[o],l,o),m=m==null?Jt:{_:m}),Z.values[l]=m}function yn(l,o,c){
Jl=ge,Zl=ke,[ge,ke]=C.move(n,ge,ke),C.left=ge,C.top=ke,Ge&&(Bn&&It(Bn,$e(ge),0,U,L),qn&&It(qn,0,$e(ke),U,L));let u,m=Fe>Ne;Bt=pe,tn=null;let y=E.
ori==0?U:L,v=E.ori==1?U:L;if(ge<0||Ie==0||m){u=C.idx=null;for(let k=0;k<x.length;k++){let _=pt[k];_!=null&&It(_,-10,-10,U,L)}Cn&&Nt(null,Un,
!0,l==null&&Me.setSeries),Z.live&&(fe.fill(u),dt=!0)}else{let k,_,A;i==1&&(k=E.ori==0?ge:ke,_=Ct(k,R),u=C.idx=Dt(_,t[0],Fe,Ne),A=N(t[0][u],E,
y,0));let D=-10,$=-10,q=0,re=0,le=!0,X="",W="";for(let O=i==2?1:0;O<x.length;O++){let ye=x[O],Te=fe[O],He=Te==null?null:i==1?t[O][Te]:t[O][1][Te],
de=C.dataIdx(n,O,u,_),Ee=de==null?null:i==1?t[O][de]:t[O][1][de];if(dt=dt||Ee!=He||de!=Te,fe[O]=de,O>0&&ye.show){let nt=de==null?-10:de==u?A:
N(i==1?t[0][de]:t[O][0][de],E,y,0),je=Ee==null?-10:B(Ee,i==1?T[ye.scale]:T[ye.facets[1].scale],v,0);if(Cn&&Ee!=null){let ht=E.ori==1?ge:ke,_t=Pe(
Ft.dist(n,O,de,je,ht));if(_t<Bt){let Ot=Ft.bias;if(Ot!=0){let st=Ct(ht,ye.scale),mt=Ee>=0?1:-1,St=st>=0?1:-1;St==mt&&(St==1?Ot==1?Ee>=st:Ee<=
st:Ot==1?Ee<=st:Ee>=st)&&(Bt=_t,tn=O)}else Bt=_t,tn=O}}if(dt||On){let ht,_t;E.ori==0?(ht=nt,_t=je):(ht=je,_t=nt);let Ot,st,mt,St,zt,Ue,it=!0,
wn=qe.bbox;if(wn!=null){it=!1;let Ye=wn(n,O);mt=Ye.left,St=Ye.top,Ot=Ye.width,st=Ye.height}else mt=ht,St=_t,Ot=st=qe.size(n,O);if(Ue=qe.fill(
n,O),zt=qe.stroke(n,O),On)O==tn&&Bt<=Ft.prox&&(D=mt,$=St,q=Ot,re=st,le=it,X=Ue,W=zt);else{let Ye=pt[O];Ye!=null&&(zn[O]=mt,Hn[O]=St,Xo(Ye,Ot,
st,it),Jo(Ye,Ue,zt),It(Ye,wt(mt),wt(St),U,L))}}}}if(On){let O=Ft.prox,ye=bn==null?Bt<=O:Bt>O||tn!=bn;if(dt||ye){let Te=pt[0];Te!=null&&(zn[0]=
D,Hn[0]=$,Xo(Te,q,re,le),Jo(Te,X,W),It(Te,wt(D),wt($),U,L))}}}if(be.show&&Xt)if(l!=null){let[k,_]=Me.scales,[A,D]=Me.match,[$,q]=l.cursor.sync.
scales,re=l.cursor.drag;if(Ce=re._x,Oe=re._y,Ce||Oe){let{left:le,top:X,width:W,height:O}=l.select,ye=l.scales[$].ori,Te=l.posToVal,He,de,Ee,
nt,je,ht=k!=null&&A(k,$),_t=_!=null&&D(_,q);ht&&Ce?(ye==0?(He=le,de=W):(He=X,de=O),Ee=T[k],nt=N(Te(He,$),Ee,y,0),je=N(Te(He+de,$),Ee,y,0),ms(
Lt(nt,je),Pe(je-nt))):ms(0,y),_t&&Oe?(ye==1?(He=le,de=W):(He=X,de=O),Ee=T[_],nt=B(Te(He,q),Ee,v,0),je=B(Te(He+de,q),Ee,v,0),gs(Lt(nt,je),Pe(
je-nt))):gs(0,v)}else Ii()}else{let k=Pe(Jl-Yl),_=Pe(Zl-Ql);if(E.ori==1){let q=k;k=_,_=q}Ce=Ve.x&&k>=Ve.dist,Oe=Ve.y&&_>=Ve.dist;let A=Ve.uni;
A!=null?Ce&&Oe&&(Ce=k>=A,Oe=_>=A,!Ce&&!Oe&&(_>k?Oe=!0:Ce=!0)):Ve.x&&Ve.y&&(Ce||Oe)&&(Ce=Oe=!0);let D,$;Ce&&(E.ori==0?(D=Gn,$=ge):(D=Kn,$=ke),
ms(Lt(D,$),Pe($-D)),Oe||gs(0,v)),Oe&&(E.ori==1?(D=Gn,$=ge):(D=Kn,$=ke),gs(Lt(D,$),Pe($-D)),Ce||ms(0,y)),!Ce&&!Oe&&(ms(0,0),gs(0,0))}if(Ve._x=
Ce,Ve._y=Oe,l==null){if(c){if(fo!=null){let[k,_]=Me.scales;Me.values[0]=k!=null?Ct(E.ori==0?ge:ke,k):null,Me.values[1]=_!=null?Ct(E.ori==1?ge:
ke,_):null}ys(sl,n,ge,ke,U,L,u)}if(Cn){let k=c&&Me.setSeries,_=Ft.prox;bn==null?Bt<=_&&Nt(tn,Un,!0,k):Bt>_?Nt(null,Un,!0,k):tn!=bn&&Nt(tn,Un,
!0,k)}}dt&&(Z.idx=u,Oi()),o!==!1&&ze("setCursor")}let nn=null;Object.defineProperty(n,"rect",{get(){return nn==null&&bs(!1),nn}});function bs(l=!1){
l?nn=null:(nn=M.getBoundingClientRect(),ze("syncRect",nn))}function to(l,o,c,u,m,y,v){C._lock||Xt&&l!=null&&l.movementX==0&&l.movementY==0||
(zi(l,o,c,u,m,y,v,!1,l!=null),l!=null?yn(null,!0,!0):yn(o,!0,!1))}function zi(l,o,c,u,m,y,v,k,_){if(nn==null&&bs(!1),mn(l),l!=null)c=l.clientX-
nn.left,u=l.clientY-nn.top;else{if(c<0||u<0){ge=-10,ke=-10;return}let[A,D]=Me.scales,$=o.cursor.sync,[q,re]=$.values,[le,X]=$.scales,[W,O]=Me.
match,ye=o.axes[0].side%2==1,Te=E.ori==0?U:L,He=E.ori==1?U:L,de=ye?y:m,Ee=ye?m:y,nt=ye?u:c,je=ye?c:u;if(le!=null?c=W(A,le)?f(q,T[A],Te,0):-10:
c=Te*(nt/de),X!=null?u=O(D,X)?f(re,T[D],He,0):-10:u=He*(je/Ee),E.ori==1){let ht=c;c=u,u=ht}}_&&(o==null||o.cursor.event.type==sl)&&((c<=1||c>=
U-1)&&(c=_n(c,U)),(u<=1||u>=L-1)&&(u=_n(u,L))),k?(Yl=c,Ql=u,[Gn,Kn]=C.move(n,c,u)):(ge=c,ke=u)}let Hi={width:0,height:0,left:0,top:0};function Ii(){
Vs(Hi,!1)}let no,so,io,lo;function oo(l,o,c,u,m,y,v){Xt=!0,Ce=Oe=Ve._x=Ve._y=!1,zi(l,o,c,u,m,y,v,!0,!1),l!=null&&(Ke(il,cl,ro,!1),ys(qo,n,Gn,
Kn,U,L,null));let{left:k,top:_,width:A,height:D}=be;no=k,so=_,io=A,lo=D}function ro(l,o,c,u,m,y,v){Xt=Ve._x=Ve._y=!1,zi(l,o,c,u,m,y,v,!1,!0);
let{left:k,top:_,width:A,height:D}=be,$=A>0||D>0,q=no!=k||so!=_||io!=A||lo!=D;if($&&q&&Vs(be),Ve.setScale&&$&&q){let re=k,le=A,X=_,W=D;if(E.
ori==1&&(re=_,le=D,X=k,W=A),Ce&&en(R,Ct(re,R),Ct(re+le,R)),Oe)for(let O in T){let ye=T[O];O!=R&&ye.from==null&&ye.min!=pe&&en(O,Ct(X+W,O),Ct(
X,O))}Ii()}else C.lock&&(C._lock=!C._lock,yn(o,!0,l!=null));l!=null&&(Rn(il,cl),ys(il,n,ge,ke,U,L,null))}function nc(l,o,c,u,m,y,v){if(C._lock)
return;mn(l);let k=Xt;if(Xt){let _=!0,A=!0,D=10,$,q;E.ori==0?($=Ce,q=Oe):($=Oe,q=Ce),$&&q&&(_=ge<=D||ge>=U-D,A=ke<=D||ke>=L-D),$&&_&&(ge=ge<
Gn?0:U),q&&A&&(ke=ke<Kn?0:L),yn(null,!0,!0),Xt=!1}ge=-10,ke=-10,fe.fill(null),yn(null,!0,!0),k&&(Xt=k)}function ao(l,o,c,u,m,y,v){C._lock||(mn(
l),ki(),Ii(),l!=null&&ys(jo,n,ge,ke,U,L,null))}function co(){z.forEach(_f),xi(n.width,n.height,!0)}En(li,ts,co);let Yn={};Yn.mousedown=oo,Yn.
mousemove=to,Yn.mouseup=ro,Yn.dblclick=ao,Yn.setSeries=(l,o,c,u)=>{let m=Me.match[2];c=m(n,o,c),c!=-1&&Nt(c,u,!0,!1)},Ge&&(Ke(qo,M,oo),Ke(sl,
M,to),Ke(Go,M,l=>{mn(l),bs(!1)}),Ke(Ko,M,nc),Ke(jo,M,ao),bl.add(n),n.syncRect=bs);let Ws=n.hooks=e.hooks||{};function ze(l,o,c){Ri?hs.push([
l,o,c]):l in Ws&&Ws[l].forEach(u=>{u.call(null,n,o,c)})}(e.plugins||[]).forEach(l=>{for(let o in l.hooks)Ws[o]=(Ws[o]||[]).concat(l.hooks[o])});
let uo=(l,o,c)=>c,Me=Ae({key:null,setSeries:!1,filters:{pub:ir,sub:ir},scales:[R,x[1]?x[1].scale:null],match:[lr,lr,uo],values:[null,null]},
C.sync);Me.match.length==2&&Me.match.push(uo),C.sync=Me;let fo=Me.key,Vi=ta(fo);function ys(l,o,c,u,m,y,v){Me.filters.pub(l,o,c,u,m,y,v)&&Vi.
pub(l,o,c,u,m,y,v)}Vi.sub(n);function sc(l,o,c,u,m,y,v){Me.filters.sub(l,o,c,u,m,y,v)&&Yn[l](null,o,c,u,m,y,v)}n.pub=sc;function ic(){Vi.unsub(
n),bl.delete(n),un.clear(),dl(li,ts,co),p.remove(),ce?.remove(),ze("destroy")}n.destroy=ic;function Wi(){ze("init",e,t),Vl(t||e.data,!1),I[R]?
Fi(R,I[R]):ki(),Ns=be.show&&(be.width>0||be.height>0),hn=dt=!0,xi(e.width,e.height)}return x.forEach(Hl),z.forEach(Ca),s?s instanceof HTMLElement?
(s.appendChild(p),Wi()):s(n,Wi):Wi(),n}Be.assign=Ae;Be.fmtNum=Sl;Be.rangeNum=oi;Be.rangeLog=ci;Be.rangeAsinh=kl;Be.orient=An;Be.pxRatio=ae;Be.
join=pu;Be.fmtDate=El,Be.tzDate=Su;Be.sync=ta;{Be.addGap=rf,Be.clipGaps=di;let e=Be.paths={points:ra};e.linear=ca,e.stepped=uf,e.bars=ff,e.spline=
pf}var cs=[7,4],Rl=[2,3],pa=190,Sf=60,Tf=180,Ef=Array.from({length:50},(e,t)=>2**t),rn=class{element;#e;#t=h("div",{class:"chart-canvas"});#i=[];#s=h(
"span",{class:"chart-when"});#l;#o;#n=null;#r=[];#a=[];#c=0;constructor(t,s=null){this.#e=t;let n=t.lines.map(i=>{let r=h("span",{class:"fig\
ure"});this.#i.push(r);let a=h("span",{class:`sample sample-${i.colour}${i.dash?` sample-${i.dash[0]===Rl[0]?"dot":"dash"}`:""}`,"aria-hidde\
n":"true"});return h("li",{},a,h("span",{},i.label),r)});this.element=h("figure",{class:"chart card"},h("figcaption",{},h("div",{},h("h3",{},
t.title),h("p",{},t.about)),s),this.#t,h("div",{class:"legend"},h("ul",{},...n),this.#s)),this.#t.setAttribute("role","img"),this.#t.setAttribute(
"aria-label",`${t.title}: lines over the last five minutes; the newest figures follow`),this.#l=new ResizeObserver(()=>this.#u()),this.#l.observe(
this.#t),this.#o=Ro(()=>this.#h())}set(t,s){this.#r=t,this.#a=s,this.#t.dataset.points=String(t.length),this.#n?this.#n.setData(this.#f()):this.#u(),
this.#p(null)}leave(){this.#l.disconnect(),this.#o(),this.#n?.destroy(),this.#n=null}#u(){let t=Math.floor(this.#t.clientWidth);t!==0&&(this.#n?
t!==this.#c&&this.#n.setSize({width:t,height:pa}):this.#m(t),this.#c=t)}#h(){this.#n&&(this.#n.destroy(),this.#n=null,this.#u())}#f(){let t=[];
return this.#e.lines.forEach((s,n)=>{let i=this.#a[n]??[],r=s.fill==="stacked"?t[n-1]:void 0;t.push(r?i.map((a,f)=>a===null?null:a+(r[f]??0)):
i)}),[this.#r,...t]}#m(t){let{lines:s,tick:n,figure:i,least:r,most:a,isBinary:f}=this.#e,d={stroke:vs("ink-soft"),font:`12px ${vs("font")}`,
ticks:{show:!1},grid:{stroke:vs("rule"),width:1}},p={width:t,height:pa,legend:{show:!1},cursor:{sync:{key:"forebay"},drag:{x:!1,y:!1}},scales:{
x:{time:!0,range:()=>this.#d()},y:{range:(b,g,w)=>[0,a??Math.max((w??0)*1.1,r??1)]}},axes:[{...d,grid:{show:!1},size:26,space:110,values:(b,g)=>g.
map(w=>this.#b(w))},{...d,size:62,space:36,values:(b,g)=>g.map(w=>(n??i)(w)),...f?{incrs:Ef}:{}}],series:[{},...s.map(b=>this.#g(b))],bands:s.
flatMap((b,g)=>b.fill==="stacked"&&g>0?[{series:[g+1,g]}]:[]),hooks:{setCursor:[b=>this.#p(b.cursor.idx??null)]}};this.#n=new Be(p,this.#f(),
this.#t)}#g(t){let s=vs(t.colour);return{label:t.label,stroke:s,width:2,points:{show:!1},...t.dash?{dash:t.dash}:{},...t.fill?{fill:`${s}40`}:
{}}}#d(){let t=this.#r.at(-1)??Date.now()/1e3,s=t-(this.#r[0]??t);return[t-Math.min(ws,Math.max(Sf,s)),t]}#b(t){let[s,n]=this.#d(),i=kn(t*1e3);
return n-s<Tf?i:i.slice(0,5)}#p(t){let s=t??this.#r.length-1,n=this.#r[s];this.#i.forEach((i,r)=>se(i,this.#e.figure(this.#a[r]?.[s]??null))),
se(this.#s,t===null||n===void 0?"now":kn(n*1e3))}};var Mf={size:"Request size",latency:"Latency",seek:"Seek distance",outstanding:"Outstanding requests",interarrival:"Time between requests"},
ha={...ei,read:"Reads",write:"Writes",all:"All"};function Af(e,t){if(e.upto===null)return"more";switch(t){case"bytes":return e.upto%1024===0?
G(e.upto):Mt(e.upto);case"microseconds":return jt(e.upto);default:return e.upto<0?`\u2212${Mt(-e.upto)}`:Mt(e.upto)}}function Df(e){let t=e.
map(([,f])=>f.length),s=f=>e.some(([,d])=>(d[f]?.count??0)>0),n=[...Array(Math.max(0,...t)).keys()],i=n.filter(s),[r,a]=[i[0],i.at(-1)];return r===
void 0||a===void 0?[0,0]:[Math.max(0,r-1),Math.min(n.length,a+2)]}function Lf(e){let t=e.map(([,s])=>s.map(n=>n.upto).join());return t.every(
s=>s===t[0])}var gi=class{element=h("section",{class:"histograms","aria-label":"Histograms"});#e=h("div",{class:"segmented",role:"group","ar\
ia-label":"What is counted"});#t=h("div",{class:"card histogram-tables"});#i=[];#s="size";#l="";constructor(){this.element.append(h("div",{class:"\
section-head"},h("h2",{},"Histograms"),this.#e),this.#t),this.element.hidden=!0}set(t){if(this.element.hidden=t===null||t.length===0,t===null||
t.length===0)return;this.#i=t,t.some(([n])=>n===this.#s)||(this.#s=t[0]?.[0]??"");let s=t.map(([n])=>n);this.#e.children.length!==s.length&&
this.#e.replaceChildren(...s.map(n=>this.#o(n))),this.#n()}#o(t){return h("button",{type:"button","data-what":t,onclick:()=>{this.#s=t,this.#n()}},
Mf[t]??t)}#n(){for(let a of this.#e.children)a.setAttribute("aria-pressed",String(a.getAttribute("data-what")===this.#s));let t=this.#i.find(
([a])=>a===this.#s)?.[1];if(!t)return;let s=JSON.stringify([this.#s,t]);if(s===this.#l)return;this.#l=s;let{unit:n,kinds:i}=t,r=i.length<=2&&
Lf(i)?[i]:i.map(a=>[a]);this.#t.replaceChildren(...r.map(a=>$f(n,a)))}};function $f(e,t){let[s,n]=Df(t),i=e==="bytes"||e==="microseconds"?"U\
p to":`Up to, ${e}`;if(s===n)return h("p",{class:"hint"},`${t.map(([d])=>ha[d]??d).join(", ")}: nothing was counted yet.`);let r=t.map(([,d])=>d.
reduce((p,b)=>p+b.count,0)),a=h("thead",{},h("tr",{},h("th",{scope:"col"},i),...t.map(([d],p)=>h("th",{scope:"col"},`${ha[d]??d}: ${Mt(r[p])}`)))),
f=[...Array(n-s).keys()].map(d=>{let p=s+d,b=t[0]?.[1][p];return h("tr",{},h("th",{scope:"row"},b?Af(b,e):""),...t.map(([,g],w)=>Pf(g[p]?.count??
0,r[w]??0,w)))});return h("table",{class:"histogram"},a,h("tbody",{},...f))}function Pf(e,t,s){let n=t>0?e/t:0,i=h("span",{class:`bar bar-${s%
6}`});i.style.width=`${(n*100).toFixed(2)}%`;let r=h("span",{class:"bar-text"});return se(r,e===0?"":`${Mt(e)} (${(n*100).toFixed(1)}%)`),h(
"td",{},h("div",{class:"bar-cell"},h("span",{class:"bar-track"},i),r))}function an(){return h("span",{class:"badge"},h("span",{class:"sign","aria-hidden":"true"}),h("span",{}))}function cn(e,t,s){e.className=`ba\
dge badge-${t}`;let[n,i]=e.children;n&&se(n,el[t]),i&&se(i,s)}function ct(e,t){let s=h("div",{class:"tile-value","data-figure":t}),n=h("div",
{class:"tile-remark"});return{element:h("div",{class:"tile"},h("div",{class:"tile-name"},e),s,n),set(r,a=""){se(s,r),se(n,a)}}}function bi(){
let e=h("ul",{class:"findings","aria-live":"polite","aria-label":"Warnings"});return{element:e,set(t){e.hidden=t.length===0,vn(e,t,s=>`${s.tone}\
 ${s.text.replace(/\d[\d.]*/g,"#")}`,()=>h("li",{},h("span",{class:"sign","aria-hidden":"true"}),h("div",{},h("div",{class:"finding-text"}),
h("div",{class:"finding-advice"}))),(s,n)=>{s.className=`finding finding-${n.tone}`,Re(s,".sign",el[n.tone]),Re(s,".finding-text",n.text),Re(
s,".finding-advice",n.advice??"")})}}}function Re(e,t,s){let n=e.querySelector(t);n&&se(n,s)}var Dn={width:120,height:28};function ma(e){let t=Bs(
"svg",{class:"spark",viewBox:`0 0 ${Dn.width} ${Dn.height}`,role:"img",preserveAspectRatio:"none"}),s=Bs("path",{fill:"none","vector-effect":"\
non-scaling-stroke"});return t.append(Bs("path",{class:"spark-base",d:`M0 ${Dn.height-1}H${Dn.width}`,fill:"none"}),s),{element:t,set(n,i){s.
setAttribute("d",Rf(n,i));let r=n.filter(a=>a!==null).at(-1);t.setAttribute("aria-label",r===void 0?`${e}: no reads in the last five minutes`:
`${e} over the last five minutes, ${bt(r)} lately`)}}}function Rf(e,t){let s=Dn.width/Math.max(1,t-1),n=Dn.width-(e.length-1)*s,i="M",r="";return e.
forEach((a,f)=>{if(a===null){i="M";return}r+=`${i}${(n+f*s).toFixed(1)} ${((1-a)*(Dn.height-4)+2).toFixed(1)}`,i="L"}),r}function ga(e){let t=e.
map(([n,i])=>({key:n,name:i,cell:h("dd",{"data-figure":n})}));return{element:h("dl",{class:"facts"},...t.map(({name:n,cell:i})=>h("div",{},h(
"dt",{},n),i))),set(n){for(let{key:i,cell:r}of t)se(r,n[i]??""),r.parentElement&&(r.parentElement.hidden=n[i]===void 0)}}}var yi=class{element;#e=new Map;#t=h("div",{class:"fields"});#i=h("button",{type:"submit",class:"primary"},"Review changes\u2026");#s=h("but\
ton",{type:"reset"},"Undo");#l=h("span",{class:"hint","aria-live":"polite"});#o;#n;constructor(t,s){this.#o=t,this.#n=s;let n=h("form",{"ari\
a-label":"Settings"},this.#t,h("div",{class:"buttons buttons-start"},this.#i,this.#s,this.#l));n.addEventListener("input",()=>this.#c()),n.addEventListener(
"reset",i=>{i.preventDefault();for(let r of this.#e.values())r.input.value=r.now;this.#c()}),n.addEventListener("submit",i=>{i.preventDefault(),
this.#u()}),this.element=h("section",{class:"card","aria-label":"Settings"},h("h2",{},"Settings"),h("p",{class:"hint"},"As forebay disk set \
takes them. They are changed while guests go on."),n)}update(t){let s=tl.filter(i=>i.name in t),n=Object.keys(t).filter(i=>!tl.some(r=>r.name===
i));for(let i of[...s,...n.map(r=>({name:r,about:""}))]){let r=t[i.name]??"",a=this.#e.get(i.name)??this.#r(i,r),f=a.input.value!==a.now;a.now=
r,f||ba(a.input,r)}this.#c()}#r(t,s){let n=Ht(),i=Ht(),r={id:n,name:t.name,"aria-describedby":i},a=t.choices?h("select",r,...t.choices.map(p=>h(
"option",{value:p},p))):h("input",{...r,type:"text",spellcheck:"false",autocomplete:"off",autocapitalize:"off"}),f=h("div",{class:"field"},h(
"label",{for:n},t.name),a,h("p",{class:"hint",id:i},t.about)),d={key:t.name,now:s,input:a,element:f};return ba(a,s),this.#t.append(f),this.#e.
set(t.name,d),d}#a(){let t=[...this.#e.values()].filter(s=>s.input.value.trim()!==s.now);return Object.fromEntries(t.map(s=>[s.key,s.input.value.
trim()]))}#c(){let t=this.#a();for(let n of this.#e.values())n.element.classList.toggle("changed",n.key in t);let s=Object.keys(t).length;this.#i.
disabled=s===0,Se(this.#s,s>0),se(this.#l,s===0?"":s===1?"1 change, not sent yet":`${s} changes, not sent yet`)}#u(){let t=this.#o(),s=this.#a();
if(!t||Object.keys(s).length===0)return;let n=Object.entries(s).map(([i,r])=>h("li",{},h("code",{},i),`: ${this.#e.get(i)?.now??""} \u2192 ${r}`));
qs({title:`Change ${t.name}?`,sentences:zo(t,s),confirm:"Change",fields:h("ul",{class:"changes"},...n),run:async()=>{await Et("PATCH",gt(t.name),
{settings:s});for(let[i,r]of Object.entries(s)){let a=this.#e.get(i);a&&(a.now=r)}return this.#n(),`${t.name} now has ${Object.entries(s).map(
([i,r])=>`${i}=${r}`).join(" ")}`}})}};function ba(e,t){e instanceof HTMLSelectElement&&![...e.options].some(s=>s.value===t)&&e.append(h("op\
tion",{value:t},t)),e.value!==t&&(e.value=t)}var Ff=[["backing","Backing"],["size_bytes","Size"],["block_bytes","Block"],["reserve_bytes","Reserved flash"],["limit_bytes","Flash at most"],
["cached_bytes","Cached on flash"],["ram_bytes","Cached in RAM"],["load","From last time"],["mirrored","Dirty data"],["connections","Guests \
connected"],["nbd_socket","NBD socket"],["guest","Taken from"],["page_cache","Page cache"],["errors","Errors"]];function ya(e,t){let s=null,
n=()=>s,i=an(),r=h("span",{class:"mode"}),a=bi(),f={hits:ct("Hit ratio","hit_ratio"),operations:ct("Requests","operations"),bytes:ct("Throug\
hput","bytes"),latency:ct("Read latency, mean","latency"),dirty:ct("Dirty","dirty_bytes"),saved:ct("Backing requests saved","saved")},d=new Fl,
p=new gi,b=ga(Ff.map(([P,x])=>[P,x])),g=new yi(n,t),w=Io(n,t),S=h("div",{class:"stack"},a.element,h("div",{class:"tiles"},...Object.values(f).
map(P=>P.element)),d.element,w.element,p.element,h("section",{class:"card","aria-label":"Facts"},h("h2",{},"About this disk"),b.element),g.element),
M=h("div",{class:"card empty"},h("h3",{},"No such disk"),h("p",{},"Forebay serves no disk of this name. It may have been removed: forebay di\
sk list shows all.")),F=h("p",{class:"loading"},"Asking Forebay\u2026");return{element:h("div",{class:"view"},h("p",{class:"crumb"},h("a",{href:"\
#/"},"\u2190 Host")),h("div",{class:"title"},h("h1",{},e),i,r),M,F,S),title:e,leave:()=>d.leave(),update(P){let x=P.disk;if(s=x==="missing"||
x===null?null:x,Se(M,x==="missing"),Se(F,x===null),Se(S,s!==null),Se(i,s!==null),!s)return;let z=xs(s);cn(i,Xs([Ut(s.state),...z.map(T=>T.tone)]),
s.state),se(r,s.read_only?`${s.mode}, read-only`:s.mode),a.set(z),Nf(f,s,P),d.set(P.series.get(e)?.points??[],P.windows.has(e),s.mode),p.set(
P.histograms),b.set(Of(s)),g.update(s.settings),w.update()}}}function Nf(e,t,s){let n=s.windows.get(t.name)??s.statistics.get(t.name),i=s.windows.
has(t.name)?"last 5 minutes":"since attached",r=s.series.get(t.name)?.last,a=r?.rates??null,f=Jn(a);e.hits.set(bt(n?.hit_ratio),`of reads, ${i}`),
e.operations.set(f===null?"\u2013":`${lt(f)}/s`,a?`${lt(a.reads)} reads, ${lt(a.writes)} writes`:""),e.bytes.set(a?Kt(a.read_bytes+a.write_bytes):
"\u2013",a?`${Kt(a.read_bytes)} read, ${Kt(a.write_bytes)} written`:""),e.latency.set(jt(r?.readMicros),r?.writeMicros==null?"no writes late\
ly":`writes ${jt(r.writeMicros)}`),e.dirty.set(t.dirty_bytes===null?"\u2013":G(We(t)),Cf(t)),e.saved.set(bt(n?Us(n):null),i)}function Cf(e){
let t=e.mode==="write-back"?`of at most ${G(e.dirty_limit_bytes)}`:"the backing is complete";if(We(e)===0)return t;let s=e.statistics.destage_bytes_per_second??
0,n=s>0?`, ${Kt(s)} going home`:"";return`${e.mode==="write-back"?t:`for ${xn(e.dirty_for_seconds)}`}${n}`}function Of(e){let{statistics:t}=e,
s={backing:e.backing,size_bytes:G(e.size_bytes),block_bytes:G(e.block_bytes),reserve_bytes:G(e.reserve_bytes),limit_bytes:G(e.limit_bytes),cached_bytes:G(
t.cached_bytes),ram_bytes:G(t.ram_bytes),load:Oo(e),mirrored:zf(e),connections:e.connections===null?"\u2013":String(e.connections),nbd_socket:e.
nbd_socket,errors:Hf(e)};return e.guest&&(s.guest=`QEMU at ${e.guest.qmp}, device ${e.guest.device}`),e.page_cache_reason&&(s.page_cache=`us\
ed, because ${e.page_cache_reason}`),s}function zf(e){return e.mirrored===null?"\u2013":e.mirrored?"on two devices":"on one device"}function Hf(e){
let{checksum_errors:t,flash_errors:s,backing_errors:n,backing_retries:i}=e.statistics;if(t===void 0)return"\u2013";let a=[[t,"checksums"],[s,
"flash"],[n,"backing"],[i,"backing, sent again"]].filter(([f])=>(f??0)>0).map(([f,d])=>`${f} ${d}`);return a.length===0?"none":a.join(", ")}
var Fl=class{element;#e=new rn({title:"Hit ratio",about:"Reads answered from the cache, over ten seconds each.",lines:[{label:"RAM",colour:"\
ram",fill:"area"},{label:"Flash",colour:"flash",fill:"stacked",dash:cs}],figure:bt,tick:t=>`${Math.round(t*100)}%`,most:1});#t=new rn({title:"\
Requests a second",about:"What guests asked for.",lines:[{label:"Reads",colour:"read"},{label:"Writes",colour:"write",dash:cs}],figure:lt,tick:ji,
least:10});#i;#s=new rn({title:"Dirty data",about:"What flash has and the backing does not.",lines:[{label:"Dirty",colour:"dirty",fill:"area"},
{label:"Limit",colour:"limit",dash:cs}],figure:G,least:64*1024,isBinary:!0});#l=new rn({title:"Backing requests saved",about:"What guests as\
ked for, and what reached the backing.",lines:[{label:"Guests",colour:"read"},{label:"Backing",colour:"limit",dash:cs,fill:"area"}],figure:lt,
tick:ji,least:10});#o=h("select",{"aria-label":"Latency of",name:"latency-class"},...Gs.map(t=>h("option",{value:t},ei[t])));#n=h("span",{class:"\
hint"});#r=[];#a=!1;constructor(){let t=h("div",{class:"chart-controls"},this.#o,this.#n);this.#o.value="read_miss",this.#o.addEventListener(
"change",()=>{this.#a=!0,this.#c()}),this.#i=new rn({title:"Latency",about:"So many in a hundred were faster.",lines:[{label:"Half",colour:"\
read"},{label:"95 %",colour:"write",dash:cs},{label:"99 %",colour:"limit",dash:Rl}],figure:jt,least:10},t);let s=[this.#e,this.#t,this.#i,this.#l,
this.#s];this.element=h("section",{class:"charts","aria-label":"Charts of the last five minutes"},...s.map(n=>n.element))}set(t,s,n){this.#r=
t,se(this.#n,s?"over 5 minutes each":"since attached");let i=f=>t.map(f),r=t.map(f=>f.at);this.#e.set(r,[i(f=>f.hitRam),i(f=>f.hitFlash)]),this.#t.
set(r,[i(f=>f.rates?.reads??null),i(f=>f.rates?.writes??null)]),this.#l.set(r,[i(f=>Jn(f.rates)),i(f=>f.rates?f.rates.backing_reads+f.rates.
backing_writes:null)]);let a=n==="write-back"?i(f=>f.dirtyLimitBytes):t.map(()=>null);this.#s.set(r,[i(f=>f.dirtyBytes),a]),this.#c()}leave(){
for(let t of[this.#e,this.#t,this.#i,this.#l,this.#s])t.leave()}#c(){let t=this.#r.at(-1)?.latency;if(!this.#a&&t&&t[this.#u()].count===0){let i=Gs.
find(r=>t[r].count>0);i&&(this.#o.value=i)}let s=this.#u(),n=i=>this.#r.map(r=>r.latency&&r.latency[s].count>0?r.latency[s][i]:null);this.#i.
set(this.#r.map(i=>i.at),[n("p50"),n("p95"),n("p99")])}#u(){return Gs.find(t=>t===this.#o.value)??"read_miss"}};function wi(e){return`#/disk/${encodeURIComponent(e)}`}var If={info:"good",warning:"warning",error:"bad"};function wa(){let e=h("ol",{class:"events","aria-label":"Events, newest first"}),t=h("sel\
ect",{name:"level"},h("option",{value:"info"},"All"),h("option",{value:"warning"},"Warnings and errors"),h("option",{value:"error"},"Errors")),
s=h("p",{class:"empty"},"Nothing happened that an operator must know."),n=h("p",{class:"empty"},"This Forebay keeps no list of events. Its l\
og has them: journalctl --unit forebay"),i=()=>{};t.addEventListener("change",()=>i());let r=h("label",{class:"inline"},"Show ",t),a=h("sect\
ion",{class:"card"},r,e,s,n);return{element:h("div",{class:"view"},h("h1",{},"Events"),a),title:"Events",leave(){},update(f){i=()=>{let d=["\
info","warning","error"],p=d.indexOf(t.value),b=(f.events??[]).filter(g=>d.indexOf(g.level)>=p||!d.includes(g.level)).reverse();Se(n,f.events===
null),Se(r,f.events!==null),Se(s,f.events!==null&&b.length===0),vn(e,b,g=>String(g.id),Vf,Wf)},i()}}}function Vf(e){let t=e.disk?h("a",{href:wi(
e.disk),class:"event-disk"},e.disk):null;return h("li",{class:"event"},h("div",{class:"event-head"},an(),h("time",{datetime:e.time},_o(e.time)),
t,h("span",{class:"event-kind"})),h("div",{class:"event-message"}),h("div",{class:"finding-advice"}))}function Wf(e,t){let s=e.querySelector(
".badge");s&&cn(s,If[t.level]??"warning",t.level),Re(e,".event-kind",t.kind),Re(e,".event-message",t.message),Re(e,".finding-advice",t.advice??
"")}var Bf=ws*1e3/Ji,qf=30,va=new WeakMap;function xa(){let e=bi(),t={hits:ct("Hit ratio","host.hit_ratio"),operations:ct("Requests","host.opera\
tions"),bytes:ct("Throughput","host.bytes"),dirty:ct("Dirty","host.dirty_bytes"),saved:ct("Backing requests saved","host.saved")},s=Yf(),n=h(
"tbody",{}),r=h("table",{class:"disks"},h("thead",{},h("tr",{},...["Disk","State","Hit ratio","Requests/s","Read latency, mean","Dirty","Las\
t 5 min"].map(b=>h("th",{scope:"col"},b)))),n),a=Uf(),f=h("section",{class:"card","aria-label":"Disks"},h("h2",{},"Disks"),r,a),d=h("div",{class:"\
tiles"},...Object.values(t).map(b=>b.element));return{element:h("div",{class:"view"},h("h1",{},"Host"),e.element,d,f,s.element),title:"Host",
leave(){},update(b){let g=b.disks??[],w=[...b.pool?No(b.pool):[],...g.flatMap(xs)];b.poolProblem&&w.unshift({tone:"bad",text:b.poolProblem,advice:null}),
e.set(w),Gf(t,b),Se(d,g.length>0),Se(r,g.length>0),Se(a,g.length===0),vn(n,g,S=>S.name,Kf,(S,M)=>jf(S,M,b)),s.update(b)}}}function Gf(e,t){let s=[
...t.statistics.values()],n=Do([...t.series.values()].map(b=>b.last?.rates??null)),i=s.map(b=>t.windows.get(b.name)??b),r=t.windows.size>0?"\
last 5 minutes":"since attached",a=Qi(i);e.hits.set(bt(Lo(a)),`of reads, ${r}`);let f=Jn(n);e.operations.set(f===null?"\u2013":`${lt(f)}/s`,
n?`${lt(n.reads)} reads, ${lt(n.writes)} writes`:""),e.bytes.set(n?Kt(n.read_bytes+n.write_bytes):"\u2013",n?`${Kt(n.read_bytes)} read, ${Kt(
n.write_bytes)} written`:"");let d=s.reduce((b,g)=>b+We(g),0),p=s.reduce((b,g)=>b+(g.mode==="write-back"?g.dirty_limit_bytes??0:0),0);e.dirty.
set(G(d),p>0?`of at most ${G(p)}`:"no disk is in write-back"),e.saved.set(bt(Us(a)),r)}function Kf(e){let t=ma(`Hit ratio of ${e.name}`),s=(a,...f)=>h(
"td",{"data-heading":a},...f),n=a=>h("div",{"data-figure":`${e.name}.${a}`}),i=a=>h("div",{class:`sub ${a}`}),r=h("tr",{},h("th",{scope:"row"},
h("a",{href:wi(e.name)},e.name),i("backing")),s("State",an(),i("mode")),s("Hit ratio",n("hit_ratio"),i("split")),s("Requests/s",n("operation\
s"),i("kinds")),s("Read latency, mean",n("latency"),i("writes")),s("Dirty",n("dirty_bytes"),i("limit")),h("td",{class:"spark-cell"},t.element));
return va.set(r,t),r}function jf(e,t,s){let n=s.statistics.get(t.name),i=s.windows.get(t.name)??n,r=s.series.get(t.name),a=r?.last,f=xs(t),d=e.
querySelector(".badge"),p=Xs([Ut(t.state),...f.map(S=>S.tone)]);d&&cn(d,p,t.state==="serving"&&p!=="good"?"serving, look":t.state);let b=(S,M)=>Re(
e,`[data-figure$=".${S}"]`,M);Re(e,".backing",t.size_bytes===null?Ui(t.backing,34):`${G(t.size_bytes)} at ${Ui(t.backing,34)}`),Re(e,".mode",
t.read_only?`${t.mode}, read-only`:t.mode),b("hit_ratio",bt(i?.hit_ratio));let g=i?.reads??0;Re(e,".split",g>0?`RAM ${bt((i?.read_hits_ram??
0)/g)}, flash ${bt((i?.read_hits_flash??0)/g)}`:"no reads yet"),b("operations",lt(Jn(a?.rates??null))),Re(e,".kinds",a?.rates?`${lt(a.rates.
reads)} r, ${lt(a.rates.writes)} w`:""),b("latency",a?.readMicros==null?"\u2013":jt(a.readMicros)),Re(e,".writes",a?.writeMicros==null?"":`w\
rites ${jt(a.writeMicros)}`),b("dirty_bytes",t.dirty_bytes===null?"\u2013":G(We(t))),Re(e,".limit",t.mode==="write-back"&&t.dirty_limit_bytes?
`of ${G(t.dirty_limit_bytes)}`:"");let w=(r?.points??[]).map(S=>S.hitRam===null||S.hitFlash===null?null:S.hitRam+S.hitFlash);va.get(e)?.set(
w,Math.max(qf,Math.min(Bf,w.length)))}function Uf(){return h("div",{class:"empty"},h("h3",{},"No disks yet"),h("p",{},"Nothing is cached unt\
il Forebay serves a disk. On the host, this adds one; nothing in the file changes:"),h("pre",{},h("code",{},"forebay disk add web1 --backing\
 /srv/images/web1.raw")),h("p",{},"A running QEMU guest's disk is moved behind Forebay without a reboot:"),h("pre",{},h("code",{},"forebay v\
m attach --qmp /run/web.qmp --device vda")),h("p",{class:"hint"},"It appears here by itself."))}function Yf(){let e=an(),t=h("span",{class:"\
meter-used"}),s=h("div",{class:"meter",role:"img"},t),n=h("p",{class:"meter-words","data-figure":"pool.used"}),i=h("p",{class:"meter-words",
"data-figure":"host.ram"}),r=h("tbody",{}),f=h("table",{class:"devices"},h("thead",{},h("tr",{},...["Device","State","Size","Free","Remarks"].
map(p=>h("th",{scope:"col"},p)))),r),d=h("section",{class:"card","aria-label":"Pool"},h("div",{class:"section-head"},h("h2",{},"Flash and RA\
M"),e),s,n,i,f);return{element:d,update({pool:p,statistics:b}){if(Se(d,p!==null),!p)return;cn(e,Ut(p.state),p.state);let g=(p.segments-p.segments_free)*
p.segment_bytes,w=p.segments_free*p.segment_bytes;t.style.width=`${p.segments>0?(100*(p.segments-p.segments_free)/p.segments).toFixed(2):0}%`;
let S=`Pool of ${G(p.size_bytes)}: ${G(g)} in use, ${G(w)} free; ${G(p.reserved_bytes)} reserved by disks`;s.setAttribute("aria-label",S),se(
n,S);let M=[...b.values()],F=M.reduce((P,x)=>P+(x.ram_bytes??0),0),V=M.reduce((P,x)=>P+(x.index_bytes??0),0);se(i,`RAM: ${G(F)} of content i\
n front of the flash, ${G(V)} for the index of what is on it`),vn(r,p.devices,P=>String(P.number),Qf,(P,x)=>Jf(P,x,p))}}}function Qf(){let e=(t,s,n="")=>h(
"td",{"data-heading":t,class:n},s);return h("tr",{},h("th",{scope:"row",class:"path"}),e("State",an()),e("Size",null,"size"),e("Free",null,"\
free"),e("Remarks",null,"remarks"))}function Jf(e,t,s){Re(e,".path",t.path??`device ${t.number}`);let n=e.querySelector(".badge");n&&cn(n,Ut(
t.state),t.state),Re(e,".size",G(t.size_bytes)),Re(e,".free",`${G(t.segments_free*s.segment_bytes)}`);let i=[t.discards?"discards":null,t.page_cache_reason?
`page cache: ${t.page_cache_reason}`:null];Re(e,".remarks",i.filter(r=>r!==null).join("; ")||`${Mt(t.segments)} segments`)}var us=h("main",{id:"main",tabindex:-1}),Ls=h("p",{class:"loading"},"Asking Forebay\u2026"),ka=h("span"),_a=h("button",{type:"button",onclick:Ki},
"Sign in\u2026"),Sa=h("div",{class:"banner",role:"alert",hidden:!0},ka," ",_a),Nl=h("span",{class:"pulse"}),$s={host:h("a",{href:"#/"},"Host"),
events:h("a",{href:"#/events"},"Events")},Ta=h("button",{type:"button",class:"quiet",onclick:nd}),Ea=h("button",{type:"button",class:"quiet",
onclick:Ki}),Ps=new Ys(Aa),Ln=null;function Zf(){let e=h("a",{class:"skip",href:"#main"},"To the content");e.addEventListener("click",n=>{n.
preventDefault(),us.focus()});let t=h("a",{href:"#/",class:"brand"},h("img",{src:"/assets/icon.svg",alt:"",width:24,height:24}),"Forebay"),s=h(
"header",{},t,h("nav",{"aria-label":"Views"},$s.host,$s.events),h("div",{class:"header-end"},Nl,Ta,Ea));document.body.append(e,s,Sa,us,wo()),
us.append(Ls)}function Ma(){let e=window.location.hash.replace(/^#/,"")||"/",t=/^\/disk\/([^/]+)$/.exec(e)?.[1],s=t===void 0?null:Xf(t);Ln?.
leave(),Ln=s!==null?ya(s,()=>{Ps.look()}):e==="/events"?wa():xa(),document.title=`${Ln.title} \u2013 Forebay`,$s.host.setAttribute("aria-cur\
rent",e==="/"?"page":"false"),$s.events.setAttribute("aria-current",e==="/events"?"page":"false"),us.replaceChildren(Ln.element),window.scrollTo(
0,0),Ps.watch(s),Aa()}function Xf(e){try{return decodeURIComponent(e)}catch{return e}}function Aa(){let{known:e}=Ps;if(ed(e),!Ln)return;let t=e.
disks!==null;Se(Ln.element,t),Se($s.events,!t||e.events!==null),t?(Ln.update(e),Ls.remove()):Ls.isConnected||us.append(Ls)}function ed({away:e,
answeredAt:t}){us.classList.toggle("stale",e!==null),Se(Sa,e!==null),se(ka,e?td(e,t):""),Se(_a,e?.status===401),se(Ls,e?"Waiting for Forebay\
\u2026":"Asking Forebay\u2026"),Nl.classList.toggle("pulse-away",e!==null),se(Nl,e?"No answer":t===null?"Connecting":"Live")}function td({status:e,
reason:t,since:s},n){let i=n===null?"":` What is shown is from ${kn(n)}.`;return e===401?`Seen from here, this host shows its figures to tho\
se only who have its token.${i}`:e>0?`${t}.${i}`:`${t} since ${kn(s)}.${i} On the host, systemctl status forebay says whether it runs. This \
page goes on by itself.`}function nd(){Po(),Cl()}function Cl(){se(Ta,{auto:"Theme: system",light:"Theme: light",dark:"Theme: dark"}[Js()]),se(
Ea,qt.get()===null?"Sign in":"Signed in")}Fo();Zf();Cl();document.addEventListener("forebay-token",()=>{Cl(),Ps.look()});window.addEventListener(
"hashchange",Ma);Ma();Ps.look();})();
