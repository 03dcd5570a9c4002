/* Tests live streams with the npm package `eventsource` in node (node/event-source.mjs). */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Checks } from '../lib/checks.ts';
import type { Subject } from './server.ts';
import { npmWorkspace, run } from './workspace.ts';

export async function checkNode(checks: Checks, { origin, key }: Subject): Promise<void> {
  await checks.check(
    'eventsource: receives messages, and resumes after the last one when the connection is cut',
    async () => {
      const cwd = await npmWorkspace();
      const script = 'event-source.mjs';
      // Node resolves the imports relative to the script.
      copyFileSync(join(import.meta.dir, 'node', script), join(cwd, script));
      await run(['node', script], { cwd, env: { ORIGIN: origin, KEY: key }, minutes: 2 });
      return undefined;
    },
  );
}
