/* Generates a Java client with openapi-generator, builds it with Maven, and runs java/Flow.java with it. */
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Checks, ensure } from '../lib/checks.ts';
import type { Subject } from './server.ts';
import { requirePrograms, run, workspace } from './workspace.ts';

const generatorVersion = '7.25.0';
const generator = `org.openapitools:openapi-generator-cli:${generatorVersion}`;

export async function checkJava(checks: Checks, { origin, key, destination }: Subject): Promise<void> {
  let classPath: string | undefined;

  await checks.check('openapi-generator generates a Java client that compiles', async () => {
    requirePrograms({ name: 'java', packageName: 'openjdk-17-jdk-headless' }, { name: 'mvn', packageName: 'maven' });
    const dir = workspace('java');
    const client = join(dir, 'client');
    rmSync(client, { recursive: true, force: true });
    const copy = ['mvn', '-q', '-B', 'dependency:copy', `-Dartifact=${generator}`, `-DoutputDirectory=${dir}`];
    await run(copy, { cwd: dir });
    const description = join(dir, 'openapi.json');
    await Bun.write(description, await (await fetch(`${origin}/openapi.json`)).text());
    const jar = join(dir, `openapi-generator-cli-${generatorVersion}.jar`);
    await run(['java', '-jar', jar, 'generate', '-g', 'java', '-i', description, '-o', client], { cwd: dir });
    copyFileSync(join(import.meta.dir, 'java/Flow.java'), join(client, 'src/main/java/Flow.java'));
    await run(['mvn', '-q', '-B', '-DskipTests', '-Dmaven.javadoc.skip=true', 'package'], { cwd: client });
    classPath = `${join(client, 'target/classes')}:${join(client, 'target/lib')}/*`;
    return undefined;
  });

  await checks.check('the Java client creates, reads, exports, replays and deletes', async () => {
    ensure(classPath, 'the client was not built');
    const before = destination.received.length;
    await run(['java', '-cp', classPath, 'Flow', origin, key, destination.url], { cwd: workspace('java'), minutes: 2 });
    const replay = destination.received[before];
    ensure(
      replay?.method === 'POST' && replay.body === '{"type":"order.paid","amount":7}',
      'the replay differs from the delivery',
    );
    ensure(replay.headers.get('x-service-replay')?.startsWith('evt_'), 'the replay has no event id in its header');
    return undefined;
  });
}
