-- Interpreter work: recursion, tables, closures, strings, sorting, a small machine.
local function queens(n)
	local columns, up, down, found = {}, {}, {}, 0
	local function place(row)
		if row > n then
			found = found + 1
			return
		end
		for column = 1, n do
			if not (columns[column] or up[row + column] or down[row - column + n]) then
				columns[column], up[row + column], down[row - column + n] = true, true, true
				place(row + 1)
				columns[column], up[row + column], down[row - column + n] = nil, nil, nil
			end
		end
	end
	place(1)
	return found
end

local function hanoi(n, from, to, via)
	if n == 0 then return 0 end
	return hanoi(n - 1, from, via, to) + 1 + hanoi(n - 1, via, to, from)
end

local function machine(steps)
	local memory, at, sum = {}, 1, 0
	for i = 1, 64 do memory[i] = i * 13 % 64 + 1 end
	local operations = {
		function(x) return x + 1 end,
		function(x) return x * 3 % 8191 end,
		function(x) return x ~ at end,
	}
	for step = 1, steps do
		at = memory[at]
		sum = operations[step % 3 + 1](sum)
		if step % 7 == 0 then memory[at], memory[sum % 64 + 1] = memory[sum % 64 + 1], memory[at] end
	end
	return sum
end

-- `part`: a power of two, as of how much is done only one part is.
local function work(part)
	print(queens(part == 1 and 10 or 9))
	print(hanoi(22 - math.floor(math.log(part, 2)), "a", "b", "c"))

	local list = {}
	for i = 1, 400000 // part do list[i] = (i * 48271) % 65537 end
	table.sort(list, function(a, b) return a > b end)
	print(list[1], list[5000], list[#list])

	local parts = {}
	for i = 1, 300000 // part do parts[#parts + 1] = ("%x%s"):format(i * 31 % 4099, ("z"):rep(i % 6)) end
	local text = table.concat(parts, ",")
	local letters, groups = 0, 0
	for word in text:gmatch("%w+") do
		groups = groups + 1
		letters = letters + #word
	end
	print(letters, groups, (text:gsub("z+", "y")):len())
	print(machine(12000000 // part))
end

for _ = 1, tonumber(arg[1] or 1) do
	work(tonumber(arg[2] or 1))
end
