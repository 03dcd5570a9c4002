/* The keyboard shortcuts of the page, made from the commands that are registered at the moment. */

import { useMemo } from 'preact/hooks';
import { type Command, listedCommands, type Section } from '../../kit/commands.ts';
import { Dialog } from '../../kit/controls.tsx';
import { keyLabel } from '../../kit/key-label.ts';

const sections: readonly Section[] = ['List', 'Event', 'Page', 'Everywhere'];
const sectionTitles: Record<Section, string> = {
  List: 'The list',
  Event: 'The open event',
  Page: 'This page',
  Everywhere: 'Everywhere',
};

type HelpLine = { keys: string[]; words: string };

/** The lines of a section: keys that do the same share one. */
export function helpLines(commands: readonly Command[], section: Section): HelpLine[] {
  const lines = new Map<string, Set<string>>();
  for (const { key, label, help = label, section: own } of commands) {
    if (own !== section || key === '' || help === '') continue;
    lines.set(help, (lines.get(help) ?? new Set()).add(key));
  }
  return [...lines].map(([words, keys]) => ({ keys: [...keys], words }));
}

export function Shortcuts({ onClose }: { onClose: () => void }) {
  const commands = useMemo(() => {
    const listed = listedCommands();
    const isMove = ({ run, isKeyOnly }: Command): boolean => run !== undefined && isKeyOnly === true;
    // The keys that move come first; what a control does with its own keys comes last.
    return [
      ...listed.filter(isMove),
      ...listed.filter(one => one.run && !isMove(one)),
      ...listed.filter(({ run }) => !run),
    ];
  }, []);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} wide>
      <div class="help">
        {sections.map(section => {
          const lines = helpLines(commands, section);
          return lines.length === 0 ? null : (
            <section key={section}>
              <h3 class="faint small">{sectionTitles[section]}</h3>
              <dl class="facts shortcuts">
                {lines.map(({ keys, words }) => (
                  <div key={words}>
                    <dt>
                      <Keys keys={keys} />
                    </dt>
                    <dd>{words}</dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
      </div>
      <p class="faint">Shortcuts are off while you type or a dialog is open.</p>
    </Dialog>
  );
}

/** `1`, `2`, `3` is written `1 – 3`. */
function Keys({ keys }: { keys: string[] }) {
  const isRange = keys.length > 2 && keys.every(key => /^\d$/.test(key));
  const sorted = isRange ? [...keys].sort() : keys;
  const shown = isRange ? [sorted[0] ?? '', sorted.at(-1) ?? ''] : sorted;
  return (
    <>
      {shown.map((key, index) => (
        <>
          {index > 0 && <span>{isRange ? '–' : ' '}</span>}
          <kbd key={key}>{keyLabel(key)}</kbd>
        </>
      ))}
    </>
  );
}
