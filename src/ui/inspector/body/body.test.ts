import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { bytesOf, fromBase64, hexRow, hexRowCount, pictureUrl, rasterType, toBase64, utf8Text } from './bytes.ts';
import { parseJsonLines, pathOf, sourceText } from './json.ts';
import { markupTokens } from './markup.ts';
import { parseBody, parseForm } from './views.ts';
import { indentMarkup } from './xml.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);

describe('bytes', () => {
  test('base64 round-trips every byte', () => {
    const long = new Uint8Array(20_000).map((_, at) => at * 7);
    expect(fromBase64(toBase64(every))).toEqual(every);
    expect(fromBase64(toBase64(long))).toEqual(long);
    expect(bytesOf('é', 'utf8')).toEqual(Uint8Array.of(0xc3, 0xa9));
  });

  test('only valid UTF-8 is text, and it keeps its byte order mark', () => {
    expect(utf8Text(every)).toBeUndefined();
    expect(utf8Text(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('\ufeffa');
  });

  test('the last hex row is padded', () => {
    expect(hexRowCount(every)).toBe(16);
    expect(hexRow(every, 4)).toEqual({
      offset: '00000040',
      hex: '40 41 42 43 44 45 46 47  48 49 4a 4b 4c 4d 4e 4f',
      ascii: '@ABCDEFGHIJKLMNO',
    });
    expect(hexRow(bytes('<b>'), 0).hex).toHaveLength(hexRow(every, 0).hex.length);
    expect(hexRow(Uint8Array.of(0, 10, 127), 0).ascii).toBe('···');
  });

  test('an image is detected by its bytes, and SVG is not accepted', () => {
    expect(rasterType(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1))).toBe('image/png');
    expect(rasterType(bytes('RIFFxxxxWEBP'))).toBe('image/webp');
    expect(rasterType(bytes('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">'))).toBeUndefined();
    expect(pictureUrl(bytes('GIF89a'))).toBe('data:image/gif;base64,R0lGODlh');
  });
});

describe('forms', () => {
  test('order and repeated names are kept', () =>
    expect(parseForm('b=1&a=x%20y+z&b=2&&flag').map(({ name, value }) => [name, value])).toEqual([
      ['b', '1'],
      ['a', 'x y z'],
      ['b', '2'],
      ['flag', ''],
    ]));

  test('malformed escapes are shown as sent', () =>
    expect(parseForm('a=%zz&b=%ff')).toEqual([
      { name: 'a', value: '%zz', raw: 'a=%zz' },
      { name: 'b', value: '%ff', raw: 'b=%ff' },
    ]));
});

describe('XML', () => {
  test('one tag per line, leaf text beside its tag', () =>
    expect(
      indentMarkup('<?xml version="1.0"?><a x="1>2"><b>t</b><c/><!-- n --><d><![CDATA[<x>]]></d><e></e></a>'),
    ).toBe(
      [
        '<?xml version="1.0"?>',
        '<a x="1>2">',
        '  <b>t</b>',
        '  <c/>',
        '  <!-- n -->',
        '  <d><![CDATA[<x>]]></d>',
        '  <e></e>',
        '</a>',
      ].join('\n'),
    ));

  test('unbalanced markup is shown as text', () =>
    expect(indentMarkup('</a></b><c>< <script>alert(1)</script>')).toContain('<script>alert(1)</script>'));
});

describe('HTML', () => {
  test('void elements do not indent, and what is inside of pre and script stays as it is', () =>
    expect(
      indentMarkup('<body><br><img src="a>b"><pre> a\n  b</pre><script>if (a<b) c()</script><p>x</p></body>', {
        html: true,
      }),
    ).toBe(
      [
        '<body>',
        '  <br>',
        '  <img src="a>b">',
        '  <pre> a\n  b</pre>',
        '  <script>if (a<b) c()</script>',
        '  <p>x</p>',
        '</body>',
      ].join('\n'),
    ));
});

describe('coloured markup', () => {
  const pieces = (text: string, isHtml = false): string[] =>
    markupTokens(text, isHtml).map(({ start, end, kind }) => `${kind} ${text.slice(start, end)}`);

  test('tags, attributes, comments and entities are told apart', () =>
    expect(pieces('<?xml?><!-- <a> --><a b="1>2" c=\'d\' e=f>x &amp; y</a><![CDATA[<z>]]>')).toEqual([
      'declaration <?xml?>',
      'comment <!-- <a> -->',
      'tag <a',
      'attribute b',
      'string "1>2"',
      'attribute c',
      "string 'd'",
      'attribute e',
      'string f',
      'tag >',
      'entity &amp;',
      'tag </a',
      'tag >',
      'declaration <![CDATA[<z>]]>',
    ]));

  test('a script of HTML is not markup', () =>
    expect(pieces('<script>a<b</script><i>', true)).toEqual([
      'tag <script',
      'tag >',
      'tag </script',
      'tag >',
      'tag <i',
      'tag >',
    ]));

  test('pieces are in order and inside the text, whatever it is', () =>
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('<', '>', '/', '!', '-', '"', "'", '=', 'a', ' ', '&', ';', '?') }),
        text => {
          let last = 0;
          for (const { start, end } of markupTokens(text, true)) {
            expect(start >= last && end > start && end <= text.length).toBe(true);
            last = end;
          }
        },
      ),
      { numRuns: 2000 },
    ));
});

