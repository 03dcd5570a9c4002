import { beforeAll, describe, expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Asset, type Assets, loadAssets } from './assets.ts';

let assets: Assets;
let page: Asset;
let linked: string[];

beforeAll(async () => {
  assets = await loadAssets();
  const answer = assets('/');
  if (!answer) throw new Error('no page');
  page = answer;
  linked = [...new TextDecoder().decode(page.body).matchAll(/(?:src|href)="([^"]+)"/g)].map(match => match[1] ?? '');
});

const asset = (path: string, acceptEncoding?: string): Asset => {
  const found = assets(path, { ...(acceptEncoding !== undefined && { acceptEncoding }) });
  if (!found) throw new Error(`nothing at ${path}`);
  return found;
};

const withoutNonce = (found?: Asset): string => new TextDecoder().decode(found?.body).replaceAll(/nonce="[\w-]+"/g, '');

describe('the page', () => {
  test('is served at every path of the dashboard and nowhere else', () => {
    for (const path of ['/', '/app', '/app/endpoints/ep_1/events/evt_2', '/setup', '/login']) {
      expect(withoutNonce(assets(path))).toBe(withoutNonce(page));
    }
    for (const path of ['/apple', '/setup/x', '/api/me', '/in/token', '/../main.ts', '/index.html', '//']) {
      expect(assets(path)).toBeUndefined();
    }
  });

  test('has no inline script or style, and only files of its own origin', () => {
    const html = new TextDecoder().decode(page.body);
    expect(html).not.toMatch(/<style|\son\w+=|\sstyle=|<script(?![^>]*\ssrc=)/i);
    expect(linked.length).toBeGreaterThanOrEqual(3);
    for (const path of linked) expect(path).toMatch(/^\/[\w.-]+$/);
  });

  test('permits only scripts with the nonce of its response, which is never the same', () => {
    const nonces = ['/', '/', '/app'].map(path => {
      const { headers, body } = asset(path, 'gzip');
      const policy = headers['content-security-policy'] ?? '';
      const [, nonce = ''] = /script-src 'nonce-([\w-]{22})'; style-src/.exec(policy) ?? [];
      const html = gunzipSync(body).toString();
      const tags = html.match(/<(?:script|link rel="modulepreload"|meta property)[^>]*>/g) ?? [];
      expect(tags.length).toBeGreaterThanOrEqual(2);
      for (const tag of tags) expect(tag).toContain(` nonce="${nonce}"`);
      return nonce;
    });
    expect(new Set(nonces).size).toBe(3);
  });

  test('is never cached; its files are immutable', () => {
    for (const path of ['/', '/login', '/setup', '/app/join', '/app/settings/account'])
      expect(asset(path).headers['cache-control']).toBe('no-store');
    for (const path of linked) expect(asset(path).headers['cache-control']).toContain('immutable');
  });
});

test('every file has the security headers and the right content type', () => {
  for (const path of ['/', ...linked]) {
    const { headers, status } = asset(path);
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src '(?:none|nonce-[\w-]+)'; style-src 'self'/,
    );
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
  }
});

test('pages that are loaded on demand are files of their own, which the page does not wait for', () => {
  const script = linked.find(path => path.endsWith('.js')) ?? '';
  const onDemand = [...new TextDecoder().decode(asset(script).body).matchAll(/import\("(\/[\w.-]+\.js)"\)/g)];
  expect(onDemand.length).toBeGreaterThanOrEqual(2);
  for (const [, path = ''] of onDemand) {
    expect(linked).not.toContain(path);
    expect(asset(path).headers['cache-control']).toContain('immutable');
  }
});

describe('encodings', () => {
  test('decode to the same bytes; brotli is preferred to gzip, and none is used when refused', () => {
    const script = linked.find(path => path.endsWith('.js')) ?? '';
    const plain = asset(script);
    const gzip = asset(script, 'gzip, deflate');
    const brotli = asset(script, 'gzip, deflate, br, zstd');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect([gzip.headers['content-encoding'], brotli.headers['content-encoding']]).toEqual(['gzip', 'br']);
    expect(new Uint8Array(gunzipSync(gzip.body))).toEqual(plain.body);
    expect(new Uint8Array(brotliDecompressSync(brotli.body))).toEqual(plain.body);
    expect(asset(script, 'gzip;q=0, identity').headers['content-encoding']).toBeUndefined();
  });

  test('what the first page needs is under 150 KB on the wire', () => {
    const total = ['/', ...linked].reduce((sum, path) => sum + asset(path, 'gzip').body.length, 0);
    expect(total).toBeLessThan(150_000);
    expect(total).toBeGreaterThan(20_000);
  });
});
