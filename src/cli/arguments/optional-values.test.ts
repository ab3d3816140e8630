import { Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { sparingNeededWords } from './optional-values.ts';

const cli = new Command('cadre');
cli
  .command('run')
  .argument('<agent>')
  .argument('[input]')
  .option('--dir <folder>')
  .option('--json')
  .addOption(new Option('--approve [tool]').preset('*'));
cli.command('resume').argument('[run]').addOption(new Option('--approve [tool]').preset('*'));

test.each([
  ['run --approve clerk hello', 'run --approve=* clerk hello'],
  ['run --approve --json clerk hello', 'run --approve --json clerk hello'],
  ['run --dir shop --approve clerk hello', 'run --dir shop --approve=* clerk hello'],
  ['run clerk --approve pay', 'run clerk --approve pay'],
  ['run clerk hello --approve pay --approve send', 'run clerk hello --approve pay --approve send'],
  ['run --approve=pay clerk hello', 'run --approve=pay clerk hello'],
  ['run --approve - clerk', 'run --approve=* - clerk'],
  ['run --approve -- clerk', 'run --approve -- clerk'],
  ['resume --approve pay', 'resume --approve pay'],
])('%s is read as %s', (given, read) => {
  expect(sparingNeededWords(given.split(' '), cli)).toEqual(read.split(' '));
});
