/* Reads the JUnit report that `bun test` writes. */

/** A failed test: its file, and its name after the names of its groups. */
export interface FailedTest {
  readonly file: string;
  readonly name: string;
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function unescapeXml(text: string): string {
  return text
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name] ?? '');
}

const attribute = (element: string, name: string): string =>
  unescapeXml(new RegExp(` ${name}="([^"]*)"`).exec(element)?.[1] ?? '');

/** The failed tests of a report, in its order. @param xml the output of `bun test --reporter=junit` */
export function failedTests(xml: string): FailedTest[] {
  return [...xml.matchAll(/(<testcase [^>]*[^/>]>)\s*<failure\b/g)].map(([, element = '']) => ({
    file: attribute(element, 'file'),
    // Bun writes the innermost group first.
    name: [...attribute(element, 'classname').split(' > ').reverse(), attribute(element, 'name')]
      .filter(part => part !== '')
      .join(' > '),
  }));
}
