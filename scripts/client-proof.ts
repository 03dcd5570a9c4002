/*
 * `bun run client-proof [--only npm,browser,python,readmes,container,feed]`: packs the client libraries, installs them from the packs into empty projects, and uses
 * them there against the compiled program: in Node, Bun, Deno, a browser and Python, with their types checked, and with feeds that are
 * read while the server is killed. Installs the required packages from npm and PyPI. PROOF_IMAGE names an image of the program,
 * if a container engine is available (DOCKER_HOST); without it, the program replaces the container. Ends with
 * `N passed, N failed`.
 */
import { parseArgs } from 'node:util';
import { checkBrowser } from './client-proof/browser.ts';
import { checkContainer } from './client-proof/container.ts';
import { checkFeeds } from './client-proof/feeds.ts';
import { checkNpm } from './client-proof/npm.ts';
import { openProof } from './client-proof/project.ts';
import { checkPython } from './client-proof/python.ts';
import { checkReadmes } from './client-proof/readmes.ts';
import { createChecks } from './lib/checks.ts';

const parts = {
  npm: checkNpm,
  browser: checkBrowser,
  python: checkPython,
  readmes: checkReadmes,
  container: checkContainer,
  feed: checkFeeds,
} as const;
const names = Object.keys(parts) as (keyof typeof parts)[];

const { values } = parseArgs({ options: { only: { type: 'string', default: names.join() } } });
const chosen = names.filter(name => values.only.split(',').includes(name));
if (chosen.length === 0) throw new Error(`--only: parts are ${names.join(', ')}`);

const checks = createChecks();
const proof = await openProof();
try {
  for (const name of chosen) await parts[name](checks, proof);
} finally {
  await proof.close();
}
process.exit(checks.close());
