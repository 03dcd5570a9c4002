import { expect, test } from 'bun:test';
import { thrownBy } from '../../testing/thrown-by.ts';
import { UsageError } from '../io.ts';
import { checkTarget } from './target.ts';

const resolvesTo =
  (...addresses: string[]) =>
  async () =>
    addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));

test.each([
  ['http://127.0.0.1:3000/x', []],
  ['http://127.9.9.9/', []],
  ['http://[::1]:3000/', []],
  ['http://0.0.0.0:3000/', []],
  ['http://10.1.2.3/', []],
  ['http://172.31.0.1/', []],
  ['http://192.168.1.1/', []],
  ['http://[fd12::1]/', []],
  ['http://localhost:3000/', ['::1', '127.0.0.1']],
  ['http://web:8080/', ['172.18.0.3']],
  ['http://printer.local/', ['203.0.113.9']],
  ['https://app.test/', ['203.0.113.9']],
])('%s is allowed', async (url, addresses) => {
  expect(
    (await checkTarget(url, { option: '--to', isRemoteAllowed: false }, resolvesTo(...addresses))).map(
      ({ address }) => address,
    ),
  ).toEqual(addresses.length > 0 ? addresses : [expect.any(String)]);
});

test.each([
  ['http://example.com/', ['93.184.215.14']],
  ['http://8.8.8.8/', []],
  ['http://134744072/', []],
  ['http://172.32.0.1/', []],
  ['http://[2606:4700::1]/', []],
  ['http://[::ffff:8.8.8.8]/', []],
  ['http://169.254.169.254/latest', []],
  ['http://[fd00:ec2::254]/', []],
  ['http://both.example.com/', ['10.0.0.1', '93.184.215.14']],
  ['http://app.test.example.com/', ['93.184.215.14']],
  ['http://notlocal/', ['93.184.215.14']],
])('%s needs --allow-remote', async (url, addresses) => {
  expect(
    await thrownBy(checkTarget(url, { option: '--to', isRemoteAllowed: false }, resolvesTo(...addresses))),
  ).toThrow('--allow-remote');
  await checkTarget(url, { option: '--to', isRemoteAllowed: true }, resolvesTo(...addresses));
});

test.each(['', 'ftp://127.0.0.1/', 'http:127.0.0.1', 'localhost:3000', 'http://user:pass@127.0.0.1/'])(
  '%j is wrong usage',
  async url => {
    expect(await thrownBy(checkTarget(url, { option: '--to', isRemoteAllowed: true }, resolvesTo()))).toThrow(
      UsageError,
    );
  },
);

test('a name under localhost is this machine, even when nothing resolves it', async () => {
  const fails = async () => {
    throw new Error('ENOTFOUND');
  };
  expect(await checkTarget('http://app.localhost:3000/', { option: '--to', isRemoteAllowed: false }, fails)).toEqual([
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]);
  // It may resolve to anything a moment later.
  expect(
    await thrownBy(checkTarget('http://nowhere.example.com/', { option: '--to', isRemoteAllowed: false }, fails)),
  ).toThrow('--allow-remote');
  for (const url of ['http://nowhere.example.com/', 'http://app.test/'])
    expect(await checkTarget(url, { option: '--to', isRemoteAllowed: url.includes('example') }, fails)).toEqual([]);
});
