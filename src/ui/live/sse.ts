/* Reading server-sent events (WHATWG HTML, 9.2) from pieces of text. Only what the dashboard needs: id, event, data. */

export type ServerEvent = { id: string; event: string; data: string };

/** Feed it decoded pieces in order; it gives the events that they complete. A cut event is kept for the next piece. */
export function createSseReader(): (piece: string) => ServerEvent[] {
  let rest = '';
  let id = '';
  let event = '';
  let data: string[] = [];
  return piece => {
    const done: ServerEvent[] = [];
    // A trailing CR may be half of a CRLF: it waits for the next piece.
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) done.push({ id, event: event || 'message', data: data.join('\n') });
        event = '';
        data = [];
        continue;
      }
      const colon = line.indexOf(':');
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'id' && !value.includes('\0')) id = value;
      else if (field === 'event') event = value;
      else if (field === 'data') data.push(value);
    }
    return done;
  };
}
