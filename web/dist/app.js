"use strict";(()=>{var qi="forebay-token";var Tt=class extends Error{constructor(n,s){super(s);this.status=n}status;get wantsToken(){return this.status===401}},qt={get(){return sessionStorage.
getItem(qi)},set(e){sessionStorage.setItem(qi,e.trim())},clear(){sessionStorage.removeItem(qi)}};async function Gt(e,t){return(await po(e,{method:"\
GET"},8e3))[t]}async function Bs(e,t){try{return await Gt(e,t)}catch(n){if(n instanceof Tt&&n.status===404)return null;throw n}}async function Et(e,t,n){
let s={method:e,headers:{"content-type":"application/json"},body:JSON.stringify(n??null)};return po(t,s,12e4)}function gt(e){return`/v1/disk\
s/${encodeURIComponent(e)}`}async function po(e,t,n){let s=AbortSignal.timeout(n),i=new Headers(t.headers),r=qt.get();r&&i.set("authorizatio\
n",`Bearer ${r}`);let a;try{a=await fetch(e,{...t,headers:i,signal:s,cache:"no-store",credentials:"omit",redirect:"error"})}catch{throw new Tt(
0,"Forebay does not answer")}let f=await a.json().catch(()=>null);if(!a.ok){let d=typeof f?.detail=="string"?f.detail:`Forebay answered with\
 status ${a.status}`;throw new Tt(a.status,d)}if(f===null)throw new Tt(0,"Forebay's answer was cut short");return f}function h(e,t={},...n){let s=document.createElement(e);for(let[i,r]of Object.entries(t))typeof r=="function"?s.addEventListener(i.slice(2),
r):r!=null&&r!==!1&&s.setAttribute(i,r===!0?"":String(r));return s.append(...n.filter(i=>i!=null&&i!==!1)),s}function qs(e,t){let n=document.
createElementNS("http://www.w3.org/2000/svg",e);for(let[s,i]of Object.entries(t))n.setAttribute(s,String(i));return n}function se(e,t){e.textContent!==
t&&(e.textContent=t)}function Se(e,t){e.hidden===t&&(e.hidden=!t)}function vn(e,t,n,s,i){let r=new Map([...e.children].map(d=>[d.getAttribute(
"data-item")??"",d])),a=new Set(t.map(n));for(let[d,p]of r)a.has(d)||p.remove();let f=e.firstElementChild;for(let d of t){let p=n(d),b=r.get(
p)??s(d);r.delete(p),b.setAttribute("data-item",p),i(b,d),b===f?f=b.nextElementSibling:e.insertBefore(b,f)}}var ho=0;function Ht(){return ho+=
1,`e${ho}`}var Qn=null;function go(){return Qn=h("div",{class:"status",role:"status","aria-live":"polite"}),Qn}var mo=0,sc=8e3;function Gi(e){Qn&&(se(Qn,
e),Qn.classList.add("status-shown"),window.clearTimeout(mo),mo=window.setTimeout(()=>Qn?.classList.remove("status-shown"),sc))}function bo(e){
e.addEventListener("close",()=>e.remove()),document.body.append(e),e.showModal()}function Gs(e){let t=Ht(),n=h("button",{type:"button"},"Can\
cel"),s=h("button",{type:"submit",class:"primary"},e.confirm),i=h("p",{class:"dialog-said","aria-live":"assertive"}),r=ic(),a=h("form",{},h(
"h2",{id:t},e.title),...e.sentences.map(p=>h("p",{},p)),e.fields??null,r.element,i,h("div",{class:"buttons"},n,s)),f=h("dialog",{"aria-label\
ledby":t},a),d=new AbortController;n.addEventListener("click",()=>f.close()),f.addEventListener("close",()=>d.abort()),a.addEventListener("s\
ubmit",p=>{p.preventDefault(),r.take(),s.disabled=!0,i.className="dialog-said",se(i,"Working\u2026"),e.run(b=>se(i,b),d.signal).then(b=>{Gi(
b),f.close()}).catch(b=>{let g=b instanceof Error?b.message:String(b);if(!f.open)return Gi(g);s.disabled=!1,i.className="dialog-said dialog-\
failed",se(i,g),b instanceof Tt&&b.wantsToken&&r.ask()})}),bo(f)}function ic(){let e=Ht(),t=h("input",{id:e,type:"password",autocomplete:"of\
f",spellcheck:"false"}),n=h("div",{class:"field"},h("label",{for:e},"Token for changes"),t,yo());return n.hidden=!0,{element:n,ask(){qt.clear(),
n.hidden=!1,t.focus(),document.dispatchEvent(new Event("forebay-token"))},take(){n.hidden||t.value.trim()===""||(qt.set(t.value),document.dispatchEvent(
new Event("forebay-token")))}}}function yo(){return h("p",{class:"hint"},"On the host, as root or the user that runs Forebay: ",h("code",{},
"cat /var/lib/forebay/token")," (or the folder that serve was given with --dir). It is kept until this tab is closed.")}function Ki(){let e=Ht(),
t=Ht(),n=h("input",{id:t,type:"password",autocomplete:"off",spellcheck:"false",required:!0}),s=h("button",{type:"button"},"Forget it"),i=h("\
button",{type:"button"},"Cancel");s.hidden=qt.get()===null;let r=h("form",{},h("h2",{id:e},"Sign in for changes"),h("p",{},"Everything can b\
e read without it. Changes need the token of this host."),h("div",{class:"field"},h("label",{for:t},"Token"),n,yo()),h("div",{class:"buttons"},
s,i,h("button",{type:"submit",class:"primary"},"Keep it"))),a=h("dialog",{"aria-labelledby":e},r),f=d=>{document.dispatchEvent(new Event("fo\
rebay-token")),Gi(d),a.close()};i.addEventListener("click",()=>a.close()),s.addEventListener("click",()=>{qt.clear(),f("The token is forgott\
en; reading goes on")}),r.addEventListener("submit",d=>{d.preventDefault(),qt.set(n.value),f("The token is kept until this tab is closed; th\
e next change shows whether it is right")}),bo(a)}var lc=[["TiB",1099511627776],["GiB",1073741824],["MiB",1048576],["KiB",1024],["",1]];function sn(e){return typeof e=="number"&&Number.isFinite(
e)}function G(e){if(!sn(e))return"\u2013";let t=Math.round(e),[n,s]=lc.find(([,i])=>t>=i)??["",1];return t%s===0?`${t/s}${n}`:`${(Math.floor(
(t*10+s/2)/s)/10).toFixed(1)}${n}`}function Kt(e){return sn(e)?`${G(e)}/s`:"\u2013"}function bt(e){return sn(e)?`${(e*100).toFixed(1)}%`:"\u2013"}
function zt(e){return sn(e)?Math.round(e).toString().replace(/\B(?=(\d{3})+$)/g,","):"\u2013"}function lt(e){return sn(e)?e>=10||e===0?zt(e):
e.toFixed(1):"\u2013"}function ji(e){if(!sn(e))return"";for(let[t,n]of[["M",1e6],["k",1e3]])if(Math.abs(e)>=n)return`${Number((e/n).toFixed(
1))}${t}`;return String(Number(e.toFixed(2)))}function jt(e){if(!sn(e))return"\u2013";for(let[t,n]of[["s",1e6],["ms",1e3]])if(e>=n)return`${wo(
e/n)} ${t}`;return`${wo(e)} us`}function wo(e){return e>=100||Number.isInteger(e)?e.toFixed(0):e>=10?e.toFixed(1):e.toFixed(2)}function xn(e){
if(!sn(e))return"\u2013";let t=Math.round(e),n=[[Math.floor(t/86400),"d"],[Math.floor(t/3600)%24,"h"],[Math.floor(t/60)%60,"min"],[t%60,"s"]],
s=n.findIndex(([r])=>r>0);return s<0?"0 s":n.slice(s,s+2).filter(([r])=>r>0).map(([r,a])=>`${r} ${a}`).join(" ")}function kn(e){let t=new Date(
e);return[t.getHours(),t.getMinutes(),t.getSeconds()].map(n=>String(n).padStart(2,"0")).join(":")}function vo(e){let t=new Date(e);return Number.
isNaN(t.getTime())?e:`${[t.getFullYear(),t.getMonth()+1,t.getDate()].map(s=>String(s).padStart(2,"0")).join("-")} ${kn(t.getTime())}`}function xo(e,t){
return e.length<=t?e:`\u2026${e.slice(1-t)}`}var Ks=["read_hit_ram","read_hit_flash","read_miss","write","flush","destage"],js=["reads","writes","flushes","discards","read_bytes","write\
_bytes","read_hits_ram","read_hits_flash","read_partial_hits","read_misses","reads_bypassed","backing_reads","backing_writes","backing_read_\
bytes","backing_write_bytes","flash_read_bytes","flash_write_bytes","destage_bytes","evictions"];function _o(e){let t=[];for(let[n,s]of Object.
entries(ko(e))){let{unit:i,...r}=ko(s);if(typeof i!="string")continue;let a=Object.entries(r).filter(f=>Array.isArray(f[1]));a.length>0&&t.push(
[n,{unit:i,kinds:a}])}return t}function ko(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)?e:{}}var ws=300,oc=10,rc=1,ac=1e3;function Ui(e,t){return js.every(n=>{let[s,i]=[e[n],t[n]];return s!==void 0&&i!==void 0&&i>=s})}function So(e,t){
let n=t.at-e.at;if(n<=0||!Ui(e.statistics,t.statistics))return null;let s=js.map(i=>[i,cc(e,t,i)/n]);return Object.fromEntries(s)}function cc(e,t,n){
return(t.statistics[n]??0)-(e.statistics[n]??0)}var uc=["read_hit_ram","read_hit_flash","read_miss"];function To(e,t,n){let s=({statistics:a},f)=>n.
reduce((d,p)=>d+(a.latency_us?f(a.latency_us[p]):0),0),i=a=>s(t,a)-s(e,a),r=i(a=>a.count);return r>0?Math.max(0,i(a=>a.count*a.mean))/r:null}
function Ys(e){if(e===null)return null;let t=(e.reads??0)+(e.writes??0);return t>0?1-((e.backing_reads??0)+(e.backing_writes??0))/t:null}function Jn(e){
return e===null?null:e.reads+e.writes}function Mo(e){let t=e.filter(n=>n!==null);return t.length===0?null:Yi(t)}function Ao(e){let{reads:t=0,
read_hits_ram:n=0,read_hits_flash:s=0}=e;return t>0?(n+s)/t:null}function Yi(e){return Object.fromEntries(js.map(t=>[t,e.reduce((n,s)=>n+(s[t]??
0),0)]))}var Us=class{#e=[];#t=[];get points(){return this.#t}get last(){return this.#t.at(-1)}add(t,n,s){let i={at:t,statistics:n},r=this.#e.
at(-1);r&&t-r.at<rc&&Ui(r.statistics,n)||(r&&!Ui(r.statistics,n)&&(this.#e=[]),this.#t.push(this.#i(i,s??n)),this.#e.push(i),this.#e=Eo(this.#e,
t),this.#t=Eo(this.#t,t))}#i(t,n){let{at:s,statistics:i}=t,r=this.#e.at(-1),a=this.#e.find(p=>s-p.at<=oc)??r,f=a?So(a,t):null,d=p=>f&&f.reads>
0?p/f.reads:null;return{at:s,rates:r?So(r,t):null,hitRam:f&&d(f.read_hits_ram),hitFlash:f&&d(f.read_hits_flash),readMicros:f&&a?To(a,t,uc):null,
writeMicros:f&&a?To(a,t,["write"]):null,dirtyBytes:i.dirty_bytes===void 0?null:We(i),dirtyLimitBytes:i.dirty_limit_bytes??null,latency:n.latency_us??
null}}};function We(e){return(e.dirty_bytes??0)+(e.dirty_zeroes_bytes??0)}function Eo(e,t){return e.filter(n=>t-n.at<=ws).slice(-ac)}var Qi=2e3,fc=3,dc=500,Qs=class{known={disks:null,statistics:new Map,windows:new Map,pool:null,poolProblem:null,series:new Map,events:null,disk:null,
histograms:null,answeredAt:null,away:null};#e=null;#t;#i=0;#n=0;#l=0;constructor(t){this.#t=t}watch(t){t!==this.#e&&(this.#e=t,this.known.disk=
null,this.known.histograms=null,this.#n=0,this.look())}async look(){window.clearTimeout(this.#i);let t=++this.#l;try{await this.#o(t)}catch(n){
t===this.#l&&this.#c(n)}t===this.#l&&(this.#t(),this.#i=window.setTimeout(()=>{this.look()},Qi))}async#o(t){let n=this.#e,s=this.known.events?.
at(-1)?.id??0,[i,r,a,f,d,p]=await Promise.all([Gt("/v1/disks","disks"),Gt("/v1/stats","disks"),Gt("/v1/stats?window=5m","disks"),this.#s(),Bs(
`/v1/events?after=${s}`,"events"),n===null?null:Bs(gt(n),"disk")]),b=n!==null&&p!==null&&this.#n%fc===0?await Bs(`${gt(n)}/histograms`,"hist\
ograms"):void 0;if(t!==this.#l)return;this.#n+=1;let g=Date.now();Object.assign(this.known,{disks:i,...f,answeredAt:g,away:null}),this.#r(g/
1e3,r,a),this.#a(d),n!==null&&(this.known.disk=p??"missing"),b!==void 0&&(this.known.histograms=b===null?null:_o(b))}async#s(){try{return{pool:await Gt(
"/v1/pool","pool"),poolProblem:null}}catch(t){if(!(t instanceof Tt)||t.status===0)throw t;return{pool:null,poolProblem:t.message}}}#r(t,n,s){
let i=r=>new Map(r.map(a=>[a.name,a]));this.known.statistics=i(n),this.known.windows=i(s.filter(r=>r.window==="5m"));for(let r of this.known.
series.keys())this.known.statistics.has(r)||this.known.series.delete(r);for(let r of n){let a=this.known.series.get(r.name)??new Us;this.known.
series.set(r.name,a),a.add(t,r,this.known.windows.get(r.name))}}#a(t){if(t===null){this.known.events=null;return}let n=this.known.events??[],
s=n.at(-1)?.id??0;this.known.events=[...n,...t.filter(i=>i.id>s)].slice(-dc)}#c(t){let n=t instanceof Error?t.message:String(t),s=t instanceof
Tt?t.status:0;this.known.away={since:this.known.away?.since??Date.now(),reason:n,status:s},this.known.events!==null&&(this.known.events=[])}};var Do="forebay-theme",Js=["auto","light","dark"],Ji=new Set;function Zs(){let e=localStorage.getItem(Do);return Js.find(t=>t===e)??"auto"}function Lo(){
let e=Js[(Js.indexOf(Zs())+1)%Js.length]??"auto";localStorage.setItem(Do,e),Zi()}function $o(e){return Ji.add(e),()=>Ji.delete(e)}function Po(){
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change",Zi),Zi()}function Zi(){let e=Zs();e==="auto"?delete document.documentElement.
dataset.theme:document.documentElement.dataset.theme=e;for(let t of Ji)t()}function vs(e){return getComputedStyle(document.documentElement).
getPropertyValue(`--${e}`).trim()}var Xi={good:"\u2713",busy:"\u2026",warning:"!",bad:"\u2715"},pc={serving:"good",attaching:"busy",detaching:"busy",removing:"busy",waiting:"\
warning",stopped:"bad",failed:"bad",missing:"bad",used:"good",leaving:"busy"};function Ut(e){return pc[e]??"warning"}var hc={waiting:"It is \
served by itself as soon as it can be; put right what the reason names.",stopped:"It answers nothing but errors, so that no guest sees old d\
ata. See what it lost, and the log of the daemon.",failed:"It answers errors. Put right what the reason names, then restart Forebay."},Xs=["\
good","busy","warning","bad"];function ei(e){return Xs[Math.max(0,...e.map(t=>Xs.indexOf(t)))]??"good"}function xs(e){let t=[],n=(a,f,d=null)=>t.
push({tone:a,text:f,advice:d});if(Ut(e.state)!=="good"){let a=e.reason?`: ${e.reason}`:"";n(Ut(e.state),`Disk ${e.name} is ${e.state}${a}`,hc[e.
state]??null)}let s=e.lost_bytes??0;s>0&&n("bad",`Flash lost ${G(s)} of ${e.name} before its backing had it`,`forebay disk show ${e.name} --\
lost lists the ranges.`);let i=e.backing_state;if(i&&i.state!=="good"){let a=i.for_seconds===null?"":` for ${xn(i.for_seconds)}`;n("bad",`Th\
e backing of ${e.name} fails${a}${i.reason?`: ${i.reason}`:""}`,"Hits are answered; the rest waits for retry-time.")}e.quiet?.state==="faile\
d"&&n("warning",`${e.name} could not be made quiet: ${e.quiet.reason??"no reason is known"}`,null);let r=e.segments_uncopied??0;return e.mirrored===
!0&&r>0&&n("warning",`${zt(r)} segments of ${e.name} lack a second copy`,"They are being copied; until then one device has that data alone."),
e.dirty_limit_bytes&&We(e)>=e.dirty_limit_bytes*.9&&n("warning",`Destage of ${e.name} is behind: ${G(We(e))} of at most ${G(e.dirty_limit_bytes)}\
 is dirty`,"Writes are slowed down to what the backing takes."),t.sort((a,f)=>Xs.indexOf(f.tone)-Xs.indexOf(a.tone))}function Ro(e){let t=e.
warnings.map(n=>({tone:"warning",text:n,advice:null}));return Ut(e.state)!=="good"&&t.unshift({tone:"bad",text:`The pool is ${e.state}${e.reason?
`: ${e.reason}`:""}`,advice:"Disks go on from their backings; what is dirty waits for the pool."}),e.page_cache_reason&&t.push({tone:"warnin\
g",text:`The pool goes through the page cache, because ${e.page_cache_reason}`,advice:null}),t}var ti={read_hit_ram:"Read, RAM hit",read_hit_flash:"\
Read, flash hit",read_miss:"Read, miss",write:"Write",flush:"Flush",destage:"Destage"};function Fo(e){switch(e.quiet?.state){case"coming":return`\
Being made quiet: ${G(We(e))} left to bring home`;case"quiet":return`Quiet for another ${xn(e.quiet.seconds_left)}`;case"failed":return`Coul\
d not be made quiet: ${e.quiet.reason??"no reason is known"}`;default:return null}}function No(e){let{load:t}=e;if(!t)return"not known while\
 the disk is not served";if(t.state==="loading")return"being loaded; reads come from the backing meanwhile";if(t.state==="cold")return`nothi\
ng: ${t.reason??"no reason is known"}`;let n=`${G(t.kept_bytes)} came back`;return t.dropped_bytes>0?`${n}, ${G(t.dropped_bytes)} may have c\
hanged and is not believed`:n}var el=[{name:"mode",about:"What happens to reads and writes.",choices:["write-through","write-back","write-ar\
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
tal digits."}],mc={"write-through":"Writes go to the backing first, then to the cache; the backing is always complete.","write-back":"Writes\
 are acknowledged when flash has them, and the backing gets them later. Until then the newest data is on flash alone.","write-around":"Write\
s go to the backing only; what they replace in the cache is dropped.","pass-through":"Every request goes to the backing. Guests have no cach\
e until the mode is changed back."};function Co(e,t){return[...Object.entries(t).map(([s,i])=>gc(e,s,i)).flat(),"Guests stay connected and g\
o on meanwhile."]}function gc(e,t,n){let s=G(e.statistics.cached_bytes);switch(t){case"mode":return[mc[n]??`The mode becomes ${n}.`,...bc(e,
n)];case"block-size":return[`What is cached of the disk on flash (${s}) is dropped; it is read from the backing again.`];case"limit":return[
`Flash that the disk holds above the new limit is evicted; it holds ${G(e.statistics.flash_bytes)} now.`];case"unmarked":return n==="yes"?["\
Nothing keeps another Forebay from serving this backing while flash has newer data. See to that yourself."]:[];case"redundancy":return[n==="\
none"?"Dirty data is kept on one device only: if it fails, that data is lost.":"Dirty data is kept on two devices, if the pool has them."];case"\
socket-owner":case"socket-group":case"socket-mode":return["Who may connect to the disk changes at once."];default:return[]}}function bc(e,t){
return e.mode!=="write-back"||t==="write-back"||We(e)===0?[]:[`${G(We(e))} is dirty; it is written to the backing while guests go on.`]}function Zn(e,t){
let n=We(t),s=n>0?`${G(n)} is dirty: flash has it and the backing does not.`:"Nothing is dirty: the backing has everything.";switch(e){case"\
destage":return[s,"Dirty data is written to the backing at full speed. Guests go on and may notice a busier backing."];case"normal":return[s,
"Destage goes on at the pace that suits guests."];case"quiesce":return[s,"It is brought home first. After that, writes wait for the backing,\
 so that a backup or snapshot of the backing is complete.","This ends by itself after the time below, or when it is resumed."];case"resume":
return["Writes may lie on flash alone again, as the mode says."];case"evict":return[`${G(t.statistics.cached_bytes)} cached on flash and ${G(
t.statistics.ram_bytes)} in RAM are dropped, and no restart brings them back.`,n>0?`${G(n)} is dirty and is brought home first.`:"Nothing is\
 dirty; nothing is lost.","Guests go on from the backing, slower, until the cache is warm again."]}}var yc=60,wc=600,vc=300;function Ho(e,t){let n=xc.map(i=>{let r=()=>{let a=e();a&&Gs(Tc(i.work(a),t))};return[i,h("button",{type:"button","d\
ata-action":i.name,onclick:r},i.label)]}),s=h("p",{class:"hint","data-figure":"quiet"});return{element:h("section",{class:"card","aria-label":"\
Actions"},h("h2",{},"Actions"),h("div",{class:"buttons buttons-start"},...n.map(([,i])=>i)),s),update(){let i=e();for(let[a,f]of n)f.disabled=
i===null||!a.isPossible(i);let r=i&&!ks(i)?`Nothing can be done while the disk is ${i.state}.`:i?Fo(i):null;se(s,r??""),Se(s,r!==null)}}}var ks=e=>e.
state==="serving",Oo=e=>e.quiet?.state==="coming"||e.quiet?.state==="quiet",xc=[{name:"destage",label:"Destage now\u2026",isPossible:ks,work:e=>({
title:`Destage ${e.name} at full speed?`,sentences:Zn("destage",e),confirm:"Destage now",run:async()=>(await Et("POST",`${gt(e.name)}/destag\
e`),`What is dirty of ${e.name} is on its way to the backing`)})},{name:"normal",label:"Destage at normal pace\u2026",isPossible:ks,work:e=>({
title:`Let ${e.name} destage at its own pace?`,sentences:Zn("normal",e),confirm:"Normal pace",run:async()=>(await Et("DELETE",`${gt(e.name)}\
/destage`),`${e.name} is destaged as it suits guests`)})},{name:"quiesce",label:"Quiesce\u2026",isPossible:e=>ks(e)&&!Oo(e),work:kc},{name:"\
resume",label:"Resume\u2026",isPossible:Oo,work:e=>({title:`Let ${e.name} go on as before?`,sentences:Zn("resume",e),confirm:"Resume",run:async()=>(await Et(
"POST",`${gt(e.name)}/resume`),`${e.name} goes on as before`)})},{name:"evict",label:"Evict\u2026",isPossible:ks,work:e=>({title:`Drop what \
is cached of ${e.name}?`,sentences:Zn("evict",e),confirm:"Evict",run:(t,n)=>_c(e.name,t,n)})}];function kc(e){let t=Ht(),n=h("input",{id:t,type:"\
number",min:1,max:86400,value:wc,required:!0});return{title:`Hold ${e.name} without dirty data?`,sentences:Zn("quiesce",e),confirm:"Quiesce",
fields:h("div",{class:"field"},h("label",{for:t},"For so many seconds"),n),run:async()=>{let s=Number(n.value);return await Et("POST",`${gt(
e.name)}/quiesce`,{seconds:s}),`${e.name} is being made quiet, then held so for ${xn(s)}`}}}async function _c(e,t,n){let s=gt(e),i=await Gt(
s,"disk");if(We(i)>0){await Et("POST",`${s}/quiesce`,{seconds:yc});try{await Sc(e,t,n),await Et("POST",`${s}/evict`)}finally{await Et("POST",
`${s}/resume`)}}else await Et("POST",`${s}/evict`);return`Nothing is cached of ${e} any more, and no restart brings it back`}async function Sc(e,t,n){
for(;;){if(n.aborted)throw new Error("Stopped; the disk is served as before");let s=await Gt(gt(e),"disk"),i=s.quiet?.state;if(i==="quiet")return;
if(i!=="coming")throw new Error(`Cannot bring home what is dirty: ${s.quiet?.reason??s.reason??"somebody resumed it"}. Nothing was dropped.`);
t(`${G(We(s))} left to bring home\u2026`),await new Promise(r=>window.setTimeout(r,vc))}}function Tc(e,t){return{...e,run:(n,s)=>e.run(n,s).
finally(t)}}var Ec="uplot",Mc="u-hz",Ac="u-vt",Dc="u-title",Lc="u-wrap",$c="u-under",Pc="u-over",Rc="u-axis",Tn="u-off",Fc="u-select",Nc="u-cursor-x",Cc="\
u-cursor-y",Oc="u-cursor-pt",Hc="u-legend",zc="u-live",Ic="u-inline",Vc="u-series",Wc="u-marker",zo="u-label",Bc="u-value",Ss="width",Ts="he\
ight";var Io="bottom",Xn="left",tl="right",yl="#000",Vo=yl+"0",nl="mousemove",Wo="mousedown",sl="mouseup",Bo="mouseenter",qo="mouseleave",Go="dblc\
lick",qc="resize",Gc="scroll",Ko="change",oi="dppxchange",wl="--",os=typeof window<"u",al=os?document:null,ts=os?window:null,Kc=os?navigator:
null,ae,ni;function cl(){let e=devicePixelRatio;ae!=e&&(ae=e,ni&&fl(Ko,ni,cl),ni=matchMedia(`(min-resolution: ${ae-.001}dppx) and (max-resol\
ution: ${ae+.001}dppx)`),En(Ko,ni,cl),ts.dispatchEvent(new CustomEvent(oi)))}function ot(e,t){if(t!=null){let n=e.classList;!n.contains(t)&&
n.add(t)}}function ul(e,t){let n=e.classList;n.contains(t)&&n.remove(t)}function we(e,t,n){e.style[t]=n+"px"}function Mt(e,t,n,s){let i=al.createElement(
e);return t!=null&&ot(i,t),n?.insertBefore(i,s),i}function yt(e,t){return Mt("div",e,t)}var jo=new WeakMap;function It(e,t,n,s,i){let r="tra\
nslate("+t+"px,"+n+"px)",a=jo.get(e);r!=a&&(e.style.transform=r,jo.set(e,r),t<0||n<0||t>s||n>i?ot(e,Tn):ul(e,Tn))}var Uo=new WeakMap;function Yo(e,t,n){
let s=t+n,i=Uo.get(e);s!=i&&(Uo.set(e,s),e.style.background=t,e.style.borderColor=n)}var Qo=new WeakMap;function Jo(e,t,n,s){let i=t+""+n,r=Qo.
get(e);i!=r&&(Qo.set(e,i),e.style.height=n+"px",e.style.width=t+"px",e.style.marginLeft=s?-t/2+"px":0,e.style.marginTop=s?-n/2+"px":0)}var vl={
passive:!0},jc={...vl,capture:!0};function En(e,t,n,s){t.addEventListener(e,n,s?jc:vl)}function fl(e,t,n,s){t.removeEventListener(e,n,vl)}os&&
cl();function At(e,t,n,s){let i;n=n||0,s=s||t.length-1;let r=s<=2147483647;for(;s-n>1;)i=r?n+s>>1:rt((n+s)/2),t[i]<e?n=i:s=i;return e-t[n]<=
t[s]-e?n:s}function Tr(e){return(n,s,i)=>{let r=-1,a=-1;for(let f=s;f<=i;f++)if(e(n[f])){r=f;break}for(let f=i;f>=s;f--)if(e(n[f])){a=f;break}
return[r,a]}}var Er=e=>e!=null,Mr=e=>e!=null&&e>0,ci=Tr(Er),Uc=Tr(Mr);function Yc(e,t,n,s=0,i=!1){let r=i?Uc:ci,a=i?Mr:Er;[t,n]=r(e,t,n);let f=e[t],
d=e[t];if(t>-1)if(s==1)f=e[t],d=e[n];else if(s==-1)f=e[n],d=e[t];else for(let p=t;p<=n;p++){let b=e[p];a(b)&&(b<f?f=b:b>d&&(d=b))}return[f??
pe,d??-pe]}function ui(e,t,n,s){let i=er(e),r=er(t);e==t&&(i==-1?(e*=n,t/=n):(e/=n,t*=n));let a=n==10?Yt:Ar,f=i==1?rt:wt,d=r==1?wt:rt,p=f(a(
Pe(e))),b=d(a(Pe(t))),g=ns(n,p),w=ns(n,b);return n==10&&(p<0&&(g=he(g,-p)),b<0&&(w=he(w,-b))),s||n==2?(e=g*i,t=w*r):(e=Pr(e,g),t=fi(t,w)),[e,
t]}function xl(e,t,n,s){let i=ui(e,t,n,s);return e==0&&(i[0]=0),t==0&&(i[1]=0),i}var kl=.1,Zo={mode:3,pad:kl},Ms={pad:0,soft:null,mode:0},Qc={
min:Ms,max:Ms};function ri(e,t,n,s){return di(n)?Xo(e,t,n):(Ms.pad=n,Ms.soft=s?0:null,Ms.mode=s?3:0,Xo(e,t,Qc))}function oe(e,t){return e??t}
function Jc(e,t,n){for(t=oe(t,0),n=oe(n,e.length-1);t<=n;){if(e[t]!=null)return!0;t++}return!1}function Xo(e,t,n){let s=n.min,i=n.max,r=oe(s.
pad,0),a=oe(i.pad,0),f=oe(s.hard,-pe),d=oe(i.hard,pe),p=oe(s.soft,pe),b=oe(i.soft,-pe),g=oe(s.mode,0),w=oe(i.mode,0),S=t-e,M=Yt(S),F=Qe(Pe(e),
Pe(t)),V=Yt(F),P=Pe(V-M);(S<1e-24||P>10)&&(S=0,(e==0||t==0)&&(S=1e-24,g==2&&p!=pe&&(r=0),w==2&&b!=-pe&&(a=0)));let x=S||F||1e3,H=Yt(x),T=ns(
10,rt(H)),Q=x*(S==0?e==0?.1:1:r),R=he(Pr(e-Q,T/10),24),J=e>=p&&(g==1||g==3&&R<=p||g==2&&R>=p)?p:pe,j=Qe(f,R<J&&e>=J?J:Dt(J,R)),ee=x*(S==0?t==
0?.1:1:a),K=he(fi(t+ee,T/10),24),E=t<=b&&(w==1||w==3&&K>=b||w==2&&K<=b)?b:-pe,Y=Dt(d,K>E&&t<=E?E:Qe(E,K));return j==Y&&j==0&&(Y=100),[j,Y]}var Zc=new Intl.
NumberFormat(os?Kc.language:"en-US"),_l=e=>Zc.format(e),at=Math,li=at.PI,Pe=at.abs,rt=at.floor,$e=at.round,wt=at.ceil,Dt=at.min,Qe=at.max,ns=at.
pow,er=at.sign,Yt=at.log10,Ar=at.log2,Xc=(e,t=1)=>at.sinh(e)*t,il=(e,t=1)=>at.asinh(e/t),pe=1/0;function tr(e){return(Yt((e^e>>31)-(e>>31))|
0)+1}function dl(e,t,n){return Dt(Qe(e,t),n)}function Dr(e){return typeof e=="function"}function te(e){return Dr(e)?e:()=>e}var eu=()=>{},Lr=e=>e,
$r=(e,t)=>t,tu=e=>null,nr=e=>!0,sr=(e,t)=>e==t,nu=/\.\d*?(?=9{6,}|0{6,})/gm,Mn=e=>{if(Fr(e)||on.has(e))return e;let t=`${e}`,n=t.match(nu);if(n==
null)return e;let s=n[0].length-1;if(t.indexOf("e-")!=-1){let[i,r]=t.split("e");return+`${Mn(i)}e${r}`}return he(e,s)};function _n(e,t){return Mn(
he(Mn(e/t))*t)}function fi(e,t){return Mn(wt(Mn(e/t))*t)}function Pr(e,t){return Mn(rt(Mn(e/t))*t)}function he(e,t=0){if(Fr(e))return e;let n=10**
t,s=e*n*(1+Number.EPSILON);return $e(s)/n}var on=new Map;function Rr(e){return((""+e).split(".")[1]||"").length}function Ds(e,t,n,s){let i=[],
r=s.map(Rr);for(let a=t;a<n;a++){let f=Pe(a),d=he(ns(e,a),f);for(let p=0;p<s.length;p++){let b=e==10?+`${s[p]}e${a}`:s[p]*d,g=(a>=0?0:f)+(a>=
r[p]?0:r[p]),w=e==10?b:he(b,g);i.push(w),on.set(w,g)}}return i}var As={},Sl=[],ss=[null,null],ln=Array.isArray,Fr=Number.isInteger,su=e=>e===
void 0;function ir(e){return typeof e=="string"}function di(e){let t=!1;if(e!=null){let n=e.constructor;t=n==null||n==Object}return t}function iu(e){
return e!=null&&typeof e=="object"}var lu=Object.getPrototypeOf(Uint8Array),Nr="__proto__";function is(e,t=di){let n;if(ln(e)){let s=e.find(
i=>i!=null);if(ln(s)||t(s)){n=Array(e.length);for(let i=0;i<e.length;i++)n[i]=is(e[i],t)}else n=e.slice()}else if(e instanceof lu)n=e.slice();else if(t(
e)){n={};for(let s in e)s!=Nr&&(n[s]=is(e[s],t))}else n=e;return n}function Ae(e){let t=arguments;for(let n=1;n<t.length;n++){let s=t[n];for(let i in s)
i!=Nr&&(di(e[i])?Ae(e[i],is(s[i])):e[i]=is(s[i]))}return e}var ou=0,ru=1,au=2;function cu(e,t,n){for(let s=0,i,r=-1;s<t.length;s++){let a=t[s];
if(a>r){for(i=a-1;i>=0&&e[i]==null;)e[i--]=null;for(i=a+1;i<n&&e[i]==null;)e[r=i++]=null}}}function uu(e,t){if(pu(e)){let a=e[0].slice();for(let f=1;f<
e.length;f++)a.push(...e[f].slice(1));return hu(a[0])||(a=du(a)),a}let n=new Set;for(let a=0;a<e.length;a++){let d=e[a][0],p=d.length;for(let b=0;b<
p;b++)n.add(d[b])}let s=[Array.from(n).sort((a,f)=>a-f)],i=s[0].length,r=new Map;for(let a=0;a<i;a++)r.set(s[0][a],a);for(let a=0;a<e.length;a++){
let f=e[a],d=f[0];for(let p=1;p<f.length;p++){let b=f[p],g=Array(i).fill(void 0),w=t?t[a][p]:ru,S=[];for(let M=0;M<b.length;M++){let F=b[M],
V=r.get(d[M]);F===null?w!=ou&&(g[V]=F,w==au&&S.push(V)):g[V]=F}cu(g,S,i),s.push(g)}}return s}var fu=typeof queueMicrotask>"u"?e=>Promise.resolve().
then(e):queueMicrotask;function du(e){let t=e[0],n=t.length,s=Array(n);for(let r=0;r<s.length;r++)s[r]=r;s.sort((r,a)=>t[r]-t[a]);let i=[];for(let r=0;r<
e.length;r++){let a=e[r],f=Array(n);for(let d=0;d<n;d++)f[d]=a[s[d]];i.push(f)}return i}function pu(e){let t=e[0][0],n=t.length;for(let s=1;s<
e.length;s++){let i=e[s][0];if(i.length!=n)return!1;if(i!=t){for(let r=0;r<n;r++)if(i[r]!=t[r])return!1}}return!0}function hu(e,t=100){let n=e.
length;if(n<=1)return!0;let s=0,i=n-1;for(;s<=i&&e[s]==null;)s++;for(;i>=s&&e[i]==null;)i--;if(i<=s)return!0;let r=Qe(1,rt((i-s+1)/t));for(let a=e[s],
f=s+r;f<=i;f+=r){let d=e[f];if(d!=null){if(d<=a)return!1;a=d}}return!0}var Cr=["January","February","March","April","May","June","July","Aug\
ust","September","October","November","December"],Or=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function Hr(e){
return e.slice(0,3)}var mu=Or.map(Hr),gu=Cr.map(Hr),bu={MMMM:Cr,MMM:gu,WWWW:Or,WWW:mu};function _s(e){return(e<10?"0":"")+e}function yu(e){return(e<
10?"00":e<100?"0":"")+e}var wu={YYYY:e=>e.getFullYear(),YY:e=>(e.getFullYear()+"").slice(2),MMMM:(e,t)=>t.MMMM[e.getMonth()],MMM:(e,t)=>t.MMM[e.
getMonth()],MM:e=>_s(e.getMonth()+1),M:e=>e.getMonth()+1,DD:e=>_s(e.getDate()),D:e=>e.getDate(),WWWW:(e,t)=>t.WWWW[e.getDay()],WWW:(e,t)=>t.
WWW[e.getDay()],HH:e=>_s(e.getHours()),H:e=>e.getHours(),h:e=>{let t=e.getHours();return t==0?12:t>12?t-12:t},AA:e=>e.getHours()>=12?"PM":"A\
M",aa:e=>e.getHours()>=12?"pm":"am",a:e=>e.getHours()>=12?"p":"a",mm:e=>_s(e.getMinutes()),m:e=>e.getMinutes(),ss:e=>_s(e.getSeconds()),s:e=>e.
getSeconds(),fff:e=>yu(e.getMilliseconds())};function Tl(e,t){t=t||bu;let n=[],s=/\{([a-z]+)\}|[^{]+/gi,i;for(;i=s.exec(e);)n.push(i[0][0]==
"{"?wu[i[1]]:i[0]);return r=>{let a="";for(let f=0;f<n.length;f++)a+=typeof n[f]=="string"?n[f]:n[f](r,t);return a}}var vu=new Intl.DateTimeFormat().
resolvedOptions().timeZone;function xu(e,t){let n;return t=="UTC"||t=="Etc/UTC"?n=new Date(+e+e.getTimezoneOffset()*6e4):t==vu?n=e:(n=new Date(
e.toLocaleString("en-US",{timeZone:t})),n.setMilliseconds(e.getMilliseconds())),n}var zr=e=>e%1==0,ai=[1,2,2.5,5],ku=Ds(10,-32,0,ai),Ir=Ds(10,
0,32,ai),_u=Ir.filter(zr),Sn=ku.concat(Ir),El=`
`,Vr="{YYYY}",lr=El+Vr,Wr="{M}/{D}",Es=El+Wr,si=Es+"/{YY}",Br="{aa}",Su="{h}:{mm}",es=Su+Br,or=El+es,rr=":{ss}",ue=null;function qr(e){let t=e*
1e3,n=t*60,s=n*60,i=s*24,r=i*30,a=i*365,d=(e==1?Ds(10,0,3,ai).filter(zr):Ds(10,-3,0,ai)).concat([t,t*5,t*10,t*15,t*30,n,n*5,n*10,n*15,n*30,s,
s*2,s*3,s*4,s*6,s*8,s*12,i,i*2,i*3,i*4,i*5,i*6,i*7,i*8,i*9,i*10,i*15,r,r*2,r*3,r*4,r*6,a,a*2,a*5,a*10,a*25,a*50,a*100]),p=[[a,Vr,ue,ue,ue,ue,
ue,ue,1],[i*28,"{MMM}",lr,ue,ue,ue,ue,ue,1],[i,Wr,lr,ue,ue,ue,ue,ue,1],[s,"{h}"+Br,si,ue,Es,ue,ue,ue,1],[n,es,si,ue,Es,ue,ue,ue,1],[t,rr,si+
" "+es,ue,Es+" "+es,ue,or,ue,1],[e,rr+".{fff}",si+" "+es,ue,Es+" "+es,ue,or,ue,1]];function b(g){return(w,S,M,F,V,P)=>{let x=[],H=V>=a,T=V>=
r&&V<a,Q=g(M),R=he(Q*e,3),J=ll(Q.getFullYear(),H?0:Q.getMonth(),T||H?1:Q.getDate()),j=he(J*e,3);if(T||H){let ee=T?V/r:0,K=H?V/a:0,E=R==j?R:he(
ll(J.getFullYear()+K,J.getMonth()+ee,1)*e,3),Y=new Date($e(E/e)),N=Y.getFullYear(),B=Y.getMonth();for(let I=0;E<=F;I++){let ne=ll(N+K*I,B+ee*
I,1),z=ne-g(he(ne*e,3));E=he((+ne+z)*e,3),E<=F&&x.push(E)}}else{let ee=V>=i?i:V,K=rt(M)-rt(R),E=j+K+fi(R-j,ee);x.push(E);let Y=g(E),N=Y.getHours()+
Y.getMinutes()/n+Y.getSeconds()/s,B=V/s,I=w.axes[S]._space,ne=P/I;for(;E=he(E+V,e==1?0:3),!(E>F);)if(B>1){let z=rt(he(N+B,6))%24,ie=g(E).getHours()-
z;ie>1&&(ie=-1),E-=ie*s,N=(N+B)%24;let fe=x[x.length-1];he((E-fe)/V,3)*ne>=.7&&x.push(E)}else x.push(E)}return x}}return[d,p,b]}var[Tu,Eu,Mu]=qr(
1),[Au,Du,Lu]=qr(.001);Ds(2,-53,53,[1]);function ar(e,t){return e.map(n=>n.map((s,i)=>i==0||i==8||s==null?s:t(i==1||n[8]==0?s:n[1]+s)))}function cr(e,t){
return(n,s,i,r,a)=>{let f=t.find(M=>a>=M[0])||t[t.length-1],d,p,b,g,w,S;return s.map(M=>{let F=e(M),V=F.getFullYear(),P=F.getMonth(),x=F.getDate(),
H=F.getHours(),T=F.getMinutes(),Q=F.getSeconds(),R=V!=d&&f[2]||P!=p&&f[3]||x!=b&&f[4]||H!=g&&f[5]||T!=w&&f[6]||Q!=S&&f[7]||f[1];return d=V,p=
P,b=x,g=H,w=T,S=Q,R(F)})}}function $u(e,t){let n=Tl(t);return(s,i,r,a,f)=>i.map(d=>n(e(d)))}function ll(e,t,n){return new Date(e,t,n)}function ur(e,t){
return t(e)}var Pu="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function fr(e,t){return(n,s,i,r)=>r==null?wl:t(e(s))}function Ru(e,t){let n=e.series[t];return n.
width?n.stroke(e,t):n.points.width?n.points.stroke(e,t):null}function Fu(e,t){return e.series[t].fill(e,t)}var Nu={show:!0,live:!0,isolate:!1,
mount:eu,markers:{show:!0,width:2,stroke:Ru,fill:Fu,dash:"solid"},idx:null,idxs:null,values:[]};function Cu(e,t){let n=e.cursor.points,s=yt(),
i=n.size(e,t);we(s,Ss,i),we(s,Ts,i);let r=i/-2;we(s,"marginLeft",r),we(s,"marginTop",r);let a=n.width(e,t,i);return a&&we(s,"borderWidth",a),
s}function Ou(e,t){let n=e.series[t].points;return n._fill||n._stroke}function Hu(e,t){let n=e.series[t].points;return n._stroke||n._fill}function zu(e,t){
return e.series[t].points.size}var ol=[0,0];function Iu(e,t,n){return ol[0]=t,ol[1]=n,ol}function ii(e,t,n,s=!0){return i=>{i.button==0&&(!s||
i.target==t)&&n(i)}}function rl(e,t,n,s=!0){return i=>{(!s||i.target==t)&&n(i)}}var Vu={show:!0,x:!0,y:!0,lock:!1,move:Iu,points:{one:!1,show:Cu,
size:zu,width:0,stroke:Hu,fill:Ou},bind:{mousedown:ii,mouseup:ii,click:ii,dblclick:ii,mousemove:rl,mouseleave:rl,mouseenter:rl},drag:{setScale:!0,
x:!0,y:!1,dist:0,uni:null,click:(e,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(e,t,n,s,i)=>s-i,prox:-1,
bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},Gr={show:!0,stroke:"rgba(0,0,0,0\
.07)",width:2},Ml=Ae({},Gr,{filter:$r}),Kr=Ae({},Ml,{size:10}),jr=Ae({},Gr,{show:!1}),Al='12px system-ui, -apple-system, "Segoe UI", Roboto,\
 "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',Ur="bold "+
Al,Yr=1.5,dr={show:!0,scale:"x",stroke:yl,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Ur,side:2,grid:Ml,ticks:Kr,border:jr,
font:Al,lineGap:Yr,rotate:0},Wu="Value",Bu="Time",pr={show:!0,scale:"x",auto:!1,sorted:1,min:pe,max:-pe,idxs:[]};function qu(e,t,n,s,i){return t.
map(r=>r==null?"":_l(r))}function Gu(e,t,n,s,i,r,a){let f=[],d=on.get(i)||0;n=a?n:he(fi(n,i),d);for(let p=n;p<=s;p=he(p+i,d))f.push(Object.is(
p,-0)?0:p);return f}function pl(e,t,n,s,i,r,a){let f=[],d=e.scales[e.axes[t].scale].log,p=d==10?Yt:Ar,b=rt(p(n));i=ns(d,b),d==10&&(i=Sn[At(i,
Sn)]);let g=n,w=i*d;d==10&&(w=Sn[At(w,Sn)]);do f.push(g),g=g+i,d==10&&!on.has(g)&&(g=he(g,on.get(i))),g>=w&&(i=g,w=i*d,d==10&&(w=Sn[At(w,Sn)]));while(g<=
s);return f}function Ku(e,t,n,s,i,r,a){let d=e.scales[e.axes[t].scale].asinh,p=s>d?pl(e,t,Qe(d,n),s,i):[d],b=s>=0&&n<=0?[0]:[];return(n<-d?pl(
e,t,Qe(d,-s),-n,i):[d]).reverse().map(w=>-w).concat(b,p)}var Qr=/./,ju=/[12357]/,Uu=/[125]/,hr=/1/,hl=(e,t,n,s)=>e.map((i,r)=>t==4&&i==0||r%
s==0&&n.test(i.toExponential()[i<0?1:0])?i:null);function Yu(e,t,n,s,i){let r=e.axes[n],a=r.scale,f=e.scales[a],d=e.valToPos,p=r._space,b=d(
10,a),g=d(9,a)-b>=p?Qr:d(7,a)-b>=p?ju:d(5,a)-b>=p?Uu:hr;if(g==hr){let w=Pe(d(1,a)-b);if(w<p)return hl(t.slice().reverse(),f.distr,g,wt(p/w)).
reverse()}return hl(t,f.distr,g,1)}function Qu(e,t,n,s,i){let r=e.axes[n],a=r.scale,f=r._space,d=e.valToPos,p=Pe(d(1,a)-d(2,a));return p<f?hl(
t.slice().reverse(),3,Qr,wt(f/p)).reverse():t}function Ju(e,t,n,s){return s==null?wl:t==null?"":_l(t)}var mr={show:!0,scale:"y",stroke:yl,space:30,
gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Ur,side:3,grid:Ml,ticks:Kr,border:jr,font:Al,lineGap:Yr,rotate:0};function Zu(e,t){
let n=3+(e||1)*2;return he(n*t,3)}function Xu(e,t){let{scale:n,idxs:s}=e.series[0],i=e._data[0],r=e.valToPos(i[s[0]],n,!0),a=e.valToPos(i[s[1]],
n,!0),f=Pe(a-r),d=e.series[t],p=f/(d.points.space*ae);return s[1]-s[0]<=p}var gr={scale:null,auto:!0,sorted:0,min:pe,max:-pe},Jr=(e,t,n,s,i)=>i,
br={show:!0,auto:!0,sorted:0,gaps:Jr,alpha:1,facets:[Ae({},gr,{scale:"x"}),Ae({},gr,{scale:"y"})]},yr={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,
gaps:Jr,alpha:1,points:{show:Xu,filter:null},values:null,min:pe,max:-pe,idxs:[],path:null,clip:null};function ef(e,t,n,s,i){return n/10}var Zr={
time:!0,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},tf=Ae({},Zr,{time:!1,ori:1}),wr={};function Xr(e,t){let n=wr[e];return n||
(n={key:e,plots:[],sub(s){n.plots.push(s)},unsub(s){n.plots=n.plots.filter(i=>i!=s)},pub(s,i,r,a,f,d,p){for(let b=0;b<n.plots.length;b++)n.plots[b]!=
i&&n.plots[b].pub(s,i,r,a,f,d,p)}},e!=null&&(wr[e]=n)),n}var ls=1,ml=2;function An(e,t,n){let s=e.mode,i=e.series[t],r=s==2?e._data[t]:e._data,
a=e.scales,f=e.bbox,d=r[0],p=s==2?r[1]:r[t],b=s==2?a[i.facets[0].scale]:a[e.series[0].scale],g=s==2?a[i.facets[1].scale]:a[i.scale],w=f.left,
S=f.top,M=f.width,F=f.height,V=e.valToPosH,P=e.valToPosV;return b.ori==0?n(i,d,p,b,g,V,P,w,S,M,F,hi,rs,gi,ta,sa):n(i,d,p,b,g,P,V,S,w,F,M,mi,
as,$l,na,ia)}function Dl(e,t){let n=0,s=0,i=oe(e.bands,Sl);for(let r=0;r<i.length;r++){let a=i[r];a.series[0]==t?n=a.dir:a.series[1]==t&&(a.
dir==1?s|=1:s|=2)}return[n,s==1?-1:s==2?1:s==3?2:0]}function nf(e,t,n,s,i){let r=e.mode,a=e.series[t],f=r==2?a.facets[1].scale:a.scale,d=e.scales[f];
return i==-1?d.min:i==1?d.max:d.distr==3?d.dir==1?d.min:d.max:0}function Qt(e,t,n,s,i,r){return An(e,t,(a,f,d,p,b,g,w,S,M,F,V)=>{let P=a.pxRound,
x=p.dir*(p.ori==0?1:-1),H=p.ori==0?rs:as,T,Q;x==1?(T=n,Q=s):(T=s,Q=n);let R=P(g(f[T],p,F,S)),J=P(w(d[T],b,V,M)),j=P(g(f[Q],p,F,S)),ee=P(w(r==
1?b.max:b.min,b,V,M)),K=new Path2D(i);return H(K,j,ee),H(K,R,ee),H(K,R,J),K})}function pi(e,t,n,s,i,r){let a=null;if(e.length>0){a=new Path2D;
let f=t==0?gi:$l,d=n;for(let g=0;g<e.length;g++){let w=e[g];if(w[1]>w[0]){let S=w[0]-d;S>0&&f(a,d,s,S,s+r),d=w[1]}}let p=n+i-d,b=10;p>0&&f(a,
d,s-b/2,p,s+r+b)}return a}function sf(e,t,n){let s=e[e.length-1];s&&s[0]==t?s[1]=n:e.push([t,n])}function Ll(e,t,n,s,i,r,a){let f=[],d=e.length;
for(let p=i==1?n:s;p>=n&&p<=s;p+=i)if(t[p]===null){let g=p,w=p;if(i==1)for(;++p<=s&&t[p]===null;)w=p;else for(;--p>=n&&t[p]===null;)w=p;let S=r(
e[g]),M=w==g?S:r(e[w]),F=g-i;S=a<=0&&F>=0&&F<d?r(e[F]):S;let P=w+i;M=a>=0&&P>=0&&P<d?r(e[P]):M,M>=S&&f.push([S,M])}return f}function vr(e){return e==
0?Lr:e==1?$e:t=>_n(t,e)}function ea(e){let t=e==0?hi:mi,n=e==0?(i,r,a,f,d,p)=>{i.arcTo(r,a,f,d,p)}:(i,r,a,f,d,p)=>{i.arcTo(a,r,d,f,p)},s=e==
0?(i,r,a,f,d)=>{i.rect(r,a,f,d)}:(i,r,a,f,d)=>{i.rect(a,r,d,f)};return(i,r,a,f,d,p=0,b=0)=>{p==0&&b==0?s(i,r,a,f,d):(p=Dt(p,f/2,d/2),b=Dt(b,
f/2,d/2),t(i,r+p,a),n(i,r+f,a,r+f,a+d,p),n(i,r+f,a+d,r,a+d,b),n(i,r,a+d,r,a,b),n(i,r,a,r+f,a,p),i.closePath())}}var hi=(e,t,n)=>{e.moveTo(t,
n)},mi=(e,t,n)=>{e.moveTo(n,t)},rs=(e,t,n)=>{e.lineTo(t,n)},as=(e,t,n)=>{e.lineTo(n,t)},gi=ea(0),$l=ea(1),ta=(e,t,n,s,i,r)=>{e.arc(t,n,s,i,r)},
na=(e,t,n,s,i,r)=>{e.arc(n,t,s,i,r)},sa=(e,t,n,s,i,r,a)=>{e.bezierCurveTo(t,n,s,i,r,a)},ia=(e,t,n,s,i,r,a)=>{e.bezierCurveTo(n,t,i,s,a,r)};function la(e){
return(t,n,s,i,r)=>An(t,n,(a,f,d,p,b,g,w,S,M,F,V)=>{let{pxRound:P,points:x}=a,H,T;p.ori==0?(H=hi,T=ta):(H=mi,T=na);let Q=he(x.width*ae,3),R=(x.
size-x.width)/2*ae,J=he(R*2,3),j=new Path2D,ee=new Path2D,{left:K,top:E,width:Y,height:N}=t.bbox;gi(ee,K-J,E-J,Y+J*2,N+J*2);let B=I=>{if(d[I]!=
null){let ne=P(g(f[I],p,F,S)),z=P(w(d[I],b,V,M));H(j,ne+R,z),T(j,ne,z,R,0,li*2)}};if(r)r.forEach(B);else for(let I=s;I<=i;I++)B(I);return{stroke:Q>
0?j:null,fill:j,clip:ee,flags:ls|ml}})}function oa(e){return(t,n,s,i,r,a)=>{s!=i&&(r!=s&&a!=s&&e(t,n,s),r!=i&&a!=i&&e(t,n,i),e(t,n,a))}}var lf=oa(
rs),of=oa(as);function ra(e){let t=oe(e?.alignGaps,0);return(n,s,i,r)=>An(n,s,(a,f,d,p,b,g,w,S,M,F,V)=>{[i,r]=ci(d,i,r);let P=a.pxRound,x=N=>P(
g(N,p,F,S)),H=N=>P(w(N,b,V,M)),T,Q;p.ori==0?(T=rs,Q=lf):(T=as,Q=of);let R=p.dir*(p.ori==0?1:-1),J={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:ls},j=J.stroke,ee=!1;if(r-i>=F*4){let N=C=>n.posToVal(C,p.key,!0),B=null,I=null,ne,z,Je,ve=x(f[R==1?i:r]),ie=x(f[i]),fe=x(f[r]),
Z=N(R==1?ie+1:fe-1);for(let C=R==1?i:r;C>=i&&C<=r;C+=R){let De=f[C],xe=(R==1?De<Z:De>Z)?ve:x(De),ce=d[C];xe==ve?ce!=null?(z=ce,B==null?(T(j,
xe,H(z)),ne=B=I=z):z<B?B=z:z>I&&(I=z)):ce===null&&(ee=!0):(B!=null&&Q(j,ve,H(B),H(I),H(ne),H(z)),ce!=null?(z=ce,T(j,xe,H(z)),B=I=ne=z):(B=I=
null,ce===null&&(ee=!0)),ve=xe,Z=N(ve+R))}B!=null&&B!=I&&Je!=ve&&Q(j,ve,H(B),H(I),H(ne),H(z))}else for(let N=R==1?i:r;N>=i&&N<=r;N+=R){let B=d[N];
B===null?ee=!0:B!=null&&T(j,x(f[N]),H(B))}let[E,Y]=Dl(n,s);if(a.fill!=null||E!=0){let N=J.fill=new Path2D(j),B=a.fillTo(n,s,a.min,a.max,E),I=H(
B),ne=x(f[i]),z=x(f[r]);R==-1&&([z,ne]=[ne,z]),T(N,z,I),T(N,ne,I)}if(!a.spanGaps){let N=[];ee&&N.push(...Ll(f,d,i,r,R,x,t)),J.gaps=N=a.gaps(
n,s,i,r,N),J.clip=pi(N,p.ori,S,M,F,V)}return Y!=0&&(J.band=Y==2?[Qt(n,s,i,r,j,-1),Qt(n,s,i,r,j,1)]:Qt(n,s,i,r,j,Y)),J})}function rf(e){let t=oe(
e.align,1),n=oe(e.ascDesc,!1),s=oe(e.alignGaps,0),i=oe(e.extend,!1);return(r,a,f,d)=>An(r,a,(p,b,g,w,S,M,F,V,P,x,H)=>{[f,d]=ci(g,f,d);let T=p.
pxRound,{left:Q,width:R}=r.bbox,J=ie=>T(M(ie,w,x,V)),j=ie=>T(F(ie,S,H,P)),ee=w.ori==0?rs:as,K={stroke:new Path2D,fill:null,clip:null,band:null,
gaps:null,flags:ls},E=K.stroke,Y=w.dir*(w.ori==0?1:-1),N=j(g[Y==1?f:d]),B=J(b[Y==1?f:d]),I=B,ne=B;i&&t==-1&&(ne=Q,ee(E,ne,N)),ee(E,B,N);for(let ie=Y==
1?f:d;ie>=f&&ie<=d;ie+=Y){let fe=g[ie];if(fe==null)continue;let Z=J(b[ie]),C=j(fe);t==1?ee(E,Z,N):ee(E,I,C),ee(E,Z,C),N=C,I=Z}let z=I;i&&t==
1&&(z=Q+R,ee(E,z,N));let[Je,ve]=Dl(r,a);if(p.fill!=null||Je!=0){let ie=K.fill=new Path2D(E),fe=p.fillTo(r,a,p.min,p.max,Je),Z=j(fe);ee(ie,z,
Z),ee(ie,ne,Z)}if(!p.spanGaps){let ie=[];ie.push(...Ll(b,g,f,d,Y,J,s));let fe=p.width*ae/2,Z=n||t==1?fe:-fe,C=n||t==-1?-fe:fe;ie.forEach(De=>{
De[0]+=Z,De[1]+=C}),K.gaps=ie=p.gaps(r,a,f,d,ie),K.clip=pi(ie,w.ori,V,P,x,H)}return ve!=0&&(K.band=ve==2?[Qt(r,a,f,d,E,-1),Qt(r,a,f,d,E,1)]:
Qt(r,a,f,d,E,ve)),K})}function xr(e,t,n,s,i,r,a=pe){if(e.length>1){let f=null;for(let d=0,p=1/0;d<e.length;d++)if(t[d]!==void 0){if(f!=null){
let b=Pe(e[d]-e[f]);b<p&&(p=b,a=Pe(n(e[d],s,i,r)-n(e[f],s,i,r)))}f=d}}return a}function af(e){e=e||As;let t=oe(e.size,[.6,pe,1]),n=e.align||
0,s=e.gap||0,i=e.radius;i=i==null?[0,0]:typeof i=="number"?[i,0]:i;let r=te(i),a=1-t[0],f=oe(t[1],pe),d=oe(t[2],1),p=oe(e.disp,As),b=oe(e.each,
S=>{}),{fill:g,stroke:w}=p;return(S,M,F,V)=>An(S,M,(P,x,H,T,Q,R,J,j,ee,K,E)=>{let Y=P.pxRound,N=n,B=s*ae,I=f*ae,ne=d*ae,z,Je;T.ori==0?[z,Je]=
r(S,M):[Je,z]=r(S,M);let ve=T.dir*(T.ori==0?1:-1),ie=T.ori==0?gi:$l,fe=T.ori==0?b:(L,me,Le,Fn,dn,Pt,pn)=>{b(L,me,Le,dn,Fn,pn,Pt)},Z=oe(S.bands,
Sl).find(L=>L.series[0]==M),C=Z!=null?Z.dir:0,De=P.fillTo(S,M,P.min,P.max,C),Ge=Y(J(De,Q,E,ee)),xe,ce,vt,et=K,_e=Y(P.width*ae),$t=!1,Vt=null,
ut=null,Jt=null,$n=null;g!=null&&(_e==0||w!=null)&&($t=!0,Vt=g.values(S,M,F,V),ut=new Map,new Set(Vt).forEach(L=>{L!=null&&ut.set(L,new Path2D)}),
_e>0&&(Jt=w.values(S,M,F,V),$n=new Map,new Set(Jt).forEach(L=>{L!=null&&$n.set(L,new Path2D)})));let{x0:Pn,size:fs}=p;if(Pn!=null&&fs!=null){
N=1,x=Pn.values(S,M,F,V),Pn.unit==2&&(x=x.map(Le=>S.posToVal(j+Le*K,T.key,!0)));let L=fs.values(S,M,F,V);fs.unit==2?ce=L[0]*K:ce=R(L[0],T,K,
j)-R(0,T,K,j),et=xr(x,H,R,T,K,j,et),vt=et-ce+B}else et=xr(x,H,R,T,K,j,et),vt=et*a+B,ce=et-vt;vt<1&&(vt=0),_e>=ce/2&&(_e=0),vt<5&&(Y=Lr);let Rs=vt>
0,un=et-vt-(Rs?_e:0);ce=Y(dl(un,ne,I)),xe=(N==0?ce/2:N==ve?0:ce)-N*ve*((N==0?B/2:0)+(Rs?_e/2:0));let Ke={stroke:null,fill:null,clip:null,band:null,
gaps:null,flags:0},Rn=$t?null:new Path2D,Wt=null;if(Z!=null)Wt=S.data[Z.series[1]];else{let{y0:L,y1:me}=p;L!=null&&me!=null&&(H=me.values(S,
M,F,V),Wt=L.values(S,M,F,V))}let fn=z*ce,U=Je*ce;for(let L=ve==1?F:V;L>=F&&L<=V;L+=ve){let me=H[L];if(me==null)continue;if(Wt!=null){let Ze=Wt[L]??
0;if(me-Ze==0)continue;Ge=J(Ze,Q,E,ee)}let Le=T.distr!=2||p!=null?x[L]:L,Fn=R(Le,T,K,j),dn=J(oe(me,De),Q,E,ee),Pt=Y(Fn-xe),pn=Y(Qe(dn,Ge)),tt=Y(
Dt(dn,Ge)),ft=pn-tt;if(me!=null){let Ze=me<0?U:fn,xt=me<0?fn:U;$t?(_e>0&&Jt[L]!=null&&ie($n.get(Jt[L]),Pt,tt+rt(_e/2),ce,Qe(0,ft-_e),Ze,xt),
Vt[L]!=null&&ie(ut.get(Vt[L]),Pt,tt+rt(_e/2),ce,Qe(0,ft-_e),Ze,xt)):ie(Rn,Pt,tt+rt(_e/2),ce,Qe(0,ft-_e),Ze,xt),fe(S,M,L,Pt-_e/2,tt,ce+_e,ft)}}
return _e>0?Ke.stroke=$t?$n:Rn:$t||(Ke._fill=P.width==0?P._fill:P._stroke??P._fill,Ke.width=0),Ke.fill=$t?ut:Rn,Ke})}function cf(e,t){let n=oe(
t?.alignGaps,0);return(s,i,r,a)=>An(s,i,(f,d,p,b,g,w,S,M,F,V,P)=>{[r,a]=ci(p,r,a);let x=f.pxRound,H=z=>x(w(z,b,V,M)),T=z=>x(S(z,g,P,F)),Q,R,
J;b.ori==0?(Q=hi,J=rs,R=sa):(Q=mi,J=as,R=ia);let j=b.dir*(b.ori==0?1:-1),ee=H(d[j==1?r:a]),K=ee,E=[],Y=[];for(let z=j==1?r:a;z>=r&&z<=a;z+=j)
if(p[z]!=null){let ve=d[z],ie=H(ve);E.push(K=ie),Y.push(T(p[z]))}let N={stroke:e(E,Y,Q,J,R,x),fill:null,clip:null,band:null,gaps:null,flags:ls},
B=N.stroke,[I,ne]=Dl(s,i);if(f.fill!=null||I!=0){let z=N.fill=new Path2D(B),Je=f.fillTo(s,i,f.min,f.max,I),ve=T(Je);J(z,K,ve),J(z,ee,ve)}if(!f.
spanGaps){let z=[];z.push(...Ll(d,p,r,a,j,H,n)),N.gaps=z=f.gaps(s,i,r,a,z),N.clip=pi(z,b.ori,M,F,V,P)}return ne!=0&&(N.band=ne==2?[Qt(s,i,r,
a,B,-1),Qt(s,i,r,a,B,1)]:Qt(s,i,r,a,B,ne)),N})}function uf(e){return cf(ff,e)}function ff(e,t,n,s,i,r){let a=e.length;if(a<2)return null;let f=new Path2D;
if(n(f,e[0],t[0]),a==2)s(f,e[1],t[1]);else{let d=Array(a),p=Array(a-1),b=Array(a-1),g=Array(a-1);for(let w=0;w<a-1;w++)b[w]=t[w+1]-t[w],g[w]=
e[w+1]-e[w],p[w]=b[w]/g[w];d[0]=p[0];for(let w=1;w<a-1;w++)p[w]===0||p[w-1]===0||p[w-1]>0!=p[w]>0?d[w]=0:(d[w]=3*(g[w-1]+g[w])/((2*g[w]+g[w-
1])/p[w-1]+(g[w]+2*g[w-1])/p[w]),isFinite(d[w])||(d[w]=0));d[a-1]=p[a-2];for(let w=0;w<a-1;w++)i(f,e[w]+g[w]/3,t[w]+d[w]*g[w]/3,e[w+1]-g[w]/
3,t[w+1]-d[w+1]*g[w]/3,e[w+1],t[w+1])}return f}var gl=new Set;function kr(){for(let e of gl)e.syncRect(!0)}os&&(En(qc,ts,kr),En(Gc,ts,kr,!0),
En(oi,ts,()=>{Be.pxRatio=ae}));var df=ra(),pf=la();function _r(e,t,n,s){return(s?[e[0],e[1]].concat(e.slice(2)):[e[0]].concat(e.slice(1))).map(
(r,a)=>bl(r,a,t,n))}function hf(e,t){return e.map((n,s)=>s==0?{}:Ae({},t,n))}function bl(e,t,n,s){return Ae({},t==0?n:s,e)}function aa(e,t,n){
return t==null?ss:[t,n]}var mf=aa;function gf(e,t,n){return t==null?ss:ri(t,n,kl,!0)}function ca(e,t,n,s){return t==null?ss:ui(t,n,e.scales[s].
log,!1)}var bf=ca;function ua(e,t,n,s){return t==null?ss:xl(t,n,e.scales[s].log,!1)}var yf=ua;function wf(e,t,n,s,i){let r=Qe(tr(e),tr(t)),a=t-
e,f=At(i/s*a,n);do{let d=n[f],p=s*d/a;if(p>=i&&r+(d<5?on.get(d):0)<=17)return[d,p]}while(++f<n.length);return[0,0]}function Sr(e){let t,n;return e=
e.replace(/(\d+)px/,(s,i)=>(t=$e((n=+i)*ae))+"px"),[e,t,n]}function vf(e){e.show&&[e.font,e.labelFont].forEach(t=>{let n=he(t[2]*ae,1);t[0]=
t[0].replace(/[0-9.]+px/,n+"px"),t[1]=n})}function Be(e,t,n){let s={mode:oe(e.mode,1)},i=s.mode;function r(l,o,c,u){let m=o.valToPct(l);return u+
c*(o.dir==-1?1-m:m)}function a(l,o,c,u){let m=o.valToPct(l);return u+c*(o.dir==-1?m:1-m)}function f(l,o,c,u){return o.ori==0?r(l,o,c,u):a(l,
o,c,u)}s.valToPosH=r,s.valToPosV=a;let d=!1;s.status=0;let p=s.root=yt(Ec);if(e.id!=null&&(p.id=e.id),ot(p,e.class),e.title){let l=yt(Dc,p);
l.textContent=e.title}let b=Mt("canvas"),g=s.ctx=b.getContext("2d"),w=yt(Lc,p);En("click",w,l=>{l.target===M&&(ge!=Gn||ke!=Kn)&&Ve.click(s,l)},
!0);let S=s.under=yt($c,w);w.appendChild(b);let M=s.over=yt(Pc,w);e=is(e);let F=+oe(e.pxAlign,1),V=vr(F);(e.plugins||[]).forEach(l=>{l.opts&&
(e=l.opts(s,e)||e)});let P=e.ms||.001,x=s.series=i==1?_r(e.series||[],pr,yr,!1):hf(e.series||[null],br),H=s.axes=_r(e.axes||[],dr,mr,!0),T=s.
scales={},Q=s.bands=e.bands||[];Q.forEach(l=>{l.fill=te(l.fill||null),l.dir=oe(l.dir,-1)});let R=i==2?x[1].facets[0].scale:x[0].scale,J={axes:Wa,
series:Oa},j=(e.drawOrder||["axes","series"]).map(l=>J[l]);function ee(l){let o=l.distr==3?c=>Yt(c>0?c:l.clamp(s,c,l.min,l.max,l.key)):l.distr==
4?c=>il(c,l.asinh):l.distr==100?c=>l.fwd(c):c=>c;return c=>{let u=o(c),{_min:m,_max:y}=l,v=y-m;return(u-m)/v}}function K(l){let o=T[l];if(o==
null){let c=(e.scales||As)[l]||As;if(c.from!=null){K(c.from);let u=Ae({},T[c.from],c,{key:l});u.valToPct=ee(u),T[l]=u}else{o=T[l]=Ae({},l==R?
Zr:tf,c),o.key=l;let u=o.time,m=o.range,y=ln(m);if((l!=R||i==2&&!u)&&(y&&(m[0]==null||m[1]==null)&&(m={min:m[0]==null?Zo:{mode:1,hard:m[0],soft:m[0]},
max:m[1]==null?Zo:{mode:1,hard:m[1],soft:m[1]}},y=!1),!y&&di(m))){let v=m;m=(k,_,A)=>_==null?ss:ri(_,A,v)}o.range=te(m||(u?mf:l==R?o.distr==
3?bf:o.distr==4?yf:aa:o.distr==3?ca:o.distr==4?ua:gf)),o.auto=te(y?!1:o.auto),o.clamp=te(o.clamp||ef),o._min=o._max=null,o.valToPct=ee(o)}}}
K("x"),K("y"),i==1&&x.forEach(l=>{K(l.scale)}),H.forEach(l=>{K(l.scale)});for(let l in e.scales)K(l);let E=T[R],Y=E.distr,N,B;E.ori==0?(ot(p,
Mc),N=r,B=a):(ot(p,Ac),N=a,B=r);let I={};for(let l in T){let o=T[l];(o.min!=null||o.max!=null)&&(I[l]={min:o.min,max:o.max},o.min=o.max=null)}
let ne=e.tzDate||(l=>new Date($e(l/P))),z=e.fmtDate||Tl,Je=P==1?Mu(ne):Lu(ne),ve=cr(ne,ar(P==1?Eu:Du,z)),ie=fr(ne,ur(Pu,z)),fe=[],Z=s.legend=
Ae({},Nu,e.legend),C=s.cursor=Ae({},Vu,{drag:{y:i==2}},e.cursor),De=Z.show,Ge=C.show,xe=Z.markers;Z.idxs=fe,xe.width=te(xe.width),xe.dash=te(
xe.dash),xe.stroke=te(xe.stroke),xe.fill=te(xe.fill);let ce,vt,et,_e=[],$t=[],Vt,ut=!1,Jt={};if(Z.live){let l=x[1]?x[1].values:null;ut=l!=null,
Vt=ut?l(s,1,0):{_:0};for(let o in Vt)Jt[o]=wl}if(De)if(ce=Mt("table",Hc,p),et=Mt("tbody",null,ce),Z.mount(s,ce),ut){vt=Mt("thead",null,ce,et);
let l=Mt("tr",null,vt);Mt("th",null,l);for(var $n in Vt)Mt("th",zo,l).textContent=$n}else ot(ce,Ic),Z.live&&ot(ce,zc);let Pn={show:!0},fs={show:!1};
function Rs(l,o){if(o==0&&(ut||!Z.live||i==2))return ss;let c=[],u=Mt("tr",Vc,et,et.childNodes[o]);ot(u,l.class),l.show||ot(u,Tn);let m=Mt("\
th",null,u);if(xe.show){let k=yt(Wc,m);if(o>0){let _=xe.width(s,o);_&&(k.style.border=_+"px "+xe.dash(s,o)+" "+xe.stroke(s,o)),k.style.background=
xe.fill(s,o)}}let y=yt(zo,m);l.label instanceof HTMLElement?y.appendChild(l.label):y.textContent=l.label,o>0&&(xe.show||(y.style.color=l.width>
0?xe.stroke(s,o):xe.fill(s,o)),Ke("click",m,k=>{if(C._lock)return;mn(k);let _=x.indexOf(l);if((k.ctrlKey||k.metaKey)!=Z.isolate){let A=x.some(
(D,$)=>$>0&&$!=_&&D.show);x.forEach((D,$)=>{$>0&&Ft($,A?$==_?Pn:fs:Pn,!0,Me.setSeries)})}else Ft(_,{show:!l.show},!0,Me.setSeries)},!1),Cn&&
Ke(Bo,m,k=>{C._lock||(mn(k),Ft(x.indexOf(l),Un,!0,Me.setSeries))},!1));for(var v in Vt){let k=Mt("td",Bc,u);k.textContent="--",c.push(k)}return[
u,c]}let un=new Map;function Ke(l,o,c,u=!0){let m=un.get(o)||{},y=C.bind[l](s,o,c,u);y&&(En(l,o,m[l]=y),un.set(o,m))}function Rn(l,o,c){let u=un.
get(o)||{};for(let m in u)(l==null||m==l)&&(fl(m,o,u[m]),delete u[m]);l==null&&un.delete(o)}let Wt=0,fn=0,U=0,L=0,me=0,Le=0,Fn=me,dn=Le,Pt=U,
pn=L,tt=0,ft=0,Ze=0,xt=0;s.bbox={};let xi=!1,Fs=!1,Nn=!1,hn=!1,Ns=!1,dt=!1;function ki(l,o,c){(c||l!=s.width||o!=s.height)&&Cl(l,o),Vn(!1),Nn=
!0,Fs=!0,Wn()}function Cl(l,o){s.width=Wt=U=l,s.height=fn=L=o,me=Le=0,La(),$a();let c=s.bbox;tt=c.left=_n(me*ae,.5),ft=c.top=_n(Le*ae,.5),Ze=
c.width=_n(U*ae,.5),xt=c.height=_n(L*ae,.5)}let Ma=3;function Aa(){let l=!1,o=0;for(;!l;){o++;let c=Ia(o),u=Va(o);l=o==Ma||c&&u,l||(Cl(s.width,
s.height),Fs=!0)}}function Da({width:l,height:o}){ki(l,o)}s.setSize=Da;function La(){let l=!1,o=!1,c=!1,u=!1;H.forEach((m,y)=>{if(m.show&&m.
_show){let{side:v,_size:k}=m,_=v%2,A=m.label!=null?m.labelSize:0,D=k+A;D>0&&(_?(U-=D,v==3?(me+=D,u=!0):c=!0):(L-=D,v==0?(Le+=D,l=!0):o=!0))}}),
gn[0]=l,gn[1]=c,gn[2]=o,gn[3]=u,U-=Zt[1]+Zt[3],me+=Zt[3],L-=Zt[2]+Zt[0],Le+=Zt[0]}function $a(){let l=me+U,o=Le+L,c=me,u=Le;function m(y,v){
switch(y){case 1:return l+=v,l-v;case 2:return o+=v,o-v;case 3:return c-=v,c+v;case 0:return u-=v,u+v}}H.forEach((y,v)=>{if(y.show&&y._show){
let k=y.side;y._pos=m(k,y._size),y.label!=null&&(y._lpos=m(k,y.labelSize))}})}if(C.dataIdx==null){let l=C.hover,o=l.skip=new Set(l.skip??[]);
o.add(void 0);let c=l.prox=te(l.prox),u=l.bias??=0;C.dataIdx=(m,y,v,k)=>{if(y==0)return v;let _=v,A=c(m,y,v,k)??pe,D=A>=0&&A<pe,$=E.ori==0?U:
L,q=C.left,re=t[0],le=t[y];if(o.has(le[v])){_=null;let X=null,W=null,O;if(u==0||u==-1)for(O=v;X==null&&O-- >0;)o.has(le[O])||(X=O);if(u==0||
u==1)for(O=v;W==null&&O++<le.length;)o.has(le[O])||(W=O);if(X!=null||W!=null)if(D){let ye=X==null?-1/0:N(re[X],E,$,0),Te=W==null?1/0:N(re[W],
E,$,0),ze=q-ye,de=Te-q;ze<=de?ze<=A&&(_=X):de<=A&&(_=W)}else _=W==null?X:X==null?W:v-X<=W-v?X:W}else D&&Pe(q-N(re[v],E,$,0))>A&&(_=null);return _}}
let mn=l=>{C.event=l};C.idxs=fe,C._lock=!1;let qe=C.points;qe.show=te(qe.show),qe.size=te(qe.size),qe.stroke=te(qe.stroke),qe.width=te(qe.width),
qe.fill=te(qe.fill);let Rt=s.focus=Ae({},e.focus||{alpha:.3},C.focus),Cn=Rt.prox>=0,On=Cn&&qe.one,pt=[],Hn=[],zn=[];function Ol(l,o){let c=qe.
show(s,o);if(c instanceof HTMLElement)return ot(c,Oc),ot(c,l.class),It(c,-10,-10,U,L),M.insertBefore(c,pt[o]),c}function Hl(l,o){if(i==1||o>
0){let c=i==1&&T[l.scale].time,u=l.value;l.value=c?ir(u)?fr(ne,ur(u,z)):u||ie:u||Ju,l.label=l.label||(c?Bu:Wu)}if(On||o>0){l.width=l.width==
null?1:l.width,l.paths=l.paths||df||tu,l.fillTo=te(l.fillTo||nf),l.pxAlign=+oe(l.pxAlign,F),l.pxRound=vr(l.pxAlign),l.stroke=te(l.stroke||null),
l.fill=te(l.fill||null),l._stroke=l._fill=l._paths=l._focus=null;let c=Zu(Qe(1,l.width),1),u=l.points=Ae({},{size:c,width:Qe(1,c*.2),stroke:l.
stroke,space:c*2,paths:pf,_stroke:null,_fill:null},l.points);u.show=te(u.show),u.filter=te(u.filter),u.fill=te(u.fill),u.stroke=te(u.stroke),
u.paths=te(u.paths),u.pxAlign=l.pxAlign}if(De){let c=Rs(l,o);_e.splice(o,0,c[0]),$t.splice(o,0,c[1]),Z.values.push(null)}if(Ge){fe.splice(o,
0,null);let c=null;On?o==0&&(c=Ol(l,o)):o>0&&(c=Ol(l,o)),pt.splice(o,0,c),Hn.splice(o,0,0),zn.splice(o,0,0)}He("addSeries",o)}function Pa(l,o){
o=o??x.length,l=i==1?bl(l,o,pr,yr):bl(l,o,{},br),x.splice(o,0,l),Hl(x[o],o)}s.addSeries=Pa;function Ra(l){if(x.splice(l,1),De){Z.values.splice(
l,1),$t.splice(l,1);let o=_e.splice(l,1)[0];Rn(null,o.firstChild),o.remove()}Ge&&(fe.splice(l,1),pt.splice(l,1)[0].remove(),Hn.splice(l,1),zn.
splice(l,1)),He("delSeries",l)}s.delSeries=Ra;let gn=[!1,!1,!1,!1];function Fa(l,o){if(l._show=l.show,l.show){let c=l.side%2,u=T[l.scale];u==
null&&(l.scale=c?x[1].scale:R,u=T[l.scale]);let m=u.time;l.size=te(l.size),l.space=te(l.space),l.rotate=te(l.rotate),ln(l.incrs)&&l.incrs.forEach(
v=>{!on.has(v)&&on.set(v,Rr(v))}),l.incrs=te(l.incrs||(u.distr==2?_u:m?P==1?Tu:Au:Sn)),l.splits=te(l.splits||(m&&u.distr==1?Je:u.distr==3?pl:
u.distr==4?Ku:Gu)),l.stroke=te(l.stroke),l.grid.stroke=te(l.grid.stroke),l.ticks.stroke=te(l.ticks.stroke),l.border.stroke=te(l.border.stroke);
let y=l.values;l.values=ln(y)&&!ln(y[0])?te(y):m?ln(y)?cr(ne,ar(y,z)):ir(y)?$u(ne,y):y||ve:y||qu,l.filter=te(l.filter||(u.distr>=3&&u.log==10?
Yu:u.distr==3&&u.log==2?Qu:$r)),l.font=Sr(l.font),l.labelFont=Sr(l.labelFont),l._size=l.size(s,null,o,0),l._space=l._rotate=l._incrs=l._found=
l._splits=l._values=null,l._size>0&&(gn[o]=!0,l._el=yt(Rc,w))}}function ds(l,o,c,u){let[m,y,v,k]=c,_=o%2,A=0;return _==0&&(k||y)&&(A=o==0&&!m||
o==2&&!v?$e(dr.size/3):0),_==1&&(m||v)&&(A=o==1&&!y||o==3&&!k?$e(mr.size/2):0),A}let zl=s.padding=(e.padding||[ds,ds,ds,ds]).map(l=>te(oe(l,
ds))),Zt=s._padding=zl.map((l,o)=>l(s,o,gn,0)),Ie,Fe=null,Ne=null,Cs=i==1?x[0].idxs:null,kt=null,ps=!1;function Il(l,o){if(t=l??[],s.data=s.
_data=t,i==2){Ie=0;for(let c=1;c<x.length;c++)Ie+=t[c][0].length}else{t.length==0&&(s.data=s._data=t=[[]]),kt=t[0],Ie=kt.length;let c=t;if(Y==
2){c=t.slice();let u=c[0]=Array(Ie);for(let m=0;m<Ie;m++)u[m]=m}s._data=t=c}if(Vn(!0),He("setData"),Y==2&&(Nn=!0),o!==!1){let c=E;c.auto(s,ps)?
_i():en(R,c.min,c.max),hn=hn||C.left>=0,dt=!0,Wn()}}s.setData=Il;function _i(){ps=!0;let l,o;i==1&&(Ie>0?(Fe=Cs[0]=0,Ne=Cs[1]=Ie-1,l=t[0][Fe],
o=t[0][Ne],Y==2?(l=Fe,o=Ne):l==o&&(Y==3?[l,o]=ui(l,l,E.log,!1):Y==4?[l,o]=xl(l,l,E.log,!1):E.time?o=l+$e(86400/P):[l,o]=ri(l,o,kl,!0))):(Fe=
Cs[0]=l=null,Ne=Cs[1]=o=null)),en(R,l,o)}let Os,In,Si,Ti,Ei,Mi,Ai,Di,Li,Xe;function Vl(l,o,c,u,m,y){l??=Vo,c??=Sl,u??="butt",m??=Vo,y??="rou\
nd",l!=Os&&(g.strokeStyle=Os=l),m!=In&&(g.fillStyle=In=m),o!=Si&&(g.lineWidth=Si=o),y!=Ei&&(g.lineJoin=Ei=y),u!=Mi&&(g.lineCap=Mi=u),c!=Ti&&
g.setLineDash(Ti=c)}function Wl(l,o,c,u){o!=In&&(g.fillStyle=In=o),l!=Ai&&(g.font=Ai=l),c!=Di&&(g.textAlign=Di=c),u!=Li&&(g.textBaseline=Li=
u)}function $i(l,o,c,u,m=0){if(u.length>0&&l.auto(s,ps)&&(o==null||o.min==null)){let y=oe(Fe,0),v=oe(Ne,u.length-1),k=c.min==null?Yc(u,y,v,m,
l.distr==3):[c.min,c.max];l.min=Dt(l.min,c.min=k[0]),l.max=Qe(l.max,c.max=k[1])}}let Bl={min:null,max:null};function Na(){for(let u in T){let m=T[u];
I[u]==null&&(m.min==null||I[R]!=null&&m.auto(s,ps))&&(I[u]=Bl)}for(let u in T){let m=T[u];I[u]==null&&m.from!=null&&I[m.from]!=null&&(I[u]=Bl)}
I[R]!=null&&Vn(!0);let l={};for(let u in I){let m=I[u];if(m!=null){let y=l[u]=is(T[u],iu);if(m.min!=null)Ae(y,m);else if(u!=R||i==2)if(Ie==0&&
y.from==null){let v=y.range(s,null,null,u);y.min=v[0],y.max=v[1]}else y.min=pe,y.max=-pe}}if(Ie>0){x.forEach((u,m)=>{if(i==1){let y=u.scale,
v=I[y];if(v==null)return;let k=l[y];if(m==0){let _=k.range(s,k.min,k.max,y);k.min=_[0],k.max=_[1],Fe=At(k.min,t[0]),Ne=At(k.max,t[0]),Ne-Fe>
1&&(t[0][Fe]<k.min&&Fe++,t[0][Ne]>k.max&&Ne--),u.min=kt[Fe],u.max=kt[Ne]}else u.show&&u.auto&&$i(k,v,u,t[m],u.sorted);u.idxs[0]=Fe,u.idxs[1]=
Ne}else if(m>0&&u.show&&u.auto){let[y,v]=u.facets,k=y.scale,_=v.scale,[A,D]=t[m],$=l[k],q=l[_];$!=null&&$i($,I[k],y,A,y.sorted),q!=null&&$i(
q,I[_],v,D,v.sorted),u.min=v.min,u.max=v.max}});for(let u in l){let m=l[u],y=I[u];if(m.from==null&&(y==null||y.min==null)){let v=m.range(s,m.
min==pe?null:m.min,m.max==-pe?null:m.max,u);m.min=v[0],m.max=v[1]}}}for(let u in l){let m=l[u];if(m.from!=null){let y=l[m.from];if(y.min==null)
m.min=m.max=null;else{let v=m.range(s,y.min,y.max,u);m.min=v[0],m.max=v[1]}}}let o={},c=!1;for(let u in l){let m=l[u],y=T[u];if(y.min!=m.min||
y.max!=m.max){y.min=m.min,y.max=m.max;let v=y.distr;y._min=v==3?Yt(y.min):v==4?il(y.min,y.asinh):v==100?y.fwd(y.min):y.min,y._max=v==3?Yt(y.
max):v==4?il(y.max,y.asinh):v==100?y.fwd(y.max):y.max,o[u]=c=!0}}if(c){x.forEach((u,m)=>{i==2?m>0&&o.y&&(u._paths=null):o[u.scale]&&(u._paths=
null)});for(let u in o)Nn=!0,He("setScale",u);Ge&&C.left>=0&&(hn=dt=!0)}for(let u in I)I[u]=null}function Ca(l){let o=dl(Fe-1,0,Ie-1),c=dl(Ne+
1,0,Ie-1);for(;l[o]==null&&o>0;)o--;for(;l[c]==null&&c<Ie-1;)c++;return[o,c]}function Oa(){if(Ie>0){let l=x.some(o=>o._focus)&&Xe!=Rt.alpha;
l&&(g.globalAlpha=Xe=Rt.alpha),x.forEach((o,c)=>{if(c>0&&o.show&&(ql(c,!1),ql(c,!0),o._paths==null)){let u=Xe;Xe!=o.alpha&&(g.globalAlpha=Xe=
o.alpha);let m=i==2?[0,t[c][0].length-1]:Ca(t[c]);o._paths=o.paths(s,c,m[0],m[1]),Xe!=u&&(g.globalAlpha=Xe=u)}}),x.forEach((o,c)=>{if(c>0&&o.
show){let u=Xe;Xe!=o.alpha&&(g.globalAlpha=Xe=o.alpha),o._paths!=null&&Gl(c,!1);{let m=o._paths!=null?o._paths.gaps:null,y=o.points.show(s,c,
Fe,Ne,m),v=o.points.filter(s,c,y,m);(y||v)&&(o.points._paths=o.points.paths(s,c,Fe,Ne,v),Gl(c,!0))}Xe!=u&&(g.globalAlpha=Xe=u),He("drawSerie\
s",c)}}),l&&(g.globalAlpha=Xe=1)}}function ql(l,o){let c=o?x[l].points:x[l];c._stroke=c.stroke(s,l),c._fill=c.fill(s,l)}function Gl(l,o){let c=o?
x[l].points:x[l],{stroke:u,fill:m,clip:y,flags:v,_stroke:k=c._stroke,_fill:_=c._fill,_width:A=c.width}=c._paths;A=he(A*ae,3);let D=null,$=A%
2/2;o&&_==null&&(_=A>0?"#fff":k);let q=c.pxAlign==1&&$>0;if(q&&g.translate($,$),!o){let re=tt-A/2,le=ft-A/2,X=Ze+A,W=xt+A;D=new Path2D,D.rect(
re,le,X,W)}o?Pi(k,A,c.dash,c.cap,_,u,m,v,y):Ha(l,k,A,c.dash,c.cap,_,u,m,v,D,y),q&&g.translate(-$,-$)}function Ha(l,o,c,u,m,y,v,k,_,A,D){let $=!1;
_!=0&&Q.forEach((q,re)=>{if(q.series[0]==l){let le=x[q.series[1]],X=t[q.series[1]],W=(le._paths||As).band;ln(W)&&(W=q.dir==1?W[0]:W[1]);let O,
ye=null;le.show&&W&&Jc(X,Fe,Ne)?(ye=q.fill(s,re)||y,O=le._paths.clip):W=null,Pi(o,c,u,m,ye,v,k,_,A,D,O,W),$=!0}}),$||Pi(o,c,u,m,y,v,k,_,A,D)}
let Kl=ls|ml;function Pi(l,o,c,u,m,y,v,k,_,A,D,$){Vl(l,o,c,u,m),(_||A||$)&&(g.save(),_&&g.clip(_),A&&g.clip(A)),$?(k&Kl)==Kl?(g.clip($),D&&g.
clip(D),zs(m,v),Hs(l,y,o)):k&ml?(zs(m,v),g.clip($),Hs(l,y,o)):k&ls&&(g.save(),g.clip($),D&&g.clip(D),zs(m,v),g.restore(),Hs(l,y,o)):(zs(m,v),
Hs(l,y,o)),(_||A||$)&&g.restore()}function Hs(l,o,c){c>0&&(o instanceof Map?o.forEach((u,m)=>{g.strokeStyle=Os=m,g.stroke(u)}):o!=null&&l&&g.
stroke(o))}function zs(l,o){o instanceof Map?o.forEach((c,u)=>{g.fillStyle=In=u,g.fill(c)}):o!=null&&l&&g.fill(o)}function za(l,o,c,u){let m=H[l],
y;if(u<=0)y=[0,0];else{let v=m._space=m.space(s,l,o,c,u),k=m._incrs=m.incrs(s,l,o,c,u,v);y=wf(o,c,k,u,v)}return m._found=y}function Ri(l,o,c,u,m,y,v,k,_,A){
let D=v%2/2;F==1&&g.translate(D,D),Vl(k,v,_,A,k),g.beginPath();let $,q,re,le,X=m+(u==0||u==3?-y:y);c==0?(q=m,le=X):($=m,re=X);for(let W=0;W<
l.length;W++)o[W]!=null&&(c==0?$=re=l[W]:q=le=l[W],g.moveTo($,q),g.lineTo(re,le));g.stroke(),F==1&&g.translate(-D,-D)}function Ia(l){let o=!0;
return H.forEach((c,u)=>{if(!c.show)return;let m=T[c.scale];if(m.min==null){c._show&&(o=!1,c._show=!1,Vn(!1));return}else c._show||(o=!1,c._show=
!0,Vn(!1));let y=c.side,v=y%2,{min:k,max:_}=m,[A,D]=za(u,k,_,v==0?U:L);if(D==0)return;let $=m.distr==2,q=c._splits=c.splits(s,u,k,_,A,D,$),re=m.
distr==2?q.map(O=>kt[O]):q,le=m.distr==2?kt[q[1]]-kt[q[0]]:A,X=c._values=c.values(s,c.filter(s,re,u,D,le),u,D,le);c._rotate=y==2?c.rotate(s,
X,u,D):0;let W=c._size;c._size=wt(c.size(s,X,u,l)),W!=null&&c._size!=W&&(o=!1)}),o}function Va(l){let o=!0;return zl.forEach((c,u)=>{let m=c(
s,u,gn,l);m!=Zt[u]&&(o=!1),Zt[u]=m}),o}function Wa(){for(let l=0;l<H.length;l++){let o=H[l];if(!o.show||!o._show)continue;let c=o.side,u=c%2,
m,y,v=o.stroke(s,l),k=c==0||c==3?-1:1,[_,A]=o._found;if(o.label!=null){let Ue=o.labelGap*k,it=$e((o._lpos+Ue)*ae);Wl(o.labelFont[0],v,"cente\
r",c==2?"top":Io),g.save(),u==1?(m=y=0,g.translate(it,$e(ft+xt/2)),g.rotate((c==3?-li:li)/2)):(m=$e(tt+Ze/2),y=it);let wn=Dr(o.label)?o.label(
s,l,_,A):o.label;g.fillText(wn,m,y),g.restore()}if(A==0)continue;let D=T[o.scale],$=u==0?Ze:xt,q=u==0?tt:ft,re=o._splits,le=D.distr==2?re.map(
Ue=>kt[Ue]):re,X=D.distr==2?kt[re[1]]-kt[re[0]]:_,W=o.ticks,O=o.border,ye=W.show?W.size:0,Te=$e(ye*ae),ze=$e((o.alignTo==2?o._size-ye-o.gap:
o.gap)*ae),de=o._rotate*-li/180,Ee=V(o._pos*ae),nt=(Te+ze)*k,je=Ee+nt;y=u==0?je:0,m=u==1?je:0;let ht=o.font[0],_t=o.align==1?Xn:o.align==2?tl:
de>0?Xn:de<0?tl:u==0?"center":c==3?tl:Xn,Ct=de||u==1?"middle":c==2?"top":Io;Wl(ht,v,_t,Ct);let st=o.font[1]*o.lineGap,mt=re.map(Ue=>V(f(Ue,D,
$,q))),St=o._values;for(let Ue=0;Ue<St.length;Ue++){let it=St[Ue];if(it!=null){u==0?m=mt[Ue]:y=mt[Ue],it=""+it;let wn=it.indexOf(`
`)==-1?[it]:it.split(/\n/gm);for(let Ye=0;Ye<wn.length;Ye++){let fo=wn[Ye];de?(g.save(),g.translate(m,y+Ye*st),g.rotate(de),g.fillText(fo,0,
0),g.restore()):g.fillText(fo,m,y+Ye*st)}}}W.show&&Ri(mt,W.filter(s,le,l,A,X),u,c,Ee,Te,he(W.width*ae,3),W.stroke(s,l),W.dash,W.cap);let Ot=o.
grid;Ot.show&&Ri(mt,Ot.filter(s,le,l,A,X),u,u==0?2:1,u==0?ft:tt,u==0?xt:Ze,he(Ot.width*ae,3),Ot.stroke(s,l),Ot.dash,Ot.cap),O.show&&Ri([Ee],
[1],u==0?1:0,u==0?1:2,u==1?ft:tt,u==1?xt:Ze,he(O.width*ae,3),O.stroke(s,l),O.dash,O.cap)}He("drawAxes")}function Vn(l){x.forEach((o,c)=>{c>0&&
(o._paths=null,l&&(i==1?(o.min=null,o.max=null):o.facets.forEach(u=>{u.min=null,u.max=null})))})}let Is=!1,Fi=!1,hs=[];function Ba(){Fi=!1;for(let l=0;l<
hs.length;l++)He(...hs[l]);hs.length=0}function Wn(){Is||(fu(jl),Is=!0)}function qa(l,o=!1){Is=!0,Fi=o,l(s),jl(),o&&hs.length>0&&queueMicrotask(
Ba)}s.batch=qa;function jl(){if(xi&&(Na(),xi=!1),Nn&&(Aa(),Nn=!1),Fs){if(we(S,Xn,me),we(S,"top",Le),we(S,Ss,U),we(S,Ts,L),we(M,Xn,me),we(M,"\
top",Le),we(M,Ss,U),we(M,Ts,L),we(w,Ss,Wt),we(w,Ts,fn),b.width=$e(Wt*ae),b.height=$e(fn*ae),H.forEach(({_el:l,_show:o,_size:c,_pos:u,side:m})=>{
if(l!=null)if(o){let y=m===3||m===0?c:0,v=m%2==1;we(l,v?"left":"top",u-y),we(l,v?"width":"height",c),we(l,v?"top":"left",v?Le:me),we(l,v?"he\
ight":"width",v?L:U),ul(l,Tn)}else ot(l,Tn)}),Os=In=Si=Ei=Mi=Ai=Di=Li=Ti=null,Xe=1,bs(!0),me!=Fn||Le!=dn||U!=Pt||L!=pn){Vn(!1);let l=U/Pt,o=L/
pn;if(Ge&&!hn&&C.left>=0){C.left*=l,C.top*=o,Bn&&It(Bn,$e(C.left),0,U,L),qn&&It(qn,0,$e(C.top),U,L);for(let c=0;c<pt.length;c++){let u=pt[c];
u!=null&&(Hn[c]*=l,zn[c]*=o,It(u,wt(Hn[c]),wt(zn[c]),U,L))}}if(be.show&&!Ns&&be.left>=0&&be.width>0){be.left*=l,be.width*=l,be.top*=o,be.height*=
o;for(let c in Ii)we(jn,c,be[c])}Fn=me,dn=Le,Pt=U,pn=L}He("setSize"),Fs=!1}Wt>0&&fn>0&&(g.clearRect(0,0,b.width,b.height),He("drawClear"),j.
forEach(l=>l()),He("draw")),be.show&&Ns&&(Vs(be),Ns=!1),Ge&&hn&&(yn(null,!0,!1),hn=!1),Z.show&&Z.live&&dt&&(Hi(),dt=!1),d||(d=!0,s.status=1,
He("ready")),ps=!1,Is=!1}s.redraw=(l,o)=>{Nn=o||!1,l!==!1?en(R,E.min,E.max):Wn()};function Ni(l,o){let c=T[l];if(c.from==null){if(Ie==0){let u=c.
range(s,o.min,o.max,l);o.min=u[0],o.max=u[1]}if(o.min>o.max){let u=o.min;o.min=o.max,o.max=u}if(Ie>1&&o.min!=null&&o.max!=null&&o.max-o.min<
1e-16)return;l==R&&c.distr==2&&Ie>0&&(o.min=At(o.min,t[0]),o.max=At(o.max,t[0]),o.min==o.max&&o.max++),I[l]=o,xi=!0,Wn()}}s.setScale=Ni;let Ci,
Oi,Bn,qn,Ul,Yl,Gn,Kn,Ql,Jl,ge,ke,Xt=!1,Ve=C.drag,Ce=Ve.x,Oe=Ve.y;Ge&&(C.x&&(Ci=yt(Nc,M)),C.y&&(Oi=yt(Cc,M)),E.ori==0?(Bn=Ci,qn=Oi):(Bn=Oi,qn=
Ci),ge=C.left,ke=C.top);let be=s.select=Ae({show:!0,over:!0,left:0,width:0,top:0,height:0},e.select),jn=be.show?yt(Fc,be.over?M:S):null;function Vs(l,o){
if(be.show){for(let c in l)be[c]=l[c],c in Ii&&we(jn,c,l[c]);o!==!1&&He("setSelect")}}s.setSelect=Vs;function Ga(l){if(x[l].show)De&&ul(_e[l],
Tn);else if(De&&ot(_e[l],Tn),Ge){let c=On?pt[0]:pt[l];c!=null&&It(c,-10,-10,U,L)}}function en(l,o,c){Ni(l,{min:o,max:c})}function Ft(l,o,c,u){
o.focus!=null&&Qa(l),o.show!=null&&x.forEach((m,y)=>{y>0&&(l==y||l==null)&&(m.show=o.show,Ga(y),i==2?(en(m.facets[0].scale,null,null),en(m.facets[1].
scale,null,null)):en(m.scale,null,null),Wn())}),c!==!1&&He("setSeries",l,o),u&&ys("setSeries",s,l,o)}s.setSeries=Ft;function Ka(l,o){Ae(Q[l],
o)}function ja(l,o){l.fill=te(l.fill||null),l.dir=oe(l.dir,-1),o=o??Q.length,Q.splice(o,0,l)}function Ua(l){l==null?Q.length=0:Q.splice(l,1)}
s.addBand=ja,s.setBand=Ka,s.delBand=Ua;function Ya(l,o){x[l].alpha=o,Ge&&pt[l]!=null&&(pt[l].style.opacity=o),De&&_e[l]&&(_e[l].style.opacity=
o)}let Bt,tn,bn,Un={focus:!0};function Qa(l){if(l!=bn){let o=l==null,c=Rt.alpha!=1;x.forEach((u,m)=>{if(i==1||m>0){let y=o||m==0||m==l;u._focus=
o?null:y,c&&Ya(m,y?1:Rt.alpha)}}),bn=l,c&&Wn()}}De&&Cn&&Ke(qo,ce,l=>{C._lock||(mn(l),bn!=null&&Ft(null,Un,!0,Me.setSeries))});function Nt(l,o,c){
let u=T[o];c&&(l=l/ae-(u.ori==1?Le:me));let m=U;u.ori==1&&(m=L,l=m-l),u.dir==-1&&(l=m-l);let y=u._min,v=u._max,k=l/m,_=y+(v-y)*k,A=u.distr;return A==
3?ns(10,_):A==4?Xc(_,u.asinh):A==100?u.bwd(_):_}function Ja(l,o){let c=Nt(l,R,o);return At(c,t[0],Fe,Ne)}s.valToIdx=l=>At(l,t[0]),s.posToIdx=
Ja,s.posToVal=Nt,s.valToPos=(l,o,c)=>T[o].ori==0?r(l,T[o],c?Ze:U,c?tt:0):a(l,T[o],c?xt:L,c?ft:0),s.setCursor=(l,o,c)=>{ge=l.left,ke=l.top,yn(
null,o,c)};function Zl(l,o){we(jn,Xn,be.left=l),we(jn,Ss,be.width=o)}function Xl(l,o){we(jn,"top",be.top=l),we(jn,Ts,be.height=o)}let ms=E.ori==
0?Zl:Xl,gs=E.ori==1?Zl:Xl;function Za(){if(De&&Z.live)for(let l=i==2?1:0;l<x.length;l++){if(l==0&&ut)continue;let o=Z.values[l],c=0;for(let u in o)
$t[l][c++].firstChild.nodeValue=o[u]}}function Hi(l,o){if(l!=null&&(l.idxs?l.idxs.forEach((c,u)=>{fe[u]=c}):su(l.idx)||fe.fill(l.idx),Z.idx=
fe[0]),De&&Z.live){for(let c=0;c<x.length;c++)(c>0||i==1&&!ut)&&Xa(c,fe[c]);Za()}dt=!1,o!==!1&&He("setLegend")}s.setLegend=Hi;function Xa(l,o){
let c=x[l],u=l==0&&Y==2?kt:t[l],m;ut?m=c.values(s,l,o)??Jt:(m=c.value(s,o==null?null:u[o],l,o),m=m==null?Jt:{_:m}),Z.values[l]=m}function yn(l,o,c){
Ql=ge,Jl=ke,[ge,ke]=C.move(s,ge,ke),C.left=ge,C.top=ke,Ge&&(Bn&&It(Bn,$e(ge),0,U,L),qn&&It(qn,0,$e(ke),U,L));let u,m=Fe>Ne;Bt=pe,tn=null;let y=E.
ori==0?U:L,v=E.ori==1?U:L;if(ge<0||Ie==0||m){u=C.idx=null;for(let k=0;k<x.length;k++){let _=pt[k];_!=null&&It(_,-10,-10,U,L)}Cn&&Ft(null,Un,
!0,l==null&&Me.setSeries),Z.live&&(fe.fill(u),dt=!0)}else{let k,_,A;i==1&&(k=E.ori==0?ge:ke,_=Nt(k,R),u=C.idx=At(_,t[0],Fe,Ne),A=N(t[0][u],E,
y,0));let D=-10,$=-10,q=0,re=0,le=!0,X="",W="";for(let O=i==2?1:0;O<x.length;O++){let ye=x[O],Te=fe[O],ze=Te==null?null:i==1?t[O][Te]:t[O][1][Te],
de=C.dataIdx(s,O,u,_),Ee=de==null?null:i==1?t[O][de]:t[O][1][de];if(dt=dt||Ee!=ze||de!=Te,fe[O]=de,O>0&&ye.show){let nt=de==null?-10:de==u?A:
N(i==1?t[0][de]:t[O][0][de],E,y,0),je=Ee==null?-10:B(Ee,i==1?T[ye.scale]:T[ye.facets[1].scale],v,0);if(Cn&&Ee!=null){let ht=E.ori==1?ge:ke,_t=Pe(
Rt.dist(s,O,de,je,ht));if(_t<Bt){let Ct=Rt.bias;if(Ct!=0){let st=Nt(ht,ye.scale),mt=Ee>=0?1:-1,St=st>=0?1:-1;St==mt&&(St==1?Ct==1?Ee>=st:Ee<=
st:Ct==1?Ee<=st:Ee>=st)&&(Bt=_t,tn=O)}else Bt=_t,tn=O}}if(dt||On){let ht,_t;E.ori==0?(ht=nt,_t=je):(ht=je,_t=nt);let Ct,st,mt,St,Ot,Ue,it=!0,
wn=qe.bbox;if(wn!=null){it=!1;let Ye=wn(s,O);mt=Ye.left,St=Ye.top,Ct=Ye.width,st=Ye.height}else mt=ht,St=_t,Ct=st=qe.size(s,O);if(Ue=qe.fill(
s,O),Ot=qe.stroke(s,O),On)O==tn&&Bt<=Rt.prox&&(D=mt,$=St,q=Ct,re=st,le=it,X=Ue,W=Ot);else{let Ye=pt[O];Ye!=null&&(Hn[O]=mt,zn[O]=St,Jo(Ye,Ct,
st,it),Yo(Ye,Ue,Ot),It(Ye,wt(mt),wt(St),U,L))}}}}if(On){let O=Rt.prox,ye=bn==null?Bt<=O:Bt>O||tn!=bn;if(dt||ye){let Te=pt[0];Te!=null&&(Hn[0]=
D,zn[0]=$,Jo(Te,q,re,le),Yo(Te,X,W),It(Te,wt(D),wt($),U,L))}}}if(be.show&&Xt)if(l!=null){let[k,_]=Me.scales,[A,D]=Me.match,[$,q]=l.cursor.sync.
scales,re=l.cursor.drag;if(Ce=re._x,Oe=re._y,Ce||Oe){let{left:le,top:X,width:W,height:O}=l.select,ye=l.scales[$].ori,Te=l.posToVal,ze,de,Ee,
nt,je,ht=k!=null&&A(k,$),_t=_!=null&&D(_,q);ht&&Ce?(ye==0?(ze=le,de=W):(ze=X,de=O),Ee=T[k],nt=N(Te(ze,$),Ee,y,0),je=N(Te(ze+de,$),Ee,y,0),ms(
Dt(nt,je),Pe(je-nt))):ms(0,y),_t&&Oe?(ye==1?(ze=le,de=W):(ze=X,de=O),Ee=T[_],nt=B(Te(ze,q),Ee,v,0),je=B(Te(ze+de,q),Ee,v,0),gs(Dt(nt,je),Pe(
je-nt))):gs(0,v)}else Vi()}else{let k=Pe(Ql-Ul),_=Pe(Jl-Yl);if(E.ori==1){let q=k;k=_,_=q}Ce=Ve.x&&k>=Ve.dist,Oe=Ve.y&&_>=Ve.dist;let A=Ve.uni;
A!=null?Ce&&Oe&&(Ce=k>=A,Oe=_>=A,!Ce&&!Oe&&(_>k?Oe=!0:Ce=!0)):Ve.x&&Ve.y&&(Ce||Oe)&&(Ce=Oe=!0);let D,$;Ce&&(E.ori==0?(D=Gn,$=ge):(D=Kn,$=ke),
ms(Dt(D,$),Pe($-D)),Oe||gs(0,v)),Oe&&(E.ori==1?(D=Gn,$=ge):(D=Kn,$=ke),gs(Dt(D,$),Pe($-D)),Ce||ms(0,y)),!Ce&&!Oe&&(ms(0,0),gs(0,0))}if(Ve._x=
Ce,Ve._y=Oe,l==null){if(c){if(uo!=null){let[k,_]=Me.scales;Me.values[0]=k!=null?Nt(E.ori==0?ge:ke,k):null,Me.values[1]=_!=null?Nt(E.ori==1?ge:
ke,_):null}ys(nl,s,ge,ke,U,L,u)}if(Cn){let k=c&&Me.setSeries,_=Rt.prox;bn==null?Bt<=_&&Ft(tn,Un,!0,k):Bt>_?Ft(null,Un,!0,k):tn!=bn&&Ft(tn,Un,
!0,k)}}dt&&(Z.idx=u,Hi()),o!==!1&&He("setCursor")}let nn=null;Object.defineProperty(s,"rect",{get(){return nn==null&&bs(!1),nn}});function bs(l=!1){
l?nn=null:(nn=M.getBoundingClientRect(),He("syncRect",nn))}function eo(l,o,c,u,m,y,v){C._lock||Xt&&l!=null&&l.movementX==0&&l.movementY==0||
(zi(l,o,c,u,m,y,v,!1,l!=null),l!=null?yn(null,!0,!0):yn(o,!0,!1))}function zi(l,o,c,u,m,y,v,k,_){if(nn==null&&bs(!1),mn(l),l!=null)c=l.clientX-
nn.left,u=l.clientY-nn.top;else{if(c<0||u<0){ge=-10,ke=-10;return}let[A,D]=Me.scales,$=o.cursor.sync,[q,re]=$.values,[le,X]=$.scales,[W,O]=Me.
match,ye=o.axes[0].side%2==1,Te=E.ori==0?U:L,ze=E.ori==1?U:L,de=ye?y:m,Ee=ye?m:y,nt=ye?u:c,je=ye?c:u;if(le!=null?c=W(A,le)?f(q,T[A],Te,0):-10:
c=Te*(nt/de),X!=null?u=O(D,X)?f(re,T[D],ze,0):-10:u=ze*(je/Ee),E.ori==1){let ht=c;c=u,u=ht}}_&&(o==null||o.cursor.event.type==nl)&&((c<=1||c>=
U-1)&&(c=_n(c,U)),(u<=1||u>=L-1)&&(u=_n(u,L))),k?(Ul=c,Yl=u,[Gn,Kn]=C.move(s,c,u)):(ge=c,ke=u)}let Ii={width:0,height:0,left:0,top:0};function Vi(){
Vs(Ii,!1)}let to,no,so,io;function lo(l,o,c,u,m,y,v){Xt=!0,Ce=Oe=Ve._x=Ve._y=!1,zi(l,o,c,u,m,y,v,!0,!1),l!=null&&(Ke(sl,al,oo,!1),ys(Wo,s,Gn,
Kn,U,L,null));let{left:k,top:_,width:A,height:D}=be;to=k,no=_,so=A,io=D}function oo(l,o,c,u,m,y,v){Xt=Ve._x=Ve._y=!1,zi(l,o,c,u,m,y,v,!1,!0);
let{left:k,top:_,width:A,height:D}=be,$=A>0||D>0,q=to!=k||no!=_||so!=A||io!=D;if($&&q&&Vs(be),Ve.setScale&&$&&q){let re=k,le=A,X=_,W=D;if(E.
ori==1&&(re=_,le=D,X=k,W=A),Ce&&en(R,Nt(re,R),Nt(re+le,R)),Oe)for(let O in T){let ye=T[O];O!=R&&ye.from==null&&ye.min!=pe&&en(O,Nt(X+W,O),Nt(
X,O))}Vi()}else C.lock&&(C._lock=!C._lock,yn(o,!0,l!=null));l!=null&&(Rn(sl,al),ys(sl,s,ge,ke,U,L,null))}function ec(l,o,c,u,m,y,v){if(C._lock)
return;mn(l);let k=Xt;if(Xt){let _=!0,A=!0,D=10,$,q;E.ori==0?($=Ce,q=Oe):($=Oe,q=Ce),$&&q&&(_=ge<=D||ge>=U-D,A=ke<=D||ke>=L-D),$&&_&&(ge=ge<
Gn?0:U),q&&A&&(ke=ke<Kn?0:L),yn(null,!0,!0),Xt=!1}ge=-10,ke=-10,fe.fill(null),yn(null,!0,!0),k&&(Xt=k)}function ro(l,o,c,u,m,y,v){C._lock||(mn(
l),_i(),Vi(),l!=null&&ys(Go,s,ge,ke,U,L,null))}function ao(){H.forEach(vf),ki(s.width,s.height,!0)}En(oi,ts,ao);let Yn={};Yn.mousedown=lo,Yn.
mousemove=eo,Yn.mouseup=oo,Yn.dblclick=ro,Yn.setSeries=(l,o,c,u)=>{let m=Me.match[2];c=m(s,o,c),c!=-1&&Ft(c,u,!0,!1)},Ge&&(Ke(Wo,M,lo),Ke(nl,
M,eo),Ke(Bo,M,l=>{mn(l),bs(!1)}),Ke(qo,M,ec),Ke(Go,M,ro),gl.add(s),s.syncRect=bs);let Ws=s.hooks=e.hooks||{};function He(l,o,c){Fi?hs.push([
l,o,c]):l in Ws&&Ws[l].forEach(u=>{u.call(null,s,o,c)})}(e.plugins||[]).forEach(l=>{for(let o in l.hooks)Ws[o]=(Ws[o]||[]).concat(l.hooks[o])});
let co=(l,o,c)=>c,Me=Ae({key:null,setSeries:!1,filters:{pub:nr,sub:nr},scales:[R,x[1]?x[1].scale:null],match:[sr,sr,co],values:[null,null]},
C.sync);Me.match.length==2&&Me.match.push(co),C.sync=Me;let uo=Me.key,Wi=Xr(uo);function ys(l,o,c,u,m,y,v){Me.filters.pub(l,o,c,u,m,y,v)&&Wi.
pub(l,o,c,u,m,y,v)}Wi.sub(s);function tc(l,o,c,u,m,y,v){Me.filters.sub(l,o,c,u,m,y,v)&&Yn[l](null,o,c,u,m,y,v)}s.pub=tc;function nc(){Wi.unsub(
s),gl.delete(s),un.clear(),fl(oi,ts,ao),p.remove(),ce?.remove(),He("destroy")}s.destroy=nc;function Bi(){He("init",e,t),Il(t||e.data,!1),I[R]?
Ni(R,I[R]):_i(),Ns=be.show&&(be.width>0||be.height>0),hn=dt=!0,ki(e.width,e.height)}return x.forEach(Hl),H.forEach(Fa),n?n instanceof HTMLElement?
(n.appendChild(p),Bi()):n(s,Bi):Bi(),s}Be.assign=Ae;Be.fmtNum=_l;Be.rangeNum=ri;Be.rangeLog=ui;Be.rangeAsinh=xl;Be.orient=An;Be.pxRatio=ae;Be.
join=uu;Be.fmtDate=Tl,Be.tzDate=xu;Be.sync=Xr;{Be.addGap=sf,Be.clipGaps=pi;let e=Be.paths={points:la};e.linear=ra,e.stepped=rf,e.bars=af,e.spline=
uf}var cs=[7,4],Pl=[2,3],fa=190,xf=60,kf=180,_f=Array.from({length:50},(e,t)=>2**t),rn=class{element;#e;#t=h("div",{class:"chart-canvas"});#i=[];#n=h(
"span",{class:"chart-when"});#l;#o;#s=null;#r=[];#a=[];#c=0;constructor(t,n=null){this.#e=t;let s=t.lines.map(i=>{let r=h("span",{class:"fig\
ure"});this.#i.push(r);let a=h("span",{class:`sample sample-${i.colour}${i.dash?` sample-${i.dash[0]===Pl[0]?"dot":"dash"}`:""}`,"aria-hidde\
n":"true"});return h("li",{},a,h("span",{},i.label),r)});this.element=h("figure",{class:"chart card"},h("figcaption",{},h("div",{},h("h3",{},
t.title),h("p",{},t.about)),n),this.#t,h("div",{class:"legend"},h("ul",{},...s),this.#n)),this.#t.setAttribute("role","img"),this.#t.setAttribute(
"aria-label",`${t.title}: lines over the last five minutes; the newest figures follow`),this.#l=new ResizeObserver(()=>this.#u()),this.#l.observe(
this.#t),this.#o=$o(()=>this.#h())}set(t,n){this.#r=t,this.#a=n,this.#t.dataset.points=String(t.length),this.#s?this.#s.setData(this.#f()):this.#u(),
this.#p(null)}leave(){this.#l.disconnect(),this.#o(),this.#s?.destroy(),this.#s=null}#u(){let t=Math.floor(this.#t.clientWidth);t!==0&&(this.#s?
t!==this.#c&&this.#s.setSize({width:t,height:fa}):this.#m(t),this.#c=t)}#h(){this.#s&&(this.#s.destroy(),this.#s=null,this.#u())}#f(){let t=[];
return this.#e.lines.forEach((n,s)=>{let i=this.#a[s]??[],r=n.fill==="stacked"?t[s-1]:void 0;t.push(r?i.map((a,f)=>a===null?null:a+(r[f]??0)):
i)}),[this.#r,...t]}#m(t){let{lines:n,tick:s,figure:i,least:r,most:a,isBinary:f}=this.#e,d={stroke:vs("ink-soft"),font:`12px ${vs("font")}`,
ticks:{show:!1},grid:{stroke:vs("rule"),width:1}},p={width:t,height:fa,legend:{show:!1},cursor:{sync:{key:"forebay"},drag:{x:!1,y:!1}},scales:{
x:{time:!0,range:()=>this.#d()},y:{range:(b,g,w)=>[0,a??Math.max((w??0)*1.1,r??1)]}},axes:[{...d,grid:{show:!1},size:26,space:110,values:(b,g)=>g.
map(w=>this.#b(w))},{...d,size:62,space:36,values:(b,g)=>g.map(w=>(s??i)(w)),...f?{incrs:_f}:{}}],series:[{},...n.map(b=>this.#g(b))],bands:n.
flatMap((b,g)=>b.fill==="stacked"&&g>0?[{series:[g+1,g]}]:[]),hooks:{setCursor:[b=>this.#p(b.cursor.idx??null)]}};this.#s=new Be(p,this.#f(),
this.#t)}#g(t){let n=vs(t.colour);return{label:t.label,stroke:n,width:2,points:{show:!1},...t.dash?{dash:t.dash}:{},...t.fill?{fill:`${n}40`}:
{}}}#d(){let t=this.#r.at(-1)??Date.now()/1e3,n=t-(this.#r[0]??t);return[t-Math.min(ws,Math.max(xf,n)),t]}#b(t){let[n,s]=this.#d(),i=kn(t*1e3);
return s-n<kf?i:i.slice(0,5)}#p(t){let n=t??this.#r.length-1,s=this.#r[n];this.#i.forEach((i,r)=>se(i,this.#e.figure(this.#a[r]?.[n]??null))),
se(this.#n,t===null||s===void 0?"now":kn(s*1e3))}};var da={size:"Request size",latency:"Latency",seek:"Seek distance",outstanding:"Outstanding requests",interarrival:"Time between requests"},
Sf={...ti,read:"Reads",write:"Writes",all:"All"};function Tf(e,t){if(e.upto===null)return"more";switch(t){case"bytes":return G(e.upto);case"\
microseconds":return jt(e.upto);default:return e.upto<0?`\u2212${zt(-e.upto)}`:zt(e.upto)}}function Ef(e){let t=e.map(([,f])=>f.length),n=f=>e.
some(([,d])=>(d[f]?.count??0)>0),s=[...Array(Math.max(0,...t)).keys()],i=s.filter(n),[r,a]=[i[0],i.at(-1)];return r===void 0||a===void 0?[0,
0]:[Math.max(0,r-1),Math.min(s.length,a+2)]}function Mf(e){let t=e.map(([,n])=>n.map(s=>s.upto).join());return t.every(n=>n===t[0])}var bi=class{element=h(
"section",{class:"histograms","aria-label":"Histograms"});#e=h("div",{class:"segmented",role:"group","aria-label":"What is counted"});#t=h("\
div",{class:"card histogram-tables"});#i=[];#n="size";#l="";constructor(){this.element.append(h("div",{class:"section-head"},h("h2",{},"Hist\
ograms"),this.#e),this.#t),this.element.hidden=!0}set(t){if(this.element.hidden=t===null||t.length===0,t===null||t.length===0)return;this.#i=
t,t.some(([s])=>s===this.#n)||(this.#n=t[0]?.[0]??"");let n=t.map(([s])=>s);this.#e.children.length!==n.length&&this.#e.replaceChildren(...n.
map(s=>this.#o(s))),this.#s()}#o(t){return h("button",{type:"button","data-what":t,onclick:()=>{this.#n=t,this.#s()}},da[t]??t)}#s(){for(let a of this.#e.
children)a.setAttribute("aria-pressed",String(a.getAttribute("data-what")===this.#n));let t=this.#i.find(([a])=>a===this.#n)?.[1];if(!t)return;
let n=JSON.stringify([this.#n,t]);if(n===this.#l)return;this.#l=n;let{unit:s,kinds:i}=t,r=Mf(i)?[i]:i.map(a=>[a]);this.#t.replaceChildren(...r.
map(a=>Af(this.#n,s,a)))}};function Af(e,t,n){let[s,i]=Ef(n),r=`${da[e]??e}, ${t==="bytes"||t==="microseconds"?"up to":`up to, in ${t}`}`;if(s===
i)return h("p",{class:"hint"},"Nothing was counted yet.");let a=n.map(([,p])=>p.reduce((b,g)=>b+g.count,0)),f=h("thead",{},h("tr",{},h("th",
{scope:"col"},r),...n.map(([p],b)=>h("th",{scope:"col"},`${Sf[p]??p}: ${zt(a[b])}`)))),d=[...Array(i-s).keys()].map(p=>{let b=s+p,g=n[0]?.[1][b];
return h("tr",{},h("th",{scope:"row"},g?Tf(g,t):""),...n.map(([,w],S)=>Df(w[b]?.count??0,a[S]??0,S)))});return h("table",{class:"histogram"},
f,h("tbody",{},...d))}function Df(e,t,n){let s=t>0?e/t:0,i=h("span",{class:`bar bar-${n%6}`});i.style.width=`${(s*100).toFixed(2)}%`;let r=h(
"span",{class:"bar-text"});return se(r,e===0?"":`${zt(e)} (${(s*100).toFixed(1)}%)`),h("td",{},h("div",{class:"bar-cell"},h("span",{class:"b\
ar-track"},i),r))}function an(){return h("span",{class:"badge"},h("span",{class:"sign","aria-hidden":"true"}),h("span",{}))}function cn(e,t,n){e.className=`ba\
dge badge-${t}`;let[s,i]=e.children;s&&se(s,Xi[t]),i&&se(i,n)}function ct(e,t){let n=h("div",{class:"tile-value","data-figure":t}),s=h("div",
{class:"tile-remark"});return{element:h("div",{class:"tile"},h("div",{class:"tile-name"},e),n,s),set(r,a=""){se(n,r),se(s,a)}}}function yi(){
let e=h("ul",{class:"findings","aria-live":"polite","aria-label":"Warnings"});return{element:e,set(t){e.hidden=t.length===0,vn(e,t,n=>`${n.tone}\
 ${n.text.replace(/\d[\d.]*/g,"#")}`,()=>h("li",{},h("span",{class:"sign","aria-hidden":"true"}),h("div",{},h("div",{class:"finding-text"}),
h("div",{class:"finding-advice"}))),(n,s)=>{n.className=`finding finding-${s.tone}`,Re(n,".sign",Xi[s.tone]),Re(n,".finding-text",s.text),Re(
n,".finding-advice",s.advice??"")})}}}function Re(e,t,n){let s=e.querySelector(t);s&&se(s,n)}var Dn={width:120,height:28};function pa(e){let t=qs(
"svg",{class:"spark",viewBox:`0 0 ${Dn.width} ${Dn.height}`,role:"img",preserveAspectRatio:"none"}),n=qs("path",{fill:"none","vector-effect":"\
non-scaling-stroke"});return t.append(qs("path",{class:"spark-base",d:`M0 ${Dn.height-1}H${Dn.width}`,fill:"none"}),n),{element:t,set(s,i){n.
setAttribute("d",Lf(s,i));let r=s.filter(a=>a!==null).at(-1);t.setAttribute("aria-label",r===void 0?`${e}: no reads in the last five minutes`:
`${e} over the last five minutes, ${bt(r)} lately`)}}}function Lf(e,t){let n=Dn.width/Math.max(1,t-1),s=Dn.width-(e.length-1)*n,i="M",r="";return e.
forEach((a,f)=>{if(a===null){i="M";return}r+=`${i}${(s+f*n).toFixed(1)} ${((1-a)*(Dn.height-4)+2).toFixed(1)}`,i="L"}),r}function ha(e){let t=e.
map(([s,i])=>({key:s,name:i,cell:h("dd",{"data-figure":s})}));return{element:h("dl",{class:"facts"},...t.map(({name:s,cell:i})=>h("div",{},h(
"dt",{},s),i))),set(s){for(let{key:i,cell:r}of t)se(r,s[i]??""),r.parentElement&&(r.parentElement.hidden=s[i]===void 0)}}}var wi=class{element;#e=new Map;#t=h("div",{class:"fields"});#i=h("button",{type:"submit",class:"primary"},"Review changes\u2026");#n=h("but\
ton",{type:"reset"},"Undo");#l=h("span",{class:"hint","aria-live":"polite"});#o;#s;constructor(t,n){this.#o=t,this.#s=n;let s=h("form",{"ari\
a-label":"Settings"},this.#t,h("div",{class:"buttons buttons-start"},this.#i,this.#n,this.#l));s.addEventListener("input",()=>this.#c()),s.addEventListener(
"reset",i=>{i.preventDefault();for(let r of this.#e.values())r.input.value=r.now;this.#c()}),s.addEventListener("submit",i=>{i.preventDefault(),
this.#u()}),this.element=h("section",{class:"card","aria-label":"Settings"},h("h2",{},"Settings"),h("p",{class:"hint"},"As forebay disk set \
takes them. They are changed while guests go on."),s)}update(t){let n=el.filter(i=>i.name in t),s=Object.keys(t).filter(i=>!el.some(r=>r.name===
i));for(let i of[...n,...s.map(r=>({name:r,about:""}))]){let r=t[i.name]??"",a=this.#e.get(i.name)??this.#r(i,r),f=a.input.value!==a.now;a.now=
r,f||ma(a.input,r)}this.#c()}#r(t,n){let s=Ht(),i=Ht(),r={id:s,name:t.name,"aria-describedby":i},a=t.choices?h("select",r,...t.choices.map(p=>h(
"option",{value:p},p))):h("input",{...r,type:"text",spellcheck:"false",autocomplete:"off",autocapitalize:"off"}),f=h("div",{class:"field"},h(
"label",{for:s},t.name),a,h("p",{class:"hint",id:i},t.about)),d={key:t.name,now:n,input:a,element:f};return ma(a,n),this.#t.append(f),this.#e.
set(t.name,d),d}#a(){let t=[...this.#e.values()].filter(n=>n.input.value.trim()!==n.now);return Object.fromEntries(t.map(n=>[n.key,n.input.value.
trim()]))}#c(){let t=this.#a();for(let s of this.#e.values())s.element.classList.toggle("changed",s.key in t);let n=Object.keys(t).length;this.#i.
disabled=n===0,Se(this.#n,n>0),se(this.#l,n===0?"":n===1?"1 change, not sent yet":`${n} changes, not sent yet`)}#u(){let t=this.#o(),n=this.#a();
if(!t||Object.keys(n).length===0)return;let s=Object.entries(n).map(([i,r])=>h("li",{},h("code",{},i),`: ${this.#e.get(i)?.now??""} \u2192 ${r}`));
Gs({title:`Change ${t.name}?`,sentences:Co(t,n),confirm:"Change",fields:h("ul",{class:"changes"},...s),run:async()=>{await Et("PATCH",gt(t.name),
{settings:n});for(let[i,r]of Object.entries(n)){let a=this.#e.get(i);a&&(a.now=r)}return this.#s(),`${t.name} now has ${Object.entries(n).map(
([i,r])=>`${i}=${r}`).join(" ")}`}})}};function ma(e,t){e instanceof HTMLSelectElement&&![...e.options].some(n=>n.value===t)&&e.append(h("op\
tion",{value:t},t)),e.value!==t&&(e.value=t)}var $f=[["backing","Backing"],["size_bytes","Size"],["block_bytes","Block"],["reserve_bytes","Reserved flash"],["limit_bytes","Flash at most"],
["cached_bytes","Cached on flash"],["ram_bytes","Cached in RAM"],["load","From last time"],["mirrored","Dirty data"],["connections","Guests \
connected"],["nbd_socket","NBD socket"],["guest","Taken from"],["page_cache","Page cache"],["errors","Errors"]];function ga(e,t){let n=null,
s=()=>n,i=an(),r=h("span",{class:"mode"}),a=yi(),f={hits:ct("Hit ratio","hit_ratio"),operations:ct("Requests","operations"),bytes:ct("Throug\
hput","bytes"),latency:ct("Read latency, mean","latency"),dirty:ct("Dirty","dirty_bytes"),saved:ct("Backing requests saved","saved")},d=new Rl,
p=new bi,b=ha($f.map(([P,x])=>[P,x])),g=new wi(s,t),w=Ho(s,t),S=h("div",{class:"stack"},a.element,h("div",{class:"tiles"},...Object.values(f).
map(P=>P.element)),d.element,w.element,p.element,h("section",{class:"card","aria-label":"Facts"},h("h2",{},"About this disk"),b.element),g.element),
M=h("div",{class:"card empty"},h("h3",{},"No such disk"),h("p",{},"Forebay serves no disk of this name. It may have been removed: forebay di\
sk list shows all.")),F=h("p",{class:"loading"},"Asking Forebay\u2026");return{element:h("div",{class:"view"},h("p",{class:"crumb"},h("a",{href:"\
#/"},"\u2190 Host")),h("div",{class:"title"},h("h1",{},e),i,r),M,F,S),title:e,leave:()=>d.leave(),update(P){let x=P.disk;if(n=x==="missing"||
x===null?null:x,Se(M,x==="missing"),Se(F,x===null),Se(S,n!==null),Se(i,n!==null),!n)return;let H=xs(n);cn(i,ei([Ut(n.state),...H.map(T=>T.tone)]),
n.state),se(r,n.read_only?`${n.mode}, read-only`:n.mode),a.set(H),Pf(f,n,P),d.set(P.series.get(e)?.points??[],P.windows.has(e),n.mode),p.set(
P.histograms),b.set(Ff(n)),g.update(n.settings),w.update()}}}function Pf(e,t,n){let s=n.windows.get(t.name)??n.statistics.get(t.name),i=n.windows.
has(t.name)?"last 5 minutes":"since attached",r=n.series.get(t.name)?.last,a=r?.rates??null,f=Jn(a);e.hits.set(bt(s?.hit_ratio),`of reads, ${i}`),
e.operations.set(f===null?"\u2013":`${lt(f)}/s`,a?`${lt(a.reads)} reads, ${lt(a.writes)} writes`:""),e.bytes.set(a?Kt(a.read_bytes+a.write_bytes):
"\u2013",a?`${Kt(a.read_bytes)} read, ${Kt(a.write_bytes)} written`:""),e.latency.set(jt(r?.readMicros),r?.writeMicros==null?"no writes late\
ly":`writes ${jt(r.writeMicros)}`),e.dirty.set(t.dirty_bytes===null?"\u2013":G(We(t)),Rf(t)),e.saved.set(bt(s?Ys(s):null),i)}function Rf(e){
let t=e.mode==="write-back"?`of at most ${G(e.dirty_limit_bytes)}`:"the backing is complete";if(We(e)===0)return t;let n=e.statistics.destage_bytes_per_second??
0,s=n>0?`, ${Kt(n)} going home`:"";return`${e.mode==="write-back"?t:`for ${xn(e.dirty_for_seconds)}`}${s}`}function Ff(e){let{statistics:t}=e,
n={backing:e.backing,size_bytes:G(e.size_bytes),block_bytes:G(e.block_bytes),reserve_bytes:G(e.reserve_bytes),limit_bytes:G(e.limit_bytes),cached_bytes:G(
t.cached_bytes),ram_bytes:G(t.ram_bytes),load:No(e),mirrored:Nf(e),connections:e.connections===null?"\u2013":String(e.connections),nbd_socket:e.
nbd_socket,errors:Cf(e)};return e.guest&&(n.guest=`QEMU at ${e.guest.qmp}, device ${e.guest.device}`),e.page_cache_reason&&(n.page_cache=`us\
ed, because ${e.page_cache_reason}`),n}function Nf(e){return e.mirrored===null?"\u2013":e.mirrored?"on two devices":"on one device"}function Cf(e){
let{checksum_errors:t,flash_errors:n,backing_errors:s,backing_retries:i}=e.statistics;if(t===void 0)return"\u2013";let a=[[t,"checksums"],[n,
"flash"],[s,"backing"],[i,"backing, sent again"]].filter(([f])=>(f??0)>0).map(([f,d])=>`${f} ${d}`);return a.length===0?"none":a.join(", ")}
var Rl=class{element;#e=new rn({title:"Hit ratio",about:"Reads answered from the cache, over ten seconds each.",lines:[{label:"RAM",colour:"\
ram",fill:"area"},{label:"Flash",colour:"flash",fill:"stacked",dash:cs}],figure:bt,tick:t=>`${Math.round(t*100)}%`,most:1});#t=new rn({title:"\
Requests a second",about:"What guests asked for.",lines:[{label:"Reads",colour:"read"},{label:"Writes",colour:"write",dash:cs}],figure:lt,tick:ji,
least:10});#i;#n=new rn({title:"Dirty data",about:"What flash has and the backing does not.",lines:[{label:"Dirty",colour:"dirty",fill:"area"},
{label:"Limit",colour:"limit",dash:cs}],figure:G,least:64*1024,isBinary:!0});#l=new rn({title:"Backing requests saved",about:"What guests as\
ked for, and what reached the backing.",lines:[{label:"Guests",colour:"read"},{label:"Backing",colour:"limit",dash:cs,fill:"area"}],figure:lt,
tick:ji,least:10});#o=h("select",{"aria-label":"Latency of",name:"latency-class"},...Ks.map(t=>h("option",{value:t},ti[t])));#s=h("span",{class:"\
hint"});#r=[];#a=!1;constructor(){let t=h("div",{class:"chart-controls"},this.#o,this.#s);this.#o.value="read_miss",this.#o.addEventListener(
"change",()=>{this.#a=!0,this.#c()}),this.#i=new rn({title:"Latency",about:"So many in a hundred were faster.",lines:[{label:"Half",colour:"\
read"},{label:"95 %",colour:"write",dash:cs},{label:"99 %",colour:"limit",dash:Pl}],figure:jt,least:10},t);let n=[this.#e,this.#t,this.#i,this.#l,
this.#n];this.element=h("section",{class:"charts","aria-label":"Charts of the last five minutes"},...n.map(s=>s.element))}set(t,n,s){this.#r=
t,se(this.#s,n?"over 5 minutes each":"since attached");let i=f=>t.map(f),r=t.map(f=>f.at);this.#e.set(r,[i(f=>f.hitRam),i(f=>f.hitFlash)]),this.#t.
set(r,[i(f=>f.rates?.reads??null),i(f=>f.rates?.writes??null)]),this.#l.set(r,[i(f=>Jn(f.rates)),i(f=>f.rates?f.rates.backing_reads+f.rates.
backing_writes:null)]);let a=s==="write-back"?i(f=>f.dirtyLimitBytes):t.map(()=>null);this.#n.set(r,[i(f=>f.dirtyBytes),a]),this.#c()}leave(){
for(let t of[this.#e,this.#t,this.#i,this.#l,this.#n])t.leave()}#c(){let t=this.#r.at(-1)?.latency;if(!this.#a&&t&&t[this.#u()].count===0){let i=Ks.
find(r=>t[r].count>0);i&&(this.#o.value=i)}let n=this.#u(),s=i=>this.#r.map(r=>r.latency&&r.latency[n].count>0?r.latency[n][i]:null);this.#i.
set(this.#r.map(i=>i.at),[s("p50"),s("p95"),s("p99")])}#u(){return Ks.find(t=>t===this.#o.value)??"read_miss"}};function vi(e){return`#/disk/${encodeURIComponent(e)}`}var Of={info:"good",warning:"warning",error:"bad"};function ba(){let e=h("ol",{class:"events","aria-label":"Events, newest first"}),t=h("sel\
ect",{name:"level"},h("option",{value:"info"},"All"),h("option",{value:"warning"},"Warnings and errors"),h("option",{value:"error"},"Errors")),
n=h("p",{class:"empty"},"Nothing happened that an operator must know."),s=h("p",{class:"empty"},"This Forebay keeps no list of events. Its l\
og has them: journalctl --unit forebay"),i=()=>{};t.addEventListener("change",()=>i());let r=h("label",{class:"inline"},"Show ",t),a=h("sect\
ion",{class:"card"},r,e,n,s);return{element:h("div",{class:"view"},h("h1",{},"Events"),a),title:"Events",leave(){},update(f){i=()=>{let d=["\
info","warning","error"],p=d.indexOf(t.value),b=(f.events??[]).filter(g=>d.indexOf(g.level)>=p||!d.includes(g.level)).reverse();Se(s,f.events===
null),Se(r,f.events!==null),Se(n,f.events!==null&&b.length===0),vn(e,b,g=>String(g.id),Hf,zf)},i()}}}function Hf(e){let t=e.disk?h("a",{href:vi(
e.disk),class:"event-disk"},e.disk):null;return h("li",{class:"event"},h("div",{class:"event-head"},an(),h("time",{datetime:e.time},vo(e.time)),
t,h("span",{class:"event-kind"})),h("div",{class:"event-message"}),h("div",{class:"finding-advice"}))}function zf(e,t){let n=e.querySelector(
".badge");n&&cn(n,Of[t.level]??"warning",t.level),Re(e,".event-kind",t.kind),Re(e,".event-message",t.message),Re(e,".finding-advice",t.advice??
"")}var If=ws*1e3/Qi,Vf=30,ya=new WeakMap;function wa(){let e=yi(),t={hits:ct("Hit ratio","host.hit_ratio"),operations:ct("Requests","host.opera\
tions"),bytes:ct("Throughput","host.bytes"),dirty:ct("Dirty","host.dirty_bytes"),saved:ct("Backing requests saved","host.saved")},n=Kf(),s=h(
"tbody",{}),r=h("table",{class:"disks"},h("thead",{},h("tr",{},...["Disk","State","Hit ratio","Requests/s","Read latency, mean","Dirty","Las\
t 5 min"].map(b=>h("th",{scope:"col"},b)))),s),a=Gf(),f=h("section",{class:"card","aria-label":"Disks"},h("h2",{},"Disks"),r,a),d=h("div",{class:"\
tiles"},...Object.values(t).map(b=>b.element));return{element:h("div",{class:"view"},h("h1",{},"Host"),e.element,d,f,n.element),title:"Host",
leave(){},update(b){let g=b.disks??[],w=[...b.pool?Ro(b.pool):[],...g.flatMap(xs)];b.poolProblem&&w.unshift({tone:"bad",text:b.poolProblem,advice:null}),
e.set(w),Wf(t,b),Se(d,g.length>0),Se(r,g.length>0),Se(a,g.length===0),vn(s,g,S=>S.name,Bf,(S,M)=>qf(S,M,b)),n.update(b)}}}function Wf(e,t){let n=[
...t.statistics.values()],s=Mo([...t.series.values()].map(b=>b.last?.rates??null)),i=n.map(b=>t.windows.get(b.name)??b),r=t.windows.size>0?"\
last 5 minutes":"since attached",a=Yi(i);e.hits.set(bt(Ao(a)),`of reads, ${r}`);let f=Jn(s);e.operations.set(f===null?"\u2013":`${lt(f)}/s`,
s?`${lt(s.reads)} reads, ${lt(s.writes)} writes`:""),e.bytes.set(s?Kt(s.read_bytes+s.write_bytes):"\u2013",s?`${Kt(s.read_bytes)} read, ${Kt(
s.write_bytes)} written`:"");let d=n.reduce((b,g)=>b+We(g),0),p=n.reduce((b,g)=>b+(g.mode==="write-back"?g.dirty_limit_bytes??0:0),0);e.dirty.
set(G(d),p>0?`of at most ${G(p)}`:"no disk is in write-back"),e.saved.set(bt(Ys(a)),r)}function Bf(e){let t=pa(`Hit ratio of ${e.name}`),n=(a,...f)=>h(
"td",{"data-heading":a},...f),s=a=>h("div",{"data-figure":`${e.name}.${a}`}),i=a=>h("div",{class:`sub ${a}`}),r=h("tr",{},h("th",{scope:"row"},
h("a",{href:vi(e.name)},e.name),i("backing")),n("State",an(),i("mode")),n("Hit ratio",s("hit_ratio"),i("split")),n("Requests/s",s("operation\
s"),i("kinds")),n("Read latency, mean",s("latency"),i("writes")),n("Dirty",s("dirty_bytes"),i("limit")),h("td",{class:"spark-cell"},t.element));
return ya.set(r,t),r}function qf(e,t,n){let s=n.statistics.get(t.name),i=n.windows.get(t.name)??s,r=n.series.get(t.name),a=r?.last,f=xs(t),d=e.
querySelector(".badge"),p=ei([Ut(t.state),...f.map(S=>S.tone)]);d&&cn(d,p,t.state==="serving"&&p!=="good"?"serving, look":t.state);let b=(S,M)=>Re(
e,`[data-figure$=".${S}"]`,M);Re(e,".backing",`${G(t.size_bytes)} at ${xo(t.backing,34)}`),Re(e,".mode",t.read_only?`${t.mode}, read-only`:t.
mode),b("hit_ratio",bt(i?.hit_ratio));let g=i?.reads??0;Re(e,".split",g>0?`RAM ${bt((i?.read_hits_ram??0)/g)}, flash ${bt((i?.read_hits_flash??
0)/g)}`:"no reads yet"),b("operations",lt(Jn(a?.rates??null))),Re(e,".kinds",a?.rates?`${lt(a.rates.reads)} r, ${lt(a.rates.writes)} w`:""),
b("latency",a?.readMicros==null?"\u2013":jt(a.readMicros)),Re(e,".writes",a?.writeMicros==null?"":`writes ${jt(a.writeMicros)}`),b("dirty_by\
tes",t.dirty_bytes===null?"\u2013":G(We(t))),Re(e,".limit",t.mode==="write-back"&&t.dirty_limit_bytes?`of ${G(t.dirty_limit_bytes)}`:"");let w=(r?.
points??[]).map(S=>S.hitRam===null||S.hitFlash===null?null:S.hitRam+S.hitFlash);ya.get(e)?.set(w,Math.max(Vf,Math.min(If,w.length)))}function Gf(){
return h("div",{class:"empty"},h("h3",{},"No disks yet"),h("p",{},"Nothing is cached until Forebay serves a disk. On the host, this adds one\
; nothing in the file changes:"),h("pre",{},h("code",{},"forebay disk add web1 --backing /srv/images/web1.raw")),h("p",{},"A running QEMU gu\
est's disk is moved behind Forebay without a reboot:"),h("pre",{},h("code",{},"forebay vm attach --qmp /run/web.qmp --device vda")),h("p",{class:"\
hint"},"It appears here by itself."))}function Kf(){let e=an(),t=h("span",{class:"meter-used"}),n=h("div",{class:"meter",role:"img"},t),s=h(
"p",{class:"meter-words","data-figure":"pool.used"}),i=h("p",{class:"meter-words","data-figure":"host.ram"}),r=h("tbody",{}),f=h("table",{class:"\
devices"},h("thead",{},h("tr",{},...["Device","State","Size","Free","Remarks"].map(p=>h("th",{scope:"col"},p)))),r),d=h("section",{class:"ca\
rd","aria-label":"Pool"},h("div",{class:"section-head"},h("h2",{},"Flash and RAM"),e),n,s,i,f);return{element:d,update({pool:p,statistics:b}){
if(Se(d,p!==null),!p)return;cn(e,Ut(p.state),p.state);let g=(p.segments-p.segments_free)*p.segment_bytes,w=p.segments_free*p.segment_bytes;t.
style.width=`${p.segments>0?(100*(p.segments-p.segments_free)/p.segments).toFixed(2):0}%`;let S=`Pool of ${G(p.size_bytes)}: ${G(g)} in use,\
 ${G(w)} free; ${G(p.reserved_bytes)} reserved by disks`;n.setAttribute("aria-label",S),se(s,S);let M=[...b.values()],F=M.reduce((P,x)=>P+(x.
ram_bytes??0),0),V=M.reduce((P,x)=>P+(x.index_bytes??0),0);se(i,`RAM: ${G(F)} of content in front of the flash, ${G(V)} for the index of wha\
t is on it`),vn(r,p.devices,P=>String(P.number),jf,(P,x)=>Uf(P,x,p))}}}function jf(){let e=(t,n,s="")=>h("td",{"data-heading":t,class:s},n);
return h("tr",{},h("th",{scope:"row",class:"path"}),e("State",an()),e("Size",null,"size"),e("Free",null,"free"),e("Remarks",null,"remarks"))}
function Uf(e,t,n){Re(e,".path",t.path??`device ${t.number}`);let s=e.querySelector(".badge");s&&cn(s,Ut(t.state),t.state),Re(e,".size",G(t.
size_bytes)),Re(e,".free",`${G(t.segments_free*n.segment_bytes)}`);let i=[t.discards?"discards":null,t.page_cache_reason?`page cache: ${t.page_cache_reason}`:
null];Re(e,".remarks",i.filter(r=>r!==null).join("; ")||`${zt(t.segments)} segments`)}var us=h("main",{id:"main",tabindex:-1}),Ls=h("p",{class:"loading"},"Asking Forebay\u2026"),va=h("span"),xa=h("button",{type:"button",onclick:Ki},
"Sign in\u2026"),ka=h("div",{class:"banner",role:"alert",hidden:!0},va," ",xa),Fl=h("span",{class:"pulse"}),$s={host:h("a",{href:"#/"},"Host"),
events:h("a",{href:"#/events"},"Events")},_a=h("button",{type:"button",class:"quiet",onclick:Xf}),Sa=h("button",{type:"button",class:"quiet",
onclick:Ki}),Ps=new Qs(Ea),Ln=null;function Yf(){let e=h("a",{class:"skip",href:"#main"},"To the content");e.addEventListener("click",s=>{s.
preventDefault(),us.focus()});let t=h("a",{href:"#/",class:"brand"},h("img",{src:"/assets/icon.svg",alt:"",width:24,height:24}),"Forebay"),n=h(
"header",{},t,h("nav",{"aria-label":"Views"},$s.host,$s.events),h("div",{class:"header-end"},Fl,_a,Sa));document.body.append(e,n,ka,us,go()),
us.append(Ls)}function Ta(){let e=window.location.hash.replace(/^#/,"")||"/",t=/^\/disk\/([^/]+)$/.exec(e)?.[1],n=t===void 0?null:Qf(t);Ln?.
leave(),Ln=n!==null?ga(n,()=>{Ps.look()}):e==="/events"?ba():wa(),document.title=`${Ln.title} \u2013 Forebay`,$s.host.setAttribute("aria-cur\
rent",e==="/"?"page":"false"),$s.events.setAttribute("aria-current",e==="/events"?"page":"false"),us.replaceChildren(Ln.element),window.scrollTo(
0,0),Ps.watch(n),Ea()}function Qf(e){try{return decodeURIComponent(e)}catch{return e}}function Ea(){let{known:e}=Ps;if(Jf(e),!Ln)return;let t=e.
disks!==null;Se(Ln.element,t),Se($s.events,!t||e.events!==null),t?(Ln.update(e),Ls.remove()):Ls.isConnected||us.append(Ls)}function Jf({away:e,
answeredAt:t}){us.classList.toggle("stale",e!==null),Se(ka,e!==null),se(va,e?Zf(e,t):""),Se(xa,e?.status===401),se(Ls,e?"Waiting for Forebay\
\u2026":"Asking Forebay\u2026"),Fl.classList.toggle("pulse-away",e!==null),se(Fl,e?"No answer":t===null?"Connecting":"Live")}function Zf({status:e,
reason:t,since:n},s){let i=s===null?"":` What is shown is from ${kn(s)}.`;return e===401?`Seen from here, this host shows its figures to tho\
se only who have its token.${i}`:e>0?`${t}.${i}`:`${t} since ${kn(n)}.${i} On the host, systemctl status forebay says whether it runs. This \
page goes on by itself.`}function Xf(){Lo(),Nl()}function Nl(){se(_a,{auto:"Theme: system",light:"Theme: light",dark:"Theme: dark"}[Zs()]),se(
Sa,qt.get()===null?"Sign in":"Signed in")}Po();Yf();Nl();document.addEventListener("forebay-token",()=>{Nl(),Ps.look()});window.addEventListener(
"hashchange",Ta);Ta();Ps.look();})();
