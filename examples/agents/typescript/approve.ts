import { createJinn } from 'jinn-sdk';

const jinn = createJinn({ root: '.' });
const args = { command: 'rm -rf build' };
const question = await jinn.question('run_shell', args);
if (question) console.log(question.message);
const isApproved = process.argv[2] === 'yes';
const answer = await jinn.callForModel('run_shell', args, {
  approve: ({ token }) => (isApproved && token === question?.token ? 'once' : 'deny'),
});
console.log(answer.content);
await jinn.close();
