/* `--exec`: the input of a program, and the meaning of its exit code. */
import { describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonLines, useListenHarness } from '../../testing/listen-harness.ts';
import { eventually } from '../../testing/poll.ts';

const harness = await useListenHarness();

const file = (name: string): string => join(harness.client.directory, name);
/** A program that runs this shell script. */
function program(script: string): string {
  const path = file(`program-${Bun.hash(script)}`);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe('a program', () => {
  test('gets the body on standard input and the facts in its environment, and its arguments as they are', async () => {
    const seen = file('seen');
    const script = `cat > '${seen}.body'; printf '%s|%s|%s|%s|%s|%s' "$HOOKTAPE_EVENT_ID" "$HOOKTAPE_EVENT_TYPE" "$HOOKTAPE_EVENT_PLATFORM" "$HOOKTAPE_EVENT_VERDICT" "$#" "$1" > '${seen}'; echo ok`;
    const words = ['--exec', program(script), '$(touch /tmp/no) ; --json', '--help'];
    const listener = await harness.listen('--output', 'json', ...words);
    const body = '{"id":"evt_1","object":"event","type":"invoice.paid","text":"\u00e4"}';
    const id = await harness.deliver(body, { headers: { 'stripe-signature': 't=1,v1=00' } });
    await eventually(() => listener.said.stdout.includes('settled'));
    expect(readFileSync(`${seen}.body`, 'utf8')).toBe(body);
    expect(readFileSync(seen, 'utf8')).toBe(`${id}|invoice.paid|stripe|unchecked|2|$(touch /tmp/no) ; --json`);
    const [, , answered] = jsonLines(listener.said.stdout);
    const about = { event: 'answered', id, target: `exec:${words.slice(1).join(' ')}`, status: 0, attempt: 1 };
    expect(answered).toMatchObject(about);
  });

  test('settles the event only with exit code 0, and its output is shown escaped', async () => {
    const flag = file('second');
    const script = `echo "out $(printf '\\033[31m')"; echo err >&2; test -e '${flag}' || { touch '${flag}'; exit 7; }`;
    const listener = await harness.listen('--retry', '1', '--exec', program(script));
    await harness.deliver('{}');
    await eventually(() => listener.said.stdout.includes('exit 0 in'));
    expect(listener.said.stdout).toContain('exit 7 in');
    expect(listener.said.stderr).toContain('  out \\u001b[31m\n');
    expect(listener.said.stderr).toContain('  err\n');
    await listener.stop();
    expect(await harness.consumer()).toMatchObject({ behind: 0 });
  });

  test('that takes too long is killed, even if it ignores signals or has started other processes', async () => {
    const pidFile = file('pid');
    const script = `trap '' TERM; echo $$ > '${pidFile}'; sleep 60 & while :; do sleep 1; done`;
    const options = ['--timeout', '200ms', '--retry', '0', '--on-fail', 'skip'];
    const listener = await harness.listen(...options, '--exec', program(script));
    await harness.deliver('{}');
    await eventually(() => listener.said.stdout.includes('skipped'), 8000);
    expect(listener.said.stdout).toContain('did not exit within 0.2 s');
    const pid = Number(readFileSync(pidFile, 'utf8'));
    expect(existsSync(`/proc/${pid}/exe`) && readFileSync(`/proc/${pid}/stat`, 'utf8')).toBe(false);
  }, 120_000);

  test('may ignore a large body', async () => {
    const listener = await harness.listen('--exec', program('exit 0'));
    await harness.deliver(JSON.stringify({ text: 'x'.repeat(3 << 20) }));
    await eventually(() => listener.said.stdout.includes('exit 0 in'));
  });

  test('that is not there is a failure like any other', async () => {
    const listener = await harness.listen('--retry', '0', '--on-fail', 'stop', '--exec', '/no/where');
    await harness.deliver('{}');
    const { exitCode, stdout } = await listener.ended;
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringContaining('/no/where cannot be started: there is no such program'),
    ]);
  });

  test('receives events that no map matches, and replays', async () => {
    const seen = file('replayed');
    const map = `body.n:1=>${harness.target().origin}`;
    await harness.listen('--map', map, '--exec', program(`cat >> '${seen}'`));
    await harness.deliver('{"n":1}');
    const id = await harness.deliver('{"n":2}');
    await eventually(() => existsSync(seen) && readFileSync(seen, 'utf8') === '{"n":2}');
    const replay = await harness.client.ada.json(200, 'POST', `/api/events/${id}/replay`, { listener: 'me' });
    expect([replay, readFileSync(seen, 'utf8')]).toMatchObject([{ ok: true }, '{"n":2}{"n":2}']);
    expect(harness.bodies()).toEqual(['{"n":1}']);
  });
});
