/*
 * Generates clients in five languages with openapi-generator, and compiles each with the compiler of its language. The Java client then
 * runs java/Flow.java.
 */
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../lib/about.ts';
import { type Checks, ensure } from '../lib/checks.ts';
import type { Subject } from './server.ts';
import { npmWorkspace, requirePrograms, run, workspace } from './workspace.ts';

const generatorVersion = '7.25.0';
const generator = `org.openapitools:openapi-generator-cli:${generatorVersion}`;

interface Language {
  /** What `openapi-generator generate` takes: the generator and its options. */
  readonly generate: readonly string[];
  readonly programs: { name: string; packageName: string }[];
  compile(client: string): Promise<unknown>;
}

const languages: Readonly<Record<string, Language>> = {
  Java: {
    generate: ['java'],
    programs: [],
    compile(client) {
      copyFileSync(join(import.meta.dir, 'java/Flow.java'), join(client, 'src/main/java/Flow.java'));
      return run(['mvn', '-q', '-B', '-DskipTests', '-Dmaven.javadoc.skip=true', 'package'], { cwd: client });
    },
  },
  Go: {
    generate: ['go'],
    programs: [{ name: 'go', packageName: 'golang-go' }],
    compile: client => run(['go', 'build', './...'], { cwd: client }),
  },
  Rust: {
    // Cargo accepts only semantic versions; the version of the description is a date.
    generate: ['rust', `--additional-properties=packageVersion=${version}`],
    programs: [{ name: 'cargo', packageName: 'cargo' }],
    compile: client => run(['cargo', 'check', '--quiet'], { cwd: client }),
  },
  Python: {
    generate: ['python'],
    programs: [{ name: 'python3', packageName: 'python3-venv' }],
    async compile(client) {
      await run(['python3', '-m', 'venv', 'venv'], { cwd: client });
      await run(['venv/bin/python', '-m', 'pip', 'install', '--quiet', '.', 'mypy', 'types-python-dateutil'], {
        cwd: client,
      });
      await run(['venv/bin/python', '-m', 'mypy', '-p', 'openapi_client'], { cwd: client });
    },
  },
  TypeScript: {
    generate: ['typescript-fetch'],
    programs: [],
    async compile(client) {
      const tsc = join(await npmWorkspace(), 'node_modules/.bin/tsc');
      const options = [
        '--ignoreConfig',
        '--noEmit',
        '--strict',
        '--skipLibCheck',
        '--target',
        'es2022',
        '--lib',
        'es2022,dom',
      ];
      await run([tsc, ...options, '--module', 'es2022', '--moduleResolution', 'bundler', 'index.ts'], { cwd: client });
    },
  },
};

export async function checkGenerated(checks: Checks, { origin, key, destination }: Subject): Promise<void> {
  const dir = workspace('generated');
  const description = join(dir, 'openapi.json');
  const clientOf = (name: string): string => join(dir, name.toLowerCase());
  const compiled = new Set<string>();

  for (const [name, { generate, programs, compile }] of Object.entries(languages))
    await checks.check(`openapi-generator generates a ${name} client that compiles`, async () => {
      requirePrograms(
        { name: 'java', packageName: 'openjdk-17-jdk-headless' },
        { name: 'mvn', packageName: 'maven' },
        ...programs,
      );
      const copy = ['mvn', '-q', '-B', 'dependency:copy', `-Dartifact=${generator}`, `-DoutputDirectory=${dir}`];
      await run(copy, { cwd: dir });
      await Bun.write(description, await (await fetch(`${origin}/openapi.json`)).text());
      const client = clientOf(name);
      rmSync(client, { recursive: true, force: true });
      const jar = join(dir, `openapi-generator-cli-${generatorVersion}.jar`);
      await run(['java', '-jar', jar, 'generate', '-i', description, '-o', client, '-g', ...generate], { cwd: dir });
      await compile(client);
      compiled.add(name);
      return undefined;
    });

  await checks.check('the Java client creates, reads, exports, replays and deletes', async () => {
    ensure(compiled.has('Java'), 'the client was not built');
    const classPath = ['target/classes', 'target/lib/*'].map(part => join(clientOf('Java'), part)).join(':');
    const before = destination.received.length;
    await run(['java', '-cp', classPath, 'Flow', origin, key, destination.url], { cwd: dir, minutes: 2 });
    const replay = destination.received[before];
    ensure(
      replay?.method === 'POST' && replay.body === '{"type":"order.paid","amount":7}',
      'the replay differs from the delivery',
    );
    ensure(replay.headers.get('x-service-replay')?.startsWith('evt_'), 'the replay has no event id in its header');
    return undefined;
  });
}
