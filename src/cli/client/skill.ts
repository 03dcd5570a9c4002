/* `hooktape skill`: prints the skill that explains Hooktape to a coding agent. It is part of the program and needs no server. */
import skill from '../../../skills/hooktape/SKILL.md' with { type: 'text' };
import type { Run } from '../io.ts';
import { printResult } from './output.ts';

export const runSkill: Run = async (given, io) => {
  printResult(io, given, { skill }, skill);
};
