import { generateText, isStepCount } from 'ai';
import { createJinn } from 'jinn-sdk';
import { jinnTools } from 'jinn-sdk/ai';

const jinn = createJinn({ root: '.' });
const { tools } = await jinnTools(jinn);
const { text } = await generateText({
  model: 'anthropic/claude-sonnet-4.5',
  tools,
  prompt: process.argv[2] ?? 'What is this project?',
  stopWhen: isStepCount(50),
});
console.log(text);
await jinn.close();
