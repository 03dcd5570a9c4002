import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { createFront } from '../front.ts';
import { selfSigned } from '../testing/certificate.ts';
import { hooktape } from '../testing/command.ts';
import { eventually } from '../testing/poll.ts';
import { openWire } from '../testing/raw-http.ts';
import { thrownBy } from '../testing/thrown-by.ts';
import { checkCertificate, readCertificate, watchCertificate } from './certificate.ts';

const directory = mkdtempSync(join(tmpdir(), 'hooktape-tls-'));
afterAll(() => rmSync(directory, { recursive: true }));
const files = { certFile: join(directory, 'cert.pem'), keyFile: join(directory, 'key.pem') };

const put = ({ cert, key }: { cert: string; key: string }) => {
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, key);
};

/** The name in the certificate that a new connection is shown. */
const shownName = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on('error', reject);
  });

const one = selfSigned('one');
const two = selfSigned('two');

describe('the certificate files', () => {
  test('are reported with the setting and the problem', () => {
    writeFileSync(files.keyFile, two.key);
    expect(() => readCertificate(files)).toThrow(/^HOOKTAPE_TLS_CERT: .*cert\.pem/);
    put({ cert: one.cert, key: two.key });
    expect(() => readCertificate(files)).toThrow(/^HOOKTAPE_TLS_KEY: .*is not the key/);
    put({ cert: one.cert, key: 'nonsense' });
    expect(() => readCertificate(files)).toThrow(/^HOOKTAPE_TLS_KEY: .*key\.pem/);
    put({ cert: 'nonsense', key: one.key });
    expect(() => readCertificate(files)).toThrow(/^HOOKTAPE_TLS_CERT: .*cert\.pem/);
  });

  test('are both checked, each on its own', () => {
    const missing = { certFile: join(directory, 'no.pem'), keyFile: join(directory, 'no.key') };
    const looked = checkCertificate(missing);
    expect(looked.certificate).toBeUndefined();
    expect(looked.problems).toEqual([
      `HOOKTAPE_TLS_CERT: the file "${missing.certFile}" cannot be read (ENOENT)`,
      `HOOKTAPE_TLS_KEY: the file "${missing.keyFile}" cannot be read (ENOENT)`,
    ]);
    expect(checkCertificate({ keyFile: missing.keyFile }).problems).toHaveLength(1);
    expect(checkCertificate({})).toEqual({ problems: [] });
    put({ cert: 'nonsense', key: 'nonsense' });
    expect(checkCertificate(files).problems).toEqual([
      expect.stringMatching(/^HOOKTAPE_TLS_CERT: ".*cert\.pem" has no usable certificate in PEM format: /),
      expect.stringMatching(/^HOOKTAPE_TLS_KEY: ".*key\.pem" has no usable private key in PEM format: /),
    ]);
    put({ cert: `${one.cert}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`, key: one.key });
    expect(checkCertificate(files).problems).toEqual([expect.stringContaining('has no usable certificate')]);
    const chain = { cert: `${one.key}${one.cert}${two.cert}`, key: one.key };
    put(chain);
    expect(checkCertificate(files)).toEqual({ certificate: chain, problems: [] });
    put(one);
    expect(checkCertificate(files)).toEqual({ certificate: one, problems: [] });
  });

  test.each([
    [
      'both',
      { HOOKTAPE_TLS_CERT: '/no/cert.pem', HOOKTAPE_TLS_KEY: '/no/key.pem' },
      ['"/no/cert.pem"', '"/no/key.pem"'],
    ],
    [
      'the certificate alone',
      { HOOKTAPE_TLS_CERT: '/no/cert.pem' },
      ['"/no/cert.pem"', 'HOOKTAPE_TLS_CERT: also needs'],
    ],
    ['the key alone', { HOOKTAPE_TLS_KEY: '/no/key.pem' }, ['"/no/key.pem"', 'HOOKTAPE_TLS_KEY: also needs']],
  ])('are listed with the problems of all other settings: %s', async (_what, tls, said) => {
    const dataDir = join(directory, 'never-made');
    const wrong = { HOOKTAPE_DATA_DIR: dataDir, HOOKTAPE_MAX_BODY: 'much', HOOKTAPE_PROT: '1', ...tls };
    const { exitCode, stdout, stderr } = await hooktape(wrong, 'serve');
    expect([exitCode, stdout]).toEqual([78, '']);
    for (const words of [...said, 'HOOKTAPE_MAX_BODY', 'HOOKTAPE_PROT']) expect(stderr).toContain(words);
    expect(existsSync(dataDir)).toBe(false);
  });

  test('exit with 78 when invalid, before anything is opened', async () => {
    put({ cert: one.cert, key: two.key });
    const dataDir = join(directory, 'never-made');
    const ended = await hooktape(
      { HOOKTAPE_DATA_DIR: dataDir, HOOKTAPE_TLS_CERT: files.certFile, HOOKTAPE_TLS_KEY: files.keyFile },
      'serve',
    );
    expect(ended.exitCode).toBe(78);
    expect(ended.stderr).toContain('is not the key');
    expect(await Bun.file(join(dataDir, 'secret')).exists()).toBeFalse();
  });

  test('are reported when both are new; a lasting mismatch is reported once', async () => {
    put(one);
    const told: string[] = [];
    const problems: string[] = [];
    const stop = watchCertificate(files, one, {
      everyMs: 2,
      onChanged: ({ cert }) => void told.push(cert),
      onProblem: error => void problems.push(error.message),
    });
    try {
      writeFileSync(files.certFile, two.cert);
      await eventually(() => problems.length > 0);
      await Bun.sleep(20);
      expect(problems).toEqual([expect.stringContaining('is not the key')]);
      expect(told).toEqual([]);
      writeFileSync(files.keyFile, two.key);
      await eventually(() => told.length > 0);
      expect(told).toEqual([two.cert]);
    } finally {
      stop();
    }
  });

  test('are tried again when the callback fails, and a lasting failure is reported', async () => {
    put(one);
    let tries = 0;
    const problems: string[] = [];
    const stop = watchCertificate(files, two, {
      everyMs: 2,
      onChanged: () => {
        tries++;
        throw new Error('no use');
      },
      onProblem: error => void problems.push(error.message),
    });
    await eventually(() => tries > 5);
    stop();
    expect(problems).toEqual(['no use']);
  });
});

