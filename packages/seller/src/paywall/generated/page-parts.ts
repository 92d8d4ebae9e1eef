// Generated from packages/paywall by `npm run paywall`. Do not edit.

/*
The script contains lean-qr.

MIT License

Copyright (c) 2021-2025 David Evans

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/

export const script: string =
  "\"use strict\";(()=>{var e=e=>e,t=`0x0000000000000000000000000000000000000000`;function n(t){return typeof t==`string`&&/^0x[0-9a-fA-F]{40}$/.test(t)?e(t):void 0}function r(t){if(typeof t!=`string`)return;let r=t.trim(),i=/^xdc([0-9a-f]{40})$/i.exec(r);if(i)return e(`0x${i[1]}`);let a=n(r),o=r.slice(2),s=o===o.toLowerCase()||o===o.toUpperCase();return a!==void 0&&(s||r===a)?a:void 0}function i(e){return e.slice(2).toLowerCase().padStart(64,`0`)}function a(e,t){return e.toLowerCase()===t.toLowerCase()}var o=(1n<<64n)-1n,s=(e,t)=>(e<<BigInt(t)|e>>BigInt((64-t)%64))&o,c=(e,t)=>e[t]??0n;function l(e){let t=(e.slice(2).match(/../g)??[]).map(e=>Number.parseInt(e,16)),n=t.length,r=Math.floor(n/136)+1,i=Array.from({length:r*136},(e,n)=>t[n]??0);i[n]=1,i[i.length-1]=(i.at(-1)??0)|128;let a=Array.from({length:25},()=>0n);for(let e=0;e<i.length;e+=136)a=f(a.map((t,n)=>n*8<136?t^u(i,e+n*8):t));return`0x${a.slice(0,4).map(d).join(``)}`}function u(e,t){let n=0n;for(let r=7;r>=0;r--)n=n<<8n|BigInt(e[t+r]??0);return n}function d(e){return(e.toString(16).padStart(16,`0`).match(/../g)??[]).toReversed().join(``)}function f(e){let t=[...e],n=1;for(let e=0;e<24;e++){let e=[0,1,2,3,4].map(e=>[0,5,10,15,20].reduce((n,r)=>n^c(t,e+r),0n));t=t.map((t,n)=>t^c(e,(n+4)%5)^s(c(e,(n+1)%5),1));let[r,i]=[1,0],a=c(t,1);for(let e=0;e<24;e++){[r,i]=[i,(2*r+3*i)%5];let n=r+5*i,o=c(t,n);t[n]=s(a,(e+1)*(e+2)/2%64),a=o}t=t.map((e,n)=>{let r=n-n%5;return e^~c(t,r+(n+1)%5)&o&c(t,r+(n+2)%5)});for(let e=0;e<7;e++)(n&1)==1&&(t[0]=c(t,0)^1n<<BigInt((1<<e)-1)),n=n<<1^(n>>7)*369}return t}var p=()=>`0x`,ee=l;function te(e,t){return typeof e==`string`&&e.length<=2+2*t&&e.length%2==0&&/^0x[0-9a-fA-F]*$/.test(e)}function ne(e){return Array.from(e,e=>e.toString(16).padStart(2,`0`)).join(``)}function m(e){return e.toString(16).padStart(64,`0`)}function re(e){return ie(ne(new TextEncoder().encode(e)))}function ie(e){return m(e.length/2)+e.padEnd(Math.ceil(e.length/64)*64,`0`)}function h(e){return typeof e==`object`&&!!e&&!Array.isArray(e)}function g(e,t){return Object.hasOwn(e,t)?e[t]:void 0}function ae(e,...t){return se(e,t,e=>typeof e==`string`)}function oe(e,...t){return se(e,t,h)}function se(e,t,n){let r={};for(let i of t){let t=g(e,i);n(t)&&(r[i]=t)}return r}function _(e){let t={};for(let[n,r]of Object.entries(e))r!==void 0&&(t[n]=r);return t}function v(e){if(typeof e==`string`&&!ce(e,32))try{return{value:JSON.parse(e)}}catch{return}}function ce(e,t){let n=0;for(let r=0;r<e.length;r++){let i=e.charCodeAt(r);if(i===34)r=le(e,r+1);else if(i===123||i===91){if(++n>t)return!0}else(i===125||i===93)&&n--}return!1}function le(e,t){let n=t;for(;;){let r=e.indexOf(`\"`,n);if(r===-1)return e.length;let i=r;for(;i>t&&e.charCodeAt(i-1)===92;)i--;if((r-i)%2==0)return r;n=r+1}}var ue={};Object.keys(ue).filter(de);function de(e){return typeof e==`string`&&Object.hasOwn(ue,e)}function fe(e,t,n){return{code:e,message:t??ue[e],..._({x402Reason:n})}}function y(e,t,n){return{ok:!1,refusal:fe(e,t,n)}}function b(e){return{ok:!0,value:e}}var pe=(1n<<256n)-1n,me={TransferWithAuthorization:[{name:`from`,type:`address`},{name:`to`,type:`address`},{name:`value`,type:`uint256`},{name:`validAfter`,type:`uint256`},{name:`validBefore`,type:`uint256`},{name:`nonce`,type:`bytes32`}]},he=`TransferWithAuthorization`;function ge(e){if(typeof e!=`string`||!/^\\d{1,78}$/.test(e))return;let t=BigInt(e);return t<=pe?t:void 0}function _e(e){let{from:t,to:n,value:r,validAfter:i,validBefore:a,nonce:o}=e;return{from:t,to:n,value:`${r}`,validAfter:`${i}`,validBefore:`${a}`,nonce:o}}function ve(e,t){return{domain:{...e.domain,chainId:e.chainId,verifyingContract:e.usdc},types:me,primaryType:he,message:t}}var x={paymentRequired:`PAYMENT-REQUIRED`,paymentSignature:`PAYMENT-SIGNATURE`,xPayment:`X-PAYMENT`,paymentResponse:`PAYMENT-RESPONSE`,xPaymentResponse:`X-PAYMENT-RESPONSE`,paymentCharged:`X-Payment-Charged`},ye=32768;function be(e){let t=JSON.stringify(e).replaceAll(/[\\u007f-\\uffff]/g,e=>`\\\\u${e.charCodeAt(0).toString(16).padStart(4,`0`)}`);return btoa(t)}function xe(e){if(typeof e!=`string`||e.length===0||e.length>ye||!/^[A-Za-z0-9+/]*={0,2}$/.test(e))return;let t=e.replace(/=+$/,``),n=t.length!==e.length;if(t.length%4==1||n&&e.length%4!=0)return;let r=atob(t.padEnd(Math.ceil(t.length/4)*4,`=`)),i=Uint8Array.from(r,e=>e.charCodeAt(0));try{return v(new TextDecoder(`utf-8`,{fatal:!0}).decode(i))}catch{return}}function Se(e){return e===`localhost`||e.endsWith(`.localhost`)||e===`[::1]`||/^127(\\.\\d{1,3}){3}$/.test(e)}var Ce=6,we={name:`USDC`,version:`2`},Te={chainId:50,id:`eip155:50`,label:`xdc`,aliases:[],name:`XDC Network`,usdc:`0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1`,domain:we,$:new Map([[`0x2A8E898b6242355c290E1f4Fc966b8788729A4D4`,`bridged USDC.e`]]),P:`https://xdcscan.com`},Ee={chainId:51,id:`eip155:51`,label:`xdc-apothem`,aliases:[`xdc-testnet`],name:`Apothem Network`,usdc:`0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4`,domain:we,$:new Map,P:`https://testnet.xdcscan.com`},De=[Te,Ee];function Oe(e){return e===50?Te:Ee}function S(e){return De.find(({chainId:t})=>t===e)??ke(2,e)??ke(1,e)}function ke(e,t){return De.find(({id:n,label:r,aliases:i})=>e===1?r===t||i.some(e=>e===t):n===t)}function Ae(e,t){return[...e.$].find(([e])=>a(e,t))?.[1]}function je({chainId:e,P:t},n){return e===51&&n.every(Se)?void 0:t}function Me(e,t,n){let r=je(e,[n.replace(/:\\d+$/,``)]);return r&&`${r}/tx/${t}`}function Ne(e){if(!h(e))return C(`paymentRequirements must be an object`);let t=g(e,`scheme`);if(typeof t!=`string`)return C(`scheme must be a string`);if(t!==`exact`)return y(`unsupported_scheme`);let n=g(e,`network`);if(typeof n!=`string`)return C(`network must be a string`);let r=n.includes(`:`)?2:1,i=ke(r,n);if(!i)return y(`unsupported_network`,Pe(r,n));let a=Fe(e,r,n);if(a)return a;let o=Le(e,r);if(!o.ok)return o;let s=ze(g(e,`extra`));return s.ok?b({version:r,network:i,O:n,...o.value,...s.value,...ae(e,`resource`,`description`,`mimeType`)}):s}function Pe(e,t){let n=S(t);return n?`Version ${e} of x402 calls this network ${e===1?n.label:n.id}, not ${t}; send that name.`:`The network is unknown; version 2 names are eip155:50 and eip155:51, version 1 names xdc and xdc-apothem.`}function Fe(e,t,n){let r=(g(e,`maxAmountRequired`)??void 0)!==void 0;if(r===((g(e,`amount`)??void 0)!==void 0)||r===(t===1))return;let i=r?1:2,a=Pe(i,n).slice(0,-1);return C(`an entry with ${Ie(i)} is of version ${i}. ${a}`)}function Ie(e){return e===1?`maxAmountRequired`:`amount`}function Le(e,r){let i=Ie(r),a=ge(g(e,i));if(a===void 0||a===0n)return C(`${i} must be base units above 0 as a string of decimal digits`);let o=n(g(e,`asset`));if(!o)return C(`asset must be a 0x address of 20 bytes`);let s=n(g(e,`payTo`));if(!s||s===t)return C(`payTo must be a 0x address of 20 bytes, and not zero`);let c=Re(g(e,`maxTimeoutSeconds`));return c===void 0?C(`maxTimeoutSeconds must be a number above 0`):b({asset:o,amount:a,payTo:s,_:c})}function Re(e){if(!(typeof e!=`number`||!(e>0)||e>2**53-1))return Math.max(1,Math.floor(e))}function ze(e){if(e==null)return b({});if(!h(e))return C(`extra must be an object`);if((g(e,`assetTransferMethod`)??`eip3009`)!==`eip3009`)return y(`unsupported_transfer_method`);let t=g(e,`name`)??void 0,n=g(e,`version`)??void 0,r=g(e,`paymentFlow`)??void 0;return!Be(t)||!Be(n)||!Be(r)?C(`extra.name, extra.version and extra.paymentFlow must be strings`):b(_({U:t,q:n,j:r}))}function Be(e){return e===void 0||typeof e==`string`}function C(e){return y(`invalid_payment_requirements`,`${e}.`)}var Ve=32;function He(e){if(!h(e))return Ue(`the challenge must be an object`);let t=g(e,`accepts`);if(!Array.isArray(t))return Ue(`the challenge has no list accepts`);let n=[],r=[];for(let[e,i]of t.slice(0,Ve).entries()){let t=Ne(i);t.ok?h(i)&&n.push({e:t.value,raw:i}):r.push({index:e,refusal:t.refusal})}return b({entries:n,skipped:r,...oe(e,`resource`,`extensions`),...ae(e,`error`)})}function Ue(e){return y(`invalid_payment_requirements`,`${e}.`)}var We=[`pending`,`confirmed`,`failed`];function Ge(e){if(!h(e))return;let t=g(e,`success`),n=g(e,`transaction`),r=g(e,`network`);if(typeof t!=`boolean`||typeof r!=`string`||typeof n!=`string`)return;let i=g(e,`status`);return{success:t,transaction:n,network:r,...ae(e,`payer`,`errorReason`,`errorMessage`,`amount`,`id`),..._({status:We.find(e=>e===i)}),...oe(e,`extensions`,`extra`)}}var Ke=new Set([`settlement_pending`,`service_unavailable`,`unexpected_settle_error`,`settle_exact_evm_transaction_confirmation_timed_out`,`settle_exact_node_failure`,`unknown_error`]);function qe(e){let{success:t,status:n,errorReason:r}=e;return n===`pending`?`pending`:t?n===`failed`||r===`settlement_pending`?`pending`:`confirmed`:n===`confirmed`?`pending`:r===void 0?n??`pending`:/^[a-z0-9_]+$/.test(r)&&!Ke.has(r)?`failed`:`pending`}function Je(e){return/^0x[0-9a-fA-F]{64}$/.test(e)}var Ye={token:`PAYMENT-PASS`,remaining:`X-Pass-Remaining`,expires:`X-Pass-Expires`};function Xe(e){return typeof e==`string`&&/^[\\x21-\\x7e]{16,256}$/.test(e)}var Ze={remaining:`X-Balance-Remaining`,cost:`X-Request-Cost`},Qe=`payment-identifier`,$e=RegExp(`^[A-Za-z0-9_-]{16,128}$`);function et(e){return typeof e==`string`&&$e.test(e)}var tt=8192;function nt(e){let{authorization:t,signature:n}=e,r={signature:n,authorization:_e(t)},i=_({resource:e.resource,extensions:e.extensions}),a={scheme:`exact`,network:e.O};return e.shape===`v2`?{x402Version:2,...a,payload:r,accepted:e.accepted??{},...i}:{x402Version:e.version,...a,payload:r,...i}}function rt(e){for(let t of[x.paymentResponse,x.xPaymentResponse]){let n=e.get(t),r=n===null?void 0:xe(n),i=r&&Ge(r.value);if(i)return i}}var w=`request-binding`,it=1,at=`x402-request-binding/1`;function ot(e,t){let n=e&&oe(e,w)[w],r={...e&&st(e),version:it,salt:t};return{...e,[w]:{...n,info:r}}}function st(e){let t=g(e,w),n=h(t)?g(t,`info`):void 0;return h(n)?n:void 0}function ct({salt:e,method:t,url:n,S:r,payTo:a}){let o=re(at),s=re(t),c=re(n),l=192+o.length/2,u=l+s.length/2;return ee(`0x${m(192)}${e.slice(2)}${m(l)}${m(u)}${r.slice(2)}${i(a)}${o}${s}${c}`)}function lt(e){return e.map(dt).join(` `)}var ut=/[\"$`\\\\!\\u201c-\\u201e]/;function dt(e){return/^[A-Za-z0-9_./:=-]+$/.test(e)?e:ut.test(e)?`'${e.replaceAll(`'`,String.raw`'\\''`)}'`:`\"${e}\"`}function ft(e){return e.replaceAll(/[\"'$!`\\\\]/g,e=>`%${e.charCodeAt(0).toString(16)}`)}RegExp(`^(\\\\d{1,71})(?:\\\\.(\\\\d{1,${Ce}}))?$`);function pt(e){let t=e<0n?`-`:``,n=(e<0n?-e:e).toString().padStart(Ce+1,`0`);return`${t}${n.slice(0,-Ce)}.${n.slice(-Ce)}`}function T(e){return pt(e).replace(/\\.?0+$/,``)}var mt=30,ht=40,gt=250,_t=new Map,vt=[],yt=!1,bt=new Set;function xt(e){return h(e)&&typeof e.request==`function`}function St(e){if(!h(e)||!h(e.info))return;let{uuid:t,name:n,icon:r,rdns:i}=e.info,a=e.provider;if(xt(a)&&typeof t==`string`&&typeof n==`string`)return{id:t,name:n.trim().slice(0,ht)||`Unnamed wallet`,icon:typeof r==`string`&&/^data:image\\//i.test(r)?r:``,rdns:typeof i==`string`?i:``,provider:a}}function Ct(){let e=Reflect.get(globalThis,`ethereum`);return xt(e)?{id:`window.ethereum`,name:`Browser wallet`,icon:``,rdns:``,provider:e}:void 0}function wt(){let e=yt&&_t.size===0?Ct():void 0;vt=e?[e]:[..._t.values()];for(let e of bt)e()}function Tt(){addEventListener(`eip6963:announceProvider`,e=>{let t=St(`detail`in e?e.detail:void 0);!t||_t.has(t.id)||_t.size>=mt||(_t.set(t.id,t),wt())}),addEventListener(`ethereum#initialized`,wt),dispatchEvent(new Event(`eip6963:requestProvider`)),setTimeout(()=>{yt=!0,vt.length===0&&wt()},gt)}function Et(e){return bt.add(e),()=>bt.delete(e)}var Dt=()=>vt.length>0||yt?vt:void 0,E=class extends Error{code;details;constructor(e,t,n={}){super(t),this.name=`WalletProblem`,this.code=e,this.details=n}};function Ot(e){if(!h(e))return;let t=g(e,`data`),n=h(t)?g(t,`originalError`):void 0;for(let t of[n,e]){let e=h(t)?t.code:void 0;if(typeof e==`number`)return e}}async function D(e,t,n,r){r?.throwIfAborted();let i,a=new Promise((e,t)=>{i=()=>t(r?.reason),r?.addEventListener(`abort`,i,{once:!0})});try{return await Promise.race([e.request({method:t,params:n}),a])}catch(e){throw r?.throwIfAborted(),kt(e)}finally{i&&r?.removeEventListener(`abort`,i)}}function kt(e){switch(Ot(e)){case 4001:return new E(`rejected`,`Nothing was signed. Try again when you are ready.`);case-32002:return new E(`already_open`,`An earlier request is still open in your wallet. Approve or reject it there, then try again.`);case 4902:return e;case 4200:case-32601:return new E(`unable`,`This wallet does not support the request. Try a different wallet.`);default:return At(Mt(e))}}function At(e){return new E(`failed`,`Your wallet reported a problem: ${e}. Try again, or use a different wallet.`,{reason:e})}var jt=160;function Mt(e){let t=h(e)?e.message:e;return(typeof t==`string`&&t!==``?t:`no reason given`).slice(0,jt).replace(/\\.$/,``)}function Nt(e){return(Array.isArray(e)?e:[]).map(n).filter(e=>e!==void 0)}function Pt(e){let t=typeof e==`string`||typeof e==`number`?Number(e):NaN;return Number.isSafeInteger(t)?t:void 0}var Ft={50:[`https://erpc.xinfin.network`,`https://erpc.xdcrpc.com`],51:[`https://erpc.apothem.network`,`https://apothem.xdcrpc.com`]},It={50:`XDC`,51:`TXDC`},Lt=e=>`0x${e.toString(16)}`;async function Rt({wallet:e,chainId:t},n,r){if(t===n)return;let i=()=>D(e.provider,`wallet_switchEthereumChain`,[{chainId:Lt(n)}],r);try{await i().catch(async t=>{if(Ot(t)!==4902)throw t;await D(e.provider,`wallet_addEthereumChain`,[zt(n)],r),await i()})}catch(t){let r=t instanceof E?t.code:`failed`;throw r===`unable`||r===`failed`?Bt(e.name,n):t}}function zt(e){let{name:t,P:n}=Oe(e);return{chainId:Lt(e),chainName:t,rpcUrls:Ft[e].slice(0,1),nativeCurrency:{name:It[e],symbol:It[e],decimals:18},blockExplorerUrls:[n]}}function Bt(e,t){let{name:n}=Oe(t);return new E(`other_network`,`${e} did not switch to ${n}. Select ${n} (chain ${t}) in the wallet and try again.`,{wallet:e,network:n,chain:`${t}`})}function O(e,t={},...n){let r=document.createElement(e);for(let[e,n]of Object.entries(t))typeof n==`function`?r.addEventListener(e,n):n===!0?r.setAttribute(e,``):typeof n==`string`&&r.setAttribute(e,n);return r.append(...n.filter(e=>e!==void 0)),r}function k(e){let t=document.getElementById(e);if(!t)throw Error(`The page has no #${e}.`);return t}var Vt=!0;function A({title:e,tone:t=`plain`,children:n}){let r=O(`h2`,{tabindex:`-1`},e),i=O(`span`,{class:`mark`,\"aria-hidden\":`true`}),a=k(`flow`);a.dataset.tone=t,a.replaceChildren(...[O(`div`,{class:`title`},i,r),...n].filter(e=>e!==void 0)),Vt||r.focus(),Vt=!1}function Ht(e){k(`live`).textContent=e}function j(...e){return O(`div`,{class:`actions`},...e.map((e,t)=>{if(!e)return;let{label:n,run:r}=e;return O(`button`,{type:`button`,class:t===0?`primary`:``,click:r},n)}))}function M(...e){return O(`p`,{},...e)}function Ut(e){return O(`dl`,{class:`facts`},...e.map(([e,t])=>O(`div`,{},O(`dt`,{},e),O(`dd`,{},t))))}var N=JSON.parse(k(`texts`).textContent);function P(e,t){let n=t;return e.split(/\\{(\\w+)\\}/).map((e,t)=>t%2==1?n[e]??``:e)}function F(e,t){let n=Object.entries(t).map(([e,t])=>[e,String(t)]);return P(e,Object.fromEntries(n)).join(``)}var I=N.copy,Wt=2e3;function Gt(e,t){let n=I[e],r=(e,t)=>{a.textContent=e,a.setAttribute(`aria-label`,t)},i=async()=>{let e=await navigator.clipboard.writeText(t).then(()=>I.copied,()=>I.blocked);r(e,e),Ht(e),setTimeout(()=>r(I.copy,n),Wt)},a=O(`button`,{type:`button`,class:`copy`,click:()=>{i()}});return r(I.copy,n),a}function Kt(){for(let e of[`amount`,`address`,`command`]){let t=k(`copy-${e}`);t.after(Gt(e,t.dataset.value??t.textContent))}}var qt={reserved:[`signed`,`released`],signed:[`sent`,`settled`,`released`,`expired`],sent:[`settled`,`ambiguous`,`released`,`expired`],ambiguous:[`settled`,`ambiguous`,`released`,`expired`],settled:[],released:[],expired:[`settled`,`released`]},Jt=class extends Error{name=`LedgerTransitionError`};async function Yt(e,t){let n=e.getReader(),r=[],i=0;for(;;){let{done:e,value:a}=await n.read();if(e)break;if(i+=a.byteLength,i>t){n.cancel().catch(()=>{});return}r.push(a)}let a=new Uint8Array(i),o=0;for(let e of r)a.set(e,o),o+=e.byteLength;return a}async function Xt(e,t){let n=e===null?void 0:await Yt(e,t);return n&&v(new TextDecoder().decode(n))?.value}function Zt(e,t){let n=He(t);if(!n.ok)return[];let{entries:r,skipped:i}=n.value,{resource:a,extensions:o}=n.value,s=_({resource:a,extensions:o}),c=h(t)?g(t,`accepts`):void 0,l=Array.isArray(c)?c:[],u=r.map(({e:t,raw:n})=>({source:e,index:l.indexOf(n),raw:n,e:t,...s})),d=i.map(({index:t,refusal:n})=>{let r=l[t],i=h(r)?r:{};return{source:e,index:t,raw:i,refusal:{code:tn(i)?`amount_unparseable`:Qt(n.code),message:n.message},...s}});return[...u,...d].sort((e,t)=>e.index-t.index)}function Qt(e){return e===`unsupported_network`?`network_not_allowed`:`challenge_invalid`}var $t=/^[0-9]{1,30}$/;function en(e){return typeof e==`string`&&$t.test(e)&&BigInt(e)>0n}function tn(e){let t=g(e,`network`);return!en(g(e,typeof t==`string`&&t.includes(`:`)?`amount`:`maxAmountRequired`))}var nn=200;function L(e){let t=e.replaceAll(/[\\p{Cc}\\p{Cf}]+/gu,` `).trim();return t.length>nn?`${t.slice(0,nn)}…`:t}var rn=30;function an(e,t){let{e:n,refusal:r}=e;return n?[R(`entry`,``),on(n,t),sn(n),cn(n),ln(n),...un(n,t),...pn(n,t),gn(n,t.agreed),_n(n)]:[z(`entry`,r?.code??`challenge_invalid`,r?.message??`malformed`)]}function on({network:e},{allow:t}){let n=[e.id,e.label,...e.aliases];return t.networks?.some(e=>n.includes(e))??!0?R(`network`,``):z(`network`,`network_not_allowed`,`${e.id} is not among the allowed networks.`)}function sn({network:e,asset:t}){if(a(t,e.usdc))return R(`asset`,``);let n=Ae(e,t);return z(`asset`,`asset_not_allowed`,`${t} is ${n===void 0?`not the USDC contract`:`${n}, not USDC,`} on ${e.id}; only ${e.usdc} is paid.`)}function cn({network:e,U:t,q:n}){let{name:r,version:i}=e.domain;return(t??r)===r&&(n??i)===i?R(`domain`,``):z(`domain`,`token_domain_mismatch`,`The entry says extra.name \"${L(t??``)}\", version \"${L(n??``)}\"; USDC on ${e.id} is \"${r}\", version \"${i}\". Such a signature would never recover.`)}function ln({j:e}){return e===void 0||e===`authorization`||e===`upfront`?R(`flow`,``):z(`flow`,`challenge_invalid`,`The flow \"${L(e)}\" is not known.`)}function un({payTo:e,network:t},n){let{payees:r}=n.allow;return a(e,n.payer)?[dn(`The payee is the payer itself.`)]:a(e,t.usdc)?[dn(`The payee is the token contract.`)]:r===void 0?[R(`payee`,``),fn(e,n)]:r.some(t=>a(t,e))?[R(`payee`,``)]:[dn(`${e} is not among the allowed payees.`)]}function dn(e){return z(`payee`,`payee_not_allowed`,e)}function fn(e,{pinned:t,K:n,allow:r}){if(r.hosts!==void 0||t===void 0||a(t,e))return R(`pin`,``);let i=`This host was paid at ${t} before and now asks for ${e}.`;return n?{name:`pin`,T:`ask`,message:i}:z(`pin`,`payee_changed`,`${i} A person has to confirm the change.`)}function pn(e,t){let{amount:n}=e,{limits:r,usage:i,pe:a}=t;if(!en(n.toString()))return[z(`amount`,`amount_unparseable`,`The amount is beyond any sum of USDC.`)];let o=T(n),s=[R(`amount`,``)],c=(e,t,r,i)=>s.push(n<=t?R(e,`at most ${T(t)} USDC ${i}`):z(e,r,`The price ${o} USDC is above ${T(t)} USDC ${i}.`));if(c(`per_call`,r.oe,`per_payment_cap`,`per call`),a!==void 0&&c(`max_amount`,a,`per_payment_cap`,`for this call`),r.V!==void 0){let e=r.V-i.ie;c(`per_day`,e>0n?e:0n,`cumulative_cap`,`left for today`)}if(s.push(mn(t)),t.K&&n>r.J){let e=`${o} USDC is above ${T(r.J)} USDC.`;s.push({name:`approval`,T:`ask`,message:e})}return s}function mn({usage:e,limits:t,open:n=hn}){let{ae:r,se:i}=t,{ce:a}=e;return a<r&&n.count<i?(`${n.count}${i}`,R(`open_payments`,``)):z(`open_payments`,`open_payments_limit`,n.message)}var hn={count:0,message:``};function gn(e,t){return t===void 0?vn(`agreed`,``):e.amount===t.amountUnits&&a(e.payTo,t.payTo)&&a(e.asset,t.asset)?R(`agreed`,``):z(`agreed`,`challenge_changed`,`Amount, asset or payee differ from what was agreed.`)}function _n({_:e}){let t=`${e} s is too short to settle; ${rn} s is the least.`;return e>=rn?R(`time`,``):z(`time`,`challenge_invalid`,t)}function R(e,t){return{name:e,T:`pass`,message:t}}function vn(e,t){return{name:e,T:`skip`,message:t}}function z(e,t,n){return{name:e,T:`fail`,message:n,code:t}}function yn(e,t){return[...e].sort((e,n)=>bn(e,n,t===`v1`?1:2))}function bn(e,t,n){let r=e.e,i=t.e;return!r||!i?!r-+!i:+(r.version!==n)-(i.version!==n)||+(e.source===`body`)-(t.source===`body`)||+(r.j===`upfront`)-(i.j===`upfront`)||+(r.amount>i.amount)-(r.amount<i.amount)||e.index-t.index}var xn=5e3,Sn=2097152;function Cn(e,t,n=xn){return async(r,i)=>{let a;try{a=await Xt((await e(t,{method:`POST`,headers:{\"Content-Type\":`application/json`},body:JSON.stringify({jsonrpc:`2.0`,id:1,method:r,params:i}),signal:AbortSignal.timeout(n)})).body,Sn)}catch{throw Error(`The node did not answer ${r}.`)}let o=h(a)?g(a,`result`):void 0;if(o===void 0)throw Error(`The node gave no result for ${r}.`);return o}}var wn=`0x70a08231`;async function Tn(e,t,n){let r=Cn(e,t),i=Number(await r(`eth_chainId`,[])),a=S(i);if(!a)throw Error(`The node serves chain ${i}, which is not XDC.`);let[o,s]=await Promise.all([En(r,a,n),r(`eth_getBalance`,[n,`latest`])]);return{network:a,usdcUnits:o,nativeWei:BigInt(String(s))}}async function En(e,t,n){let r=`${wn}${i(n)}`;return BigInt(String(await e(`eth_call`,[{to:t.usdc,data:r},`latest`])))}function Dn(e){let{signed:t,transaction:n}=e,r=S(e.network);if(t&&r)return{network:r,from:e.wallet,to:e.payTo,units:e.amountUnits,nonce:t.nonce,validBefore:t.validBefore,signedAfter:Math.floor(e.reservedAt/1e3),..._({transaction:n})}}var On=`0xe94a0102`,kn={used:`0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5`,canceled:`0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81`,transfer:`0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef`},An=12,jn=600,Mn=1e3,Nn=12,Pn=40;async function Fn(e,t,n){let r=Cn(e,t);try{let e=Number(await r(`eth_chainId`,[]));if(e!==n.network.chainId)return Ln(`the node serves chain ${e}, not ${n.network.chainId}`);let t=await Rn(r),i=n.transaction&&await Wn(r,n,n.transaction,t.number);return i?{state:`settled`,...i}:await zn(r,n,`latest`)?await Bn(r,n,t.number):t.time<n.validBefore?In(`it is unused, and can be used until it has expired in a final block`):await zn(r,n,V(t.number))?In(`the node contradicts itself`):{state:`unused`,reason:`it expired unused; block ${t.number} is final`}}catch(e){return Ln(e instanceof Error?e.message:`the node did not answer`)}}function In(e){return{state:`unknown`,reason:e}}function Ln(e){return{state:`unknown`,reason:e,de:!0}}async function B(e,t){let n=await e(`eth_getBlockByNumber`,[t,!1]),r=h(n)?Number(g(n,`number`)):NaN,i=h(n)?Number(g(n,`timestamp`)):NaN;if(Number.isSafeInteger(r)&&Number.isSafeInteger(i))return{number:r,time:i};throw Error(`The node returned no block.`)}async function Rn(e){try{return await B(e,`finalized`)}catch{let{number:t}=await B(e,`latest`);return B(e,V(Math.max(0,t-An)))}}async function zn(e,t,n){let r=`${On}${i(t.from)}${t.nonce.slice(2)}`,a=await e(`eth_call`,[{to:t.network.usdc,data:r},n]);if(typeof a==`string`&&/^0x0*[01]$/.test(a)&&a.length===66)return a.endsWith(`1`);throw Error(`The node returned no authorization state.`)}async function Bn(e,t,n){let r=await Vn(e,t);if(!r)return In(`it has been used or canceled, but the node shows no event of it`);if(r.topic===kn.used){let i=await Wn(e,t,r.transaction,n);return i?{state:`settled`,...i}:{state:`unknown`,reason:`it has been used, but no transfer of these terms is with it`,me:!0}}return r.I>n?In(`it was canceled in a block that is not final`):{state:`unused`,reason:`it was canceled in block ${r.I}`}}async function Vn(e,t,n=Nn){let r=await B(e,`latest`),i=await Hn(e,r,t.signedAfter-jn);for(let a=0;a<n&&i<=r.number;a+=1){let n=Math.min(i+Mn-1,r.number),a=await e(`eth_getLogs`,[{address:t.network.usdc,fromBlock:V(i),toBlock:V(n),topics:[[kn.used,kn.canceled],Kn(t.from),t.nonce]}]),o=(Array.isArray(a)?a:[]).map(Un).find(e=>e!==void 0);if(o)return o;if(Number.isFinite(t.validBefore)&&(await B(e,V(n))).time>t.validBefore)return;i=n+1}}async function Hn(e,t,n){let r=Math.max(1,Math.ceil((t.time-n)/2));for(let i=0;i<Pn;i+=1){let i=Math.max(0,t.number-r);if(i===0||(await B(e,V(i))).time<=n)return i;r*=2}return 0}function Un(e){if(!h(e)||g(e,`removed`)===!0)return;let t=g(e,`topics`),n=g(e,`transactionHash`),r=typeof n==`string`&&Je(n)?n:void 0,i=Number(g(e,`blockNumber`)),a=Array.isArray(t)?t[0]:void 0;if(typeof a==`string`&&r!==void 0)return{topic:a,transaction:r,I:i}}async function Wn(e,t,n,r){let i=await e(`eth_getTransactionReceipt`,[n]);if(!h(i)||g(i,`status`)!==`0x1`)return;let a=g(i,`logs`),o=(e,n)=>Array.isArray(a)&&a.some(r=>Gn(r,t.network.usdc,e,n)),s=o([kn.used,Kn(t.from),t.nonce])&&o([kn.transfer,Kn(t.from),Kn(t.to)],t.units),c=Number(g(i,`blockNumber`));if(s&&Number.isSafeInteger(c))return{transaction:n,I:c,isFinal:c<=r}}function Gn(e,t,n,i){if(!h(e))return!1;let o=r(g(e,`address`)),s=g(e,`topics`);return o===void 0||!a(o,t)||!Array.isArray(s)?!1:n.every((e,t)=>String(s[t]).toLowerCase()===e.toLowerCase())&&(i===void 0||BigInt(String(g(e,`data`)))===i)}function Kn(e){return`0x${i(e)}`}function V(e){return`0x${e.toString(16)}`}var qn={settled:{state:`settled`,g:0},lying_receipt:{state:`ambiguous`,g:0,code:`receipt_mismatch`},pending:{state:`pending`,g:1/0,code:`settlement_pending`},failed_receipt:{state:`ambiguous`,g:1,code:`payment_refused`},refused:{state:`ambiguous`,g:2,code:`payment_refused`},conflict:{state:`ambiguous`,g:0,code:`request_conflict`},busy:{state:`ambiguous`,g:1/0,code:`seller_unavailable`},served_without_receipt:{state:`ambiguous`,g:0,code:`receipt_missing`},client_error:{state:`ambiguous`,g:0,code:`seller_error`},server_error:{state:`ambiguous`,g:1/0,code:`seller_unavailable`},not_charged:{state:`ambiguous`,g:2,code:`not_charged`},redirect:{state:`ambiguous`,g:0,code:`redirected`},no_answer:{state:`ambiguous`,g:1/0,code:`no_answer`}};async function Jn(e,t){let n=rt(e.headers);if(n)return Yn(n,t);let r=await tr(e),i=Ge(r);if(i?.success===!1&&i.errorReason!==void 0)return Yn(i,t);let a=Qn(e,r),o=Zn(e,a);return{kind:o,..._({reason:o===`refused`||o===`busy`?$n(e,r):void 0,ee:a||void 0})}}function Yn(e,t){let n={receipt:e,..._({transaction:Je(e.transaction)?e.transaction:void 0})},r=qe(e);if(r===`confirmed`){let r=Xn(e,t);return r===void 0?{kind:`settled`,...n}:{kind:`lying_receipt`,...n,reason:r}}let i=L([e.errorReason,e.errorMessage].filter(e=>e!==void 0).join(`: `));return{kind:r===`pending`?`pending`:`failed_receipt`,...n,reason:i}}function Xn(e,t){if(!Je(e.transaction))return`the receipt names no transaction`;if(e.payer!==void 0&&!a(e.payer,t.payer))return`the receipt names another payer`;if(S(e.network)?.id!==t.network.id)return`the receipt names another network`;if(e.amount!==void 0&&ge(e.amount)!==t.amountUnits)return`the receipt names another amount than ${T(t.amountUnits)} USDC`}function Zn(e,t){let{status:n}=e;return e.type===`opaqueredirect`||n>=300&&n<400?`redirect`:n<300?`served_without_receipt`:n===402?`refused`:n===409?`conflict`:n===425||n===429||n===503?`busy`:n<500?`client_error`:t?`not_charged`:`server_error`}function Qn({status:e,headers:t},n){return e<400?!1:t.get(x.paymentCharged)===`no`||h(n)&&g(n,`error`)===`not_charged`}function $n(e,t){let n=e.headers.get(x.paymentRequired),r=n===null?void 0:xe(n),i=[r&&h(r.value)?g(r.value,`error`):void 0,h(t)?g(t,`message`):void 0].filter(e=>typeof e==`string`);return i.length>0?L(i.join(`: `)):void 0}var er=32768;async function tr(e){if(!/\\bjson\\b/i.test(e.headers.get(`Content-Type`)??``))return;let t=Number(e.headers.get(`Content-Length`)??`NaN`);if(e.ok&&!(t<=er))return;let{body:n}=e.clone();try{return await Xt(n,er)}catch{return}}var nr=()=>({}),rr=[1,2,4,8],ir=8,ar=64,or=1048576;async function sr(e,t){let{te:n}=e,{signal:r}=t.request,i=new Map,{state:a,transaction:o}=t.record,s={state:a===`settled`?a:`ambiguous`,..._({transaction:o})};for(let a=0;;a++){let o=mr(e,t);a===0&&await ur(e.ledger,t.record);let c=await o;s=lr(s,c.reading),await fr(e,t,s,c);let l=e=>({...s,...c,le:e});if(r?.aborted)return l(!0);let u=c.response===void 0?`no_answer`:c.reading.kind,d=(i.get(u)??0)+1;if(i.set(u,d),d>qn[u].g||a+1>=ar)return l(!1);let f=pr(c.response,n.now()),p=1e3*Math.max(f??0,rr[a]??ir);if(n.now()+p>=t.signed.validBefore*1e3)return{...l(!1),..._({he:f})};e.emit?.(cr(t,s,c,p)),c.response?.body?.cancel().catch(()=>{});try{await n.sleep(p,r)}catch(e){return{...s,reading:{kind:`no_answer`},cause:e,le:!0}}}}function cr({record:{requestId:e}},{state:t},{response:n,reading:{reason:r}},i){let a=Math.ceil(i/1e3),{status:o}=n??{};return{type:`resending`,requestId:e,waitSeconds:a,state:t,..._({status:o,reason:r})}}function lr(e,t){if(e.state===`settled`)return e;let{kind:n,transaction:r=e.transaction,receipt:i=e.receipt}=t;return{state:qn[n].state,..._({transaction:r,receipt:i})}}async function ur(e,{requestId:t,signed:n}){(await e.find(t))?.state===`signed`&&await dr(e,t,{state:`sent`,ofNonce:n?.nonce})}async function dr(e,t,n){try{await e.transition(t,n)}catch(e){if(!(e instanceof Jt))throw e}}async function fr({ledger:e,te:t},{record:{requestId:n},signed:r},{state:i,transaction:a,receipt:o},{response:s,S:c,reading:l}){let u=await e.find(n);if(u===void 0||u.state===`settled`)return;let{ee:d}=l,f=s&&{status:s.status,..._({ee:d,S:c,receipt:o}),...nr(s)};await dr(e,n,{...i===`settled`?{state:i,evidence:`receipt`,settledAt:t.now()}:{state:`ambiguous`},..._({transaction:a,answer:f}),ofNonce:r.nonce})}function pr(e,t){let n=e?.headers.get(`Retry-After`)?.trim();if(n===void 0)return;if(/^\\d{1,9}$/.test(n))return Number(n);let r=n.endsWith(` GMT`)?Date.parse(n):NaN;return Number.isNaN(r)?void 0:Math.max(0,Math.ceil((r-t)/1e3))}async function mr(e,t){let{request:n,signed:r,expected:i}=t,a=new AbortController,o=setTimeout(()=>a.abort(new DOMException(`The seller took too long to respond.`,`TimeoutError`)),e.ue),s=[a.signal,...n.signal?[n.signal]:[]];try{let t=await n.send(e.fetch,{header:[r.headerName,r.headerValue],url:r.url,redirect:`manual`,signal:AbortSignal.any(s)}),a=await Jn(t,i),{cut:o,...c}=await hr(t);return o===void 0?{response:t,reading:a,...c}:{reading:a,cause:o.cause}}catch(e){return{reading:{kind:`no_answer`},cause:e}}finally{clearTimeout(o)}}async function hr(e){if(!(Number(e.headers.get(`Content-Length`)??`NaN`)<=or)||e.body===null)return{};let{body:t}=e.clone();if(t===null)return{};try{let e=await Yt(t,or);return _({S:e&&p(e,{as:`Hex`})})}catch(e){return{cut:{cause:e}}}}function gr(e){let{request:t,url:n}=e,r=vr(e),i=new URL(n);if(r===void 0||!yr(e.offer.extensions))return;let{S:a}=t;if(i.protocol===`mcp:`){let e=i.pathname.slice(i.pathname.lastIndexOf(`/`)+1);return _r(r)===`mcp://tool/${e}`?{method:`MCP`,url:r,S:a}:void 0}if(i.hash=``,_r(r)===i.href)return{method:t.method.toUpperCase(),url:r,S:a}}function _r(e){return URL.canParse(e)?new URL(e).href:void 0}function vr({offer:e,e:t}){let n=e.resource&&g(e.resource,`url`);return t.version===1?t.resource:typeof n==`string`?n:void 0}function yr(e){let t=e&&g(e,w);if(t===void 0)return!0;let n=h(t)?g(t,`info`):void 0;return h(n)&&g(n,`version`)===1}var br={now:()=>Date.now(),sleep:xr,randomBytes:e=>crypto.getRandomValues(new Uint8Array(e))};function xr(e,t){return new Promise((n,r)=>{let i=()=>{clearTimeout(a);let e=t?.reason;r(e instanceof Error?e:Error(`Aborted.`))},a=setTimeout(()=>{t?.removeEventListener(`abort`,i),n()},e);t?.aborted?i():t?.addEventListener(`abort`,i,{once:!0})})}function Sr(e,t){return ne(e.randomBytes(t))}var Cr=300;async function wr(e,t,n){let{e:r}=n,i=Math.floor(t.now()/1e3)+Math.min(Math.floor(r._),Cr),a=Tr(t,n),o={from:e.address,to:r.payTo,value:r.amount,validAfter:0n,validBefore:BigInt(i),nonce:a.nonce},s=await e.signTypedData(ve(r.network,o));if(!te(s,tt)||s.length<=2)throw TypeError(`The signer returned no signature of at most ${tt} bytes.`);let c=r.version===2?x.paymentSignature:x.xPayment;return{url:n.url,headerName:c,headerValue:be(Er(n,t,o,{signature:s,...a})),version:r.version,nonce:o.nonce,validBefore:i}}function Tr(e,t){let{payTo:n}=t.e,r=t.derive??(()=>`0x${Sr(e,32)}`),i=gr(t);if(i===void 0)return{nonce:r(`nonce`)};let a=r(`salt`);return{salt:a,nonce:ct({...i,salt:a,payTo:n})}}function Er({offer:e,e:t,requestId:n,attempt:r},i,a,{signature:o,salt:s}){let{network:c,O:l}=t,u={network:c,O:l,authorization:a,signature:o},d=Or(e.extensions,Dr(n,r),i);if(t.version===1){let e=d&&oe(d,w),t=s===void 0?e:ot(e,s),n=t!==void 0&&Object.keys(t).length>0?t:void 0;return nt({...u,version:1,shape:`v1`,..._({extensions:n})})}let f=s===void 0?d:ot(d,s);return nt({...u,version:2,shape:`v2`,accepted:e.raw,..._({resource:e.resource,extensions:f})})}function Dr(e,t){return t===0?e:`${e}-${t}`}function Or(e,t,n){if(e===void 0)return;let r=g(e,Qe),i=h(r)?g(r,`info`):void 0;if(!h(r)||!h(i))return e;let a=et(t)?t:`pay_${Sr(n,16)}`;return{...e,[Qe]:{...r,info:{...i,id:a}}}}function kr({network:e}){let t=S(e);if(!t)throw Error(`The network ${e} is not supported here.`);return t}async function Ar(e,t,n){let{requestId:r}=e,i=Dn(e);if(!i)throw Error(`There is no signature to check.`);let a=await Fn(Mr(n),jr,i);return a.state===`unknown`||(t.current()?.state===`signed`&&await t.transition(r,{state:`sent`}),await t.transition(r,a.state===`unused`?{state:`released`}:{state:`settled`,transaction:a.transaction,evidence:`chain`})),a}var jr=`wallet:`;function Mr(e){return async(t,n)=>{let r=typeof n?.body==`string`?n.body:`{}`,{method:i,params:a}=JSON.parse(r),o=await D(e,i,a,n?.signal??void 0);return Response.json({jsonrpc:`2.0`,id:1,result:o??null})}}async function Nr(e,t){let[n]=Nt(await D(e.provider,`eth_requestAccounts`,[],t));if(!n)throw Error(N.wallet.noAccount);return{wallet:e,address:n,chainId:Pt(await D(e.provider,`eth_chainId`,[],t))}}function Pr({wallet:{provider:e},address:t},n){let r=e=>{let[r]=Nt(e);r&&a(r,t)||(i(),n(new E(`account_changed`,N.wallet.accountChanged)))},i=()=>e.removeListener?.(`accountsChanged`,r);return e.on?.(`accountsChanged`,r),i}var H=N.content,Fr=2097152;async function Ir(e){let t=(e.headers.get(`Content-Type`)??``).split(`;`)[0]?.trim().toLowerCase()??``;if(t===`text/event-stream`&&e.body)return zr(e.body);let n=await e.blob(),r=Vr(e,n,t);return n.size===0?O(`div`,{},O(`p`,{},H.empty)):O(`div`,{class:`content`},await Lr(e,n,t),O(`p`,{},r))}async function Lr(e,t,n){return/^attachment/i.test(e.headers.get(`Content-Disposition`)??``)||t.size>Fr?O(`p`,{},H.file):n.startsWith(`image/`)?O(`img`,{src:URL.createObjectURL(t),alt:H.bought}):n===`text/html`?Hr(await t.text()):/^application\\/(.*\\+)?json$/.test(n)?Rr(Br(await t.text())):/^text\\/|^application\\/(.*\\+)?(xml|yaml|javascript|x-ndjson)$/.test(n)?Rr(await t.text()):O(`p`,{},H.file)}function Rr(e){return O(`pre`,{tabindex:`0`,\"aria-label\":H.bought},e)}function zr(e){let t=Rr(``),n=Fr,r=new WritableStream({write(e){if(t.append(e.slice(0,n)),n-=e.length,n<=0)throw Error(`Too long to show.`)}});return e.pipeThrough(new TextDecoderStream).pipeTo(r).catch(()=>t.append(`\n${H.ended}`)),O(`div`,{class:`content`},t)}function Br(e){try{let t=JSON.parse(e),n=e.replace(/(\"(?:[^\"\\\\]|\\\\.)*\")|\\s+/g,`$1`);return JSON.stringify(t)===n?JSON.stringify(t,null,2):e}catch{return e}}function Vr(e,t,n){let r=/filename=\"?([^\";]+)\"?/i.exec(e.headers.get(`Content-Disposition`)??``),i=location.pathname.split(`/`).at(-1)||`content`,a=i.includes(`.`)?``:`.${/\\w+$/.exec(n)?.[0]??`bin`}`,o=r?.[1]??`${i}${a}`;return O(`a`,{href:URL.createObjectURL(t),download:o},F(H.save,{name:o}))}function Hr(e){let t=new DOMParser().parseFromString(e,`text/html`),n=[...t.querySelectorAll(`style`)].map(e=>e.textContent),r=[...t.querySelectorAll(`[style]`)].map(e=>{let t=e.getAttribute(`style`)??``;return e.removeAttribute(`style`),e.setAttribute(Ur,``),t});for(let e of t.querySelectorAll(`style, script, link, meta, base`))e.remove();let i=O(`iframe`,{sandbox:`allow-same-origin`,srcdoc:`<!doctype html>${t.documentElement.outerHTML}`,title:H.bought});return i.addEventListener(`load`,()=>Wr(i,n,r)),i}var Ur=`data-farthing-style`;function Wr({contentDocument:e,contentWindow:t},n,r){let i=t&&Reflect.get(t,`CSSStyleSheet`);if(e&&typeof i==`function`){e.adoptedStyleSheets=n.map(e=>{let t=Reflect.construct(i,[]);return t.replaceSync(e),t});for(let[t,n]of e.querySelectorAll(`[${Ur}]`).entries()){let e=Reflect.get(n,`style`);e&&Reflect.set(e,`cssText`,r[t]??``)}}}var Gr=`farthing.passes`,Kr=20;function qr(){try{let e=JSON.parse(localStorage.getItem(Gr)??`[]`);return Array.isArray(e)?e.filter(Xe):[]}catch{return[]}}function Jr(e){let[t=e]=e.split(`.`);Zr([e,...qr().filter(e=>!e.startsWith(t))])}function Yr(e){let t=e?.headers.get(Ye.token);Xe(t)&&Jr(t)}function Xr(e){Zr(qr().filter(t=>t!==e))}function Zr(e){try{localStorage.setItem(Gr,JSON.stringify(e.slice(0,Kr)))}catch{}}var Qr=[.2,.375,.5555555555555556,.6666666666666666],$r=(e,t)=>n=>{let r=4*e+n-4,i=`*-04-39?2$%%$%%'$%''%'''%')(%'))%(++'(++'(+.'+-.',/3',33)-/5)-43).36)058*18<+37<+4:<,4:E,5<A-7>C/8@F/:EH/<EK0=FM1?IP2@KS3BNV4DPY5FS\\\\6HV_6IXb7K[e8N^i9Pam;Rdp<Tgt`.charCodeAt(r)-35,a=r>8?i:1,o=t/a|0,s=t%a,c=a-s,l=r>8?o*Qr[n]+(e>5)&-2:i,u=o-l;return{t:c*u+s*u+s,o:[[c,u],[s,u+1]],l}},U=e=>new Uint8Array(e),ei=e=>{let t=Error(`lean-qr error ${e}`);throw t.code=e,t},ti=(e,t=e*e,n=U(t))=>({size:e,i:n,get:(t,r)=>t>=0&&t<e&&!!(1&n[r*e+t]),u(t,{on:n=[0,0,0],off:r=[0,0,0,0],pad:i=4,padX:a=i,padY:o=i}={}){let s=e+2*a,c=e+2*o,l=t.createImageData(s,c),u=new Uint32Array(l.data.buffer);l.data.set([...n,255]);let d=u[0];l.data.set([...r,255]);let f=u[0];for(let e=0;e<c;++e)for(let t=0;t<s;++t)u[e*s+t]=this.get(t-a,e-o)?d:f;return l},toCanvas(e,t){let n=e.getContext(`2d`),r=this.u(n,t);e.width=r.width,e.height=r.height,n.putImageData(r,0,0)}}),ni=[(e,t)=>1&(e^t),(e,t)=>1&t,e=>e%3,(e,t)=>(e+t)%3,(e,t)=>1&(e/3^t>>1),(e,t)=>(e&t&1)+e*t%3,(e,t)=>(e&t)+e*t%3&1,(e,t)=>(e^t)+e*t%3&1],ri=U(511);for(let e=0,t=1;e<255;t=2*t^285*(t>127))ri[ri[t+255]=e++]=t;var ii=e=>ri[e%255],ai=e=>ri[e+255],oi=(e,t)=>{let n=U(e.length+t.length-1);for(let r=0;r<e.length;++r)for(let i=0;i<t.length;++i)n[r+i]^=ii(e[r]+t[i]);return n.map(ai)},si=(e,t)=>{let n=U(e.length+t.length-1);n.set(e,0);for(let r=0;r<e.length;++r)if(n[r]){let e=ai(n[r]);for(let i=0;i<t.length;++i)n[r+i]^=ii(t[i]+e)}return n.slice(e.length)},ci=[[0],[0,0]];for(let e=1;e<30;++e)ci.push(oi(ci[e],[0,e]));var li=(e,t)=>{let n=[[],[]],r=0,i=0;for(let[a,o]of t.o)for(let s=0;s<a;++s,r+=o){let a=e.slice(r,r+o);n[0].push(a),n[1].push(si(a,ci[t.l])),i+=o+t.l}let a=U(i);i=0;for(let e of n)for(let t=0,n=-1;n<i;++t){n=i;for(let n of e)t<n.length&&(a[i++]=n[t])}return a},ui=(e,t,n)=>{let r=e<<=n;for(let e=134217728;e>>=1;)r&e&&(r^=t*(e>>n));return r|e},di=({size:e,i:t},n)=>{let r=(n,r,i,a)=>{for(;i-->0;n+=e)t.fill(a,n,n+r)},i=(t,n,i)=>{for(let a=0;a++<3;i-=2)r(n*e+t-(i>>1)*(e+1),i,i,2|a)},a=2*((e-13)/(1+(n/7|0))/2+.75|0);if(n>1)for(let t=e-7;t>8;t-=a){for(let e=t;e>8;e-=a)i(t,e,5);t<e-7&&i(t,6,5)}if(n>6)for(let r=ui(n,7973,12),i=1;i<7;++i)for(let n=12;n-->9;r>>=1)t[i*e-n]=2|1&r;r(7,2,9,2),r(e-8,8,9,2);for(let n=0;n<e;++n)t[6*e+n]=3^1&n;i(3,3,7),i(e-4,3,7);for(let n=0;n<e;++n)for(let r=n;r<e;++r)t[r*e+n]=t[n*e+r];t[(e-8)*e+8]=3},fi=({size:e,i:t})=>{let n=[];for(let r=e-2,i=e,a=-1;r>=0;r-=2){for(r===5&&(r=4);i+=a,i!==-1&&i!==e;){let a=i*e+r;t[a+1]||n.push(a+1),t[a]||n.push(a)}a*=-1}return n},pi=({i:e},t,n)=>t.forEach((t,r)=>e[t]=n[r>>3]>>(7&~r)&1),mi=({size:e,i:t},n,r,i)=>{for(let r=0;r<e;++r)for(let i=0;i<e;++i){let a=r*e+i;t[a]^=!(n(i,r)||2&t[a])}let a=21522^ui((1^i)<<3|r,1335,10);for(let n=0;n++<8;a>>=1)t[(n-(n<7))*e+8]=1&a,t[9*e-n]=1&a;for(let n=8;--n,a;a>>=1)t[8*e+n-(n<7)]=1&a,t[(e-n)*e+8]=1&a},hi=({size:e,i:t},n=0,r=0)=>{for(let i=0;i<e;++i){for(let a=0;a<2;++a)for(let o,s=0,c=0,l=2;s<e;++s){let u=1&t[a?i*e+s:s*e+i];r+=u,c=(c>>1|2098176)&(3047517^u-1),2049&c&&(n+=40),u^l&&(o=0),l=u,n+=++o===5?3:o>5}if(i)for(let r=e+i,a=5*t[i-1]^t[i];r<e*e;r+=e){let e=5*t[r-1]^t[r];n+=3*!(1&(a|e)|4&(a^e)),a=e}}return n+10*(10*Math.abs(r/(e*e)-1)|0)},gi=[],_i=(e=ei(1),{minCorrectionLevel:t=0,minVersion:n=1}={})=>{typeof e!=`string`&&ei(5),e=new TextEncoder().encode(e);let r=U(2957);r.set([113,164,e.length>>8]);for(let i=n;i<41;++i){let n=gi[i];n||(gi[i]=n=ti(4*i+17),di(n,i),n.p=fi(n));let a=$r(i,n.p.length>>3)(t);if(a.t>=3+(i>9)+e.length){let o=i>9?3:2;for(r[o++]=e.length,r.set(e,o),o+=e.length-1;o<2954;r.set([236,17],o+=2));let s=ti(n.size,n.i);return pi(s,n.p,li(r,a)),ni.map((e,n)=>{let r=ti(s.size,s.i);return mi(r,e,n,t),r.s=hi(r),r}).sort((e,t)=>e.s-t.s)[0]}}ei(4)},vi=4;function yi(e,t){let n=_i(e),r=bi(`svg`),i=n.size+2*vi;for(let[e,n]of Object.entries({class:`qr`,viewBox:`${-vi} ${-vi} ${i} ${i}`,role:`img`,\"aria-label\":t,\"shape-rendering\":`crispEdges`}))r.setAttribute(e,n);let a=[];for(let e=0;e<n.size;e++)for(let t=0;t<n.size;t++)n.get(t,e)&&a.push(`M${t} ${e}h1v1h-1z`);let o=bi(`path`);return o.setAttribute(`d`,a.join(``)),r.append(o),r}function bi(e){let t=document.createElementNS(`http://www.w3.org/2000/svg`,e);if(t instanceof SVGElement)return t;throw Error(`Not an SVG element.`)}function xi(e){return`${e.slice(0,6)}…${e.slice(-4)}`}function Si(e){return O(`div`,{class:`copied`},O(`details`,{class:`address`},O(`summary`,{},O(`code`,{},xi(e))),O(`code`,{},e)),Gt(`address`,e))}function W(e){return`${T(e)} USDC`}function Ci(e){return O(`div`,{class:`copied`},O(`strong`,{},W(e)),Gt(`amount`,T(e)))}function wi({chainId:e}){return N.networks[e]}function Ti(e){let t=e/60,{terms:n}=N;return e<60||!Number.isInteger(t)?F(n.seconds,{count:e}):t===1?n.minute:F(n.minutes,{count:t})}function Ei(e){return new Date(e*1e3).toLocaleTimeString(document.documentElement.lang)}function Di(e,t){let n=Me(e,t,location.host);if(n===void 0)return O(`code`,{class:`whole`},t);let r={href:n,target:`_blank`,rel:`noreferrer`},i=O(`code`,{},xi(t));return O(`a`,r,...P(N.terms.onExplorer,{transaction:i}))}var{wallets:G,getUsdc:K,actions:Oi}=N,ki=(e,t)=>O(`a`,{href:e,target:`_blank`,rel:`noreferrer`},t);function Ai(){let e=ki(`https://metamask.io/download`,`MetaMask`);return O(`div`,{class:`note`},M(O(`strong`,{},G.none)),Ni(),M(...P(G.install,{link:e})),j({label:Oi.reload,run:()=>location.reload()}))}var ji=!Se(location.hostname),Mi=matchMedia(`(pointer: coarse)`).matches;function Ni(){if(!ji||!Mi)return;let{host:e,pathname:t,search:n}=location;return M(ki(`https://link.metamask.io/dapp/${e}${t}${n}`,G.openIn))}function Pi(){if(!ji||Mi)return;let e=yi(location.href,G.scanPicture);return O(`details`,{},O(`summary`,{},G.phone),M(G.scan),e)}function Fi(e){let{chainId:t,usdc:n}=e,r=F(K.title,{network:wi(e)}),i=ki(`https://faucet.circle.com`,K.faucet),a=t===50?[M(K.exchange),M(K.bridge),M(K.native)]:[M(...P(K.test,{link:i}))];return O(`details`,{class:`guide`},O(`summary`,{},r),...a,Si(n),M(K.noCoins))}var Ii=/^(pass_(unknown|void|expired|exhausted)|balance_unknown)$/,Li=Sr(br,16);async function Ri(e,t){for(let n of qr()){let r=await e.send(fetch,{headers:[[Ye.token,n],[`Idempotency-Key`,Li]],redirect:`manual`,signal:t});if(r.status!==402)return Jr(n),r;let i=v(await r.text())?.value,a=h(i)?g(i,`error`):void 0;Ii.test(String(a))&&Xr(n)}}var zi=1n<<255n;function Bi(e,t){return an(e,{payer:t,allow:{},limits:{oe:zi,V:void 0,J:zi,ae:1,se:1},K:!1,usage:{ie:0n,ce:0}}).find(({T:e})=>e===`fail`)?.message}function Vi(e){let n=yn(Zt(`body`,v(e)?.value),`v2`),r=n.flatMap(e=>e.e&&Bi(e,t)===void 0?[{offer:e,e:e.e}]:[]);if(r.length>0)return{payable:r};let[i]=n;return{payable:r,w:(i&&Bi(i,t))??N.before.noOffer}}function Hi(e){let{wallet:t}=N,n=e instanceof Error?e.message:String(e),{code:r,details:i={}}=e instanceof E?e:{};switch(r){case`rejected`:return{title:t.rejectedTitle,why:t.rejected};case`already_open`:return{title:t.alreadyOpenTitle,why:t.alreadyOpen};case`account_changed`:return{title:t.accountChangedTitle,why:t.accountChanged};case`other_network`:return{title:t.otherNetworkTitle,why:F(t.otherNetwork,i)};case`unable`:return{title:t.title,why:t.unable};case`failed`:return{title:t.title,why:F(t.failed,i)};default:return{title:t.title,why:n}}}async function Ui({reading:e,response:t}){let{title:n,why:r}=N.outcomes[e.kind],i=await Gi(t),a=Ki(e.reason),o=(document.documentElement.lang===`en`?i??a:a??i)??e.reason;return{title:n,why:o===void 0?r:`${r} ${o}`}}var Wi=300;async function Gi(e){if(!e||e.bodyUsed)return;let t=v(await e.text().catch(()=>``)),n=t&&h(t.value)?g(t.value,`message`):void 0;return typeof n==`string`&&n!==``?n.slice(0,Wi):void 0}function Ki(e){let t=N.refusals,n=e?.split(`:`)[0]??``;return Object.hasOwn(t,n)?t[n]:void 0}function qi(e,t){let n=Yi(),r=`farthing.payment ${e}`,i=Zi(n?.getItem(r));i?.state===`settled`&&Ji(i,t)&&(i=void 0);let a={fe:n!==void 0,current:()=>i,find:async()=>i,onTransition:()=>{},reserve(e){if(i)throw Error(N.wallet.inProgress);return i={...e,state:`reserved`,attempt:0},i},async transition(e,{answer:t,...o}){let{state:s}=o;if(!i||!qt[i.state].includes(s))throw new Jt(`A payment that is ${i?.state} cannot be ${s}.`);let c={...i,...o};return s===`released`?n?.removeItem(r):n?.setItem(r,Xi(c)),i=s===`released`?void 0:c,a.onTransition(c),c}};return a}function Ji({signed:e},t){return e!==void 0&&t>=e.validBefore*1e3}function Yi(){try{return sessionStorage.setItem(`farthing.test`,``),sessionStorage.removeItem(`farthing.test`),sessionStorage}catch{return}}function Xi(e){return JSON.stringify({...e,amountUnits:e.amountUnits.toString()})}function Zi(e){if(e!=null)try{let t=JSON.parse(e);return{...t,amountUnits:BigInt(t.amountUnits)}}catch{return}}var{progress:q,terms:J,actions:Qi,open:$i,paid:Y}=N,ea=[q.signed,q.sent,q.confirmed];function ta(e){let t=e.state===`settled`?3:e.transaction===void 0?1:2,n=ea.map((e,n)=>{let r=n<t?`done`:n===t?`current`:`ahead`;return O(`li`,{class:r},e,O(`span`,{class:`state`},q[r]))});A({title:t===3?q.paid:q.paying,tone:t===3?`good`:`busy`,children:[O(`ol`,{class:`stages`},...n),ia(e)]}),Ht(t===3?q.loading:F(q.step,{done:ea[t-1]??``,next:ea[t]??``}))}function na({network:e,transaction:t}){let n=S(e);return n&&t&&Di(n,t)}function ra({amountUnits:e,payTo:t,wallet:n}){return[[J.amount,Ci(e)],[J.paidTo,Si(t)],[J.from,Si(n)]]}function ia(e){let t=na(e);return t&&M(`${J.transaction}: `,t)}var aa;function oa({title:e,why:t},n,r){clearTimeout(aa);let i=Ji(n,Date.now()),a=n.signed?.validBefore??0,o=Ei(a),s=i?$i.expired:F($i.valid,{end:o}),c={label:Qi.again,run:r.again},l={label:Qi.findOut,run:r.findOut};if(A({title:e,tone:`warn`,children:[M(t),Ut(ra(n)),ia(n),O(`p`,{class:`note`},s),i?j(l,c):j(c)]}),i)return;let u=k(`flow`).firstChild;aa=setTimeout(()=>{k(`flow`).firstChild===u&&oa({title:e,why:t},n,r)},a*1e3-Date.now()+1)}function sa(e,t,...n){A({title:e,tone:`bad`,children:[M(t),j(...n)]})}function ca(e,t,n,...r){n.setAttribute(`open`,``);let{notEnough:i}=N.wallets;A({title:i,tone:`bad`,children:[M(e),Si(t),n,j(...r)]})}function la({title:e,why:t},n,r,i){A({title:e,tone:n,children:[M(t),ia(r),O(`p`,{class:`note`},Y.noSecondCharge),j(i)]})}function ua({headers:e}){let t=e.get(Ye.remaining),n=e.get(Ze.remaining);if(t===null&&n===null)return;let r=new Date(e.get(Ye.expires)??``).toLocaleString(document.documentElement.lang);return O(`p`,{class:`note`},n===null?F(Y.usesLeft,{uses:t??``,end:r}):F(Y.balanceLeft,{amount:W(BigInt(n))}))}function da(e,t){document.body.classList.add(`paid`),A({title:Y.content,tone:`good`,children:[ua(e),t]}),Ht(Y.earlier)}function fa(e,t,n,r){document.body.classList.add(`paid`);let i=t?void 0:O(`p`,{class:`note`},Y.noReceipt);A({title:t?F(Y.title,{price:W(e.amountUnits)}):Y.content,tone:t?`good`:`warn`,children:[i,ua(n),r,O(`details`,{class:`receipt`,open:!0},O(`summary`,{},Y.receipt),Ut([...ra(e),[J.network,wi(kr(e))],[J.transaction,na(e)??J.notProvided]]))]}),Ht(Y.below)}async function pa(e){let{request:t,kept:n,payer:r,payable:i,signal:a}=e,{offer:o,e:s}=i,{network:c,asset:l,amount:u,payTo:d}=s,f=`pay_${Sr(br,16)}`;n.reserve({requestId:f,fingerprint:t.fingerprint,wallet:r.address,network:c.id,asset:l,amountUnits:u,payTo:d,host:location.host,reservedAt:br.now()});try{let{url:e}=t,i={offer:o,e:s,request:t,requestId:f,attempt:0,url:e},c=await wr(ma(r,a),br,i);return await n.transition(f,{state:`signed`,signed:c})}catch(e){throw await n.transition(f,{state:`released`}),e}}function ma({wallet:e,address:t},n){return{address:t,async signTypedData(r){let i=[t,ha(r)],a=await D(e.provider,`eth_signTypedData_v4`,i,n);if(te(a,tt))return a;throw Error(N.wallet.badSignature)}}}function ha(e){let t={...e,types:{EIP712Domain:[{name:`name`,type:`string`},{name:`version`,type:`string`},{name:`chainId`,type:`uint256`},{name:`verifyingContract`,type:`address`}],...e.types}};return JSON.stringify(t,(e,t)=>typeof t==`bigint`?t.toString():t)}var ga=()=>{};function _a(e,t,...n){ga();let r=O(`div`,{class:`wallets`}),i=()=>r.replaceChildren(...va(Dt(),a)),a=e=>{ga(),t(e)};ga=Et(i),i(),A({title:e,children:[r,...n]})}function va(e,t){return e?e.length===0?[Ai()]:e.map(e=>O(`button`,{type:`button`,class:`wallet`,click:()=>t(e)},e.icon===``?O(`span`,{class:`icon`,\"aria-hidden\":`true`},e.name.slice(0,1)):O(`img`,{class:`icon`,src:e.icon,alt:``}),O(`span`,{},e.name))):[M(N.wallets.looking)]}function X(e,t,n){let r=n?j(void 0,{label:N.actions.cancel,run:n}):void 0;A({title:e,tone:`busy`,children:[M(t),r]})}function ya(e,t,n,r){let{payTo:i,network:a,_:o}=e,s=W(e.amount),{review:c,terms:l,actions:u}=N,d=Ti(Math.min(o,Cr));return{title:c.title,children:[M(...P(c.what,{price:s,payee:O(`code`,{},xi(i)),time:d})),Ut([[l.amount,Ci(e.amount)],[l.paidTo,Si(i)],[l.for,location.host],[l.network,wi(a)],[l.from,O(`span`,{},`${t.wallet}, `,O(`code`,{},xi(t.address)))],[l.balance,t.balance]]),...n.map(e=>O(`p`,{class:`note`},e)),j({label:F(u.sign,{price:s}),run:r.sign},{label:u.otherWallet,run:r.other})]}}var{wallets:Z,actions:Q,paid:$}=N,ba=7e4;function xa({request:e,kept:t,payable:n,notes:r}){let i=new AbortController,a,o={label:Q.startAgain,run:f},s={label:Q.otherWallet,run:f},c=t.current();c&&c.state!==`settled`?h(c,{title:N.open.unfinished,why:N.open.signedBefore}):qr().length>0?u():l();function l(){if(!c)return f();i.abort();let e={label:Q.showAgain,run:()=>m(c)};la(ka,`good`,c,e)}function u(){d(t=>wa(e,l,t),u)}function d(e,t){i.abort();let n=new AbortController;i=n,e(n.signal).catch(e=>{if(n.signal.aborted)return;let{title:r,why:i}=Hi(e);sa(r,i,{label:Q.tryAgain,run:t},s)})}function f(){i.abort(),a?.(),_a(Z.choose,p,Pi(),Fi(n[0].e.network))}function p(e){let t=()=>p(e);d(async r=>{let i=await ee(e,r,t);await te(i,Sa(i,n),r)},t)}async function ee(e,t,n){X(Z.open,F(Z.account,{wallet:e.name}),f);let r=await Nr(e,t);return a?.(),a=Pr(r,e=>{i.abort();let{title:t,why:r}=Hi(e);sa(t,r,{label:Q.continue,run:n})}),r}async function te(e,t,n){let{wallet:i,address:a}=e,{e:o,offer:c}=t,l=Bi(c,a);if(l!==void 0)throw Error(F(N.before.notPayable,{reason:l}));await Ca(e,t,n,f),X(Z.oneMoment,Z.checkingBalance,f);let u=await Ea(e,o);if(n.throwIfAborted(),u!==void 0&&u<o.amount){let t={label:Q.checkAgain,run:()=>p(i)},n=Fi(o.network);return ca(Da(u,o),e.address,n,t,s)}let d=u===void 0?N.terms.unknown:W(u),ee={sign:()=>ne(e,t),other:f};A(ya(o,{wallet:i.name,address:a,balance:d},r,ee))}function ne(n,r){let{wallet:i}=n;d(async o=>{X(Z.confirm,F(Z.reviewIn,{wallet:i.name}),f);let s=await pa({request:e,kept:t,payer:n,payable:r,signal:o});a?.(),m(s)},()=>p(i))}function m(n){n.signed&&(t.onTransition=ta,ta(n),Oa(e,t,{...n,signed:n.signed}).finally(()=>t.onTransition=()=>{}).then(e=>re(e,t.current()??n)).catch(e=>h(n,Hi(e))))}async function re(e,t){let{response:n,reading:r,state:i,receipt:a}=e;if(Yr(n),n?.ok===!0&&Aa.has(r.kind))return fa(t,r.kind===`settled`?r.receipt??a:void 0,n,await Ir(n));if(i!==`settled`)return h(t,await Ui(e));ie(t,await Ta(n))}function ie(e,t){let n=$.missing,r={label:Q.requestAgain,run:()=>m(e)};la({title:n,why:t},`warn`,e,r)}function h(e,n){oa(n,e,{again:()=>m(t.current()??e),findOut:()=>_a(Z.chooseToCheck,t=>g(e,t))})}function g(e,n){let r=()=>g(e,n);d(async i=>{await Rt(await ee(n,i,r),kr(e).chainId,i),X(Z.oneMoment,Z.checkingChain);let s=await Ar(e,t,n.provider);a?.(),i.throwIfAborted(),s.state===`settled`?ie(t.current()??e,$.received):s.state===`unknown`?h(e,{title:N.open.notFinal,why:N.open.waitForChain}):sa(N.open.neverUsed,N.open.neverUsedWhy,o)},r)}}function Sa({chainId:e},t){return t.find(({e:t})=>t.network.chainId===e)??t[0]}async function Ca(e,{e:t},n,r){let{chainId:i}=t.network;if(e.chainId===i)return;let a=wi(t.network);X(Z.open,F(Z.approveSwitch,{network:a}),r),await Rt(e,i,n)}async function wa(e,t,n){X(Z.oneMoment,Z.tryingTokens,t);let r=await Ri(e,n);if(n.throwIfAborted(),!r)return t();if(!r.ok)throw Error(await Ta(r));da(r,await Ir(r))}async function Ta(e){let t=e&&F($.status,{status:e.status});return await Gi(e)??t??$.silent}async function Ea({wallet:e,address:t},{network:n}){let r=await Tn(Mr(e.provider),jr,t).catch(()=>{});return r?.network===n?r.usdcUnits:void 0}function Da(e,{amount:t,network:n}){let[r,i]=[W(e),W(t)];return F(Z.lack,{balance:r,price:i,network:wi(n)})}function Oa(e,t,n){let{signed:r,wallet:i,amountUnits:a}=n,o={payer:i,network:kr(n),amountUnits:a};return sr({fetch:(e,t)=>fetch(e,t),ledger:t,te:br,ue:ba},{request:e,record:n,signed:r,expected:o})}var ka={title:$.before,why:$.beforeWhy},Aa=new Set([`settled`,`lying_receipt`,`served_without_receipt`]),ja=`text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8`,Ma=`0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855`;function Na(){let{origin:e,pathname:t,search:n}=location,r=`${e}${t}${n}`,i=Ma;return{method:`GET`,url:r,headers:new Headers,S:i,fingerprint:r,kept:{method:`GET`,url:r,headers:[],headersLeftOut:[],S:i,bodyBytes:0},signal:void 0,send:(e,{header:t,headers:n=t?[t]:[],redirect:i,signal:a})=>e(r,{headers:{Accept:ja,...Object.fromEntries(n)},cache:`no-store`,..._({redirect:i,signal:a})})}}var Pa=15;function Fa(){let e=Math.round((Date.now()-Number(k(`challenge`).dataset.now))/1e3);if(!(Math.abs(e)>Pa))return``;let{clockAhead:t,clockBehind:n}=N.before;return F(e>0?t:n,{seconds:Math.abs(e)})}function Ia(){let e=document.querySelector(`.seller .icon`);e?.decode().catch(()=>e.remove())}function La(){let{cannot:e,https:t,forgetful:n}=N.before;if(location.protocol!==`https:`&&!Se(location.hostname))return sa(e,t);k(`program`).removeAttribute(`open`),Ia(),k(`host`).textContent=location.host,k(`copy-command`).textContent=lt([`npx`,`farthing`,`pay`,ft(location.href)]),Kt();let{payable:r,w:i}=Vi(k(`challenge`).textContent),[a,...o]=r;if(!a)return sa(e,i??``);let s=Na(),c=qi(s.url,Date.now());Tt();let l=[Fa(),c.fe?``:n].filter(e=>e!==``);xa({request:s,kept:c,payable:[a,...o],notes:l})}La()})();";

export const scriptHash: string =
  "sha256-mJVqO67APcTH4orE/QbVdcfmRGmkorCl+918DKgR6/4=";

export const style: string =
  ":root{color-scheme:light dark;--ground: light-dark(#f7f5f2, #161412);--surface: light-dark(#fff, #1f1c19);--sunken: light-dark(#f3f0ec, #191614);--line: light-dark(#e4dfd8, #37312b);--line-strong: light-dark(#8d857b, #7d7468);--ink: light-dark(#211d19, #eee9e2);--muted: light-dark(#665e55, #a89f94);--accent: light-dark(#96471f, #e9a177);--fill: light-dark(#96471f, #b65c2f);--good: light-dark(#1d6841, #7cc79c);--busy: light-dark(#2c5784, #93bce6);--warn: light-dark(#7a4f00, #e8bd63);--bad: light-dark(#a12626, #f09a94)}*,:before{box-sizing:border-box;margin:0;padding:0}html{font:15px/1.5 system-ui,-apple-system,Segoe UI,Roboto,Helvetica Neue,Arial,sans-serif;color:var(--ink);background:var(--ground);-webkit-text-size-adjust:none;text-size-adjust:none}body{display:grid;place-items:start center;padding:clamp(12px,9dvh,96px) 12px 24px}main{width:100%;max-width:460px;border:1px solid var(--line);border-radius:14px;background:var(--surface);box-shadow:0 8px 32px light-dark(rgb(60 40 20 / 7%),rgb(0 0 0 / 30%));overflow:hidden}#offer,#flow,#program{padding:20px 24px}#flow{overflow-wrap:anywhere}#flow,#program{border-top:1px solid var(--line)}#program{padding-block:12px;background:var(--sunken)}.seller{color:var(--muted);font-size:14px;overflow-wrap:anywhere}.seller .icon{vertical-align:middle}.seller strong{color:var(--ink)}.seller strong:after{content:\" ·\"}h1{margin-top:2px;font-size:19px;font-weight:620;line-height:1.3;overflow-wrap:anywhere}.price{margin:10px 0 12px;font-size:38px;font-weight:660;font-variant-numeric:tabular-nums;letter-spacing:-.02em;line-height:1.1}.unit{color:var(--muted);font-weight:520}.unit{font-size:17px;letter-spacing:0}.facts{font-size:14px}main:has(#flow .facts) #offer .facts{display:none}.facts>div{display:flex;gap:16px;padding:5px 0}.facts dt{flex:0 0 92px;color:var(--muted)}.facts dd{min-width:0;overflow-wrap:anywhere}code,pre{font-family:ui-monospace,SF Mono,Cascadia Mono,Menlo,Consolas,DejaVu Sans Mono,monospace;font-size:.92em;font-variant-ligatures:none}a,summary{color:var(--accent);text-underline-offset:2px}summary{cursor:pointer;font-size:14px}details:not(.address)[open]>summary{margin-bottom:8px}.address>summary{width:fit-content;color:inherit}.address>summary code,p code:not(.whole){white-space:nowrap}.address>code{font-size:12px}.qr{display:block;width:200px;border-radius:8px;background:#fff;fill:#000}.guide>*+*{margin-top:8px;font-size:14px}.copied>details{min-width:0;overflow-wrap:anywhere}.copied{display:flex;gap:8px;align-items:start}.copy{flex:none;min-height:24px;padding:0 8px;border-color:var(--line);border-radius:6px;color:var(--muted);font-size:12px;letter-spacing:0;white-space:nowrap}.price .copy{margin-left:8px;vertical-align:3px}#program .copy,.qr{margin-top:8px}:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}h2:focus-visible{outline:none}#flow{display:flex;flex-direction:column;gap:14px}.title{display:flex;gap:9px;align-items:center}h2{font-size:16px;font-weight:620}.mark:empty{display:none}#flow:not([data-tone=plain]) .mark{display:block;flex:none;width:18px;height:18px;border:2px solid currentcolor;border-radius:50%;font-size:12px;font-weight:700;line-height:14px;text-align:center}#flow[data-tone=busy] .mark{border-right-color:transparent;color:var(--busy);animation:turn 1s linear infinite}#flow[data-tone=good] .mark{color:var(--good)}#flow[data-tone=good] .mark:before{content:\"✓\"}#flow[data-tone=warn] .mark{color:var(--warn)}#flow[data-tone=bad] .mark{color:var(--bad)}#flow:is([data-tone=warn],[data-tone=bad]) .mark:before{content:\"!\"}@keyframes turn{to{transform:rotate(1turn)}}.wallets,.actions{display:flex;flex-direction:column;gap:8px}button{min-height:44px;padding:8px 14px;border:1px solid var(--line-strong);border-radius:9px;color:inherit;background:var(--surface);font:inherit;font-weight:560;cursor:pointer}button:hover{background:var(--sunken)}.actions button:not(.primary){min-height:38px;border-color:transparent;color:var(--muted)}button.primary{border-color:var(--fill);color:#fff;background:var(--fill)}button.primary:hover{filter:brightness(1.1)}.wallet{display:flex;gap:12px;align-items:center;text-align:left;overflow-wrap:anywhere}.icon{flex:none;width:26px;height:26px;border-radius:7px;color:var(--accent);background:var(--sunken);line-height:26px;text-align:center}.note{padding:10px 12px;border-radius:8px;background:var(--sunken);font-size:14px}.note>*+*{margin-top:8px}.stages{list-style:none}.stages li{display:flex;gap:10px;align-items:center;padding:6px 0;color:var(--muted)}.stages li:before{content:\"\";flex:none;width:20px;border:1px solid currentcolor;border-radius:50%;font-size:11px;line-height:18px;text-align:center;aspect-ratio:1}.stages .done:before{content:\"✓\" / \"\";color:var(--good)}.stages .current:before{border-width:5px;color:var(--busy)}.stages .done,.stages .current{color:var(--ink)}.state{margin-left:auto;font-size:13px}.done .state{color:var(--good)}.current .state{color:var(--busy)}pre{padding:10px 12px;border-radius:8px;background:var(--sunken);overflow:auto}#program pre{background:var(--surface);white-space:pre-wrap;overflow-wrap:anywhere}#program p{margin-bottom:8px;font-size:14px}.paid main{max-width:860px}.paid .price,.paid #offer .facts,.paid h1.plain,.paid #program{display:none}.content{display:flex;flex-direction:column;gap:10px}.content pre{max-height:70dvh}.content img{max-width:100%;border-radius:8px}iframe{width:100%;height:70dvh;border:1px solid var(--line);border-radius:8px;background:#fff}#live{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}@media(width<420px){#offer,#flow,#program{padding-inline:16px}.price{font-size:32px}}@media(prefers-reduced-motion:reduce){.mark{animation:none!important}}";

export const styleHash: string =
  "sha256-RR1Uaia+7pqSMEKVL20tehBWnIvN0UecygzSj6bSoEw=";

export const texts = {
  "en": {
    "server": {
      "title": "Pay to open this page",
      "paidTo": "Paid to",
      "network": "Network",
      "or": " or ",
      "fee": "Network fee",
      "noFee": "none for you",
      "buys": "Buys",
      "pass": "{uses} visits within {time}",
      "balance": "a balance; a visit costs at most {amount}",
      "noScript": "This page asks your wallet for one signature. For that it needs its script, which is not running here.",
      "program": "Pay from a program",
      "programHow": "The same address takes x402 payments from programs. From a shell:",
      "days": "{count} days",
      "hours": "{count} hours",
      "minutes": "{count} minutes",
      "seconds": "{count} seconds",
      "day": "1 day",
      "hour": "1 hour",
      "minute": "1 minute",
      "second": "1 second"
    },
    "networks": {
      "50": "XDC",
      "51": "Apothem test network"
    },
    "copy": {
      "copy": "Copy",
      "copied": "Copied",
      "blocked": "Copying is blocked",
      "amount": "Copy amount",
      "address": "Copy address",
      "command": "Copy command"
    },
    "actions": {
      "tryAgain": "Try again",
      "otherWallet": "Use a different wallet",
      "continue": "Continue",
      "cancel": "Cancel",
      "reload": "Reload",
      "checkAgain": "Check again",
      "startAgain": "Start again",
      "sign": "Sign and pay {price}",
      "again": "Try again with the same signature",
      "findOut": "Check the blockchain",
      "showAgain": "Show content again",
      "requestAgain": "Request content again"
    },
    "terms": {
      "amount": "Amount",
      "paidTo": "Paid to",
      "for": "For",
      "network": "Network",
      "from": "From",
      "balance": "Your balance",
      "unknown": "unknown",
      "transaction": "Transaction",
      "notProvided": "not provided",
      "onExplorer": "{transaction} on the explorer",
      "seconds": "{count} seconds",
      "minute": "1 minute",
      "minutes": "{count} minutes"
    },
    "before": {
      "cannot": "This page cannot take a payment",
      "https": "Payments require HTTPS.",
      "noOffer": "The seller offers no payment option that this page supports.",
      "notPayable": "This payment is not possible: {reason}",
      "forgetful": "This browser blocks storage for this page. Do not reload the page after you have signed.",
      "clockAhead": "Your clock is {seconds} seconds ahead of the seller's. Correct it first, or the payment may be refused.",
      "clockBehind": "Your clock is {seconds} seconds behind the seller's. Correct it first, or the payment may be refused."
    },
    "wallets": {
      "choose": "Choose your wallet",
      "chooseToCheck": "Choose a wallet to check with",
      "looking": "Looking for wallets…",
      "none": "No wallet found in this browser.",
      "install": "Install a wallet that takes custom networks, such as {link}, and reload this page. When you pay, the page adds the network to the wallet.",
      "openIn": "Open this page in MetaMask",
      "phone": "Pay with your phone",
      "scan": "Scan this code with the wallet on your phone. It opens this page in the wallet, where you pay.",
      "scanPicture": "QR code with the address of this page",
      "open": "Open your wallet",
      "account": "Choose an account in {wallet}.",
      "approveSwitch": "Approve the switch to {network}.",
      "confirm": "Confirm in your wallet",
      "reviewIn": "Review and sign in {wallet}.",
      "oneMoment": "One moment",
      "checkingBalance": "Checking your balance.",
      "checkingChain": "Checking the blockchain.",
      "tryingTokens": "Trying what you have paid for here.",
      "notEnough": "Not enough USDC",
      "lack": "The balance is {balance}, the price {price}. Send USDC on {network} to your address:"
    },
    "getUsdc": {
      "title": "How to get USDC on {network}",
      "exchange": "From an exchange: withdraw USDC to your wallet, and choose XDC as the network. Not every exchange offers it.",
      "bridge": "From another network: use a bridge with Circle's CCTP, where XDC is domain 18. You then receive native USDC.",
      "native": "Bridged USDC.e is a different token, which cannot be used here. This is the token to receive:",
      "test": "Test USDC is worth nothing. {link} gives it away on several test networks; if Apothem is not among them, ask the seller. This is the token:",
      "faucet": "Circle's faucet",
      "noCoins": "You need no other coins, because the payment costs you no network fee."
    },
    "review": {
      "title": "Review and sign",
      "what": "This signature pays {price} to {payee}. It is valid for {time} and costs no network fee."
    },
    "progress": {
      "signed": "Signed",
      "sent": "Sent to the seller",
      "confirmed": "Confirmed on chain",
      "done": "done",
      "current": "in progress",
      "ahead": "not yet",
      "paying": "Paying…",
      "paid": "Paid",
      "loading": "Confirmed. Loading your content.",
      "step": "{done}. {next}: in progress."
    },
    "open": {
      "unfinished": "Your payment is not finished",
      "signedBefore": "You signed a payment for this page and have not received a response yet.",
      "expired": "Your signature has expired. The blockchain shows whether it was used; if not, you can sign again.",
      "valid": "Sending the same signature again never charges you twice. It is valid until {end}; no new one is made before then.",
      "notFinal": "Not final yet",
      "waitForChain": "The blockchain does not show a final outcome yet. Check again in a moment.",
      "neverUsed": "You have not been charged",
      "neverUsedWhy": "Your signature expired unused and can no longer be used."
    },
    "paid": {
      "before": "You have already paid for this page",
      "beforeWhy": "The seller keeps the content available to you for a few minutes.",
      "missing": "Paid, but the content is not available yet",
      "received": "The seller received your payment.",
      "noSecondCharge": "Requesting it again does not charge you again.",
      "status": "The seller responded with status {status}.",
      "silent": "The seller did not respond.",
      "usesLeft": "Uses left in this browser: {uses}, until {end}.",
      "balanceLeft": "Balance left in this browser: {amount}.",
      "content": "Your content",
      "earlier": "Paid for earlier. Your content is below.",
      "below": "Paid. Your content is below.",
      "title": "Paid {price}",
      "noReceipt": "The seller sent no receipt. We do not know yet whether you have been charged. Do not pay again.",
      "receipt": "Receipt"
    },
    "content": {
      "empty": "The content is empty.",
      "file": "Your file is ready.",
      "bought": "What you paid for",
      "ended": "… (ended)",
      "save": "Save as {name}"
    },
    "wallet": {
      "title": "The request could not be completed",
      "rejectedTitle": "Request rejected in your wallet",
      "rejected": "You have not been charged.",
      "alreadyOpenTitle": "Continue in your wallet",
      "alreadyOpen": "An earlier request is still open in your wallet. Approve or reject it there, then try again.",
      "accountChangedTitle": "The account in your wallet changed",
      "accountChanged": "Nothing was sent. Select the account to pay with, then continue.",
      "otherNetworkTitle": "Your wallet is on a different network",
      "otherNetwork": "{wallet} did not switch to {network}. Select {network} (chain {chain}) in the wallet and try again.",
      "unable": "This wallet does not support the request. Try a different wallet.",
      "failed": "Your wallet reported a problem: {reason}. Try again, or use a different wallet.",
      "noAccount": "Your wallet shares no account with this page. Unlock it and try again.",
      "badSignature": "Your wallet returned an invalid signature. Try again.",
      "inProgress": "A payment for this page is already in progress. Reload the page."
    },
    "outcomes": {
      "settled": {
        "title": "Paid",
        "why": ""
      },
      "pending": {
        "title": "Not confirmed yet",
        "why": "Your payment is in progress. We do not know yet whether you have been charged. Do not pay again."
      },
      "busy": {
        "title": "The seller is busy",
        "why": "We do not know yet whether you have been charged. Do not pay again."
      },
      "server_error": {
        "title": "The seller is having problems",
        "why": "We do not know yet whether you have been charged. Do not pay again."
      },
      "not_charged": {
        "title": "The seller is having problems",
        "why": "The seller reports that you have not been charged."
      },
      "no_answer": {
        "title": "No response",
        "why": "The seller did not respond. We do not know yet whether you have been charged. Do not pay again."
      },
      "refused": {
        "title": "Payment not accepted",
        "why": "The seller did not accept the payment."
      },
      "failed_receipt": {
        "title": "Payment not settled",
        "why": "The payment was not settled."
      },
      "conflict": {
        "title": "Payment already used",
        "why": "The seller has already received this payment."
      },
      "client_error": {
        "title": "Request refused",
        "why": "The seller refused the request. We do not know yet whether you have been charged. Do not pay again."
      },
      "redirect": {
        "title": "Redirected",
        "why": "The seller redirected to a different address. We do not know yet whether you have been charged. Do not pay again."
      },
      "lying_receipt": {
        "title": "Receipt does not match",
        "why": "The receipt belongs to a different payment. We do not know yet whether you have been charged. Do not pay again."
      },
      "served_without_receipt": {
        "title": "No receipt",
        "why": "We do not know yet whether you have been charged. Do not pay again."
      }
    },
    "refusals": {
      "unsupported_scheme": "Only the scheme `exact` is supported.",
      "unsupported_transfer_method": "Only EIP-3009 transferWithAuthorization is supported; sign that instead.",
      "unsupported_network": "This network is not served here; see /supported.",
      "invalid_signature": "The signature does not belong to authorization.from; sign again.",
      "wallet_not_deployed": "The paying smart wallet is not deployed; deploy it first.",
      "self_payment": "Payer and payee are the same address; pay from another one.",
      "authorization_expired": "The authorization has expired; sign a new one.",
      "authorization_expires_too_soon": "The authorization expires before it could be settled; sign one that lasts longer.",
      "authorization_not_yet_valid": "The authorization is not valid yet; sign one with an earlier validAfter.",
      "authorization_canceled": "The payer canceled this authorization; sign a new one.",
      "nonce_already_used": "This authorization is already used or in flight; a new payment needs a new nonce.",
      "insufficient_funds": "The payer's USDC balance is below the amount.",
      "token_paused": "USDC is paused by its issuer; try again later.",
      "payer_blocked": "The payer is blocked by the issuer of USDC; pay from another address.",
      "payee_blocked": "payTo is blocked by the issuer of USDC; the seller needs another address.",
      "payer_spend_cap_reached": "The payer has reached the spending cap of this facilitator; try again later.",
      "payer_count_reached": "The payer has reached the number of payments per day that this facilitator settles without an API key; try again later.",
      "payer_paused": "Transactions of the payer's contract wallet reverted although their simulation passed; pay from another address, or try again later.",
      "settlement_pending": "The transfer is under way; ask again with the same payment, do not sign a new one.",
      "already_settled": "The payment was settled before, and its success is reported only once; the transaction proves it.",
      "transaction_reverted": "The transaction was mined and reverted; no money moved."
    }
  },
  "es": {
    "server": {
      "title": "Paga para abrir esta página",
      "paidTo": "Se paga a",
      "network": "Red",
      "or": " o ",
      "fee": "Comisión de red",
      "noFee": "ninguna para ti",
      "buys": "Incluye",
      "pass": "{uses} visitas en {time}",
      "balance": "un saldo; una visita cuesta como máximo {amount}",
      "noScript": "Esta página pide una firma a tu monedero. Para ello necesita su script, que aquí no se está ejecutando.",
      "program": "Pagar desde un programa",
      "programHow": "La misma dirección acepta pagos x402 de programas. Desde una línea de comandos:",
      "days": "{count} días",
      "hours": "{count} horas",
      "minutes": "{count} minutos",
      "seconds": "{count} segundos",
      "day": "1 día",
      "hour": "1 hora",
      "minute": "1 minuto",
      "second": "1 segundo"
    },
    "networks": {
      "50": "XDC",
      "51": "Apothem (red de pruebas)"
    },
    "copy": {
      "copy": "Copiar",
      "copied": "Copiado",
      "blocked": "No se puede copiar",
      "amount": "Copiar importe",
      "address": "Copiar dirección",
      "command": "Copiar comando"
    },
    "actions": {
      "tryAgain": "Intentar de nuevo",
      "otherWallet": "Usar otro monedero",
      "continue": "Continuar",
      "cancel": "Cancelar",
      "reload": "Recargar",
      "checkAgain": "Comprobar de nuevo",
      "startAgain": "Empezar de nuevo",
      "sign": "Firmar y pagar {price}",
      "again": "Intentar de nuevo con la misma firma",
      "findOut": "Consultar la cadena de bloques",
      "showAgain": "Mostrar el contenido otra vez",
      "requestAgain": "Pedir el contenido otra vez"
    },
    "terms": {
      "amount": "Importe",
      "paidTo": "Se paga a",
      "for": "Por",
      "network": "Red",
      "from": "Desde",
      "balance": "Tu saldo",
      "unknown": "desconocido",
      "transaction": "Transacción",
      "notProvided": "no indicada",
      "onExplorer": "{transaction} en el explorador",
      "seconds": "{count} segundos",
      "minute": "1 minuto",
      "minutes": "{count} minutos"
    },
    "before": {
      "cannot": "Esta página no puede aceptar un pago",
      "https": "Los pagos requieren HTTPS.",
      "noOffer": "El vendedor no ofrece ninguna forma de pago compatible con esta página.",
      "notPayable": "Este pago no es posible: {reason}",
      "forgetful": "Este navegador bloquea el almacenamiento de esta página. No la recargues después de firmar.",
      "clockAhead": "Tu reloj está {seconds} segundos adelantado respecto al del vendedor. Corrígelo antes, o el pago podría ser rechazado.",
      "clockBehind": "Tu reloj está {seconds} segundos atrasado respecto al del vendedor. Corrígelo antes, o el pago podría ser rechazado."
    },
    "wallets": {
      "choose": "Elige tu monedero",
      "chooseToCheck": "Elige un monedero para la consulta",
      "looking": "Buscando monederos…",
      "none": "No se ha encontrado ningún monedero en este navegador.",
      "install": "Instala un monedero que admita redes personalizadas, como {link}, y recarga esta página. Al pagar, la página añade la red al monedero.",
      "openIn": "Abrir esta página en MetaMask",
      "phone": "Pagar con el teléfono",
      "scan": "Escanea este código con el monedero de tu teléfono. Abre esta página en el monedero, donde pagas.",
      "scanPicture": "Código QR con la dirección de esta página",
      "open": "Abre tu monedero",
      "account": "Elige una cuenta en {wallet}.",
      "approveSwitch": "Aprueba el cambio a {network}.",
      "confirm": "Confirma en tu monedero",
      "reviewIn": "Revisa y firma en {wallet}.",
      "oneMoment": "Un momento",
      "checkingBalance": "Consultando tu saldo.",
      "checkingChain": "Consultando la cadena de bloques.",
      "tryingTokens": "Probando lo que ya has pagado aquí.",
      "notEnough": "No hay suficiente USDC",
      "lack": "El saldo es de {balance} y el precio de {price}. Envía USDC en {network} a tu dirección:"
    },
    "getUsdc": {
      "title": "Cómo conseguir USDC en {network}",
      "exchange": "Desde una plataforma de intercambio: retira USDC a tu monedero y elige XDC como red. No todas la ofrecen.",
      "bridge": "Desde otra red: usa un puente con CCTP de Circle, donde XDC es el dominio 18. Así recibes USDC nativo.",
      "native": "USDC.e es otro token, que aquí no sirve. Este es el token que debes recibir:",
      "test": "El USDC de prueba no tiene valor. {link} lo regala en varias redes de prueba; si Apothem no está entre ellas, pregunta al vendedor. Este es el token:",
      "faucet": "El grifo de Circle",
      "noCoins": "No necesitas otras monedas, porque el pago no te cuesta comisión de red."
    },
    "review": {
      "title": "Revisa y firma",
      "what": "Esta firma paga {price} a {payee}. Es válida durante {time} y no cuesta comisión de red."
    },
    "progress": {
      "signed": "Firmado",
      "sent": "Enviado al vendedor",
      "confirmed": "Confirmado en la cadena",
      "done": "hecho",
      "current": "en curso",
      "ahead": "pendiente",
      "paying": "Pagando…",
      "paid": "Pagado",
      "loading": "Confirmado. Cargando el contenido.",
      "step": "{done}. {next}: en curso."
    },
    "open": {
      "unfinished": "Tu pago no ha terminado",
      "signedBefore": "Firmaste un pago para esta página y todavía no has recibido respuesta.",
      "expired": "Tu firma ha caducado. La cadena de bloques muestra si se usó; si no, puedes firmar de nuevo.",
      "valid": "Enviar otra vez la misma firma nunca te cobra dos veces. Es válida hasta las {end}; antes no se crea ninguna nueva.",
      "notFinal": "Todavía no es definitivo",
      "waitForChain": "La cadena de bloques aún no muestra un resultado definitivo. Vuelve a consultar en un momento.",
      "neverUsed": "No se te ha cobrado",
      "neverUsedWhy": "Tu firma caducó sin usarse y ya no se puede usar."
    },
    "paid": {
      "before": "Ya has pagado por esta página",
      "beforeWhy": "El vendedor mantiene el contenido disponible para ti durante unos minutos.",
      "missing": "Pagado, pero el contenido aún no está disponible",
      "received": "El vendedor ha recibido tu pago.",
      "noSecondCharge": "Pedirlo otra vez no te cobra de nuevo.",
      "status": "El vendedor respondió con el estado {status}.",
      "silent": "El vendedor no respondió.",
      "usesLeft": "Usos restantes en este navegador: {uses}, hasta {end}.",
      "balanceLeft": "Saldo restante en este navegador: {amount}.",
      "content": "Tu contenido",
      "earlier": "Ya estaba pagado. Tu contenido está abajo.",
      "below": "Pagado. Tu contenido está abajo.",
      "title": "Pagado: {price}",
      "noReceipt": "El vendedor no envió ningún recibo. Todavía no sabemos si se te ha cobrado. No pagues otra vez.",
      "receipt": "Recibo"
    },
    "content": {
      "empty": "El contenido está vacío.",
      "file": "Tu archivo está listo.",
      "bought": "Lo que has pagado",
      "ended": "… (fin)",
      "save": "Guardar como {name}"
    },
    "wallet": {
      "title": "La petición no se pudo completar",
      "rejectedTitle": "Petición rechazada en tu monedero",
      "rejected": "No se te ha cobrado.",
      "alreadyOpenTitle": "Continúa en tu monedero",
      "alreadyOpen": "Una petición anterior sigue abierta en tu monedero. Apruébala o recházala allí e inténtalo de nuevo.",
      "accountChangedTitle": "La cuenta de tu monedero ha cambiado",
      "accountChanged": "No se ha enviado nada. Elige la cuenta con la que quieres pagar y continúa.",
      "otherNetworkTitle": "Tu monedero está en otra red",
      "otherNetwork": "{wallet} no cambió a {network}. Elige {network} (cadena {chain}) en el monedero e inténtalo de nuevo.",
      "unable": "Este monedero no admite la petición. Prueba con otro monedero.",
      "failed": "Tu monedero informó de un problema: {reason}. Inténtalo de nuevo o usa otro monedero.",
      "noAccount": "Tu monedero no comparte ninguna cuenta con esta página. Desbloquéalo e inténtalo de nuevo.",
      "badSignature": "Tu monedero devolvió una firma no válida. Inténtalo de nuevo.",
      "inProgress": "Ya hay un pago en curso para esta página. Recarga la página."
    },
    "outcomes": {
      "settled": {
        "title": "Pagado",
        "why": ""
      },
      "pending": {
        "title": "Aún sin confirmar",
        "why": "Tu pago está en curso. Todavía no sabemos si se te ha cobrado. No pagues otra vez."
      },
      "busy": {
        "title": "El vendedor está ocupado",
        "why": "Todavía no sabemos si se te ha cobrado. No pagues otra vez."
      },
      "server_error": {
        "title": "El vendedor tiene problemas",
        "why": "Todavía no sabemos si se te ha cobrado. No pagues otra vez."
      },
      "not_charged": {
        "title": "El vendedor tiene problemas",
        "why": "El vendedor informa de que no se te ha cobrado."
      },
      "no_answer": {
        "title": "Sin respuesta",
        "why": "El vendedor no respondió. Todavía no sabemos si se te ha cobrado. No pagues otra vez."
      },
      "refused": {
        "title": "Pago no aceptado",
        "why": "El vendedor no aceptó el pago."
      },
      "failed_receipt": {
        "title": "Pago no liquidado",
        "why": "El pago no se liquidó."
      },
      "conflict": {
        "title": "Pago ya usado",
        "why": "El vendedor ya ha recibido este pago."
      },
      "client_error": {
        "title": "Petición rechazada",
        "why": "El vendedor rechazó la petición. Todavía no sabemos si se te ha cobrado. No pagues otra vez."
      },
      "redirect": {
        "title": "Redirigido",
        "why": "El vendedor redirigió a otra dirección. Todavía no sabemos si se te ha cobrado. No pagues otra vez."
      },
      "lying_receipt": {
        "title": "El recibo no coincide",
        "why": "El recibo pertenece a otro pago. Todavía no sabemos si se te ha cobrado. No pagues otra vez."
      },
      "served_without_receipt": {
        "title": "Sin recibo",
        "why": "Todavía no sabemos si se te ha cobrado. No pagues otra vez."
      }
    },
    "refusals": {
      "unsupported_scheme": "Este tipo de pago no se admite aquí.",
      "unsupported_transfer_method": "Esta forma de transferencia no se admite aquí.",
      "unsupported_network": "Esta red no se admite aquí.",
      "invalid_signature": "La firma no corresponde a tu dirección; firma de nuevo.",
      "wallet_not_deployed": "El monedero inteligente que paga no está desplegado; despliégalo primero.",
      "self_payment": "Pagador y beneficiario son la misma dirección; paga desde otra.",
      "authorization_expired": "La firma ha caducado; firma de nuevo.",
      "authorization_expires_too_soon": "La firma caduca antes de que el pago se pueda liquidar; firma de nuevo.",
      "authorization_not_yet_valid": "La firma aún no es válida; comprueba tu reloj.",
      "authorization_canceled": "Esta firma fue anulada; firma de nuevo.",
      "nonce_already_used": "Esta firma ya se ha usado o está en curso.",
      "insufficient_funds": "Tu saldo de USDC es menor que el importe.",
      "token_paused": "El emisor de USDC lo ha pausado; inténtalo más tarde.",
      "payer_blocked": "El emisor de USDC ha bloqueado tu dirección; paga desde otra.",
      "payee_blocked": "El emisor de USDC ha bloqueado la dirección del vendedor.",
      "payer_spend_cap_reached": "Has alcanzado el límite de gasto de este servicio; inténtalo más tarde.",
      "payer_count_reached": "Has alcanzado el número de pagos por día; inténtalo más tarde.",
      "payer_paused": "Tu monedero está en pausa aquí; paga desde otra dirección o más tarde.",
      "settlement_pending": "La transferencia está en curso; no firmes otra.",
      "already_settled": "El pago ya se liquidó; la transacción lo demuestra.",
      "transaction_reverted": "La transacción falló; no se movió dinero."
    }
  }
};
