/**
 * Writes .env.example from the table of settings. With --check it writes nothing, and exits with 1 if the file is out of date.
 */

import { renderEnvExample } from '../src/config/example.ts';

const file = Bun.file(new URL('../.env.example', import.meta.url));
const text = renderEnvExample();

if (!process.argv.includes('--check')) {
  await file.write(text);
} else if (!(await file.exists()) || (await file.text()) !== text) {
  process.stderr.write('.env.example is out of date: run `bun run env-example`\n');
  process.exitCode = 1;
}