const httpsFront = {
  ingest: { handleRequest: async (_req: IncomingMessage, res: ServerResponse) => void res.end() },
  fetch: () => new Response('app'),
  clientAddress: () => '127.0.0.1',
  onError: (error: unknown) => {
    throw error;
  },
};

describe('the front under https', () => {
  test('uses a renewed certificate for new connections and finishes the open ones', async () => {
    const held = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const front = createFront({
      ...httpsFront,
      ingest: {
        handleRequest: async (_req, res) => {
          arrived.resolve();
          await held.promise;
          res.end('captured');
        },
      },
      certificate: one,
    });
    const port = await front.listen(0, '127.0.0.1');
    const ask = (path: string) =>
      fetch(`https://localhost:${port}${path}`, { tls: { ca: [one.cert, two.cert] }, keepalive: false } as RequestInit);
    try {
      expect(await shownName(port)).toBe('one');
      const running = ask('/in/slow');
      await arrived.promise;
      front.setCertificate(two);
      expect(await shownName(port)).toBe('two');
      expect(await (await ask('/')).text()).toBe('app');
      held.resolve();
      expect(await (await running).text()).toBe('captured');
    } finally {
      await front.close(1000);
    }
    expect(await thrownBy(shownName(port))).toThrow();
  });

  test('keeps the old certificate when the new one is invalid', async () => {
    const front = createFront({ ...httpsFront, certificate: one });
    const port = await front.listen(0, '127.0.0.1');
    expect(() => front.setCertificate({ cert: one.cert, key: two.key })).toThrow();
    expect(await shownName(port)).toBe('one');
    await front.close(1000);
  });

  test('closes connections without a finished TLS handshake when it closes', async () => {
    const front = createFront({ ...httpsFront, certificate: one });
    const port = await front.listen(0, '127.0.0.1');
    const wire = await openWire(`http://127.0.0.1:${port}`);
    // Accepted after it.
    await shownName(port);
    await front.close(1000);
    await wire.closed;
  });
});
