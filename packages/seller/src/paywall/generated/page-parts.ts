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
  "\"use strict\";(()=>{var e=e=>e,t=`0x0000000000000000000000000000000000000000`;function n(t){return typeof t==`string`&&/^0x[0-9a-fA-F]{40}$/.test(t)?e(t):void 0}function r(e,t){return typeof t==`string`&&/^xdc[0-9a-f]{40}$/i.test(t)?`${e} begins with ${t.slice(0,3)}; write 0x in its place, the digits are the same`:`${e} must be a 0x address of 20 bytes`}function i(t){if(typeof t!=`string`)return;let r=t.trim(),i=/^xdc([0-9a-f]{40})$/i.exec(r);if(i)return e(`0x${i[1]}`);let a=n(r),o=r.slice(2),s=o===o.toLowerCase()||o===o.toUpperCase();return a!==void 0&&(s||r===a)?a:void 0}function a(e){return e.slice(2).toLowerCase().padStart(64,`0`)}function o(e,t){return e.toLowerCase()===t.toLowerCase()}var s=(1n<<64n)-1n,c=(e,t)=>(e<<BigInt(t)|e>>BigInt((64-t)%64))&s,l=(e,t)=>e[t]??0n;function u(e){let t=(e.slice(2).match(/../g)??[]).map(e=>Number.parseInt(e,16)),n=t.length,r=Math.floor(n/136)+1,i=Array.from({length:r*136},(e,n)=>t[n]??0);i[n]=1,i[i.length-1]=(i.at(-1)??0)|128;let a=Array.from({length:25},()=>0n);for(let e=0;e<i.length;e+=136)a=p(a.map((t,n)=>n*8<136?t^d(i,e+n*8):t));return`0x${a.slice(0,4).map(f).join(``)}`}function d(e,t){let n=0n;for(let r=7;r>=0;r--)n=n<<8n|BigInt(e[t+r]??0);return n}function f(e){return(e.toString(16).padStart(16,`0`).match(/../g)??[]).toReversed().join(``)}function p(e){let t=[...e],n=1;for(let e=0;e<24;e++){let e=[0,1,2,3,4].map(e=>[0,5,10,15,20].reduce((n,r)=>n^l(t,e+r),0n));t=t.map((t,n)=>t^l(e,(n+4)%5)^c(l(e,(n+1)%5),1));let[r,i]=[1,0],a=l(t,1);for(let e=0;e<24;e++){[r,i]=[i,(2*r+3*i)%5];let n=r+5*i,o=l(t,n);t[n]=c(a,(e+1)*(e+2)/2%64),a=o}t=t.map((e,n)=>{let r=n-n%5;return e^~l(t,r+(n+1)%5)&s&l(t,r+(n+2)%5)});for(let e=0;e<7;e++)(n&1)==1&&(t[0]=l(t,0)^1n<<BigInt((1<<e)-1)),n=n<<1^(n>>7)*369}return t}var ee=()=>`0x`,te=u;function ne(e,t){return typeof e==`string`&&e.length<=2+2*t&&e.length%2==0&&/^0x[0-9a-fA-F]*$/.test(e)}function re(e){let t=``;for(let n of e)t+=ie[n];return t}var ie=Array.from({length:256},(e,t)=>t.toString(16).padStart(2,`0`));function ae(e){return e.toString(16).padStart(64,`0`)}function oe(e){return se(re(new TextEncoder().encode(e)))}function se(e){return ae(e.length/2)+e.padEnd(Math.ceil(e.length/64)*64,`0`)}function m(e){return typeof e==`object`&&!!e&&!Array.isArray(e)}function h(e,t){return Object.hasOwn(e,t)?e[t]:void 0}function ce(e,...t){return ue(e,t,e=>typeof e==`string`)}function le(e,...t){return ue(e,t,m)}function ue(e,t,n){let r={};for(let i of t){let t=h(e,i);n(t)&&(r[i]=t)}return r}function g(e){let t={};for(let[n,r]of Object.entries(e))r!==void 0&&(t[n]=r);return t}function _(e){if(typeof e==`string`&&!de(e,32))try{return{value:JSON.parse(e)}}catch{return}}function de(e,t){let n=0;for(let r=0;r<e.length;r++){let i=e.charCodeAt(r);if(i===34)r=fe(e,r+1);else if(i===123||i===91){if(++n>t)return!0}else(i===125||i===93)&&n--}return!1}function fe(e,t){let n=t;for(;;){let r=e.indexOf(`\"`,n);if(r===-1)return e.length;let i=r;for(;i>t&&e.charCodeAt(i-1)===92;)i--;if((r-i)%2==0)return r;n=r+1}}var pe={};Object.keys(pe).filter(me);function me(e){return typeof e==`string`&&Object.hasOwn(pe,e)}function he(e,t,n){return{code:e,message:t??pe[e],...g({x402Reason:n})}}function ge(e,t,n){return{ok:!1,refusal:he(e,t,n)}}function _e(e){return{ok:!0,value:e}}var ve=(1n<<256n)-1n,ye={TransferWithAuthorization:[{name:`from`,type:`address`},{name:`to`,type:`address`},{name:`value`,type:`uint256`},{name:`validAfter`,type:`uint256`},{name:`validBefore`,type:`uint256`},{name:`nonce`,type:`bytes32`}]},be=`TransferWithAuthorization`;function xe(e){if(typeof e!=`string`||!/^\\d{1,78}$/.test(e))return;let t=BigInt(e);return t<=ve?t:void 0}function Se(e){let{from:t,to:n,value:r,validAfter:i,validBefore:a,nonce:o}=e;return{from:t,to:n,value:`${r}`,validAfter:`${i}`,validBefore:`${a}`,nonce:o}}function Ce(e,t){return{domain:{...e.domain,chainId:e.chainId,verifyingContract:e.usdc},types:ye,primaryType:be,message:t}}function we(e){return e===`localhost`||e.endsWith(`.localhost`)||e===`[::1]`||/^127(\\.\\d{1,3}){3}$/.test(e)}var Te=6,Ee={name:`USDC`,version:`2`},De={chainId:50,id:`eip155:50`,label:`xdc`,aliases:[],name:`XDC Network`,usdc:`0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1`,domain:Ee,q:new Map([[`0x2A8E898b6242355c290E1f4Fc966b8788729A4D4`,`bridged USDC.e`]]),P:`https://xdcscan.com`},Oe={chainId:51,id:`eip155:51`,label:`xdc-apothem`,aliases:[`xdc-testnet`],name:`Apothem Network`,usdc:`0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4`,domain:Ee,q:new Map,P:`https://testnet.xdcscan.com`},ke=[De,Oe];function Ae(e){return e===50?De:Oe}function v(e){return ke.find(({chainId:t})=>t===e)??je(2,e)??je(1,e)}function je(e,t){return ke.find(({id:n,label:r,aliases:i})=>e===1?r===t||i.some(e=>e===t):n===t)}function Me(e,t){return[...e.q].find(([e])=>o(e,t))?.[1]}function Ne({chainId:e,P:t},n){return e===51&&n.every(we)?void 0:t}function Pe(e,t,n){let r=Ne(e,[n.replace(/:\\d+$/,``)]);return r&&`${r}/tx/${t}`}var Fe=`batch-settlement`,y={paymentRequired:`PAYMENT-REQUIRED`,paymentSignature:`PAYMENT-SIGNATURE`,xPayment:`X-PAYMENT`,paymentResponse:`PAYMENT-RESPONSE`,xPaymentResponse:`X-PAYMENT-RESPONSE`,paymentCharged:`X-Payment-Charged`},Ie=32768;function Le(e){let t=JSON.stringify(e).replaceAll(/[\\u007f-\\uffff]/g,e=>`\\\\u${e.charCodeAt(0).toString(16).padStart(4,`0`)}`);return btoa(t)}function Re(e){if(typeof e!=`string`||e.length===0||e.length>Ie||!/^[A-Za-z0-9+/]*={0,2}$/.test(e))return;let t=e.replace(/=+$/,``),n=t.length!==e.length;if(t.length%4==1||n&&e.length%4!=0)return;let r=atob(t.padEnd(Math.ceil(t.length/4)*4,`=`));if(!/[\\u0080-\\u00ff]/.test(r))return _(r);let i=Uint8Array.from(r,e=>e.charCodeAt(0));try{return _(new TextDecoder(`utf-8`,{fatal:!0}).decode(i))}catch{return}}function ze(e){if(!m(e))return b(`paymentRequirements must be an object`);let t=h(e,`scheme`);if(typeof t!=`string`)return b(`scheme must be a string`);if(t!==`exact`)return ge(`unsupported_scheme`);let n=h(e,`network`);if(typeof n!=`string`)return b(`network must be a string`);let r=n.includes(`:`)?2:1,i=je(r,n);if(!i)return ge(`unsupported_network`,Be(r,n));let a=Ve(e,r,n);if(a)return a;let o=Ue(e,r);if(!o.ok)return o;let s=Ge(h(e,`extra`));return s.ok?_e({version:r,network:i,O:n,...o.value,...s.value,...ce(e,`resource`,`description`,`mimeType`)}):s}function Be(e,t){let n=v(t);return n?`Version ${e} of x402 calls this network ${e===1?n.label:n.id}, not ${t}; send that name.`:`The network is unknown; version 2 names are eip155:50 and eip155:51, version 1 names xdc and xdc-apothem.`}function Ve(e,t,n){let r=(h(e,`maxAmountRequired`)??void 0)!==void 0;if(r===((h(e,`amount`)??void 0)!==void 0)||r===(t===1))return;let i=r?1:2,a=Be(i,n).slice(0,-1);return b(`an entry with ${He(i)} is of version ${i}. ${a}`)}function He(e){return e===1?`maxAmountRequired`:`amount`}function Ue(e,i){let a=He(i),o=xe(h(e,a));if(o===void 0||o===0n)return b(`${a} must be base units above 0 as a string of decimal digits`);let s=h(e,`asset`),c=n(s);if(!c)return b(r(`asset`,s));let l=h(e,`payTo`),u=n(l);if(!u||u===t)return b(u?`payTo must not be the zero address`:r(`payTo`,l));let d=We(h(e,`maxTimeoutSeconds`));return d===void 0?b(`maxTimeoutSeconds must be a number above 0`):_e({asset:c,amount:o,payTo:u,w:d})}function We(e){if(!(typeof e!=`number`||!(e>0)||e>2**53-1))return Math.max(1,Math.floor(e))}function Ge(e){if(e==null)return _e({});if(!m(e))return b(`extra must be an object`);if((h(e,`assetTransferMethod`)??`eip3009`)!==`eip3009`)return ge(`unsupported_transfer_method`);let t=h(e,`name`)??void 0,n=h(e,`version`)??void 0,r=h(e,`paymentFlow`)??void 0;return!Ke(t)||!Ke(n)||!Ke(r)?b(`extra.name, extra.version and extra.paymentFlow must be strings`):_e(g({$:t,U:n,j:r}))}function Ke(e){return e===void 0||typeof e==`string`}function b(e){return ge(`invalid_payment_requirements`,`${e}.`)}var qe=32;function Je(e){if(!m(e))return Ye(`the challenge must be an object`);let t=h(e,`accepts`);if(!Array.isArray(t))return Ye(`the challenge has no list accepts`);let n=[],r=[];for(let[e,i]of t.slice(0,qe).entries()){let t=ze(i);t.ok?m(i)&&n.push({e:t.value,raw:i}):r.push({index:e,refusal:t.refusal})}return _e({entries:n,skipped:r,...le(e,`resource`,`extensions`),...ce(e,`error`)})}function Ye(e){return ge(`invalid_payment_requirements`,`${e}.`)}var Xe=[`pending`,`confirmed`,`failed`];function Ze(e){if(!m(e))return;let t=h(e,`success`),n=h(e,`transaction`),r=h(e,`network`);if(typeof t!=`boolean`||typeof r!=`string`||typeof n!=`string`)return;let i=h(e,`status`);return{success:t,transaction:n,network:r,...ce(e,`payer`,`errorReason`,`errorMessage`,`amount`,`id`),...g({status:Xe.find(e=>e===i)}),...le(e,`extensions`,`extra`)}}var Qe=new Set([`settlement_pending`,`service_unavailable`,`unexpected_settle_error`,`settle_exact_evm_transaction_confirmation_timed_out`,`settle_exact_node_failure`,`unknown_error`]);function $e(e){let{success:t,status:n,errorReason:r}=e;return n===`pending`?`pending`:t?n===`failed`||r===`settlement_pending`?`pending`:`confirmed`:n===`confirmed`?`pending`:r===void 0?n??`pending`:/^[a-z0-9_]+$/.test(r)&&!Qe.has(r)?`failed`:`pending`}function et(e){return/^0x[0-9a-fA-F]{64}$/.test(e)}var tt={remaining:`X-Balance-Remaining`,cost:`X-Request-Cost`},nt={token:`PAYMENT-PASS`,remaining:`X-Pass-Remaining`,expires:`X-Pass-Expires`};function rt(e){return typeof e==`string`&&/^[\\x21-\\x7e]{16,256}$/.test(e)}var it=`payment-identifier`,at=RegExp(`^[A-Za-z0-9_-]{16,128}$`);function ot(e){return typeof e==`string`&&at.test(e)}var st=8192;function ct(e){let{authorization:t,signature:n}=e,r={signature:n,authorization:Se(t)},i=g({resource:e.resource,extensions:e.extensions}),a={scheme:`exact`,network:e.O};return e.shape===`v2`?{x402Version:2,...a,payload:r,accepted:e.accepted??{},...i}:{x402Version:e.version,...a,payload:r,...i}}function lt(e){for(let t of[y.paymentResponse,y.xPaymentResponse]){let n=e.get(t),r=n===null?void 0:Re(n),i=r&&Ze(r.value);if(i)return i}}var x=`request-binding`,ut=1,dt=`x402-request-binding/1`;function ft(e,t){let n=e&&le(e,x)[x],r={...e&&pt(e),version:ut,salt:t};return{...e,[x]:{...n,info:r}}}function pt(e){let t=h(e,x),n=m(t)?h(t,`info`):void 0;return m(n)?n:void 0}function mt({salt:e,method:t,url:n,_:r,payTo:i}){let o=oe(dt),s=oe(t),c=oe(n),l=192+o.length/2,u=l+s.length/2;return te(`0x${ae(192)}${e.slice(2)}${ae(l)}${ae(u)}${r.slice(2)}${a(i)}${o}${s}${c}`)}function ht(e){return e.map(_t).join(` `)}var gt=/[\"$`\\\\!\\u201c-\\u201e]/;function _t(e){return/^[A-Za-z0-9_./:=-]+$/.test(e)?e:gt.test(e)?`'${e.replaceAll(`'`,String.raw`'\\''`)}'`:`\"${e}\"`}function vt(e){return e.replaceAll(/[\"'$!`\\\\]/g,e=>`%${e.charCodeAt(0).toString(16)}`)}RegExp(`^(\\\\d{1,71})(?:\\\\.(\\\\d{1,${Te}}))?$`);function yt(e){let t=e<0n?`-`:``,n=(e<0n?-e:e).toString().padStart(Te+1,`0`);return`${t}${n.slice(0,-Te)}.${n.slice(-Te)}`}function S(e,t=`.`){return yt(e).replace(/\\.?0+$/,``).replace(`.`,t)}var bt=30,xt=40,St=250,C=new Map,Ct=[],wt=!1,Tt=new Set;function Et(e){return m(e)&&typeof e.request==`function`}function Dt(e){if(!m(e)||!m(e.info))return;let{uuid:t,name:n,icon:r,rdns:i}=e.info,a=e.provider;if(Et(a)&&typeof t==`string`&&typeof n==`string`)return{id:t,name:n.trim().slice(0,xt)||`Unnamed wallet`,icon:typeof r==`string`&&/^data:image\\//i.test(r)?r:``,rdns:typeof i==`string`?i:``,provider:a}}function Ot(){let e=Reflect.get(globalThis,`ethereum`);return Et(e)?{id:`window.ethereum`,name:`Browser wallet`,icon:``,rdns:``,provider:e}:void 0}function kt(){let e=wt&&C.size===0?Ot():void 0;Ct=e?[e]:[...C.values()];for(let e of Tt)e()}function At(){addEventListener(`eip6963:announceProvider`,e=>{let t=Dt(`detail`in e?e.detail:void 0);!t||C.has(t.id)||C.size>=bt||(C.set(t.id,t),kt())}),addEventListener(`ethereum#initialized`,kt),dispatchEvent(new Event(`eip6963:requestProvider`)),setTimeout(()=>{wt=!0,Ct.length===0&&kt()},St)}function jt(e){return Tt.add(e),()=>Tt.delete(e)}var Mt=()=>Ct.length>0||wt?Ct:void 0,w=class extends Error{code;details;constructor(e,t,n={}){super(t),this.name=`WalletProblem`,this.code=e,this.details=n}};function Nt(e){if(!m(e))return;let t=h(e,`data`),n=m(t)?h(t,`originalError`):void 0;for(let t of[n,e]){let e=m(t)?t.code:void 0;if(typeof e==`number`)return e}}async function T(e,t,n,r){r?.throwIfAborted();let i,a=new Promise((e,t)=>{i=()=>t(r?.reason),r?.addEventListener(`abort`,i,{once:!0})});try{return await Promise.race([e.request({method:t,params:n}),a])}catch(e){throw r?.throwIfAborted(),Pt(e)}finally{i&&r?.removeEventListener(`abort`,i)}}function Pt(e){switch(Nt(e)){case 4001:return new w(`rejected`,`Nothing was signed. Try again when you are ready.`);case-32002:return new w(`already_open`,`An earlier request is still open in your wallet. Approve or reject it there, then try again.`);case 4902:return e;case 4200:case-32601:return new w(`unable`,`This wallet does not support the request. Try a different wallet.`);default:return Ft(Lt(e))}}function Ft(e){return new w(`failed`,`Your wallet reported a problem: ${e}. Try again, or use a different wallet.`,{reason:e})}var It=160;function Lt(e){let t=m(e)?e.message:e;return(typeof t==`string`&&t!==``?t:`no reason given`).slice(0,It).replace(/\\.$/,``)}function Rt(e){return(Array.isArray(e)?e:[]).map(n).filter(e=>e!==void 0)}function zt(e){let t=typeof e==`string`||typeof e==`number`?Number(e):NaN;return Number.isSafeInteger(t)?t:void 0}var Bt={50:[`https://erpc.xinfin.network`,`https://erpc.xdcrpc.com`],51:[`https://erpc.apothem.network`,`https://apothem.xdcrpc.com`]},Vt={50:`XDC`,51:`TXDC`},Ht=e=>`0x${e.toString(16)}`;async function Ut({wallet:e,chainId:t},n,r){if(t===n)return;let i=()=>T(e.provider,`wallet_switchEthereumChain`,[{chainId:Ht(n)}],r);try{await i().catch(async t=>{if(Nt(t)!==4902)throw t;await T(e.provider,`wallet_addEthereumChain`,[Wt(n)],r),await i()})}catch(t){let r=t instanceof w?t.code:`failed`;throw r===`unable`||r===`failed`?Gt(e.name,n):t}}function Wt(e){let{name:t,P:n}=Ae(e);return{chainId:Ht(e),chainName:t,rpcUrls:Bt[e].slice(0,1),nativeCurrency:{name:Vt[e],symbol:Vt[e],decimals:18},blockExplorerUrls:[n]}}function Gt(e,t){let{name:n}=Ae(t);return new w(`other_network`,`${e} did not switch to ${n}. Select ${n} (chain ${t}) in the wallet and try again.`,{wallet:e,network:n,chain:`${t}`})}function E(e,t={},...n){let r=document.createElement(e);for(let[e,n]of Object.entries(t))typeof n==`function`?r.addEventListener(e,n):n===!0?r.setAttribute(e,``):typeof n==`string`&&r.setAttribute(e,n);return r.append(...n.filter(e=>e!==void 0)),r}function D(e){let t=document.getElementById(e);if(!t)throw Error(`The page has no #${e}.`);return t}var Kt=!0;function O({title:e,tone:t=`plain`,children:n}){let r=E(`h2`,{tabindex:`-1`},e),i=E(`span`,{class:`mark`,\"aria-hidden\":`true`}),a=D(`flow`);a.dataset.tone=t,a.replaceChildren(...[E(`div`,{class:`title`},i,r),...n].filter(e=>e!==void 0)),Kt||r.focus(),Kt=!1}function qt(e){D(`live`).textContent=e}function k(...e){return E(`div`,{class:`actions`},...e.map((e,t)=>{if(!e)return;let{label:n,run:r}=e;return E(`button`,{type:`button`,class:t===0?`primary`:``,click:r},n)}))}function A(...e){return E(`p`,{},...e)}function Jt(e){return E(`dl`,{class:`facts`},...e.map(([e,t])=>E(`div`,{},E(`dt`,{},e),E(`dd`,{},t))))}var j=JSON.parse(D(`texts`).textContent);function M(e,t){let n=t;return e.split(/\\{(\\w+)\\}/).map((e,t)=>t%2==1?n[e]??``:e)}function N(e,t){let n=Object.entries(t).map(([e,t])=>[e,String(t)]);return M(e,Object.fromEntries(n)).join(``)}var P=j.copy,Yt=2e3;function Xt(e,t){let n=P[e],r=(e,t)=>{a.textContent=e,a.setAttribute(`aria-label`,t)},i=async()=>{let e=await navigator.clipboard.writeText(t).then(()=>P.copied,()=>P.blocked);r(e,e),qt(e),setTimeout(()=>r(P.copy,n),Yt)},a=E(`button`,{type:`button`,class:`copy`,click:()=>{i()}});return r(P.copy,n),a}function Zt(){for(let e of[`amount`,`address`,`command`]){let t=D(`copy-${e}`);t.after(Xt(e,t.dataset.value??t.textContent))}}var Qt={reserved:[`signed`,`released`],signed:[`sent`,`settled`,`released`,`expired`],sent:[`settled`,`ambiguous`,`released`,`expired`],ambiguous:[`settled`,`ambiguous`,`released`,`expired`],settled:[],released:[],expired:[`settled`,`released`]},$t=class extends Error{name=`LedgerTransitionError`};async function en(e,t){let n=e.getReader(),r=[],i=0;for(;;){let{done:e,value:a}=await n.read();if(e)break;if(i+=a.byteLength,i>t){n.cancel().catch(()=>{});return}r.push(a)}let a=new Uint8Array(i),o=0;for(let e of r)a.set(e,o),o+=e.byteLength;return a}async function tn(e,t){let n=e===null?void 0:await en(e,t);return n&&_(new TextDecoder().decode(n))?.value}function nn(e,t){let n=Je(t);if(!n.ok)return[];let{entries:r,skipped:i}=n.value,{resource:a,extensions:o}=n.value,s=g({resource:a,extensions:o}),c=m(t)?h(t,`accepts`):void 0,l=Array.isArray(c)?c:[],u=r.map(({e:t,raw:n})=>({source:e,index:l.indexOf(n),raw:n,e:t,...s})),d=i.map(({index:t,refusal:n})=>{let r=l[t],i=m(r)?r:{};return{source:e,index:t,raw:i,refusal:{code:sn(i)?`amount_unparseable`:rn(n.code),message:n.message},...s}});return[...u,...d].sort((e,t)=>e.index-t.index)}function rn(e){return e===`unsupported_network`?`network_not_allowed`:`challenge_invalid`}var an=/^[0-9]{1,30}$/;function on(e){return typeof e==`string`&&an.test(e)&&BigInt(e)>0n}function sn(e){let t=h(e,`network`);return!on(h(e,typeof t==`string`&&t.includes(`:`)?`amount`:`maxAmountRequired`))}var cn=200;function F(e){let t=e.replaceAll(/[\\p{Cc}\\p{Cf}]+/gu,` `).trim();return t.length>cn?`${t.slice(0,cn)}…`:t}var ln=30;function un(e,t){let{e:n,refusal:r}=e;return n?[I(`entry`,``),dn(n,t),fn(n),pn(n),mn(n),...hn(n,t),...vn(n,t),xn(n,t.agreed),Sn(n)]:[L(`entry`,r?.code??`challenge_invalid`,r?.message??`malformed`)]}function dn({network:e},{allow:t}){let n=[e.id,e.label,...e.aliases];return t.networks?.some(e=>n.includes(e))??!0?I(`network`,``):L(`network`,`network_not_allowed`,`${e.id} is not among the allowed networks.`)}function fn({network:e,asset:t}){if(o(t,e.usdc))return I(`asset`,``);let n=Me(e,t);return L(`asset`,`asset_not_allowed`,`${t} is ${n===void 0?`not the USDC contract`:`${n}, not USDC,`} on ${e.id}; only ${e.usdc} is paid.`)}function pn({network:e,$:t,U:n}){let{name:r,version:i}=e.domain;return(t??r)===r&&(n??i)===i?I(`domain`,``):L(`domain`,`token_domain_mismatch`,`The entry says extra.name \"${F(t??``)}\", version \"${F(n??``)}\"; USDC on ${e.id} is \"${r}\", version \"${i}\". Such a signature would never recover.`)}function mn({j:e}){return e===void 0||e===`authorization`||e===`upfront`?I(`flow`,``):L(`flow`,`challenge_invalid`,`The flow \"${F(e)}\" is not known.`)}function hn({payTo:e,network:t},n){let{payees:r}=n.allow;return o(e,n.payer)?[gn(`The payee is the payer itself.`)]:o(e,t.usdc)?[gn(`The payee is the token contract.`)]:r===void 0?[I(`payee`,``),_n(e,n)]:r.some(t=>o(t,e))?[I(`payee`,``)]:[gn(`${e} is not among the allowed payees.`)]}function gn(e){return L(`payee`,`payee_not_allowed`,e)}function _n(e,{pinned:t,K:n,allow:r}){if(r.hosts!==void 0||t===void 0||o(t,e))return I(`pin`,``);let i=`This host was paid at ${t} before and now asks for ${e}.`;return n?{name:`pin`,T:`ask`,message:i}:L(`pin`,`payee_changed`,`${i} A person has to confirm the change.`)}function vn(e,t){let{amount:n}=e,{limits:r,usage:i,pe:a}=t;if(!on(n.toString()))return[L(`amount`,`amount_unparseable`,`The amount is beyond any sum of USDC.`)];let o=S(n),s=[I(`amount`,``)],c=(e,t,r,i)=>s.push(n<=t?I(e,`at most ${S(t)} USDC ${i}`):L(e,r,`The price ${o} USDC is above ${S(t)} USDC ${i}.`));if(c(`per_call`,r.oe,`per_payment_cap`,`per call`),a!==void 0&&c(`max_amount`,a,`per_payment_cap`,`for this call`),r.V!==void 0){let e=r.V-i.ie;c(`per_day`,e>0n?e:0n,`cumulative_cap`,`left for today`)}if(s.push(yn(t)),t.K&&n>r.J){let e=`${o} USDC is above ${S(r.J)} USDC.`;s.push({name:`approval`,T:`ask`,message:e})}return s}function yn({usage:e,limits:t,open:n=bn}){let{ae:r,se:i}=t,{ce:a}=e;return a<r&&n.count<i?(`${n.count}${i}`,I(`open_payments`,``)):L(`open_payments`,`open_payments_limit`,n.message)}var bn={count:0,message:``};function xn(e,t){return t===void 0?Cn(`agreed`,``):e.amount===t.amountUnits&&o(e.payTo,t.payTo)&&o(e.asset,t.asset)?I(`agreed`,``):L(`agreed`,`challenge_changed`,`Amount, asset or payee differ from what was agreed.`)}function Sn({w:e}){let t=`${e} s is too short to settle; ${ln} s is the least.`;return e>=ln?I(`time`,``):L(`time`,`challenge_invalid`,t)}function I(e,t){return{name:e,T:`pass`,message:t}}function Cn(e,t){return{name:e,T:`skip`,message:t}}function L(e,t,n){return{name:e,T:`fail`,message:n,code:t}}function wn(e,t){return[...e].sort((e,n)=>Tn(e,n,t===`v1`?1:2))}function Tn(e,t,n){let r=e.e,i=t.e;return!r||!i?!r-+!i:+(r.version!==n)-(i.version!==n)||+(e.source===`body`)-(t.source===`body`)||+(r.j===`upfront`)-(i.j===`upfront`)||+(r.amount>i.amount)-(r.amount<i.amount)||e.index-t.index}var En=5e3,Dn=2097152;function On(e,t,n=En){return async(r,i)=>{let{result:a}=await kn(e,t,{method:r,params:i},n);if(a===void 0)throw Error(`The node gave no result for ${r}.`);return a}}async function kn(e,t,n,r=En){let{method:i}=n,a;try{a=await tn((await e(t,{method:`POST`,headers:{\"Content-Type\":`application/json`},body:JSON.stringify({jsonrpc:`2.0`,id:1,...n}),signal:AbortSignal.timeout(r)})).body,Dn)}catch{throw Error(`The node did not answer ${i}.`)}let o=m(a)?h(a,`result`):void 0;if(o!==void 0)return{result:o};let s=m(a)?h(a,`error`):void 0;if(!m(s))throw Error(`The node gave no result for ${i}.`);return{error:{message:String(s.message),data:s.data}}}var An=`0x70a08231`;async function jn(e,t,n){let r=On(e,t),i=Number(await r(`eth_chainId`,[])),a=v(i);if(!a)throw Error(`The node serves chain ${i}, which is not XDC.`);let[o,s]=await Promise.all([Mn(r,a,n),r(`eth_getBalance`,[n,`latest`])]);return{network:a,usdcUnits:o,nativeWei:BigInt(String(s))}}async function Mn(e,t,n){let r=`${An}${a(n)}`;return BigInt(String(await e(`eth_call`,[{to:t.usdc,data:r},`latest`])))}function Nn(e){let{signed:t,transaction:n}=e,r=v(e.network);if(t&&r)return{network:r,from:e.wallet,to:e.payTo,units:e.amountUnits,nonce:t.nonce,validBefore:t.validBefore,signedAfter:Math.floor(e.reservedAt/1e3),...g({transaction:n})}}var Pn=`0xe94a0102`,R={used:`0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5`,canceled:`0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81`,transfer:`0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef`},Fn=12,In=600,Ln=1e3,Rn=12,zn=40;async function Bn(e,t,n){let r=On(e,t);try{let e=Number(await r(`eth_chainId`,[]));if(e!==n.network.chainId)return Hn(`the node serves chain ${e}, not ${n.network.chainId}`);let t=await Un(r),i=n.transaction&&await Yn(r,n,n.transaction,t.number);return i?{state:`settled`,...i}:await Wn(r,n,`latest`)?await Gn(r,n,t.number):t.time<n.validBefore?Vn(`it is unused, and can be used until it has expired in a final block`):await Wn(r,n,B(t.number))?Vn(`the node contradicts itself`):{state:`unused`,reason:`it expired unused; block ${t.number} is final`}}catch(e){return Hn(e instanceof Error?e.message:`the node did not answer`)}}function Vn(e){return{state:`unknown`,reason:e}}function Hn(e){return{state:`unknown`,reason:e,de:!0}}async function z(e,t){let n=await e(`eth_getBlockByNumber`,[t,!1]),r=m(n)?Number(h(n,`number`)):NaN,i=m(n)?Number(h(n,`timestamp`)):NaN;if(Number.isSafeInteger(r)&&Number.isSafeInteger(i))return{number:r,time:i};throw Error(`The node returned no block.`)}async function Un(e){try{return await z(e,`finalized`)}catch{let{number:t}=await z(e,`latest`);return z(e,B(Math.max(0,t-Fn)))}}async function Wn(e,t,n){let r=`${Pn}${a(t.from)}${t.nonce.slice(2)}`,i=await e(`eth_call`,[{to:t.network.usdc,data:r},n]);if(typeof i==`string`&&/^0x0*[01]$/.test(i)&&i.length===66)return i.endsWith(`1`);throw Error(`The node returned no authorization state.`)}async function Gn(e,t,n){let r=await Kn(e,t);if(!r)return Vn(`it has been used or canceled, but the node shows no event of it`);if(r.topic===R.used){let i=await Yn(e,t,r.transaction,n);return i?{state:`settled`,...i}:{state:`unknown`,reason:`it has been used, but no transfer of these terms is with it`,me:!0}}return r.I>n?Vn(`it was canceled in a block that is not final`):{state:`unused`,reason:`it was canceled in block ${r.I}`}}async function Kn(e,t,n=Rn){let r=await z(e,`latest`),i=await qn(e,r,t.signedAfter-In);for(let a=0;a<n&&i<=r.number;a+=1){let n=Math.min(i+Ln-1,r.number),a=await e(`eth_getLogs`,[{address:t.network.usdc,fromBlock:B(i),toBlock:B(n),topics:[[R.used,R.canceled],Zn(t.from),t.nonce]}]),o=(Array.isArray(a)?a:[]).map(Jn).find(e=>e!==void 0);if(o)return o;if(Number.isFinite(t.validBefore)&&(await z(e,B(n))).time>t.validBefore)return;i=n+1}}async function qn(e,t,n){let r=Math.max(1,Math.ceil((t.time-n)/2));for(let i=0;i<zn;i+=1){let i=Math.max(0,t.number-r);if(i===0||(await z(e,B(i))).time<=n)return i;r*=2}return 0}function Jn(e){if(!m(e)||h(e,`removed`)===!0)return;let t=h(e,`topics`),n=h(e,`transactionHash`),r=typeof n==`string`&&et(n)?n:void 0,i=Number(h(e,`blockNumber`)),a=Array.isArray(t)?t[0]:void 0;if(typeof a==`string`&&r!==void 0)return{topic:a,transaction:r,I:i}}async function Yn(e,t,n,r){let i=await e(`eth_getTransactionReceipt`,[n]);if(!m(i)||h(i,`status`)!==`0x1`)return;let a=h(i,`logs`),o=(e,n)=>Array.isArray(a)&&a.some(r=>Xn(r,t.network.usdc,e,n)),s=o([R.used,Zn(t.from),t.nonce])&&o([R.transfer,Zn(t.from),Zn(t.to)],t.units),c=Number(h(i,`blockNumber`));if(s&&Number.isSafeInteger(c))return{transaction:n,I:c,isFinal:c<=r}}function Xn(e,t,n,r){if(!m(e))return!1;let a=i(h(e,`address`)),s=h(e,`topics`);return a===void 0||!o(a,t)||!Array.isArray(s)?!1:n.every((e,t)=>String(s[t]).toLowerCase()===e.toLowerCase())&&(r===void 0||BigInt(String(h(e,`data`)))===r)}function Zn(e){return`0x${a(e)}`}function B(e){return`0x${e.toString(16)}`}var Qn={settled:{state:`settled`,g:0},lying_receipt:{state:`ambiguous`,g:0,code:`receipt_mismatch`},pending:{state:`pending`,g:1/0,code:`settlement_pending`},failed_receipt:{state:`ambiguous`,g:1,code:`payment_refused`},refused:{state:`ambiguous`,g:2,code:`payment_refused`},conflict:{state:`ambiguous`,g:0,code:`request_conflict`},busy:{state:`ambiguous`,g:1/0,code:`seller_unavailable`},served_without_receipt:{state:`ambiguous`,g:0,code:`receipt_missing`},client_error:{state:`ambiguous`,g:0,code:`seller_error`},server_error:{state:`ambiguous`,g:1/0,code:`seller_unavailable`},not_charged:{state:`ambiguous`,g:2,code:`not_charged`},facilitator_down:{state:`ambiguous`,g:4,code:`not_charged`},redirect:{state:`ambiguous`,g:0,code:`redirected`},no_answer:{state:`ambiguous`,g:1/0,code:`no_answer`}};async function $n(e,t){let n=lt(e.headers);if(n&&!er(e,n))return tr(n,t);let r=await cr(e),i=Ze(r);if(i?.success===!1&&i.errorReason!==void 0)return tr(i,t);let a=ir(e,r),o=a&&e.status===503&&ar(r)?`facilitator_down`:rr(e,a);return{kind:o,...g({reason:o===`refused`||o===`busy`||o===`facilitator_down`?or(e,r):void 0,ee:a||void 0})}}function er({status:e},t){return e===402&&t.transaction===``&&$e(t)===`failed`}function tr(e,t){let n={receipt:e,...g({transaction:et(e.transaction)?e.transaction:void 0})},r=$e(e);if(r===`confirmed`){let r=nr(e,t);return r===void 0?{kind:`settled`,...n}:{kind:`lying_receipt`,...n,reason:r}}let i=F([e.errorReason,e.errorMessage].filter(e=>e!==void 0).join(`: `));return{kind:r===`pending`?`pending`:`failed_receipt`,...n,reason:i}}function nr(e,t){if(!et(e.transaction))return`the receipt names no transaction`;if(e.payer!==void 0&&!o(e.payer,t.payer))return`the receipt names another payer`;if(v(e.network)?.id!==t.network.id)return`the receipt names another network`;if(e.amount!==void 0&&xe(e.amount)!==t.amountUnits)return`the receipt names another amount than ${S(t.amountUnits)} USDC`}function rr(e,t){let{status:n}=e;return e.type===`opaqueredirect`||n>=300&&n<400?`redirect`:n<300?`served_without_receipt`:n===402?`refused`:n===409?`conflict`:n===425||n===429||n===503?`busy`:n<500?`client_error`:t?`not_charged`:`server_error`}function ir({status:e,headers:t},n){return e<400?!1:t.get(y.paymentCharged)===`no`||m(n)&&h(n,`error`)===`not_charged`}function ar(e){let t=m(e)?h(e,`error`):void 0;return t===`facilitator_unavailable`||t===`seller_account_problem`}function or(e,t){let n=e.headers.get(y.paymentRequired),r=n===null?void 0:Re(n),i=[r&&m(r.value)?h(r.value,`error`):void 0,m(t)?h(t,`message`):void 0].filter(e=>typeof e==`string`);return i.length>0?F(i.join(`: `)):void 0}var sr=32768;async function cr(e){if(!/\\bjson\\b/i.test(e.headers.get(`Content-Type`)??``))return;let t=Number(e.headers.get(`Content-Length`)??`NaN`);if(e.ok&&!(t<=sr))return;let{body:n}=e.clone();try{return await tn(n,sr)}catch{return}}var lr=()=>({}),ur=[1,2,4,8],dr=8,fr=64,pr=1048576;async function mr(e,t){let{te:n}=e,{signal:r}=t.request,i=new Map,{state:a,transaction:o}=t.record,s={state:a===`settled`?a:`ambiguous`,...g({transaction:o})};for(let a=0;;a++){let o=xr(e,t);a===0&&await _r(e.ledger,t.record);let c=await o;s=gr(s,c.reading),await yr(e,t,s,c);let l=e=>({...s,...c,le:e});if(r?.aborted)return l(!0);let u=c.response===void 0?`no_answer`:c.reading.kind,d=(i.get(u)??0)+1;if(i.set(u,d),d>Qn[u].g||a+1>=fr)return l(!1);let f=br(c.response,n.now()),p=1e3*Math.max(f??0,ur[a]??dr);if(n.now()+p>=t.signed.validBefore*1e3)return{...l(!1),...g({he:f})};e.emit?.(hr(t,s,c,p)),c.response?.body?.cancel().catch(()=>{});try{await n.sleep(p,r)}catch(e){return{...s,reading:{kind:`no_answer`},cause:e,le:!0}}}}function hr({record:{requestId:e}},{state:t},{response:n,reading:{reason:r}},i){let a=Math.ceil(i/1e3),{status:o}=n??{};return{type:`resending`,requestId:e,waitSeconds:a,state:t,...g({status:o,reason:r})}}function gr(e,t){if(e.state===`settled`)return e;let{kind:n,transaction:r=e.transaction,receipt:i=e.receipt}=t;return{state:Qn[n].state,...g({transaction:r,receipt:i})}}async function _r(e,{requestId:t,signed:n}){(await e.find(t))?.state===`signed`&&await vr(e,t,{state:`sent`,ofNonce:n?.nonce})}async function vr(e,t,n){try{await e.transition(t,n)}catch(e){if(!(e instanceof $t))throw e}}async function yr({ledger:e,te:t},{record:{requestId:n},signed:r},{state:i,transaction:a,receipt:o},{response:s,_:c,reading:l}){let u=await e.find(n);if(u===void 0||u.state===`settled`)return;let{ee:d}=l,f=s&&{status:s.status,...g({ee:d,_:c,receipt:o}),...lr(s)};await vr(e,n,{...i===`settled`?{state:i,evidence:`receipt`,settledAt:t.now()}:{state:`ambiguous`},...g({transaction:a,answer:f}),ofNonce:r.nonce})}function br(e,t){let n=e?.headers.get(`Retry-After`)?.trim();if(n===void 0)return;if(/^\\d{1,9}$/.test(n))return Number(n);let r=n.endsWith(` GMT`)?Date.parse(n):NaN;return Number.isNaN(r)?void 0:Math.max(0,Math.ceil((r-t)/1e3))}async function xr(e,t){let{request:n,signed:r,expected:i}=t,a=new AbortController,o=setTimeout(()=>a.abort(new DOMException(`The seller took too long to respond.`,`TimeoutError`)),e.ue),s=[a.signal,...n.signal?[n.signal]:[]];try{let t=await n.send(e.fetch,{header:[r.headerName,r.headerValue],url:r.url,redirect:`manual`,signal:AbortSignal.any(s)}),a=await $n(t,i),{cut:o,...c}=await Sr(t);return o===void 0?{response:t,reading:a,...c}:{reading:a,cause:o.cause}}catch(e){return{reading:{kind:`no_answer`},cause:e}}finally{clearTimeout(o)}}async function Sr(e){if(!(Number(e.headers.get(`Content-Length`)??`NaN`)<=pr)||e.body===null)return{};let{body:t}=e.clone();if(t===null)return{};try{let e=await en(t,pr);return g({_:e&&ee(e,{as:`Hex`})})}catch(e){return{cut:{cause:e}}}}function Cr(e){let{request:t,url:n}=e,r=Tr(e),i=new URL(n);if(r===void 0||!Er(e.offer.extensions))return;let{_:a}=t;if(i.protocol===`mcp:`){let e=i.pathname.slice(i.pathname.lastIndexOf(`/`)+1);return wr(r)===`mcp://tool/${e}`?{method:`MCP`,url:r,_:a}:void 0}if(i.hash=``,wr(r)===i.href)return{method:t.method.toUpperCase(),url:r,_:a}}function wr(e){return URL.canParse(e)?new URL(e).href:void 0}function Tr({offer:e,e:t}){let n=e.resource&&h(e.resource,`url`);return t.version===1?t.resource:typeof n==`string`?n:void 0}function Er(e){let t=e&&h(e,x);if(t===void 0)return!0;let n=m(t)?h(t,`info`):void 0;return m(n)&&h(n,`version`)===1}var V={now:()=>Date.now(),sleep:Dr,randomBytes:e=>crypto.getRandomValues(new Uint8Array(e))};function Dr(e,t){return new Promise((n,r)=>{let i=()=>{clearTimeout(a);let e=t?.reason;r(e instanceof Error?e:Error(`Aborted.`))},a=setTimeout(()=>{t?.removeEventListener(`abort`,i),n()},e);t?.aborted?i():t?.addEventListener(`abort`,i,{once:!0})})}function Or(e,t){return re(e.randomBytes(t))}var kr=300;async function Ar(e,t,n){let{e:r}=n,i=Math.floor(t.now()/1e3)+Math.min(Math.floor(r.w),kr),a=jr(t,n),o={from:e.address,to:r.payTo,value:r.amount,validAfter:0n,validBefore:BigInt(i),nonce:a.nonce},s=await e.signTypedData(Ce(r.network,o));if(!ne(s,st)||s.length<=2)throw TypeError(`The signer returned no signature of at most ${st} bytes.`);let c=r.version===2?y.paymentSignature:y.xPayment;return{url:n.url,headerName:c,headerValue:Le(Mr(n,t,o,{signature:s,...a})),version:r.version,nonce:o.nonce,validBefore:i}}function jr(e,t){let{payTo:n}=t.e,r=t.derive??(()=>`0x${Or(e,32)}`),i=Cr(t);if(i===void 0)return{nonce:r(`nonce`)};let a=r(`salt`);return{salt:a,nonce:mt({...i,salt:a,payTo:n})}}function Mr({offer:e,e:t,requestId:n,attempt:r},i,a,{signature:o,salt:s}){let{network:c,O:l}=t,u={network:c,O:l,authorization:a,signature:o},d=Pr(e.extensions,Nr(n,r),i);if(t.version===1){let e=d&&le(d,x),t=s===void 0?e:ft(e,s),n=t!==void 0&&Object.keys(t).length>0?t:void 0;return ct({...u,version:1,shape:`v1`,...g({extensions:n})})}let f=s===void 0?d:ft(d,s);return ct({...u,version:2,shape:`v2`,accepted:e.raw,...g({resource:e.resource,extensions:f})})}function Nr(e,t){return t===0?e:`${e}-${t}`}function Pr(e,t,n){if(e===void 0)return;let r=h(e,it),i=m(r)?h(r,`info`):void 0;if(!m(r)||!m(i))return e;let a=ot(t)?t:`pay_${Or(n,16)}`;return{...e,[it]:{...r,info:{...i,id:a}}}}function Fr({network:e}){let t=v(e);if(!t)throw Error(`The network ${e} is not supported here.`);return t}async function Ir(e,t,n){let{requestId:r}=e,i=Nn(e);if(!i)throw Error(`There is no signature to check.`);let a=await Bn(Rr(n),Lr,i);return a.state===`unknown`||(t.current()?.state===`signed`&&await t.transition(r,{state:`sent`}),await t.transition(r,a.state===`unused`?{state:`released`}:{state:`settled`,transaction:a.transaction,evidence:`chain`})),a}var Lr=`wallet:`;function Rr(e){return async(t,n)=>{let r=typeof n?.body==`string`?n.body:`{}`,{method:i,params:a}=JSON.parse(r),o=await T(e,i,a,n?.signal??void 0);return Response.json({jsonrpc:`2.0`,id:1,result:o??null})}}var H=j.content,zr=2097152;async function Br(e){let t=(e.headers.get(`Content-Type`)??``).split(`;`)[0]?.trim().toLowerCase()??``;if(t===`text/event-stream`&&e.body)return Ur(e.body);let n=await e.blob(),r=Gr(e,n,t);return n.size===0?E(`div`,{},E(`p`,{},H.empty)):E(`div`,{class:`content`},await Vr(e,n,t),E(`p`,{},r))}async function Vr(e,t,n){return/^attachment/i.test(e.headers.get(`Content-Disposition`)??``)||t.size>zr?E(`p`,{},H.file):n.startsWith(`image/`)?E(`img`,{src:URL.createObjectURL(t),alt:H.bought}):n===`text/html`?Kr(await t.text()):/^application\\/(.*\\+)?json$/.test(n)?Hr(Wr(await t.text())):/^text\\/|^application\\/(.*\\+)?(xml|yaml|javascript|x-ndjson)$/.test(n)?Hr(await t.text()):E(`p`,{},H.file)}function Hr(e){return E(`pre`,{tabindex:`0`,\"aria-label\":H.bought},e)}function Ur(e){let t=Hr(``),n=zr,r=new WritableStream({write(e){if(t.append(e.slice(0,n)),n-=e.length,n<=0)throw Error(`Too long to show.`)}});return e.pipeThrough(new TextDecoderStream).pipeTo(r).catch(()=>t.append(`\n${H.ended}`)),E(`div`,{class:`content`},t)}function Wr(e){try{let t=JSON.parse(e),n=e.replace(/(\"(?:[^\"\\\\]|\\\\.)*\")|\\s+/g,`$1`);return JSON.stringify(t)===n?JSON.stringify(t,null,2):e}catch{return e}}function Gr(e,t,n){let r=/filename=\"?([^\";]+)\"?/i.exec(e.headers.get(`Content-Disposition`)??``),i=location.pathname.split(`/`).at(-1)||`content`,a=i.includes(`.`)?``:`.${/\\w+$/.exec(n)?.[0]??`bin`}`,o=r?.[1]??`${i}${a}`;return E(`a`,{href:URL.createObjectURL(t),download:o},N(H.save,{name:o}))}function Kr(e){let t=new DOMParser().parseFromString(e,`text/html`),n=[...t.querySelectorAll(`style`)].map(e=>e.textContent),r=[...t.querySelectorAll(`[style]`)].map(e=>{let t=e.getAttribute(`style`)??``;return e.removeAttribute(`style`),e.setAttribute(qr,``),t});for(let e of t.querySelectorAll(`style, script, link, meta, base`))e.remove();let i=E(`iframe`,{sandbox:`allow-same-origin`,srcdoc:`<!doctype html>${t.documentElement.outerHTML}`,title:H.bought});return i.addEventListener(`load`,()=>Jr(i,n,r)),i}var qr=`data-farthing-style`;function Jr({contentDocument:e,contentWindow:t},n,r){let i=t&&Reflect.get(t,`CSSStyleSheet`);if(e&&typeof i==`function`){e.adoptedStyleSheets=n.map(e=>{let t=Reflect.construct(i,[]);return t.replaceSync(e),t});for(let[t,n]of e.querySelectorAll(`[${qr}]`).entries()){let e=Reflect.get(n,`style`);e&&Reflect.set(e,`cssText`,r[t]??``)}}}var Yr=`farthing.passes`,Xr=20;function Zr(){try{let e=JSON.parse(localStorage.getItem(Yr)??`[]`);return Array.isArray(e)?e.filter(rt):[]}catch{return[]}}function Qr(e){let[t=e]=e.split(`.`);ti([e,...Zr().filter(e=>!e.startsWith(t))])}function $r(e){let t=e?.headers.get(nt.token);rt(t)&&Qr(t)}function ei(e){ti(Zr().filter(t=>t!==e))}function ti(e){try{localStorage.setItem(Yr,JSON.stringify(e.slice(0,Xr)))}catch{}}var ni=[.2,.375,.5555555555555556,.6666666666666666],ri=(e,t)=>n=>{let r=4*e+n-4,i=`*-04-39?2$%%$%%'$%''%'''%')(%'))%(++'(++'(+.'+-.',/3',33)-/5)-43).36)058*18<+37<+4:<,4:E,5<A-7>C/8@F/:EH/<EK0=FM1?IP2@KS3BNV4DPY5FS\\\\6HV_6IXb7K[e8N^i9Pam;Rdp<Tgt`.charCodeAt(r)-35,a=r>8?i:1,o=t/a|0,s=t%a,c=a-s,l=r>8?o*ni[n]+(e>5)&-2:i,u=o-l;return{t:c*u+s*u+s,o:[[c,u],[s,u+1]],l}},U=e=>new Uint8Array(e),ii=e=>{let t=Error(`lean-qr error ${e}`);throw t.code=e,t},ai=(e,t=e*e,n=U(t))=>({size:e,i:n,get:(t,r)=>t>=0&&t<e&&!!(1&n[r*e+t]),u(t,{on:n=[0,0,0],off:r=[0,0,0,0],pad:i=4,padX:a=i,padY:o=i}={}){let s=e+2*a,c=e+2*o,l=t.createImageData(s,c),u=new Uint32Array(l.data.buffer);l.data.set([...n,255]);let d=u[0];l.data.set([...r,255]);let f=u[0];for(let e=0;e<c;++e)for(let t=0;t<s;++t)u[e*s+t]=this.get(t-a,e-o)?d:f;return l},toCanvas(e,t){let n=e.getContext(`2d`),r=this.u(n,t);e.width=r.width,e.height=r.height,n.putImageData(r,0,0)}}),oi=[(e,t)=>1&(e^t),(e,t)=>1&t,e=>e%3,(e,t)=>(e+t)%3,(e,t)=>1&(e/3^t>>1),(e,t)=>(e&t&1)+e*t%3,(e,t)=>(e&t)+e*t%3&1,(e,t)=>(e^t)+e*t%3&1],si=U(511);for(let e=0,t=1;e<255;t=2*t^285*(t>127))si[si[t+255]=e++]=t;var ci=e=>si[e%255],li=e=>si[e+255],ui=(e,t)=>{let n=U(e.length+t.length-1);for(let r=0;r<e.length;++r)for(let i=0;i<t.length;++i)n[r+i]^=ci(e[r]+t[i]);return n.map(li)},di=(e,t)=>{let n=U(e.length+t.length-1);n.set(e,0);for(let r=0;r<e.length;++r)if(n[r]){let e=li(n[r]);for(let i=0;i<t.length;++i)n[r+i]^=ci(t[i]+e)}return n.slice(e.length)},fi=[[0],[0,0]];for(let e=1;e<30;++e)fi.push(ui(fi[e],[0,e]));var pi=(e,t)=>{let n=[[],[]],r=0,i=0;for(let[a,o]of t.o)for(let s=0;s<a;++s,r+=o){let a=e.slice(r,r+o);n[0].push(a),n[1].push(di(a,fi[t.l])),i+=o+t.l}let a=U(i);i=0;for(let e of n)for(let t=0,n=-1;n<i;++t){n=i;for(let n of e)t<n.length&&(a[i++]=n[t])}return a},mi=(e,t,n)=>{let r=e<<=n;for(let e=134217728;e>>=1;)r&e&&(r^=t*(e>>n));return r|e},hi=({size:e,i:t},n)=>{let r=(n,r,i,a)=>{for(;i-->0;n+=e)t.fill(a,n,n+r)},i=(t,n,i)=>{for(let a=0;a++<3;i-=2)r(n*e+t-(i>>1)*(e+1),i,i,2|a)},a=2*((e-13)/(1+(n/7|0))/2+.75|0);if(n>1)for(let t=e-7;t>8;t-=a){for(let e=t;e>8;e-=a)i(t,e,5);t<e-7&&i(t,6,5)}if(n>6)for(let r=mi(n,7973,12),i=1;i<7;++i)for(let n=12;n-->9;r>>=1)t[i*e-n]=2|1&r;r(7,2,9,2),r(e-8,8,9,2);for(let n=0;n<e;++n)t[6*e+n]=3^1&n;i(3,3,7),i(e-4,3,7);for(let n=0;n<e;++n)for(let r=n;r<e;++r)t[r*e+n]=t[n*e+r];t[(e-8)*e+8]=3},gi=({size:e,i:t})=>{let n=[];for(let r=e-2,i=e,a=-1;r>=0;r-=2){for(r===5&&(r=4);i+=a,i!==-1&&i!==e;){let a=i*e+r;t[a+1]||n.push(a+1),t[a]||n.push(a)}a*=-1}return n},_i=({i:e},t,n)=>t.forEach((t,r)=>e[t]=n[r>>3]>>(7&~r)&1),vi=({size:e,i:t},n,r,i)=>{for(let r=0;r<e;++r)for(let i=0;i<e;++i){let a=r*e+i;t[a]^=!(n(i,r)||2&t[a])}let a=21522^mi((1^i)<<3|r,1335,10);for(let n=0;n++<8;a>>=1)t[(n-(n<7))*e+8]=1&a,t[9*e-n]=1&a;for(let n=8;--n,a;a>>=1)t[8*e+n-(n<7)]=1&a,t[(e-n)*e+8]=1&a},yi=({size:e,i:t},n=0,r=0)=>{for(let i=0;i<e;++i){for(let a=0;a<2;++a)for(let o,s=0,c=0,l=2;s<e;++s){let u=1&t[a?i*e+s:s*e+i];r+=u,c=(c>>1|2098176)&(3047517^u-1),2049&c&&(n+=40),u^l&&(o=0),l=u,n+=++o===5?3:o>5}if(i)for(let r=e+i,a=5*t[i-1]^t[i];r<e*e;r+=e){let e=5*t[r-1]^t[r];n+=3*!(1&(a|e)|4&(a^e)),a=e}}return n+10*(10*Math.abs(r/(e*e)-1)|0)},bi=[],xi=(e=ii(1),{minCorrectionLevel:t=0,minVersion:n=1}={})=>{typeof e!=`string`&&ii(5),e=new TextEncoder().encode(e);let r=U(2957);r.set([113,164,e.length>>8]);for(let i=n;i<41;++i){let n=bi[i];n||(bi[i]=n=ai(4*i+17),hi(n,i),n.p=gi(n));let a=ri(i,n.p.length>>3)(t);if(a.t>=3+(i>9)+e.length){let o=i>9?3:2;for(r[o++]=e.length,r.set(e,o),o+=e.length-1;o<2954;r.set([236,17],o+=2));let s=ai(n.size,n.i);return _i(s,n.p,pi(r,a)),oi.map((e,n)=>{let r=ai(s.size,s.i);return vi(r,e,n,t),r.s=yi(r),r}).sort((e,t)=>e.s-t.s)[0]}}ii(4)},Si=4;function Ci(e,t){let n=xi(e),r=wi(`svg`),i=n.size+2*Si;for(let[e,n]of Object.entries({class:`qr`,viewBox:`${-Si} ${-Si} ${i} ${i}`,role:`img`,\"aria-label\":t,\"shape-rendering\":`crispEdges`}))r.setAttribute(e,n);let a=[];for(let e=0;e<n.size;e++)for(let t=0;t<n.size;t++)n.get(t,e)&&a.push(`M${t} ${e}h1v1h-1z`);let o=wi(`path`);return o.setAttribute(`d`,a.join(``)),r.append(o),r}function wi(e){let t=document.createElementNS(`http://www.w3.org/2000/svg`,e);if(t instanceof SVGElement)return t;throw Error(`Not an SVG element.`)}function Ti(e){return`${e.slice(0,6)}…${e.slice(-4)}`}function Ei(e){return E(`div`,{class:`copied`},E(`details`,{class:`address`},E(`summary`,{},E(`code`,{},Ti(e))),E(`code`,{},e)),Xt(`address`,e))}function W(e){return`${S(e,j.decimal)} USDC`}function Di(e){return E(`div`,{class:`copied`},E(`strong`,{},W(e)),Xt(`amount`,S(e)))}function Oi({chainId:e}){return j.networks[e]}function ki(e){let t=e/60,{terms:n}=j;return e<60||!Number.isInteger(t)?N(n.seconds,{count:e}):t===1?n.minute:N(n.minutes,{count:t})}var Ai=1e3;function ji(e){let t=E(`p`,{role:`timer`}),n=()=>{let n=Math.max(0,Math.ceil((e-Date.now())/1e3));t.textContent=N(j.wallets.timeLeft,{seconds:n})};n();let r=setInterval(()=>t.isConnected?n():clearInterval(r),Ai);return t}function Mi(e){return new Date(e*1e3).toLocaleTimeString(document.documentElement.lang)}function Ni(e,t){let n=Pe(e,t,location.host);if(n===void 0)return E(`code`,{class:`whole`},t);let r={href:n,target:`_blank`,rel:`noreferrer`},i=E(`code`,{},Ti(t));return E(`a`,r,...M(j.terms.onExplorer,{transaction:i}))}var{wallets:G,getUsdc:K,actions:Pi}=j,Fi=(e,t)=>E(`a`,{href:e,target:`_blank`,rel:`noreferrer`},t);function Ii(){let e=Fi(`https://metamask.io/download`,`MetaMask`);return E(`div`,{class:`note`},A(E(`strong`,{},G.none)),zi(),A(...M(G.install,{link:e})),k({label:Pi.reload,run:()=>location.reload()}))}var Li=!we(location.hostname),Ri=matchMedia(`(pointer: coarse)`).matches;function zi(){if(!Li||!Ri)return;let{host:e,pathname:t,search:n}=location;return A(Fi(`https://link.metamask.io/dapp/${e}${t}${n}`,G.openIn))}function Bi(){if(!Li||Ri)return;let e=Ci(location.href,G.scanPicture);return E(`details`,{},E(`summary`,{},G.phone),A(G.scan),e)}function Vi(e){let{chainId:t,usdc:n}=e,r=N(K.title,{network:Oi(e)}),i=Fi(`https://faucet.circle.com`,K.faucet),a=t===50?[A(K.exchange),A(K.bridge),A(K.native)]:[A(...M(K.test,{link:i}))];return E(`details`,{class:`guide`},E(`summary`,{},r),...a,Ei(n),A(K.noCoins))}var Hi=/^(pass_(unknown|void|expired|exhausted)|balance_unknown)$/,Ui=Or(V,16);async function Wi(e,t){for(let n of Zr()){let r=await e.send(fetch,{headers:[[nt.token,n],[`Idempotency-Key`,Ui]],redirect:`manual`,signal:t});if(r.status!==402)return Qr(n),r;let i=_(await r.text())?.value,a=m(i)?h(i,`error`):void 0;Hi.test(String(a))&&ei(n)}}var Gi=1n<<255n;function Ki(e,t){return un(e,{payer:t,allow:{},limits:{oe:Gi,V:void 0,J:Gi,ae:1,se:1},K:!1,usage:{ie:0n,ce:0}}).find(({T:e})=>e===`fail`)?.message}function qi(e){let n=wn(nn(`body`,_(e)?.value),`v2`),r=n.flatMap(e=>e.e&&Ki(e,t)===void 0?[{offer:e,e:e.e}]:[]);if(r.length>0)return{payable:r};if(n.some(({raw:e})=>h(e,`scheme`)===Fe))return{payable:r,S:j.before.onlyChannels};let[i]=n;return{payable:r,S:(i&&Ki(i,t))??j.before.noOffer}}function Ji(e){let{wallet:t}=j,n=e instanceof Error?e.message:String(e),{code:r,details:i={}}=e instanceof w?e:{};switch(r){case`rejected`:return{title:t.rejectedTitle,why:t.rejected};case`already_open`:return{title:t.alreadyOpenTitle,why:t.alreadyOpen};case`account_changed`:return{title:t.accountChangedTitle,why:t.accountChanged};case`other_network`:return{title:t.otherNetworkTitle,why:N(t.otherNetwork,i)};case`unable`:return{title:t.title,why:t.unable};case`failed`:return{title:t.title,why:N(t.failed,i)};default:return{title:t.title,why:n}}}async function Yi({reading:e,response:t}){let n=e.kind===`facilitator_down`?`not_charged`:e.kind,{title:r,why:i}=j.outcomes[n],a=await Zi(t),o=Qi(e.reason),s=(document.documentElement.lang===`en`?a??o:o??a)??e.reason;return{title:r,why:s===void 0?i:`${i} ${s}`}}var Xi=300;async function Zi(e){if(!e||e.bodyUsed)return;let t=_(await e.text().catch(()=>``)),n=t&&m(t.value)?h(t.value,`message`):void 0;return typeof n==`string`&&n!==``?n.slice(0,Xi):void 0}function Qi(e){let t=j.refusals,n=e?.split(`:`)[0]??``;return Object.hasOwn(t,n)?t[n]:void 0}function $i(e,t){let n=ta(),r=`farthing.payment ${e}`,i=ra(n?.getItem(r));i?.state===`settled`&&ea(i,t)&&(i=void 0);let a={fe:n!==void 0,current:()=>i,find:async()=>i,onTransition:()=>{},reserve(e){if(i)throw Error(j.wallet.inProgress);return i={...e,state:`reserved`,attempt:0},i},async transition(e,{answer:t,...o}){let{state:s}=o;if(!i||!Qt[i.state].includes(s))throw new $t(`A payment that is ${i?.state} cannot be ${s}.`);let c={...i,...o};return s===`released`?n?.removeItem(r):n?.setItem(r,na(c)),i=s===`released`?void 0:c,a.onTransition(c),c}};return a}function ea({signed:e},t){return e!==void 0&&t>=e.validBefore*1e3}function ta(){try{return sessionStorage.setItem(`farthing.test`,``),sessionStorage.removeItem(`farthing.test`),sessionStorage}catch{return}}function na(e){return JSON.stringify({...e,amountUnits:e.amountUnits.toString()})}function ra(e){if(e!=null)try{let t=JSON.parse(e);return{...t,amountUnits:BigInt(t.amountUnits)}}catch{return}}var{progress:q,terms:J,actions:ia,open:aa,paid:Y}=j,oa=[q.signed,q.sent,q.confirmed];function sa(e){let t=e.state===`settled`?3:e.transaction===void 0?1:2,n=oa.map((e,n)=>{let r=n<t?`done`:n===t?`current`:`ahead`;return E(`li`,{class:r},e,E(`span`,{class:`state`},q[r]))});O({title:t===3?q.paid:q.paying,tone:t===3?`good`:`busy`,children:[E(`ol`,{class:`stages`},...n),ua(e)]}),qt(t===3?q.loading:N(q.step,{done:oa[t-1]??``,next:oa[t]??``}))}function ca({network:e,transaction:t}){let n=v(e);return n&&t&&Ni(n,t)}function la({amountUnits:e,payTo:t,wallet:n}){return[[J.amount,Di(e)],[J.paidTo,Ei(t)],[J.from,Ei(n)]]}function ua(e){let t=ca(e);return t&&A(`${J.transaction}: `,t)}var da;function fa({title:e,why:t},n,r){clearTimeout(da);let i=ea(n,Date.now()),a=n.signed?.validBefore??0,o=Mi(a),s=i?aa.expired:N(aa.valid,{end:o}),c={label:ia.again,run:r.again},l={label:ia.findOut,run:r.findOut};if(O({title:e,tone:`warn`,children:[A(t),Jt(la(n)),ua(n),E(`p`,{class:`note`},s),i?void 0:ji(a*1e3),i?k(l,c):k(c)]}),i)return;let u=D(`flow`).firstChild;da=setTimeout(()=>{D(`flow`).firstChild===u&&fa({title:e,why:t},n,r)},a*1e3-Date.now()+1)}function pa(e,t,...n){O({title:e,tone:`bad`,children:[A(t),k(...n)]})}function ma(e,t,n,...r){n.setAttribute(`open`,``);let{notEnough:i}=j.wallets;O({title:i,tone:`bad`,children:[A(e),Ei(t),n,k(...r)]})}function ha({title:e,why:t},n,r,i){O({title:e,tone:n,children:[A(t),ua(r),E(`p`,{class:`note`},Y.noSecondCharge),k(i)]})}function ga({headers:e}){let t=e.get(nt.remaining),n=e.get(tt.remaining);if(t===null&&n===null)return;let r=new Date(e.get(nt.expires)??``).toLocaleString(document.documentElement.lang);return E(`p`,{class:`note`},n===null?N(Y.usesLeft,{uses:t??``,end:r}):N(Y.balanceLeft,{amount:W(BigInt(n))}))}function _a(e,t){document.body.classList.add(`paid`),O({title:Y.content,tone:`good`,children:[ga(e),t]}),qt(Y.earlier)}function va(e,t,n,r){document.body.classList.add(`paid`);let i=t?void 0:E(`p`,{class:`note`},Y.noReceipt);O({title:t?N(Y.title,{price:W(e.amountUnits)}):Y.content,tone:t?`good`:`warn`,children:[i,ga(n),r,E(`details`,{class:`receipt`,open:!0},E(`summary`,{},Y.receipt),Jt([...la(e),[J.network,Oi(Fr(e))],[J.transaction,ca(e)??J.notProvided]]))]}),qt(Y.below)}async function ya(e){let{request:t,kept:n,payer:r,payable:i,signal:a}=e,{offer:o,e:s}=i,{network:c,asset:l,amount:u,payTo:d}=s,f=`pay_${Or(V,16)}`;n.reserve({requestId:f,fingerprint:t.fingerprint,wallet:r.address,network:c.id,asset:l,amountUnits:u,payTo:d,host:location.host,reservedAt:V.now()});try{let{url:e}=t,i={offer:o,e:s,request:t,requestId:f,attempt:0,url:e},c=await Ar(ba(r,a),V,i);return await n.transition(f,{state:`signed`,signed:c})}catch(e){throw await n.transition(f,{state:`released`}),e}}function ba({wallet:e,address:t},n){return{address:t,async signTypedData(r){let i=[t,xa(r)],a=await T(e.provider,`eth_signTypedData_v4`,i,n);if(ne(a,st))return a;throw Error(j.wallet.badSignature)}}}function xa(e){let t={...e,types:{EIP712Domain:[{name:`name`,type:`string`},{name:`version`,type:`string`},{name:`chainId`,type:`uint256`},{name:`verifyingContract`,type:`address`}],...e.types}};return JSON.stringify(t,(e,t)=>typeof t==`bigint`?t.toString():t)}var Sa=()=>{};function Ca(e,t,...n){Sa();let r=E(`div`,{class:`wallets`}),i=()=>r.replaceChildren(...wa(Mt(),a)),a=e=>{Sa(),t(e)};Sa=jt(i),i(),O({title:e,children:[r,...n]})}function wa(e,t){return e?e.length===0?[Ii()]:e.map(e=>E(`button`,{type:`button`,class:`wallet`,click:()=>t(e)},e.icon===``?E(`span`,{class:`icon`,\"aria-hidden\":`true`},e.name.slice(0,1)):E(`img`,{class:`icon`,src:e.icon,alt:``}),E(`span`,{},e.name))):[A(j.wallets.looking)]}function X(e,t,n,r){let i=n?k(void 0,{label:j.actions.cancel,run:n}):void 0;O({title:e,tone:`busy`,children:[A(t),r,i]})}function Ta({w:e}){let t=Math.min(e,kr);return ji(Date.now()+t*1e3)}function Ea(e,t,n,r){let{payTo:i,network:a,w:o}=e,s=W(e.amount),{review:c,terms:l,actions:u}=j,d=ki(Math.min(o,kr));return{title:c.title,children:[A(...M(c.what,{price:s,payee:E(`code`,{},Ti(i)),time:d})),Jt([[l.amount,Di(e.amount)],[l.paidTo,Ei(i)],[l.for,location.host],[l.network,Oi(a)],[l.from,E(`span`,{},`${t.wallet}, `,E(`code`,{},Ti(t.address)))],[l.balance,t.balance]]),...n.map(e=>E(`p`,{class:`note`},e)),k({label:N(u.sign,{price:s}),run:r.sign},{label:u.otherWallet,run:r.other})]}}async function Da(e,t){let[n]=Rt(await T(e.provider,`eth_requestAccounts`,[],t));if(!n)throw Error(j.wallet.noAccount);return{wallet:e,address:n,chainId:zt(await T(e.provider,`eth_chainId`,[],t))}}function Oa({wallet:{provider:e},address:t},n){let r=e=>{let[r]=Rt(e);r&&o(r,t)||(i(),n(new w(`account_changed`,j.wallet.accountChanged)))},i=()=>e.removeListener?.(`accountsChanged`,r);return e.on?.(`accountsChanged`,r),i}var{wallets:ka,actions:Aa}=j;function ja(e){let t=new AbortController,n;return{run(n,r){t.abort();let i=new AbortController;t=i,n(i.signal).catch(t=>{if(i.signal.aborted)return;let{title:n,why:a}=Ji(t),o={label:Aa.otherWallet,run:e};pa(n,a,{label:Aa.tryAgain,run:r},o)})},async join(r,i,a){X(ka.open,N(ka.account,{wallet:r.name}),e);let o=await Da(r,i);return n?.(),n=Oa(o,e=>{t.abort();let{title:n,why:r}=Ji(e);pa(n,r,{label:Aa.continue,run:a})}),o},leave:()=>t.abort(),stopWatching:()=>n?.()}}var{wallets:Z,actions:Q,paid:$}=j,Ma=7e4;function Na(e){let{request:t,kept:n,payable:r}=e;function i(){s.leave(),s.stopWatching();let e=Vi(r[0].e.network);Ca(Z.choose,e=>Pa(c,e),Bi(),e)}function a(){if(!l)return i();s.leave();let e={label:Q.showAgain,run:()=>La(c,l)};ha(Ya,`good`,l,e)}function o(){s.run(e=>Wa(t,a,e),o)}let s=ja(i),c={...e,steps:s,chooseWallet:i},l=n.current();l&&l.state!==`settled`?Ba(c,l,{title:j.open.unfinished,why:j.open.signedBefore}):Zr().length>0?o():a()}function Pa(e,t){let{steps:n,payable:r}=e,i=()=>Pa(e,t);n.run(async a=>{let o=await n.join(t,a,i);await Fa(e,o,Ha(o,r),a)},i)}async function Fa(e,t,n,r){let{notes:i,chooseWallet:a}=e,{wallet:o,address:s}=t,{e:c,offer:l}=n,u=Ki(l,s);if(u!==void 0)throw Error(N(j.before.notPayable,{reason:u}));await Ua(t,n,r,a),X(Z.oneMoment,Z.checkingBalance,a);let d=await Ka(t,c);if(r.throwIfAborted(),d!==void 0&&d<c.amount){let n={label:Q.checkAgain,run:()=>Pa(e,o)},r={label:Q.otherWallet,run:a},i=Vi(c.network);return ma(qa(d,c),t.address,i,n,r)}let f=d===void 0?j.terms.unknown:W(d),p={sign:()=>Ia(e,t,n),other:a};O(Ea(c,{wallet:o.name,address:s,balance:f},i,p))}function Ia(e,t,n){let{request:r,kept:i,steps:a,chooseWallet:o}=e,{wallet:s}=t;a.run(async c=>{let l=N(Z.reviewIn,{wallet:s.name});X(Z.confirm,l,o,Ta(n.e));let u=await ya({request:r,kept:i,payer:t,payable:n,signal:c});a.stopWatching(),La(e,u)},()=>Pa(e,s))}function La(e,t){let{request:n,kept:r}=e;t.signed&&(r.onTransition=sa,sa(t),Ja(n,r,{...t,signed:t.signed}).finally(()=>r.onTransition=()=>{}).then(n=>Ra(e,n,r.current()??t)).catch(n=>Ba(e,t,Ji(n))))}async function Ra(e,t,n){let{response:r,reading:i,state:a,receipt:o}=t;if($r(r),r?.ok===!0&&Xa.has(i.kind))return va(n,i.kind===`settled`?i.receipt??o:void 0,r,await Br(r));if(a!==`settled`)return Ba(e,n,await Yi(t));za(e,n,await Ga(r))}function za(e,t,n){let r={label:Q.requestAgain,run:()=>La(e,t)};ha({title:$.missing,why:n},`warn`,t,r)}function Ba(e,t,n){fa(n,t,{again:()=>La(e,e.kept.current()??t),findOut:()=>Ca(Z.chooseToCheck,n=>Va(e,t,n))})}function Va(e,t,n){let{kept:r,steps:i,chooseWallet:a}=e,o=()=>Va(e,t,n);i.run(async s=>{await Ut(await i.join(n,s,o),Fr(t).chainId,s),X(Z.oneMoment,Z.checkingChain);let c=await Ir(t,r,n.provider);i.stopWatching(),s.throwIfAborted();let l={label:Q.startAgain,run:a};c.state===`settled`?za(e,r.current()??t,$.received):c.state===`unknown`?Ba(e,t,{title:j.open.notFinal,why:j.open.waitForChain}):pa(j.open.neverUsed,j.open.neverUsedWhy,l)},o)}function Ha({chainId:e},t){return t.find(({e:t})=>t.network.chainId===e)??t[0]}async function Ua(e,{e:t},n,r){let{chainId:i}=t.network;if(e.chainId===i)return;let a=Oi(t.network);X(Z.open,N(Z.approveSwitch,{network:a}),r),await Ut(e,i,n)}async function Wa(e,t,n){X(Z.oneMoment,Z.tryingTokens,t);let r=await Wi(e,n);if(n.throwIfAborted(),!r)return t();if(!r.ok)throw Error(await Ga(r));_a(r,await Br(r))}async function Ga(e){let t=e&&N($.status,{status:e.status});return await Zi(e)??t??$.silent}async function Ka({wallet:e,address:t},{network:n}){let r=await jn(Rr(e.provider),Lr,t).catch(()=>{});return r?.network===n?r.usdcUnits:void 0}function qa(e,{amount:t,network:n}){let[r,i]=[W(e),W(t)];return N(Z.lack,{balance:r,price:i,network:Oi(n)})}function Ja(e,t,n){let{signed:r,wallet:i,amountUnits:a}=n,o={payer:i,network:Fr(n),amountUnits:a};return mr({fetch:(e,t)=>fetch(e,t),ledger:t,te:V,ue:Ma},{request:e,record:n,signed:r,expected:o})}var Ya={title:$.before,why:$.beforeWhy},Xa=new Set([`settled`,`lying_receipt`,`served_without_receipt`]),Za=`text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8`,Qa=`0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855`;function $a(){let{origin:e,pathname:t,search:n}=location,r=`${e}${t}${n}`,i=Qa;return{method:`GET`,url:r,headers:new Headers,_:i,fingerprint:r,kept:{method:`GET`,url:r,headers:[],headersLeftOut:[],_:i,bodyBytes:0},signal:void 0,send:(e,{header:t,headers:n=t?[t]:[],redirect:i,signal:a})=>e(r,{headers:{Accept:Za,...Object.fromEntries(n)},cache:`no-store`,...g({redirect:i,signal:a})})}}var eo=15;function to(){let e=Math.round((Date.now()-Number(D(`challenge`).dataset.now))/1e3);if(!(Math.abs(e)>eo))return``;let{clockAhead:t,clockBehind:n}=j.before;return N(e>0?t:n,{seconds:Math.abs(e)})}function no(){let e=document.querySelector(`.seller .icon`);e?.decode().catch(()=>e.remove())}function ro(){for(let e of document.querySelectorAll(`#languages button`))e.hidden=!1,e.addEventListener(`click`,()=>{document.cookie=`farthing-language=${e.lang};path=/`,location.reload()})}function io(){let{cannot:e,https:t,forgetful:n}=j.before;if(location.protocol!==`https:`&&!we(location.hostname))return pa(e,t);no(),ro(),D(`host`).textContent=location.host,D(`copy-command`).textContent=ht([`npx`,`farthing`,`pay`,vt(location.href)]),Zt();let{payable:r,S:i}=qi(D(`challenge`).textContent),[a,...o]=r;if(!a)return pa(e,i??``);D(`program`).removeAttribute(`open`);let s=$a(),c=$i(s.url,Date.now());At();let l=[to(),c.fe?``:n].filter(e=>e!==``);Na({request:s,kept:c,payable:[a,...o],notes:l})}io()})();";

