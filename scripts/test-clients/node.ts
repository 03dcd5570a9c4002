/* The `eventsource` package of npm, run by node (node/event-source.mjs). */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Checks } from '../lib/checks.ts';
import type { Subject } from './server.ts';
import { npmWorkspace, run } from './workspace.ts';

export async function checkNode(checks: Checks, { origin, key }: Subject): Promise<void> {
  await checks.check('eventsource: messages come, and after a cut the stream goes on behind the last one', async () => {
    const cwd = await npmWorkspace();
    const script = 'event-source.mjs';
    // Its imports are looked for beside it.
    copyFileSync(join(import.meta.dir, 'node', script), join(cwd, script));
    await run(['node', script], { cwd, env: { ORIGIN: origin, KEY: key }, minutes: 2 });
    return undefined;
  });
}
