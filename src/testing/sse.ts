/* A reader of server-sent events over a real connection, for tests. */
import { createParser } from 'eventsource-parser';
import { eventually } from './poll.ts';

export type SseMessage = { id: string; event: string; data: Record<string, unknown> };

export type SseReader = {
  status: number;
  headers: Headers;
  messages: SseMessage[];
  /** Everything received, including comments. */
  text: () => string;
  /** Whether the server ended the stream; `cut` if the connection broke. */
  ended: () => 'no' | 'ended' | 'cut';
  /** Waits until this many messages have been received. */
  count: (messages: number, deadlineMs?: number) => Promise<SseMessage[]>;
  close: () => void;
};

export async function readSse(url: string, headers: Record<string, string>): Promise<SseReader> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const messages: SseMessage[] = [];
  let text = '';
  let ended: 'no' | 'ended' | 'cut' = 'no';

  const parser = createParser({
    onEvent: ({ id = '', event = '', data }) => messages.push({ id, event, data: JSON.parse(data) }),
  });
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      const piece = decoder.decode(chunk as Uint8Array, { stream: true });
      text += piece;
      parser.feed(piece);
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
