import { expect, test } from 'bun:test';
import { readDestination } from './destination.ts';

test.each(['http://example.com', 'HTTPS://example.com:8443/a?b#c', 'http://[::1]:80/', 'http://exämple.com/ü'])(
  '%s is a destination, as given',
  url => expect(readDestination(url)).toBe(url),
);

test.each([
  '',
  'http:',
  'http://',
  'http:a',
  'http:///a',
  'http:/\\a',
  'https://a\\@b',
  'ws://a',
  'http://a\tb',
  'http://a:x',
])('%j is none', url => expect(() => readDestination(url)).toThrow(/^must be/));