export const scriptHash: string =
  "sha256-YinXl4PuMxm8YZzJb8LEihEKsveyClkpwDLL2Nb5jYk=";

export const style: string =
  ":root{color-scheme:light dark;--ground: light-dark(#f7f5f2, #161412);--surface: light-dark(#fff, #1f1c19);--sunken: light-dark(#f3f0ec, #191614);--line: light-dark(#e4dfd8, #37312b);--line-strong: light-dark(#8d857b, #7d7468);--ink: light-dark(#211d19, #eee9e2);--muted: light-dark(#665e55, #a89f94);--accent: light-dark(#96471f, #e9a177);--fill: light-dark(#96471f, #b65c2f);--good: light-dark(#1d6841, #7cc79c);--busy: light-dark(#2c5784, #93bce6);--warn: light-dark(#7a4f00, #e8bd63);--bad: light-dark(#a12626, #f09a94)}*,:before{box-sizing:border-box;margin:0;padding:0}html{font:15px/1.5 system-ui,-apple-system,Segoe UI,Roboto,Helvetica Neue,Arial,sans-serif;color:var(--ink);background:var(--ground);-webkit-text-size-adjust:none;text-size-adjust:none}body{display:grid;place-items:start center;padding:clamp(12px,9dvh,96px) 12px 24px}main{width:100%;max-width:460px;border:1px solid var(--line);border-radius:14px;background:var(--surface);box-shadow:0 8px 32px light-dark(rgb(60 40 20 / 7%),rgb(0 0 0 / 30%));overflow:hidden}#offer,#flow,#program{padding:20px 24px}#flow{overflow-wrap:anywhere}#flow,#program{border-top:1px solid var(--line)}#program{padding-block:12px;background:var(--sunken)}.seller{color:var(--muted);font-size:14px;overflow-wrap:anywhere}.seller .icon{vertical-align:middle}.seller strong{color:var(--ink)}.seller strong:after{content:\" ·\"}h1{margin-top:2px;font-size:19px;font-weight:620;line-height:1.3;overflow-wrap:anywhere}.price{margin:10px 0 12px;font-size:38px;font-weight:660;font-variant-numeric:tabular-nums;letter-spacing:-.02em;line-height:1.1}.unit{color:var(--muted);font-weight:520}.unit{font-size:17px;letter-spacing:0}.facts{font-size:14px}main:has(#flow .facts) #offer .facts{display:none}.facts>div{display:flex;gap:16px;padding:5px 0}.facts dt{flex:0 0 92px;color:var(--muted)}.facts dd{min-width:0;overflow-wrap:anywhere}code,pre{font-family:ui-monospace,SF Mono,Cascadia Mono,Menlo,Consolas,DejaVu Sans Mono,monospace;font-size:.92em;font-variant-ligatures:none}a,summary{color:var(--accent);text-underline-offset:2px}summary{cursor:pointer;font-size:14px}details:not(.address)[open]>summary{margin-bottom:8px}.address>summary{width:fit-content;color:inherit}.address>summary code,p code:not(.whole){white-space:nowrap}.address>code{font-size:12px}.qr{display:block;width:200px;border-radius:8px;background:#fff;fill:#000}.guide>*+*{margin-top:8px;font-size:14px}.copied>details{min-width:0;overflow-wrap:anywhere}.copied{display:flex;gap:8px;align-items:start}.copy{flex:none;min-height:24px;padding:0 8px;border-color:var(--line);border-radius:6px;color:var(--muted);font-size:12px;letter-spacing:0;white-space:nowrap}.price .copy{margin-left:8px;vertical-align:3px}#program .copy,.qr{margin-top:8px}:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}h2:focus-visible{outline:none}#flow{display:flex;flex-direction:column;gap:14px}.title{display:flex;gap:9px;align-items:center}h2{font-size:16px;font-weight:620}.mark:empty{display:none}#flow:not([data-tone=plain]) .mark{display:block;flex:none;width:18px;height:18px;border:2px solid currentcolor;border-radius:50%;font-size:12px;font-weight:700;line-height:14px;text-align:center}#flow[data-tone=busy] .mark{border-right-color:transparent;color:var(--busy);animation:turn 1s linear infinite}#flow[data-tone=good] .mark{color:var(--good)}#flow[data-tone=good] .mark:before{content:\"✓\"}#flow[data-tone=warn] .mark{color:var(--warn)}#flow[data-tone=bad] .mark{color:var(--bad)}#flow:is([data-tone=warn],[data-tone=bad]) .mark:before{content:\"!\"}@keyframes turn{to{transform:rotate(1turn)}}.wallets,.actions{display:flex;flex-direction:column;gap:8px}button{min-height:44px;padding:8px 14px;border:1px solid var(--line-strong);border-radius:9px;color:inherit;background:var(--surface);font:inherit;font-weight:560;cursor:pointer}button:hover{background:var(--sunken)}.actions button:not(.primary){min-height:38px;border-color:transparent;color:var(--muted)}button.primary{border-color:var(--fill);color:#fff;background:var(--fill)}button.primary:hover{filter:brightness(1.1)}.wallet{display:flex;gap:12px;align-items:center;text-align:left;overflow-wrap:anywhere}.icon{flex:none;width:26px;height:26px;border-radius:7px;color:var(--accent);background:var(--sunken);line-height:26px;text-align:center}.note{padding:10px 12px;border-radius:8px;background:var(--sunken);font-size:14px}.note>*+*{margin-top:8px}.stages{list-style:none}.stages li{display:flex;gap:10px;align-items:center;padding:6px 0;color:var(--muted)}.stages li:before{content:\"\";flex:none;width:20px;border:1px solid currentcolor;border-radius:50%;font-size:11px;line-height:18px;text-align:center;aspect-ratio:1}.stages .done:before{content:\"✓\" / \"\";color:var(--good)}.stages .current:before{border-width:5px;color:var(--busy)}.stages .done,.stages .current{color:var(--ink)}.state{margin-left:auto;font-size:13px}.done .state{color:var(--good)}.current .state{color:var(--busy)}pre{padding:10px 12px;border-radius:8px;background:var(--sunken);overflow:auto}#program pre{background:var(--surface);white-space:pre-wrap;overflow-wrap:anywhere}#program p{margin-bottom:8px;font-size:14px}.paid main{max-width:860px}.paid .price,.paid #offer .facts,.paid h1.plain,.paid #program{display:none}.content{display:flex;flex-direction:column;gap:10px}.content pre{max-height:70dvh}.content img{max-width:100%;border-radius:8px}iframe{width:100%;height:70dvh;border:1px solid var(--line);border-radius:8px;background:#fff}#live{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}@media(width<420px){#offer,#flow,#program{padding-inline:16px}.price{font-size:32px}}@media(prefers-reduced-motion:reduce){.mark{animation:none!important}}#languages{padding:12px;text-align:center}";

export const styleHash: string =
  "sha256-jvUcMA0q894UVbC7elAtwBQ9iZZkSf+WSzQCfIcb8Qo=";

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
    "decimal": ".",
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
      "timeLeft": "{seconds} s left",
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
    "decimal": ",",
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
      "timeLeft": "Quedan {seconds} s",
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
