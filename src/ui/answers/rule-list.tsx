/* The ordered list of rules. The first matching rule answers, so order matters: a rule keeps the focus when it is moved. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SeenSource } from '../inspector/filter/use-seen-values.ts';
import type { Example } from '../inspector/placeholders.ts';
import { Button } from '../kit/controls.tsx';
import { RuleCard } from './rule-card.tsx';
import { copyOf, emptyRule, moved, namesOf, type RuleDraft } from './rule-schema.tsx';
import type { AnswersEditor } from './use-answers.ts';

type RuleListProps = {
  editor: AnswersEditor;
  drafts: readonly RuleDraft[];
  /** The keys of the unfolded rules. */
  open: ReadonlySet<number>;
  setOpen: (open: ReadonlySet<number>) => void;
  seen: SeenSource;
  example: Example | undefined;
};

export function RuleList({ editor, drafts, open, setOpen, seen, example }: RuleListProps) {
  const [announcement, setAnnouncement] = useState('');
  const list = useRef<HTMLOListElement>(null);
  const addButton = useRef<HTMLDivElement>(null);
  const focusAfter = useFocusAfter(drafts);
  const names = namesOf(drafts);
  const toggleOf = (at: number): HTMLElement | null | undefined =>
    list.current?.querySelectorAll<HTMLElement>('.rule-toggle')[at];

  const insert = (at: number, draft: RuleDraft): void => {
    editor.setDrafts(drafts.toSpliced(at, 0, draft));
    setOpen(new Set([...open, draft.key]));
    focusAfter(() => toggleOf(at));
  };
  const actionsOf = (draft: RuleDraft, at: number) => ({
    change: (change: Partial<RuleDraft>) =>
      editor.setDrafts(drafts.map(one => (one.key === draft.key ? { ...one, ...change } : one))),
    move: (by: 1 | -1) => {
      const to = at + by;
      if (to < 0 || to >= drafts.length) return;
      const focused = document.activeElement;
      editor.setDrafts(moved(drafts, at, to));
      focusAfter(() => (focused instanceof HTMLElement ? focused : undefined));
      setAnnouncement(`${names[at]} is now rule ${to + 1} of ${drafts.length}.`);
    },
    duplicate: () => {
      insert(at + 1, copyOf(draft, names));
      setAnnouncement(`${names[at]} was duplicated.`);
    },
    remove: () => {
      editor.setDrafts(drafts.filter(({ key }) => key !== draft.key));
      focusAfter(() => toggleOf(Math.min(at, drafts.length - 2)) ?? addButton.current?.querySelector('button'));
      setAnnouncement(`${names[at]} was removed.`);
    },
    toggle: () => {
      const next = new Set(open);
      if (!next.delete(draft.key)) next.add(draft.key);
      setOpen(next);
    },
  });
  return (
    <>
      <h2 class="offscreen">Rules</h2>
      <ol class="col" ref={list}>
        {drafts.map((draft, at) => (
          <RuleCard
            key={draft.key}
            editor={editor}
            draft={draft}
            names={names}
            index={at}
            isOpen={open.has(draft.key)}
            actions={actionsOf(draft, at)}
            seen={seen}
            example={example}
          />
        ))}
      </ol>
      <div class="row" ref={addButton}>
        <Button icon="plus" onClick={() => insert(drafts.length, emptyRule())}>
          Add a rule
        </Button>
      </div>
      <p class="offscreen" role="status">
        {announcement}
      </p>
    </>
  );
}

/** Moves the focus once the drafts are rendered: an element that changes its place in the page loses it. */
function useFocusAfter(drafts: readonly RuleDraft[]) {
  const target = useRef<(() => HTMLElement | null | undefined) | undefined>(undefined);
  useLayoutEffect(() => {
    target.current?.()?.focus();
    target.current = undefined;
  }, [drafts]);
  return (find: () => HTMLElement | null | undefined): void => {
    target.current = find;
  };
}
