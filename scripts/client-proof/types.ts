/* Compiled against the installed packages, strictly and with their declarations checked. */
import { type CapturedEvent, Hooktape, type NotArrivedError } from '@hooktape/client';
import { HooktapeContainer, type StartedHooktapeContainer } from '@hooktape/testcontainers';

export async function usesEverything(hooktape: Hooktape, id: string): Promise<CapturedEvent[]> {
  const inbox = hooktape.endpoint(id);
  const event = await inbox.waitFor('type:order.*', { within: '30s', signal: AbortSignal.timeout(1) });
  const name: string | undefined = event.headers['x-name'];
  for await (const { payload, cursor } of inbox.feed({ after: event.cursor, where: '' }))
    return [payload, cursor, name];
  await inbox.answers.set([{ name: 'flaky', first: 2, per: 'delivery', answer: { status: 500 } }]);
  // @ts-expect-error: the mode is one of three.
  await hooktape.send(event.id, { to: 'http://localhost:3000', sign: { mode: 'stale' } });
  return inbox.capture(() => undefined, { atLeast: 1 });
}

export const start = (): Promise<StartedHooktapeContainer> => new HooktapeContainer().start();
export const whatArrived = (error: NotArrivedError): number => error.arrived.length;
export const client = new Hooktape({ url: 'http://localhost:4665', key: 'htk_1' });