describe('NDJSON', () => {
  const lines = (text: string): string[] => {
    const document = parseJsonLines(text);
    return document ? document.nodes.map((node, at) => `${pathOf(document, at)} ${sourceText(document, node)}`) : [];
  };

  test('is a list of documents whose values stand where they are in the text', () =>
    expect(lines('{"a":1}\r\n\n[2,{"b":3}]').slice(1)).toEqual([
      '$[0] {"a":1}',
      '$[0].a 1',
      '$[1] [2,{"b":3}]',
      '$[1][0] 2',
      '$[1][1] {"b":3}',
      '$[1][1].b 3',
    ]));

  test('is not what has a line that is no JSON', () => expect(parseJsonLines('{"a":1}\nhello')).toBeUndefined());
});

describe('views', () => {
  const views = (body: string | Uint8Array, type = ''): string[] =>
    parseBody(typeof body === 'string' ? bytes(body) : body, type).views;

  test('the bytes decide, the content type is a hint', () => {
    expect(views('{"a":1}', 'text/plain')).toEqual(['json', 'text', 'hex']);
    expect(views('a=1&b=2', 'application/x-www-form-urlencoded')).toEqual(['form', 'text', 'hex']);
    expect(views('<a/>')).toEqual(['xml', 'text', 'hex']);
    expect(views(every, 'application/json')).toEqual(['hex']);
    expect(views('')).toEqual([]);
    expect(views('{"a":1}\n{"a":2}\n')).toEqual(['ndjson', 'text', 'hex']);
    expect(views('{"a":1}', 'application/x-ndjson')).toEqual(['ndjson', 'text', 'hex']);
    expect(views('{\n"a":1\n}', 'application/x-ndjson')).toEqual(['json', 'text', 'hex']);
    expect(views('<!doctype html><p>x</p>')).toEqual(['html', 'text', 'hex']);
    expect(views('<a/>', 'text/html; charset=utf-8')).toEqual(['html', 'text', 'hex']);
    expect(views('<html xmlns="x"/>', 'application/xhtml+xml')).toEqual(['xml', 'text', 'hex']);
    expect(views('--b\n\nx', 'multipart/form-data; boundary=b')).toEqual(['parts', 'text', 'hex']);
  });

  test('invalid JSON has the position of the problem', () =>
    expect(parseBody(bytes('{"a":}'), 'application/json').jsonProblem).toMatchObject({ line: 1, column: 6 }));
});
