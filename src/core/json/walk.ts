/* Visits all keys and values of valid JSON in the order of the document, without recursion and in steps. */
import {
  closeList,
  closeObject,
  comma,
  endOfByteOrderMark,
  endOfScalar,
  endOfString,
  openList,
  openObject,
  quote,
  skipSpace,
  stringAt,
} from './bytes.ts';

/** The keys, and the positions in lists, that lead to a value. The array changes when the walk goes on. */
export type JsonPlace = readonly (string | number)[];

export type JsonVisitor = {
  /** Gets the key from its opening quote up to the end of its closing one. */
  onKey: (key: string, start: number, end: number) => void;
  /** @param end undefined for an object or a list */
  onValue: (place: JsonPlace, start: number, end: number | undefined) => void;
};

/** @param body valid JSON @param stepBytes how much is read between two yields */
export function* walkJson(
  body: Uint8Array,
  { onKey, onValue }: JsonVisitor,
  stepBytes: number,
): Generator<undefined, void> {
  const place: (string | number)[] = [];
  let at = skipSpace(body, endOfByteOrderMark(body));
  let limit = at + stepBytes;
  const enterMember = (): void => {
    const end = endOfString(body, at + 1) + 1;
    const key = stringAt(body, at, end);
    place[place.length - 1] = key;
    onKey(key, at, end);
    at = skipSpace(body, skipSpace(body, end) + 1);
  };
  while (at < body.length) {
    if (at >= limit) {
      yield;
      limit = at + stepBytes;
    }
    // A value begins here.
    const start = at;
    const isObject = body[at] === openObject;
    if (isObject || body[at] === openList) {
      onValue(place, start, undefined);
      at = skipSpace(body, at + 1);
      if (body[at] !== closeObject && body[at] !== closeList) {
        place.push(isObject ? '' : 0);
        if (isObject) enterMember();
        continue;
      }
      at++;
    } else {
      at = body[at] === quote ? endOfString(body, at + 1) + 1 : endOfScalar(body, at);
      onValue(place, start, at);
    }
    // A value has ended here.
    for (;;) {
      at = skipSpace(body, at);
      const last = place.at(-1);
      if (last === undefined) return;
      if (body[at++] === comma) {
        at = skipSpace(body, at);
        if (typeof last === 'string') enterMember();
        else place[place.length - 1] = last + 1;
        break;
      }
      place.pop();
    }
  }
}
