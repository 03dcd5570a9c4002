import { expect, test } from 'bun:test';
import { hostOf, isLoopbackHost } from './hosts.ts';

test.each([
  ['LOCALHOST:4665', 'localhost'],
  ['hooks.example.com.', 'hooks.example.com'],
  ['192.168.1.9:80', '192.168.1.9'],
  ['[::1]:4665', '::1'],
  ['a', 'a'],
  ['', undefined],
  ['a, b', undefined],
  ['a b', undefined],
  ['evil.test/@x', undefined],
  ['user@host', undefined],
  ['127.1', undefined],
  ['0x7f.0.0.1', undefined],
  ['[::1', undefined],
  ['::1', undefined],
  ['host:port', undefined],
  ['host:123456', undefined],
])('the host of %j', (header, host) => {
  expect(hostOf(header)).toBe(host);
});

test.each([
  ['localhost', true],
  ['app.localhost', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['localhost.evil.example', false],
  ['notlocalhost', false],
  ['10.0.0.1', false],
])('%s is loopback: %p', (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected);
});
