import { describe, expect, test } from 'bun:test';
import { collectLog } from '../../testing/test-server.ts';
import type { RunProgram } from './run-program.ts';
import { createTunnel } from './tunnel.ts';

type Run = {
  command: readonly string[];
  env: object;
  say: (line: string) => void;
  end: (reason: string) => void;
  isStopped: boolean;
};

/** A tunnel whose program and clock the test moves by hand. */
function open(remembered?: string) {
  const runs: Run[] = [];
  const timers = new Set<{ ms: number; act: () => void }>();
  const saved: string[] = [];
  let now = 0;
  const run: RunProgram = ({ command, env, onLine }) => {
    const ended = Promise.withResolvers<string>();
    const own: Run = { command, env, say: onLine, end: ended.resolve, isStopped: false };
    runs.push(own);
    return {
      ended: ended.promise,
      stop: async () => {
        own.isStopped = true;
        ended.resolve('was ended by signal 15');
      },
    };
  };
  const { log, lines } = collectLog();
  const tunnel = createTunnel({
    command: { name: 'ngrok', path: '/bin/ngrok' },
    env: { PATH: '/bin', HOOKTAPE_SECRET: 'a secret', NGROK_AUTHTOKEN: 'its own' },
    memory: { read: () => remembered, write: origin => void saved.push(origin) },
    log,
    monotonic: () => now,
    run,
    after: (ms, act) => {
      const timer = { ms, act };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  });
  let origins = 0;
  tunnel.onOrigin(() => void origins++);
  tunnel.start('http://127.0.0.1:40123');
  const last = (): Run => runs.at(-1) as Run;
  return {
    tunnel,
    runs,
    last,
    saved,
    lines,
    origins: () => origins,
    waits: () => [...timers].map(({ ms }) => ms),
    pass: (ms: number) => {
      now += ms;
    },
    /** Lets the only timer end. */
    fire: () => {
      const [timer] = timers;
      if (timer) timers.delete(timer);
      timer?.act();
    },
    announce: (url: string) => last().say(JSON.stringify({ msg: 'started tunnel', url })),
    end: async (reason = 'ended with exit code 1') => {
      last().end(reason);
      await Bun.sleep(0);
    },
  };
}

describe('a tunnel', () => {
  test('runs the program without the settings of the server, and knows the origin that it announces', async () => {
    const { tunnel, last, announce, origins, saved, lines, waits } = open();
    expect([tunnel.origin(), tunnel.status().state]).toEqual([undefined, 'starting']);
    expect(last().command).toEqual([
      '/bin/ngrok',
      'http',
      'http://127.0.0.1:40123',
      '--log',
      'stdout',
      '--log-format',
      'json',
    ]);
    expect(last().env).toEqual({ PATH: '/bin', NGROK_AUTHTOKEN: 'its own' });
    announce('https://a.ngrok.app');
    expect(tunnel.status()).toEqual({
      program: 'ngrok',
      state: 'up',
      origin: 'https://a.ngrok.app',
      previousOrigin: null,
      message: null,
    });
    expect([origins(), saved, waits()]).toEqual([1, ['https://a.ngrok.app'], []]);
    expect(lines.at(-1)).toMatchObject({ level: 'info', message: 'the tunnel is up' });
    await tunnel.settled(1000);
  });

  test('starts the program again after 1, 2, 4 … 60 s, and keeps the last origin meanwhile', async () => {
    const { tunnel, announce, end, waits, fire, lines, last } = open();
    announce('https://a.ngrok.app');
    const waited: number[] = [];
    for (let n = 0; n < 8; n++) {
      last().say('ERR_NGROK_108');
      await end();
      expect(tunnel.status()).toMatchObject({ state: 'down', origin: 'https://a.ngrok.app' });
      waited.push(...waits());
      fire();
    }
    expect(waited).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    expect(tunnel.status().message).toContain('ngrok ended with exit code 1');
    expect(lines.find(({ level }) => level === 'error')?.fields['output']).toContain('ERR_NGROK_108');
  });

  test('the wait is short again after the program has run for a minute', async () => {
    const { announce, end, waits, fire, pass } = open();
    await end();
    fire();
    announce('https://a.ngrok.app');
    await end();
    expect(waits()).toEqual([2000]);
    fire();
    announce('https://a.ngrok.app');
    pass(60_000);
    await end();
    expect(waits()).toEqual([1000]);
  });

  test('another origin is announced in the log and the state; the same one is not', async () => {
    const { tunnel, announce, end, fire, lines, origins, saved } = open();
    announce('https://a.ngrok.app');
    await end();
    fire();
    announce('https://a.ngrok.app/');
    expect(tunnel.status()).toMatchObject({ state: 'up', previousOrigin: null, message: null });
    expect([origins(), saved.length]).toEqual([1, 1]);
    announce('https://b.ngrok.app');
    expect(tunnel.status()).toMatchObject({
      state: 'up',
      origin: 'https://b.ngrok.app',
      previousOrigin: 'https://a.ngrok.app',
      message: 'the tunnel has a new address: register the new URLs with the platforms',
    });
    expect(lines.at(-1)).toMatchObject({ level: 'warn', fields: { previousOrigin: 'https://a.ngrok.app' } });
    expect([origins(), saved]).toEqual([2, ['https://a.ngrok.app', 'https://b.ngrok.app']]);
  });

  test('an origin that differs from the one before a restart of the server is a change', () => {
    const changed = open('https://before.ngrok.app');
    changed.announce('https://a.ngrok.app');
    expect(changed.tunnel.status()).toMatchObject({ previousOrigin: 'https://before.ngrok.app' });
    const same = open('https://a.ngrok.app');
    same.announce('https://a.ngrok.app');
    expect([same.tunnel.status().previousOrigin, same.saved]).toEqual([null, []]);
  });

  test.each([
    'http://a.ngrok.app',
    'https://u:p@a.ngrok.app',
    'https://a.ngrok.app/x',
    'https://203.0.113.7',
    'nonsense',
  ])('the address %s is refused: the program is stopped and started again', async address => {
    const { tunnel, announce, last, waits, runs, fire } = open();
    announce(address);
    announce('https://too-late.ngrok.app');
    expect(last().isStopped).toBe(true);
    await Bun.sleep(0);
    expect(tunnel.origin()).toBeUndefined();
    expect(tunnel.status()).toMatchObject({ state: 'down', message: expect.stringContaining('cannot be used') });
    expect(waits()).toEqual([1000]);
    fire();
    expect(runs).toHaveLength(2);
  });

  test('a program that announces nothing for 30 s is stopped and started again', async () => {
    const { tunnel, last, waits, fire } = open();
    last().say('something else');
    expect(waits()).toEqual([30_000]);
    fire();
    expect(last().isStopped).toBe(true);
    await Bun.sleep(0);
    expect(tunnel.status().message).toContain('has not announced an address within 30 s');
    expect(waits()).toEqual([1000]);
    await tunnel.settled(1000);
  });

  test('is not started again after it was stopped, also while it waits', async () => {
    const { tunnel, runs, waits, end } = open();
    await tunnel.stop();
    await Bun.sleep(0);
    expect([runs[0]?.isStopped, waits(), runs.length]).toEqual([true, [], 1]);
    const waiting = open();
    await waiting.end();
    await waiting.tunnel.stop();
    expect(waiting.waits()).toEqual([]);
    await end();
  });

  test('control characters of the program do not reach the log', async () => {
    const { last, end, lines } = open();
    last().say('\u001b[31mred\u001b[0m \u0007bell');
    await end();
    expect(lines.find(({ level }) => level === 'error')?.fields['output']).toEqual(['red  bell']);
  });
});
