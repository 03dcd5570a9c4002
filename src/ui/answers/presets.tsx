/* Ready-made rules to start from. The same ones as `hooktape answer --preset`. */

import { answerPresets } from '../../shared/answer-presets.ts';
import { Button } from '../kit/controls.tsx';
import { draftOf, type RuleDraft } from './rule-schema.tsx';

export const Presets = ({ hasRules, onPick }: { hasRules: boolean; onPick: (drafts: RuleDraft[]) => void }) => (
  <section class="card section" aria-labelledby="presets-title">
    <h2 id="presets-title">Presets</h2>
    <p class="lead">
      {hasRules
        ? 'A preset replaces the rules above. Nothing changes until you save.'
        : 'Start from one of these. Nothing changes until you save.'}
    </p>
    <ul class="rows">
      {answerPresets.map(({ name, title, description, rules }) => (
        <li key={name}>
          <span class="stack grow">
            <strong>{title}</strong>
            <span class="faint">{description}</span>
          </span>
          <Button aria-label={`Use the preset ${title}`} onClick={() => onPick(rules.map(draftOf))}>
            Use
          </Button>
        </li>
      ))}
    </ul>
  </section>
);
