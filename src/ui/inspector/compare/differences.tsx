/* Shows the differences of two texts: by path or name in a table, or line by line. */

import { useMemo } from 'preact/hooks';
import { diffLines } from '../../../shared/diff/text-diff.ts';
import { Button } from '../../kit/controls.tsx';
import { formatCount } from '../../kit/format/time.ts';
import { visibleLine, visibleText } from '../../kit/format/visible.ts';
import { showWhole } from '../body/whole-value.tsx';
import { type Change, maxChanges } from './json-diff.ts';

const maxValueChars = 2000;
const maxShownLines = 3000;

const changeLabels = { added: 'Added', removed: 'Removed', changed: 'Changed' } as const;
const truncate = (text: string): string => (text.length > maxValueChars ? `${text.slice(0, maxValueChars)}…` : text);

export function ChangeTable({ changes, same }: { changes: Change[]; same: string }) {
  if (changes.length === 0) return <p class="faint">{same}</p>;
  return (
    <>
      <table class="changes table folds">
        <thead>
          <tr>
            <th scope="col">Path or name</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((change, index) => (
            <tr key={index} class={change.kind}>
              <th scope="row">
                <span class="kind">{changeLabels[change.kind]}</span> <code>{visibleLine(change.path)}</code>
              </th>
              <td class="before">
                <ChangedValue name={change.path} text={change.before} />
              </td>
              <td class="after">
                <ChangedValue name={change.path} text={change.after} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {changes.length >= maxChanges && (
        <p class="faint">There may be more differences. The first {maxChanges.toLocaleString()} are shown.</p>
      )}
    </>
  );
}

function ChangedValue({ name, text }: { name: string; text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <>
      <code>{visibleText(truncate(text))}</code>
      {text.length > maxValueChars && (
        <Button kind="quiet" onClick={() => showWhole(name, text)}>
          Show whole value
        </Button>
      )}
    </>
  );
}

export function LineDifferences({ left, right }: { left: string; right: string }) {
  const lines = useMemo(() => diffLines(left, right), [left, right]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard.
    <pre class="lines" tabIndex={0}>
      {lines.slice(0, maxShownLines).map((line, index) => (
        <span key={index} class={line.kind}>
          {line.kind === 'added' ? '+ ' : line.kind === 'removed' ? '- ' : '  '}
          {visibleLine(truncate(line.text))}
          {'\n'}
        </span>
      ))}
      {lines.length > maxShownLines && `… ${formatCount(lines.length - maxShownLines, 'more line')}`}
    </pre>
  );
}
