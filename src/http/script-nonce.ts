/*
 * Pages whose scripts carry a nonce of their own response. `script-src 'self'` would also permit the configured answers to
 * deliveries: a rule can give them any type, and they may have the same origin. A module passes its nonce on to the modules that
 * it imports; for the links with which Bun's bundles preload those, the page has a `<meta property="csp-nonce">`.
 */
import { randomBytes } from 'node:crypto';

const nonceBytes = 16;

/** @returns the page, and the value of `script-src` that permits its scripts */
export function withScriptNonce(html: string): { html: string; scriptSource: string } {
  const nonce = randomBytes(nonceBytes).toString('base64url');
  return {
    html: html.replace(
      /<(?:script|link rel="modulepreload"|meta property="csp-nonce")(?=[\s/>])/g,
      tag => `${tag} nonce="${nonce}"`,
    ),
    scriptSource: `'nonce-${nonce}'`,
  };
}
