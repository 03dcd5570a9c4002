/* A number beside the name of a tab: how much behind it needs a look, and what. */

type PillProps = {
  /** Without one, it is only a number. */
  tone?: 'warn' | 'bad';
  count: number;
  /** What is counted: a line for each. */
  lines: readonly string[];
};

export const Pill = ({ tone, count, lines }: PillProps) =>
  count === 0 ? null : (
    <span class={`pill anchor figures ${tone ?? ''}`} title={lines.join('\n')}>
      <span aria-hidden="true">{count}</span>
      <span class="offscreen">{lines.join('. ')}</span>
    </span>
  );
