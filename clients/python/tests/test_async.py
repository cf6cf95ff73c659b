from __future__ import annotations

import asyncio
import os
import signal
import unittest
from typing import Any

from jinn import AsyncJinn, CallTimeout, Decision, Progress, Question, SessionClosed, SessionLost, ToolError
from workspace import WorkspaceTest, is_alive, until_told


class AsyncTest(WorkspaceTest, unittest.IsolatedAsyncioTestCase):
    def open(self, **more: Any) -> AsyncJinn:
        jinn = AsyncJinn(**{**self.options, **more})
        self.addAsyncCleanup(jinn.close)
        return jinn

    async def wait_for_file(self, name: str) -> None:
        await asyncio.to_thread(self.wait_until, lambda: self.has(name))


class AsyncCalls(AsyncTest):
    async def test_a_file_is_written_and_read(self) -> None:
        async with self.open() as jinn:
            await jinn.call("write_file", {"path": "a.txt", "content": "one\n"})
            self.assertEqual((await jinn.call("read_file", {"path": "a.txt"})).result, "1\tone")
            with self.assertRaises(ToolError) as caught:
                await jinn.call("read_file", {"path": "none"})
            self.assertEqual(caught.exception.code, "file_not_found")

    async def test_a_thousand_calls_at_once_are_all_answered(self) -> None:
        jinn = self.open()
        for i in range(10):
            self.write(f"{i}.txt", f"text {i}\n")
        calls = (jinn.call("read_file", {"path": f"{i % 10}.txt"}) for i in range(1_000))
        answers = await asyncio.gather(*calls)
        self.assertEqual([each.result for each in answers], [f"1\ttext {i % 10}" for i in range(1_000)])

    async def test_calls_that_are_not_parallel_run_in_order(self) -> None:
        jinn = self.open()
        first = jinn.call("run_shell", {"command": "until [ -s log ]; do sleep 0.05; done; echo first >> log"}, parallel=False)
        second = jinn.call("run_shell", {"command": "echo second >> log"}, parallel=False)
        other = jinn.call("run_shell", {"command": "echo other >> log"})
        await asyncio.gather(first, second, other)
        self.assertEqual((self.root / "log").read_text().split(), ["other", "first", "second"])

    async def test_the_tools_and_the_calls_of_models(self) -> None:
        self.write("a.txt", "x\n")
        jinn = self.open()
        self.assertIn("read_file", [tool["name"] for tool in await jinn.tools("anthropic")])
        use = {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {"path": "a.txt"}}
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "1\tx"}
        self.assertEqual(await jinn.answer(use), result)

    async def test_events_are_a_stream_until_the_session_is_closed(self) -> None:
        jinn = self.open()
        events = jinn.events()
        self.write("a.txt", "x\n")
        await jinn.call("read_file", {"path": "a.txt"})
        await jinn.close()
        self.assertEqual([event.type async for event in events], ["start", "end"])

    async def test_reports_come_in_the_event_loop(self) -> None:
        reports: list[tuple[Progress, object]] = []
        note = lambda report: reports.append((report, asyncio.get_running_loop()))
        await self.open().call("run_shell", {"command": "sleep 3"}, progress=note)
        self.assertGreaterEqual(len(reports), 1)
        self.assertIs(reports[0][1], asyncio.get_running_loop())


class AsyncApprovals(AsyncTest):
    async def test_a_coroutine_approves_while_other_calls_go_on(self) -> None:
        self.write("gone/a", "")
        asked, told = asyncio.Event(), asyncio.Event()

        async def approve(question: Question) -> Decision:
            asked.set()
            await told.wait()
            return "once"

        jinn = self.open(approve=approve)
        task = asyncio.create_task(jinn.call("run_shell", {"command": "rm -rf gone"}))
        await asked.wait()
        await jinn.call("list_dir")
        self.assertTrue(self.has("gone/a"))
        told.set()
        await task
        self.assertFalse(self.has("gone"))

    async def test_a_plain_function_denies_in_the_event_loop(self) -> None:
        self.write("gone/a", "")
        loops: list[object] = []

        def approve(question: Question) -> Decision:
            loops.append(asyncio.get_running_loop())
            return "deny"

        jinn = self.open(approve=approve)
        use = {"type": "tool_use", "id": "a", "name": "run_shell", "input": {"command": "rm -rf gone"}}
        self.assertTrue((await jinn.answer(use))["is_error"])
        self.assertEqual(loops, [asyncio.get_running_loop()])
        self.assertTrue(self.has("gone/a"))

    async def test_an_error_of_approve_comes_out_of_the_call(self) -> None:
        self.write("gone/a", "")

        async def approve(question: Question) -> Decision:
            raise LookupError("nobody is there")

        with self.assertRaisesRegex(LookupError, "nobody is there"):
            await self.open(approve=approve).call("run_shell", {"command": "rm -rf gone"})
        self.assertTrue(self.has("gone/a"))


class AsyncEnds(AsyncTest):
    async def test_a_deadline_cancels_the_call(self) -> None:
        jinn = self.open()
        with self.assertRaisesRegex(CallTimeout, "more than 3 seconds"):
            await jinn.call("run_shell", {"command": "echo $$ > pid; exec sleep 50", "timeout": 60}, timeout=3)
        pid = self.read_pid()
        self.wait_until(lambda: not is_alive(pid))
        await jinn.call("list_dir")

    async def test_a_canceled_task_ends_its_command(self) -> None:
        jinn = self.open()
        call = jinn.call("run_shell", {"command": "echo $$ > pid; exec sleep 50", "timeout": 60})
        task = asyncio.create_task(call)
        await self.wait_for_file("pid")
        pid = self.read_pid()
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.wait_until(lambda: not is_alive(pid))
        await jinn.call("list_dir")

    async def test_a_killed_process_is_told_and_the_next_call_has_a_new_one(self) -> None:
        jinn = self.open()
        tasks = [asyncio.create_task(jinn.call("run_shell", until_told(f"p{i}"))) for i in range(3)]
        await self.wait_for_file("p2")
        os.kill(self.read_pid_of_jinn(), signal.SIGKILL)
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            self.assertIsInstance(result, SessionLost)
        self.write("go", "")
        await jinn.call("list_dir")

    async def test_close_ends_the_open_calls(self) -> None:
        jinn = self.open()
        task = asyncio.create_task(jinn.call("run_shell", until_told("begun")))
        await self.wait_for_file("begun")
        await jinn.close()
        with self.assertRaises(SessionClosed):
            await task
        self.assertFalse(is_alive(self.read_pid_of_jinn()))
