import { describe, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TunnelProgram } from '../../shared/tunnel.ts';
import { ConfigurationError } from '../io.ts';
import { announcedIn, argumentsOf, findTunnelProgram } from './programs.ts';
import { readPublicOrigin } from './public-origin.ts';

/** Every address that the lines of this output announce. */
const announced = (program: TunnelProgram, output: string): string[] =>
  output.split('\n').flatMap(line => announcedIn(program, line) ?? []);

const cloudflared = `2026-11-28T10:00:00Z INF Thank you for trying Cloudflare Tunnel. Doing so, without a Cloudflare account, is a quick way to experiment (https://www.cloudflare.com/website-terms/), … by following: https://developers.cloudflare.com/cloudflare-one/connections/connect-apps
2026-11-28T10:00:00Z INF Requesting new quick Tunnel on trycloudflare.com...
2026-11-28T10:00:03Z INF +--------------------------------------------------------------------------------------------+
2026-11-28T10:00:03Z INF |  Your quick Tunnel has been created! Visit it at (it may take some time to be reachable):  |
2026-11-28T10:00:03Z INF |  https://calm-river-at-noon.trycloudflare.com                                              |
2026-11-28T10:00:03Z INF +--------------------------------------------------------------------------------------------+
2026-11-28T10:00:03Z INF Settings: map[ha-connections:1 no-autoupdate:true protocol:quic url:http://127.0.0.1:40123]
2026-11-28T10:00:04Z INF Registered tunnel connection connIndex=0 connection=a9e0 event=0 ip=198.51.100.7 location=ams01 protocol=quic`;

const ngrok = `{"lvl":"info","msg":"no configuration paths supplied","t":"2026-11-28T10:00:00Z"}
{"addr":"127.0.0.1:4040","allow_hosts":null,"lvl":"info","msg":"starting web service","obj":"web","t":"2026-11-28T10:00:00Z"}
{"lvl":"info","msg":"client session established","obj":"tunnels.session","t":"2026-11-28T10:00:01Z"}
{"addr":"http://127.0.0.1:40123","lvl":"info","msg":"started tunnel","name":"command_line","obj":"tunnels","t":"2026-11-28T10:00:01Z","url":"https://ab12-203-0-113-7.ngrok-free.app"}
{"err":"see https://ngrok.com/docs/errors/err_ngrok_108","lvl":"eror","msg":"session closed","url":"https://ngrok.com/docs"}`;

const tailscale = `Available on the internet:

https://studio.tail9f3a.ts.net/
|-- proxy http://127.0.0.1:40123

Press Ctrl+C to exit.`;

describe('the address that a program announces', () => {
  test.each([
    ['cloudflared', cloudflared, 'https://calm-river-at-noon.trycloudflare.com'],
    ['ngrok', ngrok, 'https://ab12-203-0-113-7.ngrok-free.app'],
    [
      'ngrok',
      't=2026-11-28T10:00:01+0000 lvl=info msg="started tunnel" obj=tunnels name=command_line addr=http://127.0.0.1:40123 url=https://ab12.ngrok.app',
      'https://ab12.ngrok.app',
    ],
    ['tailscale', tailscale, 'https://studio.tail9f3a.ts.net/'],
    ['tailscale', 'Available on the internet: https://studio.example.com:8443/', 'https://studio.example.com:8443/'],
  ] as const)('%s', (program, output, address) => {
    expect(announced(program, output)).toEqual([address]);
  });

  test.each([
    [
      'cloudflared',
      'ERR failed to request quick Tunnel: Post "https://api.trycloudflare.com/tunnel": dial tcp: timeout',
    ],
    ['cloudflared', 'ERR could not reach https://api.trycloudflare.com now'],
    ['ngrok', '{"lvl":"eror","msg":"failed to auth session","err":"https://dashboard.ngrok.com/get-started"}'],
    ['ngrok', 'null'],
    ['ngrok', '{"msg":"started tunnel","url":7}'],
    ['tailscale', 'To enable, visit:\n\n         https://login.tailscale.com/f/funnel?node=abc123'],
    ['tailscale', '|-- proxy http://127.0.0.1:40123'],
  ] as const)('%s: there is none in %j', (program, output) => {
    expect(announced(program, output)).toEqual([]);
  });

  test.each(['http://quick.example.com', 'https://user:secret@quick.example.com', 'ftp://quick.example.com'])(
    'another address in the box of cloudflared is read as well, so that it is refused: %s',
    address => {
      expect(announced('cloudflared', `INF |  ${address}  |`)).toEqual([address]);
      expect(readPublicOrigin(address)).toBeUndefined();
    },
  );
});

describe('a public origin', () => {
  test.each([
    ['https://calm-river.trycloudflare.com', 'https://calm-river.trycloudflare.com'],
    ['https://Studio.Tail9f3a.TS.net/', 'https://studio.tail9f3a.ts.net'],
    ['https://studio.tail9f3a.ts.net:8443/', 'https://studio.tail9f3a.ts.net:8443'],
  ])('%s is one', (text, origin) => {
    expect(readPublicOrigin(text)).toBe(origin);
  });

  test.each([
    'http://calm-river.trycloudflare.com',
    'https://user@calm-river.trycloudflare.com',
    'https://user:secret@calm-river.trycloudflare.com',
    'https://calm-river.trycloudflare.com/path',
    'https://calm-river.trycloudflare.com/?a=1',
    'https://calm-river.trycloudflare.com/#a',
    'https://203.0.113.7',
    'https://0x7f.1',
    'https://[2001:db8::1]',
    'https://localhost',
    'https://a.localhost',
    'https://intranet',
    'https://',
    'wss://calm-river.trycloudflare.com',
    'no address',
    '',
  ])('%j is none', text => {
    expect(readPublicOrigin(text)).toBeUndefined();
  });
});

test('a public origin has a limited length', () => {
  expect(readPublicOrigin(`https://${'a.'.repeat(150)}com`)).toBeUndefined();
});

describe('finding the program', () => {
  const withPrograms = <T>(names: readonly string[], look: (PATH: string) => T): T => {
    const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
    try {
      for (const name of names) {
        writeFileSync(join(directory, name), '#!/bin/sh\n');
        chmodSync(join(directory, name), 0o755);
      }
      return look(directory);
    } finally {
      rmSync(directory, { recursive: true });
    }
  };

  test('auto takes the first of the three that is installed', () => {
    const found = (names: readonly string[]) => withPrograms(names, PATH => findTunnelProgram('auto', { PATH }).name);
    expect(found(['tailscale', 'ngrok', 'cloudflared'])).toBe('cloudflared');
    expect(found(['tailscale', 'ngrok'])).toBe('ngrok');
    expect(found(['tailscale'])).toBe('tailscale');
  });

  test.each(['cloudflared', 'ngrok', 'tailscale', 'auto'] as const)(
    '%s: the error has the line that installs it',
    name => {
      const installed = name === 'auto' ? [] : ['cloudflared', 'ngrok', 'tailscale'].filter(one => one !== name);
      withPrograms(installed, PATH => {
        expect(() => findTunnelProgram(name, { PATH })).toThrow(ConfigurationError);
        expect(() => findTunnelProgram(name, { PATH })).toThrow(/(curl -\S+ |brew install |winget install )/);
      });
      expect(() => findTunnelProgram(name, {})).toThrow('installed');
    },
  );

  test('each gets the URL of the listener', () => {
    for (const name of ['cloudflared', 'ngrok', 'tailscale'] as const)
      expect(argumentsOf(name, 'http://127.0.0.1:40123')).toContain('http://127.0.0.1:40123');
  });
});
