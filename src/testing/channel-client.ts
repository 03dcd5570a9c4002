/*
 * A coding agent's client of `hooktape channel`, which it runs as a process: it writes exactly the lines that such clients write,
 * and accepts nothing but JSON-RPC on standard output.
 */
import { join } from 'node:path';
import { eventually } from './poll.ts';

type Message = {
  jsonrpc: '2.0';
  id?: number | string;
  method?: string;
  params?: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
};
export type Pushed = { content: string; meta: Record<string, string> };
type ToolResult = { isError?: boolean; content: { type: string; text: string }[] };

const fromSource = [process.execPath, join(import.meta.dir, '../main.ts')];

export type ChannelClient = ReturnType<typeof startChannel>;

export function startChannel(
  env: Record<string, string>,
  args: readonly string[],
  command: readonly string[] = fromSource,
) {
  const child = Bun.spawn([...command, 'channel', ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const messages: Message[] = [];
  const output = (async () => {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) messages.push(JSON.parse(line));
    }
    if (rest !== '') throw new Error(`not a line: ${rest}`);
  })();
  let said = '';
  const errors = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) said += decoder.decode(chunk, { stream: true });
  })();
  let lastId = 0;

  const write = (text: string | Uint8Array): void => {
    child.stdin.write(text);
    child.stdin.flush();
  };
  const send = (message: object): void => write(`${JSON.stringify(message)}\n`);
  const answerTo = (id: number) => eventually(() => messages.find(one => one.id === id));
  const request = (method: string, params?: object): Promise<Message> => {
    const id = ++lastId;
    send({ method, ...(params && { params }), jsonrpc: '2.0', id });
    return answerTo(id);
  };
  const pushed = (): Pushed[] =>
    messages.flatMap(({ method, params }) => (method === 'notifications/claude/channel' ? [params as Pushed] : []));

  return {
    messages,
    write,
    send,
    request,
    pushed,
    ids: (): string[] => pushed().map(({ meta }) => meta['id'] ?? ''),
    untilSaid: (text: string) => eventually(() => said.includes(text)),
    untilPushed: (count: number) => eventually(() => pushed().length >= count),
    async initialize(protocolVersion = '2025-11-25') {
      const { result } = await request('initialize', {
        protocolVersion,
        capabilities: { roots: {}, elicitation: {} },
        clientInfo: { name: 'claude-code', title: 'Claude Code', version: '2.1.212' },
      });
      return result ?? {};
    },
    initialized: (): void => send({ method: 'notifications/initialized', jsonrpc: '2.0' }),
    /** @returns the text of the result; throws it if it is an error */
    async call(name: string, given: object): Promise<string> {
      const { result, error } = await request('tools/call', { name, arguments: given });
      const { isError, content } = (result ?? { isError: true, content: [{ text: error?.message }] }) as ToolResult;
      const text = content.map(one => one.text).join('');
      if (isError) throw new Error(text);
      return text;
    },
    /** Resolves when the process has ended. */
    gone: child.exited,
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await child.exited;
    },
    /** Closes standard input. @returns the exit code and what it wrote to stderr */
    async end() {
      await child.stdin.end();
      return this.ended();
    },
    async ended() {
      const exitCode = await child.exited;
      await Promise.all([output, errors]);
      return { exitCode, stderr: said };
    },
    signal: (name: NodeJS.Signals): void => child.kill(name),
  };
}

/** Starts a channel and shakes hands. */
export async function openChannel(...given: Parameters<typeof startChannel>): Promise<ChannelClient> {
  const client = startChannel(...given);
  await client.initialize();
  client.initialized();
  return client;
}
