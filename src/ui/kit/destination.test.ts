import { expect, test } from 'bun:test';
import { isLoopbackUrl } from './destination.ts';

test.each([
  ['http://localhost:3000/x', true],
  ['https://shop.localhost', true],
  ['http://127.0.0.1', true],
  ['http://127.1:80', true],
  ['http://[::1]:9/', true],
  ['http://0.0.0.0', true],
  ['http://127.0.0.1.evil.example', false],
  ['http://127.evil.example', false],
  ['http://localhost.example', false],
  ['http://10.0.0.1', false],
  ['not a URL', false],
  ['', false],
])('%s leads to this machine: %p', (url, isLoopback) => expect(isLoopbackUrl(url)).toBe(isLoopback));
