/* Hooktape in a container, set up automatically: each start gets its own account and API key. */
import { type Endpoint, Hooktape, type HooktapeOptions } from '@hooktape/client';
import { AbstractStartedContainer, GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { setUp } from './set-up.ts';

export const hooktapePort = 4665;
/** The image of the release that this package belongs to. */
export const hooktapeImage = 'ghcr.io/hooktape/hooktape:2.0.0';

/** The names of the tests' host inside a container. */
const hostAliases = ['host.testcontainers.internal', 'host.docker.internal'];

export class HooktapeContainer extends GenericContainer {
  constructor(image: string = hooktapeImage) {
    super(image);
    this.withExposedPorts(hooktapePort)
      .withEnvironment({ HOOKTAPE_REPLAY_ALLOW: hostAliases.join(), HOOKTAPE_RATE_LIMIT: '10000' })
      .withWaitStrategy(Wait.forHttp('/readyz', hooktapePort));
  }

  /** Allows sending to these hosts, `host:port` or networks (CIDR), too. */
  withReplayTo(...hosts: string[]): this {
    const allowed = [this.environment['HOOKTAPE_REPLAY_ALLOW'], ...hosts].filter(Boolean);
    return this.withEnvironment({ HOOKTAPE_REPLAY_ALLOW: allowed.join() });
  }

  override async start(): Promise<StartedHooktapeContainer> {
    return startedHooktape(await super.start());
  }
}

/** Sets up the Hooktape in a started container. If that fails, the container is stopped. */
export async function startedHooktape(container: StartedTestContainer): Promise<StartedHooktapeContainer> {
  try {
    return new StartedHooktapeContainer(container, await setUp(container));
  } catch (error) {
    await container.stop();
    throw error;
  }
}

export class StartedHooktapeContainer extends AbstractStartedContainer {
  /** An API key of this start's account. Accounts do not see each other's endpoints. */
  readonly key: string;

  constructor(container: StartedTestContainer, { key }: { key: string }) {
    super(container);
    this.key = key;
  }

  /** The server's origin for the tests. */
  get url(): string {
    return `http://${this.getHost()}:${this.getMappedPort(hooktapePort)}`;
  }

  client(options: Omit<HooktapeOptions, 'url' | 'key'> = {}): Hooktape {
    return new Hooktape({ ...options, url: this.url, key: this.key });
  }

  /**
   * The URL to send deliveries to. The endpoint's own `url` does not work, because the server cannot know its mapped port.
   * @param from.alias for a sender in another container: this container's name in their common network
   */
  endpointUrl({ path }: Pick<Endpoint, 'path'>, { alias }: { alias?: string } = {}): string {
    return `${alias === undefined ? this.url : `http://${alias}:${hooktapePort}`}${path}`;
  }
}
