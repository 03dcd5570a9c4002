/*
 * Writes the types of the client libraries from /openapi.json. With --check it writes nothing, and exits with 1 if a file is
 * out of date.
 */
import { openTestServer } from '../src/testing/test-server.ts';
import { renderPython } from './client-types/python.ts';
import { neededSchemas, type OpenApi } from './client-types/schemas.ts';
import { renderTypeScript } from './client-types/typescript.ts';
import { repositoryRoot } from './lib/executable.ts';

const files = {
  typescript: 'clients/typescript/src/api-types.ts',
  python: 'clients/python/src/hooktape/types.py',
} as const;

/** The generated files: path in the repository and text. */
export async function renderClientTypes(document: OpenApi): Promise<{ file: string; text: string }[]> {
  const schemas = neededSchemas(document);
  return [
    { file: files.typescript, text: await formatted(files.typescript, renderTypeScript(schemas)) },
    { file: files.python, text: renderPython(schemas) },
  ];
}

async function formatted(file: string, text: string): Promise<string> {
  const biome = Bun.spawn(['node_modules/.bin/biome', 'format', `--stdin-file-path=${file}`], {
    cwd: repositoryRoot,
    stdin: new Blob([text]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr] = await Promise.all([biome.stdout.text(), biome.stderr.text()]);
  if ((await biome.exited) !== 0) throw new Error(`biome format: ${stderr}`);
  return stdout;
}

if (import.meta.main) {
  const server = await openTestServer();
  const document = (await (await server.fetch('/openapi.json')).json()) as OpenApi;
  await server.close();
  for (const { file, text } of await renderClientTypes(document)) {
    const path = `${repositoryRoot}/${file}`;
    if (!process.argv.includes('--check')) await Bun.write(path, text);
    else if ((await Bun.file(path).text()) !== text) {
      process.stderr.write(`${file} is out of date: run bun scripts/client-types.ts\n`);
      process.exitCode = 1;
    }
  }
}
