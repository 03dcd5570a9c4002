/* A raw TCP client for requests that fetch would normalise: exact targets, header case, broken and slow requests. */
import { connect, type Socket } from 'node:net';

export type Wire = {
  write: (data: string | Uint8Array) => void;
  /** Everything received so far, as latin1. */
  received: () => string;
  /** Resolves once the received text matches. @throws after the deadline, or if the peer closed before */
  until: (pattern: RegExp, deadlineMs?: number) => Promise<string>;
  /** Resolves when the peer has closed. */
  closed: Promise<void>;
  destroy: () => void;
};

/** @param localAddress the source address, such as a different loopback address */
export async function openWire(origin: string, localAddress?: string): Promise<Wire> {
  const { hostname, port } = new URL(origin);
  let text = '';
  let done = false;
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const socket = await new Promise<Socket>((resolve, reject) => {
    const to = { port: Number(port), host: hostname, ...(localAddress !== undefined && { localAddress }) };
    const made = connect(to, () => resolve(made));
    made.once('error', reject);
  });
  socket.on('error', () => {});
  socket.on('data', chunk => {
    text += chunk.toString('latin1');
    tell();
  });
  const closed = new Promise<void>(resolve =>
    socket.on('close', () => {
      done = true;
      tell();
      resolve();
    }),
  );
  return {
    write: data => void socket.write(data),
    received: () => text,
    closed,
    destroy: () => socket.destroy(),
    until: (pattern, deadlineMs = 5000) =>
      new Promise((resolve, reject) => {
        const end = (act: () => void): void => {
          clearTimeout(timer);
          listeners.delete(look);
          act();
        };
        const look = (): void => {
          if (pattern.test(text)) end(() => resolve(text));
          else if (done) end(() => reject(new Error(`closed before ${pattern}: ${JSON.stringify(text)}`)));
        };
        const timer = setTimeout(
          () => end(() => reject(new Error(`no ${pattern} in ${deadlineMs} ms: ${JSON.stringify(text)}`))),
          deadlineMs,
        );
        listeners.add(look);
        look();
      }),
  };
}

/** Sends one request on a new connection. @returns the whole response once its body is complete by its Content-Length */
export async function exchange(origin: string, request: string | Uint8Array, localAddress?: string): Promise<string> {
  const wire = await openWire(origin, localAddress);
  wire.write(request);
  const head = await wire.until(/\r\n\r\n/);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  const whole = await wire.until(new RegExp(`\\r\\n\\r\\n[\\s\\S]{${/^HEAD /.test(String(request)) ? 0 : length}}`));
  wire.destroy();
  return whole;
}
