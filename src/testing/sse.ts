/* A reader of server-sent events over a real connection, for tests. */
import { eventually } from './poll.ts';

export type SseMessage = { id: string; event: string; data: Record<string, unknown> };

export type SseReader = {
  status: number;
  headers: Headers;
  messages: SseMessage[];
  /** Everything that came, comments too. */
  text: () => string;
  /** Whether the server ended the stream; `cut` when it broke off. */
  ended: () => 'no' | 'ended' | 'cut';
  /** Waits until that many messages have come. */
  count: (messages: number, deadlineMs?: number) => Promise<SseMessage[]>;
  close: () => void;
};

export async function readSse(url: string, headers: Record<string, string>): Promise<SseReader> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const messages: SseMessage[] = [];
  let text = '';
  let rest = '';
  let ended: 'no' | 'ended' | 'cut' = 'no';

  const take = (block: string): void => {
    const fields = new Map(
      block.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    const data = fields.get('data');
    if (data !== undefined)
      messages.push({ id: fields.get('id') ?? '', event: fields.get('event') ?? '', data: JSON.parse(data) });
  };
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      const piece = decoder.decode(chunk as Uint8Array, { stream: true });
      text += piece;
      const blocks = (rest + piece).split('\n\n');
      rest = blocks.pop() ?? '';
      blocks.forEach(take);
    }
  };
  read().then(
    () => {
      ended = 'ended';
    },
    () => {
      ended = 'cut';
    },
  );

  return {
    status: response.status,
    headers: response.headers,
    messages,
    text: () => text,
    ended: () => ended,
    count: async (wanted, deadlineMs) => {
      await eventually(() => messages.length >= wanted, deadlineMs);
      return messages;
    },
    close: () => abort.abort(),
  };
}
