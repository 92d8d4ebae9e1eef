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
  "\"use strict\";(()=>{var e=e=>e,t=`0x0000000000000000000000000000000000000000`;function n(t){return typeof t==`string`&&/^0x[0-9a-fA-F]{40}$/.test(t)?e(t):void 0}function r(e,t){return typeof t==`string`&&/^xdc[0-9a-f]{40}$/i.test(t)?`${e} begins with ${t.slice(0,3)}; write 0x in its place, the digits are the same`:`${e} must be a 0x address of 20 bytes`}function i(t){if(typeof t!=`string`)return;let r=t.trim(),i=/^xdc([0-9a-f]{40})$/i.exec(r);if(i)return e(`0x${i[1]}`);let a=n(r),o=r.slice(2),s=o===o.toLowerCase()||o===o.toUpperCase();return a!==void 0&&(s||r===a)?a:void 0}function a(e){return e.slice(2).toLowerCase().padStart(64,`0`)}function o(e,t){return e.toLowerCase()===t.toLowerCase()}var s=(1n<<64n)-1n,c=(e,t)=>(e<<BigInt(t)|e>>BigInt((64-t)%64))&s,l=(e,t)=>e[t]??0n;function u(e){let t=(e.slice(2).match(/../g)??[]).map(e=>Number.parseInt(e,16)),n=t.length,r=Math.floor(n/136)+1,i=Array.from({length:r*136},(e,n)=>t[n]??0);i[n]=1,i[i.length-1]=(i.at(-1)??0)|128;let a=Array.from({length:25},()=>0n);for(let e=0;e<i.length;e+=136)a=p(a.map((t,n)=>n*8<136?t^d(i,e+n*8):t));return`0x${a.slice(0,4).map(f).join(``)}`}function d(e,t){let n=0n;for(let r=7;r>=0;r--)n=n<<8n|BigInt(e[t+r]??0);return n}function f(e){return(e.toString(16).padStart(16,`0`).match(/../g)??[]).toReversed().join(``)}function p(e){let t=[...e],n=1;for(let e=0;e<24;e++){let e=[0,1,2,3,4].map(e=>[0,5,10,15,20].reduce((n,r)=>n^l(t,e+r),0n));t=t.map((t,n)=>t^l(e,(n+4)%5)^c(l(e,(n+1)%5),1));let[r,i]=[1,0],a=l(t,1);for(let e=0;e<24;e++){[r,i]=[i,(2*r+3*i)%5];let n=r+5*i,o=l(t,n);t[n]=c(a,(e+1)*(e+2)/2%64),a=o}t=t.map((e,n)=>{let r=n-n%5;return e^~l(t,r+(n+1)%5)&s&l(t,r+(n+2)%5)});for(let e=0;e<7;e++)(n&1)==1&&(t[0]=l(t,0)^1n<<BigInt((1<<e)-1)),n=n<<1^(n>>7)*369}return t}var ee=()=>`0x`,te=u;function ne(e,t){return typeof e==`string`&&e.length<=2+2*t&&e.length%2==0&&/^0x[0-9a-fA-F]*$/.test(e)}function re(e){let t=``;for(let n of e)t+=ie[n];return t}var ie=Array.from({length:256},(e,t)=>t.toString(16).padStart(2,`0`));function ae(e){return e.toString(16).padStart(64,`0`)}function oe(e){return se(re(new TextEncoder().encode(e)))}function se(e){return ae(e.length/2)+e.padEnd(Math.ceil(e.length/64)*64,`0`)}function m(e){return typeof e==`object`&&!!e&&!Array.isArray(e)}function h(e,t){return Object.hasOwn(e,t)?e[t]:void 0}function ce(e,...t){return ue(e,t,e=>typeof e==`string`)}function le(e,...t){return ue(e,t,m)}function ue(e,t,n){let r={};for(let i of t){let t=h(e,i);n(t)&&(r[i]=t)}return r}function g(e){let t={};for(let[n,r]of Object.entries(e))r!==void 0&&(t[n]=r);return t}function _(e){if(typeof e==`string`&&!de(e,32))try{return{value:JSON.parse(e)}}catch{return}}function de(e,t){let n=0;for(let r=0;r<e.length;r++){let i=e.charCodeAt(r);if(i===34)r=fe(e,r+1);else if(i===123||i===91){if(++n>t)return!0}else(i===125||i===93)&&n--}return!1}function fe(e,t){let n=t;for(;;){let r=e.indexOf(`\"`,n);if(r===-1)return e.length;let i=r;for(;i>t&&e.charCodeAt(i-1)===92;)i--;if((r-i)%2==0)return r;n=r+1}}var pe={};Object.keys(pe).filter(me);function me(e){return typeof e==`string`&&Object.hasOwn(pe,e)}function he(e,t,n){return{code:e,message:t??pe[e],...g({x402Reason:n})}}function ge(e,t,n){return{ok:!1,refusal:he(e,t,n)}}function v(e){return{ok:!0,value:e}}var _e=(1n<<256n)-1n,ve={TransferWithAuthorization:[{name:`from`,type:`address`},{name:`to`,type:`address`},{name:`value`,type:`uint256`},{name:`validAfter`,type:`uint256`},{name:`validBefore`,type:`uint256`},{name:`nonce`,type:`bytes32`}]},ye=`TransferWithAuthorization`;function be(e){if(typeof e!=`string`||!/^\\d{1,78}$/.test(e))return;let t=BigInt(e);return t<=_e?t:void 0}function xe(e){let{from:t,to:n,value:r,validAfter:i,validBefore:a,nonce:o}=e;return{from:t,to:n,value:`${r}`,validAfter:`${i}`,validBefore:`${a}`,nonce:o}}function Se(e,t){return{domain:{...e.domain,chainId:e.chainId,verifyingContract:e.usdc},types:ve,primaryType:ye,message:t}}var y={paymentRequired:`PAYMENT-REQUIRED`,paymentSignature:`PAYMENT-SIGNATURE`,xPayment:`X-PAYMENT`,paymentResponse:`PAYMENT-RESPONSE`,xPaymentResponse:`X-PAYMENT-RESPONSE`,paymentCharged:`X-Payment-Charged`},Ce=32768;function we(e){let t=JSON.stringify(e).replaceAll(/[\\u007f-\\uffff]/g,e=>`\\\\u${e.charCodeAt(0).toString(16).padStart(4,`0`)}`);return btoa(t)}function Te(e){if(typeof e!=`string`||e.length===0||e.length>Ce||!/^[A-Za-z0-9+/]*={0,2}$/.test(e))return;let t=e.replace(/=+$/,``),n=t.length!==e.length;if(t.length%4==1||n&&e.length%4!=0)return;let r=atob(t.padEnd(Math.ceil(t.length/4)*4,`=`));if(!/[\\u0080-\\u00ff]/.test(r))return _(r);let i=Uint8Array.from(r,e=>e.charCodeAt(0));try{return _(new TextDecoder(`utf-8`,{fatal:!0}).decode(i))}catch{return}}function Ee(e){return e===`localhost`||e.endsWith(`.localhost`)||e===`[::1]`||/^127(\\.\\d{1,3}){3}$/.test(e)}var De=6,Oe={name:`USDC`,version:`2`},ke={chainId:50,id:`eip155:50`,label:`xdc`,aliases:[],name:`XDC Network`,usdc:`0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1`,domain:Oe,q:new Map([[`0x2A8E898b6242355c290E1f4Fc966b8788729A4D4`,`bridged USDC.e`]]),P:`https://xdcscan.com`},Ae={chainId:51,id:`eip155:51`,label:`xdc-apothem`,aliases:[`xdc-testnet`],name:`Apothem Network`,usdc:`0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4`,domain:Oe,q:new Map,P:`https://testnet.xdcscan.com`},je=[ke,Ae];function Me(e){return e===50?ke:Ae}function b(e){return je.find(({chainId:t})=>t===e)??Ne(2,e)??Ne(1,e)}function Ne(e,t){return je.find(({id:n,label:r,aliases:i})=>e===1?r===t||i.some(e=>e===t):n===t)}function Pe(e,t){return[...e.q].find(([e])=>o(e,t))?.[1]}function Fe({chainId:e,P:t},n){return e===51&&n.every(Ee)?void 0:t}function Ie(e,t,n){let r=Fe(e,[n.replace(/:\\d+$/,``)]);return r&&`${r}/tx/${t}`}function Le(e){if(!m(e))return x(`paymentRequirements must be an object`);let t=h(e,`scheme`);if(typeof t!=`string`)return x(`scheme must be a string`);if(t!==`exact`)return ge(`unsupported_scheme`);let n=h(e,`network`);if(typeof n!=`string`)return x(`network must be a string`);let r=n.includes(`:`)?2:1,i=Ne(r,n);if(!i)return ge(`unsupported_network`,Re(r,n));let a=ze(e,r,n);if(a)return a;let o=Ve(e,r);if(!o.ok)return o;let s=Ue(h(e,`extra`));return s.ok?v({version:r,network:i,O:n,...o.value,...s.value,...ce(e,`resource`,`description`,`mimeType`)}):s}function Re(e,t){let n=b(t);return n?`Version ${e} of x402 calls this network ${e===1?n.label:n.id}, not ${t}; send that name.`:`The network is unknown; version 2 names are eip155:50 and eip155:51, version 1 names xdc and xdc-apothem.`}function ze(e,t,n){let r=(h(e,`maxAmountRequired`)??void 0)!==void 0;if(r===((h(e,`amount`)??void 0)!==void 0)||r===(t===1))return;let i=r?1:2,a=Re(i,n).slice(0,-1);return x(`an entry with ${Be(i)} is of version ${i}. ${a}`)}function Be(e){return e===1?`maxAmountRequired`:`amount`}function Ve(e,i){let a=Be(i),o=be(h(e,a));if(o===void 0||o===0n)return x(`${a} must be base units above 0 as a string of decimal digits`);let s=h(e,`asset`),c=n(s);if(!c)return x(r(`asset`,s));let l=h(e,`payTo`),u=n(l);if(!u||u===t)return x(u?`payTo must not be the zero address`:r(`payTo`,l));let d=He(h(e,`maxTimeoutSeconds`));return d===void 0?x(`maxTimeoutSeconds must be a number above 0`):v({asset:c,amount:o,payTo:u,S:d})}function He(e){if(!(typeof e!=`number`||!(e>0)||e>2**53-1))return Math.max(1,Math.floor(e))}function Ue(e){if(e==null)return v({});if(!m(e))return x(`extra must be an object`);if((h(e,`assetTransferMethod`)??`eip3009`)!==`eip3009`)return ge(`unsupported_transfer_method`);let t=h(e,`name`)??void 0,n=h(e,`version`)??void 0,r=h(e,`paymentFlow`)??void 0;return!We(t)||!We(n)||!We(r)?x(`extra.name, extra.version and extra.paymentFlow must be strings`):v(g({$:t,U:n,j:r}))}function We(e){return e===void 0||typeof e==`string`}function x(e){return ge(`invalid_payment_requirements`,`${e}.`)}var Ge=32;function Ke(e){if(!m(e))return qe(`the challenge must be an object`);let t=h(e,`accepts`);if(!Array.isArray(t))return qe(`the challenge has no list accepts`);let n=[],r=[];for(let[e,i]of t.slice(0,Ge).entries()){let t=Le(i);t.ok?m(i)&&n.push({e:t.value,raw:i}):r.push({index:e,refusal:t.refusal})}return v({entries:n,skipped:r,...le(e,`resource`,`extensions`),...ce(e,`error`)})}function qe(e){return ge(`invalid_payment_requirements`,`${e}.`)}var Je=`batch-settlement`,Ye=[`pending`,`confirmed`,`failed`];function Xe(e){if(!m(e))return;let t=h(e,`success`),n=h(e,`transaction`),r=h(e,`network`);if(typeof t!=`boolean`||typeof r!=`string`||typeof n!=`string`)return;let i=h(e,`status`);return{success:t,transaction:n,network:r,...ce(e,`payer`,`errorReason`,`errorMessage`,`amount`,`id`),...g({status:Ye.find(e=>e===i)}),...le(e,`extensions`,`extra`)}}var Ze=new Set([`settlement_pending`,`service_unavailable`,`unexpected_settle_error`,`settle_exact_evm_transaction_confirmation_timed_out`,`settle_exact_node_failure`,`unknown_error`]);function Qe(e){let{success:t,status:n,errorReason:r}=e;return n===`pending`?`pending`:t?n===`failed`||r===`settlement_pending`?`pending`:`confirmed`:n===`confirmed`?`pending`:r===void 0?n??`pending`:/^[a-z0-9_]+$/.test(r)&&!Ze.has(r)?`failed`:`pending`}function $e(e){return/^0x[0-9a-fA-F]{64}$/.test(e)}var et={remaining:`X-Balance-Remaining`,cost:`X-Request-Cost`},tt={token:`PAYMENT-PASS`,remaining:`X-Pass-Remaining`,expires:`X-Pass-Expires`};function nt(e){return typeof e==`string`&&/^[\\x21-\\x7e]{16,256}$/.test(e)}var rt=`payment-identifier`,it=RegExp(`^[A-Za-z0-9_-]{16,128}$`);function at(e){return typeof e==`string`&&it.test(e)}var ot=8192;function st(e){let{authorization:t,signature:n}=e,r={signature:n,authorization:xe(t)},i=g({resource:e.resource,extensions:e.extensions}),a={scheme:`exact`,network:e.O};return e.shape===`v2`?{x402Version:2,...a,payload:r,accepted:e.accepted??{},...i}:{x402Version:e.version,...a,payload:r,...i}}function ct(e){for(let t of[y.paymentResponse,y.xPaymentResponse]){let n=e.get(t),r=n===null?void 0:Te(n),i=r&&Xe(r.value);if(i)return i}}var S=`request-binding`,lt=1,ut=`x402-request-binding/1`;function dt(e,t){let n=e&&le(e,S)[S],r={...e&&ft(e),version:lt,salt:t};return{...e,[S]:{...n,info:r}}}function ft(e){let t=h(e,S),n=m(t)?h(t,`info`):void 0;return m(n)?n:void 0}function pt({salt:e,method:t,url:n,_:r,payTo:i}){let o=oe(ut),s=oe(t),c=oe(n),l=192+o.length/2,u=l+s.length/2;return te(`0x${ae(192)}${e.slice(2)}${ae(l)}${ae(u)}${r.slice(2)}${a(i)}${o}${s}${c}`)}function mt(e){return e.map(gt).join(` `)}var ht=/[\"$`\\\\!\\u201c-\\u201e]/;function gt(e){return/^[A-Za-z0-9_./:=-]+$/.test(e)?e:ht.test(e)?`'${e.replaceAll(`'`,String.raw`'\\''`)}'`:`\"${e}\"`}function _t(e){return e.replaceAll(/[\"'$!`\\\\]/g,e=>`%${e.charCodeAt(0).toString(16)}`)}RegExp(`^(\\\\d{1,71})(?:\\\\.(\\\\d{1,${De}}))?$`);function vt(e){let t=e<0n?`-`:``,n=(e<0n?-e:e).toString().padStart(De+1,`0`);return`${t}${n.slice(0,-De)}.${n.slice(-De)}`}function C(e){return vt(e).replace(/\\.?0+$/,``)}var yt=30,bt=40,xt=250,w=new Map,St=[],Ct=!1,wt=new Set;function Tt(e){return m(e)&&typeof e.request==`function`}function Et(e){if(!m(e)||!m(e.info))return;let{uuid:t,name:n,icon:r,rdns:i}=e.info,a=e.provider;if(Tt(a)&&typeof t==`string`&&typeof n==`string`)return{id:t,name:n.trim().slice(0,bt)||`Unnamed wallet`,icon:typeof r==`string`&&/^data:image\\//i.test(r)?r:``,rdns:typeof i==`string`?i:``,provider:a}}function Dt(){let e=Reflect.get(globalThis,`ethereum`);return Tt(e)?{id:`window.ethereum`,name:`Browser wallet`,icon:``,rdns:``,provider:e}:void 0}function Ot(){let e=Ct&&w.size===0?Dt():void 0;St=e?[e]:[...w.values()];for(let e of wt)e()}function kt(){addEventListener(`eip6963:announceProvider`,e=>{let t=Et(`detail`in e?e.detail:void 0);!t||w.has(t.id)||w.size>=yt||(w.set(t.id,t),Ot())}),addEventListener(`ethereum#initialized`,Ot),dispatchEvent(new Event(`eip6963:requestProvider`)),setTimeout(()=>{Ct=!0,St.length===0&&Ot()},xt)}function At(e){return wt.add(e),()=>wt.delete(e)}var jt=()=>St.length>0||Ct?St:void 0,T=class extends Error{code;details;constructor(e,t,n={}){super(t),this.name=`WalletProblem`,this.code=e,this.details=n}};function Mt(e){if(!m(e))return;let t=h(e,`data`),n=m(t)?h(t,`originalError`):void 0;for(let t of[n,e]){let e=m(t)?t.code:void 0;if(typeof e==`number`)return e}}async function E(e,t,n,r){r?.throwIfAborted();let i,a=new Promise((e,t)=>{i=()=>t(r?.reason),r?.addEventListener(`abort`,i,{once:!0})});try{return await Promise.race([e.request({method:t,params:n}),a])}catch(e){throw r?.throwIfAborted(),Nt(e)}finally{i&&r?.removeEventListener(`abort`,i)}}function Nt(e){switch(Mt(e)){case 4001:return new T(`rejected`,`Nothing was signed. Try again when you are ready.`);case-32002:return new T(`already_open`,`An earlier request is still open in your wallet. Approve or reject it there, then try again.`);case 4902:return e;case 4200:case-32601:return new T(`unable`,`This wallet does not support the request. Try a different wallet.`);default:return Pt(It(e))}}function Pt(e){return new T(`failed`,`Your wallet reported a problem: ${e}. Try again, or use a different wallet.`,{reason:e})}var Ft=160;function It(e){let t=m(e)?e.message:e;return(typeof t==`string`&&t!==``?t:`no reason given`).slice(0,Ft).replace(/\\.$/,``)}function Lt(e){return(Array.isArray(e)?e:[]).map(n).filter(e=>e!==void 0)}function Rt(e){let t=typeof e==`string`||typeof e==`number`?Number(e):NaN;return Number.isSafeInteger(t)?t:void 0}var zt={50:[`https://erpc.xinfin.network`,`https://erpc.xdcrpc.com`],51:[`https://erpc.apothem.network`,`https://apothem.xdcrpc.com`]},Bt={50:`XDC`,51:`TXDC`},Vt=e=>`0x${e.toString(16)}`;async function Ht({wallet:e,chainId:t},n,r){if(t===n)return;let i=()=>E(e.provider,`wallet_switchEthereumChain`,[{chainId:Vt(n)}],r);try{await i().catch(async t=>{if(Mt(t)!==4902)throw t;await E(e.provider,`wallet_addEthereumChain`,[Ut(n)],r),await i()})}catch(t){let r=t instanceof T?t.code:`failed`;throw r===`unable`||r===`failed`?Wt(e.name,n):t}}function Ut(e){let{name:t,P:n}=Me(e);return{chainId:Vt(e),chainName:t,rpcUrls:zt[e].slice(0,1),nativeCurrency:{name:Bt[e],symbol:Bt[e],decimals:18},blockExplorerUrls:[n]}}function Wt(e,t){let{name:n}=Me(t);return new T(`other_network`,`${e} did not switch to ${n}. Select ${n} (chain ${t}) in the wallet and try again.`,{wallet:e,network:n,chain:`${t}`})}function D(e,t={},...n){let r=document.createElement(e);for(let[e,n]of Object.entries(t))typeof n==`function`?r.addEventListener(e,n):n===!0?r.setAttribute(e,``):typeof n==`string`&&r.setAttribute(e,n);return r.append(...n.filter(e=>e!==void 0)),r}function O(e){let t=document.getElementById(e);if(!t)throw Error(`The page has no #${e}.`);return t}var Gt=!0;function k({title:e,tone:t=`plain`,children:n}){let r=D(`h2`,{tabindex:`-1`},e),i=D(`span`,{class:`mark`,\"aria-hidden\":`true`}),a=O(`flow`);a.dataset.tone=t,a.replaceChildren(...[D(`div`,{class:`title`},i,r),...n].filter(e=>e!==void 0)),Gt||r.focus(),Gt=!1}function Kt(e){O(`live`).textContent=e}function A(...e){return D(`div`,{class:`actions`},...e.map((e,t)=>{if(!e)return;let{label:n,run:r}=e;return D(`button`,{type:`button`,class:t===0?`primary`:``,click:r},n)}))}function j(...e){return D(`p`,{},...e)}function qt(e){return D(`dl`,{class:`facts`},...e.map(([e,t])=>D(`div`,{},D(`dt`,{},e),D(`dd`,{},t))))}var M=JSON.parse(O(`texts`).textContent);function N(e,t){let n=t;return e.split(/\\{(\\w+)\\}/).map((e,t)=>t%2==1?n[e]??``:e)}function P(e,t){let n=Object.entries(t).map(([e,t])=>[e,String(t)]);return N(e,Object.fromEntries(n)).join(``)}var F=M.copy,Jt=2e3;function Yt(e,t){let n=F[e],r=(e,t)=>{a.textContent=e,a.setAttribute(`aria-label`,t)},i=async()=>{let e=await navigator.clipboard.writeText(t).then(()=>F.copied,()=>F.blocked);r(e,e),Kt(e),setTimeout(()=>r(F.copy,n),Jt)},a=D(`button`,{type:`button`,class:`copy`,click:()=>{i()}});return r(F.copy,n),a}function Xt(){for(let e of[`amount`,`address`,`command`]){let t=O(`copy-${e}`);t.after(Yt(e,t.dataset.value??t.textContent))}}var Zt={reserved:[`signed`,`released`],signed:[`sent`,`settled`,`released`,`expired`],sent:[`settled`,`ambiguous`,`released`,`expired`],ambiguous:[`settled`,`ambiguous`,`released`,`expired`],settled:[],released:[],expired:[`settled`,`released`]},Qt=class extends Error{name=`LedgerTransitionError`};async function $t(e,t){let n=e.getReader(),r=[],i=0;for(;;){let{done:e,value:a}=await n.read();if(e)break;if(i+=a.byteLength,i>t){n.cancel().catch(()=>{});return}r.push(a)}let a=new Uint8Array(i),o=0;for(let e of r)a.set(e,o),o+=e.byteLength;return a}async function en(e,t){let n=e===null?void 0:await $t(e,t);return n&&_(new TextDecoder().decode(n))?.value}function tn(e,t){let n=Ke(t);if(!n.ok)return[];let{entries:r,skipped:i}=n.value,{resource:a,extensions:o}=n.value,s=g({resource:a,extensions:o}),c=m(t)?h(t,`accepts`):void 0,l=Array.isArray(c)?c:[],u=r.map(({e:t,raw:n})=>({source:e,index:l.indexOf(n),raw:n,e:t,...s})),d=i.map(({index:t,refusal:n})=>{let r=l[t],i=m(r)?r:{};return{source:e,index:t,raw:i,refusal:{code:on(i)?`amount_unparseable`:nn(n.code),message:n.message},...s}});return[...u,...d].sort((e,t)=>e.index-t.index)}function nn(e){return e===`unsupported_network`?`network_not_allowed`:`challenge_invalid`}var rn=/^[0-9]{1,30}$/;function an(e){return typeof e==`string`&&rn.test(e)&&BigInt(e)>0n}function on(e){let t=h(e,`network`);return!an(h(e,typeof t==`string`&&t.includes(`:`)?`amount`:`maxAmountRequired`))}var sn=200;function I(e){let t=e.replaceAll(/[\\p{Cc}\\p{Cf}]+/gu,` `).trim();return t.length>sn?`${t.slice(0,sn)}…`:t}var cn=30;function ln(e,t){let{e:n,refusal:r}=e;return n?[L(`entry`,``),un(n,t),dn(n),fn(n),pn(n),...mn(n,t),..._n(n,t),bn(n,t.agreed),xn(n)]:[R(`entry`,r?.code??`challenge_invalid`,r?.message??`malformed`)]}function un({network:e},{allow:t}){let n=[e.id,e.label,...e.aliases];return t.networks?.some(e=>n.includes(e))??!0?L(`network`,``):R(`network`,`network_not_allowed`,`${e.id} is not among the allowed networks.`)}function dn({network:e,asset:t}){if(o(t,e.usdc))return L(`asset`,``);let n=Pe(e,t);return R(`asset`,`asset_not_allowed`,`${t} is ${n===void 0?`not the USDC contract`:`${n}, not USDC,`} on ${e.id}; only ${e.usdc} is paid.`)}function fn({network:e,$:t,U:n}){let{name:r,version:i}=e.domain;return(t??r)===r&&(n??i)===i?L(`domain`,``):R(`domain`,`token_domain_mismatch`,`The entry says extra.name \"${I(t??``)}\", version \"${I(n??``)}\"; USDC on ${e.id} is \"${r}\", version \"${i}\". Such a signature would never recover.`)}function pn({j:e}){return e===void 0||e===`authorization`||e===`upfront`?L(`flow`,``):R(`flow`,`challenge_invalid`,`The flow \"${I(e)}\" is not known.`)}function mn({payTo:e,network:t},n){let{payees:r}=n.allow;return o(e,n.payer)?[hn(`The payee is the payer itself.`)]:o(e,t.usdc)?[hn(`The payee is the token contract.`)]:r===void 0?[L(`payee`,``),gn(e,n)]:r.some(t=>o(t,e))?[L(`payee`,``)]:[hn(`${e} is not among the allowed payees.`)]}function hn(e){return R(`payee`,`payee_not_allowed`,e)}function gn(e,{pinned:t,K:n,allow:r}){if(r.hosts!==void 0||t===void 0||o(t,e))return L(`pin`,``);let i=`This host was paid at ${t} before and now asks for ${e}.`;return n?{name:`pin`,T:`ask`,message:i}:R(`pin`,`payee_changed`,`${i} A person has to confirm the change.`)}function _n(e,t){let{amount:n}=e,{limits:r,usage:i,pe:a}=t;if(!an(n.toString()))return[R(`amount`,`amount_unparseable`,`The amount is beyond any sum of USDC.`)];let o=C(n),s=[L(`amount`,``)],c=(e,t,r,i)=>s.push(n<=t?L(e,`at most ${C(t)} USDC ${i}`):R(e,r,`The price ${o} USDC is above ${C(t)} USDC ${i}.`));if(c(`per_call`,r.oe,`per_payment_cap`,`per call`),a!==void 0&&c(`max_amount`,a,`per_payment_cap`,`for this call`),r.V!==void 0){let e=r.V-i.ie;c(`per_day`,e>0n?e:0n,`cumulative_cap`,`left for today`)}if(s.push(vn(t)),t.K&&n>r.J){let e=`${o} USDC is above ${C(r.J)} USDC.`;s.push({name:`approval`,T:`ask`,message:e})}return s}function vn({usage:e,limits:t,open:n=yn}){let{ae:r,se:i}=t,{ce:a}=e;return a<r&&n.count<i?(`${n.count}${i}`,L(`open_payments`,``)):R(`open_payments`,`open_payments_limit`,n.message)}var yn={count:0,message:``};function bn(e,t){return t===void 0?Sn(`agreed`,``):e.amount===t.amountUnits&&o(e.payTo,t.payTo)&&o(e.asset,t.asset)?L(`agreed`,``):R(`agreed`,`challenge_changed`,`Amount, asset or payee differ from what was agreed.`)}function xn({S:e}){let t=`${e} s is too short to settle; ${cn} s is the least.`;return e>=cn?L(`time`,``):R(`time`,`challenge_invalid`,t)}function L(e,t){return{name:e,T:`pass`,message:t}}function Sn(e,t){return{name:e,T:`skip`,message:t}}function R(e,t,n){return{name:e,T:`fail`,message:n,code:t}}function Cn(e,t){return[...e].sort((e,n)=>wn(e,n,t===`v1`?1:2))}function wn(e,t,n){let r=e.e,i=t.e;return!r||!i?!r-+!i:+(r.version!==n)-(i.version!==n)||+(e.source===`body`)-(t.source===`body`)||+(r.j===`upfront`)-(i.j===`upfront`)||+(r.amount>i.amount)-(r.amount<i.amount)||e.index-t.index}var Tn=5e3,En=2097152;function Dn(e,t,n=Tn){return async(r,i)=>{let{result:a}=await On(e,t,{method:r,params:i},n);if(a===void 0)throw Error(`The node gave no result for ${r}.`);return a}}async function On(e,t,n,r=Tn){let{method:i}=n,a;try{a=await en((await e(t,{method:`POST`,headers:{\"Content-Type\":`application/json`},body:JSON.stringify({jsonrpc:`2.0`,id:1,...n}),signal:AbortSignal.timeout(r)})).body,En)}catch{throw Error(`The node did not answer ${i}.`)}let o=m(a)?h(a,`result`):void 0;if(o!==void 0)return{result:o};let s=m(a)?h(a,`error`):void 0;if(!m(s))throw Error(`The node gave no result for ${i}.`);return{error:{message:String(s.message),data:s.data}}}var kn=`0x70a08231`;async function An(e,t,n){let r=Dn(e,t),i=Number(await r(`eth_chainId`,[])),a=b(i);if(!a)throw Error(`The node serves chain ${i}, which is not XDC.`);let[o,s]=await Promise.all([jn(r,a,n),r(`eth_getBalance`,[n,`latest`])]);return{network:a,usdcUnits:o,nativeWei:BigInt(String(s))}}async function jn(e,t,n){let r=`${kn}${a(n)}`;return BigInt(String(await e(`eth_call`,[{to:t.usdc,data:r},`latest`])))}function Mn(e){let{signed:t,transaction:n}=e,r=b(e.network);if(t&&r)return{network:r,from:e.wallet,to:e.payTo,units:e.amountUnits,nonce:t.nonce,validBefore:t.validBefore,signedAfter:Math.floor(e.reservedAt/1e3),...g({transaction:n})}}var Nn=`0xe94a0102`,z={used:`0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5`,canceled:`0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81`,transfer:`0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef`},Pn=12,Fn=600,In=1e3,Ln=12,Rn=40;async function zn(e,t,n){let r=Dn(e,t);try{let e=Number(await r(`eth_chainId`,[]));if(e!==n.network.chainId)return Vn(`the node serves chain ${e}, not ${n.network.chainId}`);let t=await Hn(r),i=n.transaction&&await Jn(r,n,n.transaction,t.number);return i?{state:`settled`,...i}:await Un(r,n,`latest`)?await Wn(r,n,t.number):t.time<n.validBefore?Bn(`it is unused, and can be used until it has expired in a final block`):await Un(r,n,V(t.number))?Bn(`the node contradicts itself`):{state:`unused`,reason:`it expired unused; block ${t.number} is final`}}catch(e){return Vn(e instanceof Error?e.message:`the node did not answer`)}}function Bn(e){return{state:`unknown`,reason:e}}function Vn(e){return{state:`unknown`,reason:e,de:!0}}async function B(e,t){let n=await e(`eth_getBlockByNumber`,[t,!1]),r=m(n)?Number(h(n,`number`)):NaN,i=m(n)?Number(h(n,`timestamp`)):NaN;if(Number.isSafeInteger(r)&&Number.isSafeInteger(i))return{number:r,time:i};throw Error(`The node returned no block.`)}async function Hn(e){try{return await B(e,`finalized`)}catch{let{number:t}=await B(e,`latest`);return B(e,V(Math.max(0,t-Pn)))}}async function Un(e,t,n){let r=`${Nn}${a(t.from)}${t.nonce.slice(2)}`,i=await e(`eth_call`,[{to:t.network.usdc,data:r},n]);if(typeof i==`string`&&/^0x0*[01]$/.test(i)&&i.length===66)return i.endsWith(`1`);throw Error(`The node returned no authorization state.`)}async function Wn(e,t,n){let r=await Gn(e,t);if(!r)return Bn(`it has been used or canceled, but the node shows no event of it`);if(r.topic===z.used){let i=await Jn(e,t,r.transaction,n);return i?{state:`settled`,...i}:{state:`unknown`,reason:`it has been used, but no transfer of these terms is with it`,me:!0}}return r.I>n?Bn(`it was canceled in a block that is not final`):{state:`unused`,reason:`it was canceled in block ${r.I}`}}async function Gn(e,t,n=Ln){let r=await B(e,`latest`),i=await Kn(e,r,t.signedAfter-Fn);for(let a=0;a<n&&i<=r.number;a+=1){let n=Math.min(i+In-1,r.number),a=await e(`eth_getLogs`,[{address:t.network.usdc,fromBlock:V(i),toBlock:V(n),topics:[[z.used,z.canceled],Xn(t.from),t.nonce]}]),o=(Array.isArray(a)?a:[]).map(qn).find(e=>e!==void 0);if(o)return o;if(Number.isFinite(t.validBefore)&&(await B(e,V(n))).time>t.validBefore)return;i=n+1}}async function Kn(e,t,n){let r=Math.max(1,Math.ceil((t.time-n)/2));for(let i=0;i<Rn;i+=1){let i=Math.max(0,t.number-r);if(i===0||(await B(e,V(i))).time<=n)return i;r*=2}return 0}function qn(e){if(!m(e)||h(e,`removed`)===!0)return;let t=h(e,`topics`),n=h(e,`transactionHash`),r=typeof n==`string`&&$e(n)?n:void 0,i=Number(h(e,`blockNumber`)),a=Array.isArray(t)?t[0]:void 0;if(typeof a==`string`&&r!==void 0)return{topic:a,transaction:r,I:i}}async function Jn(e,t,n,r){let i=await e(`eth_getTransactionReceipt`,[n]);if(!m(i)||h(i,`status`)!==`0x1`)return;let a=h(i,`logs`),o=(e,n)=>Array.isArray(a)&&a.some(r=>Yn(r,t.network.usdc,e,n)),s=o([z.used,Xn(t.from),t.nonce])&&o([z.transfer,Xn(t.from),Xn(t.to)],t.units),c=Number(h(i,`blockNumber`));if(s&&Number.isSafeInteger(c))return{transaction:n,I:c,isFinal:c<=r}}function Yn(e,t,n,r){if(!m(e))return!1;let a=i(h(e,`address`)),s=h(e,`topics`);return a===void 0||!o(a,t)||!Array.isArray(s)?!1:n.every((e,t)=>String(s[t]).toLowerCase()===e.toLowerCase())&&(r===void 0||BigInt(String(h(e,`data`)))===r)}function Xn(e){return`0x${a(e)}`}function V(e){return`0x${e.toString(16)}`}var Zn={settled:{state:`settled`,g:0},lying_receipt:{state:`ambiguous`,g:0,code:`receipt_mismatch`},pending:{state:`pending`,g:1/0,code:`settlement_pending`},failed_receipt:{state:`ambiguous`,g:1,code:`payment_refused`},refused:{state:`ambiguous`,g:2,code:`payment_refused`},conflict:{state:`ambiguous`,g:0,code:`request_conflict`},busy:{state:`ambiguous`,g:1/0,code:`seller_unavailable`},served_without_receipt:{state:`ambiguous`,g:0,code:`receipt_missing`},client_error:{state:`ambiguous`,g:0,code:`seller_error`},server_error:{state:`ambiguous`,g:1/0,code:`seller_unavailable`},not_charged:{state:`ambiguous`,g:2,code:`not_charged`},redirect:{state:`ambiguous`,g:0,code:`redirected`},no_answer:{state:`ambiguous`,g:1/0,code:`no_answer`}};async function Qn(e,t){let n=ct(e.headers);if(n&&!$n(e,n))return er(n,t);let r=await or(e),i=Xe(r);if(i?.success===!1&&i.errorReason!==void 0)return er(i,t);let a=rr(e,r),o=nr(e,a);return{kind:o,...g({reason:o===`refused`||o===`busy`?ir(e,r):void 0,ee:a||void 0})}}function $n({status:e},t){return e===402&&t.transaction===``&&Qe(t)===`failed`}function er(e,t){let n={receipt:e,...g({transaction:$e(e.transaction)?e.transaction:void 0})},r=Qe(e);if(r===`confirmed`){let r=tr(e,t);return r===void 0?{kind:`settled`,...n}:{kind:`lying_receipt`,...n,reason:r}}let i=I([e.errorReason,e.errorMessage].filter(e=>e!==void 0).join(`: `));return{kind:r===`pending`?`pending`:`failed_receipt`,...n,reason:i}}function tr(e,t){if(!$e(e.transaction))return`the receipt names no transaction`;if(e.payer!==void 0&&!o(e.payer,t.payer))return`the receipt names another payer`;if(b(e.network)?.id!==t.network.id)return`the receipt names another network`;if(e.amount!==void 0&&be(e.amount)!==t.amountUnits)return`the receipt names another amount than ${C(t.amountUnits)} USDC`}function nr(e,t){let{status:n}=e;return e.type===`opaqueredirect`||n>=300&&n<400?`redirect`:n<300?`served_without_receipt`:n===402?`refused`:n===409?`conflict`:n===425||n===429||n===503?`busy`:n<500?`client_error`:t?`not_charged`:`server_error`}function rr({status:e,headers:t},n){return e<400?!1:t.get(y.paymentCharged)===`no`||m(n)&&h(n,`error`)===`not_charged`}function ir(e,t){let n=e.headers.get(y.paymentRequired),r=n===null?void 0:Te(n),i=[r&&m(r.value)?h(r.value,`error`):void 0,m(t)?h(t,`message`):void 0].filter(e=>typeof e==`string`);return i.length>0?I(i.join(`: `)):void 0}var ar=32768;async function or(e){if(!/\\bjson\\b/i.test(e.headers.get(`Content-Type`)??``))return;let t=Number(e.headers.get(`Content-Length`)??`NaN`);if(e.ok&&!(t<=ar))return;let{body:n}=e.clone();try{return await en(n,ar)}catch{return}}var sr=()=>({}),cr=[1,2,4,8],lr=8,ur=64,dr=1048576;async function fr(e,t){let{te:n}=e,{signal:r}=t.request,i=new Map,{state:a,transaction:o}=t.record,s={state:a===`settled`?a:`ambiguous`,...g({transaction:o})};for(let a=0;;a++){let o=yr(e,t);a===0&&await hr(e.ledger,t.record);let c=await o;s=mr(s,c.reading),await _r(e,t,s,c);let l=e=>({...s,...c,le:e});if(r?.aborted)return l(!0);let u=c.response===void 0?`no_answer`:c.reading.kind,d=(i.get(u)??0)+1;if(i.set(u,d),d>Zn[u].g||a+1>=ur)return l(!1);let f=vr(c.response,n.now()),p=1e3*Math.max(f??0,cr[a]??lr);if(n.now()+p>=t.signed.validBefore*1e3)return{...l(!1),...g({he:f})};e.emit?.(pr(t,s,c,p)),c.response?.body?.cancel().catch(()=>{});try{await n.sleep(p,r)}catch(e){return{...s,reading:{kind:`no_answer`},cause:e,le:!0}}}}function pr({record:{requestId:e}},{state:t},{response:n,reading:{reason:r}},i){let a=Math.ceil(i/1e3),{status:o}=n??{};return{type:`resending`,requestId:e,waitSeconds:a,state:t,...g({status:o,reason:r})}}function mr(e,t){if(e.state===`settled`)return e;let{kind:n,transaction:r=e.transaction,receipt:i=e.receipt}=t;return{state:Zn[n].state,...g({transaction:r,receipt:i})}}async function hr(e,{requestId:t,signed:n}){(await e.find(t))?.state===`signed`&&await gr(e,t,{state:`sent`,ofNonce:n?.nonce})}async function gr(e,t,n){try{await e.transition(t,n)}catch(e){if(!(e instanceof Qt))throw e}}async function _r({ledger:e,te:t},{record:{requestId:n},signed:r},{state:i,transaction:a,receipt:o},{response:s,_:c,reading:l}){let u=await e.find(n);if(u===void 0||u.state===`settled`)return;let{ee:d}=l,f=s&&{status:s.status,...g({ee:d,_:c,receipt:o}),...sr(s)};await gr(e,n,{...i===`settled`?{state:i,evidence:`receipt`,settledAt:t.now()}:{state:`ambiguous`},...g({transaction:a,answer:f}),ofNonce:r.nonce})}function vr(e,t){let n=e?.headers.get(`Retry-After`)?.trim();if(n===void 0)return;if(/^\\d{1,9}$/.test(n))return Number(n);let r=n.endsWith(` GMT`)?Date.parse(n):NaN;return Number.isNaN(r)?void 0:Math.max(0,Math.ceil((r-t)/1e3))}async function yr(e,t){let{request:n,signed:r,expected:i}=t,a=new AbortController,o=setTimeout(()=>a.abort(new DOMException(`The seller took too long to respond.`,`TimeoutError`)),e.ue),s=[a.signal,...n.signal?[n.signal]:[]];try{let t=await n.send(e.fetch,{header:[r.headerName,r.headerValue],url:r.url,redirect:`manual`,signal:AbortSignal.any(s)}),a=await Qn(t,i),{cut:o,...c}=await br(t);return o===void 0?{response:t,reading:a,...c}:{reading:a,cause:o.cause}}catch(e){return{reading:{kind:`no_answer`},cause:e}}finally{clearTimeout(o)}}async function br(e){if(!(Number(e.headers.get(`Content-Length`)??`NaN`)<=dr)||e.body===null)return{};let{body:t}=e.clone();if(t===null)return{};try{let e=await $t(t,dr);return g({_:e&&ee(e,{as:`Hex`})})}catch(e){return{cut:{cause:e}}}}function xr(e){let{request:t,url:n}=e,r=Cr(e),i=new URL(n);if(r===void 0||!wr(e.offer.extensions))return;let{_:a}=t;if(i.protocol===`mcp:`){let e=i.pathname.slice(i.pathname.lastIndexOf(`/`)+1);return Sr(r)===`mcp://tool/${e}`?{method:`MCP`,url:r,_:a}:void 0}if(i.hash=``,Sr(r)===i.href)return{method:t.method.toUpperCase(),url:r,_:a}}function Sr(e){return URL.canParse(e)?new URL(e).href:void 0}function Cr({offer:e,e:t}){let n=e.resource&&h(e.resource,`url`);return t.version===1?t.resource:typeof n==`string`?n:void 0}function wr(e){let t=e&&h(e,S);if(t===void 0)return!0;let n=m(t)?h(t,`info`):void 0;return m(n)&&h(n,`version`)===1}var Tr={now:()=>Date.now(),sleep:Er,randomBytes:e=>crypto.getRandomValues(new Uint8Array(e))};function Er(e,t){return new Promise((n,r)=>{let i=()=>{clearTimeout(a);let e=t?.reason;r(e instanceof Error?e:Error(`Aborted.`))},a=setTimeout(()=>{t?.removeEventListener(`abort`,i),n()},e);t?.aborted?i():t?.addEventListener(`abort`,i,{once:!0})})}function Dr(e,t){return re(e.randomBytes(t))}var Or=300;async function kr(e,t,n){let{e:r}=n,i=Math.floor(t.now()/1e3)+Math.min(Math.floor(r.S),Or),a=Ar(t,n),o={from:e.address,to:r.payTo,value:r.amount,validAfter:0n,validBefore:BigInt(i),nonce:a.nonce},s=await e.signTypedData(Se(r.network,o));if(!ne(s,ot)||s.length<=2)throw TypeError(`The signer returned no signature of at most ${ot} bytes.`);let c=r.version===2?y.paymentSignature:y.xPayment;return{url:n.url,headerName:c,headerValue:we(jr(n,t,o,{signature:s,...a})),version:r.version,nonce:o.nonce,validBefore:i}}function Ar(e,t){let{payTo:n}=t.e,r=t.derive??(()=>`0x${Dr(e,32)}`),i=xr(t);if(i===void 0)return{nonce:r(`nonce`)};let a=r(`salt`);return{salt:a,nonce:pt({...i,salt:a,payTo:n})}}function jr({offer:e,e:t,requestId:n,attempt:r},i,a,{signature:o,salt:s}){let{network:c,O:l}=t,u={network:c,O:l,authorization:a,signature:o},d=Nr(e.extensions,Mr(n,r),i);if(t.version===1){let e=d&&le(d,S),t=s===void 0?e:dt(e,s),n=t!==void 0&&Object.keys(t).length>0?t:void 0;return st({...u,version:1,shape:`v1`,...g({extensions:n})})}let f=s===void 0?d:dt(d,s);return st({...u,version:2,shape:`v2`,accepted:e.raw,...g({resource:e.resource,extensions:f})})}function Mr(e,t){return t===0?e:`${e}-${t}`}function Nr(e,t,n){if(e===void 0)return;let r=h(e,rt),i=m(r)?h(r,`info`):void 0;if(!m(r)||!m(i))return e;let a=at(t)?t:`pay_${Dr(n,16)}`;return{...e,[rt]:{...r,info:{...i,id:a}}}}function Pr({network:e}){let t=b(e);if(!t)throw Error(`The network ${e} is not supported here.`);return t}async function Fr(e,t,n){let{requestId:r}=e,i=Mn(e);if(!i)throw Error(`There is no signature to check.`);let a=await zn(Lr(n),Ir,i);return a.state===`unknown`||(t.current()?.state===`signed`&&await t.transition(r,{state:`sent`}),await t.transition(r,a.state===`unused`?{state:`released`}:{state:`settled`,transaction:a.transaction,evidence:`chain`})),a}var Ir=`wallet:`;function Lr(e){return async(t,n)=>{let r=typeof n?.body==`string`?n.body:`{}`,{method:i,params:a}=JSON.parse(r),o=await E(e,i,a,n?.signal??void 0);return Response.json({jsonrpc:`2.0`,id:1,result:o??null})}}var H=M.content,Rr=2097152;async function zr(e){let t=(e.headers.get(`Content-Type`)??``).split(`;`)[0]?.trim().toLowerCase()??``;if(t===`text/event-stream`&&e.body)return Hr(e.body);let n=await e.blob(),r=Wr(e,n,t);return n.size===0?D(`div`,{},D(`p`,{},H.empty)):D(`div`,{class:`content`},await Br(e,n,t),D(`p`,{},r))}async function Br(e,t,n){return/^attachment/i.test(e.headers.get(`Content-Disposition`)??``)||t.size>Rr?D(`p`,{},H.file):n.startsWith(`image/`)?D(`img`,{src:URL.createObjectURL(t),alt:H.bought}):n===`text/html`?Gr(await t.text()):/^application\\/(.*\\+)?json$/.test(n)?Vr(Ur(await t.text())):/^text\\/|^application\\/(.*\\+)?(xml|yaml|javascript|x-ndjson)$/.test(n)?Vr(await t.text()):D(`p`,{},H.file)}function Vr(e){return D(`pre`,{tabindex:`0`,\"aria-label\":H.bought},e)}function Hr(e){let t=Vr(``),n=Rr,r=new WritableStream({write(e){if(t.append(e.slice(0,n)),n-=e.length,n<=0)throw Error(`Too long to show.`)}});return e.pipeThrough(new TextDecoderStream).pipeTo(r).catch(()=>t.append(`\n${H.ended}`)),D(`div`,{class:`content`},t)}function Ur(e){try{let t=JSON.parse(e),n=e.replace(/(\"(?:[^\"\\\\]|\\\\.)*\")|\\s+/g,`$1`);return JSON.stringify(t)===n?JSON.stringify(t,null,2):e}catch{return e}}function Wr(e,t,n){let r=/filename=\"?([^\";]+)\"?/i.exec(e.headers.get(`Content-Disposition`)??``),i=location.pathname.split(`/`).at(-1)||`content`,a=i.includes(`.`)?``:`.${/\\w+$/.exec(n)?.[0]??`bin`}`,o=r?.[1]??`${i}${a}`;return D(`a`,{href:URL.createObjectURL(t),download:o},P(H.save,{name:o}))}function Gr(e){let t=new DOMParser().parseFromString(e,`text/html`),n=[...t.querySelectorAll(`style`)].map(e=>e.textContent),r=[...t.querySelectorAll(`[style]`)].map(e=>{let t=e.getAttribute(`style`)??``;return e.removeAttribute(`style`),e.setAttribute(Kr,``),t});for(let e of t.querySelectorAll(`style, script, link, meta, base`))e.remove();let i=D(`iframe`,{sandbox:`allow-same-origin`,srcdoc:`<!doctype html>${t.documentElement.outerHTML}`,title:H.bought});return i.addEventListener(`load`,()=>qr(i,n,r)),i}var Kr=`data-farthing-style`;function qr({contentDocument:e,contentWindow:t},n,r){let i=t&&Reflect.get(t,`CSSStyleSheet`);if(e&&typeof i==`function`){e.adoptedStyleSheets=n.map(e=>{let t=Reflect.construct(i,[]);return t.replaceSync(e),t});for(let[t,n]of e.querySelectorAll(`[${Kr}]`).entries()){let e=Reflect.get(n,`style`);e&&Reflect.set(e,`cssText`,r[t]??``)}}}var Jr=`farthing.passes`,Yr=20;function Xr(){try{let e=JSON.parse(localStorage.getItem(Jr)??`[]`);return Array.isArray(e)?e.filter(nt):[]}catch{return[]}}function Zr(e){let[t=e]=e.split(`.`);ei([e,...Xr().filter(e=>!e.startsWith(t))])}function Qr(e){let t=e?.headers.get(tt.token);nt(t)&&Zr(t)}function $r(e){ei(Xr().filter(t=>t!==e))}function ei(e){try{localStorage.setItem(Jr,JSON.stringify(e.slice(0,Yr)))}catch{}}var ti=[.2,.375,.5555555555555556,.6666666666666666],ni=(e,t)=>n=>{let r=4*e+n-4,i=`*-04-39?2$%%$%%'$%''%'''%')(%'))%(++'(++'(+.'+-.',/3',33)-/5)-43).36)058*18<+37<+4:<,4:E,5<A-7>C/8@F/:EH/<EK0=FM1?IP2@KS3BNV4DPY5FS\\\\6HV_6IXb7K[e8N^i9Pam;Rdp<Tgt`.charCodeAt(r)-35,a=r>8?i:1,o=t/a|0,s=t%a,c=a-s,l=r>8?o*ti[n]+(e>5)&-2:i,u=o-l;return{t:c*u+s*u+s,o:[[c,u],[s,u+1]],l}},U=e=>new Uint8Array(e),ri=e=>{let t=Error(`lean-qr error ${e}`);throw t.code=e,t},ii=(e,t=e*e,n=U(t))=>({size:e,i:n,get:(t,r)=>t>=0&&t<e&&!!(1&n[r*e+t]),u(t,{on:n=[0,0,0],off:r=[0,0,0,0],pad:i=4,padX:a=i,padY:o=i}={}){let s=e+2*a,c=e+2*o,l=t.createImageData(s,c),u=new Uint32Array(l.data.buffer);l.data.set([...n,255]);let d=u[0];l.data.set([...r,255]);let f=u[0];for(let e=0;e<c;++e)for(let t=0;t<s;++t)u[e*s+t]=this.get(t-a,e-o)?d:f;return l},toCanvas(e,t){let n=e.getContext(`2d`),r=this.u(n,t);e.width=r.width,e.height=r.height,n.putImageData(r,0,0)}}),ai=[(e,t)=>1&(e^t),(e,t)=>1&t,e=>e%3,(e,t)=>(e+t)%3,(e,t)=>1&(e/3^t>>1),(e,t)=>(e&t&1)+e*t%3,(e,t)=>(e&t)+e*t%3&1,(e,t)=>(e^t)+e*t%3&1],oi=U(511);for(let e=0,t=1;e<255;t=2*t^285*(t>127))oi[oi[t+255]=e++]=t;var si=e=>oi[e%255],ci=e=>oi[e+255],li=(e,t)=>{let n=U(e.length+t.length-1);for(let r=0;r<e.length;++r)for(let i=0;i<t.length;++i)n[r+i]^=si(e[r]+t[i]);return n.map(ci)},ui=(e,t)=>{let n=U(e.length+t.length-1);n.set(e,0);for(let r=0;r<e.length;++r)if(n[r]){let e=ci(n[r]);for(let i=0;i<t.length;++i)n[r+i]^=si(t[i]+e)}return n.slice(e.length)},di=[[0],[0,0]];for(let e=1;e<30;++e)di.push(li(di[e],[0,e]));var fi=(e,t)=>{let n=[[],[]],r=0,i=0;for(let[a,o]of t.o)for(let s=0;s<a;++s,r+=o){let a=e.slice(r,r+o);n[0].push(a),n[1].push(ui(a,di[t.l])),i+=o+t.l}let a=U(i);i=0;for(let e of n)for(let t=0,n=-1;n<i;++t){n=i;for(let n of e)t<n.length&&(a[i++]=n[t])}return a},pi=(e,t,n)=>{let r=e<<=n;for(let e=134217728;e>>=1;)r&e&&(r^=t*(e>>n));return r|e},mi=({size:e,i:t},n)=>{let r=(n,r,i,a)=>{for(;i-->0;n+=e)t.fill(a,n,n+r)},i=(t,n,i)=>{for(let a=0;a++<3;i-=2)r(n*e+t-(i>>1)*(e+1),i,i,2|a)},a=2*((e-13)/(1+(n/7|0))/2+.75|0);if(n>1)for(let t=e-7;t>8;t-=a){for(let e=t;e>8;e-=a)i(t,e,5);t<e-7&&i(t,6,5)}if(n>6)for(let r=pi(n,7973,12),i=1;i<7;++i)for(let n=12;n-->9;r>>=1)t[i*e-n]=2|1&r;r(7,2,9,2),r(e-8,8,9,2);for(let n=0;n<e;++n)t[6*e+n]=3^1&n;i(3,3,7),i(e-4,3,7);for(let n=0;n<e;++n)for(let r=n;r<e;++r)t[r*e+n]=t[n*e+r];t[(e-8)*e+8]=3},hi=({size:e,i:t})=>{let n=[];for(let r=e-2,i=e,a=-1;r>=0;r-=2){for(r===5&&(r=4);i+=a,i!==-1&&i!==e;){let a=i*e+r;t[a+1]||n.push(a+1),t[a]||n.push(a)}a*=-1}return n},gi=({i:e},t,n)=>t.forEach((t,r)=>e[t]=n[r>>3]>>(7&~r)&1),_i=({size:e,i:t},n,r,i)=>{for(let r=0;r<e;++r)for(let i=0;i<e;++i){let a=r*e+i;t[a]^=!(n(i,r)||2&t[a])}let a=21522^pi((1^i)<<3|r,1335,10);for(let n=0;n++<8;a>>=1)t[(n-(n<7))*e+8]=1&a,t[9*e-n]=1&a;for(let n=8;--n,a;a>>=1)t[8*e+n-(n<7)]=1&a,t[(e-n)*e+8]=1&a},vi=({size:e,i:t},n=0,r=0)=>{for(let i=0;i<e;++i){for(let a=0;a<2;++a)for(let o,s=0,c=0,l=2;s<e;++s){let u=1&t[a?i*e+s:s*e+i];r+=u,c=(c>>1|2098176)&(3047517^u-1),2049&c&&(n+=40),u^l&&(o=0),l=u,n+=++o===5?3:o>5}if(i)for(let r=e+i,a=5*t[i-1]^t[i];r<e*e;r+=e){let e=5*t[r-1]^t[r];n+=3*!(1&(a|e)|4&(a^e)),a=e}}return n+10*(10*Math.abs(r/(e*e)-1)|0)},yi=[],bi=(e=ri(1),{minCorrectionLevel:t=0,minVersion:n=1}={})=>{typeof e!=`string`&&ri(5),e=new TextEncoder().encode(e);let r=U(2957);r.set([113,164,e.length>>8]);for(let i=n;i<41;++i){let n=yi[i];n||(yi[i]=n=ii(4*i+17),mi(n,i),n.p=hi(n));let a=ni(i,n.p.length>>3)(t);if(a.t>=3+(i>9)+e.length){let o=i>9?3:2;for(r[o++]=e.length,r.set(e,o),o+=e.length-1;o<2954;r.set([236,17],o+=2));let s=ii(n.size,n.i);return gi(s,n.p,fi(r,a)),ai.map((e,n)=>{let r=ii(s.size,s.i);return _i(r,e,n,t),r.s=vi(r),r}).sort((e,t)=>e.s-t.s)[0]}}ri(4)},xi=4;function Si(e,t){let n=bi(e),r=Ci(`svg`),i=n.size+2*xi;for(let[e,n]of Object.entries({class:`qr`,viewBox:`${-xi} ${-xi} ${i} ${i}`,role:`img`,\"aria-label\":t,\"shape-rendering\":`crispEdges`}))r.setAttribute(e,n);let a=[];for(let e=0;e<n.size;e++)for(let t=0;t<n.size;t++)n.get(t,e)&&a.push(`M${t} ${e}h1v1h-1z`);let o=Ci(`path`);return o.setAttribute(`d`,a.join(``)),r.append(o),r}function Ci(e){let t=document.createElementNS(`http://www.w3.org/2000/svg`,e);if(t instanceof SVGElement)return t;throw Error(`Not an SVG element.`)}function wi(e){return`${e.slice(0,6)}…${e.slice(-4)}`}function Ti(e){return D(`div`,{class:`copied`},D(`details`,{class:`address`},D(`summary`,{},D(`code`,{},wi(e))),D(`code`,{},e)),Yt(`address`,e))}function W(e){return`${C(e)} USDC`}function Ei(e){return D(`div`,{class:`copied`},D(`strong`,{},W(e)),Yt(`amount`,C(e)))}function Di({chainId:e}){return M.networks[e]}function Oi(e){let t=e/60,{terms:n}=M;return e<60||!Number.isInteger(t)?P(n.seconds,{count:e}):t===1?n.minute:P(n.minutes,{count:t})}function ki(e){return new Date(e*1e3).toLocaleTimeString(document.documentElement.lang)}function Ai(e,t){let n=Ie(e,t,location.host);if(n===void 0)return D(`code`,{class:`whole`},t);let r={href:n,target:`_blank`,rel:`noreferrer`},i=D(`code`,{},wi(t));return D(`a`,r,...N(M.terms.onExplorer,{transaction:i}))}var{wallets:G,getUsdc:K,actions:ji}=M,Mi=(e,t)=>D(`a`,{href:e,target:`_blank`,rel:`noreferrer`},t);function Ni(){let e=Mi(`https://metamask.io/download`,`MetaMask`);return D(`div`,{class:`note`},j(D(`strong`,{},G.none)),Ii(),j(...N(G.install,{link:e})),A({label:ji.reload,run:()=>location.reload()}))}var Pi=!Ee(location.hostname),Fi=matchMedia(`(pointer: coarse)`).matches;function Ii(){if(!Pi||!Fi)return;let{host:e,pathname:t,search:n}=location;return j(Mi(`https://link.metamask.io/dapp/${e}${t}${n}`,G.openIn))}function Li(){if(!Pi||Fi)return;let e=Si(location.href,G.scanPicture);return D(`details`,{},D(`summary`,{},G.phone),j(G.scan),e)}function Ri(e){let{chainId:t,usdc:n}=e,r=P(K.title,{network:Di(e)}),i=Mi(`https://faucet.circle.com`,K.faucet),a=t===50?[j(K.exchange),j(K.bridge),j(K.native)]:[j(...N(K.test,{link:i}))];return D(`details`,{class:`guide`},D(`summary`,{},r),...a,Ti(n),j(K.noCoins))}var zi=/^(pass_(unknown|void|expired|exhausted)|balance_unknown)$/,Bi=Dr(Tr,16);async function Vi(e,t){for(let n of Xr()){let r=await e.send(fetch,{headers:[[tt.token,n],[`Idempotency-Key`,Bi]],redirect:`manual`,signal:t});if(r.status!==402)return Zr(n),r;let i=_(await r.text())?.value,a=m(i)?h(i,`error`):void 0;zi.test(String(a))&&$r(n)}}var Hi=1n<<255n;function Ui(e,t){return ln(e,{payer:t,allow:{},limits:{oe:Hi,V:void 0,J:Hi,ae:1,se:1},K:!1,usage:{ie:0n,ce:0}}).find(({T:e})=>e===`fail`)?.message}function Wi(e){let n=Cn(tn(`body`,_(e)?.value),`v2`),r=n.flatMap(e=>e.e&&Ui(e,t)===void 0?[{offer:e,e:e.e}]:[]);if(r.length>0)return{payable:r};if(n.some(({raw:e})=>h(e,`scheme`)===Je))return{payable:r,w:M.before.onlyChannels};let[i]=n;return{payable:r,w:(i&&Ui(i,t))??M.before.noOffer}}function Gi(e){let{wallet:t}=M,n=e instanceof Error?e.message:String(e),{code:r,details:i={}}=e instanceof T?e:{};switch(r){case`rejected`:return{title:t.rejectedTitle,why:t.rejected};case`already_open`:return{title:t.alreadyOpenTitle,why:t.alreadyOpen};case`account_changed`:return{title:t.accountChangedTitle,why:t.accountChanged};case`other_network`:return{title:t.otherNetworkTitle,why:P(t.otherNetwork,i)};case`unable`:return{title:t.title,why:t.unable};case`failed`:return{title:t.title,why:P(t.failed,i)};default:return{title:t.title,why:n}}}async function Ki({reading:e,response:t}){let{title:n,why:r}=M.outcomes[e.kind],i=await Ji(t),a=Yi(e.reason),o=(document.documentElement.lang===`en`?i??a:a??i)??e.reason;return{title:n,why:o===void 0?r:`${r} ${o}`}}var qi=300;async function Ji(e){if(!e||e.bodyUsed)return;let t=_(await e.text().catch(()=>``)),n=t&&m(t.value)?h(t.value,`message`):void 0;return typeof n==`string`&&n!==``?n.slice(0,qi):void 0}function Yi(e){let t=M.refusals,n=e?.split(`:`)[0]??``;return Object.hasOwn(t,n)?t[n]:void 0}function Xi(e,t){let n=Qi(),r=`farthing.payment ${e}`,i=ea(n?.getItem(r));i?.state===`settled`&&Zi(i,t)&&(i=void 0);let a={fe:n!==void 0,current:()=>i,find:async()=>i,onTransition:()=>{},reserve(e){if(i)throw Error(M.wallet.inProgress);return i={...e,state:`reserved`,attempt:0},i},async transition(e,{answer:t,...o}){let{state:s}=o;if(!i||!Zt[i.state].includes(s))throw new Qt(`A payment that is ${i?.state} cannot be ${s}.`);let c={...i,...o};return s===`released`?n?.removeItem(r):n?.setItem(r,$i(c)),i=s===`released`?void 0:c,a.onTransition(c),c}};return a}function Zi({signed:e},t){return e!==void 0&&t>=e.validBefore*1e3}function Qi(){try{return sessionStorage.setItem(`farthing.test`,``),sessionStorage.removeItem(`farthing.test`),sessionStorage}catch{return}}function $i(e){return JSON.stringify({...e,amountUnits:e.amountUnits.toString()})}function ea(e){if(e!=null)try{let t=JSON.parse(e);return{...t,amountUnits:BigInt(t.amountUnits)}}catch{return}}var{progress:q,terms:J,actions:ta,open:na,paid:Y}=M,ra=[q.signed,q.sent,q.confirmed];function ia(e){let t=e.state===`settled`?3:e.transaction===void 0?1:2,n=ra.map((e,n)=>{let r=n<t?`done`:n===t?`current`:`ahead`;return D(`li`,{class:r},e,D(`span`,{class:`state`},q[r]))});k({title:t===3?q.paid:q.paying,tone:t===3?`good`:`busy`,children:[D(`ol`,{class:`stages`},...n),sa(e)]}),Kt(t===3?q.loading:P(q.step,{done:ra[t-1]??``,next:ra[t]??``}))}function aa({network:e,transaction:t}){let n=b(e);return n&&t&&Ai(n,t)}function oa({amountUnits:e,payTo:t,wallet:n}){return[[J.amount,Ei(e)],[J.paidTo,Ti(t)],[J.from,Ti(n)]]}function sa(e){let t=aa(e);return t&&j(`${J.transaction}: `,t)}var ca;function la({title:e,why:t},n,r){clearTimeout(ca);let i=Zi(n,Date.now()),a=n.signed?.validBefore??0,o=ki(a),s=i?na.expired:P(na.valid,{end:o}),c={label:ta.again,run:r.again},l={label:ta.findOut,run:r.findOut};if(k({title:e,tone:`warn`,children:[j(t),qt(oa(n)),sa(n),D(`p`,{class:`note`},s),i?A(l,c):A(c)]}),i)return;let u=O(`flow`).firstChild;ca=setTimeout(()=>{O(`flow`).firstChild===u&&la({title:e,why:t},n,r)},a*1e3-Date.now()+1)}function ua(e,t,...n){k({title:e,tone:`bad`,children:[j(t),A(...n)]})}function da(e,t,n,...r){n.setAttribute(`open`,``);let{notEnough:i}=M.wallets;k({title:i,tone:`bad`,children:[j(e),Ti(t),n,A(...r)]})}function fa({title:e,why:t},n,r,i){k({title:e,tone:n,children:[j(t),sa(r),D(`p`,{class:`note`},Y.noSecondCharge),A(i)]})}function pa({headers:e}){let t=e.get(tt.remaining),n=e.get(et.remaining);if(t===null&&n===null)return;let r=new Date(e.get(tt.expires)??``).toLocaleString(document.documentElement.lang);return D(`p`,{class:`note`},n===null?P(Y.usesLeft,{uses:t??``,end:r}):P(Y.balanceLeft,{amount:W(BigInt(n))}))}function ma(e,t){document.body.classList.add(`paid`),k({title:Y.content,tone:`good`,children:[pa(e),t]}),Kt(Y.earlier)}function ha(e,t,n,r){document.body.classList.add(`paid`);let i=t?void 0:D(`p`,{class:`note`},Y.noReceipt);k({title:t?P(Y.title,{price:W(e.amountUnits)}):Y.content,tone:t?`good`:`warn`,children:[i,pa(n),r,D(`details`,{class:`receipt`,open:!0},D(`summary`,{},Y.receipt),qt([...oa(e),[J.network,Di(Pr(e))],[J.transaction,aa(e)??J.notProvided]]))]}),Kt(Y.below)}async function ga(e){let{request:t,kept:n,payer:r,payable:i,signal:a}=e,{offer:o,e:s}=i,{network:c,asset:l,amount:u,payTo:d}=s,f=`pay_${Dr(Tr,16)}`;n.reserve({requestId:f,fingerprint:t.fingerprint,wallet:r.address,network:c.id,asset:l,amountUnits:u,payTo:d,host:location.host,reservedAt:Tr.now()});try{let{url:e}=t,i={offer:o,e:s,request:t,requestId:f,attempt:0,url:e},c=await kr(_a(r,a),Tr,i);return await n.transition(f,{state:`signed`,signed:c})}catch(e){throw await n.transition(f,{state:`released`}),e}}function _a({wallet:e,address:t},n){return{address:t,async signTypedData(r){let i=[t,va(r)],a=await E(e.provider,`eth_signTypedData_v4`,i,n);if(ne(a,ot))return a;throw Error(M.wallet.badSignature)}}}function va(e){let t={...e,types:{EIP712Domain:[{name:`name`,type:`string`},{name:`version`,type:`string`},{name:`chainId`,type:`uint256`},{name:`verifyingContract`,type:`address`}],...e.types}};return JSON.stringify(t,(e,t)=>typeof t==`bigint`?t.toString():t)}var ya=()=>{};function ba(e,t,...n){ya();let r=D(`div`,{class:`wallets`}),i=()=>r.replaceChildren(...xa(jt(),a)),a=e=>{ya(),t(e)};ya=At(i),i(),k({title:e,children:[r,...n]})}function xa(e,t){return e?e.length===0?[Ni()]:e.map(e=>D(`button`,{type:`button`,class:`wallet`,click:()=>t(e)},e.icon===``?D(`span`,{class:`icon`,\"aria-hidden\":`true`},e.name.slice(0,1)):D(`img`,{class:`icon`,src:e.icon,alt:``}),D(`span`,{},e.name))):[j(M.wallets.looking)]}function X(e,t,n){let r=n?A(void 0,{label:M.actions.cancel,run:n}):void 0;k({title:e,tone:`busy`,children:[j(t),r]})}function Sa(e,t,n,r){let{payTo:i,network:a,S:o}=e,s=W(e.amount),{review:c,terms:l,actions:u}=M,d=Oi(Math.min(o,Or));return{title:c.title,children:[j(...N(c.what,{price:s,payee:D(`code`,{},wi(i)),time:d})),qt([[l.amount,Ei(e.amount)],[l.paidTo,Ti(i)],[l.for,location.host],[l.network,Di(a)],[l.from,D(`span`,{},`${t.wallet}, `,D(`code`,{},wi(t.address)))],[l.balance,t.balance]]),...n.map(e=>D(`p`,{class:`note`},e)),A({label:P(u.sign,{price:s}),run:r.sign},{label:u.otherWallet,run:r.other})]}}async function Ca(e,t){let[n]=Lt(await E(e.provider,`eth_requestAccounts`,[],t));if(!n)throw Error(M.wallet.noAccount);return{wallet:e,address:n,chainId:Rt(await E(e.provider,`eth_chainId`,[],t))}}function wa({wallet:{provider:e},address:t},n){let r=e=>{let[r]=Lt(e);r&&o(r,t)||(i(),n(new T(`account_changed`,M.wallet.accountChanged)))},i=()=>e.removeListener?.(`accountsChanged`,r);return e.on?.(`accountsChanged`,r),i}var{wallets:Ta,actions:Ea}=M;function Da(e){let t=new AbortController,n;return{run(n,r){t.abort();let i=new AbortController;t=i,n(i.signal).catch(t=>{if(i.signal.aborted)return;let{title:n,why:a}=Gi(t),o={label:Ea.otherWallet,run:e};ua(n,a,{label:Ea.tryAgain,run:r},o)})},async join(r,i,a){X(Ta.open,P(Ta.account,{wallet:r.name}),e);let o=await Ca(r,i);return n?.(),n=wa(o,e=>{t.abort();let{title:n,why:r}=Gi(e);ua(n,r,{label:Ea.continue,run:a})}),o},leave:()=>t.abort(),stopWatching:()=>n?.()}}var{wallets:Z,actions:Q,paid:$}=M,Oa=7e4;function ka(e){let{request:t,kept:n,payable:r}=e;function i(){s.leave(),s.stopWatching();let e=Ri(r[0].e.network);ba(Z.choose,e=>Aa(c,e),Li(),e)}function a(){if(!l)return i();s.leave();let e={label:Q.showAgain,run:()=>Na(c,l)};fa(Ga,`good`,l,e)}function o(){s.run(e=>Ba(t,a,e),o)}let s=Da(i),c={...e,steps:s,chooseWallet:i},l=n.current();l&&l.state!==`settled`?Ia(c,l,{title:M.open.unfinished,why:M.open.signedBefore}):Xr().length>0?o():a()}function Aa(e,t){let{steps:n,payable:r}=e,i=()=>Aa(e,t);n.run(async a=>{let o=await n.join(t,a,i);await ja(e,o,Ra(o,r),a)},i)}async function ja(e,t,n,r){let{notes:i,chooseWallet:a}=e,{wallet:o,address:s}=t,{e:c,offer:l}=n,u=Ui(l,s);if(u!==void 0)throw Error(P(M.before.notPayable,{reason:u}));await za(t,n,r,a),X(Z.oneMoment,Z.checkingBalance,a);let d=await Ha(t,c);if(r.throwIfAborted(),d!==void 0&&d<c.amount){let n={label:Q.checkAgain,run:()=>Aa(e,o)},r={label:Q.otherWallet,run:a},i=Ri(c.network);return da(Ua(d,c),t.address,i,n,r)}let f=d===void 0?M.terms.unknown:W(d),p={sign:()=>Ma(e,t,n),other:a};k(Sa(c,{wallet:o.name,address:s,balance:f},i,p))}function Ma(e,t,n){let{request:r,kept:i,steps:a,chooseWallet:o}=e,{wallet:s}=t;a.run(async c=>{X(Z.confirm,P(Z.reviewIn,{wallet:s.name}),o);let l=await ga({request:r,kept:i,payer:t,payable:n,signal:c});a.stopWatching(),Na(e,l)},()=>Aa(e,s))}function Na(e,t){let{request:n,kept:r}=e;t.signed&&(r.onTransition=ia,ia(t),Wa(n,r,{...t,signed:t.signed}).finally(()=>r.onTransition=()=>{}).then(n=>Pa(e,n,r.current()??t)).catch(n=>Ia(e,t,Gi(n))))}async function Pa(e,t,n){let{response:r,reading:i,state:a,receipt:o}=t;if(Qr(r),r?.ok===!0&&Ka.has(i.kind))return ha(n,i.kind===`settled`?i.receipt??o:void 0,r,await zr(r));if(a!==`settled`)return Ia(e,n,await Ki(t));Fa(e,n,await Va(r))}function Fa(e,t,n){let r={label:Q.requestAgain,run:()=>Na(e,t)};fa({title:$.missing,why:n},`warn`,t,r)}function Ia(e,t,n){la(n,t,{again:()=>Na(e,e.kept.current()??t),findOut:()=>ba(Z.chooseToCheck,n=>La(e,t,n))})}function La(e,t,n){let{kept:r,steps:i,chooseWallet:a}=e,o=()=>La(e,t,n);i.run(async s=>{await Ht(await i.join(n,s,o),Pr(t).chainId,s),X(Z.oneMoment,Z.checkingChain);let c=await Fr(t,r,n.provider);i.stopWatching(),s.throwIfAborted();let l={label:Q.startAgain,run:a};c.state===`settled`?Fa(e,r.current()??t,$.received):c.state===`unknown`?Ia(e,t,{title:M.open.notFinal,why:M.open.waitForChain}):ua(M.open.neverUsed,M.open.neverUsedWhy,l)},o)}function Ra({chainId:e},t){return t.find(({e:t})=>t.network.chainId===e)??t[0]}async function za(e,{e:t},n,r){let{chainId:i}=t.network;if(e.chainId===i)return;let a=Di(t.network);X(Z.open,P(Z.approveSwitch,{network:a}),r),await Ht(e,i,n)}async function Ba(e,t,n){X(Z.oneMoment,Z.tryingTokens,t);let r=await Vi(e,n);if(n.throwIfAborted(),!r)return t();if(!r.ok)throw Error(await Va(r));ma(r,await zr(r))}async function Va(e){let t=e&&P($.status,{status:e.status});return await Ji(e)??t??$.silent}async function Ha({wallet:e,address:t},{network:n}){let r=await An(Lr(e.provider),Ir,t).catch(()=>{});return r?.network===n?r.usdcUnits:void 0}function Ua(e,{amount:t,network:n}){let[r,i]=[W(e),W(t)];return P(Z.lack,{balance:r,price:i,network:Di(n)})}function Wa(e,t,n){let{signed:r,wallet:i,amountUnits:a}=n,o={payer:i,network:Pr(n),amountUnits:a};return fr({fetch:(e,t)=>fetch(e,t),ledger:t,te:Tr,ue:Oa},{request:e,record:n,signed:r,expected:o})}var Ga={title:$.before,why:$.beforeWhy},Ka=new Set([`settled`,`lying_receipt`,`served_without_receipt`]),qa=`text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8`,Ja=`0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855`;function Ya(){let{origin:e,pathname:t,search:n}=location,r=`${e}${t}${n}`,i=Ja;return{method:`GET`,url:r,headers:new Headers,_:i,fingerprint:r,kept:{method:`GET`,url:r,headers:[],headersLeftOut:[],_:i,bodyBytes:0},signal:void 0,send:(e,{header:t,headers:n=t?[t]:[],redirect:i,signal:a})=>e(r,{headers:{Accept:qa,...Object.fromEntries(n)},cache:`no-store`,...g({redirect:i,signal:a})})}}var Xa=15;function Za(){let e=Math.round((Date.now()-Number(O(`challenge`).dataset.now))/1e3);if(!(Math.abs(e)>Xa))return``;let{clockAhead:t,clockBehind:n}=M.before;return P(e>0?t:n,{seconds:Math.abs(e)})}function Qa(){let e=document.querySelector(`.seller .icon`);e?.decode().catch(()=>e.remove())}function $a(){let{cannot:e,https:t,forgetful:n}=M.before;if(location.protocol!==`https:`&&!Ee(location.hostname))return ua(e,t);Qa(),O(`host`).textContent=location.host,O(`copy-command`).textContent=mt([`npx`,`farthing`,`pay`,_t(location.href)]),Xt();let{payable:r,w:i}=Wi(O(`challenge`).textContent),[a,...o]=r;if(!a)return ua(e,i??``);O(`program`).removeAttribute(`open`);let s=Ya(),c=Xi(s.url,Date.now());kt();let l=[Za(),c.fe?``:n].filter(e=>e!==``);ka({request:s,kept:c,payable:[a,...o],notes:l})}$a()})();";

export const scriptHash: string =
  "sha256-IMN4lhn6rC+1XVjBi1HVUAIk7k1JzbyF3drU2LwJo2Q=";

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
      "onlyChannels": "The seller takes deposits for many requests here, and no single payments. Programs make them: run the command below.",
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
      "unsupported_scheme": "The scheme must be `exact`, or another one that /supported lists.",
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
      "onlyChannels": "El vendedor acepta aquí depósitos para muchas solicitudes, y no pagos sueltos. Los hacen los programas: ejecuta el comando de abajo.",
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
